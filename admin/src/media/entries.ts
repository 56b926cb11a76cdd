/** The entries of the library: folders first, then files. */
import type { Folder, LibraryFile } from '../../contract/media.ts';
import type { Chosen } from './data.ts';
import type { EntryActions } from './entry-menu.tsx';

export type Entry =
  | { readonly kind: 'folder'; readonly folder: Folder }
  | { readonly kind: 'file'; readonly file: LibraryFile };

export interface Entries {
  readonly count: number;
  readonly folders: readonly Folder[];
  /** Undefined while the entry is loading. */
  readonly at: (index: number) => Entry | undefined;
}

/** What the grid and the list of entries have in common. */
export interface EntriesProps {
  readonly entries: Entries;
  readonly chosen: ReadonlySet<string>;
  /** Undefined: nothing can be selected here. */
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | undefined;
  readonly isChoosable: (entry: Entry) => boolean;
  /** As in `Choosing`. */
  readonly keysBetween: ((first: number, last: number) => Promise<readonly string[] | undefined>) | undefined;
  readonly onOpen: (entry: Entry) => void;
  /** Called with the first and last file in sight. */
  readonly onRange: (first: number, last: number) => void;
  readonly actions: EntryActions | undefined;
  readonly onMove: ((chosen: Chosen, to: number | null) => void) | undefined;
}

/** Folders and files in one list. */
export function entriesOf(
  folders: readonly Folder[],
  files: { readonly count: number; readonly at: (index: number) => LibraryFile | undefined },
): Entries {
  return {
    count: folders.length + files.count,
    folders,
    at: (index) => {
      const folder = folders[index];
      if (folder) return { kind: 'folder', folder };
      const file = files.at(index - folders.length);
      return file && { kind: 'file', file };
    },
  };
}

/** The entries, with those at some indexes fixed to their current values. */
export function seenOf({ count, folders, at }: Entries, places: readonly number[]): Entries {
  const seen = new Map(places.map((place) => [place, at(place)]));
  return { count, folders, at: (place) => (seen.has(place) ? seen.get(place) : at(place)) };
}

export const nameOf = (entry: Entry): string => (entry.kind === 'folder' ? entry.folder.name : entry.file.name);
export const keyOf = (entry: Entry): string =>
  entry.kind === 'folder' ? `folder ${entry.folder.id}` : `file ${entry.file.id}`;

/** The ids of entry keys. */
export function chosenOf(keys: Iterable<string>): Chosen {
  const ids = (kind: string): number[] =>
    [...keys].filter((key) => key.startsWith(`${kind} `)).map((key) => Number(key.slice(kind.length + 1)));
  return { files: ids('file'), folders: ids('folder') };
}

/** The entry keys of ids. */
export const keysOf = ({ files, folders }: Chosen): string[] => [
  ...folders.map((id) => `folder ${id}`),
  ...files.map((id) => `file ${id}`),
];
