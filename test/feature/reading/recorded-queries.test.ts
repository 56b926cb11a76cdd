/** Every read of the recorded scenarios about queries answers as recorded, on content seeded by SQL. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { canSeed, replayReads, scenariosOf } from '../../support/conformance/scenarios.ts';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const FILES = [
  '10-filters.json',
  '11-sort-pagination-fields.json',
  '12-populate.json',
  '21-publication-filter.json',
  '22-locales.json',
  '41-access.json',
];

for (const engine of engines) {
  describe(`recorded queries on ${engine.name}`, () => {
    let server: SeededServer;

    before(async () => {
      server = await serveScenarioProject(engine);
    });
    after(() => server?.stop());

    for (const file of FILES) {
      for (const scenario of scenariosOf(file)) {
        it(`${file.slice(0, 2)}: ${scenario.title}`, async (t) => {
          if (!canSeed(server.app, scenario)) return t.skip('writes more than content');
          await server.seeder.clear();
          deepStrictEqual(await replayReads(scenario, server, server.seeder, server.secrets, engine.name), []);
        });
      }
    }
  });
}
