/** The files of a list, of which only visible pages are requested. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { filesQuery, PAGE, type Wanted } from './data.ts';

export interface FileRows {
  readonly count: number;
  /** Undefined while the file is loading. */
  readonly at: (index: number) => LibraryFile | undefined;
  /** All loaded files. */
  readonly loaded: readonly LibraryFile[];
  readonly onRange: (first: number, last: number) => void;
  readonly isPending: boolean;
  /** Whether the files of the previous list are still shown. */
  readonly isStale: boolean;
  readonly error: unknown;
}

/** The files to show. Those of the previous list remain until they are loaded. */
export function useFiles(wanted: Wanted, enabled = true): FileRows {
  const [[from, to], setRange] = useState<readonly [number, number]>([0, 0]);
  const first = useQuery({ ...filesQuery(wanted, 0), placeholderData: keepPreviousData, enabled });
  const count = first.data?.meta.pagination.total ?? 0;
  // The page numbers of another list do not apply.
  const last = Math.min(to, Math.max(0, Math.ceil(count / PAGE) - 1));
  const numbers = Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => from + index).filter(Boolean);
  const pages = useQueries({
    queries: numbers.map((page) => ({ ...filesQuery(wanted, page), enabled: enabled && !first.isPlaceholderData })),
  });
  const onRange = useCallback((start: number, end: number) => {
    const next = [Math.floor(start / PAGE), Math.floor(end / PAGE)] as const;
    setRange((now) => (now[0] === next[0] && now[1] === next[1] ? now : next));
  }, []);
  const lists = new Map<number, readonly LibraryFile[]>();
  if (first.data) lists.set(0, first.data.data);
  numbers.forEach((page, index) => {
    const { data } = pages[index]!;
    if (data) lists.set(page, data.data);
  });
  return {
    count,
    at: (index) => lists.get(Math.floor(index / PAGE))?.[index % PAGE],
    loaded: [...lists.values()].flat(),
    onRange,
    isPending: first.isPending,
    isStale: first.isPlaceholderData,
    error: first.error,
  };
}

/** A text after a pause in typing. */
export function useSettled(text: string, milliseconds: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    // Clearing the text takes effect at once.
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : milliseconds);
    return () => clearTimeout(timer);
  }, [text, milliseconds]);
  return text === '' ? '' : settled;
}
