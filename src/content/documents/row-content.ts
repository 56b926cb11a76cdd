/** Storing one validated row with everything that belongs to it: columns, relations, media, components. */
import { wouldLoseHidden } from '../../access/hidden-parts.ts';
import { ContentError } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import type {
  ComponentAttribute,
  DynamicZoneAttribute,
  Model,
  RelationAttribute,
  ScalarAttribute,
} from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { type MediaWrite, type RelationWrite, writeMedia, writeRelations } from '../relations/links.ts';
import { linkedRows } from '../relations/stored-links.ts';
import type { Targets } from '../relations/targets.ts';
import { readEntries, removeEntries, type StoredEntry, type Tie, tie } from '../rows/component-rows.ts';
import {
  encode,
  layoutOfModel,
  linkPlanOf,
  type Scope,
  type Source,
  type StoredValue,
  type WriteContext,
} from '../rows/write-context.ts';
import type { Hashes } from '../validation/passwords.ts';
import { MUST_BE_DEFINED, type ValidEntry, type ValidRow } from '../validation/validate.ts';
import { storedTime } from '../validation/validate-scalar.ts';

/** A new row's scalar columns in the driver's form, in the order of `WritePlan.content`. */
export function valuesOf(context: WriteContext, { written, scalars }: ValidRow, hashes: Hashes): SqlValue[] {
  const values: SqlValue[] = [];
  for (const { attribute } of context.plans.of(written.model.uid).scalars.values()) {
    // null if a default of an attribute that a new version takes from its siblings breaks its own rules
    const value = scalars.get(attribute) ?? null;
    values.push(encode(context, attribute.type, storedValue(attribute, value, hashes)));
  }
  return values;
}

/** The scalar columns of a row that is there, as far as they are written, in the driver's form. */
export function columnsOf(context: WriteContext, row: ValidRow, hashes: Hashes): Map<string, SqlValue> {
  const names = layoutOfModel(context, row.written.model).columns;
  const columns = new Map<string, SqlValue>();
  for (const [attribute, value] of row.scalars) {
    columns.set(names.get(attribute.name)!, encode(context, attribute.type, storedValue(attribute, value, hashes)));
  }
  return columns;
}

/** Stored values that a write makes visible, by column. */
export function shownColumns(context: WriteContext, { written: { model }, shown }: ValidRow): Map<string, unknown> {
  const names = layoutOfModel(context, model).columns;
  return new Map([...shown].map(([{ name }, value]) => [names.get(name)!, value]));
}

function storedValue(attribute: ScalarAttribute, value: StoredValue, hashes: Hashes): StoredValue {
  if (attribute.type === 'password' && typeof value === 'string') {
    const hash = hashes.get(value);
    if (hash === undefined) throw new Error(`the password ${attribute.name} was not hashed`);
    return hash;
  }
  return storedTime(attribute, value);
}

/** A row whose columns are stored, with its validated content. */
export interface OwnerRow extends Source {
  readonly isNew: boolean;
  readonly row: ValidRow;
}

/** Stores relations, media and components of rows of one model whose columns are stored. */
export async function writeNestedContent(
  context: WriteContext,
  model: Model,
  owners: readonly OwnerRow[],
  targets: Targets,
  hashes: Hashes,
): Promise<void> {
  const missing = new Failures();
  const ties: Tie[] = [];
  for (const attribute of context.plans.of(model.uid).nested) {
    const { name } = attribute;
    if (attribute.type === 'relation') {
      const edits: RelationWrite[] = [];
      const mustLink: RelationWrite[] = [];
      for (const source of owners) {
        const edit = source.row.written.relations.get(name);
        if (!edit) continue;
        edits.push({ source, edit });
        if (!source.row.hidden.has(name)) mustLink.push({ source, edit });
      }
      if (edits.length === 0) continue;
      await writeRelations(context, model, attribute, edits, targets);
      if (attribute.required) await reportEmptied(context, model, attribute, mustLink, missing);
    } else if (attribute.type === 'media') {
      const edits: MediaWrite[] = [];
      for (const source of owners) {
        const entries = source.row.written.media.get(name);
        const files = entries?.map((entry) => targets.file(entry, missing)?.id).filter((id) => id !== undefined);
        if (files) edits.push({ source, files });
      }
      if (edits.length > 0) await writeMedia(context, model, attribute, edits);
    } else {
      const owning: ComponentOwner[] = [];
      for (const { rowId, twin, scope, isNew, row } of owners) {
        const entries = row.components.get(name);
        if (entries) owning.push({ rowId, twin, scope, isNew, entries });
      }
      if (owning.length === 0) continue;
      ties.push(...(await writeComponents(context, model, attribute, owning, targets, contentsWriter(hashes))));
    }
  }
  if (ties.length > 0) await tie(context, model, ties);
  missing.throwAny();
}

