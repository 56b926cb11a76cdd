/**
 * What a read lacks, in words: what would serve it (`plan/index-advice.ts`), as far as the engine says that it goes
 * without, on tables that are large enough for it to matter.
 */
import type { EnginePlan, ExistingIndex, ExistingTable, Handled } from '../../db/migration/schema-engine.ts';
import type { Advice, IndexAdvice, Unserved } from '../../plan/index-advice.ts';
import type { ReadPlan } from '../../plan/read-plan.ts';
import { remedyOf, type Searching } from './searching.ts';

/** Rows below which reading or sorting all of them takes a few milliseconds. */
export const MANY = 10_000;

/** A read that was looked into. */
export interface Examined {
  readonly plan: ReadPlan;
  readonly advice: Advice;
  readonly searching: Searching;
  readonly engine: Pick<EnginePlan, 'scans' | 'sorts' | 'sizes' | 'collation'>;
  /** Tables with their indexes. */
  readonly existing: ReadonlyMap<string, ExistingTable>;
  /** The rows that it gave; undefined where it was stopped. */
  readonly rows: number | undefined;
  /** The total of a list; undefined where it was not counted. */
  readonly total: number | undefined;
  readonly page: { readonly limit: number; readonly offset: number } | undefined;
}

/** A number of rows, and whether it is known or at most so many. */
interface Amount {
  readonly table: string;
  readonly rows: number;
  readonly isKnown: boolean;
}

/** Sentences, the most important first; none where nothing is missing. */
export function missing(examined: Examined): string[] {
  const { plan, advice, engine, existing, total, page } = examined;
  const sentences: string[] = [];
  for (const index of advice.indexes) {
    const sorted = isForOrder(index) ? sortedOf(examined, index.table) : undefined;
    const read = scannedOf(examined, index.table);
    const remedy = `(${indexText(index, engine.collation)})`;
    if (isMany(sorted)) {
      const by = listed(keysOf(index));
      sentences.push(`no index serves the order by ${by}: ${amount(sorted)} of ${index.table} are sorted ${remedy}`);
    } else if (isMany(read) && !isRangeOf(plan, index) && foundBy(index).some((name) => name !== 'id')) {
      const by = listed(foundBy(index));
      const unused = unusedIndex(existing.get(index.table), index, engine.collation);
      sentences.push(
        unused === undefined
          ? `no index finds ${index.table} by ${by}: ${amount(read)} are read ${remedy}`
          : `the database does not use the index ${unused} to find ${index.table} by ${by}: ${amount(read)} are read`,
      );
    }
  }
  for (const part of advice.unserved) {
    // of two ways, the engine's plan may not tell which is gone
    if (part.kind === 'search' && plan.search && !part.isRelated && (mostOf(engine.scans, part.table) ?? 0) < MANY)
      continue;
    // an order is worked out for the rows that are listed, wherever its keys are
    const handled =
      part.use === 'order'
        ? sortedOf(examined, plan.table)
        : (scannedOf(examined, part.table) ?? scannedOf(examined, plan.table));
    if (isMany(handled)) sentences.push(unservedText(part, handled, examined));
  }
  if (plan.list?.total === 'counted' && total !== undefined && total >= MANY) {
    sentences.push(`the total counts ${count(total)}: ask without it (pagination[withCount]=false)`);
  }
  if (page && page.offset >= MANY) {
    sentences.push(`the page comes after ${count(page.offset)}, which are passed over one by one`);
  }
  return [...new Set(sentences)];
}

/** How many rows of a table are read to find some of them; undefined for none, and where that cannot be told. */
function scannedOf(examined: Examined, table: string): Amount | undefined {
  const { plan, engine, rows, page } = examined;
  const known = mostOf(engine.scans, table);
  if (known !== undefined) return { table, rows: known, isKnown: true };
  const isSorted = hasAny(engine.sorts, plan.table);
  // with a page that is full the rest may not have been looked at
  if (plan.list && plan.list.total !== 'counted' && !isSorted && rows === page?.limit) return undefined;
  const size = hasAny(engine.scans, table) ? engine.sizes.get(table) : undefined;
  return size === undefined ? undefined : { table, rows: size, isKnown: true };
}

/** How many rows of a table are sorted. */
function sortedOf(examined: Examined, table: string): Amount | undefined {
  const { plan, engine, rows, total, page } = examined;
  if (!hasAny(engine.sorts, table)) return undefined;
  const known = mostOf(engine.sorts, table);
  if (known !== undefined) return { table, rows: known, isKnown: true };
  const isLast = rows !== undefined && page !== undefined && rows < page.limit && (rows > 0 || page.offset === 0);
  const found = total ?? (isLast ? page.offset + rows : undefined);
  if (table === plan.table && found !== undefined) return { table, rows: found, isKnown: true };
  const size = engine.sizes.get(table);
  // what is sorted has to be found first: all of it, where it is not looked up
  return size === undefined ? undefined : { table, rows: size, isKnown: hasAny(engine.scans, table) };
}

