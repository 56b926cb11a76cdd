/**
 * What a refused body may cost: however large it is, and in however many places it is wrong, the answer is a small 400
 * (docs/reference/limits.md, "Bodies"), and what is secret is not in it.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { failureLimits } from '../../../src/failures.ts';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** No answer to a write that is refused is longer. */
const ANSWER = 65_536;
const LARGE = 200_000;

const SCALARS = {
  string: {},
  text: { maxLength: 10 },
  richtext: { maxLength: 10 },
  email: {},
  uid: {},
  password: {},
  enumeration: { enum: Array.from({ length: 300 }, (_, index) => `value${index}`) },
  integer: {},
  biginteger: {},
  float: {},
  decimal: {},
  boolean: {},
  date: {},
  time: {},
  datetime: {},
  json: {},
  blocks: {},
};
const scalars = Object.fromEntries(
  Object.entries(SCALARS).map(([type, options]) => [`${type}Value`, { type, ...options }]),
);
const relation = (kind: string, target?: string) => ({
  type: 'relation',
  relation: kind,
  ...(target ? { target } : {}),
});
const part = (uid: string, attributes: object) => ({
  collectionName: `components_${uid.replace('.', '_')}s`,
  info: { displayName: uid },
  attributes,
});
const attributes = {
  ...scalars,
  one: relation('oneToOne', 'api::tag.tag'),
  many: relation('manyToMany', 'api::tag.tag'),
  any: relation('morphToMany'),
  file: { type: 'media', multiple: false },
  files: { type: 'media', multiple: true },
};
const all = {
  ...attributes,
  single: { type: 'component', component: 'parts.outer' },
  list: { type: 'component', component: 'parts.outer', repeatable: true },
  zone: { type: 'dynamiczone', components: ['parts.outer'] },
  hidden: { type: 'component', component: 'parts.inner', repeatable: true, private: true },
};
const PROJECT = {
  contentTypes: {
    thing: contentType('thing', all),
    draft: contentType(
      'draft',
      { ...all, needs: { type: 'component', component: 'parts.needy', repeatable: true } },
      { options: { draftAndPublish: true } },
    ),
    tag: contentType('tag', { name: { type: 'string' } }),
    matched: contentType('matched', {
      linear: { type: 'string', regex: '^(a+)+$' },
      backtracking: { type: 'string', regex: '^(?=(a+)+$)' },
    }),
  },
  components: {
    'parts.outer': part('parts.outer', {
      ...attributes,
      inner: { type: 'component', component: 'parts.inner', repeatable: true },
    }),
    'parts.inner': part('parts.inner', { label: { type: 'string', maxLength: 5 }, body: { type: 'blocks' } }),
    'parts.needy': part('parts.needy', { label: { type: 'string', minLength: 5 } }),
  },
};

