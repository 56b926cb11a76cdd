/** What a change of schemas does to the content of a database, and the steps that all ways of changing schemas share. */
import { renameInArrangements } from './content/administration/rename-arrangements.ts';
import { type EndingType, noteEndingDrafts } from './content/doctor/end-drafts.ts';
import { renameInPermissions } from './content/roles/rename-fields.ts';
import type { Database } from './db/interface/database.ts';
import type { Queryable } from './db/interface/queryable.ts';
import type { Transaction } from './db/interface/transaction.ts';
import { findLeftovers, keepLeftoversIn } from './db/migration/leftovers.ts';
import type { ExistingTable, SchemaEngine } from './db/migration/schema-engine.ts';
import { countContent, countRows, type Moved, makeMoves } from './db/migration/schema-moves.ts';
import { storeRecord, updateReferenceRecord } from './db/migration/schema-record.ts';
import { renameInWorkflows } from './review/rename-types.ts';
import type { Catalog } from './schema/catalog.ts';
import { type Counted, type Difference, differencesOf } from './schema/editing/differences.ts';
import type { EditEffect } from './schema/editing/editing.ts';
import { formerTables, type Move, uselessIndexes } from './schema/editing/moves.ts';
import { type FormerNames, formerUid, modelIn, publishedOwners, type SchemaVersion } from './schema/editing/places.ts';
import { recordOf } from './schema/editing/record.ts';
import { layOut, layoutOf } from './schema/layout/layout.ts';

/** The database whose content is concerned. */
export interface Changed {
  readonly database: Database;
  readonly schema: SchemaEngine;
}

export interface Moving {
  /** The tables of the database. */
  readonly existing: ReadonlyMap<string, ExistingTable>;
  /** What gets another name. */
  readonly renamed: readonly Move[];
  /** Whether the schemas have no mistakes. */
  readonly isRight: boolean;
}

/** The differences with numbers of the database, and the moves for attributes that are added again. */
export async function effectsOf(
  { database, schema }: Changed,
  before: SchemaVersion,
  after: SchemaVersion,
  names: FormerNames,
  { existing: asNow, renamed, isRight }: Moving,
) {
  const existing = withNewNames(asNow, renamed);
  const effects: EditEffect[] = [];
  const restored: Move[] = [];
  for (const difference of differencesOf(before, after, names)) {
    const { counted, ...rest } = difference;
    const table = counted && modelIn(before, counted.uid) && layoutOf(before.layout, counted.uid).table;
    const isAddition = rest.kind === 'attributeAdded';
    const room = isAddition && isRight ? roomFor(schema, difference, existing) : undefined;
    if (room) restored.push(room);
    const owners = counted ? publishedOwners(before, counted.uid) : [];
    // the place of a new attribute has the next name of its table
    const placed = counted && rest.kind === 'attributeAdded' ? withTables(counted, renamed) : counted;
    const number = placed && table !== undefined ? await countContent(database, placed, asNow, table, owners) : null;
    const count = room ? null : number;
    if (IF_ANY.has(rest.kind) && !count) continue;
    effects.push(effectOf(rest, count));
    // the values of a removed attribute, which get another name
    const buried = room?.kind === 'aside' ? await countRows(database, room.table) : number;
    if (!room || !buried) continue;
    effects.push({ ...rest, kind: 'archiveReplaced', severity: 'loss', keep: 'archive', count: buried });
  }
  return { effects, restored };
}

/** The move for an added attribute if the values of a removed one do not fit; undefined if none is necessary. */
function roomFor(
  schema: SchemaEngine,
  { counted }: Difference,
  existing: ReadonlyMap<string, ExistingTable>,
): Move | undefined {
  if (!counted || !('place' in counted)) return undefined;
  const { place } = counted;
  const columns = new Map(existing.get(place.table)?.columns.map(({ name, type }) => [name, type]));
  if (place.kind === 'column') {
    const type = columns.get(place.column);
    const { ddl } = schema;
    if (type === undefined || ddl.sameType(place.type, type)) return undefined;
    const column = { name: place.column, type: place.type };
    return { kind: 'type', table: place.table, from: place.column, column, copies: false };
  }
  if (place.kind !== 'links' || columns.size === 0) return undefined;
  const isFitting = place.columns.slice(0, 2).every((column) => column === null || columns.has(column));
  return isFitting ? undefined : { kind: 'aside', table: place.table };
}

