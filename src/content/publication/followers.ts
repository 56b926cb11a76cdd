/**
 * Links from other documents and components to a document whose published row appears or disappears: pending links to
 * it, links to its draft that the first publication follows, and links that become pending when it is unpublished.
 */
import type { Row } from '../../db/interface/queryable.ts';
import { isToOne, type LinkPlace } from '../../plan/link-place.ts';
import type { ContentType, Model } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { counterpartsOf, draftsAhead } from '../relations/counterparts.ts';
import { linksWaitingFor, notePending, type PendingLink, realizePending } from '../relations/pending-links.ts';
import { type IncomingLinks, linksOfRows, linksTo, linkValues } from '../relations/stored-links.ts';
import { readEntries } from '../rows/component-rows.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import { hasDrafts, linkPlanOf, type WriteContext } from '../rows/write-context.ts';

/** A version of a document that is published or unpublished. */
export interface Version {
  readonly type: ContentType;
  readonly documentId: string;
  readonly draft: DocumentRow;
  readonly published: DocumentRow | undefined;
}

/** Links that will lead to the published row of a document as well, once it exists. */
export interface Followers {
  /** Pending links to the document. */
  readonly pending: readonly Row[];
  /** Links to its draft. */
  readonly incoming: readonly IncomingLinks[];
}

/** Reads the links that a first publication makes lead to the published row. */
export async function readFollowers(context: WriteContext, { type, documentId, draft }: Version): Promise<Followers> {
  const target = { uid: type.uid, documentId, locale: draft.locale };
  // the other side of a two-sided relation is this type's own attribute: other-sides.ts follows it
  const followed = context.plans
    .of(type.uid)
    .incoming.filter(
      ({ model, attribute }) =>
        attribute.inverse === undefined || model.modelType !== 'contentType' || !hasDrafts(model),
    );
  const [pending, incoming] = await Promise.all([
    linksWaitingFor(context, target),
    linksTo(context, followed, draft.id),
  ]);
  return { pending, incoming };
}

/** Links the row that a first publication has inserted. */
export async function linkFollowers(
  context: WriteContext,
  { type, documentId, draft }: Version,
  published: number,
  { pending, incoming }: Followers,
): Promise<void> {
  await realizePending(context, { uid: type.uid, documentId, locale: draft.locale }, pending, published);
  await followDrafts(context, type, draft.id, published, incoming);
}

/**
 * On first publication, links to the draft whose source counts as published lead to the published row as well. Such
 * sources are documents of types without drafts, documents whose draft is not newer than their published row, and
 * components of both.
 */
async function followDrafts(
  context: WriteContext,
  type: ContentType,
  draft: number,
  published: number,
  incoming: readonly IncomingLinks[],
): Promise<void> {
  for (const { model, attribute, place, links } of incoming) {
    if (links.length === 0) continue;
    if (place.kind !== 'table') {
      await followColumn(context, model, place, links, type.uid, published);
      continue;
    }
    const rows = links.map(({ source }) => source);
    const sources = await publishedSources(context, model, rows);
    const linked = await linksOfRows(context, linkPlanOf(context, model, attribute), [...new Set(sources.values())]);
    const added = new Map<number, SqlValue[]>();
    for (const { source: row, order, inverse, fields } of links) {
      const source = sources.get(row);
      if (source === undefined || added.has(source)) continue;
      const present = (linked.get(source) ?? []).filter(({ uid }) => uid === type.uid);
      if (present.some((link) => link.target === published)) continue;
      if (isToOne(attribute) && present.some((link) => link.target !== draft)) continue;
      const link = linkValues(place, source, { target: published, uid: type.uid, order: order ?? 0, fields });
      if (place.inverseOrder !== null) link.push(inverse ?? 0);
      added.set(source, link);
    }
    await context.tables.insertMany(place.placedColumns, [...added.values()]);
  }
}

/** A column holds one of the two rows of a document: the published one, which readers get by default. */
async function followColumn(
  context: WriteContext,
  model: Model,
  place: Exclude<LinkPlace, { kind: 'inverse' | 'table' }>,
  links: IncomingLinks['links'],
  uid: string,
  published: number,
): Promise<void> {
  const { table } = context.plans.of(model.uid);
  const [column, typed] = place.kind === 'own' ? [place.column, {}] : [place.id, { [place.type]: uid }];
  const rows = links.map(({ source }) => source);
  const sources = await publishedSources(context, model, rows);
  const stored = await context.tables.select(table, ['id', column], { id: [...new Set(sources.values())] });
  const isTaken = new Set(stored.flatMap(([id, target]) => (target === null ? [] : [Number(id)])));
  const followers = [...sources].filter(([row, source]) => source === row || !isTaken.has(source));
  const columns = new Map<string, SqlValue>([[column, published], ...Object.entries(typed)]);
  await context.tables.update(table, columns, { id: followers.map(([, source]) => source) });
}

