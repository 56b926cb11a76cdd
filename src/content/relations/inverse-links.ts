/**
 * Publication of links that the other side of a two-sided relation keeps. What the unpublished draft of another document
 * has changed waits for that document's own publication (draft-links.ts); the rest counts at once.
 */

import { isExclusive, isToOne, type LinkPlace, type LinkTable } from '../../plan/link-place.ts';
import type { LinkPlan } from '../../plan/link-plan.ts';
import type { ContentType, RelationAttribute } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { hasDrafts, layoutOfModel, model as modelNamed, type WriteContext } from '../rows/write-context.ts';
import { type Counterpart, counterpartsOf, counterpartsOfAll } from './counterparts.ts';
import { NOTHING_WAITS, type Waits } from './draft-links.ts';
import { placeLinks } from './link-order.ts';
import { takeFromOthers } from './links.ts';
import { forgetPendingOf } from './pending-links.ts';
import { linksOfRows, lockLists, type StoredLink } from './stored-links.ts';

/** Which row's links become which row's. */
interface SideCopy {
  readonly type: ContentType;
  readonly from: number;
  readonly to: number;
  readonly state: 'draft' | 'published';
}

/** A link that `to` is to have, by the row on the other side; `like` is the link that it is copied from. */
interface Wanted {
  readonly target: number;
  readonly like: StoredLink;
}

/**
 * Makes the links of one row's other sides those of another row of the same document. Gives whether any were made or
 * removed.
 *
 * @param waits tells of the links of `from` whose change does not count yet.
 * @param only those attributes that may have links at all; any when left out.
 */
export async function copyInverseLinks(
  context: WriteContext,
  type: ContentType,
  from: number,
  to: number,
  state: 'draft' | 'published',
  waits: Waits,
  only?: ReadonlySet<string>,
): Promise<boolean> {
  let isChanged = false;
  const plans = context.plans.of(type.uid).inverseLinks.filter(({ attribute }) => !only || only.has(attribute.name));
  if (plans.length === 0) return false;
  const sides = await Promise.all(plans.map((plan) => sideLinks(context, plan, from, to)));
  const others = new Map<string, Set<number>>();
  for (const [n, { attribute }] of plans.entries()) {
    const rows = others.get(attribute.target!) ?? new Set();
    for (const { target } of sides[n]![0]) others.set(attribute.target!, rows.add(target));
  }
  const counterparts = await counterpartsOfAll(context, others, { state, locale: undefined });
  for (const [n, { attribute, place }] of plans.entries()) {
    const copy = { type, from, to, state };
    const [known, present] = sides[n]!;
    if (known.length === 0 && present.length === 0) continue;
    if (place.kind === 'inverse' && !hasDrafts(modelNamed(context, attribute.target!))) {
      if (await moveColumns(context, attribute, place, copy, known, present)) isChanged = true;
      continue;
    }
    const uid = attribute.target!;
    const linked = mapped(known, counterparts.get(uid));
    const isPresent = new Set(present.map((link) => link.target));
    const isLinked = new Set(linked.map((link) => link.target));
    const wanted = linked.filter(({ target, like }) => isPresent.has(target) || !waits(attribute, uid, like.target));
    // what only another document's unpublished draft has removed stands, but never beside another owner
    const unlinked = present.filter((link) => !isLinked.has(link.target));
    const mayStay = waits !== NOTHING_WAITS && !(isToOne(attribute) && wanted.length > 0);
    const kept = mayStay ? await waitingOf(context, attribute, unlinked, waits) : [];
    const gone = unlinked.filter((link) => !kept.includes(link));
    if (gone.length > 0 || wanted.some(({ target }) => !isPresent.has(target))) isChanged = true;
    if (place.kind === 'inverse') await storeColumns(context, attribute, place, copy, wanted, gone);
    else if (place.kind === 'table') await storeSide(context, attribute, place, copy, { wanted, present, kept, gone });
  }
  return isChanged;
}

/** Links of two rows, in order; where they are a column of the other rows, those rows. */
async function sideLinks(
  context: WriteContext,
  plan: LinkPlan<RelationAttribute>,
  from: number,
  to: number,
): Promise<[StoredLink[], StoredLink[]]> {
  const { attribute, place } = plan;
  const uid = attribute.target!;
  if (place.kind === 'table') {
    const links = await linksOfRows(context, plan, [from, to]);
    return [links.get(from) ?? [], links.get(to) ?? []];
  }
  if (place.kind !== 'inverse') return [[], []];
  const { table } = layoutOfModel(context, modelNamed(context, uid));
  const rows = async (rowId: number) => {
    const found = await context.tables.select(table, ['id'], ours(place, rowId), ['id']);
    return found.map(([id]) => ({ id: Number(id), target: Number(id), uid, order: null, inverse: null, fields: {} }));
  };
  return Promise.all([rows(from), rows(to)]);
}

