/** Reads of targets that were answered before, where nothing is remembered (docs/architecture.md, "Remembered answers"). */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { revokeToken } from '../../../src/users/sessions/tokens.ts';
import { engines } from '../../support/databases/databases.ts';
import { writeConfig } from '../../support/servers/configured.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type RawAnswer, rawRequest } from '../../support/servers/raw-http.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const NOTE = 'api::note.note';
const TAG = 'api::tag.tag';
const relation = (kind: string, target: string, rest = {}) => ({ type: 'relation', relation: kind, target, ...rest });
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  note: contentType(
    'note',
    { title: { type: 'string', ...localized }, tags: relation('manyToMany', TAG, { inversedBy: 'notes' }) },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', { name: { type: 'string' }, notes: relation('manyToMany', NOTE, { mappedBy: 'tags' }) }),
  page: contentType('page', { title: { type: 'string' } }, { kind: 'singleType' }),
};
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'narrow', type: 'custom', permissions: [`${NOTE}.find`] },
    { name: 'lost', type: 'full-access' },
  ],
  roles: { public: [`${NOTE}.find`, `${NOTE}.findOne`] },
};

/** Headers without those that differ from answer to answer. */
function lasting({ headers }: RawAnswer): Record<string, unknown> {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return rest;
}

/** Whether an answer did without the server's hooks, which put the id first. */
function isAtOnce({ headers }: RawAnswer): boolean {
  const names = Object.keys(headers);
  return names.indexOf('x-request-id') > names.indexOf('vary');
}

