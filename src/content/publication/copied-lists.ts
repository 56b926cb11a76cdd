/**
 * The second step of copying a row onto another: the links that the copy will hold. It is computed from the data of the
 * first step, without a query.
 */
import { isToOne } from '../../plan/link-place.ts';
import type { LinkPlan } from '../../plan/link-plan.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import type { Counterparts } from '../relations/counterparts.ts';
import { type ForeignEdits, NO_FOREIGN_EDITS } from '../relations/draft-links.ts';
import type { PendingLink, PendingRow } from '../relations/pending-links.ts';
import { type ListedLink, linkKey, type StoredLink } from '../relations/stored-links.ts';
import type { ReadContext } from '../rows/write-context.ts';
import { type CopiedPair, copiedPlans, type Original } from './original.ts';

/** How the unpublished drafts of other documents have changed the links of a copied row. */
export interface OtherDrafts {
  readonly foreignEdits: ForeignEdits;
  /** The drafts of the rows that links of the row copied onto lead to. */
  readonly drafts: Counterparts;
  /** The pending links of the row copied onto; undefined where no foreign edit can concern them. */
  readonly pending: readonly PendingRow[] | undefined;
}

export const NO_OTHER_DRAFTS: OtherDrafts = { foreignEdits: NO_FOREIGN_EDITS, drafts: new Map(), pending: undefined };

/** A link of a copy, and the stored link that it is a copy of. */
interface MappedLink extends StoredLink {
  readonly like: StoredLink;
}

/** A link that a copy will hold. */
export type CopiedLink = ListedLink & Pick<StoredLink, 'fields'> & { readonly like: StoredLink };

/** A link of a copy whose target has no published row yet. */
export interface CopiedPending extends Pick<PendingLink, 'target' | 'order' | 'inverse'> {
  readonly like: StoredLink;
}

/** The links of one attribute of a copied row, and those of the row copied onto. */
export interface ListSource extends Pick<OtherDrafts, 'foreignEdits' | 'drafts'> {
  readonly attribute: RelationAttribute | MediaAttribute;
  readonly linked: readonly StoredLink[];
  readonly stored: readonly StoredLink[];
  /** The rows that links of the copy lead to. */
  readonly counterparts: Counterparts;
  /** Pending links of the row copied onto that a foreign edit has changed. */
  readonly pending: readonly PendingRow[];
}

/** The links that one attribute of a copy will hold. */
export interface CopiedList {
  readonly links: readonly CopiedLink[];
  /** Links to documents that are not published, to be stored as pending. */
  readonly pending: readonly CopiedPending[];
  /** Stored pending links that a link replaces. */
  readonly replaced: readonly PendingRow[];
  /** Stored pending links that come to another place: their ids and orders. */
  readonly moved: readonly (readonly [id: number, order: number | null])[];
}

/** The lists of one attribute of all copied rows of a model. */
export interface CopiedAttribute {
  readonly model: Model;
  readonly plan: LinkPlan;
  readonly lists: readonly (CopiedList & { readonly pair: CopiedPair; readonly stored: readonly StoredLink[] })[];
}

/** The lists of all attributes of a copy and its components, one attribute after the other. */
export function* copiedAttributes(
  context: ReadContext,
  original: Original,
  others: OtherDrafts,
): Generator<CopiedAttribute> {
  for (const { model, pairs, links } of original.content.values()) {
    const isTop = model === original.model;
    for (const plan of copiedPlans(context, model, isTop ? original.only : undefined)) {
      const byRow = links.get(plan.attribute.name);
      const linked = byRow ? pairs.filter(({ from, to }) => byRow.has(from) || byRow.has(to!)) : [];
      if (linked.length === 0) continue;
      const lists = linked.map((pair) => {
        const source = listSource({ ...original, model }, plan, pair, isTop ? others : NO_OTHER_DRAFTS);
        return { ...copiedList(source), pair, stored: source.stored };
      });
      yield { model, plan, lists };
    }
  }
}

/** The rows, by type, whose drafts tell whether a foreign edit has removed the links to them. */
export function removedRows(
  context: ReadContext,
  original: Original,
  others: Omit<OtherDrafts, 'drafts'>,
): Map<string, Set<number>> {
  const { model, only, pair } = original;
  const sources = copiedPlans(context, model, only).map((plan) =>
    listSource(original, plan, pair, { ...others, drafts: new Map() }),
  );
  return targetsOf(sources.flatMap(removableLinks));
}

/** The rows that links lead to, by their type. */
export function targetsOf(links: Iterable<StoredLink>): Map<string, Set<number>> {
  const rows = new Map<string, Set<number>>();
  for (const { uid, target } of links) {
    const ofType = rows.get(uid);
    if (ofType) ofType.add(target);
    else rows.set(uid, new Set([target]));
  }
  return rows;
}

function listSource(
  { content, model, counterparts }: Pick<Original, 'content' | 'counterparts'> & { readonly model: Model },
  { attribute }: LinkPlan,
  { from, to }: CopiedPair,
  { pending = [], foreignEdits, drafts }: OtherDrafts,
): ListSource {
  const byRow = content.get(model.uid)!.links.get(attribute.name);
  const linked = byRow?.get(from) ?? [];
  const stored = to === undefined ? [] : (byRow?.get(to) ?? []);
  const own = pending.filter((row) => row.attribute === attribute.name && isForeign(row, attribute, foreignEdits));
  return { attribute, linked, stored, counterparts, foreignEdits, drafts, pending: own };
}