/** What the columns of rows hold that lead to a row. */
function ours(place: Extract<LinkPlace, { kind: 'inverse' }>, rowId: number): Record<string, SqlValue> {
  return { [place.column]: rowId, ...(place.type ? { [place.type.column]: place.type.uid } : {}) };
}

/** The other sides' rows of the state, for links of the row that is copied. */
function mapped(links: readonly StoredLink[], counterparts: ReadonlyMap<number, Counterpart> | undefined): Wanted[] {
  return links.flatMap((like) => {
    const id = counterparts?.get(like.target)?.id;
    return id === undefined ? [] : [{ target: id, like }];
  });
}

/** Of published links that the draft does not have, those whose removal is another document's edit. */
async function waitingOf(
  context: WriteContext,
  attribute: RelationAttribute,
  links: readonly StoredLink[],
  waits: Waits,
): Promise<StoredLink[]> {
  const uid = attribute.target!;
  const ids = links.map((link) => link.target);
  const drafts = await counterpartsOf(context, modelNamed(context, uid), ids, { state: 'draft', locale: undefined });
  return links.filter(({ target }) => {
    const draft = drafts.get(target)?.id;
    return draft !== undefined && waits(attribute, uid, draft);
  });
}

async function storeSide(
  context: WriteContext,
  attribute: RelationAttribute,
  place: LinkTable,
  { type, to, state }: SideCopy,
  lists: {
    readonly wanted: readonly Wanted[];
    readonly present: readonly StoredLink[];
    readonly kept: readonly StoredLink[];
    readonly gone: readonly StoredLink[];
  },
): Promise<void> {
  const { tables } = context;
  const { wanted, present, kept, gone } = lists;
  await tables.delete(place.table, { id: gone.map((link) => link.id) });
  const isPresent = new Set(present.map((link) => link.target));
  const added = wanted.filter(({ target }) => !isPresent.has(target));
  const targets = added.map(({ target }) => target);
  await lockLists(context, place, targets);
  if (added.length > 0 && isExclusive(attribute)) {
    const source = { model: type, rowId: to, scope: { state, locale: null, defaultLocale: '' } };
    await takeFromOthers(context, source, place, targets);
    await forgetPendingOf(context, modelNamed(context, attribute.target!), targets, attribute.inverse!);
  }
  const order = new Map(
    [...wanted.map(({ target }) => target), ...kept.map(({ target }) => target)].map((row, i) => [row, i + 1]),
  );
  if (place.order !== null) {
    const moved = present.flatMap((link): [number, number][] => {
      const number = order.get(link.target);
      return number === undefined || number === link.order ? [] : [[link.id, number]];
    });
    await tables.setEach(place.table, place.order, new Map(moved));
  }
  const links = added.map(({ target, like }) => ({ ...like, target, order: order.get(target)!, like }));
  await placeLinks(context, { place, model: type, attribute, source: to, state }, links);
}

/**
 * The same of rows that have no drafts, whose column holds one row of the two that a document has, the published one if
 * there is one. So published links stay where they are: those that the draft has made become published ones, or go when
 * it is discarded. Gives whether any did.
 */
async function moveColumns(
  context: WriteContext,
  attribute: RelationAttribute,
  place: Extract<LinkPlace, { kind: 'inverse' }>,
  copy: SideCopy,
  known: readonly StoredLink[],
  present: readonly StoredLink[],
): Promise<boolean> {
  const isPublication = copy.state === 'published';
  const wanted = isPublication ? known.map((like) => ({ target: like.target, like })) : [];
  const isReplaced = !isPublication || (isToOne(attribute) && wanted.length > 0);
  const gone = isReplaced ? present : [];
  if (wanted.length > 0 || gone.length > 0) await storeColumns(context, attribute, place, copy, wanted, gone);
  return wanted.length > 0 || gone.length > 0;
}

/** `useJoinTable: false`: the other rows' column names this row. */
async function storeColumns(
  context: WriteContext,
  attribute: RelationAttribute,
  place: Extract<LinkPlace, { kind: 'inverse' }>,
  { to }: SideCopy,
  wanted: readonly Wanted[],
  gone: readonly StoredLink[],
): Promise<void> {
  const target = modelNamed(context, attribute.target!);
  const { table } = layoutOfModel(context, target);
  const ids = wanted.map((link) => link.target);
  const columns = ours(place, to);
  const cleared = new Map<string, SqlValue>(Object.keys(columns).map((column) => [column, null]));
  await context.tables.update(table, cleared, { id: gone.map((link) => link.target) });
  await context.tables.update(table, new Map(Object.entries(columns)), { id: ids });
  await forgetPendingOf(context, target, ids, (attribute.inverse ?? attribute.morphBy)!);
}
