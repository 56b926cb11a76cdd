/**
 * Copying one row onto another of the same model: publication (draft onto published row), its reverse, and shared
 * attributes from one locale to another. The row copied onto keeps its id, and its components theirs, so links to them
 * survive (docs/architecture.md, "Laws").
 */
import { isScalar } from '../access/fields.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../schema/catalog.ts';
import { id, join, slot, sql } from '../sql/fragment.ts';
import { type OwnColumns, ownTarget, storeOwn, takeColumnFromOthers } from './column-links.ts';
import { readEntries, removeEntries, type StoredEntry, tie } from './components.ts';
import { counterpartsOf, type Mapping } from './counterparts.ts';
import { NOTHING_WAITS, type Waits } from './draft-links.ts';
import { placeLinks } from './link-order.ts';
import { isExclusive, isToOne, linkPlace } from './link-tables.ts';
import { takeFromOthers } from './links.ts';
import {
  copyPending,
  forgetPending,
  forgetPendingOf,
  forgetSettledPending,
  notePending,
  type PendingLink,
} from './pending-links.ts';
import { type CopiedLink, holdLists, linksOf } from './stored-links.ts';
import { layoutOfModel, model as modelNamed, type WriteContext } from './write-context.ts';

/** One row onto another. */
export interface CopyJob {
  readonly model: Model;
  readonly from: number;
  readonly to: number;
  /** Whether the row copied onto was just made and has nothing yet. */
  readonly isNew: boolean;
  readonly mapping: Mapping;
  /** Links whose change does not count yet; of a document that is published. */
  readonly waits?: Waits;
}

/** Columns of the scalar attributes. Links that are columns lead to other rows in a copy, so they are mapped one by one. */
export function contentColumns(context: WriteContext, model: Model, only?: ReadonlySet<string>): string[] {
  const { columns } = layoutOfModel(context, model);
  return [...model.attributes.values()].flatMap((attribute) =>
    isScalar(attribute) && (!only || only.has(attribute.name)) ? [columns.get(attribute.name)!] : [],
  );
}

/** Copies columns from one row of a table onto another. */
export async function copyColumns(
  { tables }: WriteContext,
  table: string,
  columns: readonly string[],
  from: number,
  to: number,
): Promise<void> {
  if (columns.length === 0) return;
  await tables.run(`copy ${table} ${columns}`, [from, to], () => {
    const names = join(columns.map(id), ', ');
    return sql`update ${id(table)} set (${names}) = (select ${names} from ${id(table)} where "id" = ${slot(0)}) where "id" = ${slot(1)}`;
  });
}

/** Copies relations, media and components; `only` restricts them to some attributes. */
export async function copyBelongings(context: WriteContext, job: CopyJob, only?: ReadonlySet<string>): Promise<void> {
  const { model } = job;
  // what waited for this row's earlier publication is noted anew below
  if (!job.isNew && job.mapping.state === 'published') {
    const { waits = NOTHING_WAITS } = job;
    if (waits === NOTHING_WAITS) await forgetPending(context, model, [job.to]);
    else await forgetSettledPending(context, model, job.to, waits);
  }
  // shared components of published rows may hold links that wait
  if (job.mapping.state === 'same' && model.modelType === 'component') {
    await copyPending(context, model, job.from, job.to);
  }
  for (const attribute of model.attributes.values()) {
    if (only && !only.has(attribute.name)) continue;
    if (attribute.type === 'media') await copyLinks(context, job, attribute);
    // the other side of a two-sided relation has rules of its own (other-sides.ts)
    else if (attribute.type === 'relation' && (attribute.owner || model.modelType === 'component')) {
      await copyLinks(context, job, attribute);
    }
  }
  if (layoutOfModel(context, model).componentsTable !== undefined) await copyComponents(context, job, only);
}

/** A link to a row of the mapping, and the one that it is copied from. */
interface MappedLink extends CopiedLink {
  readonly like: CopiedLink;
}

