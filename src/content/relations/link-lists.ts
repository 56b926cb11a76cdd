/** Lists of links: what a list holds compared with what it is to hold. */
import type { StoredLink } from './stored-links.ts';

/** A link that a list is to hold, at its place. */
export interface ListedLink extends Pick<StoredLink, 'uid' | 'target' | 'order'> {
  /** The stored link that it is; undefined for one that is to be inserted. */
  readonly id: number | undefined;
}

/** The rows that bring a stored list to the one that is wanted. */
export interface ListDifference<Link extends ListedLink = ListedLink> {
  readonly gone: readonly StoredLink[];
  readonly added: readonly Link[];
  /** Stored links that come to another place: their ids and orders. */
  readonly moved: readonly (readonly [id: number, order: number | null])[];
}

const NONE: readonly never[] = [];

/** Compares a stored list with the list that is wanted. */
export function compareLinks<Link extends ListedLink>(
  stored: readonly StoredLink[],
  wanted: readonly Link[],
): ListDifference<Link> {
  const added: Link[] = [];
  const kept = new Map<number, number | null>();
  for (const link of wanted) {
    if (link.id === undefined) added.push(link);
    else kept.set(link.id, link.order);
  }
  if (stored.length === 0) return { gone: NONE, added, moved: NONE };
  const gone = stored.filter(({ id }) => !kept.has(id));
  const moved = stored.flatMap(({ id, order }): [number, number | null][] => {
    const wantedOrder = kept.get(id);
    return wantedOrder === undefined || wantedOrder === order ? [] : [[id, wantedOrder]];
  });
  return { gone, added, moved };
}

/** What a link leads to, as a key. */
export const linkKey = ({ uid, target }: Pick<StoredLink, 'uid' | 'target'>): string => `${uid} ${target}`;
