/**
 * Links that a draft has taken from other documents: removed from the published rows when the draft is published, given
 * back when it is discarded.
 */
import { isToOne } from '../../plan/link-place.ts';
import type { LinkPlan } from '../../plan/link-plan.ts';
import type { ContentType, Model, RelationAttribute } from '../../schema/catalog.ts';
import { storeOwnOf } from '../relations/column-links.ts';
import { counterpartsOf } from '../relations/counterparts.ts';
import { handNoteOn, type TakenLink } from '../relations/draft-links.ts';
import { placeLinks } from '../relations/link-order.ts';
import {
  holdersOf,
  insertLinks,
  linksOfRows,
  linkValues,
  lockLists,
  type StoredLink,
} from '../relations/stored-links.ts';
import { recordLinkEffect } from '../rows/changes.ts';
import { documentLock } from '../rows/locks.ts';
import { hasDrafts, linkPlanOf, type WriteContext } from '../rows/write-context.ts';

/**
 * Removes published links that a newly published draft has taken from other documents. For links that the draft still
 * has, publishing its own links has done so already. For links that it has dropped again no other publication would,
 * since none of the other documents has changed. A link that exists again between the drafts stays; a pending link is
 * left to the publication of its target.
 *
 * @param author the type of the published document.
 */
export async function publishTaken(
  context: WriteContext,
  author: ContentType,
  taken: readonly TakenLink[],
): Promise<void> {
  for (const [relation, links] of byRelation(context, taken)) await publishOf(context, author, relation, links);
}

/** A relation, by the side that owns it. */
interface Relation {
  readonly model: ContentType;
  readonly attribute: RelationAttribute;
  readonly targetModel: ContentType;
  readonly plan: LinkPlan;
}

/** Links grouped by relation. Links of relations that the schema no longer has are skipped. */
function byRelation(context: WriteContext, taken: readonly TakenLink[]): [Relation, TakenLink[]][] {
  const keyOf = ({ sourceType, attribute, targetType }: TakenLink) => `${sourceType} ${attribute} ${targetType}`;
  return [...Map.groupBy(taken, keyOf).values()].flatMap((links): [Relation, TakenLink[]][] => {
    const { sourceType, attribute: name, targetType } = links[0]!;
    const [model, targetModel] = [sourceType, targetType].map((uid) => context.catalog.contentTypes.get(uid));
    const attribute = model?.attributes.get(name);
    if (!model || !targetModel || attribute?.type !== 'relation') return [];
    return [[{ model, attribute, targetModel, plan: linkPlanOf(context, model, attribute) }, links]];
  });
}

/** The same of links of one attribute to one type. */
async function publishOf(
  context: WriteContext,
  author: ContentType,
  { model, targetModel, plan }: Relation,
  taken: readonly TakenLink[],
): Promise<void> {
  const published = { state: 'published', locale: undefined } as const;
  const idsOf = (end: 'source' | 'target') => [...new Set(taken.map((link) => link[end]))];
  const [sources, targets] = await Promise.all([
    counterpartsOf(context, model, idsOf('source'), published),
    counterpartsOf(context, targetModel, idsOf('target'), published),
  ]);
  const rows = [...sources].flatMap(([draft, { id }]) => (id === undefined ? [draft] : [draft, id]));
  const stored = await linksOfRows(context, plan, [...new Set(rows)]);
  const linkOf = (row: number, target: number) =>
    stored.get(row)?.find((link) => link.target === target && link.uid === targetModel.uid);
  const removed = taken.flatMap((link) => {
    const [source, target] = [sources.get(link.source)?.id, targets.get(link.target)?.id];
    if (source === undefined || target === undefined || linkOf(link.source, link.target)) return [];
    const publishedLink = linkOf(source, target);
    return publishedLink ? [{ id: publishedLink.id, source, target }] : [];
  });
  if (removed.length === 0) return;
  const { place } = plan;
  if (place.kind === 'table') await context.tables.delete(place.table, { id: removed.map(({ id }) => id) });
  else if (place.kind !== 'inverse') {
    const cleared = removed.map(({ source }) => ({ row: source, target: undefined }));
    await storeOwnOf(context, model, place, cleared);
  }
  // a draft takes links from documents of its own type only
  for (const [type, end] of [[model, 'source'] as const, [targetModel, 'target'] as const]) {
    const rows = removed.map((link) => link[end]);
    if (type === author) await recordLinkEffect(context, 'unlinked', type, rows);
  }
}

/**
 * Gives links back to the drafts of other documents when the draft that took them is discarded. A link whose ends have
 * other links by now is not restored.
 *
 * @param author the type of the document whose draft is discarded.
 */
