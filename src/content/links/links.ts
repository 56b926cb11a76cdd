/** Writing the links of rows: each list is read, edited in memory, and what differs is stored. */
import { Failures } from '../../failures.ts';
import { isExclusive, isToOne, type LinkPlace, type LinkTable } from '../../plan/link-place.ts';
import { type RelationEdit, type RelationEntry, relationError } from '../../query/relation-payload.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import { compileTakeLinks } from '../../sql/links/taken-links.ts';
import type { StoredLink } from '../publication/write-memory.ts';
import { recordTaken } from '../writing/changes.ts';
import {
  hasDrafts,
  isLocalized,
  layoutOfModel,
  linkPlanOf,
  placeOf,
  type Source,
  type WriteContext,
} from '../writing/write-context.ts';
import { holdersOfColumn, removable, writeColumns } from './column-links.ts';
import { type ConnectPosition, connectAll } from './connect.ts';
import { noteDraftLinks } from './draft-links.ts';
import { linkColumns, linksOfRows, lockLists } from './stored-links.ts';
import type { Target, Targets } from './targets.ts';

/** A link as it is stored, or to be stored when `id` is undefined. */
type Link = Pick<StoredLink, 'target' | 'uid' | 'order'> & { readonly id: number | undefined };

/** A row, and what is to become of its links. */
export interface RelationWrite {
  readonly source: Source;
  readonly edit: RelationEdit;
}

/**
 * Applies edits to one relation of some rows.
 *
 * @throws ContentError 400 for a position beside a document that is not linked, or positions in a circle.
 */
export async function writeRelations(
  context: WriteContext,
  model: Model,
  attribute: RelationAttribute,
  writes: readonly RelationWrite[],
  targets: Targets,
): Promise<void> {
  const place = placeOf(context, model, attribute);
  const stored = place.kind === 'table' ? await storedLinks(context, model, attribute, writes) : undefined;
  const lists: ChangedList[] = [];
  for (const { source, edit } of writes) {
    await context.pace.rest();
    if (place.kind !== 'table') await writeToColumns(context, source, place, attribute, edit, targets);
    else {
      const before = stored?.get(source.rowId) ?? [];
      lists.push({ source, before, after: changed(attribute, edit, targets, before) });
      await context.pace.rest();
    }
  }
  if (place.kind !== 'table') return;
  const differences = lists.map((list) => ({ source: list.source, ...differenceOf(list) }));
  for (const { source, added } of isExclusive(attribute) ? differences : []) {
    const rows = added.map(({ target }) => target);
    await targets.requireTaking(source, place, attribute, rows);
  }
  if (targets.asksLinked(attribute)) {
    const changed = differences.flatMap(({ gone, added }) => [...gone, ...added]);
    await targets.requireLinked(
      attribute,
      changed.map(({ target }) => target),
    );
  }
  await storeLists(context, model, attribute, place, lists);
}

/** A list of links before and after a write. */
interface ChangedList {
  readonly source: Source;
  readonly before: readonly Link[];
  readonly after: readonly Link[];
}

/** Stores changed lists: those that concern nobody else together, the others one by one. */
async function storeLists(
  context: WriteContext,
  model: Model,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkTable,
  lists: readonly ChangedList[],
): Promise<void> {
  noteLinks(context, model, attribute, place, lists);
  if (!isKeptBySourceAlone(model, place, attribute)) {
    for (const list of lists) await storeList(context, attribute, place, list);
    return;
  }
  const { tables } = context;
  const differences = lists.map((list) => ({ ...list, ...differenceOf(list) }));
  const gone = differences.flatMap((list) => list.gone.map(({ id }) => id!));
  await tables.delete(place.table, { id: gone });
  if (place.order !== null) {
    const moved = differences.flatMap((list) => list.moved.map(({ id, order }): [number, number] => [id!, order]));
    await tables.setEach(place.table, place.order, new Map(moved));
  }
  const rows = differences.flatMap(({ source, added }) => added.map((link) => linkColumns(place, source.rowId, link)));
  await tables.insertMany(place.table, rows);
}

/** Keeps in mind what is linked from rows that are being made, where it will be copied. */
function noteLinks(
  { memory }: WriteContext,
  { uid }: Model,
  { name }: RelationAttribute | MediaAttribute,
  place: LinkTable,
  lists: readonly ChangedList[],
): void {
  if (!memory.makesTwins) return;
  const order = (index: number) => (place.order === null ? null : index + 1);
  const linkOf = ({ target, uid }: Link, index: number): StoredLink => {
    return { id: 0, target, uid, order: order(index), inverse: null, fields: place.added };
  };
  for (const { source, after } of lists) {
    if (source.isNew && after.length > 0) memory.noteLinks(uid, name, source.rowId, after.map(linkOf));
  }
}

/** What of a list is removed, what is new, and what comes to another place; new and moved ones with their places. */
function differenceOf({ before, after }: Pick<ChangedList, 'before' | 'after'>) {
  const kept = new Set(after.map((link) => link.id));
  const placed = after.map((link, index) => ({ ...link, order: index + 1, isMoved: link.order !== index + 1 }));
  return {
    gone: before.filter((link) => !kept.has(link.id)),
    added: placed.filter((link) => link.id === undefined),
    moved: placed.filter((link) => link.id !== undefined && link.isMoved),
  };
}

