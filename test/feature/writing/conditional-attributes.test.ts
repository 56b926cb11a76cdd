/** Attributes with `conditions.visible`: hidden values are stored, and not validated (docs/reference/schemas.md). */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const when = (condition: object) => ({ conditions: { visible: condition } });
const is = (name: string, value: unknown) => when({ '==': [{ var: name }, value] });
const drafts = { options: { draftAndPublish: true } };
const go = { type: 'component', component: 'shared.go' };

const attributes = {
  open: { type: 'boolean' },
  kind: { type: 'enumeration', enum: ['page', 'external'], default: 'page' },
  count: { type: 'integer' },
  meta: { type: 'json' },
  name: { type: 'string', required: true, minLength: 3, ...is('open', true) },
  short: { type: 'string', maxLength: 5, ...is('open', true) },
  few: { type: 'integer', min: 2, max: 4, ...is('open', true) },
  choice: { type: 'enumeration', enum: ['a'], ...is('open', true) },
  code: { type: 'string', unique: true, ...is('open', true) },
  mail: { type: 'email', ...is('open', true) },
  url: { type: 'string', required: true, regex: '^https:', ...is('kind', 'external') },
  many: { type: 'string', required: true, ...when({ '>': [{ var: 'count' }, 3] }) },
  flagged: { type: 'string', required: true, ...when({ '!!': [{ var: 'meta.flag' }] }) },
  list: { ...go, repeatable: true, required: true, min: 2, ...is('open', true) },
  single: { ...go, ...is('open', true) },
  goes: { ...go, repeatable: true },
  deep: { type: 'component', component: 'shared.deep' },
  zone: { type: 'dynamiczone', components: ['shared.go'] },
  summary: {
    type: 'string',
    required: true,
    ...when({ some: [{ var: 'goes' }, { '==': [{ var: 'kind' }, 'external'] }] }),
  },
  at: { type: 'datetime' },
  later: { type: 'string', required: true, ...when({ '>=': [{ var: 'at' }, '2030-01-01T00:00:00.000Z'] }) },
  big: { type: 'biginteger' },
  bigger: { type: 'string', required: true, ...when({ '===': [{ var: 'big' }, '9007199254740993'] }) },
  price: { type: 'decimal' },
  dear: { type: 'string', required: true, ...when({ '===': [{ var: 'price' }, 9.5] }) },
  off: { type: 'string', required: true, ...when({ '===': [{ var: 'open' }, false] }) },
  tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag' },
  tagNote: { type: 'string', required: true, ...when({ '!!': [{ var: 'tag' }] }) },
};
const localized = { pluginOptions: { i18n: { localized: true } } };
const PROJECT = {
  contentTypes: {
    page: contentType('page', attributes, drafts),
    note: contentType('note', attributes),
    local: contentType(
      'local',
      {
        kind: { type: 'string' },
        title: { type: 'string', ...localized },
        url: { type: 'string', required: true, ...localized, ...is('kind', 'external') },
      },
      localized,
    ),
    need: contentType('need', {
      linked: { type: 'boolean' },
      tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag', required: true, ...is('linked', true) },
    }),
    unique: contentType('unique', {
      kind: { type: 'string' },
      ...Object.fromEntries(
        Object.entries({ text: 'string', number: 'integer', big: 'biginteger', day: 'date', at: 'datetime' }).map(
          ([name, type]) => [name, { type, unique: true, ...is('kind', 'a') }],
        ),
      ),
    }),
    tag: contentType('tag', { name: { type: 'string' } }),
  },
  components: {
    'shared.go': {
      collectionName: 'components_gos',
      attributes: {
        kind: { type: 'enumeration', enum: ['page', 'external'] },
        href: { type: 'string', required: true, ...is('kind', 'external') },
        page: { type: 'string', required: true, ...when({ '!=': [{ var: 'kind' }, 'external'] }) },
      },
    },
    'shared.deep': {
      collectionName: 'components_deeps',
      attributes: { inner: { ...go, repeatable: true } },
    },
  },
  files: { 'config/api.json': { documents: { strictRelations: true } } },
};