/** Copies the links of one attribute, each to its target's row of the mapping. */
async function copyLinks(
  context: WriteContext,
  job: CopyJob,
  attribute: RelationAttribute | MediaAttribute,
): Promise<void> {
  const place = linkPlace(context, job.model, attribute);
  if (place.kind === 'own' || place.kind === 'ownMorph') {
    await mapColumn(context, job, attribute as RelationAttribute, place);
    return;
  }
  if (place.kind === 'theirs') return;
  const uid = attribute.type === 'media' ? '' : (attribute.target ?? '');
  const links = await linksOf(context, place, uid, job.from);
  const present = job.isNew ? [] : await linksOf(context, place, uid, job.to);
  if (links.length === 0 && present.length === 0) return;
  const mapped = await mapLinks(context, links, job.mapping, attribute.type === 'media');
  const isTaken = isToOne(attribute) && links.some((link) => !waitsFor(job, attribute, link));
  if (isTaken && !job.isNew) await forgetPendingOf(context, job.model, [job.to], attribute.name);
  const pending = mapped.pending.filter(({ like }) => !waitsFor(job, attribute, like));
  const noted = pending.map(({ like: _, ...link }) => ({ ...link, ...{ source: job.to, model: job.model } }));
  await notePending(
    context,
    noted.map((link) => ({ ...link, attribute: attribute.name })),
    isExclusive(attribute),
  );
  const keyOf = ({ uid, target }: CopiedLink) => `${uid} ${target}`;
  const presentByKey = new Map<string, CopiedLink>();
  for (const link of present) if (!presentByKey.has(keyOf(link))) presentByKey.set(keyOf(link), link);
  const wanted = mapped.wanted.filter((link) => presentByKey.has(keyOf(link)) || !waitsFor(job, attribute, link.like));
  const mappedKeys = new Set(mapped.wanted.map(keyOf));
  const others = present.filter((link) => !mappedKeys.has(keyOf(link)));
  // what only another document's unpublished draft has removed stands, but never beside another one
  const kept =
    isTaken || (isToOne(attribute) && wanted.length > 0) ? [] : await keptLinks(context, job, attribute, others);
  const gone = others.filter((link) => !kept.includes(link));
  await context.tables.delete(place.table, { id: gone.map((link) => link.id) });
  const added = wanted.filter((link) => !presentByKey.has(keyOf(link)));
  const targets = added.map((link) => link.target);
  await holdLists(context, place, targets);
  if (added.length > 0 && isExclusive(attribute)) {
    const state = job.mapping.state === 'same' ? 'both' : job.mapping.state;
    const scope = { state, locale: null, defaultLocale: '' } as const;
    const source = { model: job.model, rowId: job.to, scope };
    await takeFromOthers(context, source, place, targets);
  }
  const copied = { place, model: job.model, attribute, source: job.to, state: job.mapping.state };
  await placeLinks(context, copied, added);
  if (!place.order) return;
  const last = [...wanted, ...mapped.pending].reduce((most, { order }) => Math.max(most, order ?? 0), 0);
  const behind = kept.map((link, index) => ({ ...link, order: last + index + 1 }));
  const moved = [...wanted, ...behind].flatMap((link): [number, number | null][] => {
    const known = presentByKey.get(keyOf(link));
    return known && known.order !== link.order ? [[known.id, link.order]] : [];
  });
  await context.tables.setEach(place.table, place.order, new Map(moved));
}

/** Whether a link of the row that is copied is another document's edit, and not published yet. */
function waitsFor(
  { waits }: CopyJob,
  attribute: RelationAttribute | MediaAttribute,
  { uid, target }: Pick<CopiedLink, 'uid' | 'target'>,
): boolean {
  return waits !== undefined && attribute.type === 'relation' && waits(attribute, uid, target);
}

/** Of published links that the draft does not have, those whose removal is another document's edit. */
async function keptLinks<Link extends Pick<CopiedLink, 'uid' | 'target'>>(
  context: WriteContext,
  job: CopyJob,
  attribute: RelationAttribute | MediaAttribute,
  links: readonly Link[],
): Promise<Link[]> {
  if (job.waits === undefined || job.waits === NOTHING_WAITS || attribute.type === 'media') return [];
  const kept: Link[] = [];
  for (const uid of new Set(links.map((link) => link.uid))) {
    const ofType = links.filter((link) => link.uid === uid);
    const rows = ofType.map((link) => link.target);
    const drafts = await counterpartsOf(context, modelNamed(context, uid), rows, { state: 'draft', locale: undefined });
    for (const link of ofType) {
      const target = drafts.get(link.target)?.id;
      if (target !== undefined && waitsFor(job, attribute, { uid, target })) kept.push(link);
    }
  }
  return kept;
}

interface MappedPending extends Pick<PendingLink, 'target' | 'order' | 'inverse'> {
  readonly like: CopiedLink;
}

