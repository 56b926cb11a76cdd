/** Open tabs learn of changes of the schema and of the rights by a stream. */
import { deepStrictEqual, notStrictEqual, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { after, before, describe, it, mock } from 'node:test';
import { notePresence } from '../../../src/users/administrators/presence.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const POST = 'api::post.post';
const postWith = (attributes: Readonly<Record<string, unknown>>) => ({ post: contentType('post', attributes) });
const STREAMS = 20;

interface Versions {
  readonly session: string | null;
  readonly schema: string | null;
}

/** The stream of a tab. */
async function follow(server: RunningServer, cookie: string | undefined) {
  const headers = { ...(cookie === undefined ? {} : { cookie }), 'sec-fetch-site': 'same-origin' };
  const asked = request(`${server.url}/admin/api/changes`, { agent: false, headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  let isEnded = false;
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => {});
  response.once('close', () => {
    isEnded = true;
  });
  const events = () => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Versions);
  return {
    status: response.statusCode,
    events,
    last: () => events().at(-1),
    isEnded: () => isEnded,
    close: () => asked.destroy(),
  };
}

/** The versions of a tab that reads everything now. */
async function versionsOf(browser: Browser): Promise<Versions> {
  const [session, schema] = [await browser.get('session'), await browser.get('schema')];
  return { session: session.body.data.version, schema: schema.body.data.version };
}

for (const engine of engines) {
  describe(`changes elsewhere, on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let server: RunningServer;
    /** Another server on the same database. */
    let other: RunningServer;
    let sue: Browser;
    let eva: Browser;
    let editor: Browser;

    before(async () => {
      folder = await makeProject({ contentTypes: postWith({ title: { type: 'string' }, body: { type: 'text' } }) });
      database = await engine.databaseFor(folder);
      server = await serve(folder, database);
      other = await serve(folder, database);
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeRole(server, 'writer', [{ operation: 'read', subject: POST, properties: { fields: ['title'] } }]);
      await makeAdministrator(server, 'editor', 'writer');
      [sue, eva, editor] = [new Browser(server), new Browser(other), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('sue');
      await editor.signIn('editor');
    });
    after(async () => {
      await other.stop();
      await server.stop();
      await database.drop();
      await folder.remove();
    });

    it('begins with the versions of the answers, which are the same in all processes', async () => {
      const [one, two] = [await follow(server, sue.cookie), await follow(other, sue.cookie)];
      const versions = await versionsOf(sue);
      for (const tab of [one, two]) await until('the versions arrive', () => tab.events().length > 0);
      deepStrictEqual([one.last(), two.last()], [versions, versions]);
      const tab = await follow(server, editor.cookie);
      await until('the versions arrive', () => tab.events().length > 0);
      deepStrictEqual(tab.last(), await versionsOf(editor));
      notStrictEqual(tab.last()!.schema, versions.schema);
      for (const open of [one, two, tab]) open.close();
    });

    it('reports a changed role to its administrators alone, wherever it was changed', async () => {
      const [tab, superTab] = [await follow(server, editor.cookie), await follow(server, sue.cookie)];
      await until('the versions arrive', () => tab.events().length + superTab.events().length === 2);
      const { data: roles } = (await sue.get('roles')).body;
      const { id } = roles.find(({ code }: { code: string }) => code === 'writer');
      const action = 'plugin::content-manager.explorer.read';
      let before = tab.last();
      const kept = superTab.last();
      for (const [browser, fields] of [
        [sue, ['title', 'body']],
        [eva, ['body']],
      ] as const) {
        const permission = { fields, locales: null, conditions: [] };
        const changed = await browser.send('PUT', `roles/${id}`, {
          permissions: [{ action, subject: POST, permission }],
        });
        strictEqual(changed.status, 200, JSON.stringify(changed.body));
        await until('the change arrives', () => tab.last()!.session !== before!.session);
        deepStrictEqual(tab.last(), await versionsOf(editor));
        before = tab.last();
      }
      deepStrictEqual(superTab.last(), kept);
      tab.close();
      superTab.close();
    });

    it('reports a changed setting of the site and a changed form', async () => {
      const tab = await follow(server, sue.cookie);
      await until('the versions arrive', () => tab.events().length > 0);
      const { session, schema } = tab.last()!;
      strictEqual((await eva.send('PUT', 'site', { name: 'Harbour' })).status, 200);
      await until('the change arrives', () => tab.last()!.schema !== schema);
      deepStrictEqual(tab.last(), await versionsOf(sue));
      strictEqual(tab.last()!.session, session);
      tab.close();
    });

    it('ends when the project is replaced, and then begins with the new schema', async () => {
      const tab = await follow(server, sue.cookie);
      await until('the versions arrive', () => tab.events().length > 0);
      const { schema } = tab.last()!;
      const file = path.join(folder.dir, 'src/api/post/content-types/post/schema.json');
      const stored = JSON.parse(await readFile(file, 'utf8'));
      const { body: _removed, ...attributes } = stored.attributes;
      await writeFile(file, JSON.stringify({ ...stored, attributes }));
      await server.app.reload();
      await until('the stream ends', () => tab.isEnded());
      const next = await follow(server, sue.cookie);
      await until('the versions arrive', () => next.events().length > 0);
      notStrictEqual(next.last()!.schema, schema);
      deepStrictEqual(next.last(), await versionsOf(sue));
      next.close();
    });

    it('ends with the session, and is refused without one', async () => {
      const [tab, elsewhere] = [await follow(server, editor.cookie), await follow(other, editor.cookie)];
      const tabs = [tab, elsewhere];
      await until('the versions arrive', () => tabs.every((one) => one.events().length > 0));
      const { cookie } = editor;
      strictEqual((await editor.send('DELETE', 'session')).status, 204);
      await until('the streams end', () => tabs.every((one) => one.isEnded()));
      for (const one of tabs) deepStrictEqual(one.last(), { session: null, schema: null });
      strictEqual((await follow(server, cookie)).status, 401);
      strictEqual((await follow(server, undefined)).status, 401);
    });

    it('ends for a blocked administrator, however many tabs are open', async () => {
      await makeAdministrator(server, 'bea', 'writer');
      const bea = new Browser(server);
      await bea.signIn('bea');
      const tabs: Awaited<ReturnType<typeof follow>>[] = [];
      for (let index = 0; index < STREAMS; index++) tabs.push(await follow(server, bea.cookie));
      const { data: people } = (await sue.get('people')).body;
      const { id } = people.find(({ firstname }: { firstname: string | null }) => firstname === 'bea');
      strictEqual((await sue.send('POST', `people/${id}/block`)).status, 200);
      await until('the streams end', () => tabs.every((tab) => tab.isEnded()));
      strictEqual((await sue.send('POST', `people/${id}/unblock`)).status, 200);
      await bea.signIn('bea');
      const next = await follow(server, bea.cookie);
      strictEqual(next.status, 200);
      next.close();
    });

    it('needs no further look after a save, a note of presence, or the use of a session', async () => {
      const { database } = server.app;
      let changes = 0;
      const unsubscribe = database.subscribe({ afterCachedChange: () => void changes++ });
      const created = await sue.send('POST', `content/${POST}`, { data: { title: 'Tides' } });
      strictEqual(created.status, 201, JSON.stringify(created.body));
      await notePresence(database, 1, { uid: POST, documentId: created.body.data.documentId, locale: null });
      const sessions = 'update "galley_admin_sessions" set "used_at" = "used_at"';
      await database.transaction(async (tx) => void (await tx.rows(sessions, [])));
      strictEqual(changes, 0);
      strictEqual((await sue.send('PUT', 'site', { name: 'Quay' })).status, 200);
      strictEqual(changes, 1);
      unsubscribe();
    });

    it('is limited for each administrator', async () => {
      const tabs = [];
      for (let index = 0; index < STREAMS; index++) tabs.push(await follow(server, sue.cookie));
      strictEqual((await follow(server, sue.cookie)).status, 429);
      tabs.pop()!.close();
      await until('there is room for one', async () => {
        const tab = await follow(server, sue.cookie);
        tabs.push(tab);
        return tab.status === 200;
      });
      for (const tab of tabs) tab.close();
    });
  });
}

for (const engine of engines) {
  describe(`an open stream of changes, on ${engine.name}`, () => {
    it('reads no session as long as no process reports a change, however often it checks', async () => {
      const folder = await makeProject({ contentTypes: postWith({ title: { type: 'string' } }) });
      const database = await engine.databaseFor(folder);
      const env = { ...database.env, GALLEY_RECHECK_INTERVAL: '1' };
      const server = await serve(folder, { ...database, env });
      const other = await serve(folder, database);
      try {
        await makeAdministrator(server, 'sue', 'strapi-super-admin');
        const [here, elsewhere] = [new Browser(server), new Browser(other)];
        await here.signIn('sue');
        await elsewhere.signIn('sue');
        const { bell } = server.app.database;
        await until('changes are reported', () => bell?.isListening() ?? true);
        mock.timers.enable({ apis: ['setInterval'] });
        const tab = await follow(server, here.cookie);
        await until('the versions arrive', () => tab.events().length > 0);
        const look = async () => {
          mock.timers.tick(250);
          // a read that this has begun reaches the database meanwhile
          for (let round = 0; round < 20; round++) await other.app.database.rows('select 1', []);
        };
        // reads what was changed before
        for (let round = 0; round < 10; round++) await look();
        const reads = mock.method(server.app.database, 'rows');
        for (let round = 0; round < 20; round++) await look();
        reads.mock.restore();
        const texts = reads.mock.calls.map(({ arguments: [text] }) => text);
        deepStrictEqual(
          texts.filter((text) => text.includes('galley_admin_sessions')),
          [],
        );
        const { schema } = tab.last()!;
        strictEqual((await elsewhere.send('PUT', 'site', { name: 'Pier' })).status, 200);
        await until('the change arrives', async () => {
          await look();
          return tab.last()!.schema !== schema;
        });
        tab.close();
      } finally {
        mock.timers.reset();
        await other.stop();
        await server.stop();
        await database.drop();
        await folder.remove();
      }
    });
  });
}
