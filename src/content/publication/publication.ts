/**
 * Publication: the published row of a version takes over its draft (docs/differences.md, "Publication and relations").
 * Whatever order related documents are published in, once all are published every published link stands.
 */

import type { Row } from '../../db/interface/queryable.ts';
import { isToOne, type LinkPlace } from '../../plan/link-place.ts';
import type { ContentType, Model } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { type Counterparts, counterpartsOf, counterpartsOfAll, rowsAhead } from '../relations/counterparts.ts';
import {
  type DraftNotes,
  forgetNotesAt,
  NO_NOTES,
  NOTHING_WAITS,
  notesOf,
  settleDraftLinks,
  takenBy,
} from '../relations/draft-links.ts';
import { copyInverseLinks } from '../relations/inverse-links.ts';
import { linksWaitingFor, notePending, type PendingLink, realizePending } from '../relations/pending-links.ts';
import { type IncomingLinks, linksOfRows, linksTo, linkValues } from '../relations/stored-links.ts';
import { giveBack, publishTaken } from '../relations/taken-links.ts';
import { recordChange } from '../rows/changes.ts';
import { readEntries } from '../rows/component-rows.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import { hasDrafts, linkPlanOf, type WriteContext } from '../rows/write-context.ts';
import { columnsDiffer, copyColumns, copyNestedContent } from './copy.ts';
import { linkedRowsOf, madeRows, type NestedContent, type ReadAlso, readNestedContent } from './nested-content.ts';

/** A version of a document whose draft is copied onto its published row, or the other way round. */
export interface Version {
  readonly type: ContentType;
  readonly documentId: string;
  readonly draft: DocumentRow;
  readonly published: DocumentRow | undefined;
  /** Where this very request made the document. */
  readonly made?: MadeDocument | undefined;
}

/** A document that was made by the request that publishes it. Nothing leads to it but what the request wrote itself. */
interface MadeDocument {
  /** Its published row, which was made with the draft and has the same columns, links and components. */
  readonly twin: number;
  /** The relations that were written. The others are empty. */
  readonly relations: ReadonlySet<string>;
}

/** What publishing a version takes from the database. It is read before anything is written, with few questions. */
export interface Preparation {
  readonly notes: DraftNotes;
  readonly content: NestedContent;
  /** The published rows of all that is linked. */
  readonly counterparts: Counterparts;
  /** Of a first publication: what leads to the document already. */
  readonly followers: Followers | undefined;
}

/** What is to lead to the published row of a document as well, once it is there. */
interface Followers {
  /** Links that wait for it. */
  readonly waiting: readonly Row[];
  /** Links to the draft. */
  readonly incoming: readonly IncomingLinks[];
}

/**
 * Looks up what publishing a version takes.
 *
 * @param mentioned relations that this very request wrote: their links count as meant for publication on both sides.
 * @param also reads more of the draft and its components.
 */
export async function preparePublication(
  context: WriteContext,
  version: Version,
  mentioned: ReadonlySet<string>,
  also?: ReadAlso,
): Promise<Preparation> {
  const { type, draft, published } = version;
  const [notes, content, followers] = await Promise.all([
    notesOf(context, type, draft.id, mentioned),
    readNestedContent(context, type, [{ from: draft.id, to: published?.id }], undefined, also),
    published ? undefined : followersOf(context, version),
  ]);
  const [counterparts] = await Promise.all([
    counterpartsOfAll(context, linkedRowsOf(context, type, content), { state: 'published', locale: undefined }),
    context.tables.draw(() => madeRows(context, type, content)),
  ]);
  return { notes, content, counterparts, followers };
}

async function followersOf(context: WriteContext, { type, documentId, draft }: Version): Promise<Followers> {
  const target = { uid: type.uid, documentId, locale: draft.locale };
  // the other side of a two-sided relation is this type's own attribute: copyInverseLinks (inverse-links.ts) follows it
  const followed = context.plans
    .of(type.uid)
    .incoming.filter(
      ({ model, attribute }) =>
        attribute.inverse === undefined || model.modelType !== 'contentType' || !hasDrafts(model),
    );
  const [waiting, incoming] = await Promise.all([
    linksWaitingFor(context, target),
    linksTo(context, followed, draft.id),
  ]);
  return { waiting, incoming };
}

