/** Table definitions → statements that create them. A `DdlDialect` provides what differs between engines. */
import type {
  ColumnDefinition,
  ColumnType,
  ForeignKeyDefinition,
  IndexDefinition,
  TableDefinition,
} from '../schema/layout/table.ts';
import { id, join, list, literal, raw, render, type Sql, sql } from './fragment.ts';

/** An engine's notation for definitions. */
export interface DdlDialect {
  /** The engine's name of a column type; for `increments` the whole definition of a self-numbering primary key. */
  columnType(type: ColumnType): string;
  /** Whether the type of an existing column, in the engine's notation, is the wanted one; lengths do not count. */
  sameType(type: ColumnType, existing: string): boolean;
  /** A column of an index that serves the order of text by code point. Undefined if every index does. */
  readonly byCodePoint: ((column: Sql) => Sql) | undefined;
  /**
   * Whether every index contains the id of the row after its columns, in ascending order, whether or not it is named.
   */
  readonly endsInId: boolean;
  /** Whether foreign keys can be added to an existing table; otherwise they are part of its creation. */
  readonly addsForeignKeys: boolean;
  /** Whether a unique index is a constraint of its table. */
  readonly uniqueIsConstraint: boolean;
  /** A number's placeholder in a statement: `?`, `$1`. */
  placeholder(n: number): string;
  /** Combines statements into fewer texts, if the engine can run several in one; without parameters and results. */
  batch(statements: readonly string[]): readonly string[];
  /** The statements that start maintaining the totals of a table (`totals.ts`), in one transaction. */
  keepTotals(table: string): readonly string[];
  /** The statements that end maintaining the totals of a table, and delete them. */
  forgetTotals(table: string): readonly string[];
  /** The value of a datetime column for epoch milliseconds. */
  datetime(time: number): string | number;
}

/**
 * Statements that create whole tables, in order. Foreign keys that can be added later come last, so that tables may
 * refer to each other.
 */
export function compileTables(tables: readonly TableDefinition[], dialect: DdlDialect): string[] {
  const statements: string[] = [];
  for (const table of tables) {
    statements.push(compileTable(table, dialect));
    for (const index of table.indexes) {
      if (!(index.unique && dialect.uniqueIsConstraint)) statements.push(compileIndex(table.name, index, dialect));
    }
  }
  if (dialect.addsForeignKeys) {
    for (const table of tables) {
      for (const key of table.foreignKeys) statements.push(compileForeignKey(table.name, key));
    }
  }
  return statements;
}

function compileTable(table: TableDefinition, dialect: DdlDialect): string {
  const parts = table.columns.map((column) => columnSql(column, dialect));
  if (dialect.uniqueIsConstraint) {
    for (const index of table.indexes) if (index.unique) parts.push(uniqueSql(index));
  }
  if (!dialect.addsForeignKeys) {
    for (const key of table.foreignKeys) {
      parts.push(sql`constraint ${id(key.name)} foreign key (${id(key.column)}) ${referencesSql(key)}`);
    }
  }
  return text(sql`create table ${id(table.name)} (${list(parts)})`, dialect);
}

/** Statements that add a column to an existing table, with its foreign key and the values of existing rows. */
export function compileColumn(
  table: string,
  column: ColumnDefinition,
  foreignKey: ForeignKeyDefinition | undefined,
  dialect: DdlDialect,
): string[] {
  const added = sql`alter table ${id(table)} add column ${columnSql(column, dialect)}`;
  if (column.fromPublication) return [text(added, dialect), text(publicationTimes(table, column.name), dialect)];
  if (!foreignKey) return [text(added, dialect)];
  if (dialect.addsForeignKeys) return [text(added, dialect), compileForeignKey(table, foreignKey)];
  return [text(sql`${added} constraint ${id(foreignKey.name)} ${referencesSql(foreignKey)}`, dialect)];
}

