/** What of the library is looked at, and how. */

/** Kinds of files, as `allowedTypes` of a media attribute names them but for the last letter. */
export const KINDS = ['image', 'video', 'audio', 'file'] as const;
export type Kind = (typeof KINDS)[number];

/** The orders there are, as the server is asked for them. */
export const SORTS = {
  newest: 'createdAt:desc',
  oldest: 'createdAt:asc',
  name: 'name:asc',
  changed: 'updatedAt:desc',
  size: 'size:desc',
} as const;
export type SortName = keyof typeof SORTS;

export interface LibraryState {
  /** Id of the folder; null: the library itself. */
  readonly folder: number | null;
  readonly text: string;
  readonly kinds: readonly Kind[];
  readonly sort: SortName;
  readonly view: 'grid' | 'list';
}

export const START: LibraryState = { folder: null, text: '', kinds: [], sort: 'newest', view: 'grid' };

/** The state as it stands in the address: what is as at the start is left out. */
export interface LibrarySearch {
  readonly folder?: number | undefined;
  readonly q?: string | undefined;
  readonly kind?: string | undefined;
  readonly sort?: SortName | undefined;
  readonly view?: 'list' | undefined;
  /** Id of the file that is open. */
  readonly file?: number | undefined;
}

/** Reads an address; what means nothing is left out. */
export function librarySearch(search: Readonly<Record<string, unknown>>): LibrarySearch {
  const { q, kind, sort, view } = search;
  const kinds = typeof kind === 'string' ? kindsIn(kind) : [];
  return {
    folder: idIn(search['folder']),
    // the router reads figures and the like as what they are
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
