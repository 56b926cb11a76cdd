/** Reads all rows of a table in canonical values, page by page in the order of their ids, in bounded memory. */
import type { CanonicalColumn, CanonicalRows, CanonicalValue } from '../../db/interface/canonical-rows.ts';
import type { Executor } from '../../db/interface/queryable.ts';
import type { Sql, SqlValue } from '../../sql/fragment.ts';
import { compileRowPage, ownColumn, textOf } from '../../sql/transfer.ts';

/** Where rows are read: a snapshot, or a transaction that sees its own writes. */
export interface RowPlace {
  readonly executor: Executor;
  readonly form: Pick<CanonicalRows, 'read' | 'canonical' | 'byCodePoint'>;
  readonly placeholder: (n: number) => string;
}

export interface RowReading extends RowPlace {
  readonly table: string;
  readonly columns: readonly CanonicalColumn[];
  /** What is selected instead of columns, by name. */
  readonly instead?: ReadonlyMap<string, Sql>;
  readonly where?: readonly Sql[];
  /** Called with a value that has no canonical form: its column, and the id of its row. It is read as null. */
  readonly onUnreadable: (column: CanonicalColumn, rowId: unknown) => void;
}

export interface Page {
  /** The ids of the rows, as the engine gives them. */
  readonly ids: readonly unknown[];
  readonly rows: readonly (readonly CanonicalValue[])[];
}

/** The rows of the first page and of the longest one, and the characters that pages aim at. */
const FIRST = 100;
const MOST = 2000;
const AIM = 2_000_000;

export async function* readPages(reading: RowReading): AsyncGenerator<Page, void, undefined> {
  const { executor, form, table, columns, instead, where = [], onUnreadable } = reading;
  const selected = columns.map(({ name, type }) => form.read(instead?.get(name) ?? ownColumn(name), type));
  const id = ownColumn('id');
  const isText = columns.some(({ name, type }) => name === 'id' && (type === 'string' || type === 'text'));
  const order = isText ? (form.byCodePoint?.(id) ?? id) : id;
  const page = (follows: boolean, limit: number) =>
    textOf(compileRowPage({ table, order, columns: selected, where, follows, limit }), reading.placeholder);
  let limit = FIRST;
  for (let last: SqlValue | undefined; ; ) {
    const found = await executor.rows(page(last !== undefined, limit), last === undefined ? [] : [last]);
    if (found.length === 0) return;
    const ids = found.map(([id]) => id);
    const rows = found.map((row) =>
      columns.map((column, n) => {
        const value = form.canonical(row[n + 1], column.type);
        if (value === undefined) onUnreadable(column, row[0]);
        return value ?? null;
      }),
    );
    yield { ids, rows };
    if (found.length < limit) return;
    last = ids.at(-1) as SqlValue;
    limit = Math.max(1, Math.min(MOST, limit * 4, Math.floor((AIM / charactersOf(rows)) * rows.length)));
  }
}

function charactersOf(rows: Page['rows']): number {
  let characters = 1;
  for (const row of rows) for (const value of row) if (typeof value === 'string') characters += value.length;
  return characters;
}