/** The links of the mapping's rows; `pending` are those whose target has no such row yet. */
async function mapLinks(
  context: WriteContext,
  links: readonly CopiedLink[],
  mapping: Mapping,
  verbatim: boolean,
): Promise<{ wanted: MappedLink[]; pending: MappedPending[] }> {
  if (verbatim) return { wanted: links.map((link) => ({ ...link, like: link })), pending: [] };
  const wanted: MappedLink[] = [];
  const pending: MappedPending[] = [];
  for (const uid of new Set(links.map((link) => link.uid))) {
    const ofType = links.filter((link) => link.uid === uid);
    const counterparts = await counterpartsOf(
      context,
      modelNamed(context, uid),
      ofType.map((link) => link.target),
      mapping,
    );
    for (const link of ofType) {
      const found = counterparts.get(link.target);
      if (found?.id !== undefined) wanted.push({ ...link, target: found.id, like: link });
      else if (found && mapping.state === 'published') {
        const target = { uid, documentId: found.documentId, locale: found.locale };
        pending.push({ target, order: link.order, inverse: link.inverse, like: link });
      }
    }
  }
  wanted.sort((a, b) => (a.order ?? 0) - (b.order ?? 0) || a.id - b.id);
  return { wanted, pending };
}

/** Copies a link that is a column. */
async function mapColumn(
  context: WriteContext,
  job: CopyJob,
  attribute: RelationAttribute,
  place: OwnColumns,
): Promise<void> {
  const { model, from, to, mapping } = job;
  const linked = await ownTarget(context, { model, rowId: from }, place, attribute);
  const present = job.isNew ? undefined : await ownTarget(context, { model, rowId: to }, place, attribute);
  if (!linked && !present) return;
  const found =
    linked && (await counterpartsOf(context, modelNamed(context, linked.uid), [linked.row], mapping)).get(linked.row);
  const isPresent = found?.id !== undefined && present?.uid === linked?.uid && present?.row === found.id;
  const waits = linked !== undefined && !isPresent && waitsFor(job, attribute, { ...linked, target: linked.row });
  const exclusive = isExclusive(attribute);
  if (linked && !waits && !job.isNew) await forgetPendingOf(context, model, [to], attribute.name);
  if (linked && found && !waits && found.id === undefined && mapping.state === 'published') {
    const target = { uid: linked.uid, documentId: found.documentId, locale: found.locale };
    const link = { model, source: to, attribute: attribute.name, target, order: null, inverse: null };
    await notePending(context, [link], exclusive);
  }
  if (isPresent) return;
  if (linked && found?.id !== undefined && !waits) {
    await storeOwn(context, { model, rowId: to }, place, { uid: linked.uid, row: found.id });
    if (exclusive && place.kind === 'own') {
      await takeColumnFromOthers(context, layoutOfModel(context, model).table, place.column, found.id, to);
    }
    return;
  }
  if (!present) return;
  const isTaken = linked !== undefined && !waits;
  const kept = isTaken ? [] : await keptLinks(context, job, attribute, [{ ...present, target: present.row }]);
  if (kept.length === 0) await storeOwn(context, { model, rowId: to }, place, undefined);
}

/** Copies components field by field; an entry keeps its row where the kinds at its place agree. */
async function copyComponents(context: WriteContext, job: CopyJob, only?: ReadonlySet<string>): Promise<void> {
  const { model, from, to } = job;
  const all = await readEntries(context, model, job.isNew ? [from] : [from, to]);
  const included = (entry: StoredEntry) => !only || only.has(entry.field);
  const present = (all.get(to) ?? []).filter(included);
  const table = layoutOfModel(context, model).componentsTable!;
  const left = new Map<string, StoredEntry[]>();
  for (const entry of present.reverse()) {
    const known = left.get(entry.field);
    if (known) known.push(entry);
    else left.set(entry.field, [entry]);
  }
  const gone: StoredEntry[] = [];
  for (const entry of (all.get(from) ?? []).filter(included)) {
    // the lists are backwards: their first entry is at the end
    const place = left.get(entry.field)?.pop();
    const componentModel = modelNamed(context, entry.uid);
    const componentTable = layoutOfModel(context, componentModel).table;
    const columns = contentColumns(context, componentModel);
    const nested = { model: componentModel, from: entry.id, mapping: job.mapping };
    if (place?.uid === entry.uid) {
      await copyColumns(context, componentTable, columns, entry.id, place.id);
      await copyBelongings(context, { ...nested, to: place.id, isNew: false });
      if (place.order !== entry.order) {
        await context.tables.update(table, new Map([['order', entry.order]]), { id: place.linkId });
      }
      continue;
    }
    if (place) gone.push(place);
    const copied =
      columns.length > 0
        ? await context.tables.copy(componentTable, entry.id, columns, new Map())
        : await context.tables.insertEmpty(componentTable);
    await tie(context, table, to, { ...entry, id: copied });
    await copyBelongings(context, { ...nested, to: copied, isNew: true });
  }
  for (const rest of left.values()) for (const entry of rest) gone.push(entry);
  await removeEntries(context, model, gone);
}