/**
 * The published rows of sources, by source. Rows without drafts are published themselves. Sources that are not
 * published, or whose draft is newer, have none.
 */
async function publishedSources(
  context: WriteContext,
  model: Model,
  rows: readonly number[],
): Promise<Map<number, number>> {
  if (model.modelType === 'component') return publishedComponents(context, model, rows);
  const sources = new Map<number, number>();
  if (!hasDrafts(model)) return new Map(rows.map((row) => [row, row]));
  const counterparts = await counterpartsOf(context, model, rows, { state: 'published', locale: undefined });
  const ahead = await draftsAhead(context, model, counterparts);
  for (const [row, { id }] of counterparts) {
    if (id !== undefined && id !== row && !ahead.has(row)) sources.set(row, id);
  }
  return sources;
}

/** The components at the same places of the published rows of the documents that hold components. */
async function publishedComponents(
  context: WriteContext,
  component: Model,
  rows: readonly number[],
): Promise<Map<number, number>> {
  const sources = new Map<number, number>();
  const remaining = new Set(rows);
  for (const holder of context.plans.index.holders(component.uid)) {
    const owners = await ownersOf(context, holder, component, [...remaining]);
    if (owners.size === 0) continue;
    const above = await publishedSources(context, holder, [...new Set([...owners.values()].map(({ row }) => row))]);
    const entries = await readEntries(context, holder, [...new Set([...above].flat())]);
    for (const [row, owner] of owners) {
      remaining.delete(row);
      const published = above.get(owner.row);
      if (published === undefined) continue;
      const ofField = (id: number) => (entries.get(id) ?? []).filter(({ field }) => field === owner.field);
      const index = ofField(owner.row).findIndex(({ uid, id }) => uid === component.uid && id === row);
      const entry = ofField(published)[index];
      if (published === owner.row) sources.set(row, row);
      else if (entry?.uid === component.uid) sources.set(row, entry.id);
    }
  }
  return sources;
}

/** The rows of a model that hold components, and by which attribute, by the component's row. */
async function ownersOf(
  context: WriteContext,
  holder: Model,
  component: Model,
  rows: readonly number[],
): Promise<Map<number, { readonly row: number; readonly field: string }>> {
  const { table } = context.plans.of(holder.uid).ties!;
  const match = { cmp_id: rows, component_type: component.uid };
  const foreignKey = context.plans.foreignKeyTo(holder.uid, 'entity_id');
  const ties = await context.tables.select(table, ['cmp_id', 'entity_id', 'field'], match, ['id'], foreignKey);
  const owners = new Map<number, { readonly row: number; readonly field: string }>();
  for (const [row, owner, field] of ties) {
    if (!owners.has(Number(row))) owners.set(Number(row), { row: Number(owner), field: String(field) });
  }
  return owners;
}

/**
 * Makes the published links to a row pending before the row is removed. Links in tables from types without drafts lead
 * to the draft as well, and follow it when the document is published again.
 */
export async function waitForRepublication(
  context: WriteContext,
  version: Version & { published: DocumentRow },
): Promise<void> {
  const { type, documentId, published } = version;
  const target = { uid: type.uid, documentId, locale: published.locale };
  const pending: PendingLink[] = [];
  const waiting = context.plans.of(type.uid).incoming.filter(({ model, attribute, place }) => {
    const follows = model.modelType === 'contentType' && !hasDrafts(model) && attribute.target !== undefined;
    return place.kind !== 'table' || !follows;
  });
  for (const { model, attribute, place, links } of await linksTo(context, waiting, published.id)) {
    for (const { source, order, inverse, fields } of links) {
      const isOther = place.kind === 'table' && Object.entries(place.added).some(([name, own]) => fields[name] !== own);
      if (!isOther)
        pending.push({ model, attribute: attribute.name, target, source, ...placesOf(place, { order, inverse }) });
    }
  }
  await notePending(context, pending);
}

/** The places of a link in the lists of both sides; null for a side without order. */
function placesOf(place: LinkPlace, { order, inverse }: { order: number | null; inverse: number | null }) {
  if (place.kind !== 'table') return { order: null, inverse: null };
  return {
    order: place.order === null ? null : (order ?? 0),
    inverse: place.inverseOrder === null ? null : (inverse ?? 0),
  };
}
