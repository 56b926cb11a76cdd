/** Types of unusual shape: wide, morph relations, relations in columns, deep components, names that SQL has taken. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const WIDTH = 130;
const string = { type: 'string' };
const relation = (kind: string, target: string | undefined, rest: object = {}) => ({
  type: 'relation',
  relation: kind,
  ...(target === undefined ? {} : { target: `api::${target}.${target}` }),
  ...rest,
});
const wide = Object.fromEntries(Array.from({ length: WIDTH }, (_, i) => [`field${i}`, string]));
const drafts = { options: { draftAndPublish: true } };

const PROJECT: ProjectFiles = {
  contentTypes: {
    wide: contentType('wide', {
      ...wide,
      body: { type: 'json' },
      twin: relation('oneToOne', 'wide'),
      pages: relation('oneToMany', 'page'),
    }),
    page: contentType(
      'page',
      {
        title: string,
        notes: relation('morphMany', 'note', { morphBy: 'about' }),
        note: relation('morphOne', 'note', { morphBy: 'about' }),
        albums: relation('morphMany', 'album', { morphBy: 'items' }),
        nest: { type: 'component', component: 'deep.outer', repeatable: true },
      },
      drafts,
    ),
    note: contentType('note', { text: string, about: relation('morphToOne', undefined) }),
    album: contentType('album', { name: string, items: relation('morphToMany', undefined) }),
    country: contentType(
      'country',
      { name: string, cities: relation('oneToMany', 'city', { mappedBy: 'country' }) },
      {
        info: { pluralName: 'countries' },
      },
    ),
    city: contentType(
      'city',
      { name: string, country: relation('manyToOne', 'country', { inversedBy: 'cities', useJoinTable: false }) },
      {
        info: { pluralName: 'cities' },
      },
    ),
    order: contentType(
      'order',
      {
        select: string,
        from: { type: 'integer' },
        where: string,
        table: relation('manyToMany', 'order'),
        group: string,
      },
      {
        collectionName: 'order',
      },
    ),
  },
  components: {
    'deep.outer': {
      collectionName: 'components_outer',
      attributes: { name: string, inner: { type: 'component', component: 'deep.inner' } },
    },
    'deep.inner': {
      collectionName: 'components_inner',
      attributes: { name: string, leaves: { type: 'component', component: 'deep.leaf', repeatable: true } },
    },
    'deep.leaf': {
      collectionName: 'components_leaf',
      attributes: { name: string, page: relation('oneToOne', 'page') },
    },
  },
};

for (const engine of engines) {
  describe(`shapes on ${engine.name}`, () => {
    let server: SeededServer;
    const read = (target: string) => server.get(target, server.secrets['full']);
    const list = async (target: string) => {
      const { body, text } = await read(target);
      if (!body.data) throw new Error(`${target}: ${text}`);
      return body.data;
    };
    const pick = (rows: Record<string, unknown>[], key: string) => rows.map((row) => row[key]);
    let home = '';

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      const { seeder } = server;
      home = await seeder.create('api::page.page', { title: 'home' });
      const plan = await seeder.create('api::page.page', { title: 'plan' }, { status: 'draft' });
      const page = (documentId: string, rest: object = {}) => ({ __type: 'api::page.page', documentId, ...rest });
      // types without drafts link the rows of the status given
      const published = { status: 'published' };
      await seeder.create('api::note.note', { text: 'first', about: page(home, published) });
      await seeder.create('api::note.note', { text: 'second', about: page(home, published) });
      await seeder.create('api::note.note', { text: 'planned', about: page(plan, { status: 'draft' }) });
      await seeder.create('api::note.note', { text: 'loose' });
      const country = await seeder.create('api::country.country', { name: 'France' });
      for (const name of ['Paris', 'Lyon']) await seeder.create('api::city.city', { name, country });
      await seeder.create('api::city.city', { name: 'Nowhere' });
      await seeder.create('api::country.country', { name: 'Empty' });
      const both = { __type: 'api::country.country', documentId: country, field: 'other' };
      await seeder.create('api::album.album', {
        name: 'mixed',
        items: [both, page(home, { ...published, field: 'albums' })],
      });
      await seeder.create('api::album.album', { name: 'unseen', items: [page(home, published)] });
    });
    after(() => server?.stop());

    it('builds objects of more pairs than a function takes arguments', async () => {
      const values = Object.fromEntries(
        Array.from({ length: WIDTH }, (_, i) => [`field${i}`, i % 7 === 0 ? '{}"\\' : `v${i}`]),
      );
      const twin = await server.seeder.create('api::wide.wide', { ...values, body: { '}': ['}'] } });
      const id = await server.seeder.create('api::wide.wide', {
        ...values,
        twin,
        pages: [{ documentId: home, status: 'published' }],
      });
      const data = await list(`/api/wides/${id}?populate=twin.pages,pages`);
      for (const row of [data, data.twin])
        for (const [key, value] of Object.entries(values)) strictEqual(row[key], value);
      deepStrictEqual(data.twin.body, { '}': ['}'] });
      deepStrictEqual([pick(data.pages, 'title'), data.twin.pages], [['home'], []]);
      deepStrictEqual(Object.keys(data).slice(0, 4), ['id', 'documentId', 'field0', 'field1']);
      deepStrictEqual(Object.keys(data).slice(-5), ['createdAt', 'updatedAt', 'publishedAt', 'twin', 'pages']);
    });

    it('populates morphToOne with its type, and null where there is nothing', async () => {
      const notes = await list('/api/notes?populate=about');
      deepStrictEqual(
        notes.map(
          (note: { about: { __type: string; title: string } | null }) =>
            note.about && [note.about.__type, note.about.title],
        ),
        [['api::page.page', 'home'], ['api::page.page', 'home'], null, null],
      );
      const drafts = await list('/api/notes?status=draft&populate=about');
      deepStrictEqual(
        drafts.map((note: { about: { title: string } | null }) => note.about?.title),
        [undefined, undefined, 'plan', undefined],
      );
    });

    it('narrows morphToOne to the types that on names', async () => {
      const [note] = await list('/api/notes?populate[about][on][api::page.page][fields]=title');
      deepStrictEqual(Object.keys(note.about), ['id', 'documentId', 'title', '__type']);
      strictEqual((await list('/api/notes?populate[about][on][api::city.city]=true'))[0].about, null);
      const filtered = await list('/api/notes?populate[about][on][api::page.page][filters][title]=x');
      strictEqual(filtered[0].about, null);
      deepStrictEqual((await list('/api/notes?populate[about][count]=true'))[3].about, { count: 0 });
    });

    it('refuses fields right under a relation to any type', async () => {
      strictEqual((await read('/api/notes?populate[about][fields]=title')).status, 400);
      strictEqual((await read('/api/notes?populate[about][on][api::nope.nope]=true')).status, 400);
      strictEqual((await read('/api/notes?filters[about][title]=home')).status, 400);
      strictEqual((await read('/api/notes?sort=about.title')).status, 400);
    });

    it('populates morphToMany in its order', async () => {
      const [mixed] = await list('/api/albums?populate=items');
      deepStrictEqual(pick(mixed.items, '__type'), ['api::country.country', 'api::page.page']);
      const [some] = await list('/api/albums?populate[items][on][api::country.country][populate]=cities');
      deepStrictEqual(pick(some.items[0].cities, 'name'), ['Paris', 'Lyon']);
    });

    it('reads morphMany and morphOne from the other side', async () => {
      const [page] = await list('/api/pages?populate=notes,note,albums');
      deepStrictEqual(pick(page.notes, 'text'), ['first', 'second']);
      strictEqual(page.note.text, 'first');
      // rows of a morphToMany belong to the side whose name they carry
      deepStrictEqual(pick(page.albums, 'name'), ['mixed']);
      strictEqual((await list('/api/pages?filters[notes][text]=second')).length, 1);
      strictEqual((await list('/api/pages?filters[notes][text]=planned')).length, 0);
      strictEqual((await list('/api/pages?status=draft&filters[notes][text]=planned')).length, 1);
      deepStrictEqual((await list('/api/pages?populate[notes][count]=true'))[0].notes, { count: 2 });
    });

    it('excludes links to missing rows', async () => {
      const gone = await server.seeder.create('api::city.city', { name: 'Gone' });
      const album = await server.seeder.create('api::album.album', {
        name: 'a',
        items: [{ __type: 'api::city.city', documentId: gone }],
      });
      const note = await server.seeder.create('api::note.note', {
        text: 'n',
        about: { __type: 'api::city.city', documentId: gone },
      });
      strictEqual((await list(`/api/albums/${album}?populate=items`)).items.length, 1);
      await server.seeder.remove(gone);
      deepStrictEqual((await list(`/api/albums/${album}?populate=items`)).items, []);
      deepStrictEqual((await list(`/api/albums/${album}?populate[items][count]=true`)).items, { count: 0 });
      strictEqual((await list(`/api/notes/${note}?populate=about`)).about, null);
    });

    it('reads relations that are columns from both sides', async () => {
      const cities = await list('/api/cities?populate=country.cities');
      deepStrictEqual(
        cities.map((city: { country: { name: string } | null }) => city.country?.name),
        ['France', 'France', undefined],
      );
      deepStrictEqual(pick(cities[0].country.cities, 'name'), ['Paris', 'Lyon']);
      const [france, empty] = await list('/api/countries?populate[cities][sort]=name');
      deepStrictEqual([pick(france.cities, 'name'), empty.cities], [['Lyon', 'Paris'], []]);
      deepStrictEqual(pick(await list('/api/cities?filters[country][name]=France&sort=country.name,name'), 'name'), [
        'Lyon',
        'Paris',
      ]);
      deepStrictEqual(pick(await list('/api/cities?filters[country][$null]=true'), 'name'), ['Nowhere']);
      deepStrictEqual(pick(await list('/api/countries?filters[cities][$null]=true'), 'name'), ['Empty']);
    });

    it('reads components within components', async () => {
      const leaf = (name: string, page: string | null) => ({ name, page });
      const nest = [
        { name: 'o1', inner: { name: 'i1', leaves: [leaf('a', home), leaf('b', null)] } },
        { name: 'o2', inner: null },
      ];
      const id = await server.seeder.create('api::page.page', { title: 'nested', nest });
      const data = await list(`/api/pages/${id}?populate=nest.inner.leaves.page`);
      deepStrictEqual(pick(data.nest, 'name'), ['o1', 'o2']);
      deepStrictEqual(
        data.nest[0].inner.leaves.map((l: { name: string; page: { title: string } | null }) => [l.name, l.page?.title]),
        [
          ['a', 'home'],
          ['b', undefined],
        ],
      );
      strictEqual(data.nest[1].inner, null);
      deepStrictEqual(pick(await list('/api/pages?filters[nest][inner][leaves][name]=b'), 'title'), ['nested']);
      strictEqual((await list('/api/pages?sort=nest.inner.leaves.name:desc&filters[nest][$notNull]=true')).length, 1);
    });

    it('takes names that SQL has taken', async () => {
      const first = await server.seeder.create('api::order.order', { select: 'a', from: 1, where: 'x', group: 'g' });
      await server.seeder.create('api::order.order', { select: 'b', from: 2, table: [first] });
      const rows = await list(
        '/api/orders?sort=from:desc&filters[select][$in][0]=a&filters[select][$in][1]=b&populate=table&_q=b',
      );
      deepStrictEqual([rows[0].select, rows[0].from, rows[0].table[0].group], ['b', 2, 'g']);
      deepStrictEqual(pick(await list('/api/orders?filters[table][where]=x'), 'select'), ['b']);
    });
  });
}
