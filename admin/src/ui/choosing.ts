/** Choosing entries of a list: one by one, all between two, and all that are there. */
import { useRef } from 'react';

interface Choosing {
  readonly count: number;
  /** What stands at a place: null where it cannot be chosen, undefined while it is on its way. */
  readonly keyAt: (index: number) => string | null | undefined;
  readonly chosen: ReadonlySet<string> | undefined;
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | undefined;
  /** Asks for those between two places where some are on their way; undefined where there is no answer that counts. */
  readonly keysBetween?: ((first: number, last: number) => Promise<readonly string[] | undefined>) | undefined;
}

export interface Choose {
  /** Chooses what stands at a place or does so no more; with all between, the same is done from the last one on. */
  readonly toggle: (index: number, withAllBetween: boolean) => void;
  /** Of what is on its way nothing is known. */
  readonly all: () => void;
}

/**
 * Whether all that can be chosen is, as the box says it that stands for all: each row that has come is looked at, since
 * numbers alone would count what is not in the list.
 */
export function allState({ count, keyAt, chosen }: Pick<Choosing, 'count' | 'keyAt' | 'chosen'>): boolean | 'mixed' {
  if (!chosen || chosen.size === 0) return false;
  let [seen, unknown] = [0, 0];
  for (let index = 0; index < count; index++) {
    const key = keyAt(index);
    if (key === undefined) unknown++;
    else if (key !== null && !chosen.has(key)) return 'mixed';
    else if (key !== null) seen++;
    // of what is on its way, as much is chosen as is not among those seen
    if (seen + unknown > chosen.size) return 'mixed';
  }
  return seen + unknown > 0 ? true : 'mixed';
}

/** Gives what chooses. */
export function useChoosing({ count, keyAt, chosen, onChoose, keysBetween }: Choosing): Choose {
  const anchor = useRef<{ readonly index: number; readonly key: string }>(undefined);
  const latest = useRef(chosen);
  latest.current = chosen;
  const apply = (keys: readonly string[], isChosen: boolean): void => {
    const next = new Set(latest.current);
    for (const key of keys) isChosen ? next.add(key) : next.delete(key);
    onChoose?.(next);
  };
  const between = (from: number, to: number, isChosen: boolean): void => {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const keys = Array.from({ length: last - first + 1 }, (_, place) => keyAt(first + place));
    const known = keys.filter((key) => typeof key === 'string');
    if (!keysBetween || !keys.includes(undefined)) apply(known, isChosen);
    else void keysBetween(first, last).then((all) => all && apply(all, isChosen));
  };
  return {
    toggle: (index, withAllBetween) => {
      const key = keyAt(index);
      if (!onChoose || typeof key !== 'string') return;
      const isChosen = !chosen?.has(key);
      // another list may have come in its place
      const last = anchor.current && keyAt(anchor.current.index) === anchor.current.key ? anchor.current : undefined;
      if (withAllBetween && last) between(last.index, index, isChosen);
      else apply([key], isChosen);
      anchor.current = { index, key };
    },
    all: () => {
      const keys = Array.from({ length: count }, (_, index) => keyAt(index));
      onChoose?.(new Set(keys.filter((key) => typeof key === 'string')));
    },
  };
}
