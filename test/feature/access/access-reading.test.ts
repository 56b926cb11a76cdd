/** Rights to read: docs/reference/http.md, "Paths and methods". */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

/** Caller, path, status. `custom` may find articles, the public may find authors and countries. */
const STATUSES: readonly [string, string, number][] = [
  ['public', '/api/authors', 200],
  ['public', '/api/articles', 403],
  ['public', '/api/nothing', 404],
  ['public', '/api/articles/nosuchdocument', 403],
  ['public', '/api/articles?filters[nope]=1', 403],
  ['public', '/api/articles?publicationFilter=x', 403],
  ['public', '/api/setting', 403],
  ['custom', '/api/articles', 200],
  ['custom', '/api/tags', 403],
  ['custom', '/api/upload/files', 403],
  ['read', '/api/articles', 200],
  ['read', '/api/tags', 200],
  ['read', '/api/countries', 200],
  ['read', '/api/upload/files', 200],
  ['read', '/api/upload/files/page', 403],
  ['read', '/api/i18n/locales', 403],
  ['read', '/api/users/count', 403],
  ['read', '/api/setting', 404],
];

/** What a caller may not find, in the words of each parameter: query, path. */
const CLOSED: readonly [string, string, string][] = [
  ['filters', 'filters[author][name]=Ann', 'author'],
  ['filters', 'filters[author]=1', 'author'],
  ['filters', 'filters[author][$null]=true', 'author'],
  ['filters', 'filters[related][author][name]=Ann', 'related.author'],
  ['filters', 'filters[$not][$or][0][tags][id]=1', 'tags'],
  ['filters', 'filters[links][target][tags][name]=x', 'links.target.tags'],
  ['sort', 'sort=author.name', 'author'],
  ['sort', 'sort[related][author][name]=asc', 'related.author'],
  ['populate', 'populate[related][filters][author][name]=Ann', 'author'],
  ['populate', 'populate[related][sort]=author.name', 'author'],
  ['populate', 'populate[links][populate][target][filters][tags][name]=x', 'tags'],
];

for (const engine of engines) {
  describe(`access to reads on ${engine.name}`, () => {
    let library: Library;
    const read = (target: string, as: string) => library.get(target, as === 'public' ? undefined : library.secrets[as]);

    before(async () => {
      library = await serveLibrary(engine);
    });
    after(() => library?.stop());

    for (const [as, target, status] of STATUSES) {
      it(`answers ${status} to ${as} at ${target}`, async () => strictEqual((await read(target, as)).status, status));
    }

    it('does not open single documents by find alone', async () => {
      // the role of the public has both for authors; a token with find alone has no findOne
      const target = `/api/authors/${library.ids['Ann']}`;
      deepStrictEqual([(await read(target, 'public')).status, (await read(target, 'custom')).status], [200, 403]);
    });

    for (const [param, query, path] of CLOSED) {
      it(`refuses ${query} to a caller who may not find ${path}`, async () => {
        const { status, body } = await read(`/api/articles?${query}`, 'custom');
        const key = path.split('.').at(-1);
        deepStrictEqual([status, body.error?.details], [400, { key, path, source: 'query', param }]);
        strictEqual((await read(`/api/articles?${query}`, 'full')).status, 200);
      });
    }

    it('ignores Authorization headers other than two words that begin with bearer', async () => {
      for (const authorization of ['Basic abc', 'Bearer', 'Bearer a b', 'Token abc']) {
        const answer = await library.request('GET', '/api/authors', { headers: { authorization } });
        strictEqual(answer.status, 200, authorization);
      }
      const headers = { authorization: `  bEaReR   ${library.secrets['full']}  ` };
      strictEqual((await library.request('GET', '/api/articles', { headers })).status, 200);
    });

    it('refuses unknown credentials where the public may read as well', async () => {
      const { status, body } = await library.get('/api/authors', 'unknown');
      deepStrictEqual([status, body.error.message], [401, 'Missing or invalid credentials']);
      strictEqual((await library.get('/api/nothing', 'unknown')).status, 404);
    });

    it('hints at names of the type, and not at hidden names', async () => {
      const { text } = await read('/api/articles?filters[author][namee]=x', 'custom');
      strictEqual(text.includes('did you mean'), false, text);
    });

    it('plans for each caller by itself', async () => {
      const target = '/api/articles?fields=title&populate=author&filters[title]=Alpha';
      const keys = async (as: string) => Object.keys((await read(target, as)).body.data[0]);
      deepStrictEqual(await keys('full'), ['id', 'documentId', 'title', 'author']);
      deepStrictEqual(await keys('custom'), ['id', 'documentId', 'title']);
      deepStrictEqual(await keys('read'), ['id', 'documentId', 'title', 'author']);
    });

    it('never shows private attributes, passwords and creators to anyone', async () => {
      const { text } = await read('/api/articles?populate=*', 'full');
      for (const word of ['"hidden"', '"secret"', '"createdBy"', '"updatedBy"', 'treasure']) {
        strictEqual(text.includes(word), false, word);
      }
    });
  });
}
