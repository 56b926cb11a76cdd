/** Writes the links of rows: each list is read, edited in memory, and compared with the stored one. */
import { Failures } from '../../failures.ts';
import { isExclusive, isToOne, type LinkPlace, type LinkTable } from '../../plan/link-place.ts';
import { type RelationEdit, type RelationEntry, relationError } from '../../query/relation-payload.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import { compileTakeLinks } from '../../sql/links.ts';
import { recordLinkEffect } from '../rows/changes.ts';
import {
  hasDrafts,
  isLocalized,
  layoutOfModel,
  linkPlanOf,
  type Source,
  type WriteContext,
} from '../rows/write-context.ts';
import { holdersOfColumn, removable, writeColumns } from './column-links.ts';
import { type ConnectPosition, connectAll } from './connect.ts';
import { noteDraftLinks } from './draft-links.ts';
import { linksOfTwin, noteWaiting, type WaitingLink } from './pending-links.ts';
import {
  compareLinks,
  insertLinks,
  type ListDifference,
  type ListedLink,
  linkKey,
  linksOfRows,
  linkValues,
  lockLists,
  type StoredLink,
} from './stored-links.ts';
import type { Target, Targets } from './targets.ts';

/** A stored link, or one to be inserted, without its place in the list. */
type Link = Omit<ListedLink, 'order'>;

/** A row, and the edit of its links. */
export interface RelationWrite {
  readonly source: Source;
  readonly edit: RelationEdit;
}

/**
 * Applies edits to one relation of some rows.
 *
 * @throws ContentError 400 for a position beside a document that is not linked, or for positions that form a circle.
 */
export async function writeRelations(
  context: WriteContext,
  model: Model,
  attribute: RelationAttribute,
  writes: readonly RelationWrite[],
  targets: Targets,
): Promise<void> {
  const plan = linkPlanOf(context, model, attribute);
  const { place } = plan;
  if (place.kind !== 'table') {
    for (const { source, edit } of writes) {
      await context.pace.breathe();
      await writeToColumns(context, source, place, attribute, edit, targets);
    }
    return;
  }
  const before = rowsBefore(writes);
  const stored = before.length === 0 ? NOTHING_STORED : await linksOfRows(context, plan, before);
  const lists: ChangedList[] = [];
  for (const { source, edit } of writes) {
    await context.pace.breathe();
    const links = stored.get(source.rowId) ?? NO_LINKS;
    lists.push(changedList(source, links, changed(attribute, edit, targets, links)));
  }
  await context.pace.breathe();
  for (const { source, added } of isExclusive(attribute) ? lists : []) {
    await targets.requireTaking(source, place, attribute, added.map(rowOf));
  }
  if (targets.restrictsLinks(attribute)) {
    const rows = lists.flatMap(({ gone: removed, added }) => [...removed, ...added].map(rowOf));
    await targets.requireLinked(attribute, rows);
  }
  await storeLists(context, attribute, place, lists);
}

/** The list of a row, and how it changes. */
interface ChangedList extends ListDifference<PlacedLink> {
  readonly source: Source;
}

/** A link at its place in the list that is written. */
type PlacedLink = Link & { readonly order: number };

const NO_LINKS: readonly StoredLink[] = [];
const NOTHING_STORED: ReadonlyMap<number, readonly StoredLink[]> = new Map();

const rowOf = ({ target }: Pick<Link, 'target'>): number => target;

function changedList(source: Source, stored: readonly StoredLink[], wanted: readonly Link[]): ChangedList {
  const placed = wanted.map(({ id, uid, target }, index) => ({ id, uid, target, order: index + 1 }));
  return { source, ...compareLinks(stored, placed) };
}

