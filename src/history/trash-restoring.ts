/**
 * Restores deleted documents: under their former ids, with the contents of their drafts and published versions, their
 * times and creators, and the links whose other side still exists and is free.
 */
import { isDeepStrictEqual } from 'node:util';
import type { View, Viewer } from '../access/view.ts';
import type { EditingServices } from '../content/administration/document-states.ts';
import type { TogetherServices } from '../content/documents/transitions.ts';
import type { StepWriter, Writer } from '../content/documents/writer.ts';
import { type DocumentRow, inLocale, readRows, singleDocumentId } from '../content/rows/document-rows.ts';
import { documentLock, singleLock } from '../content/rows/locks.ts';
import type { WriteContext } from '../content/rows/write-context.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { insertRow, query, send } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { forbidden, notFound, refusal } from '../errors.ts';
import { isObject } from '../plain-values.ts';
import type { WrittenData } from '../query/body.ts';
import { reason } from '../reasons.ts';
import type { Catalog, ContentType, Model } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import type { SqlValue } from '../sql/fragment.ts';
import { compileLinkNew } from '../sql/review.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import { compileHasRow, RESTORED_ROWS_TABLE } from '../sql/trash.ts';
import type { RemovedRow } from './recorder.ts';
import { type RestoredPart, restoredData } from './restoring.ts';
import { sharedValues } from './shared-values.ts';
import {
  type Deletion,
  listDeletions,
  type RemovedVersion,
  removedContent,
  removedVersions,
  takeDeletion,
} from './trash.ts';
import {
  locksOfOthers,
  otherRows,
  type RecordedLinks,
  recordedLinks,
  returningLinks,
  type TrashLoss,
} from './trash-links.ts';
import type { Content } from './version.ts';

export interface TrashContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly writer: Writer;
  /** Shows every attribute of every type. */
  readonly whole: View;
  readonly editing: Pick<EditingServices, 'database' | 'reader'> & {
    together<T>(work: (tx: Transaction, services: Pick<TogetherServices, 'steps'>) => Promise<T>): Promise<T>;
  };
}

/** The person who restores, as viewers for what a restoration does. */
export interface Restorer {
  readonly create: Viewer;
  readonly publish: Viewer;
}

/** A removed row with its recorded state. */
interface RemovedState extends RemovedVersion {
  readonly row: RemovedRow;
  readonly content: Content;
}

/** A restored document, file or folder. */
export interface Restored {
  readonly documentId: string;
  readonly locales: readonly (string | null)[];
  readonly losses: readonly TrashLoss[];
  /** Files of a folder that remain in the trash; the request is to be repeated. */
  readonly left: number;
}

/** What a deleted document would lose. */
export async function lossesOf(
  context: TrashContext,
  restorer: Restorer,
  type: ContentType,
  deletion: Deletion,
): Promise<readonly TrashLoss[]> {
  const { editing, layout, writer } = context;
  const db = editing.database;
  const states = await statesOf(context, type, deletion);
  const losses: TrashLoss[] = [];
  const part = await writtenPart(context, db, type, deletion);
  const shown = editing.reader.shown(db, restorer.create);
  const restoring = { db, layout, shown, isNew: true };
  for (const { content } of states) {
    losses.push(...passwordLosses(context, type, content));
    const data = await restoredData(restoring, restorer.create.view, type, content, part);
    losses.push(...data.losses.filter(({ target }) => target?.documentId !== deletion.documentId));
  }
  const { links, values } = await recordedLinks(db, writer.reading(db), deletion);
  losses.push(...(await valueLosses(db, values)));
  const returning = { type, deletion, links, viewer: restorer.create, shown, rows: undefined };
  losses.push(...(await returningLinks(writer.reading(db), returning)).losses);
  return different(losses);
}

/**
 * Restores a document, all of it or nothing.
 *
 * @throws ContentError 404 for a deletion that is no longer in the trash; 403 without a right; 400 for a document that
 * exists again, and where the content API would refuse to create it.
 */
