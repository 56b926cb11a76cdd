/** A Strapi 5 project answers every recorded read as it did before. */
import { deepStrictEqual, fail, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { copyProject, FIXTURE_DIR, type RunningServer, serve } from '../../support/servers/project.ts';

interface RecordedRead {
  /** Name of an API token, or `public`. */
  readonly as: string;
  readonly request: string;
  readonly status: number;
  readonly response: unknown;
}

/** Where the recorded reads and the tokens of their callers are; the two databases hold different tokens. */
const recordings = {
  sqlite: { reads: 'reads.json', tokens: 'tokens.json' },
  postgres: { reads: 'reads-postgres.json', tokens: 'tokens-postgres.json' },
};

function fixtureJson<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(FIXTURE_DIR, name), 'utf8')) as T;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** An error's `details.hint` is an addition that the recording cannot have. */
function withoutHint(body: unknown): unknown {
  if (!isObject(body) || !isObject(body['error']) || !isObject(body['error']['details'])) return body;
  const { hint: _, ...details } = body['error']['details'];
  return { ...body, error: { ...body['error'], details } };
}

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
    const { reads, tokens } = recordings[engine.name];
    const recorded = fixtureJson<RecordedRead[]>(reads);
    const secrets = fixtureJson<Record<string, string>>(tokens);
    let server: RunningServer;

    before(async () => {
      server = await serve(await copyProject(), await engine.fixtureDatabase());
    });
    after(() => server?.stop());

    for (const { as, request, status, response } of recorded) {
      it(`${as} ${request}`, async () => {
        const [method = '', target = ''] = request.split(/ (.*)/s);
        const answer = await server.request(method, target, { token: secrets[as] });
        deepStrictEqual(withoutHint(answer.body), response);
        strictEqual(answer.status, status);
        const difference = orderDifference(response, answer.body);
        if (difference) fail(`key order: ${difference}`);
      });
    }
  });
}
