/** What a list of the library has: folders first, then files. */
import type { Folder, LibraryFile } from '../../contract/media.ts';
import type { Chosen } from './data.ts';

export type Entry =
  | { readonly kind: 'folder'; readonly folder: Folder }
  | { readonly kind: 'file'; readonly file: LibraryFile };

export interface Entries {
  readonly count: number;
  readonly folders: readonly Folder[];
  /** Undefined while it is on its way. */
  readonly at: (index: number) => Entry | undefined;
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

/** The same with what stands at some places as it is now, whatever comes there later. */
export function seenOf({ count, folders, at }: Entries, places: readonly number[]): Entries {
  const seen = new Map(places.map((place) => [place, at(place)]));
  return { count, folders, at: (place) => (seen.has(place) ? seen.get(place) : at(place)) };
}

export const nameOf = (entry: Entry): string => (entry.kind === 'folder' ? entry.folder.name : entry.file.name);
export const keyOf = (entry: Entry): string =>
  entry.kind === 'folder' ? `folder ${entry.folder.id}` : `file ${entry.file.id}`;

/** The ids of keys. */
export function chosenOf(keys: Iterable<string>): Chosen {
  const ids = (kind: string): number[] =>
    [...keys].filter((key) => key.startsWith(`${kind} `)).map((key) => Number(key.slice(kind.length + 1)));
  return { files: ids('file'), folders: ids('folder') };
}

/** The keys of ids. */
export const keysOf = ({ files, folders }: Chosen): string[] => [
  ...folders.map((id) => `folder ${id}`),
  ...files.map((id) => `file ${id}`),
];
