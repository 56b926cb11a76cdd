/** Compares the wanted tables with the existing ones: what to add, to warn about, and to refuse. Pure. */
import { UsageError } from '../../errors.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type {
  ColumnDefinition,
  ForeignKeyDefinition,
  IndexDefinition,
  TableDefinition,
} from '../../schema/layout/table.ts';
import type { DdlDialect } from '../../sql/ddl.ts';
import { id, render, type Sql, sql } from '../../sql/fragment.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import type { ExistingIndex, ExistingTable, MissingIndex } from './schema-engine.ts';

export interface MigrationPlan {
  readonly tables: readonly TableDefinition[];
  readonly columns: readonly {
    readonly table: string;
    readonly column: ColumnDefinition;
    readonly foreignKey: ForeignKeyDefinition | undefined;
  }[];
  readonly indexes: readonly MissingIndex[];
  /** Tables whose totals are not stored yet. */
  readonly totals: readonly string[];
  /** Indexes that others have replaced. */
  readonly retired: readonly string[];
  /** Sentences about differences that are left as they are. */
  readonly warnings: readonly string[];
}

/**
 * What a database lacks of the wanted tables. Tables, columns and indexes are identified by name; an index with another
 * name on the same columns suffices. Nothing existing is changed: a column of another type is a warning.
 */
export function planMigration(
  wanted: readonly TableDefinition[],
  existing: ReadonlyMap<string, ExistingTable>,
  dialect: DdlDialect,
): MigrationPlan {
  const plan = {
    tables: [] as TableDefinition[],
    columns: [] as MigrationPlan['columns'][number][],
    indexes: [] as MissingIndex[],
    totals: [] as string[],
    retired: [] as string[],
    warnings: [] as string[],
  };
  for (const table of wanted) {
    const found = existing.get(table.name);
    if (table.keepsTotals && !found?.keepsTotals) plan.totals.push(table.name);
    const [needed, doubled] = toldApart(table.indexes, dialect);
    if (!found) {
      refuseOtherCase(table, existing);
      plan.tables.push({ ...table, indexes: needed });
      continue;
    }
    const types = new Map(found.columns.map((column) => [column.name, column.type]));
    for (const column of table.columns) {
      const type = types.get(column.name);
      if (type === undefined) {
        const other = found.columns.find(({ name }) => name.toLowerCase() === column.name.toLowerCase());
        if (other) {
          throw new UsageError(
            `table ${table.name} of the database has the column "${other.name}" where the schema expects ${column.name}: rename it with ${text(sql`alter table ${id(table.name)} rename column ${id(other.name)} to ${id(column.name)}`)}`,
            1,
          );
        }
        const foreignKey = table.foreignKeys.find((key) => key.column === column.name);
        plan.columns.push({ table: table.name, column, foreignKey });
      } else if (!dialect.sameType(column.type, type)) {
        const expected = column.type === 'increments' ? 'integer' : dialect.columnType(column.type);
        plan.warnings.push(`column ${column.name} of table ${table.name} is ${type}, the schema expects ${expected}`);
      }
    }
    const has = (index: IndexDefinition): boolean =>
      found.indexes.some((other) => other.name === index.name || sameIndex(other, index, dialect));
    const dispensable = doubled.filter(({ twin }) => has(twin)).map(({ index }) => index);
    const retired = found.indexes.filter(
      (index) => table.retiredIndexes?.includes(index.name) || dispensable.some((one) => isCopy(index, one)),
    );
    plan.retired.push(...retired.map(({ name }) => name));
    for (const index of needed) if (!has(index)) plan.indexes.push({ table: table.name, index });
  }
  return plan;
}

/** @throws UsageError for a content table whose name differs in case: the schema would get an empty one beside it. */
function refuseOtherCase({ name }: TableDefinition, existing: ReadonlyMap<string, ExistingTable>): void {
  const other = [...existing.values()].find(
    (table) =>
      table.name.toLowerCase() === name.toLowerCase() && table.columns.some((column) => column.name === 'document_id'),
  );
  if (!other) return;
  throw new UsageError(
    `the database has the table "${other.name}" where the schema expects ${name}: rename it with ${text(sql`alter table ${id(other.name)} rename to ${id(name)}`)}`,
    1,
  );
}

