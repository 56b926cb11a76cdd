/** Requests for files and folders. */
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { FileUses, Folder, LibraryFile } from '../../contract/media.ts';
import { request } from '../data/client.ts';
import { type Kind, SORTS, type SortName } from '../data/library-state.ts';
import { permits, useSession } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { keepBytes, showReplaced } from './current.ts';

/** The files that the library shows. */
export interface Wanted {
  /** The id of the folder; null for the top. A search also covers the folders below it. */
  readonly folder: number | null;
  readonly text: string;
  /** Empty for all kinds. */
  readonly kinds: readonly Kind[];
  readonly sort: SortName;
}

/** Selected files and folders, by id. */
export interface Chosen {
  readonly files: readonly number[];
  readonly folders: readonly number[];
}

/** The files of a page. */
export const PAGE = 100;
const KEY = 'files';

/** The files to show, as parameters of a request. */
export function paramsOf({ folder, text, kinds, sort }: Wanted): URLSearchParams {
  const query = new URLSearchParams({ folder: folder === null ? 'none' : String(folder), sort: SORTS[sort] });
  if (text !== '') query.set('_q', text);
  if (kinds.length > 0) query.set('kind', kinds.join());
  return query;
}

/** A page of files. The first file is number `page` × `PAGE`. */
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
    // Only the beginning of a list is stored on the device.
    meta: { isStored: page === 0 && text === '' },
  });
};

const foldersQuery = queryOptions({
  queryKey: [KEY, 'folders'],
  queryFn: async ({ signal }) => (await request('GET folders', { signal })).data,
  meta: { isStored: true },
});

export const fileQuery = (id: number) =>
  queryOptions({
    queryKey: [KEY, 'one', id],
    queryFn: async ({ signal }) => (await request('GET files/:id', { params: { id: String(id) }, signal })).data,
  });

/** The file of an address in a text; null if the library has none. */
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

/** The longest address that is searched, in characters. */
const MOST_ADDRESS = 2000;

/** The maximum number of files and folders of one request. */
const AT_ONCE = 500;

/** Splits a selection into one part for each request. Folders come first, because they are few. */
export function inRequests({ files, folders }: Chosen): readonly Chosen[] {
  const count = files.length + folders.length;
  return Array.from({ length: Math.ceil(count / AT_ONCE) }, (_, n) => {
    const [from, to] = [n * AT_ONCE, (n + 1) * AT_ONCE];
    const ofFiles = (place: number): number => Math.max(0, place - folders.length);
    return { files: files.slice(ofFiles(from), ofFiles(to)), folders: folders.slice(from, to) };
  });
}

/** The milliseconds after which further requests do not search texts. */
const SEARCHED = 3000;

/** The documents that use any of the files or folders. */
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
        // If texts were not searched for some files, the answer says so for all.
        if (performance.now() > until || found.some(({ meta }) => !meta.texts)) query.set('texts', 'false');
        found.push(await request('GET files/uses', { query, signal }));
      }
      return found.reduce(bothUses);
    },
    staleTime: 0,
  });

/** Merges two answers. A document that is counted but not listed may be counted twice. */
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
      days: one.meta.days,
    },
  };
}

/** Refetches all data of the library. */
export function libraryChanged(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: [KEY] });
}

/** Updates a changed file in all lists, before these are refetched. */
export function fileChanged(client: QueryClient, file: LibraryFile): void {
  const before = client.getQueryData(fileQuery(file.id).queryKey);
  if (before) keepBytes(before, file);
  put(client, file);
}

/** Refreshes a file whose content was replaced, wherever it is shown. */
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
  /** Whether the administrator may change at least some files and folders. */
  readonly update: boolean;
  /** Whether the administrator may change all files. */
  readonly updateAll: boolean;
  /** Whether the administrator may change a file. */
  readonly updateOf: (file: Pick<LibraryFile, 'createdBy'>) => boolean;
  readonly download: boolean;
  readonly copyLink: boolean;
}

/** The permissions of the administrator in the library. */
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
  /** The folders in a folder, or at the top, by name. */
  readonly inside: (id: number | null) => readonly Folder[];
  /** A folder and the folders above it, from the top. */
  readonly above: (id: number | null) => readonly Folder[];
  /** Folders and everything in them. */
  readonly below: (ids: readonly number[]) => readonly number[];
  readonly nameOf: (id: number | null) => string;
  readonly isPending: boolean;
}

const NONE: readonly Folder[] = [];

/** All folders. */
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
    // The loop also visits the folders that it adds.
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
