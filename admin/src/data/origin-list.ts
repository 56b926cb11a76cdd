/** The list from which a document was opened: its address, and the neighbours of the document in it. */
import type { QueryClient } from '@tanstack/react-query';
import { listPosition, setListPosition } from './list-positions.ts';
import { listPageQuery, PAGE } from './lists.ts';
import { tabValue } from './tab-store.ts';

export interface Origin {
  /** The type of the list. */
  readonly uid: string;
  /** The address of the list within the app, including its search. */
  readonly href: string;
  /** Its key in `list-positions.ts`. */
  readonly positionKey: string;
  /** Consecutive documents of the list, and the row of the first one. */
  readonly documentIds: readonly string[];
  readonly first: number;
  /** The query that loads more of the list; undefined if the list has pages. */
  readonly query: string | undefined;
}

const origin = tabValue<Origin>('came-from');

/** Records the list from which a document is opened. */
export function setOriginList(list: Origin): void {
  origin.set(list);
}

/** The list of a type if it was the last one from which a document was opened; otherwise undefined. */
export function originListOf(uid: string): Origin | undefined {
  const from = origin.get();
  return from?.uid === uid ? from : undefined;
}

/** Records that another document of the list is open, so that the list returns to its row. */
export function recordOpened(uid: string, documentId: string): void {
  const from = originListOf(uid);
  const at = from?.documentIds.indexOf(documentId) ?? -1;
  const position = from && listPosition(from.positionKey);
  if (at < 0 || !position || position.key === documentId) return;
  setListPosition(from!.positionKey, { ...position, row: from!.first + at, key: documentId });
}

/** The documents before and after one in its list. */
export function neighboursOf(
  uid: string,
  documentId: string,
): { readonly previous: string | undefined; readonly next: string | undefined } {
  const ids = originListOf(uid)?.documentIds ?? [];
  const at = ids.indexOf(documentId);
  return at < 0 ? { previous: undefined, next: undefined } : { previous: ids[at - 1], next: ids[at + 1] };
}

/** Loads the documents before or after a document at the edge of the loaded rows. Returns whether there are more. */
export async function loadMore(client: QueryClient, uid: string, documentId: string): Promise<boolean> {
  const from = originListOf(uid);
  const at = from?.documentIds.indexOf(documentId) ?? -1;
  if (!from || from.query === undefined || at < 0) return false;
  const { query: listSearch, documentIds, first } = from;
  const end = first + documentIds.length;
  const page = async (row: number): Promise<readonly string[]> => {
    const found = await client.fetchQuery(listPageQuery(uid, listSearch, Math.floor(row / PAGE)));
    return found.data.map((document) => document.documentId);
  };
  let before: readonly string[] = [];
  let behind: readonly string[] = [];
  if (at === 0 && first > 0) before = (await page(first - 1)).slice(0, ((first - 1) % PAGE) + 1);
  if (at === documentIds.length - 1) behind = (await page(end)).slice(end % PAGE);
  // Another list may have been opened in the meantime.
  if (origin.get() !== from) return false;
  // Rows may have moved between the pages, so that some arrive twice.
  const isNew = (id: string): boolean => !documentIds.includes(id);
  const more = [before.filter(isNew), behind.filter(isNew)] as const;
  if (more[0].length + more[1].length === 0) return false;
  origin.set({ ...from, documentIds: [...more[0], ...documentIds, ...more[1]], first: first - more[0].length });
  return true;
}