export async function giveBack(context: WriteContext, author: ContentType, taken: readonly TakenLink[]): Promise<void> {
  for (const [relation, links] of byRelation(context, taken)) {
    const { model, targetModel } = relation;
    const isThere = await lockEnds(context, relation, links);
    for (const link of links) {
      if (!isThere(link)) continue;
      const room = await roomFor(context, author, relation, link);
      // discarding the draft that has taken the link since then gives it back
      if (typeof room === 'number') await handNoteOn(context, link, { uid: author.uid, row: room });
      if (room !== 'free') continue;
      await makeAgain(context, relation, link);
      if (model === author) await recordLinkEffect(context, 'relinked', model, [link.source]);
      if (targetModel === author) await recordLinkEffect(context, 'relinked', targetModel, [link.target]);
    }
  }
}

/** Locks the documents at both ends of links. Returns a test for links whose ends both exist. */
async function lockEnds(
  { tables, plans, tx }: WriteContext,
  { model, targetModel }: Relation,
  links: readonly TakenLink[],
): Promise<(link: TakenLink) => boolean> {
  const rowsOf = async (type: Model, ids: readonly number[]) => {
    const rows = await tables.select(plans.of(type.uid).table, ['id', 'document_id'], { id: [...new Set(ids)] });
    return new Map(rows.map(([id, documentId]) => [Number(id), documentLock(type.uid, String(documentId))]));
  };
  const [sources, targets] = await Promise.all([
    rowsOf(
      model,
      links.map(({ source }) => source),
    ),
    rowsOf(
      targetModel,
      links.map(({ target }) => target),
    ),
  ]);
  await tx.lock(() => [...sources.values(), ...targets.values()], false);
  return ({ source, target }) => sources.has(source) && targets.has(target);
}

/**
 * Whether both ends of a link are free. `moved`: one end has another link of its own, or the link exists again. A
 * number: the row of the author's type that has taken the other end since then.
 */
async function roomFor(
  context: WriteContext,
  author: ContentType,
  relation: Relation,
  { source, target, targetType }: TakenLink,
): Promise<'free' | 'moved' | number> {
  const { model, attribute, targetModel, plan } = relation;
  const linked = await draftLinksOf(context, relation, source);
  if (linked.some((link) => link.target === target && link.uid === targetType)) return 'moved';
  const [present] = linked;
  if (present && isToOne(attribute)) return targetModel === author ? present.target : 'moved';
  const scope = { state: 'draft', locale: null, defaultLocale: '' } as const;
  const [holder] = await holdersOf(context, { model, rowId: source, scope }, plan.place, attribute, [target]);
  if (holder === undefined) return 'free';
  return model === author ? holder : 'moved';
}

/** The links of a row. If a table stores the links of a row without drafts to both states, only those to drafts. */
async function draftLinksOf(
  context: WriteContext,
  { model, targetModel, plan }: Relation,
  row: number,
): Promise<readonly StoredLink[]> {
  const linked = (await linksOfRows(context, plan, [row])).get(row) ?? [];
  if (plan.place.kind !== 'table' || hasDrafts(model) || !hasDrafts(targetModel)) return linked;
  const { table } = context.plans.of(targetModel.uid);
  const targets = linked.map(({ target }) => target);
  const drafts = new Set(
    (await context.tables.select(table, ['id'], { id: targets, published_at: null })).map(([id]) => Number(id)),
  );
  return linked.filter(({ uid, target }) => uid !== targetModel.uid || drafts.has(target));
}

/** Inserts a link between two drafts, at the place of the link between their published rows if that exists. */
async function makeAgain(
  context: WriteContext,
  { model, attribute, targetModel, plan }: Relation,
  { source, target, targetType: uid }: TakenLink,
): Promise<void> {
  const { place } = plan;
  if (place.kind === 'own') return storeOwnOf(context, model, place, [{ row: source, target: { uid, row: target } }]);
  if (place.kind !== 'table') return;
  const like = await publishedLike(context, { model, attribute, targetModel, plan }, source, target);
  const link = { target, uid, order: like?.order ?? 1 };
  if (like) {
    const list = { place, model, attribute, source, state: 'draft' } as const;
    return placeLinks(context, list, [{ ...link, like }]);
  }
  await lockLists(context, place, [target]);
  await insertLinks(context, place, [linkValues(place, source, link)]);
}

/** The link between the published rows of two drafts. */
async function publishedLike(
  context: WriteContext,
  { model, targetModel, plan }: Relation,
  source: number,
  target: number,
): Promise<StoredLink | undefined> {
  const published = { state: 'published', locale: undefined } as const;
  const [sources, targets] = await Promise.all([
    counterpartsOf(context, model, [source], published),
    counterpartsOf(context, targetModel, [target], published),
  ]);
  const [from, to] = [sources.get(source)?.id, targets.get(target)?.id];
  if (from === undefined || to === undefined) return undefined;
  const links = (await linksOfRows(context, plan, [from])).get(from) ?? [];
  return links.find((link) => link.target === to && link.uid === targetModel.uid);
}
