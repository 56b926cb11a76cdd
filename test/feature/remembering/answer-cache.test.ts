/** Answers that are remembered (docs/reference/http.md, "Remembered answers"): whose they are, and how many. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Grants } from '../../../src/access/grants.ts';
import type { RowRules } from '../../../src/access/row-conditions.ts';
import { engines } from '../../support/databases/databases.ts';
import { writeConfig } from '../../support/servers/configured.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const NOTE = 'api::note.note';
const USER = 'plugin::users-permissions.user';
const note = (attributes = {}) =>
  contentType('note', {
    text: { type: 'text' },
    secret: { type: 'string', private: true },
    owner: { type: 'relation', relation: 'manyToOne', target: USER },
    ...attributes,
  });
const auth = (name: string) => `plugin::users-permissions.auth.${name}`;
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
    { name: 'narrow', type: 'custom', permissions: [`${NOTE}.find`] },
  ],
  roles: { public: [auth('register')], authenticated: [`${NOTE}.find`, `${NOTE}.findOne`] },
};
const OWN: RowRules = { [NOTE]: { owner: { id: { $eq: '$user.id' } } } };
/** Accounts see what is their own; tokens see every row. */
const rowRules = ({ actions }: Grants): RowRules => (actions.has(`${NOTE}.findOne`) ? OWN : {});
const KEPT = 64 * 1024;
const LARGEST = 16 * 1024;

/** Where requests are counted by others, none is answered before its turn. */
const kinds = engines.flatMap((engine) =>
  (engine.name === 'sqlite' ? [false, true] : [true]).map((isLimited) => ({ engine, isLimited })),
);

