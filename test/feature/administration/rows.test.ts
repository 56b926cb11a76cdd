/** Documents as rows: exports of lists and imports of files, over HTTP and at the command line. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { findImport, type StoredImport } from '../../../src/rows/imports.ts';
import type { Begun } from '../../../src/rows/row-imports.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { formOf } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const NOTE = 'api::note.note';
const AUTHOR = 'api::author.author';
const TAG = 'api::tag.tag';
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  author: contentType('author', {
    name: { type: 'string', unique: true },
    number: { type: 'integer', unique: true },
    secret: { type: 'string', private: true },
  }),
  tag: contentType('tag', { name: { type: 'string', required: true, unique: true } }),
  note: contentType(
    'note',
    {
      title: { type: 'string', required: true, maxLength: 40, ...localized },
      slug: { type: 'uid', ...localized },
      price: { type: 'decimal' },
      count: { type: 'integer' },
      isOpen: { type: 'boolean' },
      day: { type: 'date' },
      at: { type: 'datetime' },
      kind: { type: 'enumeration', enum: ['a', 'b'] },
      meta: { type: 'json' },
      hash: { type: 'password' },
      seo: { type: 'component', component: 'shared.seo', ...localized },
      author: { type: 'relation', relation: 'manyToOne', target: AUTHOR },
      tags: { type: 'relation', relation: 'manyToMany', target: TAG },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  list: contentType(
    'list',
    {
      title: { type: 'string' },
      seos: { type: 'component', component: 'shared.seo', repeatable: true, required: true },
      zone: { type: 'dynamiczone', components: ['shared.seo'], required: true },
    },
    { options: { draftAndPublish: true } },
  ),
};
const LIST = 'api::list.list';
const components = {
  'shared.seo': {
    collectionName: 'components_shared_seos',
    attributes: {
      label: { type: 'string' },
      by: { type: 'relation', relation: 'oneToOne', target: AUTHOR },
    },
  },
};
/** Refuses rows with a title, and changes the titles of others. */
const CODE = `const { errors } = require('@strapi/utils');
module.exports = { register({ strapi }) {
  strapi.documents.use((context, next) => {
    const { data } = context.params;
    if (data?.title === 'refused') throw new errors.ApplicationError('not this one');
    if (context.action === 'create' && data?.title) data.title += '!';
    return next();
  });
} };`;

