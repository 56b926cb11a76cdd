/**
 * Moves content in the database when parts of the schema are renamed in the administration app, and counts the content
 * that a change concerns. Nothing is dropped: columns and tables in the way of others get another name.
 */
import type { Counted } from '../../schema/editing/differences.ts';
import type { Move, UselessIndex } from '../../schema/editing/moves.ts';
import type { ComponentOwner } from '../../schema/editing/places.ts';
import { MAX_NAME_LENGTH } from '../../schema/layout/naming.ts';
import { compileColumn } from '../../sql/ddl.ts';
import type { Sql } from '../../sql/fragment.ts';
import {
  compileContentCount,
  compileCopyColumn,
  compileDropConstraint,
  compileDropIndex,
  compileHasValue,
  compileMoveValues,
  compileRenameColumn,
  compileRenameTable,
} from '../../sql/schema-changes.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { INDEXES_TABLE } from '../../sql/stored-indexes.ts';
import { dropSearchIndex } from '../indexes/building.ts';
import type { LearnedDefinition } from '../indexes/index-learner.ts';
import { readEntry, storeEntry } from '../interface/core-store.ts';
import type { Database } from '../interface/database.ts';
import type { Queryable } from '../interface/queryable.ts';
import { deleteRows, execute, query, selectRows, updateRows } from '../interface/statements.ts';
import type { Transaction } from '../interface/transaction.ts';
import type { ExistingTable, SchemaEngine } from './schema-engine.ts';

/** A change of names that can be made in the opposite direction. */
export type Undoable = Exclude<Move, { kind: 'type' | 'aside' }>;

/**
 * The number of documents, for components of rows; null if the database has no place for them yet.
 *
 * @param existing the tables of the database.
 * @param table of the type.
 * @param published the rows that contain the component in published versions.
 */
export async function countContent(
  db: Queryable,
  counted: Counted,
  existing: ReadonlyMap<string, ExistingTable>,
  table: string,
  published: readonly ComponentOwner[] = [],
): Promise<number | null> {
  const columnsOf = (name: string) => new Set(existing.get(name)?.columns.map((column) => column.name));
  const own = columnsOf(table);
  if (own.size === 0) return null;
  if ('place' in counted) {
    const { place } = counted;
    const columns = columnsOf(place.table);
    const needed =
      place.kind === 'column'
        ? [place.column]
        : place.kind === 'links'
          ? [place.source]
          : 'columns' in place
            ? place.columns
            : [];
    if (columns.size === 0 || needed.some((column) => !columns.has(column))) return null;
  }
  const values = counted.what === 'values' ? counted.values : [];
  const rows = await query(
    db,
    compileContentCount(counted, table, own.has('document_id'), existingOwners(published, existing)),
    values,
  );
  return Number(rows[0]![0]);
}

/** The owners whose tables are there. */
function existingOwners(
  owners: readonly ComponentOwner[],
  existing: ReadonlyMap<string, ExistingTable>,
): ComponentOwner[] {
  return owners.flatMap((owner) => {
    if (!existing.has(owner.ties) || !existing.has(owner.table)) return [];
    if (!owner.owners) return [owner];
    const outer = existingOwners(owner.owners, existing);
    return outer.length > 0 ? [{ ...owner, owners: outer }] : [];
  });
}

/** The rows of a table. */
export async function countRows(db: Queryable, table: string): Promise<number> {
  const rows = await query(db, compileContentCount({ what: 'documents', uid: '' }, table, false));
  return Number(rows[0]![0]);
}

/** What moves have done. */
export interface Moved {
  /** The moves that undo them, in their order. */
  readonly undo: Undoable[];
  /** Leftovers that were in the way of a renamed attribute, with the names that they have now. */
  readonly aside: ReadonlySet<string>;
}

/**
 * Makes moves, and drops the indexes that no longer fit, which the migration builds anew. The caller holds the lock of the
 * schema (`SchemaEngine.lock`).
 */
export async function makeMoves(
  tx: Transaction,
  engine: SchemaEngine,
  moves: readonly Move[],
  useless: (existing: ReadonlyMap<string, ExistingTable>) => readonly UselessIndex[] = () => [],
): Promise<Moved> {
  if (moves.length === 0) return { undo: [], aside: new Set() };
  const existing = await engine.introspect(tx);
  const mover = new Mover(tx, engine, existing);
  await mover.dropIndexes(useless(existing));
  for (const move of moves) await mover.make(move);
  for (const move of mover.undo) await renameInRecords(tx, engine, move);
  return { undo: mover.undo.reverse(), aside: mover.aside };
}

