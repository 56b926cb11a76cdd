/** docs/extending.md: its examples give the documented results. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { NOTHING_SEEDED } from '../../../src/cli/seed.ts';
import { announcementOf } from '../../../src/cli/serving.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const PAGE = path.join(import.meta.dirname, '../../../docs/extending.md');

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

for (const engine of engines) {
  describe(`a project as docs/extending.md has it on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    let database: TestDatabase;
    const tokens: Record<string, string> = {};

    before(async () => {
      const page = await readFile(PAGE, 'utf8');
      const blocks = [...page.matchAll(/```ts\n\/\/ src\/galley\.ts\n([\s\S]*?)```/g)].map(([, text]) => text!);
      strictEqual(blocks.length, 7);
      const text = { type: 'string' };
      const author = { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' };
      const attributes = { title: text, slug: text, views: { type: 'integer', default: 0 }, author };
      const article = contentType('article', attributes, { options: { draftAndPublish: true } });
      folder = await makeProject({ contentTypes: { article }, files: { 'src/galley.ts': blocks.join('\n') } });
      const own = await engine.databaseFor(folder);
      database = own;
      const all = ['find', 'findOne', 'create', 'update', 'delete'].map((name) => `api::article.article.${name}`);
      const roles = {
        public: ['plugin::users-permissions.auth.register', all[0], all[1]],
        authenticated: [...all, 'plugin::users-permissions.user.find'],
      };
      server = await serveSeeded({ ...engine, databaseFor: async () => own }, folder, { roles });
      for (const username of ['ann', 'bob']) {
        const body = { username, email: `${username}@example.com`, password: 'secret1' };
        tokens[username] = ((await server.request('POST', '/api/auth/local/register', { body })).body as Any).jwt;
      }
    });
    after(() => server?.stop());

    const send = async (method: string, target: string, data?: Any, as = 'ann', headers = {}): Promise<Any> => {
      const options = { headers, ...(as === 'public' ? {} : { token: tokens[as] }) };
      return server.request(method, `/api/${target}`, { ...options, ...(data ? { body: { data } } : {}) });
    };
    const run = (...args: string[]) =>
      runCommandLine([...args, folder.dir], {
        env: database.env,
        print: () => {},
        warn: () => {},
        input: async () => '',
      });

    it('has its hook, rules of access and policy', async () => {
      const made = await send('POST', 'articles', { title: 'Hello World' });
      strictEqual(made.body.data.slug, 'hello-world');
      const refused = await send('POST', 'articles', { title: 'Buy now!' });
      deepStrictEqual([refused.status, refused.body.error.details.errors[0].path], [400, ['title']]);
      const one = `articles/${made.body.data.documentId}`;
      strictEqual((await send('PUT', one, { title: 'Mine' }, 'bob')).status, 403);
      strictEqual((await send('PUT', one, { title: 'Still mine' })).status, 200);
      const [shown] = (await send('GET', 'articles', undefined, 'public')).body.data;
      deepStrictEqual([shown.title, 'author' in shown], ['Still mine', false]);
      strictEqual((await send('GET', 'articles?filters[author][username]=ann', undefined, 'public')).status, 400);
      strictEqual((await send('DELETE', one)).status, 403);
      strictEqual((await send('DELETE', one, undefined, 'ann', { 'x-reason': 'spam' })).status, 204);
    });

    it('warns at the start about a role in its rules that does not exist yet', async () => {
      const { warnings } = await announcementOf(server.app, server.url, NOTHING_SEEDED);
      deepStrictEqual(
        warnings.filter((text) => text.includes('role')),
        ['src/galley has rules of access for the role editor, which does not exist'],
      );
    });

    it('populates the configured attributes', async () => {
      const { documentId } = (await send('POST', 'articles', { title: 'Populated' })).body.data;
      const [listed] = (await send('GET', 'articles')).body.data;
      strictEqual(listed.author.email, 'ann@example.com');
      const { author } = (await send('GET', `articles/${documentId}`)).body.data;
      deepStrictEqual([author.username, author.email], ['ann', undefined]);
      strictEqual((await send('GET', 'articles?populate=')).body.data[0].author, undefined);
    });

    it('has its route, once it is granted, and its job', async () => {
      const { documentId } = (await send('POST', 'articles', { title: 'Viewed' })).body.data;
      const view = () => send('POST', `articles/${documentId}/view`, undefined, 'public');
      strictEqual((await view()).status, 403);
      strictEqual(await run('role', 'grant', 'public', '--action', 'api::galley.route.view', '--yes'), 0);
      await server.app.callers.forget();
      deepStrictEqual([(await view()).body, (await view()).body], [{ views: 1 }, { views: 2 }]);
      strictEqual((await send('POST', 'articles/none/view', undefined, 'public')).status, 404);
      strictEqual(await run('job', 'run', 'report'), 0);
    });
  });
}