/**
 * Publishes a version and gives the published row's id.
 *
 * @param mentioned as `preparePublication` takes it.
 * @param prepared undefined for a document that was made by this very request (`Version.made`).
 */
export async function publish(
  context: WriteContext,
  version: Version,
  now: number,
  mentioned: ReadonlySet<string>,
  prepared: Preparation | undefined,
): Promise<number> {
  const { type, documentId, draft, made } = version;
  // of a document that was just made nobody else can have changed anything
  const { waits, taken } = prepared?.notes ?? NO_NOTES;
  await noteFirstPublication(context, version, now);
  const id = made?.twin ?? (await copyDraft(context, version, now, prepared!));
  const isUnknown = made && !linksFromAfar(type, made.relations);
  if (version.published === undefined && !isUnknown) {
    const { waiting, incoming } = prepared?.followers ?? (await followersOf(context, version));
    await realizePending(context, { uid: type.uid, documentId, locale: draft.locale }, waiting, id);
    await followDrafts(context, type, draft.id, id, incoming);
  }
  await copyInverseLinks(context, type, draft.id, id, 'published', waits, made?.relations);
  if (taken.length > 0) await publishTaken(context, type, taken);
  if (!made) await settleDraftLinks(context, type, draft.id, mentioned);
  recordChange(
    context,
    { type, documentId, locale: draft.locale, published: true },
    'published',
    version.published?.id,
    id,
  );
  return id;
}

/** Sets the time of the first publication in a draft that has none, and in the published row that was made with it. */
async function noteFirstPublication(context: WriteContext, { type, draft, made }: Version, now: number): Promise<void> {
  const { table, firstPublished } = context.plans.of(type.uid);
  if (firstPublished === undefined) return;
  const time = new Map([[firstPublished, context.tables.dialect.encodeTime(now)]]);
  const id = made ? [draft.id, made.twin] : [draft.id];
  await context.tables.update(table, time, { id, [firstPublished]: null });
}

/** Copies a draft onto its published row, which is made where there is none, and gives that one's id. */
async function copyDraft(
  context: WriteContext,
  version: Version,
  now: number,
  { notes: { waits }, content, counterparts }: Preparation,
): Promise<number> {
  const { type, draft, published } = version;
  const { copied, followed } = context.plans.of(type.uid);
  const time = new Map<string, SqlValue>([['published_at', context.tables.dialect.encodeTime(now)]]);
  const id = published?.id ?? (await context.tables.copy(draft.id, copied, time));
  if (published) await copyColumns(context, followed, draft.id, id, time);
  const mapping = { state: 'published', locale: undefined } as const;
  const rows = { model: type, from: draft.id, to: id, isNew: published === undefined, mapping };
  const known = { waits, counterparts: withOwn(counterparts, version, id) };
  await copyNestedContent(context, { ...rows, ...known }, undefined, content);
  return id;
}

/** Counterparts with the published row that a document has by now, to which it may itself be linked. */
function withOwn(counterparts: Counterparts, { type, draft, documentId }: Version, id: number): Counterparts {
  const rows = counterparts.get(type.uid);
  if (!rows?.has(draft.id)) return counterparts;
  const own = { id, documentId, locale: draft.locale };
  return new Map(counterparts).set(type.uid, new Map(rows).set(draft.id, own));
}

/** Whether attributes are written whose links another type's rows hold. */
function linksFromAfar(type: ContentType, names: ReadonlySet<string>): boolean {
  return [...names].some((name) => {
    const attribute = type.attributes.get(name);
    return attribute?.type === 'relation' && !attribute.owner;
  });
}

/** Makes a draft what its published row is. */
export async function discardDraft(
  context: WriteContext,
  version: Version & { published: DocumentRow },
): Promise<void> {
  const { type, documentId, draft, published } = version;
  const { followed } = context.plans.of(type.uid);
  const [differs, taken] = await Promise.all([
    columnsDiffer(context, followed, published.id, draft.id),
    takenBy(context, type, draft.id),
  ]);
  if (differs) await copyColumns(context, followed, published.id, draft.id);
  const mapping = { state: 'draft', locale: undefined } as const;
  const copy = { model: type, from: published.id, to: draft.id, isNew: false, mapping };
  const isNestedChanged = await copyNestedContent(context, copy);
  const isLinkedChanged = await copyInverseLinks(context, type, published.id, draft.id, 'draft', NOTHING_WAITS);
  await giveBack(context, type, taken);
  await forgetNotesAt(context, type, draft.id);
  const isChanged = differs || isNestedChanged || isLinkedChanged;
  if (isChanged) recordChange(context, { type, documentId, ...draft }, 'discarded', draft.id, draft.id);
}