/** Sets the time of publication on both rows of each published version. */
function publicationTimes(table: string, column: string): Sql {
  const [own, other] = [id(table), id('published')];
  const locale = (row: Sql) => sql`coalesce(${row}.${id('locale')}, '')`;
  const published = sql`select ${other}.${id('published_at')} from ${own} as ${other} where ${other}.${id('document_id')} = ${own}.${id('document_id')} and ${locale(other)} = ${locale(own)} and ${other}.${id('published_at')} is not null limit 1`;
  return sql`update ${own} set ${id(column)} = (${published})`;
}

/** The statement that adds an index to an existing table. */
export function compileIndex(table: string, index: IndexDefinition, dialect: DdlDialect): string {
  if (index.unique && dialect.uniqueIsConstraint) {
    return text(sql`alter table ${id(table)} add ${uniqueSql(index)}`, dialect);
  }
  return createIndex(table, index, raw(''), dialect);
}

function createIndex(table: string, index: IndexDefinition, how: Sql, dialect: DdlDialect): string {
  const kind = raw(index.unique ? 'unique index' : 'index');
  const keys = index.columns.map((column) => indexKey(column, index, dialect));
  const created = sql`create ${kind}${how} ${id(index.name)} on ${id(table)} (${list(keys)})`;
  return text(sql`${created}${rowsOf(index)}`, dialect);
}

function indexKey(column: string, { descending, ordered }: IndexDefinition, { byCodePoint }: DdlDialect): Sql {
  const key = ordered?.includes(column) && byCodePoint ? byCodePoint(id(column)) : id(column);
  return descending?.includes(column) ? sql`${key} desc` : key;
}

/** The rows that are in an index. */
function rowsOf({ whereNotNull, whereNull }: IndexDefinition): Sql {
  if (whereNotNull !== undefined) return sql` where ${id(whereNotNull)} is not null`;
  return whereNull === undefined ? raw('') : sql` where ${id(whereNull)} is null`;
}

/**
 * The statement that adds an index to a table in use; if a unique index is a constraint, also the statement that then
 * makes it one.
 */
export function compileLiveIndex(table: string, index: IndexDefinition, dialect: DdlDialect) {
  const create = createIndex(table, index, raw(' concurrently'), dialect);
  if (!(index.unique && dialect.uniqueIsConstraint)) return { create, adopt: undefined };
  const constraint = sql`constraint ${id(index.name)} unique using index ${id(index.name)}`;
  return { create, adopt: text(sql`alter table ${id(table)} add ${constraint}`, dialect) };
}

/** The statement that finds one value held by several rows of columns that are to become unique. Nulls do not count. */
export function compileDuplicates(table: string, columns: readonly string[], dialect: DdlDialect): string {
  const present = join(
    columns.map((column) => sql`${id(column)} is not null`),
    ' and ',
  );
  const query = sql`select 1 from ${id(table)} where ${present} group by ${names(columns)} having count(*) > 1 limit 1`;
  return text(query, dialect);
}

function compileForeignKey(table: string, key: ForeignKeyDefinition): string {
  const added = sql`alter table ${id(table)} add constraint ${id(key.name)} foreign key (${id(key.column)})`;
  return render(sql`${added} ${referencesSql(key)}`, String).text;
}

function referencesSql({ references, onDelete }: ForeignKeyDefinition): Sql {
  return sql`references ${id(references.table)} (${id(references.column)}) on delete ${raw(onDelete.toLowerCase())}`;
}

function uniqueSql(index: IndexDefinition): Sql {
  return sql`constraint ${id(index.name)} unique (${names(index.columns)})`;
}

function columnSql(column: ColumnDefinition, dialect: DdlDialect): Sql {
  const definition = sql`${id(column.name)} ${raw(dialect.columnType(column.type))}`;
  if (column.defaultTo === undefined) return definition;
  // quoted whatever the type, as the reference writes it: engines convert the text when a row is inserted
  return sql`${definition} default ${literal(defaultText(column.defaultTo))}`;
}

function defaultText(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function names(columns: readonly string[]): Sql {
  return list(columns.map(id));
}

function text(statement: Sql, dialect: DdlDialect): string {
  return render(statement, dialect.placeholder).text;
}
