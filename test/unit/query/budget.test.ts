/** The limits of queries and bodies: values at a limit are accepted, values beyond it are refused. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget, type Charge, checkDepth, readLimits } from '../../../src/query/budget.ts';
import { parseParams, queryLimits } from '../../../src/query/params.ts';
import { MAX_ENTRIES, parseMedia, parseRelation } from '../../../src/query/relation-payload.ts';
import { outcomeOf, table } from '../../support/tables.ts';

const charged = (text: string): string => {
  const budget = new Budget();
  for (const part of text.split(' ')) {
    const [what, count] = part.split(':');
    budget.charge(what as Charge, count === undefined ? undefined : Number(count));
  }
  return (Object.keys(readLimits) as Charge[])
    .filter((what) => budget.spent(what) > 0)
    .map((what) => `${what} ${budget.spent(what)}`)
    .join(', ');
};

const taken = (run: () => unknown): string =>
  outcomeOf(() => {
    run();
    return 'taken';
  });
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

describe('limits', () => {
  table('charges of one request add up', charged, [
    ['populated', 'populated 1'],
    ['populated populated:4 sortKeys', 'populated 5, sortKeys 1'],
    ['filterSteps:20 filterSteps:30', 'filterSteps 50'],
    ['members:0', ''],
    ['filterSteps:50 filterTests:400 sortKeys:100', 'filterSteps 50, filterTests 400, sortKeys 100'],
    ['filterSteps:50 filterSteps:0', 'filterSteps 50'],
  ]);

  table('what is beyond a charge tells what a request can do', charged, [
    ['populated:1000 populated', 'ValidationError: A request can populate at most 1000 relations'],
    ['populateNames:1001', 'ValidationError: A request can populate at most 1000 relations'],
    ['filterSteps:50 filterSteps', 'ValidationError: A request can filter through at most 50 relations'],
    ['filterTests:401', 'ValidationError: A request can filter with at most 400 comparisons'],
    ['sortKeys:100 sortKeys', 'ValidationError: A request can sort by at most 100 keys'],
    ['sortSteps:41', 'ValidationError: A request can sort through at most 40 relations'],
    ['sortLists:21', 'ValidationError: A request can sort through at most 20 lists of relations'],
    [
      'members:10001',
      'ValidationError: A request can read at most 10000 fields, those of populated relations included',
    ],
  ]);

  it('hold at their number, for every charge', () => {
    for (const what of Object.keys(readLimits) as Charge[]) {
      strictEqual(
        taken(() => new Budget().charge(what, readLimits[what])),
        'taken',
        what,
      );
      strictEqual(taken(() => new Budget().charge(what, readLimits[what] + 1)).startsWith('Val'), true, what);
    }
  });

  it('bound how many relations follow each other', () => {
    strictEqual(
      taken(() => checkDepth('populate', queryLimits.relationDepth)),
      'taken',
    );
    strictEqual(
      taken(() => checkDepth('sort', queryLimits.relationDepth + 1)),
      'ValidationError: sort can follow at most 15 relations in a row',
    );
  });

  it('bound the parameters of a query string', () => {
    const query = (count: number) => times(count, (n) => `p${n}=1`).join('&');
    strictEqual(Object.keys(parseParams(query(queryLimits.parameters))).length, 1000);
    strictEqual(
      taken(() => parseParams(query(queryLimits.parameters + 1))),
      'ValidationError: The query string can have at most 1000 parameters',
    );
  });

  it('bound the entries of a list in a query string, in each of its forms', () => {
    const forms: ((n: number) => string)[] = [(n) => `a[b][${n}]=1`, () => 'a[b][]=1', () => 'a[b]=1'];
    for (const form of forms) {
      const query = (count: number) => times(count, form).join('&');
      const { b } = parseParams(query(queryLimits.listEntries))['a'] as { b: unknown[] };
      strictEqual(b.length, 100, form(1));
      strictEqual(
        taken(() => parseParams(query(queryLimits.listEntries + 1))),
        'ValidationError: A list in the query string can have at most 100 entries',
        form(1),
      );
    }
  });

  it('turn levels beyond the limit of brackets into one key', () => {
    const query = (levels: number) => `a${'[b]'.repeat(levels)}=1`;
    const innermost = (value: unknown): string[] =>
      typeof value === 'object' && value !== null
        ? Object.keys(value).concat(...Object.values(value).map(innermost))
        : [];
    strictEqual(innermost(parseParams(query(queryLimits.depth))).at(-1), 'b');
    strictEqual(innermost(parseParams(query(queryLimits.depth + 2))).at(-1), '[b][b]');
  });

  it('bound the entries of a list in a body', () => {
    const entries = (count: number) => times(count, (n) => `d${n}`);
    const refused = `tags can have at most ${MAX_ENTRIES} entries at once`;
    for (const value of [entries, (n: number) => ({ connect: entries(n) }), (n: number) => ({ set: entries(n) })]) {
      strictEqual(
        taken(() => parseRelation(value(MAX_ENTRIES), 'tags')),
        'taken',
      );
      strictEqual(taken(() => parseRelation(value(MAX_ENTRIES + 1), 'tags')).includes(refused), true);
    }
    strictEqual(
      taken(() => parseMedia(entries(MAX_ENTRIES), 'tags', new Set())),
      'taken',
    );
    strictEqual(taken(() => parseMedia(entries(MAX_ENTRIES + 1), 'tags', new Set())).includes(refused), true);
  });
});
