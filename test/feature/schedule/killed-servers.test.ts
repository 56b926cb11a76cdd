/** Servers that are killed while they publish what is due: every document is published once, and none in part. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { applyFixture } from '../../../src/cli/apply.ts';
import { actionContext, checkFixture } from '../../../src/cli/fixture-file.ts';
import { actingAs } from '../../../src/db/interface/account.ts';
import type { Actor } from '../../../src/db/interface/actor.ts';
import { addWebhook } from '../../../src/events/webhooks/webhook.ts';
import { addItems } from '../../../src/schedule/items.ts';
import { listTokens } from '../../../src/users/sessions/tokens.ts';
import { Random } from '../../model/random.ts';
import { engines } from '../../support/databases/databases.ts';
import { type StartedProcess, startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

/** `npm run test:long` (test/long.ts) sets more of them. */
const KILLS = Number(process.env['SCHEDULE_KILLS'] ?? 3);
const SERVERS = 2;
const POST = 'api::post.post';
const contentTypes = {
  post: contentType('post', { title: { type: 'string' } }, { options: { draftAndPublish: true } }),
};

for (const engine of engines) {
  describe(`servers that are killed while they publish, on ${engine.name}`, () => {
    it(`publish every document once, with ${KILLS} kills`, async () => {
      const folder = await makeProject({ contentTypes });
      const database = await engine.databaseFor(folder);
      const app = await openProject(folder.dir, {
        env: { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' },
      });
      const running = new Set<StartedProcess>();
      const start = async () => void running.add(await startProcess(folder.dir, database.env));
      const count = async (text: string) => Number((await app.database.rows(text, []))[0]![0]);
      try {
        const fixture = checkFixture('test', { tokens: [{ name: 'full', type: 'full-access' }] }, actionContext(app));
        await applyFixture(app, fixture, new Map());
        const [token] = await listTokens(app.database);
        const actor: Actor = { kind: 'token', id: token!.id, name: 'full', address: null };
        // every publication is written down in its transaction, for a receiver that does not answer
        const webhook = { name: 'w', url: 'http://127.0.0.1:9/', headers: {}, events: ['entry.publish'] };
        await app.database.transaction((tx) => addWebhook(tx, webhook));
        const documents = KILLS * 60;
        const ids: string[] = [];
        for (let n = 0; n < documents; n++) {
          ids.push(
            ((await app.documents(POST).create({ data: { title: `${n}` } })) as { documentId: string }).documentId,
          );
        }
        const now = Date.now();
        const items = ids.map((target) => ({
          ...{ kind: 'document', contentType: POST, target, dueAt: now - 1000 },
          subject: { action: 'publish', locale: null },
        }));
        await actingAs(actor, () => app.database.transaction((tx) => addItems(tx, items, now)));
        const random = new Random(4);
        const done = () => count(`select count(*) from galley_scheduled where state = 'done'`);
        await Promise.all(Array.from({ length: SERVERS }, start));
        for (let kill = 0; kill < KILLS; kill++) {
          const enough = Math.min((await done()) + 1 + random.below(20), documents - KILLS + kill);
          await until('some are published', async () => (await done()) >= enough);
          const [victim] = running;
          running.delete(victim!);
          victim!.child.kill('SIGKILL');
          await victim!.ended;
          await start();
        }
        await until('all are published', async () => (await done()) === documents);
        const deliveries = `from galley_webhook_deliveries where event = 'entry.publish'`;
        strictEqual(await count(`select count(*) ${deliveries}`), documents);
        strictEqual(await count(`select count(distinct document_id) ${deliveries}`), documents);
        const published = 'from posts where published_at is not null';
        strictEqual(await count(`select count(*) ${published}`), documents);
        strictEqual(await count(`select count(distinct document_id) ${published}`), documents);
      } finally {
        for (const { child, ended } of running) {
          child.kill('SIGKILL');
          await ended;
        }
        await app.close();
        await database.drop();
        await folder.remove();
      }
    });
  });
}
