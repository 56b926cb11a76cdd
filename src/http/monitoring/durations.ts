/**
 * Durations in buckets whose bounds grow by a fixed factor. Buckets of several processes and periods can be added, and
 * percentiles of the sum are exact to within a tenth.
 */

/** The bound of the first bucket in milliseconds, and the buckets in which a duration doubles. */
const FIRST = 0.1;
const PER_DOUBLING = 4;
/** The last bucket contains everything above three minutes. */
export const BUCKETS = 84;

/** The numbers of durations by bucket: pairs of a bucket and its number. Empty buckets are left out. */
export type DurationCounts = readonly number[];

/** The bucket of a duration in milliseconds. */
export function bucketOf(milliseconds: number): number {
  if (!(milliseconds > FIRST)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(milliseconds / FIRST) * PER_DOUBLING));
}

/** The pairs of numbers by bucket. */
export function pairsOf(numbers: ArrayLike<number>): number[] {
  const pairs: number[] = [];
  for (let bucket = 0; bucket < numbers.length; bucket++) {
    if (numbers[bucket]! > 0) pairs.push(bucket, numbers[bucket]!);
  }
  return pairs;
}

/** Adds up several counts. */
export function addedUp(all: Iterable<DurationCounts>): number[] {
  const sums = new Array<number>(BUCKETS).fill(0);
  for (const pairs of all) {
    for (let n = 0; n + 1 < pairs.length; n += 2) {
      const bucket = pairs[n]!;
      if (bucket in sums) sums[bucket]! += pairs[n + 1]!;
    }
  }
  return pairsOf(sums);
}

/** The duration in milliseconds that a share of all (0 to 1) does not exceed; null without durations. */
export function percentile(pairs: DurationCounts, share: number): number | null {
  let total = 0;
  for (let n = 1; n < pairs.length; n += 2) total += pairs[n]!;
  if (total === 0) return null;
  const wanted = share * total;
  let below = 0;
  for (let n = 0; n + 1 < pairs.length; n += 2) {
    const [bucket, count] = [pairs[n]!, pairs[n + 1]!];
    if (below + count >= wanted) return boundOf(bucket - 1 + (wanted - below) / count);
    below += count;
  }
  return boundOf(pairs.at(-2)!);
}

const boundOf = (bucket: number): number => FIRST * 2 ** (Math.max(0, bucket) / PER_DOUBLING);