export async function restoreDeletion(
  context: TrashContext,
  restorer: Restorer,
  type: ContentType,
  deletion: Deletion,
): Promise<Restored> {
  const { editing, writer } = context;
  const { uid, documentId, rows } = deletion;
  requireRights(restorer, type, rows);
  const states = await statesOf(context, type, deletion);
  const db = editing.database;
  const { links, values } = await recordedLinks(db, writer.reading(db), deletion);
  const locks = locksOfOthers(await otherRows(writer.reading(db), links));
  return editing.together(async (tx, { steps }) => {
    const single = type.kind === 'singleType' ? [singleLock(type)] : [];
    await tx.lock(() => [...single, documentLock(uid, documentId), ...locks]);
    await takeDeletion(tx, deletion);
    const writing = writer.context(tx);
    await requireFree(writing, type, deletion);
    const losses: TrashLoss[] = states.flatMap(({ content }) => passwordLosses(context, type, content));
    losses.push(...(await writeStates(context, { tx, steps, restorer, type, deletion, states })));
    losses.push(...(await valueLosses(tx, values)));
    const restored = await restoredRows(writing, type, deletion, states);
    await resetRows(writing, type, restored, values);
    const ids = new Map(restored.map(({ state, row }) => [state.row[0], row.id]));
    const shown = editing.reader.shown(tx, restorer.create);
    const returning = { type, deletion, links, viewer: restorer.create, shown, rows: ids };
    const returned = await returningLinks(writing, returning);
    await returned.write(writing);
    const at = Date.now();
    for (const [former, row] of ids) {
      const values = { content_type: uid, former_id: former, row_id: row, restored_at: at };
      await insertRow(tx, RESTORED_ROWS_TABLE, values);
    }
    const all = restored.map(({ row }) => row);
    await shown.requireWritten(type, all);
    const published = type.draftAndPublish ? all.filter((row) => row.published) : [];
    await editing.reader.shown(tx, restorer.publish).requireWritten(type, published);
    losses.push(...returned.losses);
    return { documentId, locales: [...new Set(rows.map((row) => row[1]))], losses: different(losses), left: 0 };
  });
}

/** @throws ContentError 403 without the right to create, to publish what was published, or to add locales. */
function requireRights({ create, publish }: Restorer, { uid, draftAndPublish }: ContentType, rows: Deletion['rows']) {
  const isPublished = draftAndPublish && rows.some(([, , status]) => status === 'published');
  const isInSeveral = new Set(rows.map(([, locale]) => locale)).size > 1;
  const may = (view: View, action: string) => view.may(`${uid}.${action}`);
  if (!may(create.view, 'create')) throw forbidden();
  if (isPublished && !may(publish.view, 'publish')) throw forbidden();
  if (isInSeveral && !may(create.view, 'createLocalization')) throw forbidden();
}

/**
 * The recorded states of all rows. If other locales of the document were deleted later, values that all locales share
 * are those of the later deletion. @throws ContentError 400 if a state is missing.
 */
async function statesOf(
  context: TrashContext,
  type: ContentType,
  deletion: Deletion,
): Promise<readonly RemovedState[]> {
  const { database } = context.editing;
  const states = await recordedStates(context, deletion);
  const shared = context.writer.reading(database).plans.index.sharedAttributes(type.uid);
  if (shared.size === 0) return states;
  const { uid, documentId } = deletion;
  const [last] = await listDeletions(database, { uids: [uid], documentId }, 1);
  if (!last || last.id <= deletion.id) return states;
  const later = await recordedStates(context, last);
  return states.map((state) => {
    const same = later.find(({ row }) => row[2] === state.row[2]);
    const values = Object.entries(same?.content ?? {}).filter(([name]) => shared.has(name));
    return { ...state, content: { ...state.content, ...Object.fromEntries(values) } };
  });
}

async function recordedStates(
  { editing: { database } }: TrashContext,
  deletion: Deletion,
): Promise<readonly RemovedState[]> {
  const versions = await removedVersions(database, deletion);
  return Promise.all(
    deletion.rows.map(async (row) => {
      const version = versions.get(row[0]);
      if (!version) throw refusal('The content of the document was not recorded', reason('notRecorded'));
      return { ...version, row, content: await removedContent(database, deletion, version.version) };
    }),
  );
}