/** Large values, each wrong for nearly everything. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  text: () => 'x'.repeat(LARGE),
  'text of escapes': () => '\u0001'.repeat(LARGE / 8),
  numbers: () => Array.from({ length: LARGE / 8 }, (_, index) => index),
  texts: () => Array.from({ length: LARGE / 8 }, () => 'ab'),
  objects: () => Array.from({ length: 1500 }, () => ({})),
  'objects that name': () => Array.from({ length: 9000 }, () => ({ id: 999_999, __type: 'api::tag.tag' })),
  'components that are wrong': () =>
    Array.from({ length: 1500 }, () => ({ __component: 'parts.outer', integerValue: [] })),
  'components that are wrong within': () => [
    { __component: 'parts.outer', inner: Array.from({ length: 9000 }, () => ({ label: 'much too long' })) },
  ],
  nodes: () => Array.from({ length: 9000 }, () => ({ type: 'zzz' })),
  'nodes with children': () => [
    { type: 'paragraph', children: Array.from({ length: 9000 }, () => ({ type: 'text', text: 1, bold: 2 })) },
  ],
  'one large node': () => [{ type: 'zzz', children: 'x'.repeat(LARGE) }],
  keys: () => Object.fromEntries(Array.from({ length: LARGE / 16 }, (_, index) => [`key${index}`, index])),
  'a long key': () => ({ ['k'.repeat(LARGE)]: 1 }),
  'a long name': () => ({ documentId: 'd'.repeat(LARGE) }),
  'long names': () => ({ connect: Array.from({ length: 50 }, () => ({ documentId: 'd'.repeat(2000) })) }),
  'a long component': () => [{ __component: 'c'.repeat(LARGE) }],
  depth: () => JSON.parse(`${'['.repeat(400)}${']'.repeat(400)}`),
  'deep lists': () => {
    let node: object = { type: 'text' };
    for (let level = 0; level < 40; level++) node = { type: 'list', format: 'zzz', children: [node, 1, 2] };
    return [node];
  },
};

for (const engine of engines) {
  describe(`bounds of refused writes on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body: unknown) =>
      server.request(method, `/api${target}`, { token: server.secrets['full'], body: body as object });
    /** A refusal is small; what is taken is no matter here. */
    const holds = (answer: Answer, shown: string): void => {
      ok([200, 201, 400, 404].includes(answer.status), `${shown}: ${answer.status} ${answer.text.slice(0, 300)}`);
      if (answer.status !== 400) return;
      ok(answer.text.length < ANSWER, `${shown}: ${answer.text.length} characters`);
      const { errors, more } = answer.body.error.details ?? {};
      ok((errors ?? []).length <= failureLimits.failures, shown);
      ok(more === undefined || more > 0, shown);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('a large value of every kind, for every attribute, is refused in few words', { timeout: 300_000 }, async () => {
      const tag = (await call('POST', '/tags', { data: { name: 'there' } })).body.data.documentId;
      ok(tag);
      const thing = (await call('POST', '/things', { data: {} })).body.data.documentId;
      for (const [kind, make] of Object.entries(VALUES)) {
        const value = make();
        for (const name of Object.keys(all)) {
          holds(await call('POST', '/things?fields=id', { data: { [name]: value } }), `${kind} for ${name}`);
        }
        const everything = Object.fromEntries(Object.keys(attributes).map((name) => [name, kind]));
        holds(await call('PUT', `/things/${thing}?fields=id`, { data: { ...everything, list: value } }), kind);
        holds(await call('POST', '/drafts?status=draft&fields=id', { data: { zone: value } }), `${kind} in a draft`);
        holds(await call('POST', '/things', { data: value }), `${kind} for data`);
        holds(await call('POST', '/things', { data: { [kind.repeat(10_000)]: value } }), `${kind} under a long key`);
      }
    });

    it('of many failures some are listed, each with its own value only, and the rest is counted', async () => {
      const nodes = Array.from({ length: 20_000 }, (_, index) => ({ type: 'zzz', index }));
      const { status, body, text } = await call('POST', '/things', { data: { blocksValue: nodes } });
      strictEqual(status, 400);
      ok(text.length < 10_000, `${text.length} characters`);
      const { errors, more } = body.error.details;
      deepStrictEqual([errors.length, more], [30, 19_970]);
      strictEqual(body.error.message, '20000 errors occurred');
      deepStrictEqual([errors[3].path, errors[3].value], [['blocksValue', '3'], { type: 'zzz', index: 3 }]);
      strictEqual(
        errors[3].message,
        'blocksValue[3] type must be one of the following values: paragraph, heading, quote, code, list, image',
      );
    });

    it('the failures of a publication are bounded as well', async () => {
      const needs = Array.from({ length: 1500 }, () => ({ label: 'ab' }));
      const stored = await call('POST', '/drafts?status=draft&fields=id', { data: { needs } });
      strictEqual(stored.status, 200, stored.text.slice(0, 300));
      const { documentId } = stored.body.data;
      for (const [target, body] of [
        [`/drafts/${documentId}/actions/publish`, undefined],
        ['/drafts/actions/batch', { operations: [{ action: 'publish', documentId }] }],
        ['/drafts/actions/batch', { operations: [{ action: 'create', data: { needs } }] }],
      ] as const) {
        const { status, body: answer, text } = await call('POST', target, body);
        deepStrictEqual([status, answer.error.details.errors.length], [400, 30], text.slice(0, 300));
        strictEqual(answer.error.details.more, 1470);
        ok(text.length < ANSWER);
      }
    });

    it('names of a caller are cut where an answer repeats them', async () => {
      const name = 'n'.repeat(LARGE);
      const batch = (operation: object) => call('POST', '/things/actions/batch', { operations: [operation] });
      holds(await batch({ action: 'update', documentId: name, data: {} }), 'document id');
      holds(await batch({ action: 'create', locale: name, data: {} }), 'locale');
      holds(await batch({ action: name }), 'action');
      holds(await batch({ [name]: 1 }), 'key of an operation');
      holds(await batch({ action: 'create', data: { [name]: 1 } }), 'key in an operation');
      for (const many of [
        { connect: [name, name] },
        { connect: [{ id: 1, locale: name }] },
        { connect: [{ id: 1, status: name }] },
        { connect: [{ id: 1, [name]: name }] },
        { connect: [{ id: 1, position: { before: name } }] },
        { [name]: 1 },
      ]) {
        const answer = await call('POST', '/things', { data: { many } });
        strictEqual(answer.status, 400, Object.keys(many).join().slice(0, 20));
        ok(answer.text.length < 2000, `${answer.text.length} characters`);
      }
    });

    it('values of other bodies are cut in the same way', async () => {
      const bodies: [string, string, (value: unknown) => unknown][] = [
        ['POST', '/auth/local', (value) => ({ identifier: value, password: value })],
        ['POST', '/auth/local/register', (value) => ({ username: value, email: value, password: value })],
        ['POST', '/auth/local/register', (value) => value],
        ['POST', '/auth/forgot-password', (value) => ({ email: 'a@example.com', more: value })],
        ['POST', '/auth/forgot-password', (value) => value],
        ['POST', '/auth/reset-password', (value) => ({ code: value, password: value, passwordConfirmation: 5 })],
        ['POST', '/users', (value) => ({ username: value, email: value, password: value, role: value })],
        ['POST', '/users', (value) => ({ username: value, email: 5, password: 5, role: { connect: value } })],
        ['POST', '/users-permissions/roles', (value) => ({ name: value, description: value, permissions: value })],
        ['POST', '/users-permissions/roles', (value) => ({ name: 'r', permissions: { a: { controllers: value } } })],
        ['POST', '/i18n/locales', (value) => ({ code: value, name: value, isDefault: value })],
      ];
      for (const [kind, make] of Object.entries(VALUES)) {
        const value = make();
        for (const [method, target, bodyOf] of bodies) {
          const answer = await call(method, target, bodyOf(value));
          ok([200, 400, 403, 413, 429].includes(answer.status), `${kind} to ${target}: ${answer.status}`);
          ok(answer.text.length < ANSWER, `${kind} to ${target}: ${answer.text.length} characters`);
        }
        const form = new FormData();
        form.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
        form.append('fileInfo', JSON.stringify({ name: value, caption: value, focalPoint: { x: value, y: value } }));
        const headers = { authorization: `Bearer ${server.secrets['full']}` };
        const answer = await fetch(`${server.url}/api/upload`, { method: 'POST', headers, body: form });
        if (answer.status === 400) ok((await answer.text()).length < ANSWER, `${kind} in fileInfo`);
        else ok(answer.status === 201 || answer.status === 413, `${kind} in fileInfo: ${answer.status}`);
      }
    });

    it('secrets of any form are in no answer', async () => {
      const secret = ['hunter2', '`.', ', but the final value was: `x`.'];
      const node = { type: 'hunter2', text: 'hunter2' };
      for (const data of [
        { passwordValue: secret },
        { single: { passwordValue: { secret } } },
        { hidden: secret },
        { hidden: [{ label: `hunter2${secret[2]}` }, { label: secret }, { body: [node] }, secret] },
      ]) {
        const { status, text, body } = await call('POST', '/things', { data });
        strictEqual(status, 400, text);
        ok(!text.includes('hunter2') && !text.includes('final value'), text);
        ok(
          body.error.details.errors.every((failure: object) => !('value' in failure)),
          text,
        );
      }
      const account = { username: 'someone', email: 'a@example.com', password: secret };
      for (const target of ['/auth/local/register', '/users']) {
        const { status, text } = await call('POST', target, account);
        ok([400, 403].includes(status) && !text.includes('hunter2'), text);
      }
    });

    it('texts that make a pattern explode are refused', { timeout: 120_000 }, async () => {
      const text = `${'a'.repeat(200)}!`;
      const data = { linear: text, backtracking: 'aa' };
      const refused = await call('POST', '/matcheds', { data });
      strictEqual(refused.body.error.message, 'linear must match the following: "/^(a+)+$/"');
      const slow = await call('POST', '/matcheds', { data: { backtracking: text } });
      deepStrictEqual([slow.status, slow.body.error.details.errors[0].path], [400, ['backtracking']], slow.text);
      ok(slow.body.error.message.startsWith('Testing backtracking against the pattern'), slow.text);
      const operations = Array.from({ length: 100 }, () => ({ action: 'create', data: { backtracking: text } }));
      strictEqual((await call('POST', '/matcheds/actions/batch', { operations })).status, 400);
      strictEqual((await call('POST', '/matcheds', { data: { linear: 'aaa', backtracking: 'aa' } })).status, 200);
    });
  });
}
