/**
 * An import that is killed leaves the database and the media library as they were, or has arrived completely.
 * `IMPORT_KILLS=…` makes more kills, as `test/import-kills.ts` does.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { Random } from '../../model/random.ts';
import { ARCHIVES } from '../../support/archives.ts';
import { engines } from '../../support/databases/databases.ts';
import { spawnProcess } from '../../support/servers/process.ts';
import { copyProject } from '../../support/servers/project.ts';

const KILLS = Number(process.env['IMPORT_KILLS'] ?? 1);
const SEED = Number(process.env['IMPORT_SEED'] ?? 1);

/** Tables of content with their rows in the archive. */
const ROWS: Readonly<Record<string, number>> = {
  ...{ articles: 128, articles_cmps: 365, articles_tags_lnk: 246, files: 6, files_related_mph: 299, up_users: 4 },
  ...{ components_shared_links: 239, events_mentions_mph: 18 },
};

for (const engine of engines) {
  describe(`an import that is killed, on ${engine.name}`, () => {
    it('leaves nothing, or has arrived completely', { timeout: 60_000 + KILLS * 20_000 }, async () => {
      const random = new Random(SEED);
      const folder = await copyProject();
      const uploads = path.join(folder.dir, 'public/uploads');
      let longest = 2000;
      const outcomes = { all: 0, none: 0 };
      try {
        for (let kill = 0; kill < KILLS; kill += 1) {
          const database = await engine.databaseFor(folder);
          const { env } = database;
          await rm(uploads, { recursive: true, force: true });
          try {
            const words = ['import', path.join(ARCHIVES, 'full.tar.gz'), folder.dir];
            const begun = performance.now();
            const { child, ended } = spawnProcess(words, env);
            const timer = setTimeout(() => child.kill('SIGKILL'), random.below(Math.ceil(longest)));
            const { code, err } = await ended;
            clearTimeout(timer);
            if (code === 0) longest = performance.now() - begun;
            ok(code === 0 || code === null, err);
            const app = await openProject(folder.dir, { env, overrides: { port: 0, host: '127.0.0.1' } });
            try {
              await app.listen();
              const counts: Record<string, number> = {};
              for (const table of Object.keys(ROWS)) {
                const [row] = await app.database.rows(`select count(*) from ${table}`, []);
                counts[table] = Number(row![0]);
              }
              const files = (await readdir(uploads).catch(() => [])).filter((name) => !name.startsWith('.'));
              const isAll = counts['articles'] !== 0;
              deepStrictEqual(counts, isAll ? ROWS : Object.fromEntries(Object.keys(ROWS).map((table) => [table, 0])));
              strictEqual(files.length, isAll ? 14 : 0);
              outcomes[isAll ? 'all' : 'none'] += 1;
            } finally {
              await app.close();
            }
          } catch (error) {
            throw new Error(`kill ${kill} of seed ${SEED}`, { cause: error });
          } finally {
            await database.released();
            await database.drop();
          }
        }
      } finally {
        await folder.remove();
      }
      if (KILLS >= 20) ok(outcomes.all > 0 && outcomes.none > 0, JSON.stringify(outcomes));
    });
  });
}