const text = (statement: Sql): string => render(statement, String).text;

/**
 * Whether an existing index serves as a wanted one. Partial indexes and those with descending columns are identified
 * only by name, because neither is compared.
 */
function sameIndex(found: ExistingIndex, wanted: IndexDefinition, { byCodePoint }: DdlDialect): boolean {
  const { whereNotNull, whereNull, descending, ordered = [] } = wanted;
  if (found.partial || whereNotNull !== undefined || whereNull !== undefined || descending) return false;
  if (byCodePoint && ordered.join('\0') !== (found.ordered ?? []).join('\0')) return false;
  return found.unique === wanted.unique && found.columns.join('\0') === wanted.columns.join('\0');
}

interface Doubled {
  readonly index: IndexDefinition;
  readonly twin: IndexDefinition;
}

/** Separates the indexes that duplicate another one, on an engine where every index is ordered by code point. */
function toldApart(
  indexes: readonly IndexDefinition[],
  { byCodePoint }: DdlDialect,
): [needed: readonly IndexDefinition[], doubled: readonly Doubled[]] {
  const doubled = indexes.flatMap((index): Doubled[] => {
    if (!index.ordered || byCodePoint) return [];
    const twin = indexes.find((other) => !other.ordered && keysOf(other) === keysOf(index));
    return twin ? [{ index, twin }] : [];
  });
  return [indexes.filter((index) => !doubled.some((one) => one.index === index)), doubled];
}

/** Whether an index is Galley's own, and not another index with the same name. */
function isCopy(found: ExistingIndex, { name, columns, whereNotNull, whereNull }: IndexDefinition): boolean {
  const isPartial = whereNotNull !== undefined || whereNull !== undefined;
  return (
    found.name === name && found.columns.join('\0') === columns.join('\0') && (found.partial ?? false) === isPartial
  );
}

const keysOf = ({ columns, unique, descending, whereNotNull, whereNull }: IndexDefinition): string =>
  JSON.stringify([columns, unique, descending, whereNotNull, whereNull]);

/** The warning that the rows of a table contradict a unique index. */
export const contradiction = ({ table, index }: MissingIndex): string =>
  `unique index ${index.name} was not created: rows of ${table} have the same ${index.columns.join(', ')}`;

/** Whether a plan adds only indexes of Galley's own and stored totals, which only improve speed. */
export function isDispensable({ tables, columns, indexes }: MigrationPlan): boolean {
  return tables.length + columns.length === 0 && indexes.every(({ index }) => isOwn(index));
}

/** Whether an index only improves speed and is not created by the reference. */
export const isOwn = ({ name, unique }: IndexDefinition): boolean => name.startsWith('galley_') && !unique;

/** Whether a plan leaves nothing to do. */
export function isComplete({ tables, columns, indexes, totals }: MigrationPlan): boolean {
  return tables.length + columns.length + indexes.length + totals.length === 0;
}

/**
 * Refuses databases that contain something else under the names of the schema.
 *
 * @throws UsageError naming the table that is not what its name says, or a database of Strapi 4, which only Strapi 5
 * itself can migrate.
 */
export function refuseUnknownLayout(
  layout: Layout,
  existing: ReadonlyMap<string, ExistingTable>,
  isVersion5: boolean,
): void {
  for (const table of layout.tables) {
    const found = existing.get(table.name);
    if (!found) continue;
    const columns = new Set(found.columns.map((column) => column.name));
    const needed = table.columns.some((column) => column.name === 'document_id') ? ['id', 'document_id'] : ['id'];
    const missing = needed.find((column) => !columns.has(column));
    if (missing === undefined && isVersion5) continue;
    throw new UsageError(
      missing === undefined || hasVersion4Marks(existing)
        ? `the database contains ${table.name} but is not laid out as in Strapi 5 (the migrations of version 5 are not recorded in it): migrate it with Strapi 5 first, or use an empty database`
        : `table ${table.name} of the database lacks the column ${missing}: it belongs to another program; use another database or another collectionName`,
      1,
    );
  }
}

function hasVersion4Marks(existing: ReadonlyMap<string, ExistingTable>): boolean {
  return existing.has(CORE_STORE_TABLE) || existing.has('strapi_migrations');
}
