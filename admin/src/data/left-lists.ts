/** Where lists were left: whoever comes back finds them so. */
import { tabValue } from './tab-store.ts';

/** A place in a list. */
export interface LeftPlace {
  /** The row that somebody was at, from 0 on, and what it is of. */
  readonly row: number;
  readonly key?: string | undefined;
  /** How far below the upper edge it stood, in pixels; less than nothing: above it. */
  readonly below: number;
}

const left = tabValue<readonly (readonly [list: string, place: LeftPlace])[]>('left-lists');
/** Lists that are remembered: those that were left last. */
const MOST = 50;

/** Where the list of a name was left. */
export function leftAt(list: string): LeftPlace | undefined {
  return left.get()?.find(([name]) => name === list)?.[1];
}

/** Notes where a list is left. */
export function leaveList(list: string, place: LeftPlace): void {
  const others = (left.get() ?? []).filter(([name]) => name !== list);
  left.set([...others, [list, place] as const].slice(-MOST));
}
