/** Details that distinguish documents with the same name. */
import type { Choice } from '../../../contract/documents.ts';

/** The characters of an id that are shown. */
const ID_LENGTH = 6;

/**
 * For each choice whose name is not unique: a detail that the others do not have, and the beginning of its id if
 * details do not distinguish all of them. Keyed by the index of the choice.
 */
export function distinguishingDetails(
  choices: readonly Choice[],
  nameOf: (choice: Choice) => string,
): ReadonlyMap<number, string> {
  const result = new Map<number, string>();
  for (const [, alike] of Map.groupBy(choices.keys(), (index) => nameOf(choices[index]!))) {
    if (alike.length < 2) continue;
    const detailsAt = (place: number): readonly string[] => alike.map((index) => choices[index]!.details[place] ?? '');
    const places = choices[alike[0]!]!.details.map((_, place) => place);
    const kinds = (place: number): number => new Set(detailsAt(place)).size;
    // The detail that differs for each document, or else for most.
    const best = places.toSorted((a, b) => kinds(b) - kinds(a)).find((place) => kinds(place) > 1);
    const isDistinct = best !== undefined && kinds(best) === alike.length;
    for (const index of alike) {
      const { details, documentId } = choices[index]!;
      const detail = best === undefined ? null : (details[best] ?? null);
      result.set(
        index,
        [detail, isDistinct && detail !== null ? null : documentId.slice(0, ID_LENGTH)].filter(Boolean).join(' · '),
      );
    }
  }
  return result;
}