/** Reports rows that a write has left without a required link. Drafts are checked when they are published. */
async function reportEmptied(
  context: WriteContext,
  model: Model,
  attribute: RelationAttribute,
  edits: readonly RelationWrite[],
  failures: Failures,
): Promise<void> {
  const { name } = attribute;
  const shortened = edits.filter(
    ({ source, edit }) => source.scope.state === 'both' && edit.kind === 'edit' && edit.disconnect.length > 0,
  );
  if (shortened.length === 0) return;
  const rows = shortened.map(({ source }) => source.rowId);
  const isLinked = await linkedRows(context, [linkPlanOf(context, model, attribute)], rows);
  for (const row of rows) if (!isLinked(row, name)) failures.add(at(name), MUST_BE_DEFINED, null);
}

function contentsWriter(hashes: Hashes): WriteContents {
  return async (context, model, entries, targets) => {
    const added = entries.filter(({ stored }) => stored === undefined);
    if (added.length > 0) {
      const values = added.map(({ entry }) => valuesOf(context, entry.row, hashes));
      const haveTwins = added[0]!.owner.twin !== undefined;
      const { content } = context.plans.of(model.uid);
      // the components of a published row are inserted together with those of its draft
      const ids = await context.tables.insertRows(content, haveTwins ? [...values, ...values] : values);
      for (const [n, place] of added.entries()) {
        place.rowId = ids[n];
        if (haveTwins) place.twin = ids[added.length + n];
      }
    }
    if (added.length < entries.length) {
      const existing = entries.filter(({ stored }) => stored !== undefined);
      await updateContents(context, model, existing, hashes);
    }
    if (!entries.some(({ entry }) => hasNested(entry.row))) return;
    const owners = entries.map(({ owner: { scope }, entry, stored, rowId, twin }): OwnerRow => {
      return { model, rowId: rowId!, twin, scope, isNew: stored === undefined, isDraftEdit: false, row: entry.row };
    });
    await writeNestedContent(context, model, owners, targets, hashes);
  };
}

/** Whether a row writes anything that is not one of its columns. */
const hasNested = ({ written, components }: ValidRow): boolean =>
  written.relations.size + written.media.size + components.size > 0;

/** Updates stored component rows: rows with the same written columns together. */
async function updateContents(
  context: WriteContext,
  model: Model,
  entries: readonly PlacedEntry[],
  hashes: Hashes,
): Promise<void> {
  const { table } = context.plans.of(model.uid);
  const columns = entries.map(({ rowId, entry }) => [rowId!, columnsOf(context, entry.row, hashes)] as const);
  for (const alike of Map.groupBy(columns, ([, written]) => [...written.keys()].join()).values()) {
    await context.tables.updateRows(table, new Map(alike));
  }
}

/** A row with the new entries of one of its attributes, and the published row that gets the same entries. */
export interface ComponentOwner {
  readonly rowId: number;
  readonly twin: number | undefined;
  readonly scope: Scope;
  readonly isNew: boolean;
  readonly entries: readonly ValidEntry[];
}

