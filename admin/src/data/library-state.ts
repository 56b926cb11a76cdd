/** The state of the library page: folder, search, filter, order and view. */

/** Kinds of files, as `allowedTypes` of a media attribute names them, without the plural s. */
export const KINDS = ['image', 'video', 'audio', 'file'] as const;
export type Kind = (typeof KINDS)[number];

/** The orders, as parameters of requests. */
export const SORTS = {
  newest: 'createdAt:desc',
  oldest: 'createdAt:asc',
  name: 'name:asc',
  changed: 'updatedAt:desc',
  size: 'size:desc',
} as const;
export type SortName = keyof typeof SORTS;

export interface LibraryState {
  /** The id of the folder; null for the top of the library. */
  readonly folder: number | null;
  readonly text: string;
  readonly kinds: readonly Kind[];
  readonly sort: SortName;
  readonly view: 'grid' | 'list';
}

export const START: LibraryState = { folder: null, text: '', kinds: [], sort: 'newest', view: 'grid' };

/** The state in the address. Default values are left out. */
export interface LibrarySearch {
  readonly folder?: number | undefined;
  readonly q?: string | undefined;
  readonly kind?: string | undefined;
  readonly sort?: SortName | undefined;
  readonly view?: 'list' | undefined;
  /** The id of the open file. */
  readonly file?: number | undefined;
}

/** Reads an address. Invalid values are ignored. */
export function librarySearch(search: Readonly<Record<string, unknown>>): LibrarySearch {
  const { q, kind, sort, view } = search;
  const kinds = typeof kind === 'string' ? kindsIn(kind) : [];
  return {
    folder: idIn(search['folder']),
    // The router parses numbers and the like.
    q: q === undefined || q === null || typeof q === 'object' ? undefined : String(q),
    kind: kinds.length > 0 ? kinds.join() : undefined,
    sort:
      typeof sort === 'string' && Object.hasOwn(SORTS, sort) && sort !== START.sort ? (sort as SortName) : undefined,
    view: view === 'list' ? 'list' : undefined,
    file: idIn(search['file']),
  };
}

export function stateOf({ folder, q, kind, sort, view }: LibrarySearch): LibraryState {
  return {
    folder: folder ?? null,
    text: q ?? '',
    kinds: kindsIn(kind ?? ''),
    sort: sort ?? START.sort,
    view: view ?? START.view,
  };
}

export function searchOf({ folder, text, kinds, sort, view }: LibraryState): LibrarySearch {
  return {
    folder: folder ?? undefined,
    q: text === '' ? undefined : text,
    kind: kinds.length > 0 ? kinds.join() : undefined,
    sort: sort === START.sort ? undefined : sort,
    view: view === 'list' ? 'list' : undefined,
    file: undefined,
  };
}

const kindsIn = (text: string): readonly Kind[] => KINDS.filter((kind) => text.split(',').includes(kind));

function idIn(value: unknown): number | undefined {
  const id = Number(value);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}
