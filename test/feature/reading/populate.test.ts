/** `populate`: docs/reference/query-parameters.md, "Populate" and "Names that do not exist". */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

/** Query, key, path of the invalid key. */
const INVALID: readonly [string, string, string | null][] = [
  ['populate=nope', 'nope', 'nope'],
  ['populate=author.nope', 'nope', 'author.nope'],
  ['populate=author.country.nope', 'nope', 'author.country.nope'],
  ['populate=title', 'title', 'title'],
  ['populate=author.name', 'name', 'author.name'],
  ['populate=hidden', 'hidden', 'hidden'],
  ['populate=createdBy', 'createdBy', 'createdBy'],
  ['populate=author.localizations', 'localizations', 'author.localizations'],
  ['populate[0]=*', '*', '*'],
  ['populate=author.*', '*', 'author.*'],
  ['populate[nope]=true', 'nope', null],
  ['populate[title]=true', 'title', 'title'],
  ['populate[author]=yes', 'yes', 'author'],
  ['populate[author][limit]=1', 'limit', 'author'],
  ['populate[author][status]=draft', 'status', 'author'],
  ['populate[author][locale]=fr', 'locale', 'author'],
  ['populate[author][on][x]=1', 'on', 'author'],
  ['populate[author][fields]=nope', 'nope', null],
  ['populate[author][sort]=nope', 'nope', null],
  ['populate[author][filters][nope]=1', 'nope', null],
  ['populate[author][filters][country][nope]=1', 'nope', 'country'],
  ['populate[author][populate]=nope', 'nope', 'nope'],
  ['populate[author][populate]=country.nope', 'nope', 'country.nope'],
  ['populate[author][populate][nope]=true', 'nope', 'author'],
  ['populate[author][populate][country][populate][nope]=true', 'nope', 'author.country'],
  ['populate[author][populate][country][nope]=true', 'nope', 'author.country'],
  ['populate[author][populate][country][filters][nope]=1', 'nope', null],
  ['populate[tags][populate][articles][filters][hidden]=1', 'hidden', 'hidden'],
  ['populate[tags][count]=x', 'count', 'tags'],
  ['populate[zone][on][nope.nope]=true', 'nope.nope', 'zone.on.nope.nope'],
  ['populate[zone][on]=x', 'on', 'zone.on'],
  ['populate[zone][populate]=by', 'populate', 'zone'],
];