/** An entry at its place. */
export interface PlacedEntry {
  readonly owner: ComponentOwner;
  readonly entry: ValidEntry;
  readonly order: number | null;
  /** The stored entry that it is merged into; undefined for an entry to be inserted. */
  readonly stored: StoredEntry | undefined;
  /** Its row and, if the owner has a twin, the twin's row; undefined until they are inserted. */
  rowId: number | undefined;
  twin: number | undefined;
}

/** Writes component rows of one model, links and nested components included. */
export type WriteContents = (
  context: WriteContext,
  model: Model,
  entries: readonly PlacedEntry[],
  targets: Targets,
) => Promise<void>;

/**
 * Writes the entries of one component or zone attribute of some rows. Entries with the id of a stored one are merged
 * into it, others are inserted, and the remaining stored ones are removed (docs/reference/writing.md, "Components and
 * zones"). Returns the ties to be inserted.
 *
 * @throws ContentError 400 for an id that is not an entry of this attribute of a stored owner, and for an entry without
 * an id in place of one that has values hidden from the caller.
 */
async function writeComponents(
  context: WriteContext,
  model: Model,
  attribute: ComponentAttribute | DynamicZoneAttribute,
  owners: readonly ComponentOwner[],
  targets: Targets,
  writeContents: WriteContents,
): Promise<Tie[]> {
  const { name } = attribute;
  const numbered = attribute.type === 'dynamiczone' || attribute.repeatable;
  const before = owners.filter(({ isNew }) => !isNew).map(({ rowId }) => rowId);
  const stored = before.length === 0 ? NOTHING : await readEntries(context, model, before, name);
  const placed = owners.flatMap((owner) => placedEntries(owner, stored.get(owner.rowId) ?? [], name, numbered));
  if (stored.size > 0) {
    const remaining = new Set(placed.map((entry) => entry.stored));
    const removed = [...stored.values()].flat().filter((entry) => !remaining.has(entry));
    await removeEntries(context, model, removed);
  }
  for (const [component, entries] of Map.groupBy(placed, ({ entry }) => entry.row.written.model)) {
    await writeContents(context, component, entries, targets);
  }
  const moved = new Map<number, number | null>();
  const ties: Tie[] = [];
  for (const { owner, entry, order, stored, rowId, twin } of placed) {
    if (stored) {
      if (stored.order !== order) moved.set(stored.linkId, order);
      continue;
    }
    const { uid } = entry.row.written.model;
    ties.push({ ownerId: owner.rowId, field: name, uid, id: rowId!, order });
    if (owner.twin !== undefined) ties.push({ ownerId: owner.twin, field: name, uid, id: twin!, order });
  }
  if (moved.size > 0) await context.tables.setEach(layoutOfModel(context, model).componentsTable!, 'order', moved);
  return ties;
}

const NOTHING: ReadonlyMap<number, StoredEntry[]> = new Map();

function placedEntries(
  owner: ComponentOwner,
  stored: readonly StoredEntry[],
  name: string,
  numbered: boolean,
): PlacedEntry[] {
  const keyOf = (uid: string, id: number) => `${uid} ${id}`;
  const unmatched = new Map(stored.map((entry) => [keyOf(entry.uid, entry.id), entry]));
  return owner.entries.map((entry, index) => {
    const place = { owner, entry, order: numbered ? index + 1 : null, rowId: undefined, twin: undefined };
    // ids in the data of a new row mean nothing: the data may have been read elsewhere
    if (entry.id === undefined || owner.isNew) {
      const { hidesAt } = entry.row.written;
      // entries of a list are matched by id, so an entry without one is new
      if (hidesAt && !numbered && stored.length > 0) {
        throw wouldLoseHidden(hidesAt, 'name the stored one by its id, or remove it with null first');
      }
      return { ...place, stored: undefined };
    }
    const key = keyOf(entry.row.written.model.uid, entry.id);
    const match = unmatched.get(key);
    // each stored entry is kept once
    unmatched.delete(key);
    if (match) return { ...place, stored: match, rowId: match.id };
    const message = `Some of the provided components in ${name} are not related to the entity`;
    throw new ContentError('ApplicationError', message);
  });
}
