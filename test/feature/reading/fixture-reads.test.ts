/** A Strapi 5 project answers every recorded read as it did before. */
import { deepStrictEqual, fail, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { askAgain, isObject, recordedOn, withoutHint } from '../../support/recording/recorded-reads.ts';
import { copyProject, type RunningServer, serve } from '../../support/servers/project.ts';

/**
 * The keys of a whole document up to its last system field: id, documentId, then as recorded. Populated keys behind
 * them stand in an order that the reference leaves to chance (it depends on which of them are empty).
 */
function fixedKeys(keys: readonly string[]): string[] {
  const last = Math.max(keys.indexOf('publishedAt'), keys.indexOf('locale'));
  const fields = keys.slice(0, last + 1).filter((key) => key !== 'id' && key !== 'documentId');
  return [...['id', 'documentId'].filter((key) => keys.includes(key)), ...fields];
}

/** The first object with an id, so a document, component or file, whose fields stand in another order. */
function orderDifference(expected: unknown, got: unknown, at = 'body'): string | undefined {
  if (!isObject(expected) || !isObject(got)) return undefined;
  if ('id' in expected) {
    const wanted = fixedKeys(Object.keys(expected));
    const found = Object.keys(got).slice(0, wanted.length);
    if (wanted.join() !== found.join()) return `${at}: expected ${wanted}, got ${found}`;
  }
  for (const key of Object.keys(expected)) {
    const difference = orderDifference(expected[key], got[key], `${at}.${key}`);
    if (difference) return difference;
  }
  return undefined;
}

for (const engine of engines) {
  describe(`recorded reads on ${engine.name}`, () => {
    const { recorded, secrets } = recordedOn(engine.name);
    let server: RunningServer;

    before(async () => {
      server = await serve(await copyProject(), await engine.fixtureDatabase());
    });
    after(() => server?.stop());

    for (const read of recorded) {
      const { as, request, status, response } = read;
      it(`${as} ${request}`, async () => {
        const answer = await askAgain(server, read, secrets);
        deepStrictEqual(withoutHint(answer.body), response);
        strictEqual(answer.status, status);
        const difference = orderDifference(response, answer.body);
        if (difference) fail(`key order: ${difference}`);
      });
    }
  });
}
