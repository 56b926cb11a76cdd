/** The recorded rules of files with an object store in the place of the local disk, public and private. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type ConformanceServer,
  type Outcome,
  replay,
  scenarioTitles,
  serveConformance,
} from '../../support/conformance/conformance.ts';
import { engines } from '../../support/databases/databases.ts';
import { type S3Server, startS3 } from '../../support/media/s3.ts';
import { asLocal, type Door } from '../../support/media/s3-as-local.ts';
import { withoutTrash } from '../../support/servers/project.ts';

const FILE = '40-media';

/** What the server itself does with files below `/uploads`. */
const LOCAL = ['files are served without a token, with type and length, HEAD and ranges'];

const titles = scenarioTitles(FILE).filter((title) => !LOCAL.includes(title));

for (const engine of engines) {
  for (const access of ['public', 'private'] as const) {
    describe(`files in a ${access} object store on ${engine.name}`, () => {
      let s3: S3Server;
      let conformance: ConformanceServer;
      let door: Door;
      let outcomes: readonly Outcome[] = [];
      before(async () => {
        s3 = await startS3(access);
        // the objects of files in the trash stay in the store
        conformance = await serveConformance(engine, s3.env(), withoutTrash);
        door = await asLocal(conformance.server.url, s3);
        const server = { ...conformance.server, url: door.url };
        outcomes = await replay({ ...conformance, server }, { engine: engine.name, files: [FILE] });
      });
      after(async () => {
        door?.close();
        await conformance?.server.stop();
        await s3?.stop();
      });

      for (const title of titles) {
        it(title, () => {
          const outcome = outcomes.find(({ label }) => label === `${FILE} / ${title}`);
          deepStrictEqual(outcome?.problems, []);
        });
      }

      it('leaves no object without a record', async () => {
        const { server } = conformance;
        const stored = new Set<string>();
        for await (const { key } of server.app.stores.storage.list()) stored.add(key);
        const rows = await server.app.database.rows('select url, formats from files', []);
        const named = rows.flatMap(([url, formats]) => {
          const parsed = (typeof formats === 'string' ? JSON.parse(formats) : formats) ?? {};
          return [url, ...Object.values(parsed as Record<string, { url: string }>).map((format) => format.url)];
        });
        const keys = named.map((url) => server.app.stores.storage.keyOf(String(url)));
        deepStrictEqual([...stored].sort(), [...new Set(keys)].sort());
      });
    });
  }
}
