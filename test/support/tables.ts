/** Tests of pure functions as tables: the input, and the printed result or refusal. */
import { deepStrictEqual } from 'node:assert/strict';
import { it } from 'node:test';
import { ContentError } from '../../src/errors.ts';

export type Row = readonly [given: string, outcome: string];

/** A test that holds every row of a table; what differs is told row by row. */
export function table(name: string, print: (given: string) => string, rows: readonly Row[]): void {
  it(name, () => {
    deepStrictEqual(
      rows.map(([given]): Row => [given, outcomeOf(() => print(given))]),
      rows,
    );
  });
}

/** The text that a function gives, or the refusal that it throws: `ValidationError: message {details}`. */
export function outcomeOf(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const details = JSON.stringify(error.details ?? {});
    return `${error.name}: ${error.message}${details === '{}' ? '' : ` ${details}`}`;
  }
}