/** Makes the draft that a published row lacks. */
export async function draftFrom(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  published: DocumentRow,
): Promise<DocumentRow> {
  const { copied } = context.plans.of(type.uid);
  const id = await context.tables.copy(published.id, copied, new Map([['published_at', null]]));
  const mapping = { state: 'draft', locale: undefined } as const;
  await copyNestedContent(context, { model: type, from: published.id, to: id, isNew: true, mapping });
  await copyInverseLinks(context, type, published.id, id, 'draft', NOTHING_WAITS);
  const draft = { ...published, id, published: false };
  recordChange(context, { type, documentId, ...draft }, 'created', undefined, id);
  return draft;
}

/**
 * On first publication: links to the draft whose source already counts as published lead to the published row as
 * well. Sources are documents of types without drafts, documents whose draft is not newer than their published row,
 * and components of both.
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
    const made = new Map<number, SqlValue[]>();
    for (const { source: row, order, inverse, fields } of links) {
      const source = sources.get(row);
      if (source === undefined || made.has(source)) continue;
      const present = (linked.get(source) ?? []).filter(({ uid }) => uid === type.uid);
      if (present.some((link) => link.target === published)) continue;
      if (isToOne(attribute) && present.some((link) => link.target !== draft)) continue;
      const link = linkValues(place, source, { target: published, uid: type.uid, order: order ?? 0, fields });
      if (place.inverseOrder !== null) link.push(inverse ?? 0);
      made.set(source, link);
    }
    await context.tables.insertMany(place.placedColumns, [...made.values()]);
  }
}

/** A column holds one row of the two that a document has: the published one, which readers get by default. */
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
  const known = await context.tables.select(table, ['id', column], { id: [...new Set(sources.values())] });
  const isTaken = new Set(known.flatMap(([id, target]) => (target === null ? [] : [Number(id)])));
  const followers = [...sources].filter(([row, source]) => source === row || !isTaken.has(source));
  const columns = new Map<string, SqlValue>([[column, published], ...Object.entries(typed)]);
  await context.tables.update(table, columns, { id: followers.map(([, source]) => source) });
}

/**
 * The rows that stand for sources in what is published: themselves without drafts, else their published counterparts.
 * There is none for those that are not published, or whose draft is newer.
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
  const published = [...counterparts.values()].flatMap(({ id }) => (id === undefined ? [] : [id]));
  const ahead = await rowsAhead(context, model, published);
  for (const [row, { id }] of counterparts) {
    if (id !== undefined && id !== row && !ahead.has(id)) sources.set(row, id);
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
  const left = new Set(rows);
  for (const holder of context.plans.index.holders(component.uid)) {
    const owners = await ownersOf(context, holder, component, [...left]);
    if (owners.size === 0) continue;
    const above = await publishedSources(context, holder, [...new Set([...owners.values()].map(({ row }) => row))]);
    const entries = await readEntries(context, holder, [...new Set([...above].flat())]);
    for (const [row, owner] of owners) {
      left.delete(row);
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
  const found = await context.tables.select(table, ['cmp_id', 'entity_id', 'field'], match, ['id'], foreignKey);
  const owners = new Map<number, { readonly row: number; readonly field: string }>();
  for (const [row, owner, field] of found) {
    if (!owners.has(Number(row))) owners.set(Number(row), { row: Number(owner), field: String(field) });
  }
  return owners;
}

/**
 * Before a published row goes: published links to it wait until the document is published again. Links in tables from
 * types without drafts lead to the draft as well, and follow it then.
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

/** The places of a link in the lists of both sides; null where a list is not kept. */
function placesOf(place: LinkPlace, { order, inverse }: { order: number | null; inverse: number | null }) {
  if (place.kind !== 'table') return { order: null, inverse: null };
  return {
    order: place.order === null ? null : (order ?? 0),
    inverse: place.inverseOrder === null ? null : (inverse ?? 0),
  };
}
