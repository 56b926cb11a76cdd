/**
 * Works through a list, some items at once, and gives the results in the list's order. The first failure ends it, once
 * what had begun has ended: p-map would reject before that, and a part could arrive after its upload was aborted;
 * p-limit would make a promise for every file of a library.
 */
export async function inParallel<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index]!, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}
