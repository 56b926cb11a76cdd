/**
 * The deletions that a viewer is shown: of types, files and rows that the viewer may read. A row that no longer exists has
 * its locale and its creator only; a condition on anything else counts as not met. Folders are shown to those who may
 * read every file.
 */
import type { Condition } from '../access/condition.ts';
import { operandOf, type Viewer } from '../access/view.ts';
import type { MainFieldOf } from '../content/administration/arrangement.ts';
import { labelOf } from '../content/administration/form-values.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { recordOf } from '../media/trashed.ts';
import { type Catalog, type ContentType, FILE_UID, FOLDER_UID, isCreator } from '../schema/catalog.ts';
import { type Loss, shownContent } from './restoring.ts';
import {
  countIn,
  type Deletion,
  type DeletionQuery,
  isOfLibrary,
  listDeletions,
  recordedColumns,
  removedContent,
  removedVersions,
} from './trash.ts';
import type { TrashLoss } from './trash-links.ts';

/** The deletions of a document among which the one of a locale is looked for. */
const OF_DOCUMENT = 20;

/** A deletion as it is shown. */
export interface ShownDeletion {
  readonly deletion: Deletion;
  readonly type: ContentType;
  /** The value of the main field, from the draft if there was one. */
  readonly name: string | null;
  /** Of a file: its media type, its bytes, and the provider that stores it. */
  readonly file?: { readonly mime: string; readonly size: number; readonly provider: string };
  /** Of a folder: the number of files in the trash that were deleted with it. */
  readonly files?: number;
}

/** A viewer of documents, and as whom they see files and folders. */
export interface Viewers {
  readonly documents: Viewer;
  readonly files: Viewer;
}

/** Deletions that are examined for one page, at most. */
const EXAMINED = 500;

export interface ShownContext {
  readonly db: Queryable;
  readonly catalog: Catalog;
  readonly mainFieldOf: MainFieldOf;
}

/**
 * A page of the deletions that a viewer is shown, the last one first, and the id before which the next page begins. If
 * most deletions are hidden, a page may have fewer than there are.
 */
export async function listShownDeletions(
  context: ShownContext,
  viewers: Viewers,
  query: Omit<DeletionQuery, 'uids'> & { readonly uid?: string | undefined },
  most: number,
): Promise<{ readonly deletions: readonly ShownDeletion[]; readonly next: number | undefined }> {
  const { db } = context;
  const uids = shownTypes(context.catalog, viewers).filter((uid) => query.uid === undefined || query.uid === uid);
  if (uids.length === 0) return { deletions: [], next: undefined };
  const deletions: ShownDeletion[] = [];
  let before = query.before;
  for (let examined = 0; examined < EXAMINED; examined += most) {
    const found = await listDeletions(db, { ...query, uids, before }, most + 1);
    for (const deletion of found.slice(0, most)) {
      before = deletion.id;
      const shown = await shownDeletion(context, viewers, deletion);
      if (shown) deletions.push(shown);
      if (deletions.length === most) break;
    }
    const isEnd = found.length <= most && before === (found.at(-1)?.id ?? before);
    if (isEnd) return { deletions, next: undefined };
    if (deletions.length === most) break;
  }
  return { deletions, next: before };
}

/** The types whose documents a viewer may read, and those of files and folders. */
export function shownTypes({ contentTypes }: Catalog, { documents, files }: Viewers): string[] {
  return [...contentTypes.values()].flatMap(({ uid, routed }) => {
    if (!routed && !isOfLibrary(uid)) return [];
    const { view } = routed ? documents : files;
    return view.may(`${uid}.find`) || view.may(`${uid}.findOne`) ? [uid] : [];
  });
}

/** A deletion as it is shown; undefined if the viewer is not shown all of its rows. */
export async function shownDeletion(
  { db, catalog, mainFieldOf }: ShownContext,
  viewers: Viewers,
  deletion: Deletion,
): Promise<ShownDeletion | undefined> {
  const type = catalog.contentTypes.get(deletion.uid);
  if (!type || !shownTypes(catalog, viewers).includes(type.uid)) return undefined;
  if (isOfLibrary(type.uid)) return shownInLibrary({ db, catalog }, viewers.files, type, deletion);
  const viewer = viewers.documents;
  const versions = await removedVersions(db, deletion);
  const { rows: condition } = viewer.view.of(type);
  const isShown = deletion.rows.every(([row, locale]) => {
    const createdBy = versions.get(row)?.createdBy ?? null;
    return condition === undefined || isMet(viewer, type, condition, { locale, createdBy });
  });
  if (!isShown) return undefined;
  const named = deletion.rows.find(([, , status]) => status === 'draft') ?? deletion.rows[0];
  const version = named && versions.get(named[0]);
  if (!version) return { deletion, type, name: null };
  const content = shownContent(viewer.view, type, await removedContent(db, deletion, version.version));
  return { deletion, type, name: labelOf(content[mainFieldOf(type)]) };
}

