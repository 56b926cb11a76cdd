/** Selecting entries of a list: single ones, ranges, and all. */
import { useRef } from 'react';

interface Choosing {
  readonly count: number;
  /** The key at an index: null if it cannot be selected, undefined while it is loading. */
  readonly keyAt: (index: number) => string | null | undefined;
  readonly chosen: ReadonlySet<string> | undefined;
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | undefined;
  /** Requests the keys between two indexes if some are not loaded; undefined if the answer is outdated. */
  readonly keysBetween?: ((first: number, last: number) => Promise<readonly string[] | undefined>) | undefined;
}

export interface Choose {
  /** Selects or deselects an entry. `withAllBetween` extends this to the range from the last one. */
  readonly toggle: (index: number, withAllBetween: boolean) => void;
  /** Selects all loaded entries. */
  readonly all: () => void;
}

/**
 * The state of the checkbox that selects all. Each loaded row is checked, because the number alone would include
 * entries of other lists.
 */
export function allState({ count, keyAt, chosen }: Pick<Choosing, 'count' | 'keyAt' | 'chosen'>): boolean | 'mixed' {
  if (!chosen || chosen.size === 0) return false;
  let [seen, unknown] = [0, 0];
  for (let index = 0; index < count; index++) {
    const key = keyAt(index);
    if (key === undefined) unknown++;
    else if (key !== null && !chosen.has(key)) return 'mixed';
    else if (key !== null) seen++;
    // Entries that are not loaded count as selected if the selection has that many more keys.
    if (seen + unknown > chosen.size) return 'mixed';
  }
  return seen + unknown > 0 ? true : 'mixed';
}

/** Returns the functions that select entries. */
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
      // The list may have changed since.
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
