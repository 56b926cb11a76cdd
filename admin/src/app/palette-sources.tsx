/** The sources of the palette. Every page may add one while it is open. */
import { createContext, use, useEffect, useMemo, useRef } from 'react';
import { type Layer, useLayer } from '../keys/layers.ts';
import type { Icon } from '../ui/icon.tsx';

export interface PaletteItem {
  /** Unique within the source. */
  readonly id: string;
  readonly label: string;
  /** The heading above the item. */
  readonly group: string;
  /** Small text after the label. */
  readonly note?: string;
  /** Further words by which it is found, which are not shown. */
  readonly words?: string;
  readonly icon?: Icon;
  readonly keys?: string;
  /** Whether it is an action of the open page. Such items are listed first, and only while no dialog covers the page. */
  readonly isOfPage?: true;
  readonly run: () => void;
}

/**
 * Returns the items that match a text, best first, at most about ten. A source that sends a request returns a promise; the
 * signal aborts when the items are no longer needed.
 */
export type PaletteSource = (
  text: string,
  signal: AbortSignal,
) => readonly PaletteItem[] | Promise<readonly PaletteItem[]>;

interface AddedSource {
  readonly source: PaletteSource;
  /** The layer of the component that added it. */
  readonly layer: Layer;
}

export interface Sources {
  readonly all: () => readonly AddedSource[];
  readonly add: (added: AddedSource) => () => void;
}

export const PaletteContext = createContext<Sources | undefined>(undefined);

/** Holds the sources of the shell. */
export function usePaletteSources(): Sources {
  return useMemo(() => {
    const all = new Set<AddedSource>();
    return {
      all: () => [...all],
      add: (added) => {
        all.add(added);
        return () => all.delete(added);
      },
    };
  }, []);
}

/** Adds a source while the component is mounted. */
export function usePaletteSource(source: PaletteSource): void {
  const sources = use(PaletteContext);
  const latest = useRef(source);
  latest.current = source;
  const layer = useLayer();
  useEffect(() => sources?.add({ source: (text, signal) => latest.current(text, signal), layer }), [sources, layer]);
}

/**
 * How well a label matches a search text. Every word of the text has to be part of the label. Lower is better;
 * undefined if it does not match.
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

/** Removes accents and case. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
