/** Copying the links of rows onto other rows of the same model (`copy.ts`). */

import type { Sent } from '../../db/interface/queryable.ts';
import { isExclusive, isToOne, type LinkTable } from '../../plan/link-place.ts';
import type { LinkPlan } from '../../plan/link-plan.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import { model as modelNamed, type WriteContext } from '../rows/write-context.ts';
import { type ColumnTarget, type OwnColumns, storeOwnOf, takeColumnFromOthers } from './column-links.ts';
import { type Counterpart, type Counterparts, counterpartsOf, type Mapping } from './counterparts.ts';
import { NOTHING_WAITS, type Waits } from './draft-links.ts';
import { placeLinks } from './link-order.ts';
import { takeFromOthers } from './links.ts';
import { forgetPendingOf, type KeptPending, movePending, notePending, type PendingLink } from './pending-links.ts';
import { type LinksByAttribute, linkValues, lockLists, type StoredLink } from './stored-links.ts';

/** Some rows of one model onto others. */
export interface RowCopies {
  readonly model: Model;
  readonly mapping: Mapping;
  /** Links whose change does not count yet. */
  readonly waits: Waits;
  /** The mapping's rows of all that is linked, where they were looked up already. */
  readonly counterparts?: Counterparts | undefined;
  /** Links of the rows copied onto that still wait for their targets. */
  readonly keptPending?: readonly KeptPending[];
  readonly rows: readonly RowCopy[];
}

export interface RowCopy {
  readonly from: number;
  readonly to: number;
  /** Whether the row copied onto was just made and has nothing yet. */
  readonly isNew: boolean;
}

/** A link to a row of the mapping, and the one that it is copied from. */
interface MappedLink extends StoredLink {
  readonly like: StoredLink;
}

type LinksByRow = ReadonlyMap<number, readonly StoredLink[]>;

/** What becomes of the links of one row. */
interface ListCopy {
  readonly row: RowCopy;
  readonly wanted: readonly MappedLink[];
  readonly pending: readonly MappedPending[];
  /** Those of `wanted` that are to be made. */
  readonly added: readonly MappedLink[];
  readonly kept: readonly StoredLink[];
  readonly keptPending: readonly KeptPending[];
  readonly gone: readonly StoredLink[];
  /** Whether the one place that there is has been given away. */
  readonly isTaken: boolean;
  readonly present: ReadonlyMap<string, StoredLink>;
}

const keyOf = ({ uid, target }: Pick<StoredLink, 'uid' | 'target'>): string => `${uid} ${target}`;

/**
 * Copies the links of attributes of some rows, each to its target's row of the mapping. Gives whether any list became
 * different by that.
 *
 * @param links those of all rows, copied from and onto.
 */
export async function copyLinks(
  context: WriteContext,
  copies: RowCopies,
  plans: readonly LinkPlan[],
  links: LinksByAttribute,
): Promise<boolean> {
  let isChanged = false;
  for (const plan of plans) {
    const { attribute, place } = plan;
    const stored = links.get(attribute.name);
    const linked = copies.rows.filter(({ from, to }) => stored?.has(from) || stored?.has(to));
    if (!stored || linked.length === 0) continue;
    const some = { ...copies, rows: linked };
    if (place.kind === 'table') {
      if (await copyTable(context, some, plan, place, stored)) isChanged = true;
    } else if (place.kind !== 'inverse') {
      if (await copyColumns(context, some, attribute as RelationAttribute, place, stored)) isChanged = true;
    }
  }
  return isChanged;
}

async function copyTable(
  context: WriteContext,
  copies: RowCopies,
  plan: LinkPlan,
  place: LinkTable,
  links: LinksByRow,
): Promise<boolean> {
  const { rows } = copies;
  const { attribute } = plan;
  const all = rows.flatMap(({ from }) => links.get(from) ?? []);
  const map = await mapper(context, all, copies, attribute.type === 'media');
  const lists: ListCopy[] = [];
  for (const row of rows) {
    const present = row.isNew ? [] : (links.get(row.to) ?? []);
    await context.pace.breathe();
    lists.push(await listCopy(context, copies, attribute, row, map(links.get(row.from) ?? []), present));
  }
  if (attribute.type === 'relation') await notePendingOf(context, copies, attribute, lists);
  await context.tables.delete(place.table, { id: lists.flatMap(({ gone }) => gone.map(({ id }) => id)) });
  if (lists.some(({ added }) => added.length > 0)) await addLinks(context, copies, attribute, place, lists);
  const moved = place.order === null ? [] : lists.map(moves);
  const [linked, waiting] = [moved.flatMap(({ links }) => links), moved.flatMap((list) => list.waiting)];
  if (place.order !== null) await context.tables.setEach(place.table, place.order, new Map(linked));
  await movePending(context, new Map(waiting));
  return linked.length > 0 || lists.some(({ added, gone }) => added.length > 0 || gone.length > 0);
}

