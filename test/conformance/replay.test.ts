/** The recorded scenarios, each a subtest, on both engines; and a comparison of the answers with the description. */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Views } from '../../src/access/views.ts';
import { describeApi } from '../../src/http/openapi/document.ts';
import { type ConformanceServer, type Outcome, replay, scenarioTitles, serveConformance } from '../support/conformance/conformance.ts';
import { type Description, Judge, standInFront } from '../support/conformance/judge.ts';
import { engines } from '../support/databases/databases.ts';

/** Files below `scenarios/` that are replayed. */
const REPLAYED = [
  '00-smoke',
  '10-filters',
  '11-sort-pagination-fields',
  '12-populate',
  '20-publication',
  '21-publication-filter',
  '22-locales',
  '30-attributes',
  '31-relations',
  '32-components',
  '40-media',
  '41-access',
  '42-users',
  '43-http',
  '50-accounts',
];

/** Scenarios of these files that upload files or ask for the previous response format, which is not there yet. */
const AWAITED = [
  '41-access / a read-only token on files and other services: only actions named find or findOne',
  '41-access / a custom token without upload actions',
];

const titles = REPLAYED.map((file) => ({ file, titles: scenarioTitles(file) }));
const labels = titles
  .flatMap(({ file, titles }) => titles.map((title) => `${file} / ${title}`))
  .filter((label) => !AWAITED.includes(label));

for (const engine of engines) {
  describe(`conformance on ${engine.name}`, () => {
    let conformance: ConformanceServer;
    let outcomes: readonly Outcome[] = [];
    let judge: Judge;
    before(async () => {
      conformance = await serveConformance(engine);
      const { catalog, code, config } = conformance.server.app;
      const { prefix, createdStatus } = config.rest;
      judge = new Judge(describeApi({
        ...{ title: 'Content API', version: '1.0.0', viewer: new Views(catalog).full, hears: true, own: [], isKnown: true },
        ...{ routes: code.routes, prefix, createdStatus },
      }) as unknown as Description);
      const front = await standInFront(conformance.server.url, judge);
      const through = { ...conformance, server: { ...conformance.server, url: front.url } };
      outcomes = await replay(through, { engine: engine.name, files: REPLAYED }).finally(() => front.close());
    });
    after(() => conformance?.server.stop());

    it('is answered as the description of the API documents', () => {
      deepStrictEqual([...judge.failures], []);
      ok(judge.judged > 1000, `${judge.judged} answers`);
    });

    for (const label of labels) {
      it(label, () => {
        const outcome = outcomes.find((candidate) => candidate.label === label);
        deepStrictEqual(outcome?.problems, []);
      });
    }
  });
}
