/**
 * The third step of copying a row onto another: statements that bring the stored rows to the copy. The row copied onto
 * and its components keep their ids, so links to them survive.
 */
import type { Sent } from '../../db/interface/queryable.ts';
import type { Columns } from '../../db/interface/tables.ts';
import { isExclusive, type LinkTable } from '../../plan/link-place.ts';
import type { ColumnList } from '../../plan/row-query.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import { compileColumnsDiffer, compileCopyColumns } from '../../sql/content-rows.ts';
import { storeOwnOf, takeColumnFromOthers } from '../relations/column-links.ts';
import type { Mapping } from '../relations/counterparts.ts';
import { placeLinks } from '../relations/link-order.ts';
import { takeFromOthers } from '../relations/links.ts';
import { copyPending, forgetPending, forgetPendingRows, movePending, notePending } from '../relations/pending-links.ts';
import { compareLinks, type ListDifference, linkValues, lockLists } from '../relations/stored-links.ts';
import { removeEntries, type Tie, tie } from '../rows/component-rows.ts';
import type { ReadContext, WriteContext } from '../rows/write-context.ts';
import {
  type CopiedAttribute,
  type CopiedLink,
  copiedAttributes,
  NO_OTHER_DRAFTS,
  type OtherDrafts,
  settledPending,
} from './copied-lists.ts';
import type { CopiedPair, Original } from './original.ts';

/** The row that a row of a model is copied onto. */
type RowOf = (model: Model, pair: CopiedPair) => number;

/**
 * Stores a copy: its relations, media and components.
 *
 * @param row the row copied onto, whose columns are stored already.
 * @returns whether anything has changed. For a publication, changed columns of components are not counted.
 */
export async function storeCopy(
  context: WriteContext,
  original: Original,
  row: number,
  others: OtherDrafts = NO_OTHER_DRAFTS,
): Promise<boolean> {
  const [rowOf, areComponentsChanged] = await storeComponents(context, original, row);
  await storePending(context, original, others, rowOf);
  let isChanged = areComponentsChanged;
  for (const copied of copiedAttributes(context, original, others)) {
    await context.pace.breathe();
    if (await storeAttribute(context, original, copied, rowOf)) isChanged = true;
  }
  return isChanged;
}

/** Whether storing a copy would change anything. Only reads. */
export async function copyDiffers(context: WriteContext, original: Original): Promise<boolean> {
  const { model: top, content } = original;
  for (const { model, pairs, entryPairs, gone } of content.values()) {
    const isMoved = entryPairs.some(({ entry, kept }) => kept === undefined || kept.order !== entry.order);
    if (gone.length > 0 || isMoved) return true;
    if (model === top) continue;
    const { content: columns } = context.plans.of(model.uid);
    for (const { from, to } of pairs) {
      if (to === undefined || (await columnsDiffer(context, columns, from, to))) return true;
    }
  }
  for (const { lists } of copiedAttributes(context, original, NO_OTHER_DRAFTS)) {
    if (!lists.every((list) => isSameList(list, compareLinks(list.stored, list.links)))) return true;
  }
  return false;
}

/** Whether a list of the copy is the stored one. */
const isSameList = (
  { pending, replaced, moved }: CopiedAttribute['lists'][number],
  difference: ListDifference<CopiedLink>,
): boolean => pending.length + replaced.length + moved.length === 0 && isUnchanged(difference);

/** Stores the rows of components and their ties. Returns the rows copied onto, and whether anything became different. */
async function storeComponents(
  context: WriteContext,
  { model: top, content, mapping }: Original,
  row: number,
): Promise<[RowOf, boolean]> {
  const { tables, plans } = context;
  const inserted = new Map<string, number>();
  const keyOf = (uid: string, id: number) => `${uid} ${id}`;
  const rowOf: RowOf = ({ uid }, { from, to }) => (uid === top.uid ? row : (to ?? inserted.get(keyOf(uid, from))!));
  let isChanged = false;
  for (const { model, pairs } of content.values()) {
    if (model === top) continue;
    const { content: columns } = plans.of(model.uid);
    const onto = pairs.flatMap(({ from, to }) => (to === undefined ? [] : [[from, to] as const]));
    // a publication records its change in any case, so that it need not wait for these statements
    if (mapping.state === 'published') await tables.sendCopies(onto, columns);
    else if (await tables.copyOnto(onto, columns)) isChanged = true;
    const sources = pairs.flatMap(({ from, to }) => (to === undefined ? [from] : []));
    if (sources.length === 0) continue;
    for (const [n, id] of (await tables.copyRows(sources, columns)).entries()) {
      inserted.set(keyOf(model.uid, sources[n]!), id);
    }
  }
  for (const { model, entryPairs, gone: removed } of content.values()) {
    const { ties } = plans.of(model.uid);
    if (ties === undefined) continue;
    const moved = entryPairs.flatMap(({ entry, kept: counterpart }): [number, number | null][] =>
      counterpart && counterpart.order !== entry.order ? [[counterpart.linkId, entry.order]] : [],
    );
    await tables.setEach(ties.table, 'order', new Map(moved));
    const added = entryPairs.flatMap(({ owner, entry, kept: counterpart }): Tie[] => {
      const id = counterpart ? undefined : inserted.get(keyOf(entry.uid, entry.id))!;
      return id === undefined ? [] : [{ ...entry, ownerId: rowOf(model, owner), id }];
    });
    await tie(context, model, added);
    await removeEntries(context, model, removed);
    if (moved.length + added.length + removed.length > 0) isChanged = true;
  }
  return [rowOf, isChanged];
}

