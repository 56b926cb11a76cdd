/** `async` of `@strapi/utils`. */
export const async = { map, pipe, reduce };

interface MapOptions {
  /** How many items are worked on at the same time. */
  readonly concurrency?: number;
}
type Mapper = (item: unknown, index: number) => unknown;

/** What a function gives for each item, in the order of the items. Without the function it is waited for. */
function map(list: Iterable<unknown>): (work: Mapper, options?: MapOptions) => Promise<unknown[]>;
function map(list: Iterable<unknown>, work: Mapper, options?: MapOptions): Promise<unknown[]>;
function map(list: Iterable<unknown>, work?: Mapper, { concurrency = Number.POSITIVE_INFINITY }: MapOptions = {}) {
  if (work === undefined) return (later: Mapper, options?: MapOptions) => map(list, later, options);
  const items = [...list];
  const results: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(await items[index], index);
    }
  };
  const workers = Array.from({ length: Math.min(Math.max(concurrency, 1), items.length) }, worker);
  return Promise.all(workers).then(() => results);
}

/** Functions one behind the other, each given what the one before has given; the first is given all arguments. */
function pipe(...[first, ...others]: readonly ((...args: unknown[]) => unknown)[]) {
  return async (...args: unknown[]): Promise<unknown> => {
    let result = await first!(...args);
    for (const step of others) result = await step(result);
    return result;
  };
}

function reduce(list: readonly unknown[]) {
  return async (work: (sum: unknown, item: unknown, index: number) => unknown, initial?: unknown): Promise<unknown> => {
    let sum = initial;
    for (const [index, item] of list.entries()) sum = await work(sum, await item, index);
    return sum;
  };
}