/**
 * Drops the search indexes of columns that are about to be moved, which no transaction can do. The recorded ones are
 * built again when the schema is served.
 */
export async function dropSearchIndexes(
  database: Database,
  { search }: SchemaEngine,
  moves: readonly Move[],
): Promise<void> {
  if (moves.length === 0 || !database.separately) return;
  for (const { table, columns } of await search.list(database)) {
    const isConcerned = (move: Move): boolean => {
      if (move.kind === 'table') return move.from === table;
      return (move.kind === 'column' || move.kind === 'type') && move.table === table && columns.includes(move.from);
    };
    if (moves.some(isConcerned)) await dropSearchIndex(database, search, { table, columns });
  }
}

/** Learned and created indexes whose table or columns have other names now. @param undo the opposite of the move. */
async function renameInRecords(tx: Transaction, engine: SchemaEngine, undo: Undoable): Promise<void> {
  if (undo.kind === 'values') return;
  const { from: now, to: former } = undo;
  const isTable = undo.kind === 'table';
  const [table, on_table] = isTable ? [now, former] : [undo.table, undo.table];
  for (const [name, text] of await selectRows(tx, INDEXES_TABLE, ['name', 'definition'], { on_table })) {
    const before = JSON.parse(String(text)) as LearnedDefinition;
    const renamed = (column: string) => (column === former && !isTable ? now : column);
    const { columns, descending, ordered, whereNotNull, whereNull } = before;
    const after = {
      ...before,
      columns: columns.map(renamed),
      ...(descending ? { descending: descending.map(renamed) } : {}),
      ...(ordered ? { ordered: ordered.map(renamed) } : {}),
      ...(whereNotNull === undefined ? {} : { whereNotNull: renamed(whereNotNull) }),
      ...(whereNull === undefined ? {} : { whereNull: renamed(whereNull) }),
    };
    const definition = JSON.stringify(after);
    if (!isTable && definition === JSON.stringify(before)) continue;
    const [searchName] = before.search ? engine.search.namesOf(tx.dialect, { table, columns: after.columns }) : [];
    const record = { definition, on_table: table, name: searchName ?? String(name) };
    await updateRows(tx, INDEXES_TABLE, record, { name: String(name) });
  }
}

/** The core-store entry with the id of the last change of names that was committed. */
const LAST_STEP = 'galley_schema_change';

/**
 * Notes in the transaction of a change of schemas that it was made; null: that it was undone. The caller holds the lock
 * of the schema.
 */
export async function noteStep(tx: Transaction, step: string | null): Promise<void> {
  if (step === null) await deleteRows(tx, CORE_STORE_TABLE, { key: LAST_STEP });
  else await storeEntry(tx, LAST_STEP, step, 'string');
}

/** Whether the change of schemas with an id was committed. */
export async function isStepDone(db: Queryable, engine: SchemaEngine, step: string): Promise<boolean> {
  if (!(await engine.introspect(db, [CORE_STORE_TABLE])).has(CORE_STORE_TABLE)) return false;
  return (await readEntry(db, LAST_STEP)) === step;
}

class Mover {
  readonly #tx: Transaction;
  readonly #engine: SchemaEngine;
  /** Columns by table, as they are at the moment. */
  readonly #columns: Map<string, Set<string>>;
  readonly #indexes: ReadonlySet<string>;
  readonly undo: Undoable[] = [];
  readonly aside = new Set<string>();

