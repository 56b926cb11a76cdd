/** The list that a document was opened from: where the way back leads, and what is next and previous there. */
import type { QueryClient } from '@tanstack/react-query';
import { leaveList, leftAt } from './left-lists.ts';
import { listPageQuery, PAGE } from './lists.ts';
import { tabValue } from './tab-store.ts';

export interface Origin {
  /** Of the type that is listed. */
  readonly uid: string;
  /** The address of the list, with its search, within the app. */
  readonly href: string;
  /** Its name among the lists that were left (`left-lists.ts`). */
  readonly memory: string;
  /** Documents that were seen there one behind the other, and the row of the first. */
  readonly documentIds: readonly string[];
  readonly first: number;
  /** What more of it is asked for with; undefined where it has pages. */
  readonly asked: string | undefined;
}

const origin = tabValue<Origin>('came-from');

/** Notes the list that a document is opened from. */
export function comeFrom(list: Origin): void {
  origin.set(list);
}

/** The list of a type that was come from last; undefined where another one, or none, was. */
export function cameFrom(uid: string): Origin | undefined {
  const from = origin.get();
  return from?.uid === uid ? from : undefined;
}

/** Has the list found where a document of it is: whoever has gone on to another one comes back to that. */
export function goneTo(uid: string, documentId: string): void {
  const from = cameFrom(uid);
  const at = from?.documentIds.indexOf(documentId) ?? -1;
  const left = from && leftAt(from.memory);
  if (at < 0 || !left || left.key === documentId) return;
  leaveList(from!.memory, { ...left, row: from!.first + at, key: documentId });
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

/** Loads what is before or behind a document at an end of what was seen of a list. Gives whether that is more. */
export async function seeMore(client: QueryClient, uid: string, documentId: string): Promise<boolean> {
  const from = cameFrom(uid);
  const at = from?.documentIds.indexOf(documentId) ?? -1;
  if (!from || from.asked === undefined || at < 0) return false;
  const { asked, documentIds, first } = from;
  const end = first + documentIds.length;
  const page = async (row: number): Promise<readonly string[]> => {
    const found = await client.fetchQuery(listPageQuery(uid, asked, Math.floor(row / PAGE)));
    return found.data.map((document) => document.documentId);
  };
  let before: readonly string[] = [];
  let behind: readonly string[] = [];
  if (at === 0 && first > 0) before = (await page(first - 1)).slice(0, ((first - 1) % PAGE) + 1);
  if (at === documentIds.length - 1) behind = (await page(end)).slice(end % PAGE);
  // meanwhile another list may have been come from
  if (origin.get() !== from) return false;
  // others may have come in before them, so that some are told twice
  const isNew = (id: string): boolean => !documentIds.includes(id);
  const more = [before.filter(isNew), behind.filter(isNew)] as const;
  if (more[0].length + more[1].length === 0) return false;
  origin.set({ ...from, documentIds: [...more[0], ...documentIds, ...more[1]], first: first - more[0].length });
  return true;
}