for (const engine of engines) {
  describe(`rows on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let ned: Browser;
    let [ann, ben] = ['', ''];

    const documents = (uid: string) => server.app.documents(uid);
    const create = async (uid: string, data: object, more: object = {}): Promise<string> =>
      String((await documents(uid).create({ data: data as Any, ...more } as Any)).documentId);
    const administrator = async (name: string, role: string): Promise<Browser> => {
      await makeAdministrator(server, name, role);
      const browser = new Browser(server);
      await browser.signIn(name);
      return browser;
    };
    const galley = async (...args: string[]) => {
      const [lines, warnings]: [string[], string[]] = [[], []];
      const code = await runCommandLine([...args, server.app.config.dir], {
        env: { ...server.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' },
        print: (line) => void lines.push(line),
        warn: (line) => void warnings.push(line),
      });
      return { code, text: lines.join('\n'), warnings: warnings.join('\n') };
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, components }));
      sue = await administrator('sue', 'strapi-super-admin');
      const fields = ['title', 'slug', 'count', 'tags'];
      await makeRole(server, 'narrow', [
        { operation: 'read', subject: NOTE, properties: { fields: [...fields, 'day'], locales: ['en'] } },
        { operation: 'create', subject: NOTE, properties: { fields, locales: ['en'] } },
        { operation: 'update', subject: NOTE, properties: { fields, locales: ['en'] } },
        { operation: 'delete', subject: NOTE, properties: { locales: ['en'] } },
        { operation: 'read', subject: TAG, properties: { fields: ['name'] } },
      ]);
      ned = await administrator('ned', 'narrow');
      ann = await create(AUTHOR, { name: 'Ann', number: 7, secret: 's' });
      ben = await create(AUTHOR, { name: '=Ben|1' });
      for (const name of ['red', 'blue']) await create(TAG, { name });
    });
    after(() => server?.stop());

    describe('exports', () => {
      let [first, second] = ['', ''];
      before(async () => {
        const tags = (await documents(TAG).findMany({ sort: 'id' } as Any)) as Any[];
        const whole = {
          ...{ title: '=1+1, "quoted"', slug: 'one', price: 1.5, count: -3, isOpen: true, day: '2026-11-30' },
          ...{ at: '2026-11-30T09:00:00.000Z', kind: 'a', meta: { a: [1] }, hash: 'Secret123' },
          ...{ seo: { label: 'l', by: ann }, author: ann, tags: tags.map(({ documentId }) => documentId) },
        };
        first = await create(NOTE, whole);
        second = await create(NOTE, { title: 'two', slug: 'two', author: ben });
      });
      after(async () => {
        for (const documentId of [first, second]) await documents(NOTE).delete({ documentId });
      });

      it('contain a list as it is filtered and sorted, with the chosen columns', async () => {
        const query = 'filters[slug][$in][0]=one&filters[slug][$in][1]=two&sort=slug:desc';
        const columns = 'documentId,title,price,count,author.name,tags,seo';
        const tags = (await documents(TAG).findMany({ sort: 'id' } as Any)) as Any[];
        const answer = await sue.get(`rows/${NOTE}/export?${query}&columns=${columns}`);
        strictEqual(answer.status, 200, answer.text);
        match(answer.headers.get('content-disposition')!, /^attachment; filename="note-[\d-]+\.csv"$/);
        const ids = tags.map(({ documentId }) => documentId);
        const seo = `"{""label"":""l"",""by"":""${ann}""}"`;
        strictEqual(
          answer.text,
          [
            'documentId,title,price,count,author.name,tags,seo',
            `${second},two,,,"[""=Ben|1""]",,`,
            `${first},"'=1+1, ""quoted""",1.5,-3,Ann,${ids.join(' | ')},${seo}`,
            '',
          ].join('\r\n'),
        );
      });

      it('have values as JSON, one object per line or in a list', async () => {
        const columns = 'slug,price,isOpen,meta,author,tags.name,seo';
        const row = {
          ...{ slug: 'one', price: 1.5, isOpen: true, meta: { a: [1] }, author: ann },
          ...{ 'tags.name': ['red', 'blue'], seo: { label: 'l', by: ann } },
        };
        const ask = async (format: string) =>
          (await sue.get(`rows/${NOTE}/export?sort=slug&columns=${columns}&format=${format}`)).text;
        deepStrictEqual(JSON.parse((await ask('ndjson')).split('\n')[0]!), row);
        const list = JSON.parse(await ask('json'));
        deepStrictEqual([list.length, list[0]], [2, row]);
      });

      it('take semicolons, decimal commas and a byte order mark', async () => {
        const form = 'delimiter=;&decimal=,&bom=true';
        const { text } = await sue.get(`rows/${NOTE}/export?sort=slug&columns=slug,price&${form}`);
        strictEqual(text.replace(/^\ufeff/, ''), 'slug;price\r\none;1,5\r\ntwo;\r\n');
      });

      it('show an administrator no more than the lists do, and no password to anybody', async () => {
        const usual = (await ned.get(`rows/${NOTE}/export`)).text.split('\r\n')[0]!;
        strictEqual(usual, 'documentId,locale,title,slug,count,day,tags,createdAt,updatedAt,publishedAt');
        const wrong = await ned.get(`rows/${NOTE}/export?columns=title,price`);
        deepStrictEqual([wrong.status, wrong.body.error.details.errors[0].path], [400, ['columns']]);
        strictEqual((await ned.get(`rows/${AUTHOR}/export`)).status, 403);
        ok(!(await sue.get(`rows/${NOTE}/export`)).text.includes('hash'));
        strictEqual((await sue.get(`rows/${NOTE}/export?sort=nothing`)).status, 400);
      });

      it('come from the command line as well', async () => {
        const { code, text } = await galley('rows', 'export', 'note', '--columns', 'slug', '--query', 'sort=slug:desc');
        deepStrictEqual([code, text], [0, 'slug\r\ntwo\r\none\r']);
        const wrong = await galley('rows', 'export', 'nots');
        deepStrictEqual([wrong.code, /did you mean note\?/.test(wrong.warnings)], [2, true]);
        const { body } = await sue.get('audit?action=rows.export');
        ok(body.data.some(({ actor }: Any) => actor.kind === 'command'));
      });
    });

    /** Sends a file with options. */
    const send = async (what: string, text: string | Buffer, options: object = {}, as = sue, name = 'notes.csv') => {
      const form = formOf([{ name, content: text }], { options: JSON.stringify(options) });
      const target = `rows/${NOTE}/${what}`;
      const answer = await as.send('POST', target, form);
      deepStrictEqual(breaches('POST', target, answer.status, answer.body), [], answer.text);
      return answer;
    };
    const ask = async (method: string, target: string, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, method === 'GET' ? undefined : {});
      deepStrictEqual(breaches(method, target, answer.status, answer.body), [], answer.text);
      return answer.body;
    };
    const ended = (id: number, as = sue): Promise<Any> =>
      until('the import has ended', async () => {
        const { data } = await ask('GET', `imports/${id}`, as);
        return !['running', 'undoing'].includes(data.state) && data;
      });
    const imported = async (text: string | Buffer, options: object, as = sue, name?: string): Promise<Any> => {
      const { status, body, text: said } = await send('imports', text, options, as, name);
      strictEqual(status, 201, said);
      return ended(body.data.id, as);
    };
    const undone = async (id: number, as = sue): Promise<Any> => {
      await ask('POST', `imports/${id}/undo`, as);
      return ended(id, as);
    };
    const notes = async (more: object = {}): Promise<Any[]> =>
      (await documents(NOTE).findMany({ sort: 'slug', populate: ['author', 'tags'], ...more } as Any)) as Any[];
    const lines = (...rows: string[]) => rows.join('\r\n');

    describe('imports', () => {
      it('describe a file of a spreadsheet and guess its targets', async () => {
        const text = `\ufeff${lines('Slug;Title;price;author.name;other', 'a;A;"1,5";Ann;x', 'b;B;2.000,25;Ann;y', ';;;;')}`;
        const { data } = (await send('preview', text)).body;
        deepStrictEqual(
          [data.format, data.delimiter, data.decimal, data.dates, data.rows, data.key],
          ['csv', ';', ',', 'dmy', 2, 'slug'],
        );
        deepStrictEqual(
          data.columns.map(({ name, target }: Any) => [name, target]),
          [
            ['Slug', 'slug'],
            ['Title', 'title'],
            ['price', 'price'],
            ['author.name', 'author.name'],
            ['other', null],
          ],
        );
        deepStrictEqual(data.columns[2].samples, ['1,5', '2.000,25']);
        const narrow = (await send('preview', text, {}, ned)).body.data;
        deepStrictEqual(
          narrow.columns.map(({ target }: Any) => target),
          ['slug', 'title', null, null, null],
        );
        ok(!data.targets.some(({ name }: Any) => name === 'hash'));
      });

      it('create and update documents by a key, and are undone with one request', async () => {
        const former = await create(
          NOTE,
          { title: 'before', slug: 'k1', price: 1, author: ben },
          { status: 'published' },
        );
        const text = lines(
          'slug;title;price;count;isOpen;day;at;kind;meta;author.name;tags.name;seo',
          `k1;after;"1.234,5";7;ja;24.12.2026;24.12.2026 18:30;b;"{""a"":1}";Ann;red | blue;"{""label"":""l""}"`,
          "k2;'=1+1;;;;;;;;;;",
        );
        const columns = ['slug', 'title', 'price', 'count', 'isOpen', 'day', 'at', 'kind', 'meta'];
        const all = [...columns, 'author.name', 'tags.name', 'seo'];
        const done = await imported(text, { columns: all, key: 'slug', decimal: ',' });
        deepStrictEqual(
          [done.state, done.total, done.done, done.created, done.updated, done.failed, done.undoable],
          ['done', 2, 2, 1, 1, 0, 2],
        );
        const [k1, k2] = await notes({ filters: { slug: { $startsWith: 'k' } } });
        deepStrictEqual(
          [k1.documentId, k1.title, k1.price, k1.count, k1.isOpen, k1.day, k1.at, k1.kind, k1.meta],
          [former, 'after', 1234.5, 7, true, '2026-12-24', '2026-12-24T18:30:00.000Z', 'b', { a: 1 }],
        );
        deepStrictEqual([k1.author.name, k1.tags.map(({ name }: Any) => name)], ['Ann', ['red', 'blue']]);
        deepStrictEqual([k2.title, k2.price, k2.author], ['=1+1', null, null]);
        // the published version stays, and the history names the import
        strictEqual((await notes({ filters: { slug: 'k1' }, status: 'published' }))[0].title, 'before');
        const { data } = (await sue.get(`content/${NOTE}/${former}/versions?locale=en`)).body;
        strictEqual(data[0].reason, 'imported');

        const after = await undone(done.id);
        deepStrictEqual([after.state, after.undone, after.kept, after.undoable], ['undone', 2, 0, 0]);
        const left = await notes({ filters: { slug: { $startsWith: 'k' } } });
        deepStrictEqual(
          left.map(({ title, price, author, tags, day }: Any) => [title, price, author.name, tags.length, day]),
          [['before', 1, '=Ben|1', 0, null]],
        );
        const { body } = await sue.get(`trash?documentId=${k2.documentId}`);
        strictEqual(body.data.length, 1);
        strictEqual((await sue.send('POST', `imports/${done.id}/undo`, {})).status, 400);
        await documents(NOTE).delete({ documentId: former });
      });

      it('report the mistakes of each row and column, and write the other rows', async () => {
        const text = lines(
          'slug,title,price,day,author.name,tags.name,isOpen,meta,kind',
          'm1,fine,1,2026-01-01,Ann,red,yes,,a',
          'm2,,x,31.02.2026,Zoe,"red | green",maybe,{,c',
          `m3,${'long '.repeat(10)},,,,,,,`,
          'm1,again,,,,,,,',
          ',none,,,,,,,',
          'm6,fine,,,,,,,,more',
        );
        const columns = ['slug', 'title', 'price', 'day', 'author.name', 'tags.name', 'isOpen', 'meta', 'kind'];
        const done = await imported(text, { columns, key: 'slug' });
        deepStrictEqual([done.state, done.done, done.created, done.failed], ['done', 6, 1, 5]);
        const { data } = await ask('GET', `imports/${done.id}/problems`);
        deepStrictEqual(
          data.failed.map(({ row, problems }: Any) => [row, problems.map(({ column }: Any) => column)]),
          [
            [3, [2, 3, 6, 7, 4, 5]],
            [4, [1]],
            [5, [0]],
            [6, [0]],
            [7, [null]],
          ],
        );
        const [, , third] = [0, 0, data.failed[1].problems[0]];
        deepStrictEqual([third.reason.code, third.value.slice(0, 4)], ['tooLong', 'long']);
        deepStrictEqual(data.failed[0].problems[0].reason.code, 'noNumber');
        strictEqual((await undone(done.id)).undone, 1);
      });

      it('leave out only the rows whose links or keys no attribute has as a value', async () => {
        const text = lines('title,author.number', 'u1,7', 'u2,abc', 'u3,99999999999999999999', 'u4,07', 'u5,1.5');
        const done = await imported(text, { columns: ['title', 'author.number'] });
        const { data } = await ask('GET', `imports/${done.id}/problems`);
        deepStrictEqual(
          [done.state, done.created, data.failed.map(({ row, problems }: Any) => [row, problems[0].column])],
          ['done', 2, [3, 4, 6].map((row) => [row, 1])],
        );
        strictEqual((await undone(done.id)).undone, 2);
        const keys = [1, 'abc', 1.5, { toString: 1 }, true, 1e20, '2'];
        const rows = keys.map((count) => `${JSON.stringify({ title: 'u', count })}\n`).join('');
        const byKey = await imported(rows, { columns: ['title', 'count'], key: 'count' }, sue, 'n.ndjson');
        const { failed } = (await ask('GET', `imports/${byKey.id}/problems`)).data;
        deepStrictEqual(
          [byKey.state, byKey.created, failed.map(({ row, problems }: Any) => [row, problems[0].column])],
          ['done', 2, [2, 3, 4, 5, 6].map((row) => [row, 1])],
        );
        strictEqual((await undone(byKey.id)).undone, 2);
      });

      it('find documents by a key that many others have', async () => {
        const texts = [...Array.from({ length: 101 }, () => 's,5'), 'x,6'];
        const many = await imported(lines('title,count', ...texts), { columns: ['title', 'count'] });
        strictEqual(many.created, 102);
        const byKey = await imported(lines('title,count', 'y,5', 'z,6'), { columns: ['title', 'count'], key: 'count' });
        const { failed } = (await ask('GET', `imports/${byKey.id}/problems`)).data;
        deepStrictEqual(
          [byKey.updated, failed.map(({ row, problems }: Any) => [row, problems[0].column, problems[0].reason.code])],
          [1, [[2, 1, 'keySeveral']]],
        );
        for (const { id } of [byKey, many]) strictEqual((await undone(id)).state, 'undone');
      });

      it('leave out rows of JSON with too many levels', async () => {
        const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
        const text = `{"title":"d1","meta":[[1]]}\n{"title":"d2","meta":${deep}}\n`;
        strictEqual((await send('preview', text, {}, sue, 'n.ndjson')).status, 200);
        const ofLines = await imported(text, { columns: ['title', 'meta'] }, sue, 'n.ndjson');
        deepStrictEqual([ofLines.state, ofLines.created, ofLines.failed], ['done', 1, 1]);
        const ofCells = await imported(lines('title,meta', `d3,${deep}`), { columns: ['title', 'meta'] });
        deepStrictEqual([ofCells.state, ofCells.failed], ['done', 1]);
        strictEqual((await send('preview', `[{"meta":${deep}}]`, {}, sue, 'n.json')).status, 400);
        strictEqual((await undone(ofLines.id)).undone, 1);
      });

      it('change no more than the administrator may, and no column without the right', async () => {
        const text = lines('slug,title,price', 'n1,one,5', 'n2,two,5');
        const whole = await send('imports', text, { columns: ['slug', 'title', 'price'], key: 'slug' }, ned);
        deepStrictEqual(
          [whole.status, whole.body.error.details.errors.map(({ path }: Any) => path)],
          [400, [['columns', '2']]],
        );
        const published = { columns: ['slug', 'title', null], key: 'slug', status: 'published' };
        strictEqual((await send('imports', text, published, ned)).status, 403);
        const elsewhere = { columns: ['slug', 'title', null], key: 'slug', locale: 'fr' };
        const refused = await imported(text, elsewhere, ned);
        deepStrictEqual([refused.created, refused.failed], [0, 2]);
        const done = await imported(text, { columns: ['slug', 'title', null], key: 'slug' }, ned);
        deepStrictEqual([done.created, done.failed], [2, 0]);
        strictEqual((await sue.get(`imports/${done.id}`)).status, 404);
        const [one] = await notes({ filters: { slug: 'n1' } });
        deepStrictEqual([one.title, one.price], ['one', null]);
        strictEqual((await undone(done.id, ned)).state, 'undone');
      });

      it('write nothing as a trial', async () => {
        const text = lines('slug,title', 't1,one', 't2,');
        const done = await imported(text, {
          columns: ['slug', 'title'],
          key: 'slug',
          dryRun: true,
          status: 'published',
        });
        deepStrictEqual([done.isTrial, done.created, done.failed, done.undoable], [true, 1, 1, 0]);
        const { data } = await ask('GET', `imports/${done.id}/problems`);
        deepStrictEqual([data.failed[0].row, data.failed[0].problems[0].reason.code], [3, 'required']);
        deepStrictEqual(await notes({ filters: { slug: { $startsWith: 't' } } }), []);
      });

      it('create documents without the required components and zones, as empty lists', async () => {
        const options = JSON.stringify({ columns: ['title'] });
        const form = formOf([{ name: 'lists.csv', content: lines('title', 'a') }], { options });
        const { status, body, text } = await sue.send('POST', `rows/${LIST}/imports`, form);
        strictEqual(status, 201, text);
        strictEqual((await ended(body.data.id)).created, 1);
      });

      it('publish in locales of their rows, and go back to what was published', async () => {
        const former = await create(NOTE, { title: 'en', slug: 'p1', count: 1 }, { status: 'published' });
        await documents(NOTE).update({ documentId: former, data: { title: 'draft' } } as Any);
        const text = lines(
          'documentId,locale,title,slug',
          `${former},en,new,p1`,
          `${former},fr,neuf,p1`,
          ',en,third,p3',
        );
        const columns = ['documentId', 'locale', 'title', 'slug'];
        const done = await imported(text, { columns, key: 'documentId', status: 'published' });
        deepStrictEqual([done.created, done.updated, done.failed], [1, 2, 0]);
        const titles = async (status: string, locale: string) =>
          (await notes({ filters: { slug: { $startsWith: 'p' } }, status, locale })).map(({ title }: Any) => title);
        deepStrictEqual(
          [await titles('published', 'en'), await titles('published', 'fr'), await titles('draft', 'en')],
          [['new', 'third'], ['neuf'], ['new', 'third']],
        );
        strictEqual((await undone(done.id)).state, 'undone');
        deepStrictEqual(
          [await titles('published', 'en'), await titles('published', 'fr'), await titles('draft', 'en')],
          [['en'], [], ['draft']],
        );
        await documents(NOTE).delete({ documentId: former, locale: '*' } as Any);
      });

      it('leave documents that have changed since as they are when they are undone', async () => {
        const done = await imported(lines('slug,title', 'c1,one', 'c2,two'), {
          columns: ['slug', 'title'],
          key: 'slug',
        });
        const [changed] = await notes({ filters: { slug: 'c1' } });
        await documents(NOTE).update({ documentId: changed.documentId, data: { title: 'changed' } } as Any);
        const after = await undone(done.id);
        deepStrictEqual([after.state, after.undone, after.kept], ['partlyUndone', 1, 1]);
        const { data } = await ask('GET', `imports/${done.id}/problems`);
        deepStrictEqual(data.kept, [{ row: 2, documentId: changed.documentId, reason: 'changedSince' }]);
        await documents(NOTE).delete({ documentId: changed.documentId });
      });

      it('read lines of JSON, lists, and files of other encodings', async () => {
        const rows = [
          { slug: 'j1', title: 'one', tags: ['red'], seo: { label: 'l' }, price: 1.5 },
          { slug: 'j2', title: 'two', tags: null },
        ];
        const columns = ['slug', 'title', 'tags.name', 'seo', 'price'];
        const options = { columns, key: 'slug' };
        const ofLines = await imported(
          rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
          options,
          sue,
          'n.ndjson',
        );
        deepStrictEqual([ofLines.created, ofLines.failed], [2, 0]);
        const ofList = await imported(JSON.stringify(rows), options, sue, 'n.json');
        deepStrictEqual([ofList.updated, ofList.failed], [2, 0]);
        const latin = Buffer.from(lines('slug\ttitle', 'j1\tgr\u00fcn'), 'latin1');
        const ofTabs = await imported(latin, { columns: ['slug', 'title'], key: 'slug' });
        strictEqual(ofTabs.updated, 1);
        const [j1] = await notes({ filters: { slug: 'j1' } });
        deepStrictEqual([j1.title, j1.tags.map(({ name }: Any) => name), j1.price], ['gr\u00fcn', ['red'], 1.5]);
        for (const one of [ofTabs, ofList, ofLines]) strictEqual((await undone(one.id)).state, 'undone');
        deepStrictEqual(await notes({ filters: { slug: { $startsWith: 'j' } } }), []);
      });

      it('refuse files that are none, and wrong options, before anything is written', async () => {
        const options = { columns: ['slug', 'title'], key: 'slug' };
        strictEqual((await send('imports', '', options)).status, 400);
        strictEqual((await send('imports', lines('slug,title', 'a,"open'), options)).status, 400);
        strictEqual((await send('imports', 'slug,title\na,b', { ...options, key: 'count' })).status, 400);
        strictEqual((await send('imports', 'slug,title\na,b', { ...options, locale: 'xx' })).status, 400);
        strictEqual((await send('imports', 'slug,title\na,b', { columns: ['slug', 'slug'] })).status, 400);
        strictEqual((await send('imports', 'slug,title\na,b', { unknown: 1 })).status, 400);
        strictEqual((await sue.send('POST', `rows/${NOTE}/imports`, {})).status, 400);
        strictEqual((await ned.send('POST', `rows/${AUTHOR}/imports`, {})).status, 403);
        // ned may only read tags
        const form = formOf([{ name: 'tags.csv', content: 'name\na' }], {});
        strictEqual((await ned.send('POST', `rows/${TAG}/preview`, form)).status, 403);
      });

      it('are interrupted if their process has ended, and can be undone then', async () => {
        const done = await imported(lines('slug,title', 'i1,one'), { columns: ['slug', 'title'], key: 'slug' });
        await server.app.database.transaction(async (tx) =>
          tx.rows(`update galley_imports set state = 'running', lease = 'of another' where id = ${done.id}`, []),
        );
        const { data } = await ask('GET', `rows/${NOTE}/imports`);
        deepStrictEqual([data[0].id, data[0].state, data[0].created], [done.id, 'interrupted', 1]);
        strictEqual((await undone(done.id)).state, 'undone');
      });

      it('and undoing run once at a time for a person, also when they begin at the same moment', async () => {
        const stored = [];
        for (const slug of ['o1', 'o2']) {
          const { id } = await imported(lines('slug,title', `${slug},one`), { columns: ['slug', 'title'] });
          stored.push(await findImport(server.app.database, id));
        }
        const { app } = server;
        const imports = app.rowImports(undefined);
        const type = app.catalog.contentTypes.get(NOTE)!;
        const undo = (one: StoredImport) => imports.undo(type, () => app.views.code, one, 'one person');
        const [first, second] = await Promise.allSettled(stored.map(undo));
        deepStrictEqual([first?.status, second?.status], ['fulfilled', 'rejected']);
        await (first as PromiseFulfilledResult<Begun>).value.end;
        // a beginning that is refused leaves its place
        await rejects(undo(stored[0]!), { message: 'The import has not ended, or is undone' });
        await (await undo(stored[1]!)).end;
        await imports.close();
        strictEqual((await findImport(app.database, stored[1]!.id)).state, 'undone');
      });

      it('run and are undone at the command line', async () => {
        const dir = server.app.config.dir;
        const file = path.join(dir, 'rows.csv');
        await writeFile(file, lines('slug,Heading,author.name', 'l1,one,Ann', 'l2,two,Zoe'));
        const args = ['rows', 'import', 'note', file, '--map', 'Heading=title'];
        const trial = await galley(...args, '--dry-run');
        deepStrictEqual(
          [trial.code, trial.text, trial.warnings],
          [
            1,
            '1 document would be created, 0 would be updated, 1 row left out',
            'row 3, column author.name: no document has the value Zoe',
          ],
        );
        const run = await galley(...args);
        strictEqual(run.code, 1);
        const id = /^import (\d+)$/m.exec(run.text)![1]!;
        strictEqual((await notes({ filters: { slug: 'l1' } }))[0].author.name, 'Ann');
        const back = await galley('rows', 'undo', id);
        deepStrictEqual([back.code, back.text], [0, '1 row undone, 0 left as they are']);
        strictEqual((await galley('rows', 'import', 'note', `${file}x`)).code, 2);
      });
    });

    describe('imports into a project with code', () => {
      let coded: SeededServer;
      before(async () => {
        const files = { 'package.json': {}, 'src/index.js': CODE };
        coded = await serveSeeded(engine, await makeProject({ contentTypes, components, files }));
      });
      after(() => coded?.stop());

      it('run its code once for each row, which may refuse or change it, and not as a trial', async () => {
        await makeAdministrator(coded, 'kim', 'strapi-super-admin');
        const kim = new Browser(coded);
        await kim.signIn('kim');
        const run = async (dryRun: boolean): Promise<Any> => {
          const text = lines('slug,title', 'h1,one', 'h2,refused', 'h3,three');
          const options = JSON.stringify({ columns: ['slug', 'title'], key: 'slug', dryRun });
          const form = formOf([{ name: 'notes.csv', content: text }], { options });
          const { body } = await kim.send('POST', `rows/${NOTE}/imports`, form);
          return until('the import has ended', async () => {
            const { data } = (await kim.get(`imports/${body.data.id}`)).body;
            return data.state !== 'running' && data;
          });
        };
        const trial = await run(true);
        deepStrictEqual([trial.created, trial.failed], [3, 0]);
        const done = await run(false);
        deepStrictEqual([done.state, done.created, done.failed], ['done', 2, 1]);
        const written = (await coded.app.documents(NOTE).findMany({ sort: 'slug' } as Any)) as Any[];
        deepStrictEqual(
          written.map(({ title }) => title),
          ['one!', 'three!'],
        );
        const { data } = (await kim.get(`imports/${done.id}/problems`)).body;
        deepStrictEqual([data.failed[0].row, data.failed[0].problems[0].message], [3, 'not this one']);
        await kim.send('POST', `imports/${done.id}/undo`, {});
        await until('the import is undone', async () => {
          const { data: now } = (await kim.get(`imports/${done.id}`)).body;
          return now.state === 'undone';
        });
        deepStrictEqual(await coded.app.documents(NOTE).findMany({} as Any), []);
      });
    });
  });
}