async function listCopy(
  context: WriteContext,
  copies: RowCopies,
  attribute: RelationAttribute | MediaAttribute,
  row: RowCopy,
  mapped: MappedLinks,
  links: readonly StoredLink[],
): Promise<ListCopy> {
  const toOne = isToOne(attribute);
  const waits = (link: StoredLink) => waitsFor(copies, attribute, link);
  const isTaken = toOne && mapped.all.some((link) => !waits(link));
  const present = new Map<string, StoredLink>();
  for (const link of links) if (!present.has(keyOf(link))) present.set(keyOf(link), link);
  const wanted = mapped.wanted.filter((link) => present.has(keyOf(link)) || !waits(link.like));
  const mappedKeys = new Set(mapped.wanted.map(keyOf));
  const others = links.filter((link) => !mappedKeys.has(keyOf(link)));
  // what only another document's unpublished draft has removed stands, but never beside another one
  const kept = isTaken || (toOne && wanted.length > 0) ? [] : await keptLinks(context, copies, attribute, others);
  const gone = others.filter((link) => !kept.includes(link));
  const added = wanted.filter((link) => !present.has(keyOf(link)));
  const isOfList = ({ source, attribute: name }: KeptPending) => source === row.to && name === attribute.name;
  const keptPending = (copies.keptPending ?? []).filter(isOfList);
  return { row, wanted, pending: mapped.pending, added, kept, keptPending, gone, isTaken, present };
}

/** Notes the links whose targets are not there yet. */
async function notePendingOf(
  context: WriteContext,
  copies: RowCopies,
  attribute: RelationAttribute | MediaAttribute,
  lists: readonly ListCopy[],
): Promise<void> {
  const { model } = copies;
  const { name } = attribute;
  const taken = lists.flatMap(({ row, isTaken }) => (isTaken && !row.isNew ? [row.to] : []));
  await forgetTaken(context, copies, attribute, taken);
  const noted = lists.flatMap(({ row, pending }) =>
    pending.flatMap(({ like, target, order, inverse }) =>
      waitsFor(copies, attribute, like) ? [] : [{ target, order, inverse, source: row.to, model, attribute: name }],
    ),
  );
  if (noted.length > 0) await notePending(context, noted, isExclusive(attribute));
}

/** Forgets what waits at one relation of rows: a link of the other side has taken its place. */
function forgetTaken(
  context: WriteContext,
  { model, mapping, keptPending = [] }: RowCopies,
  { name }: RelationAttribute | MediaAttribute,
  rows: readonly number[],
): Sent {
  const isLeft = (row: number) => keptPending.some(({ source, attribute }) => source === row && attribute === name);
  // before a publication is copied, all else that waited has been forgotten
  return forgetPendingOf(context, model, mapping.state === 'published' ? rows.filter(isLeft) : rows, name);
}

async function addLinks(
  context: WriteContext,
  { model, mapping: { state } }: RowCopies,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkTable,
  lists: readonly ListCopy[],
): Promise<void> {
  if (place.inverseOrder === null && !isExclusive(attribute)) {
    const rows = lists.flatMap(({ row, added }) => added.map((link) => linkValues(place, row.to, link)));
    await context.tables.insertMany(place.columns, rows);
    return;
  }
  for (const { row, added } of lists) {
    const targets = added.map((link) => link.target);
    await lockLists(context, place, targets);
    if (added.length > 0 && isExclusive(attribute)) {
      const scope = { state: state === 'same' ? 'both' : state, locale: null, defaultLocale: '' } as const;
      await takeFromOthers(context, { model, rowId: row.to, scope }, place, targets);
    }
    await placeLinks(context, { place, model, attribute, source: row.to, state }, added);
  }
}

/** Ids, and their numbers. */
type Orders = [number, number | null][];

/** What comes to another place: links that were there before, and such as wait for their targets. */
function moves({ wanted, pending, kept, keptPending, present }: ListCopy): { links: Orders; waiting: Orders } {
  const linked = new Map(pending.map(({ like, order }) => [keyOf(like), order]));
  const linkedAs = ({ uid, draft: target }: KeptPending) => linked.get(keyOf({ uid, target }));
  const last = [...wanted, ...pending].reduce((most, { order }) => Math.max(most, order ?? 0), 0);
  // what only another document's unpublished draft has removed comes behind the rest
  const behind = [...kept, ...keptPending.filter((link) => linkedAs(link) === undefined)];
  behind.sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const places = new Map<StoredLink | KeptPending, number>(behind.map((link, index) => [link, last + index + 1]));
  const links = [...wanted, ...kept].flatMap((link): Orders => {
    const known = present.get(keyOf(link));
    const order = places.get(link) ?? link.order;
    return known && known.order !== order ? [[known.id, order]] : [];
  });
  const waiting = keptPending.flatMap((link): Orders => {
    const order = places.get(link) ?? linkedAs(link) ?? null;
    return order === link.order ? [] : [[link.id, order]];
  });
  return { links, waiting };
}

/** Whether a link of the row that is copied is another document's edit, and not published yet. */
function waitsFor(
  { waits }: Pick<RowCopies, 'waits'>,
  attribute: RelationAttribute | MediaAttribute,
  { uid, target }: Pick<StoredLink, 'uid' | 'target'>,
): boolean {
  return attribute.type === 'relation' && waits(attribute, uid, target);
}

