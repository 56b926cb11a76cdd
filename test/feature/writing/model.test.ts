/**
 * Random writes against a model of the rules, on both engines. `MODEL_SEED=… MODEL_STEPS=…` replays one sequence,
 * `MODEL_RUNS=…` runs more of them, as `npm run test:long` does, `MODEL_ENGINE=…` and `MODEL_PROJECT=…` choose.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeModelProject, makePairsProject } from '../../model/project.ts';
import { Runner, seedsOf } from '../../model/run.ts';
import { readSchema, type Schema } from '../../model/schema.ts';
import { engines } from '../../support/databases/databases.ts';
import type { ProjectFolder } from '../../support/servers/project.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const { env } = process;
const FIRST_SEED = Number(env['MODEL_SEED'] ?? 1);
const STEPS = Number(env['MODEL_STEPS'] ?? 25);
const RUNS = Number(env['MODEL_RUNS'] ?? (env['MODEL_SEED'] ? 1 : 2));

const projects: Readonly<Record<string, () => Promise<ProjectFolder>>> = {
  relations: makeModelProject,
  pairs: makePairsProject,
  conformance: () => copyProject(CONFORMANCE_DIR),
};

// while one engine is waited for, the other has something to do
describe('random writes', { concurrency: engines.length }, () => {
  for (const [name, makeFolder] of Object.entries(projects)) {
    if (env['MODEL_PROJECT'] && env['MODEL_PROJECT'] !== name) continue;
    for (const engine of engines) {
      if (env['MODEL_ENGINE'] && env['MODEL_ENGINE'] !== engine.name) continue;
      describe(`of the ${name} project on ${engine.name}`, () => {
        let server: SeededServer;
        let schema: Schema;
        before(async () => {
          const folder = await makeFolder();
          // every replaced state is recorded
          await mkdir(path.join(folder.dir, 'config'), { recursive: true });
          await writeFile(path.join(folder.dir, 'config/galley.json'), '{ "history": { "interval": 0 } }');
          schema = readSchema(folder.dir);
          server = await serveSeeded(engine, folder);
        });
        after(() => server?.stop());

        it('leave the state that the model of the rules expects', async () => {
          const runner = new Runner(server, schema);
          for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1) {
            const seeds = seedsOf({ seed, steps: STEPS });
            const failure = await runner.run(seeds);
            if (!failure) continue;
            const shortest = await runner.shrink(seeds, failure);
            const lines: string[] = [];
            const last = await runner.run(shortest, (line) => lines.push(line));
            const replay = `MODEL_SEED=${seed} MODEL_STEPS=${STEPS} MODEL_ENGINE=${engine.name} MODEL_PROJECT=${name}`;
            deepStrictEqual(
              last?.message ?? failure.message,
              undefined,
              `${replay}\n${lines.join('\n')}\n${last?.message}`,
            );
          }
        });
      });
    }
  }
});