/** Stores changed lists of one attribute, and those of the published rows that are inserted with drafts. */
async function storeLists(
  context: WriteContext,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkTable,
  written: readonly ChangedList[],
): Promise<void> {
  const { tables } = context;
  const lists = [...written];
  const waiting: WaitingLink[] = [];
  for (const { source, added } of written) {
    const twin = linksOfTwin(context, source, attribute, added);
    if (!twin) continue;
    lists.push({ source: twin.source, gone: NO_LINKS, added: twin.links, moved: [] });
    waiting.push(...twin.waiting);
  }
  const removed = lists.flatMap((list) => list.gone.map(({ id }) => id));
  if (removed.length > 0) await tables.delete(place.table, { id: removed });
  const targets = lists.flatMap(({ added }) => added.map(rowOf));
  const locked = lockLists(context, place, targets);
  if (locked) await locked;
  const taken = isExclusive(attribute) ? await takeForAll(context, place, lists) : [];
  const moved = lists.flatMap((list) => list.moved);
  if (place.order !== null && moved.length > 0) await tables.setEach(place.table, place.order, new Map(moved));
  await context.pace.breathe();
  const rows = lists.map(({ source, added }) => added.map((link) => linkValues(place, source.rowId, link)));
  const areApart = place.inverseOrder === null || new Set(targets).size === targets.length;
  for (const part of areApart ? [rows.flat()] : rows) {
    const sent = insertLinks(context, place, part);
    if (sent) await sent;
  }
  if (isWithinType(attribute, lists)) {
    const links = lists.flatMap(({ source, added }) =>
      added.map(({ target }) => madeLink(place, { row: source.rowId, target })),
    );
    context.effects.made(links);
  }
  if (waiting.length > 0) await noteWaiting(context, attribute, place, waiting);
  if (attribute.type === 'media') return;
  for (const { source, gone, added } of written) {
    if (!source.isDraftEdit) continue;
    const own = [...gone, ...added].map(({ uid, target }) => ({ row: source.rowId, uid, target }));
    const others = taken.map((link) => ({ ...link, uid: attribute.target! }));
    await noteDraftLinks(context, source, attribute, [...own, ...others]);
  }
}

/** Whether lists of a two-sided relation lead to the type that has them. */
const isWithinType = (attribute: RelationAttribute | MediaAttribute, lists: readonly ChangedList[]): boolean =>
  attribute.type === 'relation' && attribute.inverse !== undefined && attribute.target === lists[0]?.source.model.uid;

const madeLink = ({ table, source, target }: LinkTable, link: { readonly row: number; readonly target: number }) => ({
  ...{ table, source, target },
  ...{ row: link.row, to: link.target },
});

/** The rows that may have links before they are written. */
const rowsBefore = (writes: readonly { readonly source: Source }[]): number[] =>
  writes.flatMap(({ source }) => (source.isNew ? [] : [source.rowId]));

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
  if (place.kind === 'inverse' && targets.restrictsLinks(attribute)) {
    const before = await holdersOfColumn(context, source, place, attribute);
    const wanted = new Set(linked.map(({ row }) => row));
    const removed = replaces ? removable(source, before).filter((id) => !wanted.has(id)) : cut.map(({ row }) => row);
    await targets.requireLinked(attribute, [...removed, ...[...wanted].filter((id) => !before.has(id))]);
  }
  // a column of a row's own holds one of the two rows of a document
  const rows = (place.kind === 'inverse' ? linked : linked.slice(-1)).map(({ row }) => row);
  await targets.requireTaking(source, place, attribute, rows);
  await writeColumns(context, source, place, attribute, { linked, cut, replaces });
}

/** A row, and the files of its attribute. */
export interface MediaWrite {
  readonly source: Source;
  readonly files: readonly number[];
}

/** Replaces the files of one media attribute of some rows, in the given order, each once. */
export async function writeMedia(
  context: WriteContext,
  model: Model,
  attribute: MediaAttribute,
  writes: readonly MediaWrite[],
): Promise<void> {
  const plan = linkPlanOf(context, model, attribute);
  const before = rowsBefore(writes);
  const stored = before.length === 0 ? NOTHING_STORED : await linksOfRows(context, plan, before);
  const lists = writes.map(({ source, files }) => {
    const wanted = attribute.multiple ? [...new Set(files)] : files.slice(0, 1);
    const links = stored.get(source.rowId) ?? NO_LINKS;
    const storedByFile = new Map(links.map((link) => [link.target, link]));
    const after = wanted.map((target) => storedByFile.get(target) ?? newLink('', target));
    return changedList(source, links, after);
  });
  await storeLists(context, attribute, plan.place as LinkTable, lists);
}

const newLink = (uid: string, target: number): Link => ({ id: undefined, target, uid });

/** The keys of the links to a target. */
const keysOf = ({ uid, rows }: Target): string[] => rows.map((target) => linkKey({ uid, target }));