/**
 * Losses, of which the first ones have the names of linked documents that are in the trash, as far as the viewer is shown
 * them there.
 *
 * @param most the number of documents whose names are read.
 */
export async function namedLosses<T extends TrashLoss>(
  context: ShownContext,
  viewers: Viewers,
  losses: readonly T[],
  most: number,
): Promise<T[]> {
  const names = new Map<string, string | undefined>();
  const nameOf = async ({ type, documentId, locale }: NonNullable<Loss['target']>): Promise<string | undefined> => {
    if (type === undefined || documentId === undefined) return undefined;
    const key = `${type} ${documentId} ${locale ?? ''}`;
    if (names.has(key) || names.size >= most) return names.get(key);
    const deletions = await listDeletions(context.db, { uids: [type], documentId }, OF_DOCUMENT);
    const deletion = deletions.find(({ rows }) => locale == null || rows.some((row) => row[1] === locale));
    const name = deletion && (await shownDeletion(context, viewers, deletion))?.name;
    names.set(key, name ?? undefined);
    return name ?? undefined;
  };
  const named: T[] = [];
  for (const loss of losses) {
    const end = loss.target ?? loss.source;
    const name = loss.reason === 'deletedDocument' && end ? await nameOf(end) : undefined;
    named.push(name === undefined ? loss : { ...loss, [loss.target ? 'target' : 'source']: { ...end, name } });
  }
  return named;
}

async function shownInLibrary(
  { db, catalog }: Pick<ShownContext, 'db' | 'catalog'>,
  viewer: Viewer,
  type: ContentType,
  deletion: Deletion,
): Promise<ShownDeletion | undefined> {
  const file = catalog.contentTypes.get(FILE_UID)!;
  const { rows: condition } = viewer.view.of(file);
  const isFolder = type.uid === FOLDER_UID;
  if (isFolder && condition !== undefined) return undefined;
  const columns = (await recordedColumns(db, deletion)).find((row) => row['document_id'] === deletion.documentId);
  const createdBy = Number(columns?.['created_by_id'] ?? 0) || null;
  if (condition && !isMet(viewer, file, condition, { locale: null, createdBy })) return undefined;
  const shown = { deletion, type, name: columns?.['name'] ?? null };
  if (isFolder) return { ...shown, files: await countIn(db, deletion) };
  const { mime, provider } = recordOf(columns ?? {});
  return { ...shown, file: { mime, size: Math.round(Number(columns?.['size'] ?? 0) * 1000), provider } };
}

/** What is known of a removed row. */
interface RowFacts {
  readonly locale: string | null;
  /** The row id of an administrator. */
  readonly createdBy: number | null;
}

/** Whether a condition is met as far as is known of a row. */
function isMet(viewer: Viewer, type: ContentType, condition: Condition, facts: RowFacts): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.items.every((item) => isMet(viewer, type, item, facts));
    case 'or':
      return condition.items.some((item) => isMet(viewer, type, item, facts));
    case 'test':
      return condition.field === 'locale' && type.localized && passes(viewer, condition, facts.locale);
    case 'through': {
      const { name, item } = condition;
      if (!isCreator(type, name) || name !== 'createdBy' || item.kind !== 'test' || item.field !== 'id') return false;
      return facts.createdBy !== null && passes(viewer, item, facts.createdBy);
    }
    case 'not':
      return false;
  }
}

function passes(
  { view, values }: Viewer,
  { operator, slots, accounts }: Extract<Condition, { kind: 'test' }>,
  value: string | number | null,
): boolean {
  if ((operator !== '$eq' && operator !== '$in') || accounts !== undefined) return false;
  return slots.some((slot) => {
    const operand = operandOf(view, slot);
    if (operand.kind === 'caller') return values[operand.name] !== undefined && values[operand.name] === value;
    return operand.kind === 'constant' && value !== null && operand.value === value;
  });
}
