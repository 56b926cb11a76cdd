/** The list that a document was opened from: where the way back leads, and what is next and previous there. */

export interface Origin {
  /** Of the type that is listed. */
  readonly uid: string;
  /** The address of the list, with its search, within the app. */
  readonly href: string;
  readonly locale: string | undefined;
  /** The documents that were seen there, in their order. */
  readonly documentIds: readonly string[];
}

let origin: Origin | undefined;

/** Notes the list that a document is opened from. */
export function comeFrom(list: Origin): void {
  origin = list;
}

/** The list of a type that was come from last; undefined where another one, or none, was. */
export function cameFrom(uid: string): Origin | undefined {
  return origin?.uid === uid ? origin : undefined;
}

/** The documents before and behind one in the list that it was opened from. */
export function neighboursOf(
  uid: string,
  documentId: string,
): { readonly previous: string | undefined; readonly next: string | undefined } {
  const ids = cameFrom(uid)?.documentIds ?? [];
  const at = ids.indexOf(documentId);
  return at < 0 ? { previous: undefined, next: undefined } : { previous: ids[at - 1], next: ids[at + 1] };
}