for (const engine of engines) {
  describe(`reads of targets that were answered before, on ${engine.name}`, () => {
    let server: SeededServer;
    let tag = '';
    let note = '';
    const get = (target: string, headers: Record<string, string> = {}) => rawRequest(server.url + target, { headers });
    const bearer = (name: string) => ({ authorization: `Bearer ${server.secrets[name]}` });
    const full = (method: string, target: string, data?: unknown) =>
      server.request(method, target, { token: server.secrets['full'], ...(data ? { body: { data } } : {}) });
    const made = async (target: string, data: unknown, method = 'POST'): Promise<string> => {
      const answer = await full(method, target, data);
      strictEqual(answer.status, 200, answer.text);
      return answer.body.data.documentId;
    };
    /** Now and then who calls is looked up again, which takes the whole server. */
    const atOnce = (target: string, headers: Record<string, string>) =>
      until(`${target} is read at once`, async () => {
        const answer = await get(target, headers);
        return isAtOnce(answer) && answer;
      });
    const dataOf = ({ body }: RawAnswer) => JSON.parse(body.toString()).data;

    before(async () => {
      const folder = await makeProject({ contentTypes });
      const rest = { answerCache: { size: 0 }, cacheControl: { [NOTE]: 'public, max-age=60' } };
      await writeConfig(folder.dir, { api: { rest } });
      server = await serveSeeded(engine, folder, fixture);
      tag = await made('/api/tags', { name: 'ü' });
      note = await made('/api/notes', { title: 'first', tags: [tag] });
      await made('/api/page', { title: 'page' }, 'PUT');
    });
    after(() => server?.stop());

    it('have the status, headers and bytes of those that the whole server makes', async () => {
      for (const target of ['/api/notes', '/api/notes?populate=*', `/api/notes/${note}?populate=tags`, '/api/page']) {
        for (const headers of [{}, bearer('full'), { ...bearer('full'), 'x-request-id': 'mine' }]) {
          if (target === '/api/page' && !('authorization' in headers)) continue;
          const first = await get(target, headers);
          const second = await atOnce(target, headers);
          deepStrictEqual([second.status, lasting(second)], [200, lasting(first)]);
          deepStrictEqual(second.body, first.body);
          if ('x-request-id' in headers) strictEqual(second.headers['x-request-id'], 'mine');
          else notStrictEqual(second.headers['x-request-id'], first.headers['x-request-id']);
        }
      }
    });

    it('find writes in between', async () => {
      const [list, one] = ['/api/notes?sort=title', `/api/notes/${note}`];
      for (const target of [list, one]) for (let n = 0; n < 2; n++) await get(target);
      let title = 'second';
      let before: RawAnswer[] = [];
      let now: RawAnswer[] = [];
      await until('the first reads after a write do without the whole server', async () => {
        before = [await get(list), await get(one)];
        await made(one, { title }, 'PUT');
        now = [await get(list), await get(one)];
        strictEqual(dataOf(now[0]!)[0].title, title);
        strictEqual(dataOf(now[1]!).title, title);
        for (const [index, { headers }] of now.entries()) notStrictEqual(headers.etag, before[index]!.headers.etag);
        title += '!';
        return now.every(isAtOnce);
      });
      // one that has its own headers is told apart by the tag all the same
      strictEqual((await get(one, { 'if-none-match': now[1]!.headers.etag! })).status, 304);
      strictEqual((await get(one, { 'if-none-match': before[1]!.headers.etag! })).status, 200);
    });

    it('find no deleted document', async () => {
      const gone = await made('/api/notes', { title: 'gone' });
      for (let n = 0; n < 2; n++) strictEqual((await get(`/api/notes/${gone}`)).status, 200);
      strictEqual((await full('DELETE', `/api/notes/${gone}`)).status, 204);
      strictEqual((await get(`/api/notes/${gone}`)).status, 404);
      // it is looked for once for each request, as if it had never been there
      let reads = 0;
      server.app.database.watch(() => {
        reads += 1;
      });
      for (let asked = 0; asked < 3; asked++) strictEqual((await get(`/api/notes/${gone}`)).status, 404);
      strictEqual(reads, 3);
    });

    it('show each caller the visible content', async () => {
      const target = '/api/notes?populate=tags&sort=id';
      const alone = `/api/notes/${note}?fields=title`;
      const shown = async (headers: Record<string, string>) => {
        const answer = await get(target, headers);
        return answer.status === 200 ? dataOf(answer)[0].tags?.[0]?.name : answer.status;
      };
      for (let n = 0; n < 3; n++) {
        strictEqual(await shown(bearer('full')), 'ü');
        strictEqual(await shown({}), undefined);
        strictEqual(await shown(bearer('narrow')), undefined);
        deepStrictEqual(
          [await get(alone, bearer('full')), await get(alone), await get(alone, bearer('narrow'))].map(
            ({ status }) => status,
          ),
          [200, 200, 403],
        );
      }
    });

    it('have the right Cache-Control', async () => {
      for (let n = 0; n < 3; n++) {
        strictEqual((await get('/api/notes?fields=title')).headers['cache-control'], 'public, max-age=60');
        const { headers } = await get('/api/notes?fields=title', bearer('full'));
        strictEqual(headers['cache-control'], 'private, no-cache');
      }
    });

    it('go through the whole server if headers of the request affect those of the answer', async () => {
      const target = '/api/notes?fields=id';
      const origin = 'https://elsewhere.example';
      await get(target);
      const answer = await get(target, { origin });
      ok(!isAtOnce(answer));
      strictEqual(answer.headers['access-control-allow-origin'], origin);
    });

    it('have the format that a request chooses', async () => {
      const target = '/api/notes?fields=id';
      await get(target);
      ok('attributes' in dataOf(await get(target, { 'strapi-response-format': 'v4' }))[0]);
      ok(!('attributes' in dataOf(await get(target))[0]));
    });

    it('are refused to a token as soon as it is revoked', async () => {
      const target = '/api/notes?fields[0]=title&fields[1]=createdAt';
      for (let n = 0; n < 2; n++) strictEqual((await get(target, bearer('lost'))).status, 200);
      const { database } = server.app;
      const [[id] = []] = await database.rows(`select "id" from "strapi_api_tokens" where "name" = 'lost'`, []);
      await database.transaction((tx) => revokeToken(tx, Number(id)));
      strictEqual((await get(target, bearer('lost'))).status, 401);
    });

    it('follow the default locale', async () => {
      const target = '/api/notes?fields=locale&sort=id';
      const french = await full('PUT', `/api/notes/${note}?locale=fr`, { title: 'premier' });
      strictEqual(french.status, 200, french.text);
      const locales = async () => dataOf(await get(target)).map(({ locale }: { locale: string }) => locale);
      for (let n = 0; n < 2; n++) deepStrictEqual([...new Set(await locales())], ['en']);
      const request = (method: string, target: string, body?: unknown) =>
        server.request(method, `/api/i18n/locales${target}`, { token: server.secrets['full'], body });
      const { body } = await request('GET', '');
      const { id } = body.find(({ code }: { code: string }) => code === 'fr');
      strictEqual((await request('PUT', `/${id}`, { isDefault: true })).status, 200);
      deepStrictEqual([...new Set(await locales())], ['fr']);
    });
  });
}
