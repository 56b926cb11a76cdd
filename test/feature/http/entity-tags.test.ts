/** `ETag`, `If-None-Match`, `If-Match`: docs/reference/extensions.md, "Entity tags". */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

for (const engine of engines) {
  describe(`entity tags on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        headers,
        ...(body ? { body } : {}),
      });
    const make = async (plural: string, data: unknown, query = '') => {
      const { body, headers } = await call('POST', `/${plural}${query}`, { data });
      return { path: `/${plural}/${body.data.documentId}`, tag: headers.get('etag')! };
    };
    const tagOf = async (target: string) => (await call('GET', target)).headers.get('etag')!;
    const versionOf = (tag: string) => /^"(\d+)\./.exec(tag)![1];

    before(async () => {
      server = await serveScenarioProject(engine);
    });
    after(() => server?.stop());

    it('names the newest updatedAt and the body', async () => {
      const { path, tag } = await make('tags', { name: 'red' });
      const { body, headers } = await call('GET', path);
      match(headers.get('etag')!, /^"\d+\.[\w-]+"$/);
      deepStrictEqual([headers.get('etag'), versionOf(tag)], [tag, String(Date.parse(body.data.updatedAt))]);
      const narrow = await tagOf(`${path}?fields=name`);
      deepStrictEqual([versionOf(narrow), narrow === tag], [versionOf(tag), false]);
    });

    it('moves with the draft, which is part of the document, but not with another locale', async () => {
      const { path, tag } = await make('articles', { title: 'One' });
      await call('PUT', `${path}?status=draft`, { data: { title: 'Two' } });
      notStrictEqual(versionOf(await tagOf(path)), versionOf(tag));
      const now = await tagOf(path);
      await call('PUT', `${path}?locale=fr`, { data: { title: 'Un' } });
      strictEqual(await tagOf(path), now);
    });

    it('answers 304 without a body to a caller who has the answer', async () => {
      const { path, tag } = await make('tags', { name: 'red' });
      for (const known of [tag, `W/${tag}`, `"1.x", ${tag}`, '*']) {
        const { status, text, headers } = await call('GET', path, undefined, { 'if-none-match': known });
        deepStrictEqual([status, text, headers.get('etag')], [304, '', tag]);
      }
      const other = `"${versionOf(tag)}.other"`;
      strictEqual((await call('GET', path, undefined, { 'if-none-match': other })).status, 200);
      strictEqual((await call('GET', '/tags/nosuchdocument', undefined, { 'if-none-match': '*' })).status, 404);
    });

    it('carries tags on single types and on answers to writes', async () => {
      const put = await call('PUT', '/homepage', { data: { headline: 'Hello' } });
      strictEqual(await tagOf('/homepage'), put.headers.get('etag'));
      const { path } = await make('tags', { name: 'red' }, '?status=draft');
      const published = await call('POST', `${path}/actions/publish`);
      strictEqual(await tagOf(path), published.headers.get('etag'));
    });

    it('carries weak tags on lists, which change with any of their documents', async () => {
      const { path } = await make('countries', { name: 'A' });
      const tag = await tagOf('/countries');
      match(tag, /^W\/"[\w-]+"$/);
      notStrictEqual(await tagOf('/countries?fields=name'), tag);
      for (const known of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
        const { status, text, headers } = await call('GET', '/countries', undefined, { 'if-none-match': known });
        deepStrictEqual([status, text, headers.get('etag')], [304, '', tag]);
      }
      await call('PUT', path, { data: { name: 'B' } });
      strictEqual((await call('GET', '/countries', undefined, { 'if-none-match': tag })).status, 200);
      strictEqual((await call('PUT', path, { data: { name: 'C' } }, { 'if-match': tag })).status, 412);
    });

    it('replaces the version that the caller read, in any shape', async () => {
      const { path } = await make('tags', { name: 'red' });
      const narrow = await tagOf(`${path}?fields=name`);
      strictEqual((await call('PUT', path, { data: { name: 'a' } }, { 'if-match': narrow })).status, 200);
      const late = await call('PUT', path, { data: { name: 'b' } }, { 'if-match': narrow });
      deepStrictEqual([late.status, late.body.error.name], [412, 'PreconditionFailedError']);
      const tags = `"1.x", ${await tagOf(path)}`;
      strictEqual((await call('PUT', path, { data: { name: 'c' } }, { 'if-match': tags })).status, 200);
      strictEqual((await call('PUT', path, { data: { name: 'd' } }, { 'if-match': '*' })).status, 200);
      for (const wrong of ['x', `W/${await tagOf(path)}`, '""']) {
        strictEqual((await call('PUT', path, { data: { name: 'e' } }, { 'if-match': wrong })).status, 412);
      }
      strictEqual((await call('GET', path)).body.data.name, 'd');
    });

    it('deletes and moves the version that the caller read alone', async () => {
      const { path, tag } = await make('tags', { name: 'red' });
      await call('PUT', path, { data: { name: 'green' } });
      const old = { 'if-match': tag };
      strictEqual((await call('DELETE', path, undefined, old)).status, 412);
      for (const word of ['publish', 'unpublish', 'discard-draft']) {
        strictEqual((await call('POST', `${path}/actions/${word}`, undefined, old)).status, 412);
      }
      const now = { 'if-match': await tagOf(path) };
      strictEqual((await call('POST', `${path}/actions/unpublish`, undefined, now)).status, 200);
      strictEqual((await call('DELETE', path, undefined, now)).status, 204);
    });

    it('fails for a missing document', async () => {
      const any = { 'if-match': '*' };
      const { path, tag } = await make('articles', { title: 'One' });
      const data = { title: 'Un' };
      strictEqual((await call('PUT', `${path}?locale=fr`, { data }, any)).status, 412);
      strictEqual((await call('PUT', `${path}?locale=fr`, { data }, { 'if-match': tag })).status, 412);
      strictEqual((await call('GET', `${path}?locale=fr`)).status, 404);
      strictEqual((await call('DELETE', `${path}?locale=fr`, undefined, any)).status, 412);
      strictEqual((await call('DELETE', '/articles/nosuchdocument', undefined, any)).status, 412);
      // without the header these are no success either
      strictEqual((await call('PUT', '/articles/nosuchdocument', { data }, any)).status, 404);
      await call('DELETE', '/homepage');
      strictEqual((await call('PUT', '/homepage', { data: { headline: 'x' } }, any)).status, 412);
      strictEqual((await call('DELETE', '/homepage', undefined, any)).status, 412);
    });

    it('compares every named version with the given tags', async () => {
      const { path } = await make('articles', { title: 'One' });
      await call('PUT', `${path}?locale=fr`, { data: { title: 'Un' } });
      const [en, fr] = [await tagOf(path), await tagOf(`${path}?locale=fr`)];
      const both = `${path}?locale=en&locale=fr`;
      strictEqual((await call('DELETE', both, undefined, { 'if-match': en })).status, 412);
      strictEqual((await call('DELETE', both, undefined, { 'if-match': `${en}, ${fr}` })).status, 204);
    });
  });
}
