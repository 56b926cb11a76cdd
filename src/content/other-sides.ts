/**
 * Publication of links that the other side of a two-sided relation keeps. One that stands in an unpublished draft of the
 * other side waits for that document's own publication; the rest, and what the request wrote itself, counts at once
 * (behaviour-publication-locales.md, "Where the reference is wrong").
 */
import type { ContentType, Model, RelationAttribute } from '../schema/catalog.ts';
import type { SqlValue } from '../sql/fragment.ts';
import { counterpartsOf } from './counterparts.ts';
import { placeLink } from './link-order.ts';
import { isExclusive, isToOne, type LinkPlace, type LinkTable, linkPlace } from './link-tables.ts';
import { takeFromOthers } from './links.ts';
import { forgetPendingOf } from './pending-links.ts';
import { type CopiedLink, holdLists, linksOf } from './stored-links.ts';
import { hasDrafts, layoutOfModel, model as modelNamed, type WriteContext } from './write-context.ts';

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
  readonly like: CopiedLink;
}

/** Relations of a type whose links another type's table holds. */
function otherSides(type: ContentType): RelationAttribute[] {
  return [...type.attributes.values()].filter(
    (attribute): attribute is RelationAttribute =>
      attribute.type === 'relation' &&
      !attribute.owner &&
      attribute.target !== undefined &&
      attribute.inverse !== undefined,
  );
}

/**
 * Makes the links of one row's other sides those of another row of the same document.
 *
 * @param mentioned relations that this very request wrote: none of their links waits.
 */
export async function copyOtherSides(
  context: WriteContext,
  type: ContentType,
  from: number,
  to: number,
  state: 'draft' | 'published',
  mentioned: ReadonlySet<string>,
): Promise<void> {
  for (const attribute of otherSides(type)) {
    const place = linkPlace(context, type, attribute);
    const copy = { type, from, to, state };
    const known = await sideLinks(context, attribute, place, from);
    const present = await sideLinks(context, attribute, place, to);
    if (known.length === 0 && present.length === 0) continue;
    const waits = await waiting(context, attribute, copy, known, present, mentioned.has(attribute.name));
    const linked = await mapped(context, attribute, known, state);
    const wanted = linked.filter(({ target }) => !waits.has(target) || present.some((link) => link.target === target));
    // what only the other document's unpublished draft has removed stands, but never beside another owner
    const stays = (link: CopiedLink) => waits.has(link.target) && !(isToOne(attribute) && wanted.length > 0);
    const others = present.filter((link) => !linked.some(({ target }) => target === link.target));
    const kept = others.filter(stays);
    const gone = others.filter((link) => !stays(link));
    if (place.kind === 'theirs') await storeColumns(context, attribute, place, copy, wanted, gone);
    else if (place.kind === 'table') await storeSide(context, attribute, place, copy, { wanted, present, kept, gone });
  }
}

/** Links of a row, in order; where they are a column of the other rows, those rows. */
async function sideLinks(
  context: WriteContext,
  attribute: RelationAttribute,
  place: LinkPlace,
  rowId: number,
): Promise<CopiedLink[]> {
  if (place.kind === 'table') return linksOf(context, place, attribute.target!, rowId);
  if (place.kind !== 'theirs') return [];
  const { table } = layoutOfModel(context, modelNamed(context, attribute.target!));
  const rows = await context.tables.select(table, ['id'], { [place.column]: rowId }, ['id']);
  return rows.map(([id]) => ({
    id: Number(id),
    target: Number(id),
    uid: attribute.target!,
    order: null,
    inverse: null,
    fields: {},
  }));
}

/** The other sides' rows of the state, for links of the row that is copied. */
async function mapped(
  context: WriteContext,
  attribute: RelationAttribute,
  links: readonly CopiedLink[],
  state: SideCopy['state'],
): Promise<Wanted[]> {
  const target = modelNamed(context, attribute.target!);
  const ids = links.map((link) => link.target);
  const counterparts = await counterpartsOf(context, target, ids, { state, locale: undefined });
  return links.flatMap((like) => {
    const id = counterparts.get(like.target)?.id;
    return id === undefined ? [] : [{ target: id, like }];
  });
}

