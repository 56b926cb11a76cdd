/** Reads of the reference that were recorded on the databases of `test/fixtures/strapi-project`. */
import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FIXTURE_DIR, type RunningServer } from '../servers/project.ts';

export interface RecordedRead {
  /** Name of an API token, or `public`. */
  readonly as: string;
  readonly request: string;
  readonly status: number;
  readonly response: unknown;
  /** Whether the answer depends on how the recorded database compares and sorts text. */
  readonly engine?: boolean;
}

/** Where the recorded reads and the tokens of their callers are; the two databases hold different tokens. */
const RECORDINGS = {
  sqlite: { reads: 'reads.json', tokens: 'tokens.json' },
  postgres: { reads: 'reads-postgres.json', tokens: 'tokens-postgres.json' },
};

/** The recorded reads on the database of an engine, and the secrets of the tokens by their names. */
export function recordedOn(engine: keyof typeof RECORDINGS) {
  const { reads, tokens } = RECORDINGS[engine];
  return {
    recorded: fixtureJson<RecordedRead[]>(reads),
    secrets: fixtureJson<Record<string, string>>(tokens),
  };
}

function fixtureJson<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(FIXTURE_DIR, name), 'utf8')) as T;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** An error's `details.hint` is an addition that the recording cannot have. */
export function withoutHint(body: unknown): unknown {
  if (!isObject(body) || !isObject(body['error']) || !isObject(body['error']['details'])) return body;
  const { hint: _, ...details } = body['error']['details'];
  return { ...body, error: { ...body['error'], details } };
}

/** The answer of a server to a recorded read. */
export function askAgain(server: RunningServer, { as, request }: RecordedRead, secrets: Record<string, string>) {
  const [method = '', target = ''] = request.split(/ (.*)/s);
  return server.request(method, target, { token: secrets[as] });
}

/** Fails for the first recorded read that a server answers otherwise. */
export async function answersAsRecorded(
  server: RunningServer,
  recorded: readonly RecordedRead[],
  secrets: Record<string, string>,
): Promise<void> {
  for (const read of recorded) {
    const { status, body } = await askAgain(server, read, secrets);
    const { request, status: expected, response } = read;
    deepStrictEqual({ request, status, body: withoutHint(body) }, { request, status: expected, body: response });
  }
}
