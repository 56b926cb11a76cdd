/** Required values that are missing, or null, in the words of Strapi 5.54. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const required = (type: string, more: object = {}) => ({ type, required: true, ...more });
const attributes = {
  string: required('string'),
  text: required('text'),
  email: required('email'),
  uid: required('uid'),
  choice: required('enumeration', { enum: ['a', 'b'] }),
  blocks: required('blocks'),
  integer: required('integer'),
  decimal: required('decimal'),
  big: required('biginteger'),
  date: required('date'),
  datetime: required('datetime'),
  boolean: required('boolean'),
  json: required('json'),
  part: required('component', { component: 'default.part' }),
};
const LISTS = {
  parts: required('component', { component: 'default.list', repeatable: true }),
  zone: required('dynamiczone', { components: ['default.list'], min: 1 }),
  hidden: required('component', {
    component: 'default.list',
    repeatable: true,
    conditions: { visible: { '==': [{ var: 'shows' }, true] } },
  }),
  shows: { type: 'boolean' },
};
const PROJECT = {
  contentTypes: {
    page: contentType('page', attributes, { options: { draftAndPublish: true } }),
    note: contentType('note', attributes),
    draft: contentType('draft', LISTS, { options: { draftAndPublish: true } }),
    row: contentType('row', LISTS),
  },
  components: {
    'default.part': {
      collectionName: 'components_default_parts',
      info: { displayName: 'part' },
      attributes: { name: { type: 'string', required: true }, size: { type: 'integer', required: true } },
    },
    'default.list': {
      collectionName: 'components_default_lists',
      info: { displayName: 'list' },
      attributes: {
        name: { type: 'string' },
        inner: required('component', { component: 'default.row', repeatable: true }),
      },
    },
    'default.row': {
      collectionName: 'components_default_rows',
      info: { displayName: 'row' },
      attributes: { name: { type: 'string' } },
    },
  },
};

const isNo = (type: string, printed = 'null') => `must be a \`${type}\` type, but the final value was: \`${printed}\`.`;
const ABSENT = 'must be defined.';
/** The words for null, by attribute. */
const NULL: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['string', 'text', 'email', 'uid', 'choice'].map((name) => [name, isNo('string')])),
  blocks: isNo('array'),
  integer: isNo('number', 'NaN'),
  decimal: isNo('number', 'NaN'),
  ...Object.fromEntries(['big', 'date', 'datetime', 'boolean', 'json'].map((name) => [name, ABSENT])),
  part: isNo('object'),
};

for (const engine of engines) {
  describe(`missing required values on ${engine.name}`, () => {
    let server: SeededServer;
    const failures = async (target: string, data: object) => {
      const { status, body } = await server.request('POST', target, { token: server.secrets['full']!, body: { data } });
      strictEqual(status, 400);
      const errors = body.error.details.errors as { path: string[]; message: string; value?: null }[];
      return Object.fromEntries(
        errors.map(({ path, message, ...rest }) => [path.join('.'), [message.slice(message.indexOf(' ') + 1), rest]]),
      );
    };
    const expected = (words: Readonly<Record<string, string>>, more: object) =>
      Object.fromEntries(
        Object.entries(words).map(([name, one]) => [name, [one, { name: 'ValidationError', ...more }]]),
      );

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), {
        tokens: [{ name: 'full', type: 'full-access' }],
      });
    });
    after(() => server?.stop());

    it('are absent in a type without drafts', async () => {
      const absent = Object.fromEntries(Object.keys(attributes).map((name) => [name, ABSENT]));
      deepStrictEqual(await failures('/api/notes', {}), expected(absent, {}));
    });

    it('are null where they are written so', async () => {
      const data = Object.fromEntries(Object.keys(attributes).map((name) => [name, null]));
      deepStrictEqual(await failures('/api/notes', data), expected(NULL, { value: null }));
      const { part: _part, ...others } = data;
      const inside = { 'part.name': isNo('string'), 'part.size': isNo('number', 'NaN') };
      const { part: _null, ...outside } = NULL;
      deepStrictEqual(
        await failures('/api/notes', { ...others, part: { name: null, size: null } }),
        expected({ ...outside, ...inside }, { value: null }),
      );
    });

    it('are null in the draft that is published', async () => {
      deepStrictEqual(await failures('/api/pages', {}), expected(NULL, { value: null }));
      deepStrictEqual(await failures('/api/pages', { string: null, integer: null }), expected(NULL, { value: null }));
    });

    it('are permitted in a draft', async () => {
      const { status } = await server.request('POST', '/api/pages?status=draft', {
        token: server.secrets['full']!,
        body: { data: { string: null } },
      });
      strictEqual(status, 200);
    });

    it('are refused in a new draft if they are lists of components or zones', async () => {
      const inner: object[] = [];
      const zone = [{ __component: 'default.list', inner }];
      for (const target of ['/api/drafts?status=draft', '/api/drafts', '/api/rows']) {
        const refused = (data: object, words: Readonly<Record<string, string>>, more = {}) =>
          failures(target, data).then((found) => deepStrictEqual(found, expected(words, more)));
        await refused({}, { parts: ABSENT, zone: ABSENT });
        await refused({ parts: null, zone: null }, { parts: isNo('array'), zone: isNo('array') }, { value: null });
        await refused({ shows: true, parts: [], zone }, { hidden: ABSENT });
        await refused(
          { parts: [{}], zone: [{ __component: 'default.list' }] },
          { 'parts.0.inner': ABSENT, 'zone.0.inner': ABSENT },
        );
        await refused({ parts: [{ inner: null }], zone }, { 'parts.0.inner': isNo('array') }, { value: null });
        const token = server.secrets['full']!;
        const { status, body } = await server.request('POST', target, { token, body: { data: { parts: [], zone } } });
        strictEqual(status, 200);
        if (!target.includes('draft')) continue;
        const document = `/api/drafts/${body.data.documentId}?status=draft`;
        const update = (data: object) => server.request('PUT', document, { token, body: { data } });
        strictEqual((await update({ zone: [{ __component: 'default.list', name: 'no inner list' }] })).status, 200);
        strictEqual((await update({ zone: [], shows: true })).status, 200);
      }
    });
  });
}
