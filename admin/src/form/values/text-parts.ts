/** A text in parts, some of which are marked. */

/** Where a part of a text begins, and where it ends. */
export type Range = readonly [from: number, to: number];

/** The parts of a text one after the other, each with whether it is within a range. */
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