/** Of published links that the draft does not have, those whose removal is another document's edit. */
async function keptLinks<Link extends Pick<StoredLink, 'uid' | 'target'>>(
  context: WriteContext,
  copies: Pick<RowCopies, 'waits'>,
  attribute: RelationAttribute | MediaAttribute,
  links: readonly Link[],
): Promise<Link[]> {
  if (copies.waits === NOTHING_WAITS || attribute.type === 'media') return [];
  const kept = new Set<Link>();
  for (const [uid, ofType] of Map.groupBy(links, (link) => link.uid)) {
    const rows = ofType.map((link) => link.target);
    const drafts = await counterpartsOf(context, modelNamed(context, uid), rows, { state: 'draft', locale: undefined });
    for (const link of ofType) {
      const target = drafts.get(link.target)?.id;
      if (target !== undefined && waitsFor(copies, attribute, { uid, target })) kept.add(link);
    }
  }
  return links.filter((link) => kept.has(link));
}

interface MappedPending extends Pick<PendingLink, 'target' | 'order' | 'inverse'> {
  readonly like: StoredLink;
}

/** The links of the mapping's rows; `pending` are those whose target has no such row yet. */
interface MappedLinks {
  readonly all: readonly StoredLink[];
  readonly wanted: readonly MappedLink[];
  readonly pending: readonly MappedPending[];
}

/** What links become of those of one row, all of which are among `links`. */
async function mapper(
  context: WriteContext,
  links: readonly StoredLink[],
  { mapping, counterparts: found }: RowCopies,
  verbatim: boolean,
): Promise<(ofRow: readonly StoredLink[]) => MappedLinks> {
  if (verbatim) {
    return (ofRow) => ({ all: ofRow, wanted: ofRow.map((link) => ({ ...link, like: link })), pending: [] });
  }
  const counterparts = new Map<string, ReadonlyMap<number, Counterpart>>();
  for (const [uid, ofType] of Map.groupBy(links, (link) => link.uid)) {
    const targets = [...new Set(ofType.map((link) => link.target))];
    const model = modelNamed(context, uid);
    const known = found?.get(uid);
    const isKnown = known && targets.every((target) => known.has(target));
    counterparts.set(uid, isKnown ? known : await counterpartsOf(context, model, targets, mapping));
  }
  return (ofRow) => {
    const wanted: MappedLink[] = [];
    const pending: MappedPending[] = [];
    for (const link of ofRow) {
      const found = counterparts.get(link.uid)?.get(link.target);
      if (found?.id !== undefined) wanted.push({ ...link, target: found.id, like: link });
      else if (found && mapping.state === 'published') {
        const target = { uid: link.uid, documentId: found.documentId, locale: found.locale };
        pending.push({ target, order: link.order, inverse: link.inverse, like: link });
      }
    }
    wanted.sort((a, b) => (a.order ?? 0) - (b.order ?? 0) || a.id - b.id);
    return { all: ofRow, wanted, pending };
  };
}

/** Copies links that are columns of the rows, and gives whether any became different. */
async function copyColumns(
  context: WriteContext,
  copies: RowCopies,
  attribute: RelationAttribute,
  place: OwnColumns,
  links: LinksByRow,
): Promise<boolean> {
  const { model, rows } = copies;
  const exclusive = isExclusive(attribute);
  const map = await mapper(
    context,
    rows.flatMap(({ from }) => links.get(from) ?? []),
    copies,
    false,
  );
  const settled: number[] = [];
  const pending: PendingLink[] = [];
  const stored: { readonly row: number; readonly target: ColumnTarget | undefined }[] = [];
  for (const { from, to, isNew } of rows) {
    const [linked] = links.get(from) ?? [];
    const [present] = isNew ? [] : (links.get(to) ?? []);
    const { wanted, pending: missing } = map(linked ? [linked] : []);
    const [found] = wanted;
    const isPresent = found !== undefined && present?.uid === found.uid && present.target === found.target;
    const waits = linked !== undefined && !isPresent && waitsFor(copies, attribute, linked);
    if (linked && !waits && !isNew) settled.push(to);
    if (!waits)
      pending.push(
        ...missing.map(({ target }) => ({ ...NO_PLACE, model, source: to, attribute: attribute.name, target })),
      );
    if (isPresent) continue;
    if (found && !waits) stored.push({ row: to, target: { uid: found.uid, row: found.target } });
    else if (present) {
      const isTaken = linked !== undefined && !waits;
      const kept = isTaken ? [] : await keptLinks(context, copies, attribute, [present]);
      if (kept.length === 0) stored.push({ row: to, target: undefined });
    }
  }
  await forgetTaken(context, copies, attribute, settled);
  if (pending.length > 0) await notePending(context, pending, exclusive);
  if (stored.length > 0) await storeOwnOf(context, model, place, stored);
  if (!exclusive || place.kind !== 'own') return stored.length > 0;
  for (const { row, target } of stored) {
    if (target) await takeColumnFromOthers(context, model, place.column, target.row, row);
  }
  return stored.length > 0;
}

/** A link that is a column has no place in a list. */
const NO_PLACE = { order: null, inverse: null };
