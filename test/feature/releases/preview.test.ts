/**
 * `?release=` against what a release really does: random documents, random releases, and random reads of all shapes,
 * first as a preview and then after the release has run. `PREVIEW_SEED=… PREVIEW_ENGINE=…` replays one round,
 * `PREVIEW_ROUNDS=…` and `PREVIEW_READS=…` make more.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeModelProject, makePairsProject } from '../../model/project.ts';
import { Random } from '../../model/random.ts';
import { randomRead } from '../../model/random-reads.ts';
import { Runner, seedsOf } from '../../model/run.ts';
import { readSchema, type Schema } from '../../model/schema.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import type { ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const { env } = process;
const FIRST_SEED = Number(env['PREVIEW_SEED'] ?? 1);
const ROUNDS = Number(env['PREVIEW_ROUNDS'] ?? 1);
const READS = Number(env['PREVIEW_READS'] ?? 100);
const STEPS = Number(env['PREVIEW_STEPS'] ?? 30);

const projects: Readonly<Record<string, () => Promise<ProjectFolder>>> = {
  relations: makeModelProject,
  pairs: makePairsProject,
};

interface Version {
  readonly contentType: string;
  readonly documentId: string;
  readonly locale: string | null;
}

describe('previews of releases', { concurrency: engines.length }, () => {
  for (const [name, makeFolder] of Object.entries(projects)) {
    if (env['PREVIEW_PROJECT'] && env['PREVIEW_PROJECT'] !== name) continue;
    for (const engine of engines) {
      if (env['PREVIEW_ENGINE'] && env['PREVIEW_ENGINE'] !== engine.name) continue;
      describe(`of the ${name} project on ${engine.name}`, () => {
        let server: SeededServer;
        let schema: Schema;
        let sue: Browser;
        before(async () => {
          const folder = await makeFolder();
          // the runner expects that every replaced state is recorded
          await mkdir(path.join(folder.dir, 'config'), { recursive: true });
          await writeFile(path.join(folder.dir, 'config/galley.json'), '{ "history": { "interval": 0 } }');
          schema = readSchema(folder.dir);
          server = await serveSeeded(engine, folder);
          await makeAdministrator(server, 'sue', 'strapi-super-admin');
          sue = new Browser(server);
          await sue.signIn('sue');
        });
        after(() => server?.stop());

        it('answer as if the release had run', async () => {
          const runner = new Runner(server, schema);
          for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed += 1) {
            strictEqual(await runner.fill(seedsOf({ seed, steps: STEPS })), undefined);
            const random = new Random(seed);
            const versions = await versionsIn();
            const actions = random
              .some(versions, 12)
              .map((version) => ({ ...version, type: random.chance(0.75) ? 'publish' : 'unpublish' }));
            if (actions.length > 0) await compare(seed, actions, versions);
            await runner.empty();
          }
        });

        async function versionsIn(): Promise<Version[]> {
          const versions: Version[] = [];
          for (const { uid, table, drafts, localized, isComponent } of schema.values()) {
            if (isComponent || !drafts) continue;
            const rows = await server.app.database.rows(
              `select document_id, locale from "${table}" group by 1, 2 order by min(id)`,
              [],
            );
            for (const [documentId, locale] of rows) {
              versions.push({
                contentType: uid,
                documentId: String(documentId),
                locale: localized ? String(locale) : null,
              });
            }
          }
          return versions;
        }

        async function compare(
          seed: number,
          actions: readonly (Version & { type: string })[],
          versions: readonly Version[],
        ) {
          const made = await sue.send('POST', 'releases', { name: `release ${seed}` });
          const { id } = (made.body as { data: { id: number } }).data;
          strictEqual((await sue.send('POST', `releases/${id}/actions`, { actions })).status, 201);
          const documents = new Map<string, string[]>();
          for (const { contentType, documentId } of versions) {
            documents.set(contentType, [...(documents.get(contentType) ?? []), documentId]);
          }
          const source = { schema, documents };
          const reads = Array.from({ length: READS }, () => randomRead(source, new Random(seed).below(2 ** 31)));
          const seeds = new Random(seed * 7919);
          for (const n of reads.keys()) reads[n] = randomRead(source, seeds.below(2 ** 31));
          const previews: unknown[] = [];
          for (const read of reads) previews.push(await answerOf(`${read}&release=release ${seed}`));
          const run = await sue.send('POST', `releases/${id}/run`);
          strictEqual(run.status, 200, run.text);
          for (const [n, read] of reads.entries()) {
            const replay = `PREVIEW_SEED=${seed} PREVIEW_ENGINE=${engine.name} PREVIEW_PROJECT=${name} read ${n}`;
            deepStrictEqual(previews[n], await answerOf(read), `${replay}: ${read}\n${JSON.stringify(actions)}`);
          }
        }

        async function answerOf(target: string): Promise<unknown> {
          const { status, body } = await server.get(`/api/${target}`, server.secrets['full']);
          return { status, body: comparable(body) };
        }
      });
    }
  }
});

/** An answer without the ids of rows, which first publications get later, and with the fact of publication alone. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key === 'id') return [];
    if (key === 'publishedAt') return [[key, inner !== null]];
    return [[key, comparable(inner)]];
  });
  return Object.fromEntries(entries);
}