/** What was recorded besides contents and links, and cannot return. */
async function valueLosses(db: Queryable, values: RecordedLinks['values']): Promise<TrashLoss[]> {
  const losses: TrashLoss[] = [];
  for (const [side, reason] of [
    ['stage', 'deletedStage'],
    ['assignee', 'deletedAssignee'],
  ] as const) {
    for (const { otherType: table, other } of values.filter((value) => value.side === side)) {
      const found = await query(db, compileHasRow(table), [other]);
      if (found.length === 0) losses.push({ path: side, reason });
    }
  }
  return losses;
}

/** @throws ContentError 400 if the document exists again, in one of the locales. */
async function requireFree(context: WriteContext, type: ContentType, { documentId, rows }: Deletion): Promise<void> {
  const document = await readRows(context, type, documentId);
  const isTaken = rows.some(([, locale]) => document.rows.some((row) => inLocale(row, type, locale)));
  const single = type.kind === 'singleType' ? ((await singleDocumentId(context, type)) ?? documentId) : documentId;
  if (isTaken || single !== documentId) throw refusal('The document exists again', reason('existsAgain'));
}

/**
 * The attributes that the writer sets. Relations that other documents show return with their places on both sides, but
 * for required ones, without which the document might be refused.
 */
function writtenNames({ attributes }: ContentType): string[] {
  return [...attributes.values()].flatMap((attribute) => {
    const isShownElsewhere =
      attribute.type === 'relation' && (attribute.inverse !== undefined || attribute.morphBy !== undefined);
    return isShownElsewhere && !attribute.required ? [] : [attribute.name];
  });
}

/** What the writer restores of the versions: a further locale takes what all locales share from the others. */
async function writtenPart(
  context: TrashContext,
  db: Queryable,
  type: ContentType,
  { documentId, rows }: Deletion,
): Promise<RestoredPart> {
  const shared = await sharedValues({ ...context, db }, type, documentId, rows[0]?.[1] ?? null);
  return { only: writtenNames(type), shared };
}

interface Writing {
  readonly tx: Transaction;
  readonly steps: StepWriter;
  readonly restorer: Restorer;
  readonly type: ContentType;
  readonly deletion: Deletion;
  readonly states: readonly RemovedState[];
}

/** Writes published contents first, and then the drafts that differ from them. */
async function writeStates(context: TrashContext, writing: Writing): Promise<readonly TrashLoss[]> {
  const { tx, restorer, type, deletion, states } = writing;
  const isDraft = ({ row }: RemovedState) => type.draftAndPublish && row[2] === 'draft';
  const ordered = [...states].sort((one, other) => Number(isDraft(one)) - Number(isDraft(other)));
  const reading = context.writer.context(tx);
  let isNew = (await readRows(reading, type, deletion.documentId)).rows.length === 0;
  const part = await writtenPart(context, tx, type, deletion);
  const { create } = restorer;
  const restoring = { db: tx, layout: context.layout, shown: context.editing.reader.shown(tx, create), isNew: true };
  for (let isAgain = false; ; isAgain = true) {
    const losses: TrashLoss[] = [];
    const written = new Map<string | null, WrittenData>();
    for (const state of ordered) {
      const [, locale] = state.row;
      const { data, losses: lost } = await restoredData(restoring, create.view, type, state.content, part);
      losses.push(...lost);
      // the draft of a published version has its content already
      if (isDeepStrictEqual(written.get(locale), data)) continue;
      written.set(locale, data);
      await writeState(writing, { data, locale, status: isDraft(state) ? 'draft' : 'published' }, isNew);
      isNew = false;
    }
    const isOwn = ({ target }: TrashLoss) => target?.type === type.uid && target.documentId === deletion.documentId;
    // a link to the document itself is written once it exists
    if (isAgain || !losses.some(isOwn)) return losses;
  }
}

interface Step {
  readonly data: WrittenData;
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
}