for (const { engine, isLimited } of kinds) {
  describe(`answers from memory on ${engine.name}${isLimited ? ', with a limit of requests' : ''}`, () => {
    let server: SeededServer;
    let metrics = '';
    const people: Record<string, string> = {};
    const remembers = engine.name === 'sqlite';
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(metrics)).text();
      return Number(new RegExp(`^galley_answer_cache_${name} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    /** What a request is answered, asked several times: the last answers come from memory. */
    const repeated = async (
      target: string,
      token: string | undefined,
      headers: Record<string, string> = {},
      method = 'GET',
    ) => {
      const answers = [];
      for (let n = 0; n < 4; n++) answers.push(await server.request(method, target, { token, headers }));
      return answers;
    };
    const create = async (data: unknown): Promise<string> => {
      const answer = await server.request('POST', '/api/notes', { token: server.secrets['full'], body: { data } });
      strictEqual(answer.status, 200, answer.text);
      return answer.body.data.documentId;
    };

    before(async () => {
      const port = await freePort();
      metrics = `http://127.0.0.1:${port}/metrics`;
      const folder = await makeProject({ contentTypes: { note: note() } });
      const rateLimit = isLimited ? { max: 10_000, window: 3_600_000 } : undefined;
      await writeConfig(folder.dir, {
        api: { rest: { rateLimit, answerCache: { size: KEPT, largest: LARGEST }, cacheControl: { [NOTE]: 'public' } } },
      });
      server = await serveSeeded(engine, folder, fixture, { METRICS_PORT: String(port) }, { rowRules });
      for (const username of ['ann', 'bob']) {
        const body = { username, email: `${username}@example.com`, password: 'secret1' };
        const answer = await server.request('POST', '/api/auth/local/register', { body });
        people[username] = answer.body.jwt;
        await create({ text: `of ${username}`, secret: 'hidden', owner: answer.body.user.id });
      }
    });
    after(() => server?.stop());

    it('are the same, byte for byte, header for header, as those that are read', async () => {
      const token = server.secrets['full'];
      const hits = await metric('hits_total');
      for (const target of [
        '/api/notes',
        '/api/notes?filters[text][$contains]=ann',
        `/api/notes/${await create({ text: 'é' })}`,
      ]) {
        for (const [method, headers] of [
          ['GET', {}],
          ['HEAD', {}],
          ['GET', { 'accept-encoding': 'identity' }],
          ['GET', { 'strapi-response-format': 'v4' }],
          ['GET', { origin: 'https://elsewhere.example' }],
        ] as const) {
          const [first, ...others] = await repeated(target, token, headers, method);
          strictEqual(first!.status, 200);
          for (const answer of others) {
            strictEqual(answer.text, first!.text);
            deepStrictEqual(headersOf(answer.headers), headersOf(first!.headers));
          }
          const tag = first!.headers.get('etag')!;
          for (const answer of await repeated(target, token, { ...headers, 'if-none-match': tag })) {
            deepStrictEqual([answer.status, answer.text, answer.headers.get('etag')], [304, '', tag]);
          }
        }
      }
      strictEqual((await metric('hits_total')) > hits, remembers);
    });

    it('have the requested format', async () => {
      const token = server.secrets['full'];
      const target = '/api/notes?sort=id';
      for (let n = 0; n < 3; n++) {
        strictEqual((await server.get(target, token)).body.data[0].text, 'of ann');
        const v4 = await server.request('GET', target, { token, headers: { 'strapi-response-format': 'v4' } });
        strictEqual(v4.body.data[0].attributes.text, 'of ann');
      }
    });

    it('are for callers who see the same', async () => {
      const { full, read } = server.secrets;
      for (let n = 0; n < 3; n++) {
        for (const name of ['ann', 'bob']) {
          const { body } = await server.get('/api/notes?populate=*', people[name]);
          deepStrictEqual(
            body.data.map(({ text }: { text: string }) => text),
            [`of ${name}`],
          );
          strictEqual(body.data[0].owner, undefined);
          strictEqual(body.meta.pagination.total, 1);
        }
        for (const token of [full, read]) {
          const { body, text } = await server.get('/api/notes?populate=*&sort=id', token);
          strictEqual(body.data[0].owner.username, 'ann');
          ok(!text.includes('hidden'));
        }
        const narrow = await server.get('/api/notes?populate=*&sort=id', server.secrets['narrow']);
        deepStrictEqual([narrow.body.data[0].text, narrow.body.data[0].owner], ['of ann', undefined]);
        strictEqual((await server.get('/api/notes?populate=*')).status, 403);
        strictEqual((await server.get('/api/notes?populate=*', 'made-up')).status, 401);
      }
    });

    it('count towards the limit of their caller', { skip: !isLimited && 'there is none' }, async () => {
      const remaining = (await repeated('/api/notes?sort=text', server.secrets['read'])).map(({ headers }) =>
        Number(headers.get('x-ratelimit-remaining')),
      );
      deepStrictEqual(
        remaining,
        remaining.map((_, index) => remaining[0]! - index),
      );
    });

    it('are limited to the configured bytes', async () => {
      const token = server.secrets['full'];
      const long = await create({ text: 'x'.repeat(LARGEST + 1) });
      const before = await metric('hits_total');
      await repeated(`/api/notes/${long}`, token);
      strictEqual(await metric('hits_total'), before);
      await create({ text: 'y'.repeat(LARGEST / 2) });
      for (let n = 0; n < 30; n++) {
        await repeated(`/api/notes?filters[text][$startsWith]=y&pagination[pageSize]=${n + 1}`, token);
        ok((await metric('bytes')) <= KEPT);
      }
      const kept = await metric('bytes');
      strictEqual(kept > LARGEST, remembers, `${kept} bytes`);
    });

    it('are not cached at the first request', async () => {
      const token = server.secrets['full'];
      const kept = await metric('bytes');
      for (let n = 0; n < 5; n++)
        await server.get(`/api/notes?sort=id&pagination[start]=${n}&pagination[limit]=1`, token);
      strictEqual(await metric('bytes'), kept);
    });

    it('end with their project', async () => {
      const token = server.secrets['full'];
      const [answer] = await repeated('/api/notes?sort=id', token);
      ok(!('added' in answer!.body.data[0]));
      const { dir } = server.app.config;
      const schema = note({ added: { type: 'string' } });
      await writeFile(path.join(dir, 'src/api/note/content-types/note/schema.json'), JSON.stringify(schema));
      await server.app.reload();
      for (const { body } of await repeated('/api/notes?sort=id', token)) strictEqual(body.data[0].added, null);
      await writeConfig(dir, { api: { rest: { answerCache: { size: 0 } } } });
      await server.app.reload();
      const hits = await metric('hits_total');
      await repeated('/api/notes?sort=id', token);
      deepStrictEqual([await metric('hits_total'), await metric('bytes')], [hits, 0]);
    });
  });
}

/** The headers of an answer, but for those that are different each time. */
function headersOf(headers: Headers): Record<string, string> {
  const all = Object.fromEntries(headers);
  notStrictEqual(all['x-request-id'], undefined);
  for (const name of ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset']) delete all[name];
  return all;
}
