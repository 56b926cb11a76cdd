/** Files and folders as the server has told of them, and what is done to them. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { FileUses, Folder, LibraryFile } from '../../contract/media.ts';
import { request } from '../data/client.ts';
import { type Kind, SORTS, type SortName } from '../data/library-state.ts';
import { permits, useSession } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { keepBytes, showReplaced } from './current.ts';

/** Which files are looked at. */
export interface Wanted {
  /** Id of the folder; null: those in none. What is searched for may lie in any folder below. */
  readonly folder: number | null;
  readonly text: string;
  /** None: all. */
  readonly kinds: readonly Kind[];
  readonly sort: SortName;
}

/** Files and folders by their ids. */
export interface Chosen {
  readonly files: readonly number[];
  readonly folders: readonly number[];
}

/** Files of one request. */
export const PAGE = 100;
const KEY = 'files';

/** Which files are looked at, as a request says it. */
export function paramsOf({ folder, text, kinds, sort }: Wanted): URLSearchParams {
  const query = new URLSearchParams({ folder: folder === null ? 'none' : String(folder), sort: SORTS[sort] });
  if (text !== '') query.set('_q', text);
  if (kinds.length > 0) query.set('kind', kinds.join());
  return query;
}

/** One page of files, the first of which is the number `page` × `PAGE`. */
export const filesQuery = (wanted: Wanted, page: number) => {
  const { folder, text, kinds, sort } = wanted;
  return queryOptions({
    queryKey: [KEY, 'list', folder, text, kinds.join(), sort, page],
    queryFn: ({ signal }) => {
      const query = paramsOf(wanted);
      query.set('page', String(page + 1));
      query.set('pageSize', String(PAGE));
      return request('GET files', { query, signal });
    },
    // beyond what is seen first there may be very many
    meta: { kept: page === 0 && text === '' },
  });
};

export const foldersQuery = queryOptions({
  queryKey: [KEY, 'folders'],
  queryFn: async ({ signal }) => (await request('GET folders', { signal })).data,
  meta: { kept: true },
});

export const fileQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, 'one', id],
    queryFn: async ({ signal }) => (await request('GET files/:id', { params: { id: String(id) }, signal })).data,
  });

/** The file at an address that stands in a text; null where it is none of the library. */
export const fileAtQuery = (url: string) =>
  queryOptions({
    queryKey: [KEY, 'at', url],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ url, pageSize: '1' });
      const { data } = await request('GET files', { query, signal });
      return data[0] ?? null;
    },
    enabled: url.length <= MOST_ADDRESS,
    staleTime: 0,
  });

/** Letters of an address that is looked for. */
const MOST_ADDRESS = 2000;

/** Files and folders that one request may name. */
const AT_ONCE = 500;

/** The same in as many parts as it takes requests: folders first, as they are few. */
export function inRequests({ files, folders }: Chosen): readonly Chosen[] {
  const count = files.length + folders.length;
  return Array.from({ length: Math.ceil(count / AT_ONCE) }, (_, n) => {
    const [from, to] = [n * AT_ONCE, (n + 1) * AT_ONCE];
    const ofFiles = (place: number): number => Math.max(0, place - folders.length);
    return { files: files.slice(ofFiles(from), ofFiles(to)), folders: folders.slice(from, to) };
  });
}

/** Milliseconds after which no further request has texts searched. */
const SEARCHED = 3000;

/** The documents that show any of these. */
export const usesQuery = (chosen: Chosen) =>
  queryOptions({
    queryKey: [KEY, 'uses', chosen.files.join(), chosen.folders.join()],
    queryFn: async ({ signal }): Promise<FileUses> => {
      const found: FileUses[] = [];
      const until = performance.now() + SEARCHED;
      for (const { files, folders } of inRequests(chosen)) {
        const query = new URLSearchParams();
        if (files.length > 0) query.set('files', files.join());
        if (folders.length > 0) query.set('folders', folders.join());
        // once some are not searched for, it is said of all of them
        if (performance.now() > until || found.some(({ meta }) => !meta.texts)) query.set('texts', 'false');
        found.push(await request('GET files/uses', { query, signal }));
      }
      return found.reduce(bothUses);
    },
    staleTime: 0,
  });

