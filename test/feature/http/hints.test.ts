/** Hints of refused requests: docs/reference/errors.md, docs/reference/http.md, "Paths and methods". */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';
import { type SeededServer, serveScenarioProject, serveSeeded } from '../../support/servers/seeded.ts';

/** Path of a GET, and the path that a caller with every right is pointed to. */
const NEAR: readonly [string, string | undefined][] = [
  ['/api/article', '/api/articles'],
  ['/api/artciles', '/api/articles'],
  ['/api/Article/abc?x=1', '/api/articles/abc'],
  ['/articles', '/api/articles'],
  ['/tag/abc', '/api/tags/abc'],
  ['/api/homepages', '/api/homepage'],
  ['/api/homepage/abc', '/api/homepage'],
  ['/api/tagss', '/api/tags'],
  ['/api/nothing-like-it', undefined],
  ['/api/articles/a/b', undefined],
  [`/api/${'article'.repeat(50)}`, undefined],
];

/** Paths that every server has, which anybody is pointed to. */
const OWN: readonly [string, string][] = [
  ['/api/auth/locl', 'did you mean /api/auth/local?'],
  ['/api/upload/file', 'did you mean /api/upload/files?'],
  ['/api/auth/local', 'this path takes POST'],
];

/** Content-Type of a body of JSON, and what the hint says of it. */
const TYPES: readonly [string | undefined, RegExp | undefined][] = [
  [undefined, /^the body has no Content-Type: send Content-Type: application\/json$/],
  ['text/plain', /^a body of text\/plain is not read: send Content-Type: application\/json$/],
  ['application/xml; charset=utf-8', /^a body of application\/xml; charset=utf-8 is not read/],
  ['multipart/form-data; boundary=x', /^a body of multipart\/form-data; boundary=x is not read/],
  ['application/x-www-form-urlencoded', /^the body is JSON and was sent as a form: send Content-Type/],
  ['application/json', undefined],
];