/** Removes the pending links of the rows copied onto; the lists of the copy store them again. */
async function storePending(
  context: WriteContext,
  original: Original,
  others: OtherDrafts,
  rowOf: RowOf,
): Promise<void> {
  const { model: top, content, mapping } = original;
  const { state } = mapping;
  for (const { model, pairs } of content.values()) {
    if (!context.plans.of(model.uid).mayWait) continue;
    if (state === 'published') {
      const stored = pairs.flatMap(({ to }) => (to === undefined ? [] : [to]));
      if (model === top && others.pending) await forgetPendingRows(context, settledPending(original, others));
      else await forgetPending(context, model, stored);
    }
    // shared components of published rows may have pending links
    if (state === 'same' && model.modelType === 'component') {
      const rows = pairs.map((pair) => ({ from: pair.from, to: rowOf(model, pair) }));
      await copyPending(context, model, rows);
    }
  }
}

/** Stores the lists of one attribute. Returns whether any became different. */
async function storeAttribute(
  context: WriteContext,
  { mapping: { state } }: Original,
  { model, plan: { attribute, place }, lists }: CopiedAttribute,
  rowOf: RowOf,
): Promise<boolean> {
  const differences = lists.map(
    (list): RowDifference => ({ ...compareLinks(list.stored, list.links), row: rowOf(model, list.pair) }),
  );
  if (lists.every((list, n) => isSameList(list, differences[n]!))) return false;
  if (attribute.type === 'relation' && state === 'published') {
    await forgetPendingRows(
      context,
      lists.flatMap(({ replaced }) => replaced.map(({ id }) => id)),
    );
    const pending = lists.flatMap(({ pending }, n) =>
      pending.map(({ target, order, inverse }) => {
        const places = place.kind === 'table' ? { order, inverse } : { order: null, inverse: null };
        return { model, source: differences[n]!.row, attribute: attribute.name, target, ...places };
      }),
    );
    await notePending(context, pending, isExclusive(attribute));
  }
  if (place.kind === 'inverse') return false;
  if (place.kind === 'table') {
    const isChanged = await storeLists(context, { model, attribute, place, state }, differences);
    if (place.order !== null) await movePending(context, new Map(lists.flatMap(({ moved }) => moved)));
    return isChanged;
  }
  const changed = differences.flatMap(({ row, added, gone: removed }) =>
    added.length + removed.length === 0
      ? []
      : [{ row, target: added[0] && { uid: added[0].uid, row: added[0].target } }],
  );
  if (changed.length === 0) return false;
  await storeOwnOf(context, model, place, changed);
  if (!isExclusive(attribute) || place.kind !== 'own') return true;
  for (const { row, target } of changed) {
    if (target) await takeColumnFromOthers(context, model, place.column, target.row, row);
  }
  return true;
}

/** A list of links in a table that is changed to match another. */
export interface CopiedTable {
  readonly model: Model;
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly place: LinkTable;
  readonly state: Mapping['state'];
}

/** The difference between the stored list of a row and the wanted one. */
export type RowDifference = ListDifference<CopiedLink> & { readonly row: number };

const isUnchanged = ({ gone: removed, added, moved }: ListDifference<CopiedLink>): boolean =>
  removed.length + added.length + moved.length === 0;

/** Stores lists of links in a link table. Returns whether any has changed. */
export async function storeLists(
  context: WriteContext,
  list: CopiedTable,
  differences: readonly RowDifference[],
): Promise<boolean> {
  const { place } = list;
  const { tables } = context;
  await tables.delete(place.table, { id: differences.flatMap(({ gone: removed }) => removed.map(({ id }) => id)) });
  await addLinks(context, list, differences);
  const moved = place.order === null ? [] : differences.flatMap((difference) => difference.moved);
  if (place.order !== null) await tables.setEach(place.table, place.order, new Map(moved));
  return moved.length > 0 || differences.some(({ added, gone: removed }) => added.length + removed.length > 0);
}

async function addLinks(
  context: WriteContext,
  { model, attribute, place, state }: CopiedTable,
  differences: readonly RowDifference[],
): Promise<Sent> {
  if (place.inverseOrder === null && !isExclusive(attribute)) {
    const rows = differences.flatMap(({ row, added }) => added.map((link) => linkValues(place, row, link)));
    return context.tables.insertMany(place.columns, rows);
  }
  for (const { row, added } of differences) {
    if (added.length === 0) continue;
    const targets = added.map(({ target }) => target);
    await lockLists(context, place, targets);
    if (isExclusive(attribute)) {
      const scope = { state: state === 'same' ? 'both' : state, locale: null, defaultLocale: '' } as const;
      await takeFromOthers(context, { model, rowId: row, scope }, place, targets);
    }
    await placeLinks(context, { place, model, attribute, source: row, state }, added);
  }
}

/** Copies columns from one row onto another, and sets other columns to values of their own. */
export async function copyColumns(
  { tables }: WriteContext,
  { key, table, names }: ColumnList,
  from: number,
  to: number,
  own: Columns = new Map(),
): Promise<void> {
  if (names.length === 0) return;
  const others = [...own.keys()];
  await tables.write(`copy ${key} ${others}`, [...own.values(), from, to], () =>
    compileCopyColumns(table, names, others),
  );
}

/** Whether two rows differ in columns. */
export async function columnsDiffer(
  { tables }: ReadContext,
  { key, table, names }: ColumnList,
  a: number,
  b: number,
): Promise<boolean> {
  if (names.length === 0) return false;
  const [row] = await tables.run(`differ ${key}`, [a, b], () => compileColumnsDiffer(tables.dialect, table, names));
  return row !== undefined;
}