/** What two requests have told. A document that is counted and not shown may be counted twice. */
function bothUses(one: FileUses, other: FileUses): FileUses {
  const data = new Map([...one.data, ...other.data].map((use) => [`${use.uid} ${use.documentId} ${use.locale}`, use]));
  return {
    data: [...data.values()],
    meta: {
      hidden: one.meta.hidden + other.meta.hidden,
      more: one.meta.more || other.meta.more,
      texts: one.meta.texts && other.meta.texts,
      files: one.meta.files + other.meta.files,
      folders: one.meta.folders + other.meta.folders,
      deletable: one.meta.deletable && other.meta.deletable,
    },
  };
}

/** Has everything that was seen of the library asked for again. */
export function libraryChanged(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [KEY] });
}

/** Puts a file of which something else was written into every list that shows it, before those are asked for again. */
export function fileChanged(client: QueryClient, file: LibraryFile): void {
  const before = client.getQueryData(fileQuery(file.id).queryKey);
  if (before) keepBytes(before, file);
  put(client, file);
}

/** Shows a file whose bytes were replaced anew, wherever it stands. */
export async function fileReplaced(client: QueryClient, file: LibraryFile): Promise<void> {
  showReplaced(file);
  put(client, file);
  await libraryChanged(client);
}

function put(client: QueryClient, file: LibraryFile): void {
  client.setQueryData(fileQuery(file.id).queryKey, file);
  client.setQueriesData<{ readonly data: readonly LibraryFile[] }>({ queryKey: [KEY, 'list'] }, (seen) =>
    seen ? { ...seen, data: seen.data.map((other) => (other.id === file.id ? file : other)) } : seen,
  );
}

interface MayFiles {
  readonly read: boolean;
  readonly create: boolean;
  /** Files and folders, or some of them. */
  readonly update: boolean;
  /** Whether these are all there are. */
  readonly updateAll: boolean;
  /** Whether a file is one of those. */
  readonly updateOf: (file: Pick<LibraryFile, 'createdBy'>) => boolean;
  readonly download: boolean;
  readonly copyLink: boolean;
}

/** What the administrator may do with files. */
export function useMayFiles(): MayFiles {
  const { rights, user } = useSession();
  const may = (name: string): boolean => permits(rights, `plugin::upload.${name}`);
  return {
    read: may('read'),
    create: may('assets.create'),
    update: may('assets.update'),
    updateAll: rights.some(
      ({ action, conditions }) => action === 'plugin::upload.assets.update' && conditions.length === 0,
    ),
    updateOf: ({ createdBy }) =>
      rights.some(
        ({ action, creatorOnly }) =>
          action === 'plugin::upload.assets.update' && (!creatorOnly || createdBy?.id === user.id),
      ),
    download: may('assets.download'),
    copyLink: may('assets.copy-link'),
  };
}

export interface Tree {
  readonly byId: ReadonlyMap<number, Folder>;
  /** Folders in a folder, or in none, by name. */
  readonly inside: (id: number | null) => readonly Folder[];
  /** A folder and those above it, from the top. */
  readonly above: (id: number | null) => readonly Folder[];
  /** Folders and all that are in them, however deep. */
  readonly below: (ids: readonly number[]) => readonly number[];
  readonly nameOf: (id: number | null) => string;
  readonly isPending: boolean;
}

const NONE: readonly Folder[] = [];

/** The folders that there are. */
export function useFolders(): Tree {
  const t = useText();
  const { read } = useMayFiles();
  const { data = NONE, isPending } = useQuery({ ...foldersQuery, enabled: read });
  return treeOf(data, t('media.title'), isPending);
}

function treeOf(folders: readonly Folder[], top: string, isPending: boolean): Tree {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const byParent = Map.groupBy(folders, ({ parent }) => (parent !== null && byId.has(parent) ? parent : null));
  const above = (id: number | null): readonly Folder[] => {
    const chain: Folder[] = [];
    for (let at = id === null ? undefined : byId.get(id); at && !chain.includes(at); ) {
      chain.unshift(at);
      at = at.parent === null ? undefined : byId.get(at.parent);
    }
    return chain;
  };
  const below = (ids: readonly number[]): readonly number[] => {
    const found = new Set(ids);
    // what is added meanwhile is gone through as well
    for (const id of found) for (const folder of byParent.get(id) ?? NONE) found.add(folder.id);
    return [...found];
  };
  return {
    byId,
    below,
    inside: (id) => byParent.get(id) ?? NONE,
    above,
    nameOf: (id) => (id === null ? top : (byId.get(id)?.name ?? top)),
    isPending,
  };
}
