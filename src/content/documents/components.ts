/** Writing the entries of components and zones. */
import { wouldLoseHidden } from '../../access/hidden-parts.ts';
import { ContentError } from '../../errors.ts';
import type { ComponentAttribute, DynamicZoneAttribute, Model } from '../../schema/catalog.ts';
import type { Targets } from '../relations/targets.ts';
import { readEntries, removeEntries, type StoredEntry, type Tie } from '../rows/component-rows.ts';
import { layoutOfModel, type Scope, type WriteContext } from '../rows/write-context.ts';
import type { ValidEntry } from '../validation/validate.ts';

/** A row with the entries that one of its attributes is to have, and the published row that is to have the same. */
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
  /** The one that it is merged into; undefined: it is made. */
  readonly stored: StoredEntry | undefined;
  /** Its row and, where the owner has a twin, that one's: undefined until they are made. */
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
 * Writes the entries of one component or zone attribute of some rows: those with the id of a stored one are kept and
 * merged, the others are made, the rest is removed (docs/reference/writing.md, "Components and zones"). All of a new
 * owner's are made. Gives what is to be tied to the owners.
 *
 * @throws ContentError 400 for an id that is no entry of this attribute of a stored owner, and for an entry without one in
 * the place of one that has what is hidden from the caller.
 */
export async function writeComponents(
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
    const kept = new Set(placed.map((entry) => entry.stored));
    const gone = [...stored.values()].flat().filter((entry) => !kept.has(entry));
    await removeEntries(context, model, gone);
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
  const known = new Map(stored.map((entry) => [keyOf(entry.uid, entry.id), entry]));
  return owner.entries.map((entry, index) => {
    const place = { owner, entry, order: numbered ? index + 1 : null, rowId: undefined, twin: undefined };
    // of a row that is being made nothing is stored that an id could name: bodies that were read elsewhere hold some
    if (entry.id === undefined || owner.isNew) {
      const { hidesAt } = entry.row.written;
      // entries of a list are told apart by their ids: what names none is another one
      if (hidesAt && !numbered && stored.length > 0) {
        throw wouldLoseHidden(hidesAt, 'name the stored one by its id, or remove it with null first');
      }
      return { ...place, stored: undefined };
    }
    const key = keyOf(entry.row.written.model.uid, entry.id);
    const found = known.get(key);
    // each is kept once
    known.delete(key);
    if (found) return { ...place, stored: found, rowId: found.id };
    const message = `Some of the provided components in ${name} are not related to the entity`;
    throw new ContentError('ApplicationError', message);
  });
}
