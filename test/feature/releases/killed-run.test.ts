/**
 * A server that is killed while it runs a release: all of its documents are published, or none. `RELEASE_KILLS=…` makes
 * more kills, as `test/release-kills.ts` does.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { addActions, createRelease, findRelease } from '../../../src/releases/releases.ts';
import { Random } from '../../model/random.ts';
import { makeAdministrator, PASSWORD } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { INHERITED, PROGRAM } from '../../support/servers/process.ts';
import { contentType, makeProject, type RunningServer } from '../../support/servers/project.ts';

const KILLS = Number(process.env['RELEASE_KILLS'] ?? 2);
const SEED = Number(process.env['RELEASE_SEED'] ?? 1);
const DOCUMENTS = 500;

const drafts = { options: { draftAndPublish: true } };
const TAG = 'api::tag.tag';

interface Child {
  readonly process: ChildProcess;
  readonly url: string;
}

async function start(dir: string, env: Readonly<Record<string, string>>): Promise<Child> {
  const child = spawn(process.execPath, [PROGRAM, 'start', dir, '--port', '0', '--host', '127.0.0.1'], {
    env: { ...INHERITED, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk as string;
    const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\/_health/.exec(text) ?? [];
    if (url) return { process: child, url };
  }
  throw new Error(`the server did not start: ${text}`);
}

/** A new release of all tags. */
async function prepare(app: App, type: 'publish' | 'unpublish'): Promise<number> {
  const rows = await app.database.rows('select distinct document_id from tags', []);
  const actions = rows.map(([documentId]) => ({ type, uid: TAG, documentId: String(documentId), locale: null }));
  return app.database.transaction(async (tx) => {
    const plan = { name: `${type} ${Math.random()}`, scheduledAt: null, timezone: null };
    const id = await createRelease(tx, plan, 1, Date.now());
    await addActions(tx, await findRelease(tx, id), actions, Date.now());
    return id;
  });
}

for (const engine of engines) {
  describe(`a server killed while it runs a release, on ${engine.name}`, () => {
    it('publishes all documents or none', { timeout: 120_000 + KILLS * 20_000 }, async () => {
      const random = new Random(SEED);
      const folder = await makeProject({
        contentTypes: { tag: contentType('tag', { name: { type: 'string' } }, drafts) },
        files: { 'config/admin.js': 'module.exports = { rateLimit: { enabled: false } };' },
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
      const stateOf = (app: App) => app.database.rows('select count(*) from tags where published_at is not null', []);
      try {
        await within(async (app) => {
          await makeAdministrator({ app } as RunningServer, 'sue', 'strapi-super-admin');
          for (let n = 0; n < DOCUMENTS; n++) {
            await app.documents(TAG).create({ data: { name: `tag ${n}` }, status: 'draft' });
          }
        });
        let published = 0;
        let longest = 3000;
        const outcomes = { all: 0, none: 0 };
        for (let kill = 0; kill < KILLS; kill += 1) {
          const type = published === 0 ? 'publish' : 'unpublish';
          const id = await within((app) => prepare(app, type));
          const child = await start(folder.dir, env);
          const ended = once(child.process, 'exit');
          const origin = child.url;
          const headers = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
          const body = JSON.stringify({ email: 'sue@example.com', password: PASSWORD });
          const signedIn = await fetch(`${child.url}/admin/api/session`, { method: 'POST', headers, body });
          strictEqual(signedIn.status, 200);
          const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
          const begun = performance.now();
          const timer = setTimeout(() => child.process.kill('SIGKILL'), random.below(longest));
          const answer = await fetch(`${child.url}/admin/api/releases/${id}/run`, {
            method: 'POST',
            headers: { ...headers, cookie },
          }).catch(() => undefined);
          clearTimeout(timer);
          if (answer) {
            strictEqual(answer.status, 200, await answer.text());
            longest = Math.ceil(performance.now() - begun);
          }
          child.process.kill('SIGKILL');
          await ended;
          await database.released();
          await within(async (app) => {
            const count = Number((await stateOf(app))[0]![0]);
            const release = await findRelease(app.database, id);
            ok(count === 0 || count === DOCUMENTS, `seed ${SEED}, kill ${kill}: ${count} documents are published`);
            deepStrictEqual(release.releasedAt !== null, count !== published, `seed ${SEED}, kill ${kill}`);
            if (answer) ok(release.releasedAt !== null, 'an answered run is stored');
            outcomes[count === published ? 'none' : 'all'] += 1;
            published = count;
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
