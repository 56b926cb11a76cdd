/** Splits a text at ranges. */

/** The start and the end of a part of a text. */
export type Range = readonly [from: number, to: number];

/** The consecutive parts of a text, each with whether it is within a range. */
export function partsOf(
  text: string,
  ranges: readonly Range[],
): readonly { readonly at: number; readonly text: string; readonly isWithin: boolean }[] {
  const edges = [0, ...ranges.flat(), text.length];
  return edges.slice(1).flatMap((end, index) => {
    const at = edges[index]!;
    return end > at ? [{ at, text: text.slice(at, end), isWithin: index % 2 === 1 }] : [];
  });
}
