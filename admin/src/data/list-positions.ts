/** The scroll positions of lists, so that a list reopens where it was left. */
import { tabValue } from './tab-store.ts';

/** A position in a list. */
export interface LeftPlace {
  /** The index of the row, and the key of its document. */
  readonly row: number;
  readonly key?: string | undefined;
  /** The distance of the row from the upper edge in pixels; negative if it is above the edge. */
  readonly below: number;
}

const left = tabValue<readonly (readonly [list: string, place: LeftPlace])[]>('left-lists');
/** The number of lists that are remembered. */
const MOST = 50;

/** The last position in a list. */
export function leftAt(list: string): LeftPlace | undefined {
  return left.get()?.find(([name]) => name === list)?.[1];
}

/** Records the position in a list. */
export function leaveList(list: string, place: LeftPlace): void {
  const others = (left.get() ?? []).filter(([name]) => name !== list);
  left.set([...others, [list, place] as const].slice(-MOST));
}
