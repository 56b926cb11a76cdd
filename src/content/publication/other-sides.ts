/**
 * Links of a two-sided relation that rows of other documents store, in each state. A foreign edit is published with the
 * document that made it; all other links are published at once.
 */
import { isExclusive, isToOne, type LinkPlace } from '../../plan/link-place.ts';
import type { LinkPlan } from '../../plan/link-plan.ts';
import type { ContentType, RelationAttribute } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { counterpartsOfAll } from '../relations/counterparts.ts';
import { type ForeignEdits, NO_FOREIGN_EDITS } from '../relations/draft-links.ts';
import { forgetPendingOf } from '../relations/pending-links.ts';
import { compareLinks, type ListDifference, linksOfRows, type StoredLink } from '../relations/stored-links.ts';
import { hasDrafts, layoutOfModel, model as modelNamed, type WriteContext } from '../rows/write-context.ts';
import { type CopiedLink, copiedList, type ListSource, removableLinks, targetsOf } from './copied-lists.ts';
import { storeLists } from './difference.ts';

/** A row of a document, and the row of the same document that gets its links. */
interface SideCopy {
  readonly type: ContentType;
  readonly from: number;
  readonly to: number;
  readonly state: 'draft' | 'published';
}

/**
 * Gives a row the links that another row of the same document has and that other rows store. Returns whether any link
 * was added or removed.
 *
 * @param foreignEdits the links of the copied row that drafts of other documents have changed.
 * @param only the attributes that may have links at all; all when left out.
 */
export async function copyOtherSides(
  context: WriteContext,
  copy: SideCopy,
  foreignEdits: ForeignEdits,
  only?: ReadonlySet<string>,
): Promise<boolean> {
  const { type, from, to, state } = copy;
  const plans = context.plans.of(type.uid).inverseLinks.filter(({ attribute }) => !only || only.has(attribute.name));
  if (plans.length === 0) return false;
  const sides = await Promise.all(plans.map((plan) => readSide(context, plan, from, to)));
  const all = targetsOf(sides.flatMap(({ linked }) => linked));
  const counterparts = await counterpartsOfAll(context, all, { state, locale: undefined });
  const sources = plans.map(({ attribute }, n): ListSource => {
    const { linked, stored } = sides[n]!;
    // both versions of a document may link to a row from before it had a draft
    const taken = new Set<number>();
    const isThere = ({ uid, target }: StoredLink) => {
      const id = counterparts.get(uid)?.get(target)?.id;
      return id !== undefined && !taken.has(id) && taken.add(id);
    };
    const others = { foreignEdits, drafts: new Map(), pending: [] };
    return { attribute, linked: linked.filter(isThere), stored, counterparts, ...others };
  });
  const removed = foreignEdits === NO_FOREIGN_EDITS ? [] : sources.flatMap(removableLinks);
  const drafts = await counterpartsOfAll(context, targetsOf(removed), { state: 'draft', locale: undefined });
  let isChanged = false;
  for (const [n, { attribute, place }] of plans.entries()) {
    const { linked, stored } = sides[n]!;
    if (linked.length === 0 && stored.length === 0) continue;
    if (place.kind === 'inverse' && !hasDrafts(modelNamed(context, attribute.target!))) {
      if (await moveColumns(context, attribute, place, copy, linked, stored)) isChanged = true;
      continue;
    }
    const { links } = copiedList({ ...sources[n]!, drafts });
    const difference = compareLinks(
      stored,
      links.map((link, index) => ({ ...link, order: index + 1 })),
    );
    if (difference.added.length + difference.gone.length > 0) isChanged = true;
    await storeSide(context, plans[n]!, copy, links, difference);
  }
  return isChanged;
}

/** The links of the copied row and of the row copied onto, in order. Links that are columns are named by their row. */
async function readSide(
  context: WriteContext,
  plan: LinkPlan<RelationAttribute>,
  from: number,
  to: number,
): Promise<Pick<ListSource, 'linked' | 'stored'>> {
  const { attribute, place } = plan;
  const uid = attribute.target!;
  if (place.kind === 'table') {
    const links = await linksOfRows(context, plan, [from, to]);
    return { linked: links.get(from) ?? [], stored: links.get(to) ?? [] };
  }
  if (place.kind !== 'inverse') return { linked: [], stored: [] };
  const { table } = layoutOfModel(context, modelNamed(context, uid));
  const holders = async (row: number): Promise<StoredLink[]> => {
    const rows = await context.tables.select(table, ['id'], columnsTo(place, row), ['id']);
    return rows.map(([id]) => ({ id: Number(id), target: Number(id), uid, order: null, inverse: null, fields: {} }));
  };
  const [linked, stored] = await Promise.all([holders(from), holders(to)]);
  return { linked, stored };
}

/** The values of the columns of rows that lead to a row. */
function columnsTo(place: Extract<LinkPlace, { kind: 'inverse' }>, row: number): Record<string, SqlValue> {
  return { [place.column]: row, ...(place.type ? { [place.type.column]: place.type.uid } : {}) };
}

async function storeSide(
  context: WriteContext,
  { attribute, place }: LinkPlan<RelationAttribute>,
  copy: SideCopy,
  links: readonly CopiedLink[],
  difference: ListDifference<CopiedLink>,
): Promise<void> {
  const { type, to, state } = copy;
  if (place.kind === 'inverse') {
    const rows = links.map(({ target }) => target);
    await storeColumns(context, attribute, place, to, rows, difference.gone);
  }
  if (place.kind !== 'table') return;
  await storeLists(context, { model: type, attribute, place, state }, [{ ...difference, row: to }]);
  if (difference.added.length === 0 || !isExclusive(attribute)) return;
  const targets = difference.added.map(({ target }) => target);
  await forgetPendingOf(context, modelNamed(context, attribute.target!), targets, attribute.inverse!);
}

/**
 * Links that are columns of rows without drafts. Such a column names one of the two rows of a document, the published
 * one if it exists. So published links stay: links of the draft become published ones, or are removed when the draft is
 * discarded. Returns whether any link has changed.
 */
async function moveColumns(
  context: WriteContext,
  attribute: RelationAttribute,
  place: Extract<LinkPlace, { kind: 'inverse' }>,
  { to, state }: SideCopy,
  linked: readonly StoredLink[],
  stored: readonly StoredLink[],
): Promise<boolean> {
  const isPublication = state === 'published';
  const rows = isPublication ? linked.map(({ target }) => target) : [];
  const removed = !isPublication || (isToOne(attribute) && rows.length > 0) ? stored : [];
  if (rows.length + removed.length === 0) return false;
  await storeColumns(context, attribute, place, to, rows, removed);
  return true;
}

/** Sets the columns of some rows to a row, and clears those of others. */
async function storeColumns(
  context: WriteContext,
  attribute: RelationAttribute,
  place: Extract<LinkPlace, { kind: 'inverse' }>,
  to: number,
  rows: readonly number[],
  removed: readonly StoredLink[],
): Promise<void> {
  const target = modelNamed(context, attribute.target!);
  const { table } = layoutOfModel(context, target);
  const columns = columnsTo(place, to);
  const cleared = new Map<string, SqlValue>(Object.keys(columns).map((column) => [column, null]));
  await context.tables.update(table, cleared, { id: removed.map((link) => link.target) });
  await context.tables.update(table, new Map(Object.entries(columns)), { id: rows });
  await forgetPendingOf(context, target, rows, (attribute.inverse ?? attribute.morphBy)!);
}
