/** The list that somebody came from, so that its next document is one key away. It lasts as long as the tab. */

interface LastList {
  readonly uid: string;
  readonly documentIds: readonly string[];
}

let last: LastList | undefined;

/** Remembers what a list shows, in its order. */
export function rememberList(uid: string, documentIds: readonly string[]): void {
  last = { uid, documentIds };
}

/** The documents before and behind one in the list that somebody came from. */
export function neighboursOf(
  uid: string,
  documentId: string,
): { readonly previous: string | undefined; readonly next: string | undefined } {
  const documentIds = last?.uid === uid ? last.documentIds : [];
  const at = documentIds.indexOf(documentId);
  if (at < 0) return { previous: undefined, next: undefined };
  return { previous: documentIds[at - 1], next: documentIds[at + 1] };
}
