/** What the palette finds: every page may add to it while it is there. */
import { createContext, use, useEffect, useMemo, useRef } from 'react';
import type { Icon } from '../ui/icon.tsx';

export interface PaletteItem {
  /** Its own among those of its source. */
  readonly id: string;
  readonly label: string;
  /** The heading above it. */
  readonly group: string;
  /** Small, behind the label. */
  readonly note?: string;
  readonly icon?: Icon;
  readonly keys?: string;
  /** Whether it is about what is open, and stands before everything else. */
  readonly isOfPage?: true;
  readonly run: () => void;
}

/**
 * Gives what fits a text. A source that asks the server gives a promise, and is told by the signal when nobody waits for
 * it any more; it should give its things in their order, at most some ten.
 */
export type PaletteSource = (
  text: string,
  signal: AbortSignal,
) => readonly PaletteItem[] | Promise<readonly PaletteItem[]>;

export interface Sources {
  readonly all: () => readonly PaletteSource[];
  readonly add: (source: PaletteSource) => () => void;
}

export const PaletteContext = createContext<Sources | undefined>(undefined);

/** Holds the sources of the shell. */
export function usePaletteSources(): Sources {
  return useMemo(() => {
    const all = new Set<PaletteSource>();
    return {
      all: () => [...all],
      add: (source) => {
        all.add(source);
        return () => all.delete(source);
      },
    };
  }, []);
}

/** Adds a source while the component is there. */
export function usePaletteSource(source: PaletteSource): void {
  const sources = use(PaletteContext);
  const latest = useRef(source);
  latest.current = source;
  useEffect(() => sources?.add((text, signal) => latest.current(text, signal)), [sources]);
}

/**
 * How well a label fits what was written: every word of that has to begin a word of the label, or stand in it. Less is
 * better; undefined: it does not fit.
 */
export function fit(label: string, text: string): number | undefined {
  const folded = fold(label);
  let score = 0;
  for (const word of fold(text).split(/\s+/).filter(Boolean)) {
    const at = folded.search(new RegExp(`(?:^|[^\\p{L}\\p{N}])${escaped(word)}`, 'u'));
    if (at >= 0) score += at === 0 ? 0 : 1;
    else if (folded.includes(word)) score += 3;
    else return undefined;
  }
  return score;
}

/** Without accents and case. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