function unservedText(part: Unserved, handled: Amount, { plan, searching }: Examined): string {
  const { kind, use, table, names } = part;
  const what = listed(names);
  const all = `${amount(handled)} of ${handled.table}`;
  if (use === 'order') {
    const why = {
      relation: `goes through a relation to ${table}`,
      long: 'may be too long for an index',
      beyond: 'has more keys than an index should have',
    }[kind as 'relation' | 'long' | 'beyond'];
    return `the order by ${what} ${why}: ${amount(handled)} are sorted`;
  }
  switch (kind) {
    case 'search':
      return plan.search && !part.isRelated
        ? `many ${table} contain what is looked for in ${what}, search index or not: ${all} are read`
        : `looking for a piece of text reads every ${what}: ${all}${remedyOf(part, searching)}`;
    case 'folded':
      return `comparing ${what} without case reads every one: ${all}; $eq can use an index`;
    case 'negation':
      return `a filter that leaves out values of ${what} is tested on each row: ${all}`;
    case 'or':
      return `alternatives${names.length > 0 ? ` on ${what}` : ''} are tested on each row: ${all}`;
    case 'relation':
      return `the filter on related ${table}${names.length > 0 ? ` by ${what}` : ''} is tested on each row: ${all}`;
    case 'long':
      return `${what} may be too long for an index, so that it is compared on each row: ${all}`;
    case 'cohort':
      return `publicationFilter compares each row with the other version of its document: ${all}`;
    case 'beyond':
      return `${what} ${names.length > 1 ? 'are' : 'is'} tested on each row that is read: ${all}`;
  }
}

const isMany = (handled: Amount | undefined): handled is Amount => handled !== undefined && handled.rows >= MANY;

/** The keys without the tie-breaker. */
const keysOf = ({ reason }: IndexAdvice): readonly string[] => reason.order.filter((name) => name !== 'id');
/** Whether an index is for an order that is not that of the primary key. */
const isForOrder = (index: IndexAdvice): boolean => keysOf(index).length > 0;
/** Whether an index is for a range that the statement looks for in one by itself. */
const isRangeOf = ({ range }: ReadPlan, { columns }: IndexAdvice): boolean =>
  range !== undefined && columns.includes(range.column);
const foundBy = ({ reason }: IndexAdvice): string[] => [
  ...reason.equality,
  ...(reason.range === undefined ? [] : [reason.range]),
];
/** The name of an index that is there and begins with the columns of one that only finds rows, in the same order of texts. */
function unusedIndex(
  table: ExistingTable | undefined,
  { columns, ordered, reason }: IndexAdvice,
  collation: string | undefined,
): string | undefined {
  if (reason.order.some((name) => name !== 'id')) return undefined;
  const wanted = columns.slice(0, -1);
  const isAlike = ({ ordered: own = [] }: ExistingIndex, column: string): boolean =>
    collation === undefined || own.includes(column) === ordered.includes(column);
  const begins = (index: ExistingIndex): boolean =>
    wanted.every((column, n) => index.columns[n] === column && isAlike(index, column));
  return table?.indexes.find(begins)?.name;
}

const hasAny = (handled: readonly Handled[], table: string): boolean => handled.some((one) => one.table === table);

/** The most rows of a table that one step handles, as far as the engine says. */
function mostOf(handled: readonly Handled[], table: string): number | undefined {
  const known = handled.flatMap((one) => (one.table === table && one.rows !== undefined ? [one.rows] : []));
  return known.length === 0 ? undefined : Math.max(...known);
}

/** `index on articles: locale, title collate "C" desc, id, of published rows`. */
function indexText({ table, columns, descending, ordered, where }: IndexAdvice, collation: string | undefined): string {
  const written = columns.map((column) => {
    const collated = collation !== undefined && ordered.includes(column) ? ` collate ${collation}` : '';
    return `${column}${collated}${descending.includes(column) ? ' desc' : ''}`;
  });
  return `index on ${table}: ${written.join(', ')}${where === undefined ? '' : `, of ${where} rows`}`;
}

/** `1,000,000 rows`. */
export const count = (rows: number): string => `${rows.toLocaleString('en-US')} row${rows === 1 ? '' : 's'}`;

const amount = ({ rows, isKnown }: Amount): string => `${isKnown ? '' : 'up to '}${count(rows)}`;

const listed = (names: readonly string[]): string => names.join(', ');