for (const engine of engines) {
  describe(`attributes with conditions on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    const call = (method: string, target: string, body?: unknown): Promise<Answer> =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        ...(body === undefined ? {} : { body }),
      });
    const post = (type: string, data: object, query = '') => call('POST', `/${type}${query}`, { data });
    /** Paths of what an answer refuses. */
    const refused = ({ status, body, text }: Answer): string[] => {
      strictEqual(status, 400, text.slice(0, 500));
      return body.error.details.errors.map(({ path }: { path: string[] }) => path.join('.'));
    };
    const taken = (answer: Answer) => {
      strictEqual(answer.status, 200, answer.text.slice(0, 500));
      return answer.body.data;
    };

    for (const type of ['pages', 'notes']) {
      it(`are not validated while they are hidden, and stored, in ${type}`, async () => {
        const hidden = {
          name: 'x',
          short: 'too long',
          few: 9,
          choice: 'b',
          mail: 'none',
          single: { kind: 'external' },
        };
        const made = taken(await post(type, { open: false, off: 'x', ...hidden }, '?populate=*'));
        const { kind: _, ...stored } = hidden as Record<string, unknown>;
        for (const [name, value] of Object.entries(stored)) {
          if (name !== 'single') strictEqual(made[name], value, name);
        }
        strictEqual(made.single.kind, 'external');
      });

      it(`are validated while they are shown, in ${type}`, async () => {
        const wrong = {
          name: 'x',
          short: 'too long',
          few: 9,
          choice: 'b',
          mail: 'none',
          list: [{ kind: 'page', page: 'a' }],
        };
        const told = refused(await post(type, { open: true, ...wrong })).sort();
        // a draft is written before it is published, with rules of its own
        const [draft, published] = [
          ['choice', 'few', 'short'],
          ['list', 'mail', 'name'],
        ];
        deepStrictEqual(told, type === 'pages' ? draft : [...draft!, ...published!].sort());
        const { name, mail, list } = wrong;
        deepStrictEqual(refused(await post(type, { open: true, name, mail, list })).sort(), published);
      });

      it(`are shown by defaults, numbers, JSON, relations and lists of components, in ${type}`, async () => {
        deepStrictEqual(refused(await post(type, { kind: 'external' })), ['url']);
        deepStrictEqual(refused(await post(type, { kind: 'external', url: 'ftp:x' })), ['url']);
        taken(await post(type, { url: 'ftp:x' }));
        deepStrictEqual(refused(await post(type, { count: '4' })), ['many']);
        taken(await post(type, { count: 3 }));
        deepStrictEqual(refused(await post(type, { meta: { flag: 1 } })), ['flagged']);
        taken(await post(type, { meta: { flag: 0 } }));
        const goes = [{ kind: 'external', href: 'https://example.com' }];
        deepStrictEqual(refused(await post(type, { goes })), ['summary']);
        taken(await post(type, { goes, summary: 'out' }));
        const tag = taken(await post('tags', {})).documentId;
        deepStrictEqual(refused(await post(type, { tag })), ['tagNote']);
        taken(await post(type, { tag, tagNote: 'why' }));
      });

      it(`are hidden in components by sibling values, in ${type}`, async () => {
        const parts = [{ kind: 'page', page: 'a' }, { kind: 'external', href: 'b' }, { kind: 'external' }, {}];
        const paths = (at: string) => [`${at}.2.href`, `${at}.3.page`];
        deepStrictEqual(refused(await post(type, { summary: 's', goes: parts })), paths('goes'));
        deepStrictEqual(refused(await post(type, { deep: { inner: parts } })), paths('deep.inner'));
        const zone = parts.map((part) => ({ __component: 'shared.go', ...part }));
        deepStrictEqual(refused(await post(type, { zone })), paths('zone'));
        taken(await post(type, { open: false, off: 'x', list: [{ kind: 'external' }] }));
      });

      it(`may have values that others have while they are hidden, in ${type}`, async () => {
        const list = [{ page: 'a' }, { page: 'b' }];
        taken(await post(type, { open: true, name: 'one', code: `${type}1`, list }));
        taken(await post(type, { open: false, off: 'x', code: `${type}1` }));
        deepStrictEqual(refused(await post(type, { open: true, name: 'two', code: `${type}1`, list })), ['code']);
      });

      it(`are shown by stored values that an update does not mention, in ${type}`, async () => {
        const list = [{ page: 'a' }, { page: 'b' }];
        const shown = taken(await post(type, { open: true, name: 'one', list })).documentId;
        deepStrictEqual(refused(await call('PUT', `/${type}/${shown}`, { data: { name: 'x' } })), ['name']);
        deepStrictEqual(refused(await call('PUT', `/${type}/${shown}`, { data: { name: null } })), ['name']);
        taken(await call('PUT', `/${type}/${shown}`, { data: { name: 'x', open: false, off: 'x' } }));
        const again = await call('PUT', `/${type}/${shown}`, { data: { name: 'y' } });
        strictEqual(taken(again).name, 'y');

        const made = taken(
          await post(type, { summary: 's', goes: [{ kind: 'external', href: 'a' }] }, '?populate=goes'),
        );
        const [first] = made.goes;
        const draft = type === 'pages' ? '&status=draft' : '';
        const { id } = (await call('GET', `/${type}/${made.documentId}?populate=goes${draft}`)).body.data.goes[0];
        strictEqual(first.kind, 'external');
        const put = (entry: object) =>
          call('PUT', `/${type}/${made.documentId}`, { data: { goes: [{ id, ...entry }] } });
        deepStrictEqual(refused(await put({ href: null })), ['goes.0.href']);
        taken(await put({ page: null }));
        // the stored value of an attribute that an update makes visible is validated
        deepStrictEqual(refused(await put({ kind: 'page' })), ['goes.0.page']);
        taken(await put({ kind: 'page', page: 'a' }));
      });
    }

    it('are validated with their stored values when an update makes them visible', async () => {
      const list = [{ page: 'a' }, { page: 'b' }];
      taken(await post('notes', { open: true, name: 'first', code: 'shown', list }));
      const wrong = { name: 'x', short: 'too long', few: 9, choice: 'b', mail: 'none', code: 'shown' };
      const deep = { single: { kind: 'external' }, list: [{ kind: 'external' }] };
      const hidden = taken(await post('notes', { open: false, off: 'x', ...wrong, ...deep }, '?populate=*'));
      const put = (data: object) => call('PUT', `/notes/${hidden.documentId}?populate=*`, { data });
      const shown = await put({ open: true });
      deepStrictEqual(refused(shown).sort(), [
        'choice',
        'few',
        'list',
        'list.0.href',
        'mail',
        'name',
        'short',
        'single.href',
      ]);
      // values that the request does not contain are not part of its refusal
      strictEqual(/too long"|"x"|none/.test(shown.text), false, shown.text);
      strictEqual((await call('GET', `/notes/${hidden.documentId}`)).body.data.open, false);
      const right = { name: 'one', short: 'a', few: 3, choice: 'a', mail: null };
      const id = hidden.list[0].id;
      const merged = { ...right, list: [{ id }, { page: 'b' }], single: { id: hidden.single.id, href: 'a' } };
      deepStrictEqual(refused(await put({ open: true, ...merged })), ['list.0.href']);
      const whole = { ...merged, list: [{ id, href: 'a' }, { page: 'b' }] };
      deepStrictEqual(refused(await put({ open: true, ...whole })), ['code']);
      taken(await put(whole));
      deepStrictEqual(refused(await put({ open: true })), ['code']);
      taken(await put({ code: 'own' }));
      const all = taken(await put({ open: true }));
      deepStrictEqual([all.code, all.name, all.single.href], ['own', 'one', 'a']);
      // visible already: the update answers for what it mentions
      taken(await put({ open: true, count: 1 }));
    });

    it('have unique values of every kind once they are visible', async () => {
      const values = {
        text: 'a',
        number: 5,
        big: '9007199254740993',
        day: '2030-01-02',
        at: '2030-01-02T03:04:05.000Z',
      };
      taken(await post('uniques', { kind: 'a', ...values }));
      const { documentId } = taken(await post('uniques', { kind: 'b', ...values }));
      const put = (data: object) => call('PUT', `/uniques/${documentId}`, { data });
      deepStrictEqual(refused(await put({ kind: 'a' })).sort(), Object.keys(values).sort());
      deepStrictEqual(refused(await put({ kind: 'a', text: 'b', number: 6, big: '1', day: null })), ['at']);
      taken(await put({ kind: 'c' }));
      taken(await put({ kind: 'a', text: 'b', number: 6, big: '1', day: '2031-01-02', at: null }));
      taken(await put({ kind: 'a' }));
    });

    it('are compared with those of other documents when a document is cloned', async () => {
      const documents = server.app.documents('api::unique.unique');
      const data = { kind: 'a', at: '2032-01-02T03:04:05.000Z' };
      const { documentId } = await documents.create({ data: data as never });
      await rejects(documents.clone({ documentId }), /must be unique/);
      await documents.clone({ documentId, data: { kind: 'b' } as never });
    });

    it('are validated by the published values, not by the values written in the same request', async () => {
      const { documentId } = taken(await post('pages', { open: true, list: [] }, '?status=draft'));
      const publish = () => call('POST', `/pages/${documentId}/actions/publish`);
      deepStrictEqual(refused(await publish()).sort(), ['list', 'name']);
      const batch = (data: object) =>
        call('POST', '/pages/actions/batch', { operations: [{ action: 'update', documentId, data }] });
      deepStrictEqual((await batch({ name: 'x' })).status, 400);
      strictEqual((await batch({ open: false, off: 'x', name: 'x' })).status, 200);
      strictEqual((await publish()).status, 200);
      const page = server.app.documents('api::page.page');
      await rejects(page.create({ data: { open: true } as never, status: 'published' }), /2 errors|must be defined/);
      const made = await page.create({ data: { open: false, off: 'x' } as never, status: 'published' });
      await page.update({ documentId: made.documentId, data: { open: true } as never });
      await rejects(page.publish({ documentId: made.documentId }), /2 errors|must be defined/);
    });

    it('are shown by stored values of every type as by those of a request', async () => {
      const tag = taken(await post('tags', {})).documentId;
      const data = {
        open: false,
        count: 4,
        meta: { flag: true },
        at: '2031-05-06T07:08:09Z',
        big: '9007199254740993',
        price: 9.5,
        goes: [{ kind: 'external', href: 'x' }],
        tag,
      };
      const shown = ['bigger', 'dear', 'flagged', 'later', 'many', 'off', 'summary', 'tagNote'];
      deepStrictEqual(refused(await post('notes', data)).sort(), shown);
      const { documentId } = taken(await post('pages', data, '?status=draft'));
      deepStrictEqual(refused(await call('POST', `/pages/${documentId}/actions/publish`)).sort(), shown);
    });

    it('are shown by attributes that a version shares with others', async () => {
      const french = async (kind: string): Promise<Answer> => {
        const { documentId } = taken(await post('locals', { kind, url: 'here' }));
        return call('PUT', `/locals/${documentId}?locale=fr`, { data: { title: 'un' } });
      };
      deepStrictEqual(refused(await french('external')), ['url']);
      strictEqual(taken(await french('page')).locale, 'fr');
    });

    it('need no link while they are hidden', async () => {
      const tag = taken(await post('tags', {})).documentId;
      deepStrictEqual(refused(await post('needs', { linked: true })), ['tag']);
      const { documentId } = taken(await post('needs', { linked: true, tag }));
      const put = (data: object) => call('PUT', `/needs/${documentId}`, { data });
      deepStrictEqual(refused(await put({ tag: { disconnect: [tag] } })), ['tag']);
      taken(await put({ linked: false }));
      taken(await put({ tag: { disconnect: [tag] } }));
      for (const edit of [{}, { tag: {} }, { tag: { connect: [] } }, { tag: { disconnect: [tag] } }, { tag: null }]) {
        deepStrictEqual(refused(await put({ linked: true, ...edit })), ['tag'], JSON.stringify(edit));
      }
      taken(await put({ linked: true, tag: { connect: [tag] } }));
      taken(await post('needs', {}));
    });

    it('are refused for values that no column holds, also while they are hidden', async () => {
      for (const [data, path] of [
        [{ name: 'x'.repeat(256) }, 'name'],
        [{ name: 5 }, 'name'],
        [{ few: 2 ** 40 }, 'few'],
        [{ list: 'x' }, 'list'],
        [{ list: [{ kind: 'zzz' }, 5] }, 'list.1'],
      ] as const) {
        for (const type of ['pages', 'notes']) deepStrictEqual(refused(await post(type, data)), [path]);
      }
    });

    it('are hidden by no member of a value that a caller sends', async () => {
      const meta = { toString: 1, valueOf: 2, flag: { toString: 5 } };
      deepStrictEqual(refused(await post('pages', { meta })), ['flagged']);
      taken(await post('pages', { meta: { __proto__: null, constructor: 1 } }));
      strictEqual((await post('pages', { kind: { toString: 1 } })).status, 400);
    });

    it('are described with their conditions', async () => {
      const { body } = await call('GET', '/openapi.json');
      const { url } = body.components.schemas.PageInput.properties;
      match(url.description, /^Validated where \{"==":\[\{"var":"kind"\},"external"\]\}$/);
    });
  });
}