for (const engine of engines) {
  describe(`populate on ${engine.name}`, () => {
    let library: Library;
    let full = '';
    const read = (target: string, as = 'full') => library.get(target, library.secrets[as]);
    /** The article `Full`, with its title alone beside what is populated. */
    const populated = async (query: string, as = 'full') => {
      const { body, text } = await read(`/api/articles/${full}?fields=title&${query}`, as);
      if (!body.data) throw new Error(`${query}: ${text}`);
      const { id: _id, documentId: _documentId, title: _title, ...rest } = body.data;
      return rest;
    };
    /** Values without the keys that every row has. */
    const names = (rows: { name: string }[]) => rows.map(({ name }) => name);

    before(async () => {
      library = await serveLibrary(engine);
      const { seeder, ids } = library;
      const file = (name: string) =>
        seeder.file({
          name,
          hash: name,
          mime: 'text/plain',
          size: 1,
          url: `/uploads/${name}`,
          provider: 'local',
          folderPath: '/1',
        });
      const [one, two] = [await file('one'), await file('two')];
      full = await seeder.create('api::article.article', {
        title: 'Full',
        author: ids['Ann'],
        tags: [ids['green'], ids['red'], ids['blue']],
        related: [ids['Gamma'], ids['Alpha']],
        cover: one,
        gallery: [two, one],
        seo: { metaTitle: 'm', image: two },
        links: [{ label: 'L2', target: ids['Beta'] }, { label: 'L1' }],
        zone: [
          { __component: 'blocks.quote', text: 'hi', by: ids['Ann'] },
          {
            __component: 'blocks.hero',
            title: 'big',
            picture: one,
            buttons: [{ label: 'b1', target: ids['Alpha'] }, { label: 'b2' }],
          },
          { __component: 'blocks.quote', text: 'bye' },
        ],
      });
    });
    after(() => library?.stop());

    for (const [query, key, path] of INVALID) {
      it(`refuses ${query}`, async () => {
        const { status, body } = await read(`/api/articles?${query}`);
        const { hint: _, ...details } = body.error?.details ?? {};
        deepStrictEqual([status, details], [400, { key, path, source: 'query', param: 'populate' }]);
      });
    }

    for (const query of [
      'populate[author]',
      'populate[zone][fields]=id',
      'populate[author][filters]=x',
      'populate[author][filters][age]=x',
    ]) {
      it(`refuses ${query}`, async () => strictEqual((await read(`/api/articles?${query}`)).status, 400));
    }

    it('goes by the named keys where a list is mixed in', async () => {
      const keys = async (query: string) => Object.keys(await populated(query));
      deepStrictEqual(await keys('populate[0]=author&populate[tags][fields][0]=name'), ['tags']);
      deepStrictEqual(await keys('populate[]=author&populate[tags]=true&populate[seo]=true'), ['tags', 'seo']);
      deepStrictEqual(await keys('populate[tags]=true&populate[7]=nope'), ['tags']);
      deepStrictEqual(await keys('populate[0]=*&populate[author][populate]=articles'), ['author']);
      deepStrictEqual(await keys('populate[0]=author&populate[zone][on][blocks.hero][populate][0]=buttons'), ['zone']);
      const { author } = await populated(
        'populate[author][populate][0]=articles&populate[author][populate][country]=1',
      );
      strictEqual(author.country.code, 'FR');
      strictEqual('articles' in author, false);
      const own = await populated('populate[author][0]=articles&populate[author][fields]=name');
      deepStrictEqual(Object.keys(own.author), ['id', 'documentId', 'name']);
      const { status, body } = await read('/api/articles?populate[0]=author&populate[nope]=true');
      deepStrictEqual([status, body.error.message], [400, 'Invalid key nope']);
    });

    it('populates nothing for an empty list, as @strapi/client sends it', async () => {
      deepStrictEqual(await populated('populate[]'), {});
      const { author } = await populated('populate[author][fields][]&populate[author][populate][]');
      deepStrictEqual(Object.keys(author), ['id', 'documentId']);
      deepStrictEqual(names((await populated('populate[tags][filters]=&populate[tags][sort][]')).tags).length, 3);
    });

    it('refuses forms that are mixed under one name', async () => {
      const list = await read('/api/articles?populate=author&populate[tags]=true');
      match(list.body.error.message, /^Invalid populate parameter/);
      const nested = await read('/api/articles?populate[author]=true&populate[author][count]=true');
      match(nested.body.error.message, /^Invalid nested populate/);
    });

    for (const [name, populate] of [
      ['lists', 'populate[author][populate][articles][populate]=tags'],
      ['lists in lists', 'populate[author][populate][articles][populate][tags][populate][articles][fields]=title'],
      ['filters', 'populate[author][filters][age][$gt]=20&populate[author][populate]=articles'],
      ['itself', 'populate[author][populate][articles][populate][author][populate]=articles'],
      ['components', 'populate[author][populate]=articles&populate[zone][populate]=*&populate[links][populate]=*'],
    ] as const) {
      it(`shows each row of a page with the related row with ${name} that it has in a read of its own`, async () => {
        for (const page of [
          'sort=title',
          'sort=title&pagination[withCount]=false',
          'sort=author.name:desc,title',
          'filters[tags][name][$in][0]=green&filters[tags][name][$in][1]=blue&sort=title',
          'sort=title:desc&pagination[cursor]=',
          'sort=title&pagination[limit]=101',
        ]) {
          const { body, text } = await read(`/api/articles?${page}&${populate}`);
          ok(body.data?.length > 2, text);
          for (const row of body.data)
            deepStrictEqual(row, (await read(`/api/articles/${row.documentId}?${populate}`)).body.data);
        }
      });
    }

    it('populates nothing for an empty value and for a missing one', async () => {
      deepStrictEqual(await populated('populate='), {});
      deepStrictEqual(await populated('populate'), {});
      deepStrictEqual(await populated('populate[author]=false&populate[tags]=0'), {});
    });

    it('shows null for an empty to-one relation and a list for an empty to-many relation', async () => {
      const { body } = await read(`/api/articles/${library.ids['Delta']}?fields=title&populate=*`);
      const { id: _, documentId: __, ...rest } = body.data;
      deepStrictEqual(rest, {
        title: 'Delta',
        cover: null,
        gallery: [],
        author: null,
        tags: [],
        related: [],
        seo: null,
        links: [],
        zone: [],
        localizations: [],
      });
    });

    it('shows related documents in connection order, or sorted', async () => {
      deepStrictEqual(names((await populated('populate=tags')).tags), ['green', 'red', 'blue']);
      deepStrictEqual(names((await populated('populate[tags][sort]=weight:desc')).tags), ['red', 'blue', 'green']);
      deepStrictEqual(names((await populated('populate[tags][sort]=name')).tags), ['blue', 'green', 'red']);
    });

    it('narrows related rows by filters and never the document', async () => {
      deepStrictEqual(names((await populated('populate[tags][filters][weight][$gt]=1')).tags), ['red', 'blue']);
      deepStrictEqual(await populated('populate[author][filters][name]=nobody'), { author: null });
    });

    it('filters related rows through their own relations', async () => {
      const { tags } = await populated('populate[tags][filters][articles][title]=Alpha&populate[tags][fields]=name');
      deepStrictEqual(names(tags), ['green', 'red']);
    });

    it('sorts related rows through their own relations', async () => {
      const { related } = await populated('populate[related][sort]=views&populate[related][fields]=title');
      deepStrictEqual(
        related.map((article: { title: string }) => article.title),
        ['Alpha', 'Gamma'],
      );
    });

    it('counts related rows that match the filters', async () => {
      deepStrictEqual(await populated('populate[tags][count]=true'), { tags: { count: 3 } });
      deepStrictEqual(await populated('populate[tags][count]=1&populate[tags][filters][name]=red'), {
        tags: { count: 1 },
      });
      deepStrictEqual(await populated('populate[author][count]=true&populate[links][count]=t'), {
        author: { count: 1 },
        links: { count: 2 },
      });
      deepStrictEqual(names((await populated('populate[tags][count]=false')).tags), ['green', 'red', 'blue']);
    });

    it('takes a star for the fields of a related row', async () => {
      const { author } = await populated('populate[author][fields]=*');
      deepStrictEqual(Object.keys(author), [
        'id',
        'documentId',
        'name',
        'email',
        'bio',
        'age',
        'createdAt',
        'updatedAt',
        'publishedAt',
      ]);
      deepStrictEqual(
        author,
        (await populated('populate[author][fields][0]=name&populate[author][fields][1]=*')).author,
      );
    });

    it('takes a star as the value of one name', async () => {
      deepStrictEqual(await populated('populate[author]=*'), await populated('populate=author'));
    });

    it('reads the forms of a path alike', async () => {
      const forms = [
        'populate=author.country,tags',
        'populate=tags, author,author.country,,tags',
        'populate[0]=author.country&populate[1]=tags',
        'populate=author.country&populate=tags',
        'populate[author][populate]=country&populate[tags]=true',
        'populate[author][populate][0]=country&populate[tags]=1',
        'populate[author][populate][country]=t&populate[tags][populate]=',
      ];
      const [first, ...others] = await Promise.all(forms.map((form) => populated(form)));
      strictEqual(first.author.country.name, 'France');
      for (const other of others) deepStrictEqual(other, first);
    });

    it('populates one level by a star below a name', async () => {
      const { author } = await populated('populate[author][populate]=*');
      strictEqual(author.country.code, 'FR');
      strictEqual(author.profile.handle, '@ann');
      strictEqual('author' in author.profile, false);
    });

    it('follows circles to the requested depth', async () => {
      const { author } = await populated('populate=author.articles.author.articles.author.articles');
      strictEqual(author.articles[0].author.articles[0].author.articles[0].author, undefined);
      strictEqual(author.articles[0].author.articles[0].author.articles.length, 3);
    });

    it('shows components with an id and no documentId, in their order', async () => {
      const { seo, links } = await populated('populate=seo.image,links.target');
      deepStrictEqual(Object.keys(seo), ['id', 'metaTitle', 'metaDescription', 'image']);
      strictEqual(seo.image.name, 'two');
      deepStrictEqual(
        links.map((link: { label: string }) => link.label),
        ['L2', 'L1'],
      );
      deepStrictEqual(
        links.map((link: { target: { title: string } | null }) => link.target?.title),
        ['Beta', undefined],
      );
    });

    it('filters and sorts repeatable components', async () => {
      const { links } = await populated('populate[links][filters][label]=L1&populate[links][fields]=label');
      deepStrictEqual(
        links.map((link: { label: string }) => link.label),
        ['L1'],
      );
      const sorted = await populated('populate[links][sort]=label');
      deepStrictEqual(
        sorted.links.map((link: { label: string }) => link.label),
        ['L1', 'L2'],
      );
    });

    it('shows a zone with the scalars of its components, __component last', async () => {
      const { zone } = await populated('populate=zone');
      deepStrictEqual(
        zone.map((entry: object) => Object.keys(entry)),
        [
          ['id', 'text', '__component'],
          ['id', 'title', '__component'],
          ['id', 'text', '__component'],
        ],
      );
    });

    it('goes through a zone by a star, a dot path, or fragments', async () => {
      const star = (await populated('populate[zone][populate]=*')).zone;
      deepStrictEqual(
        [star[0].by.name, star[1].picture.name, star[1].buttons.length, star[2].by],
        ['Ann', 'one', 2, null],
      );
      const dots = (await populated('populate=zone.by.country,zone.buttons.target')).zone;
      deepStrictEqual(
        [dots[0].by.country.code, dots[1].buttons[0].target.title, dots[1].buttons[1].target],
        ['FR', 'Alpha', null],
      );
      const some = (
        await populated(
          'populate[zone][on][blocks.quote][fields]=text&populate[zone][on][blocks.quote][filters][text]=bye',
        )
      ).zone;
      deepStrictEqual(
        some.map(({ text }: { text: string }) => text),
        ['bye'],
      );
      const deep = 'populate[zone][on][blocks.hero][populate][buttons][populate][target][populate]=author';
      strictEqual((await populated(deep)).zone[0].buttons[0].target.author.name, 'Ann');
    });

    it('populates nothing for a component that the zone does not list', async () => {
      deepStrictEqual(await populated('populate[zone][on][shared.slot]=true'), { zone: [] });
      deepStrictEqual(await populated('populate[zone][on][blocks.hero]=false'), { zone: [] });
    });

    it('shows files in their order without folder', async () => {
      const { cover, gallery } = await populated('populate=cover,gallery');
      deepStrictEqual(names(gallery), ['two', 'one']);
      deepStrictEqual(
        [cover.name, 'folderPath' in cover, 'folder' in cover, 'isUrlSigned' in cover],
        ['one', false, false, false],
      );
      deepStrictEqual(await populated('populate[gallery][filters][name]=one&populate[gallery][count]=true'), {
        gallery: { count: 1 },
      });
    });

    it('shows the owners of a file with their types, in the status of the request', async () => {
      const { cover } = await populated('populate[cover][populate]=related');
      const published = cover.related.filter((owner: { documentId?: string }) => owner.documentId === full);
      deepStrictEqual(
        published.map((owner: { __type: string }) => owner.__type),
        ['api::article.article', 'api::article.article'],
      );
      for (const owner of published) strictEqual(typeof owner.publishedAt, 'string');
      const { body } = await read(`/api/articles/${full}?status=draft&populate[cover][populate]=related`);
      for (const owner of body.data.cover.related) {
        if (owner.__type === 'api::article.article') strictEqual(owner.publishedAt, null);
      }
    });

    it('omits types that a caller may not find, in every place', async () => {
      deepStrictEqual(await populated('populate=author,cover', 'custom').then(Object.keys), ['cover']);
      deepStrictEqual(await populated('populate=author.country', 'custom'), {});
      deepStrictEqual(await populated('populate=author.profile,related.author', 'custom'), {});
      const { related } = await populated('populate[related][populate]=author,related', 'custom');
      deepStrictEqual([related.length, 'author' in related[0], related[0].related], [2, false, []]);
      const { zone } = await populated('populate=zone.by', 'custom');
      deepStrictEqual(Object.keys(zone[0]), ['id', 'text', '__component']);
      deepStrictEqual(Object.keys(await populated('populate=*', 'custom')), [
        'cover',
        'gallery',
        'related',
        'seo',
        'links',
        'zone',
        'localizations',
      ]);
    });

    it('reports mistakes even below types that a caller may not find', async () => {
      match((await read('/api/articles?populate=author.nope', 'custom')).text, /Invalid key nope at author.nope/);
      strictEqual((await read('/api/articles?populate[author][fields]=nope', 'custom')).status, 400);
    });
  });
}