function effectOf({ kind, severity, ...rest }: Omit<Difference, 'counted'>, count: number | null): EditEffect {
  if (kind === 'attributeAdded') {
    return count
      ? { ...rest, kind: 'attributeRestored', severity: 'info', count }
      : { ...rest, kind, severity, count: null };
  }
  const most = kind === 'kindChanged' ? 1 : 0;
  const isHarmless = count === null || count <= most;
  return {
    ...rest,
    kind,
    count,
    severity: severity !== 'info' && isHarmless && !isAnnounced(kind) ? 'info' : severity,
  };
}

/** The tables by the names that they get. */
function withNewNames(existing: Moving['existing'], renamed: readonly Move[]): Moving['existing'] {
  const former = formerTables(renamed);
  const tables = new Map([...existing].filter(([name]) => ![...former.values()].includes(name)));
  for (const [now, before] of former) {
    const table = existing.get(before);
    if (table) tables.set(now, table);
  }
  return tables;
}

/** What is to be counted, in tables that have the names of before. */
function withTables(counted: Counted, renamed: readonly Move[]): Counted {
  if (!('place' in counted)) return counted;
  const table = formerTables(renamed).get(counted.place.table) ?? counted.place.table;
  return { ...counted, place: { ...counted.place, table } };
}

/** Effects that there are only if documents are concerned. */
const IF_ANY: ReadonlySet<string> = new Set(['archiveReplaced', 'unpublishedLost']);

/** Types whose rows have to be completed, and those that lose their drafts. */
export function switchedIn(effects: readonly EditEffect[], names: FormerNames) {
  const uidsOf = (...kinds: readonly string[]) =>
    effects.filter(({ kind }) => kinds.includes(kind)).map(({ uid }) => uid);
  return {
    completed: new Set(uidsOf('draftsOn', 'localesOn')),
    ended: uidsOf('draftsOff').map((uid) => ({ uid, formerUid: formerUid(names, uid) })),
  };
}

/** Effects that people have to know of whatever the database contains. */
const isAnnounced = (kind: string): boolean => ['pathChanged', 'typeRenamed', 'rulesTightened'].includes(kind);

/** What moves in the database with a change of schemas. */
export interface ContentMoves {
  readonly moves: readonly Move[];
  readonly names: FormerNames;
  /** The schemas of before. */
  readonly before: SchemaVersion;
  /** Types that lose their drafts. */
  readonly ended: readonly EndingType[];
}

/**
 * Moves content to its places in the next schemas, and records these as the schemas of the content. The caller holds the
 * lock of the schema.
 *
 * @param leftovers the names of content that no attribute used before.
 */
export async function moveContent(
  tx: Transaction,
  schema: SchemaEngine,
  { moves, names, before, ended }: ContentMoves,
  next: SchemaVersion,
  leftovers: ReadonlySet<string>,
): Promise<Moved> {
  await noteEndingDrafts(tx, ended, before, next);
  const moved = await makeMoves(tx, schema, moves, (existing) => uselessIndexes(moves, before, existing));
  await renameIn(tx, before.catalog, names);
  // the decision about content that no attribute uses any more; content in the way of other content is reported
  const { aside } = moved;
  const all = await leftoverNames(tx, schema, next);
  const added = [...all].filter((name) => !leftovers.has(name) && !aside.has(name));
  if (added.length > 0 || aside.size > 0) await keepLeftoversIn(tx, added, aside);
  await storeRecord(tx, recordOf(next.catalog));
  await updateReferenceRecord(tx, next.catalog, names.types);
  return moved;
}

/** The names of content that no attribute of a version uses. */
export async function leftoverNames(
  db: Queryable,
  schema: SchemaEngine,
  { catalog, layout }: SchemaVersion,
): Promise<ReadonlySet<string>> {
  const found = await findLeftovers(db, { catalog, layout, ddl: schema.ddl }, await schema.introspect(db));
  return new Set(found.map(({ name }) => name));
}

/** Renames types and attributes where rows name them: permissions, layouts of lists and forms, workflows. */
export async function renameIn(tx: Transaction, before: Catalog, names: FormerNames): Promise<void> {
  if (names.types.size === 0 && names.attributes.size === 0) return;
  await renameInPermissions(tx, before, names);
  await renameInArrangements(tx, before, names);
  await renameInWorkflows(tx, names);
}

/** A version of all schemas with their tables. */
export const versionOf = (catalog: Catalog): SchemaVersion => ({ catalog, layout: layOut(catalog) });
