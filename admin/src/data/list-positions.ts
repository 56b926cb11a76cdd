/** The scroll positions of lists, so that a list reopens where it was left. */
import { tabValue } from './tab-store.ts';

/** A position in a list. */
export interface ListPosition {
  /** The index of the row, and the key of its document. */
  readonly row: number;
  readonly key?: string | undefined;
  /** The distance of the row from the upper edge in pixels; negative if it is above the edge. */
  readonly below: number;
}

const positions = tabValue<readonly (readonly [list: string, place: ListPosition])[]>('left-lists');
/** The number of lists that are remembered. */
const MOST = 50;

/** The last position in a list. */
export function listPosition(list: string): ListPosition | undefined {
  return positions.get()?.find(([name]) => name === list)?.[1];
}

/** Records the position in a list. */
export function setListPosition(list: string, place: ListPosition): void {
  const others = (positions.get() ?? []).filter(([name]) => name !== list);
  positions.set([...others, [list, place] as const].slice(-MOST));
}
