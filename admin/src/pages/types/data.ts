/** Content types with the unsaved changes of this tab, and requests that apply them. */
import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type {
  ContentTypeFile,
  ContentTypesState,
  SchemaChanges,
  SchemaEffect,
} from '../../../contract/content-types.ts';
import '../../language/en-types.ts';
import { request } from '../../data/client.ts';
import { schemaQuery } from '../../data/schema.ts';
import { isSuper, permits, presenceQuery, useSession } from '../../data/session.ts';
import type { Types } from './relations.ts';
import { type Edits, setEdits, useWork } from './work.ts';
import { changeOf, isChanged, isEqual, type WorkingType, workingType } from './working-type.ts';

/** The milliseconds between looks at the files, which editors and other tabs change. */
const LOOK = 3000;
/** The milliseconds for which plans of earlier steps are kept. */
const KEPT = 60_000;

export const typesQuery = queryOptions({
  queryKey: ['content-types'],
  queryFn: async ({ signal }) => (await request('GET content-types', { signal })).data,
  // Files that cannot be edited change with a new start of the server.
  refetchInterval: ({ state: { data } }) => (data?.isEditable ? LOOK : false),
  retry: false,
});

/** What the unsaved changes would do to the files as they are now. */
export const planQuery = ({ changes, state }: Pick<ContentTypes, 'changes' | 'state'>, keep: Keep) =>
  queryOptions({
    queryKey: ['content-types', 'plan', changes, keep, state.types.map(({ revision }) => revision)],
    queryFn: async ({ signal }) => (await request('POST content-types/plan', { body: { changes, keep }, signal })).data,
    enabled: changes.length > 0,
    placeholderData: keepPreviousData,
    gcTime: KEPT,
    retry: false,
  });

/** Reloads data that follows from the schema files: forms, and the rights of roles for new types and attributes. */
export function reloadSchema(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: schemaQuery.queryKey });
  void client.invalidateQueries({ queryKey: presenceQuery.queryKey });
}

export type Keep = Readonly<Record<string, NonNullable<SchemaEffect['keep']>>>;

/** Whether the administrator may see the pages. */
function useMayRead(): boolean {
  const session = useSession();
  return isSuper(session) || permits(session.rights, 'plugin::content-type-builder.read');
}

export interface ContentTypes {
  readonly state: ContentTypesState;
  /** All types as they are with the unsaved changes, removed ones included. */
  readonly types: Types;
  /** Stored types by uid. */
  readonly stored: ReadonlyMap<string, ContentTypeFile>;
  readonly edits: Edits;
  /** The unsaved changes, as they are sent. */
  readonly changes: SchemaChanges['changes'];
  /** The uids of changed types whose files have changed in the meantime. */
  readonly outdated: readonly string[];
  /** Makes a step: stores the types that differ from the stored ones. */
  readonly change: (types: Types) => void;
}

/** The content types; undefined while they are loading. */
export function useContentTypes(): { readonly all: ContentTypes | undefined; readonly isError: boolean } {
  const may = useMayRead();
  const { data: state, isError } = useQuery({ ...typesQuery, enabled: may });
  const { edits } = useWork();
  const all = useMemo(() => state && withEdits(state, edits), [state, edits]);
  return { all, isError: !may || isError };
}

function withEdits(state: ContentTypesState, edits: Edits): ContentTypes {
  const stored = new Map(state.types.map((type) => [type.uid, type]));
  const own = Object.values(edits);
  const byOrigin = new Map(own.flatMap((edit) => (edit.from === null ? [] : [[edit.from, edit] as const])));
  const types: Record<string, WorkingType> = {};
  for (const type of state.types) {
    const shown = byOrigin.get(type.uid) ?? workingType(type);
    types[shown.uid] = shown;
  }
  for (const edit of own) types[edit.uid] ??= edit;
  const changed = own.filter((edit) => isChanged(edit, storedOf(stored, edit)));
  return {
    state,
    types,
    stored,
    edits,
    changes: changed.map(changeOf),
    outdated: changed
      .filter((edit) => (storedOf(stored, edit)?.revision ?? null) !== edit.revision)
      .map(({ uid }) => uid),
    change: (next) => setEdits(editsOf(next, stored)),
  };
}

/** The stored type from which a working type started. A new one may have been created elsewhere in the meantime. */
const storedOf = (stored: ReadonlyMap<string, ContentTypeFile>, { from, uid }: WorkingType) => stored.get(from ?? uid);

/** The types that differ from their files. */
function editsOf(types: Types, stored: ReadonlyMap<string, ContentTypeFile>): Edits {
  const changed = Object.values(types).filter((type) => {
    const file = storedOf(stored, type);
    // Types whose files changed after the edit started are compared with their state at that time.
    return type.from === null || !file || type.revision !== file.revision || isChanged(type, file);
  });
  return Object.fromEntries(changed.map((type) => [type.uid, type]));
}

/** The unsaved changes without those of one type. */
export function editsWithout(edits: Edits, uid: string): Edits {
  const { [uid]: _gone, ...rest } = edits;
  return rest;
}

/** The unsaved change of a type, on top of the file as it is now: applying it replaces changes of others. */
export function editsOnto(edits: Edits, uid: string, file: ContentTypeFile | undefined): Edits {
  const edit = edits[uid];
  if (!edit) return edits;
  return { ...edits, [uid]: { ...edit, revision: file?.revision ?? null, from: file?.uid ?? null } };
}

/** Whether an attribute of a working type is new or differs from the stored one. */
export function attributeState(
  { from, options, name }: WorkingType['attributes'][number],
  file: ContentTypeFile | undefined,
): 'new' | 'changed' | undefined {
  const before = ((file?.schema['attributes'] ?? {}) as Readonly<Record<string, unknown>>)[from ?? ''];
  if (from === null || before === undefined) return 'new';
  return from !== name || !isEqual(before, options) ? 'changed' : undefined;
}