  constructor(tx: Transaction, engine: SchemaEngine, existing: ReadonlyMap<string, ExistingTable>) {
    this.#tx = tx;
    this.#engine = engine;
    this.#columns = new Map(
      Array.from(existing.values(), ({ name, columns }) => [name, new Set(columns.map((column) => column.name))]),
    );
    this.#indexes = new Set([...existing.values()].flatMap(({ indexes }) => indexes.map(({ name }) => name)));
  }

  async dropIndexes(useless: readonly UselessIndex[]): Promise<void> {
    for (const { table, index } of useless) {
      if (!this.#indexes.has(index.name)) continue;
      const isConstraint = index.unique && this.#engine.ddl.uniqueIsConstraint;
      await this.#run(isConstraint ? compileDropConstraint(table, index.name) : compileDropIndex(index.name));
    }
  }

  async make(move: Move): Promise<void> {
    switch (move.kind) {
      case 'table':
        return this.#renameTable(move.from, move.to);
      case 'column':
        return this.#renameColumn(move.table, move.from, move.to);
      case 'aside':
        if (this.#columns.has(move.table)) await this.#tableAside(move.table);
        return;
      case 'type':
        return this.#replaceColumn(move);
      case 'values':
        return this.#moveValues(move);
    }
  }

  async #renameTable(from: string, to: string): Promise<void> {
    const columns = this.#columns.get(from);
    // the table of a relation that was never stored
    if (!columns) return;
    if (this.#columns.has(to)) this.aside.add(await this.#tableAside(to));
    // the migration counts the rows under the new name
    for (const statement of this.#engine.ddl.forgetTotals(from)) await this.#tx.rows(statement, []);
    await this.#run(compileRenameTable(from, to));
    this.#columns.delete(from);
    this.#columns.set(to, columns);
    this.undo.push({ kind: 'table', from: to, to: from });
  }

  /** Gives a table another name, and returns it. */
  async #tableAside(table: string): Promise<string> {
    const name = freeName(table, (other) => this.#columns.has(other));
    await this.#renameTable(table, name);
    return name;
  }

  async #renameColumn(table: string, from: string, to: string): Promise<void> {
    const columns = this.#columns.get(table);
    if (!columns?.has(from)) return;
    if (columns.has(to)) this.aside.add(`${table}.${await this.#columnAside(table, to)}`);
    await this.#run(compileRenameColumn(table, from, to));
    columns.delete(from);
    columns.add(to);
    this.undo.push({ kind: 'column', table, from: to, to: from });
  }

  /** Gives a column another name, and returns it. */
  async #columnAside(table: string, column: string): Promise<string> {
    const name = freeName(column, (other) => this.#columns.get(table)!.has(other));
    await this.#renameColumn(table, column, name);
    return name;
  }

  async #replaceColumn({ table, from, column, copies, prepared }: Extract<Move, { kind: 'type' }>): Promise<void> {
    const columns = this.#columns.get(table);
    if (!columns) return;
    const aside = columns.has(column.name) ? await this.#columnAside(table, column.name) : from;
    if (prepared !== undefined) {
      await this.#run(compileRenameColumn(table, prepared, column.name));
      columns.delete(prepared);
      columns.add(column.name);
      return;
    }
    const source = from === column.name ? aside : from;
    const { ddl } = this.#engine;
    for (const statement of compileColumn(table, column, undefined, ddl)) await this.#tx.rows(statement, []);
    columns.add(column.name);
    if (copies && columns.has(source)) {
      await this.#run(compileCopyColumn(table, source, column.name, ddl.columnType(column.type)));
    }
  }

  async #moveValues({ table, column, from, to, where }: Extract<Move, { kind: 'values' }>): Promise<void> {
    if (!this.#columns.get(table)?.has(column)) return;
    const isTaken = async (value: string) =>
      (await query(this.#tx, compileHasValue(table, column, value, where))).length > 0;
    const move = async (one: string, other: string) => {
      await this.#run(compileMoveValues(table, column, one, other, where));
      this.undo.push({ kind: 'values', table, column, from: other, to: one, where });
    };
    if (!(await isTaken(from))) return;
    if (await isTaken(to)) {
      let other = `${to}_old`;
      while (await isTaken(other)) other += '_old';
      this.aside.add(`${table}:${[...where.map(([, of]) => of), other].join('.')}`);
      await move(to, other);
    }
    await move(from, to);
  }

  async #run(statement: Sql): Promise<void> {
    await execute(this.#tx, statement);
  }
}

/** A name for a column or table that is moved out of the way: `title_old`, `title_old2`, `articles_author_old_lnk`. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  const [, stem, kind] = /^(.*?)(_lnk|_mph)?$/s.exec(name) as unknown as [string, string, string | undefined];
  for (let n = 1; ; n++) {
    const ending = `_old${n === 1 ? '' : n}${kind ?? ''}`;
    const free = stem.slice(0, MAX_NAME_LENGTH - ending.length) + ending;
    if (!isTaken(free)) return free;
  }
}
