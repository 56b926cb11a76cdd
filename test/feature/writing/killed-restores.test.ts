/**
 * A server that is killed while it restores a version of a document, or a deleted document, with hundreds of links: all of
 * it is restored, or nothing. `RESTORE_KILLS=…` makes more kills, as `test/restore-kills.ts` does.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { type Deletion, listDeletions } from '../../../src/history/trash.ts';
import { restoreDeletion } from '../../../src/history/trash-restoring.ts';
import { Random } from '../../model/random.ts';
import { makeAdministrator, PASSWORD } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject, type RunningServer } from '../../support/servers/project.ts';

const KILLS = Number(process.env['RESTORE_KILLS'] ?? 2);
const SEED = Number(process.env['RESTORE_SEED'] ?? 1);
const LINKS = 300;

const PAGE = 'api::page.page';
const TAG = 'api::tag.tag';
const relation = { type: 'relation', relation: 'manyToMany' };
const drafts = { options: { draftAndPublish: true } };

const everyTag = { fields: ['name'], sort: 'name', limit: LINKS };

/** Restores a deleted document in this process. */
async function restoreIn({ catalog, layout, writer, reader, database, views }: App, deletion: Deletion): Promise<void> {
  const { code } = views;
  const editing: Parameters<typeof restoreDeletion>[0]['editing'] = {
    database,
    reader,
    together: (work) => database.transaction((tx) => work(tx, { steps: writer.inside(tx) })),
  };
  const restorer = { read: code, create: code, publish: code };
  const context = { catalog, layout, writer, whole: code.view, editing };
  await restoreDeletion(context, restorer, catalog.contentTypes.get(PAGE)!, deletion);
}

/** What readers see of pages and of the tags that they link, in both states. */
async function seen(app: App): Promise<string> {
  const states = (['draft', 'published'] as const).flatMap((status) => [
    app.documents(PAGE).findMany({ status, fields: ['title'], populate: { tags: { fields: ['name'] } } }),
    app.documents(TAG).findMany({ ...everyTag, status, populate: { pages: { fields: ['title'] } } }),
  ]);
  // rows that are restored have new ids
  return JSON.stringify(await Promise.all(states), (key, value: unknown) => (key === 'id' ? undefined : value));
}

for (const engine of engines) {
  describe(`a server killed while it restores, on ${engine.name}`, () => {
    it('restores all of a version or of a deleted document, or nothing', {
      timeout: 120_000 + KILLS * 20_000,
    }, async () => {
      const random = new Random(SEED);
      const folder = await makeProject({
        contentTypes: {
          page: contentType(
            'page',
            { title: { type: 'string' }, tags: { ...relation, target: TAG, inversedBy: 'pages' } },
            drafts,
          ),
          tag: contentType(
            'tag',
            { name: { type: 'string' }, pages: { ...relation, target: PAGE, mappedBy: 'tags' } },
            drafts,
          ),
        },
        files: {
          'config/admin.js': 'module.exports = { rateLimit: { enabled: false } };',
          'config/galley.json': { history: { interval: 0 } },
        },
      });
      const database = await engine.emptyDatabase();
      const env = { ...database.env };
      const within = async <T>(work: (app: App) => Promise<T>): Promise<T> => {
        const app = await openProject(folder.dir, { env });
        try {
          return await work(app);
        } finally {
          await app.close();
        }
      };
      try {
        const tags: string[] = [];
        const documentId = await within(async (app) => {
          await makeAdministrator({ app } as RunningServer, 'sue', 'strapi-super-admin');
          for (let n = 0; n < LINKS; n += 1) {
            const { documentId } = await app.documents(TAG).create({ data: { name: `tag ${n}` }, status: 'published' });
            tags.push(String(documentId));
          }
          const page = await app.documents(PAGE).create({ data: { title: 'first', tags }, status: 'published' });
          return String(page.documentId);
        });
        let longest = 1000;
        const outcomes = { all: 0, none: 0 };
        for (let kill = 0; kill < KILLS; kill += 1) {
          const isVersion = kill % 2 === 0;
          const { path, whole, nothing } = await within(async (app) => {
            const whole = await seen(app);
            if (isVersion) {
              const data = { title: `edition ${kill}`, tags: tags.toReversed().slice(kill % 100) };
              await app.documents(PAGE).update({ documentId, data });
              const [row] = await app.database.rows('select max(id) from galley_versions', []);
              const path = `content/${PAGE}/${documentId}/versions/${row![0]}/restore`;
              return { path, whole, nothing: await seen(app) };
            }
            await app.documents(PAGE).delete({ documentId });
            const [deletion] = await listDeletions(app.database, { uids: [PAGE] }, 1);
            return { path: `trash/${deletion!.id}/restore`, whole, nothing: await seen(app) };
          });
          const { child, url, ended } = await startProcess(folder.dir, env);
          let answer: Response | undefined;
          try {
            const headers = { origin: url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
            const body = JSON.stringify({ email: 'sue@example.com', password: PASSWORD });
            const signedIn = await fetch(`${url}/admin/api/session`, { method: 'POST', headers, body });
            strictEqual(signedIn.status, 200);
            const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
            const begun = performance.now();
            const timer = setTimeout(() => child.kill('SIGKILL'), random.below(longest));
            answer = await fetch(`${url}/admin/api/${path}`, {
              method: 'POST',
              headers: { ...headers, cookie, 'if-match': '*' },
              body: '{}',
            }).catch(() => undefined);
            clearTimeout(timer);
            if (answer) {
              strictEqual(answer.status, 200, await answer.text());
              longest = Math.ceil(performance.now() - begun);
            }
          } finally {
            child.kill('SIGKILL');
            await ended;
          }
          await database.released();
          await within(async (app) => {
            const is = await seen(app);
            ok(is === whole || is === nothing, `seed ${SEED}, kill ${kill}: ${is}`);
            if (answer) strictEqual(is, whole, 'an answered restoration is stored');
            outcomes[is === whole ? 'all' : 'none'] += 1;
            if (isVersion) return;
            const trash = await listDeletions(app.database, { uids: [PAGE] }, 10);
            deepStrictEqual(trash.length, is === whole ? 0 : 1, `seed ${SEED}, kill ${kill}`);
            if (is !== whole) {
              // the next restoration begins with the document
              await restoreIn(app, trash[0]!);
              strictEqual(await seen(app), whole);
            }
          });
        }
        if (KILLS >= 20) ok(outcomes.all > 0 && outcomes.none > 0, JSON.stringify(outcomes));
      } finally {
        await database.drop();
        await folder.remove();
      }
    });
  });
}