async function writeState(
  { steps, restorer: { create }, type, deletion: { documentId } }: Writing,
  { data, locale, status }: Step,
  isNew: boolean,
): Promise<void> {
  const request = {
    ...{ type, viewer: create, status, data, locale: locale ?? undefined },
    shape: { fields: ['documentId'] },
    mayLocalize: true,
    mayShare: true,
    isRestoring: true,
  };
  if (isNew) await steps.create({ ...request, documentId, precondition: 'none' });
  else await steps.update(request, documentId);
}

/** A row of the restored document, and the state that it has. */
interface RestoredRow {
  readonly state: RemovedState;
  readonly row: DocumentRow;
}

/** The rows of the restored states. @throws ContentError 400 if code of the project has not created one of them. */
async function restoredRows(
  context: WriteContext,
  type: ContentType,
  { documentId }: Deletion,
  states: readonly RemovedState[],
): Promise<readonly RestoredRow[]> {
  const { rows } = await readRows(context, type, documentId);
  return states.map((state) => {
    const [, locale, status] = state.row;
    const isPublished = !type.draftAndPublish || status === 'published';
    const row = rows.find((one) => inLocale(one, type, locale) && one.published === isPublished);
    if (!row) throw refusal('Code of the project did not create the document');
    return { state, row };
  });
}

/** Sets the times, authors, passwords, stages and assignees of rows to those before the deletion. */
async function resetRows(
  { tables, tx, layout }: WriteContext,
  type: ContentType,
  restored: readonly RestoredRow[],
  values: RecordedLinks['values'],
): Promise<void> {
  const { table, relations, columns: columnOf } = layoutOf(layout, type.uid);
  for (const { state, row } of restored) {
    const columns = new Map<string, SqlValue>();
    for (const [name, column] of TIMES) {
      const time = type.attributes.has(name) ? Number.NaN : Date.parse(String(state.content[name]));
      if (!Number.isNaN(time)) columns.set(column, tx.dialect.encodeTime(time));
    }
    for (const [name, author] of [
      ['createdBy', state.createdBy],
      ['updatedBy', state.updatedBy],
    ] as const) {
      const relation = type.attributes.has(name) ? undefined : relations.get(name);
      if (relation?.kind === 'column') columns.set(relation.column, author);
    }
    for (const { side, attribute, other, otherDocument: hash } of values.filter((one) => one.row === state.row[0])) {
      const column = type.attributes.get(attribute)?.type === 'password' ? columnOf.get(attribute) : undefined;
      if (side === 'password' && column) columns.set(column, hash);
      if (side === 'stage' || side === 'assignee')
        await send(tx, compileLinkNew(rowLinksOf(type)[side]), [row.id, other]);
    }
    if (columns.size > 0) await tables.update(table, columns, { id: row.id });
  }
}

const TIMES = [
  ['createdAt', 'created_at'],
  ['updatedAt', 'updated_at'],
  ['publishedAt', 'published_at'],
] as const;

/** The passwords in components of a content. */
function passwordLosses(
  context: Pick<TrashContext, 'catalog'>,
  model: Model,
  content: Content,
  path: readonly string[] = [],
): TrashLoss[] {
  return [...model.attributes.values()].flatMap((attribute): TrashLoss[] => {
    const { type, name } = attribute;
    const here = [...path, name];
    if (type === 'password') return path.length > 0 ? [{ path: here.join('.'), reason: 'password' }] : [];
    if (type !== 'component' && type !== 'dynamiczone') return [];
    return [content[name]].flat().flatMap((part) => {
      if (!isObject(part)) return [];
      const component = context.catalog.components.get(
        type === 'component' ? attribute.component : String(part['__component']),
      );
      return component ? passwordLosses(context, component, part, here) : [];
    });
  });
}

/** Losses, each once: a draft and its published version usually have the same. */
function different(losses: readonly TrashLoss[]): TrashLoss[] {
  return [...new Map(losses.map((loss) => [JSON.stringify(loss), loss])).values()];
}

/** The type of a deletion. @throws ContentError 404 for one that no longer exists. */
export function typeOf({ catalog }: Pick<TrashContext, 'catalog'>, { uid }: Deletion): ContentType {
  const type = catalog.contentTypes.get(uid);
  if (!type?.routed) throw notFound();
  return type;
}