/** Rows of the other side whose own draft is not published: its changes wait. */
async function waiting(
  context: WriteContext,
  attribute: RelationAttribute,
  { state }: SideCopy,
  known: readonly CopiedLink[],
  present: readonly CopiedLink[],
  mentioned: boolean,
): Promise<Set<number>> {
  if (mentioned || state === 'draft') return new Set();
  const linked = await mapped(context, attribute, known, state);
  const ids = [...linked.map(({ target }) => target), ...present.map(({ target }) => target)];
  return rowsAhead(context, modelNamed(context, attribute.target!), ids);
}

async function storeSide(
  context: WriteContext,
  attribute: RelationAttribute,
  place: LinkTable,
  { type, to, state }: SideCopy,
  lists: {
    readonly wanted: readonly Wanted[];
    readonly present: readonly CopiedLink[];
    readonly kept: readonly CopiedLink[];
    readonly gone: readonly CopiedLink[];
  },
): Promise<void> {
  const { tables } = context;
  const { wanted, present, kept, gone } = lists;
  await tables.delete(place.table, { id: gone.map((link) => link.id) });
  const added = wanted.filter(({ target }) => !present.some((link) => link.target === target));
  const targets = added.map(({ target }) => target);
  await holdLists(context, place, targets);
  if (added.length > 0 && isExclusive(attribute)) {
    const source = { model: type, rowId: to, scope: { state, locale: null, defaultLocale: '' } };
    await takeFromOthers(context, source, place, targets);
    await forgetPendingOf(context, modelNamed(context, attribute.target!), targets, attribute.inverse!);
  }
  const order = new Map(
    [...wanted.map(({ target }) => target), ...kept.map(({ target }) => target)].map((row, i) => [row, i + 1]),
  );
  for (const link of present) {
    const number = order.get(link.target);
    if (place.order === null || number === undefined || number === link.order) continue;
    await tables.update(place.table, new Map([[place.order, number]]), { id: link.id });
  }
  for (const { target, like } of added) {
    await placeLink(context, place, type, to, { ...like, target, order: order.get(target)! }, like, state);
  }
}

/** `useJoinTable: false`: the other rows' column names this row. */
async function storeColumns(
  context: WriteContext,
  attribute: RelationAttribute,
  place: Extract<LinkPlace, { kind: 'theirs' }>,
  { to }: SideCopy,
  wanted: readonly Wanted[],
  gone: readonly CopiedLink[],
): Promise<void> {
  const target = modelNamed(context, attribute.target!);
  const { table } = layoutOfModel(context, target);
  const ids = wanted.map((link) => link.target);
  await context.tables.update(table, new Map<string, SqlValue>([[place.column, null]]), {
    id: gone.map((link) => link.target),
  });
  await context.tables.update(table, new Map<string, SqlValue>([[place.column, to]]), { id: ids });
  await forgetPendingOf(context, target, ids, attribute.inverse!);
}

/** Of published rows, those whose draft is newer: their drafts' links are not published. */
export async function rowsAhead(context: WriteContext, model: Model, rows: readonly number[]): Promise<Set<number>> {
  const ids = [...new Set(rows)];
  if (!hasDrafts(model) || ids.length === 0) return new Set();
  const drafts = await counterpartsOf(context, model, ids, { state: 'draft', locale: undefined });
  const draftIds = [...drafts.values()].map(({ id }) => id).filter((id) => id !== undefined);
  const { table } = layoutOfModel(context, model);
  const times = await context.tables.select(table, ['id', 'updated_at'], { id: [...ids, ...draftIds] });
  const updatedAt = new Map(times.map(([id, time]) => [Number(id), Number(time ?? 0)]));
  return new Set(
    ids.filter((id) => {
      const draft = drafts.get(id)?.id;
      return draft !== undefined && (updatedAt.get(draft) ?? 0) > (updatedAt.get(id) ?? 0);
    }),
  );
}