/** The links that rows have before they are written, by row, in one statement; those of new rows are none. */
async function storedLinks(
  context: WriteContext,
  model: Model,
  attribute: RelationAttribute | MediaAttribute,
  writes: readonly { readonly source: Source }[],
): Promise<ReadonlyMap<number, readonly Link[]>> {
  const rows = writes.flatMap(({ source }) => (source.isNew ? [] : [source.rowId]));
  return rows.length === 0 ? new Map() : linksOfRows(context, linkPlanOf(context, model, attribute), rows);
}

/** Whether links concern only the row that has them: those of components and to files, which no other side shows. */
function isKeptBySourceAlone(model: Model, place: LinkTable, attribute: RelationAttribute | MediaAttribute): boolean {
  const isShown = attribute.type !== 'media' && model.modelType !== 'component';
  return !isShown && place.inverseOrder === null && !isExclusive(attribute);
}

/** The targets of entries. */
function targetsOf(attribute: RelationAttribute, targets: Targets) {
  const missing = new Failures();
  return (entry: RelationEntry): Target => targets.target(attribute.target ?? entry.type!, entry, missing)!;
}

/** The links that an edit makes of others. */
function changed(attribute: RelationAttribute, edit: RelationEdit, targets: Targets, before: readonly Link[]): Link[] {
  const target = targetsOf(attribute, targets);
  return edit.kind === 'set'
    ? replaced(before, edit.entries.map(target), isToOne(attribute))
    : edited(before, edit, target, targets, attribute);
}

async function writeToColumns(
  context: WriteContext,
  source: Source,
  place: Exclude<LinkPlace, LinkTable>,
  attribute: RelationAttribute,
  edit: RelationEdit,
  targets: Targets,
): Promise<void> {
  const target = targetsOf(attribute, targets);
  const rowsOf = (entries: readonly RelationEntry[]) =>
    entries.map(target).flatMap(({ uid, rows }) => rows.map((row) => ({ uid, row })));
  const entries = edit.kind === 'set' ? edit.entries : edit.connect;
  const linked = rowsOf(isToOne(attribute) ? entries.slice(-1) : entries);
  const cut = edit.kind === 'set' ? [] : rowsOf(edit.disconnect);
  const replaces = edit.kind === 'set' || (isToOne(attribute) && linked.length > 0);
  if (place.kind === 'inverse' && targets.asksLinked(attribute)) {
    const before = await holdersOfColumn(context, source, place, attribute);
    const wanted = new Set(linked.map(({ row }) => row));
    const gone = replaces ? removable(source, before).filter((id) => !wanted.has(id)) : cut.map(({ row }) => row);
    await targets.requireLinked(attribute, [...gone, ...[...wanted].filter((id) => !before.has(id))]);
  }
  // a column of a row's own holds one of the two rows of a document
  const rows = (place.kind === 'inverse' ? linked : linked.slice(-1)).map(({ row }) => row);
  await targets.requireTaking(source, place, attribute, rows);
  await writeColumns(context, source, place, attribute, { linked, cut, replaces });
}

/** A row, and the files that its attribute is to have. */
export interface MediaWrite {
  readonly source: Source;
  readonly files: readonly number[];
}

/** Replaces the files of one media attribute of some rows, in the order given, each once. */
export async function writeMedia(
  context: WriteContext,
  model: Model,
  attribute: MediaAttribute,
  writes: readonly MediaWrite[],
): Promise<void> {
  const place = placeOf(context, model, attribute) as LinkTable;
  const stored = await storedLinks(context, model, attribute, writes);
  const lists = writes.map(({ source, files }) => {
    const wanted = attribute.multiple ? [...new Set(files)] : files.slice(0, 1);
    const before = stored.get(source.rowId) ?? [];
    const known = new Map(before.map((link) => [link.target, link]));
    return { source, before, after: wanted.map((target) => known.get(target) ?? newLink('', target)) };
  });
  await storeLists(context, model, attribute, place, lists);
}

const newLink = (uid: string, target: number): Link => ({ id: undefined, target, uid, order: null });

const keyOf = (uid: string, row: number): string => `${uid} ${row}`;

/** Links by what they lead to; of several to one row the first. */
function byTarget(links: readonly Link[]): Map<string, Link> {
  const found = new Map<string, Link>();
  for (const link of links) {
    const key = keyOf(link.uid, link.target);
    if (!found.has(key)) found.set(key, link);
  }
  return found;
}

/** The links of a target, those already there kept. */
function linksTo(before: ReadonlyMap<string, Link>, target: Target): Link[] {
  return target.rows.map((row) => before.get(keyOf(target.uid, row)) ?? newLink(target.uid, row));
}