/** Links by target; of several links to one row, the first. */
function byTarget(links: readonly Link[]): Map<string, Link> {
  const byKey = new Map<string, Link>();
  for (const link of links) {
    const key = linkKey(link);
    if (!byKey.has(key)) byKey.set(key, link);
  }
  return byKey;
}

/** The links to the rows of a target; stored links are reused. */
function linksTo(before: ReadonlyMap<string, Link>, target: Target): Link[] {
  return target.rows.map((row) => before.get(linkKey({ uid: target.uid, target: row })) ?? newLink(target.uid, row));
}

/** `set`: the targets in order, each once; of a to-one relation the last. */
function replaced(before: readonly Link[], targets: readonly Target[], toOne: boolean): Link[] {
  const wanted = toOne ? targets.slice(-1) : targets;
  const storedLinks = byTarget(before);
  return [...byTarget(wanted.flatMap((target) => linksTo(storedLinks, target))).values()];
}

/** `disconnect`, then `connect` one after another, each at its position. */
function edited(
  before: readonly Link[],
  edit: Extract<RelationEdit, { kind: 'edit' }>,
  targetOf: (entry: RelationEntry) => Target,
  targets: Targets,
  attribute: RelationAttribute,
): Link[] {
  const cut = new Set(edit.disconnect.map(targetOf).flatMap(keysOf));
  const links = before.filter((link) => !cut.has(linkKey(link)));
  const storedLinks = byTarget(before);
  if (isToOne(attribute)) {
    const last = edit.connect.at(-1);
    return last ? linksTo(storedLinks, targetOf(last)) : links;
  }
  const named = edit.connect.map((entry) => ({ entry, target: targetOf(entry) }));
  refuseTwice(named, attribute.name);
  const byKey = byTarget([...links, ...named.flatMap(({ target }) => linksTo(storedLinks, target))]);
  const entries = named.map(({ entry, target }) => ({
    documentId: target.documentId,
    keys: keysOf(target),
    position: positionOf(entry, attribute, targets),
  }));
  return connectAll([...byTarget(links).keys()], entries, attribute.name).map((key) => byKey.get(key)!);
}

/** The position of an entry, with the rows of the document that it refers to. */
function positionOf(entry: RelationEntry, attribute: RelationAttribute, targets: Targets): ConnectPosition {
  const { position } = entry;
  if (position.kind === 'start' || position.kind === 'end') return position;
  const { uid, rows, documentId } = targets.beside(attribute, entry, attribute.name)!;
  return {
    kind: position.kind,
    documentId: position.documentId ?? documentId,
    keys: rows.map((target) => linkKey({ uid, target })),
  };
}

/** An entry of `connect` with its target. */
interface ConnectedTarget {
  readonly entry: RelationEntry;
  readonly target: Target;
}

/**
 * Refuses a document that two entries name, however they name it. The two rows of one document may be linked by an
 * entry each.
 *
 * @throws ContentError 400.
 */
function refuseTwice(entries: readonly ConnectedTarget[], name: string): void {
  const seen = new Set<string>();
  for (const { entry, target } of entries) {
    const { uid, documentId, locale, rows } = target;
    const version = JSON.stringify([uid, documentId, locale, entry.status]);
    const keys = [version, ...rows.map((target) => linkKey({ uid, target }))];
    if (keys.some((key) => seen.has(key))) throw relationError(name, `${documentId} is connected twice at ${name}`);
    for (const key of keys) seen.add(key);
  }
}

/** Removes other rows' links to the targets of new links. Returns the removed links. */
async function takeForAll(context: WriteContext, place: LinkTable, lists: readonly ChangedList[]) {
  const taken: { row: number; target: number }[] = [];
  for (const { source, added } of lists)
    taken.push(...(await takeFromOthers(context, source, place, added.map(rowOf))));
  return taken;
}

/**
 * Removes other rows' links to targets that may be linked once. Rows of the other status and other versions of the same
 * document keep theirs. Returns the removed links.
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
  const unchanged = context.effects.rowsOfMade(rows.map((link) => madeLink(place, link)));
  await recordLinkEffect(
    context,
    'unlinked',
    model,
    rows.map(({ row }) => row),
    unchanged,
  );
  return rows;
}