for (const engine of engines) {
  describe(`hints on ${engine.name}`, () => {
    let server: SeededServer;
    let documentId = '';
    before(async () => {
      server = await serveScenarioProject(engine);
      documentId = await server.seeder.create('api::article.article', { title: 'one' });
    });
    after(() => server?.stop());

    const hintOf = async (method: string, target: string, as?: string, body?: unknown) => {
      const token = as === undefined ? undefined : server.secrets[as];
      const { status, body: answer } = await server.request(method, target, { token, body });
      return [status, answer.error.details.hint];
    };

    it('name the path near one that is not there to callers with a right to its type', async () => {
      for (const [target, near] of NEAR) {
        const hint = near && `did you mean ${near}?`;
        deepStrictEqual(await hintOf('GET', target, 'full'), [404, hint], target);
        deepStrictEqual(await hintOf('GET', target), [404, undefined], target);
      }
      deepStrictEqual(await hintOf('POST', '/api/article', 'full', { data: {} }), [404, 'did you mean /api/articles?']);
      deepStrictEqual(await hintOf('GET', '/api/artciles', 'custom'), [404, 'did you mean /api/articles?']);
      // the public may read authors, and the token may do nothing with countries
      deepStrictEqual(await hintOf('GET', '/api/author'), [404, 'did you mean /api/authors?']);
      deepStrictEqual(await hintOf('GET', '/api/country', 'custom'), [404, undefined]);
      const wrong = await server.request('GET', '/api/article', { token: 'nobody' });
      deepStrictEqual([wrong.status, wrong.body.error.details], [404, {}]);
    });

    it("name the server's own paths to everybody", async () => {
      for (const [target, hint] of OWN) deepStrictEqual(await hintOf('GET', target), [404, hint], target);
    });

    it('name the path that takes a method in a header of the 405, whose text has no place for it', async () => {
      for (const [method, target, hint] of [
        ['PUT', '/api/articles', 'PUT is for /api/articles/:documentId'],
        ['POST', '/api/articles/abc', 'POST is for /api/articles'],
        ['PATCH', '/api/articles/abc', null],
        ['POST', '/api/homepage', null],
      ] as const) {
        // of the callers, the public and a token without rights to articles learn nothing of their paths
        for (const [as, expected] of [
          [server.secrets['full'], hint],
          [undefined, null],
          ['wrong', null],
        ] as const) {
          const { status, text, headers } = await server.request(method, target, { body: '{', token: as });
          deepStrictEqual([status, text, headers.get('x-galley-hint')], [405, 'Method Not Allowed', expected], target);
        }
      }
    });

    it('name the right that is missing to callers with a token or an account', async () => {
      const create = 'this needs the action api::article.article.create, which the caller does not have';
      deepStrictEqual(await hintOf('POST', '/api/articles', 'read', { data: {} }), [403, create]);
      const find = 'this needs the action api::country.country.find, which the caller does not have';
      deepStrictEqual(await hintOf('GET', '/api/countries', 'custom'), [403, find]);
      deepStrictEqual(await hintOf('POST', '/api/articles', undefined, { data: {} }), [403, undefined]);
      const account = { username: 'ann', email: 'ann@example.org', password: 'secret words' };
      const { body } = await server.request('POST', '/api/auth/local/register', { body: account });
      const refused = await server.request('GET', '/api/countries', { token: body.jwt });
      const role = 'this needs the action api::country.country.find, which the role authenticated does not have';
      deepStrictEqual([refused.status, refused.body.error.details], [403, { hint: role }]);
    });

    it('say of which type a body has to be', async () => {
      const send = async (target: string, type: string | undefined) => {
        const headers = type === undefined ? {} : { 'content-type': type };
        const body = new TextEncoder().encode('{"data":{"name":1}}');
        const answer = await fetch(server.url + target, {
          method: 'POST',
          body,
          headers: { ...headers, authorization: `Bearer ${server.secrets['full']}` },
        });
        return (await answer.json()) as { error: { message: string; details: Record<string, string> } };
      };
      for (const [type, expected] of TYPES) {
        const { error } = await send('/api/authors', type);
        if (expected) {
          strictEqual(error.message, 'Missing "data" payload in the request body');
          match(error.details['hint']!, expected);
        } else strictEqual(error.details['hint'], undefined, type);
      }
      match((await send('/api/auth/local', undefined)).error.details['hint']!, /send Content-Type: application\/json/);
      match((await send('/api/upload', undefined)).error.details['hint']!, /send Content-Type: multipart\/form-data/);
      const empty = await server.request('POST', '/api/authors', { token: server.secrets['full'] });
      deepStrictEqual([empty.status, empty.body.error.details], [400, {}]);
    });

    it('list the comparisons of a relation', async () => {
      for (const [filters, name, hint] of [
        ['[author]=Ann', 'author', /filters\[author\]\[name\]\[\$eq\]=Ann.*filters\[author\]\[documentId\]\[\$eq\]/],
        ['[tags][$in][]=red', 'tags', /filters\[tags\]\[name\]\[\$in\]=red/],
        ['[author][country]=FR', 'author.country', /filters\[author\]\[country\]\[name\]\[\$eq\]=FR/],
        ['[seo]=x', 'seo', /^compare an attribute of it \(filters\[seo\]\[metaTitle\]\[\$eq\]=x\) or its row id$/],
        ['[cover]=x', 'cover', /filters\[cover\]\[name\]\[\$eq\]=x/],
      ] as const) {
        const { status, body } = await server.get(`/api/articles?filters${filters}`, server.secrets['full']);
        deepStrictEqual([status, body.error.name], [400, 'ValidationError']);
        match(body.error.message, new RegExp(`^Invalid value for ${name}: it is a (relation|component|file), which`));
        match(body.error.details.hint, hint);
      }
      const { body } = await server.get('/api/articles?filters[author][$contains]=A', server.secrets['full']);
      strictEqual(body.error.message, 'Invalid key $contains at author');
      match(body.error.details.hint, /filters\[author\]\[name\]\[\$contains\]/);
    });

    it('say that a locale is not there', async () => {
      const document = `/api/articles/${documentId}`;
      const near = 'there is no locale enn: did you mean en?';
      deepStrictEqual(await hintOf('GET', `${document}?locale=enn`, 'full'), [404, near]);
      deepStrictEqual(await hintOf('GET', '/api/homepage?locale=enn', 'full'), [404, near]);
      deepStrictEqual(await hintOf('GET', `${document}?locale=fr`, 'full'), [404, undefined]);
      deepStrictEqual(await hintOf('PUT', `${document}?locale=enn`, 'full', { data: {} }), [400, near]);
      const header = async (query: string) => {
        const { status, body, headers } = await server.get(`/api/articles?${query}`, server.secrets['full']);
        return [status, body.data.length, headers.get('x-galley-hint')];
      };
      // again and again: a remembered answer would have no hint, or one that is no longer true
      for (const _ of [1, 2, 3]) deepStrictEqual(await header('locale=enn'), [200, 0, near]);
      deepStrictEqual(await header('locale[]=enn&locale[]=fr'), [200, 0, near]);
      deepStrictEqual(await header('locale=ü'), [200, 0, 'there is no locale ?']);
      deepStrictEqual(await header('locale=fr'), [200, 0, null]);
      deepStrictEqual(await header('locale[]=en&locale[]=enn'), [200, 1, null]);
      deepStrictEqual(await header('locale=*'), [200, 1, null]);
      const { status, headers } = await server.get('/api/authors?locale=enn', server.secrets['full']);
      deepStrictEqual([status, headers.get('x-galley-hint')], [200, null]);
    });
  });

  describe(`hints of strict parameters on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const folder = await copyProject(CONFORMANCE_DIR);
      await mkdir(path.join(folder.dir, 'config'), { recursive: true });
      const config = 'module.exports = { rest: { strictParams: true } };';
      await writeFile(path.join(folder.dir, 'config/api.js'), config);
      server = await serveSeeded(engine, folder);
    });
    after(() => server?.stop());

    it('name a key of pagination that has an effect', async () => {
      for (const [key, right] of [
        ['_limit', 'pagination[limit]'],
        ['limt', 'pagination[limit]'],
        ['offset', 'pagination[start]'],
        ['withCont', 'pagination[withCount]'],
        ['nothing', undefined],
      ] as const) {
        const { status, body } = await server.get(`/api/articles?pagination[${key}]=3`, server.secrets['full']);
        const { hint, ...details } = body.error.details;
        const param = `pagination[${key}]`;
        deepStrictEqual([status, details], [400, { key, path: 'pagination', source: 'query', param }]);
        strictEqual(hint, right && `did you mean ${right}?`, key);
      }
      const known = await server.get(
        '/api/articles?pagination[pageSize]=3&pagination[withCount]=false',
        server.secrets['full'],
      );
      strictEqual(known.status, 200);
    });

    it('name a parameter that has an effect', async () => {
      for (const [name, right] of [
        ['_limit', 'pagination[limit]'],
        ['limit', 'pagination[limit]'],
        ['start', 'pagination[start]'],
        ['_start', 'pagination[start]'],
        ['pageSise', 'pagination[pageSize]'],
        ['_sort', 'sort'],
        ['_where', 'filters'],
        ['_Q', '_q'],
        ['search', '_q'],
        ['publicationState', 'status'],
        ['fiters', 'filters'],
        ['nothing', undefined],
      ] as const) {
        const { status, body } = await server.get(`/api/articles?${name}=5`, server.secrets['full']);
        const { hint, ...details } = body.error.details;
        deepStrictEqual([status, details], [400, { key: name, path: null, source: 'query', param: name }]);
        strictEqual(hint, right && `did you mean ${right}?`, name);
      }
    });

    it('name pagination where page is outside of it, of a list and elsewhere', async () => {
      const list = await server.get('/api/articles?page=2', server.secrets['full']);
      deepStrictEqual(
        [list.body.error.name, list.body.error.details.hint],
        ['PaginationError', 'write pagination[page]'],
      );
      const one = await server.get('/api/homepage?pageSize=2', server.secrets['full']);
      deepStrictEqual([one.status, one.body.error.details.hint], [400, 'did you mean pagination[pageSize]?']);
    });

    it('refuse a list in a locale that is not there', async () => {
      const { status, body } = await server.get('/api/articles?locale=deu', server.secrets['full']);
      deepStrictEqual([status, body.error.message], [400, 'Invalid locale parameter']);
      strictEqual(body.error.details.hint, 'there is no locale deu: did you mean de?');
      strictEqual((await server.get('/api/articles?locale=de', server.secrets['full'])).status, 200);
    });
  });
}