/** `set`: the targets in order, each once; of a to-one relation the last. */
function replaced(before: readonly Link[], targets: readonly Target[], toOne: boolean): Link[] {
  const wanted = toOne ? targets.slice(-1) : targets;
  const known = byTarget(before);
  return [...byTarget(wanted.flatMap((target) => linksTo(known, target))).values()];
}

/** `disconnect`, then `connect` one after another, each at its position. */
function edited(
  before: readonly Link[],
  edit: Extract<RelationEdit, { kind: 'edit' }>,
  targetOf: (entry: RelationEntry) => Target,
  targets: Targets,
  attribute: RelationAttribute,
): Link[] {
  const cut = new Set(edit.disconnect.map(targetOf).flatMap(({ uid, rows }) => rows.map((row) => keyOf(uid, row))));
  const links = before.filter((link) => !cut.has(keyOf(link.uid, link.target)));
  const known = byTarget(before);
  if (isToOne(attribute)) {
    const last = edit.connect.at(-1);
    return last ? linksTo(known, targetOf(last)) : links;
  }
  const named = edit.connect.map((entry) => ({ entry, target: targetOf(entry) }));
  refuseTwice(named, attribute.name);
  const byKey = byTarget([...links, ...named.flatMap(({ target }) => linksTo(known, target))]);
  const entries = named.map(({ entry, target }) => ({
    documentId: target.documentId,
    keys: target.rows.map((row) => keyOf(target.uid, row)),
    position: positionOf(entry, attribute, targets),
  }));
  return connectAll([...byTarget(links).keys()], entries, attribute.name).map((key) => byKey.get(key)!);
}

/** The position of an entry, with the rows of the document that it stands beside. */
function positionOf(entry: RelationEntry, attribute: RelationAttribute, targets: Targets): ConnectPosition {
  const { position } = entry;
  if (position.kind === 'start' || position.kind === 'end') return position;
  const { uid, rows, documentId } = targets.beside(attribute, entry, attribute.name)!;
  return {
    kind: position.kind,
    documentId: position.documentId ?? documentId,
    keys: rows.map((row) => keyOf(uid, row)),
  };
}

/** An entry of `connect` with what it names. */
interface Named {
  readonly entry: RelationEntry;
  readonly target: Target;
}

/**
 * Refuses a document that two entries name, however they name it. The two rows of one document may be linked by an
 * entry each.
 *
 * @throws ContentError 400.
 */
function refuseTwice(entries: readonly Named[], name: string): void {
  const seen = new Set<string>();
  for (const { entry, target } of entries) {
    const { uid, documentId, locale, rows } = target;
    const version = JSON.stringify([uid, documentId, locale, entry.status]);
    const keys = [version, ...rows.map((row) => keyOf(uid, row))];
    if (keys.some((key) => seen.has(key))) throw relationError(name, `${documentId} is connected twice at ${name}`);
    for (const key of keys) seen.add(key);
  }
}

/** Stores a changed list that concerns others as well. */
async function storeList(
  context: WriteContext,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkTable,
  list: ChangedList,
): Promise<void> {
  const { tables } = context;
  const { source } = list;
  const { gone, added, moved } = differenceOf(list);
  await tables.delete(place.table, { id: gone.map((link) => link.id!) });
  const targets = added.map((link) => link.target);
  await lockLists(context, place, targets);
  const taken =
    targets.length > 0 && isExclusive(attribute) ? await takeFromOthers(context, source, place, targets) : [];
  if (place.order !== null) {
    await tables.setEach(place.table, place.order, new Map(moved.map(({ id, order }) => [id!, order])));
  }
  await context.pace.rest();
  const rows = added.map((link) => linkColumns(place, source.rowId, link));
  const last = place.inverseOrder === null ? undefined : { column: place.inverseOrder, group: place.target };
  await tables.insertMany(place.table, rows, last);
  if (!source.isDraftEdit || attribute.type === 'media') return;
  const own = [...gone, ...added].map(({ uid, target }) => ({ row: source.rowId, uid, target }));
  const others = taken.map((link) => ({ ...link, uid: attribute.target! }));
  await noteDraftLinks(context, source, attribute, [...own, ...others]);
}

/**
 * Removes other sources' links to targets that may have one source; those of the other status keep theirs, and so do other
 * versions of the document. Gives what was taken.
 */
export async function takeFromOthers(
  context: WriteContext,
  source: Source,
  place: LinkTable,
  targets: readonly number[],
): Promise<{ row: number; target: number }[]> {
  if (targets.length === 0) return [];
  const { model } = source;
  const { table } = layoutOfModel(context, model);
  const takers = { table, drafts: hasDrafts(model), localized: isLocalized(model) };
  const values = [JSON.stringify(targets.map((target) => [target])), source.rowId];
  const taken = await context.tables.run(`take ${place.table} ${place.target}`, values, () =>
    compileTakeLinks(context.tables.dialect, place, takers),
  );
  const rows = taken.map(([row, target]) => ({ row: Number(row), target: Number(target) }));
  if (rows.length > 0) context.memory.changes++;
  await recordTaken(
    context,
    model,
    rows.map(({ row }) => row),
  );
  return rows;
}