/** The ids of the pending links of the row copied onto that no foreign edit has changed: they are stored again. */
export function settledPending({ model }: Original, { pending = [], foreignEdits }: OtherDrafts): number[] {
  return pending.flatMap((row) => {
    const attribute = model.attributes.get(row.attribute);
    return attribute?.type === 'relation' && isForeign(row, attribute, foreignEdits) ? [] : [row.id];
  });
}

/** Whether the change of a pending link is a foreign edit. */
function isForeign(
  { uid, draft }: PendingRow,
  attribute: ListSource['attribute'],
  foreignEdits: ForeignEdits,
): boolean {
  return draft !== undefined && attribute.type === 'relation' && foreignEdits(attribute, uid, draft);
}

/** The list that a copy will hold. */
export function copiedList(source: ListSource): CopiedList {
  const { attribute, stored, foreignEdits, drafts } = source;
  const mapped = mapLinks(source);
  const isForeignEdit = foreignEditsOf(source);
  const storedIds = new Map([...Map.groupBy(stored, linkKey)].map(([key, links]) => [key, links.map(({ id }) => id)]));
  const linked = mapped.links.filter((link) => storedIds.has(linkKey(link)) || !isForeignEdit(link.like));
  // a link that only a foreign edit has removed stays
  const staying = removable(source, mapped).filter(({ uid, target }) => {
    const draft = drafts.get(uid)?.get(target)?.id;
    return draft !== undefined && foreignEdits(attribute as RelationAttribute, uid, draft);
  });
  const [pending, replaced] = takesOnlyPlace(source) ? [[], source.pending] : [source.pending, []];
  const orders = ordersBehind([...linked, ...mapped.pending], mapped.pending, staying, pending);
  const links = [
    ...linked.map((link) => ({ ...link, id: storedIds.get(linkKey(link))?.shift() })),
    ...staying.map((link) => ({ ...link, like: link, order: orders.get(link)! })),
  ];
  const moved = pending.flatMap((row): [number, number | null][] => {
    const order = orders.get(row) ?? null;
    return order === row.order ? [] : [[row.id, order]];
  });
  return { links, pending: mapped.pending.filter(({ like }) => !isForeignEdit(like)), replaced, moved };
}

/** The orders of links that only a foreign edit has removed: they come last, unless the copied row still has them. */
function ordersBehind(
  all: readonly { readonly order: number | null }[],
  mapped: readonly CopiedPending[],
  staying: readonly StoredLink[],
  pending: readonly PendingRow[],
): Map<StoredLink | PendingRow, number | null> {
  const mappedOrders = new Map(mapped.map(({ like, order }) => [linkKey(like), order]));
  const orders = new Map<StoredLink | PendingRow, number | null>();
  const behind: (StoredLink | PendingRow)[] = [...staying];
  for (const row of pending) {
    const order = mappedOrders.get(linkKey({ uid: row.uid, target: row.draft! }));
    if (order === undefined) behind.push(row);
    else orders.set(row, order);
  }
  const last = all.reduce((most, { order }) => Math.max(most, order ?? 0), 0);
  behind.sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  for (const [n, link] of behind.entries()) orders.set(link, last + n + 1);
  return orders;
}

/** Stored links that the copied row does not have, and that may stay: no other link takes the only place. */
export const removableLinks = (source: ListSource): readonly StoredLink[] => removable(source, mapLinks(source));

function removable(source: ListSource, { links }: MappedLinks): readonly StoredLink[] {
  const { attribute, stored } = source;
  if (attribute.type === 'media' || source.foreignEdits === NO_FOREIGN_EDITS || takesOnlyPlace(source)) return [];
  const mappedKeys = new Set(links.map(linkKey));
  const others = stored.filter((link) => !mappedKeys.has(linkKey(link)));
  return isToOne(attribute) && others.length < stored.length ? [] : others;
}

/** Whether a link of the copied row takes the only place of the list. */
function takesOnlyPlace(source: ListSource): boolean {
  const isForeignEdit = foreignEditsOf(source);
  return isToOne(source.attribute) && source.linked.some((link) => !isForeignEdit(link));
}

/** Whether a link of the copied row is a foreign edit. */
function foreignEditsOf({ attribute, foreignEdits }: ListSource): (link: StoredLink) => boolean {
  return ({ uid, target }) => attribute.type === 'relation' && foreignEdits(attribute, uid, target);
}

interface MappedLinks {
  readonly links: readonly MappedLink[];
  readonly pending: readonly CopiedPending[];
}

/** The links of the copied row, each to the row that the copy links. Files are the same for every row. */
function mapLinks({ attribute, linked, counterparts }: ListSource): MappedLinks {
  if (attribute.type === 'media') return { links: linked.map((link) => ({ ...link, like: link })), pending: [] };
  const links: MappedLink[] = [];
  const pending: CopiedPending[] = [];
  for (const link of linked) {
    const counterpart = counterparts.get(link.uid)?.get(link.target);
    if (counterpart?.id !== undefined) links.push({ ...link, target: counterpart.id, like: link });
    else if (counterpart) {
      const target = { uid: link.uid, documentId: counterpart.documentId, locale: counterpart.locale };
      pending.push({ target, order: link.order, inverse: link.inverse, like: link });
    }
  }
  links.sort((a, b) => (a.order ?? 0) - (b.order ?? 0) || a.id - b.id);
  return { links, pending };
}
