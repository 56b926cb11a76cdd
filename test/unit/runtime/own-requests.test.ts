/** The schemas of requests to a route of `src/galley`: refusals, and the schema of a body. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContentError } from '../../../src/errors.ts';
import { checkedRequest } from '../../../src/runtime/galley/own-requests.ts';

const asked = (body: unknown) => ({ params: {}, query: {}, body });
const refusing = (error: unknown) => ({ safeParse: () => ({ success: false as const, error }) });
const taking = (data: unknown) => ({ safeParse: () => ({ success: true as const, data }) });

/** What is told of a body that a schema refuses. */
function toldOf(error: unknown): { readonly message: string; readonly details: Record<string, unknown[]> } {
  let told: unknown;
  throws(
    () => checkedRequest({ body: { 'application/json': refusing(error) as never } }, asked({}), 'application/json'),
    (thrown) => {
      told = thrown;
      return true;
    },
  );
  return told as ContentError & { details: Record<string, unknown[]> };
}

describe('a request that a schema refuses', () => {
  it('is reported within limits, for any number of issues, without reading its message', () => {
    const issues = Array.from({ length: 200_000 }, (_, n) => ({ path: ['items', n], message: 'no text' }));
    const error = Object.defineProperty({ issues }, 'message', {
      get: () => {
        throw new Error('it is all of them');
      },
    });
    const { message, details } = toldOf(error);
    deepStrictEqual([message, details['errors']!.length], ['200000 errors occurred', 30]);
    deepStrictEqual(details['errors']![1], {
      path: ['body', 'items', '1'],
      message: 'no text',
      name: 'ValidationError',
    });
    strictEqual(JSON.stringify(details).length < 10_000, true);
  });

  it('is refused independent of the schema', () => {
    for (const error of [undefined, {}, { issues: [] }, { issues: [], message: 5 }]) {
      strictEqual(toldOf(error).message, 'Invalid value');
    }
    strictEqual(toldOf({ message: 'no' }).message, 'no');
  });
});

describe('the schema of a body', () => {
  it('is found by its type, in any case and with any parameters, and by a pattern', () => {
    const body = {
      'Application/JSON; charset=utf-8': taking('json'),
      'text/*': taking('any text'),
      'text/csv': taking('csv'),
    };
    const made = (type: string) => checkedRequest({ body: body as never }, asked('sent'), type).body;
    deepStrictEqual(['application/json', 'text/csv', 'text/plain', ''].map(made), ['json', 'csv', 'any text', 'json']);
    throws(() => made('image/png'), /must be of the type/);
  });
});
