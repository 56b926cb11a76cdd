/**
 * Limits of one read. A query string of 16 KiB can name more than any engine reads in a reasonable time, and a few
 * names that many types share can stand for millions of relations. So code that builds a part of a read, from the
 * permitted tree to the SQL text, charges the budget first. `docs/reference/limits.md` lists the limits.
 */
import { validation } from '../errors.ts';
import { queryLimits } from './params.ts';

/** Counts are totals of the request, populated relations included. */
export const readLimits = {
  /** Relations, components, zones and their kinds that are populated, each as often as the answer can contain it. */
  populated: 1000,
  /** Names within dotted names of `populate`, each for every type that it is looked up on. */
  populateNames: 1000,
  /** Relations that filters go through: planners take quadratic time over them. */
  filterSteps: 50,
  /** Comparisons that filters make, all of which may be made for every row. */
  filterTests: 400,
  /** Comparisons that decide which rows the caller may see, as often as the statement makes them. */
  rowTests: 4000,
  /** Keys to sort by. */
  sortKeys: 100,
  /** Relations that keys to sort by go through. */
  sortSteps: 40,
  /** Those of them that lead to lists: each takes a pass over all of its links. */
  sortLists: 20,
  /** Keys of the objects that a statement builds, those of populated relations included. */
  members: 10_000,
} as const;

export type Charge = keyof typeof readLimits;

/** How a refusal names each limit. */
const MOST: Readonly<Record<Charge, (limit: number) => string>> = {
  populated: (limit) => `populate at most ${limit} relations`,
  populateNames: (limit) => `populate at most ${limit} relations`,
  filterSteps: (limit) => `filter through at most ${limit} relations`,
  filterTests: (limit) => `filter with at most ${limit} comparisons`,
  rowTests: (limit) => `make at most ${limit} comparisons to decide which rows its caller may see`,
  sortKeys: (limit) => `sort by at most ${limit} keys`,
  sortSteps: (limit) => `sort through at most ${limit} relations`,
  sortLists: (limit) => `sort through at most ${limit} lists of relations`,
  members: (limit) => `read at most ${limit} fields, those of populated relations included`,
};

/** Counts of one request. */
export class Budget {
  readonly #spent: Record<Charge, number> = {
    populated: 0,
    populateNames: 0,
    filterSteps: 0,
    filterTests: 0,
    rowTests: 0,
    sortKeys: 0,
    sortSteps: 0,
    sortLists: 0,
    members: 0,
  };

  /**
   * Charges for a part before it is built.
   *
   * @throws ContentError 400 that names the limit, where the request would exceed it.
   */
  charge(kind: Charge, count = 1): void {
    this.#spent[kind] += count;
    if (this.#spent[kind] > readLimits[kind]) throw validation(`A request can ${MOST[kind](readLimits[kind])}`);
  }

  /** Amount charged so far. */
  spent(kind: Charge): number {
    return this.#spent[kind];
  }
}

/**
 * Refuses a chain of more relations than engines can nest.
 *
 * @param param the parameter with the chain: `populate` or `sort`.
 * @throws ContentError 400 that names the limit.
 */
export function checkDepth(param: 'populate' | 'sort', relations: number): void {
  if (relations <= queryLimits.relationDepth) return;
  throw validation(`${param} can follow at most ${queryLimits.relationDepth} relations in a row`);
}
