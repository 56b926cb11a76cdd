/**
 * Advice for faster reads: that of `plan/index-advice.ts` if the engine's plan shows that the index is missing, on
 * tables that are large enough to matter.
 */
import type { Advice, IndexAdvice, Unserved } from '../../plan/index-advice.ts';
import type { ReadPlan } from '../../plan/read-plan.ts';
import { searchedPieces } from '../../plan/search.ts';
import { isSearched } from '../../schema/layout/column-types.ts';
import type { TableDefinition } from '../../schema/layout/table.ts';
import type { TextSearch } from '../../sql/dialect.ts';
import type { Read, ReadOrigin } from '../interface/database.ts';
import type { Finding, MissingIndex } from '../interface/read-tuning.ts';
import type { EnginePlan, ExistingIndex, ExistingTable, Handled } from '../migration/schema-engine.ts';

/** Reading or sorting fewer rows takes only a few milliseconds. */
export const MANY = 10_000;

/** A read with everything that is known about it. */
export interface Examined {
  readonly plan: ReadPlan;
  readonly advice: Advice;
  readonly searching: Searching;
  readonly engine: Pick<EnginePlan, 'scans' | 'sorts' | 'sizes' | 'collation'>;
  /** Tables with their indexes. */
  readonly existing: ReadonlyMap<string, ExistingTable>;
  /** The rows of the answer; undefined if the read was stopped. */
  readonly rows: number | undefined;
  /** The total of a list; undefined if it was not counted. */
  readonly total: number | undefined;
  readonly page: { readonly limit: number; readonly offset: number } | undefined;
}

/** A number of rows, exact or an upper bound. */
interface Amount {
  readonly table: string;
  readonly rows: number;
  readonly isExact: boolean;
}

/** What is missing, the most important first. */
export function findings(examined: Examined): Finding[] {
  const { plan, advice, engine, existing, total, page } = examined;
  const found: Finding[] = [];
  for (const index of advice.indexes) {
    const sorted = isForOrder(index) ? sortedOf(examined, index.table) : undefined;
    const read = scannedOf(examined, index.table);
    const remedy = `(${indexText(index, engine.collation)})`;
    const isOfFound = engine.sorts.some((one) => one.table === index.table && one.isOfFound);
    if (isMany(sorted) && !isOfFound) {
      const names = keysOf(index);
      const text = `no index serves the order by ${listed(names)}: ${amount(sorted)} of ${index.table} are sorted ${remedy}`;
      found.push({ kind: 'order', names, ...sorted, index: missingIndex(index), text });
    } else if (isMany(read) && !isRangeOf(plan, index) && foundBy(index).some((name) => name !== 'id')) {
      const names = foundBy(index);
      const unused = unusedIndex(existing.get(index.table), index, engine.collation);
      found.push(
        unused === undefined
          ? {
              ...{ kind: 'filter', names, ...read, index: missingIndex(index) },
              text: `no index finds ${index.table} by ${listed(names)}: ${amount(read)} are read ${remedy}`,
            }
          : {
              ...{ kind: 'unused', names, ...read, unused },
              text: `the database does not use the index ${unused} to find ${index.table} by ${listed(names)}: ${amount(read)} are read`,
            },
      );
    } else if (isMany(sorted)) {
      const names = keysOf(index);
      const text = `the order by ${listed(names)} sorts all rows that the filter finds, for the total: ${amount(sorted)} of ${index.table}`;
      found.push({ kind: 'order.found', names, ...sorted, text });
    }
  }
  for (const part of advice.unserved) {
    // the engine's plan may not show which of two ways it took
    if (part.kind === 'search' && plan.search && !part.isRelated && (mostOf(engine.scans, part.table) ?? 0) < MANY)
      continue;
    // the listed rows are sorted, also if the keys are on another table
    const handled =
      part.use === 'order'
        ? sortedOf(examined, plan.table)
        : (scannedOf(examined, part.table) ?? scannedOf(examined, plan.table));
    if (!isMany(handled)) continue;
    const { kind, use, names } = part;
    const index = searchIndexOf(part, examined);
    const text = unservedText(part, handled, examined);
    found.push({ kind: `${use}.${kind}`, names, ...handled, ...(index ? { index } : {}), text });
  }
  const none = { names: [], table: plan.table, isExact: true };
  if (plan.list?.total === 'counted' && total !== undefined && total >= MANY) {
    const text = `the total counts ${count(total)}: ask without it (pagination[withCount]=false)`;
    found.push({ kind: 'total', ...none, rows: total, text });
  }
  if (page && page.offset >= MANY) {
    const text = `the page comes after ${count(page.offset)}, which the database skips one by one`;
    found.push({ kind: 'page', ...none, rows: page.offset, text });
  }
  return found.filter(({ text }, at) => found.findIndex((other) => other.text === text) === at);
}

/** Sentences, the most important first; none if nothing is missing. */
export const missing = (examined: Examined): string[] => findings(examined).map(({ text }) => text);

function missingIndex({ table, columns, descending, ordered, where }: IndexAdvice): MissingIndex {
  return { table, columns, descending, ordered, rows: where ?? null, search: false };
}

/** The search index that would serve a search; undefined if none can, or it exists. */
function searchIndexOf(part: Unserved, { plan, searching }: Examined): MissingIndex | undefined {
  if (part.kind !== 'search' || part.use !== 'filter' || (plan.search && !part.isRelated)) return undefined;
  const columns = lackingColumns(part, searching);
  if (columns.length === 0) return undefined;
  return { table: part.table, columns, descending: [], ordered: [], rows: null, search: true };
}

/** The rows of a table that are read to find some of them; undefined for none, and if unknown. */
function scannedOf(examined: Examined, table: string): Amount | undefined {
  const { plan, engine, rows, page } = examined;
  const reported = mostOf(engine.scans, table);
  if (reported !== undefined) return { table, rows: reported, isExact: true };
  const isSorted = hasAny(engine.sorts, plan.table);
  // the rest may not have been read for a full page
  if (plan.list && plan.list.total !== 'counted' && !isSorted && rows === page?.limit) return undefined;
  const size = hasAny(engine.scans, table) ? engine.sizes.get(table) : undefined;
  return size === undefined ? undefined : { table, rows: size, isExact: true };
}

/** The rows of a table that are sorted. */
function sortedOf(examined: Examined, table: string): Amount | undefined {
  const { plan, engine, rows, total, page } = examined;
  if (!hasAny(engine.sorts, table)) return undefined;
  const reported = mostOf(engine.sorts, table);
  if (reported !== undefined) return { table, rows: reported, isExact: true };
  const isLast = rows !== undefined && page !== undefined && rows < page.limit && (rows > 0 || page.offset === 0);
  const sorted = total ?? (isLast ? page.offset + rows : undefined);
  if (table === plan.table && sorted !== undefined) return { table, rows: sorted, isExact: true };
  const size = engine.sizes.get(table);
  // without an index all rows are read and sorted
  return size === undefined ? undefined : { table, rows: size, isExact: hasAny(engine.scans, table) };
}

function unservedText(part: Unserved, handled: Amount, { plan, searching }: Examined): string {
  const { kind, use, table, names } = part;
  const columns = listed(names);
  const all = `${amount(handled)} of ${handled.table}`;
  if (use === 'order') {
    const why = {
      relation: `goes through a relation to ${table}`,
      long: 'may be too long for an index',
      beyond: 'has more keys than an index should have',
    }[kind as 'relation' | 'long' | 'beyond'];
    return `the order by ${columns} ${why}: ${amount(handled)} are sorted`;
  }
  switch (kind) {
    case 'search':
      return plan.search && !part.isRelated
        ? `many ${table} match the search in ${columns}, with or without a search index: ${all} are read`
        : `a search for a piece of text reads every ${columns}: ${all}${remedyOf(part, searching)}`;
    case 'folded':
      return `comparing ${columns} without case reads every one: ${all}; $eq can use an index`;
    case 'negation':
      return `a filter that excludes values of ${columns} is tested on each row: ${all}`;
    case 'or':
      return `alternatives${names.length > 0 ? ` on ${columns}` : ''} are tested on each row: ${all}`;
    case 'relation':
      return `the filter on related ${table}${names.length > 0 ? ` by ${columns}` : ''} is tested on each row: ${all}`;
    case 'long':
      return `${columns} may be too long for an index, and is compared on each row: ${all}`;
    case 'cohort':
      return `publicationFilter compares each row with the other version of its document: ${all}`;
    case 'beyond':
      return `${columns} ${names.length > 1 ? 'are' : 'is'} tested on each row that is read: ${all}`;
  }
}

const isMany = (handled: Amount | undefined): handled is Amount => handled !== undefined && handled.rows >= MANY;

/** The keys without the tie-breaker. */
const keysOf = ({ reason }: IndexAdvice): readonly string[] => reason.order.filter((name) => name !== 'id');
/** Whether an index serves an order other than that of the primary key. */
const isForOrder = (index: IndexAdvice): boolean => keysOf(index).length > 0;
/** Whether an index serves a range that the statement looks up separately. */
const isRangeOf = ({ range }: ReadPlan, { columns }: IndexAdvice): boolean =>
  range !== undefined && columns.includes(range.column);
const foundBy = ({ reason }: IndexAdvice): string[] => [
  ...reason.equality,
  ...(reason.range === undefined ? [] : [reason.range]),
];
/** The name of an existing index that begins with the columns of an advised one, in the same order of texts. */
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

/** The most rows of a table that one step handles, if the engine reports them. */
function mostOf(handled: readonly Handled[], table: string): number | undefined {
  const numbers = handled.flatMap((one) => (one.table === table && one.rows !== undefined ? [one.rows] : []));
  return numbers.length === 0 ? undefined : Math.max(...numbers);
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

const amount = ({ rows, isExact }: Amount): string => `${isExact ? '' : 'up to '}${count(rows)}`;

const listed = (names: readonly string[]): string => names.join(', ');

/** The search of a read, and the search indexes of its table. */
export interface Searching {
  /** The text columns of the listed table, and those of them in search indexes. */
  readonly texts: ReadonlySet<string>;
  readonly searched: ReadonlySet<string>;
  /** Whether an index of all texts could serve the search if its words were long enough. */
  readonly isNarrowed: boolean;
  /** The searched pieces of text that are too short for an index. */
  readonly tooShort: readonly string[];
}

/** Describes the search of a read. @param searched the columns of its table in search indexes. */
export function searchingOf(
  { columns }: Pick<TableDefinition, 'columns'>,
  searched: ReadonlySet<string>,
  { plan, parameters }: ReadOrigin,
  { values }: Pick<Read, 'values'>,
  { ask }: Pick<TextSearch, 'ask'>,
): Searching {
  const texts = columns.filter(({ type }) => isSearched(type)).map(({ name }) => name);
  const pieces = searchedPieces(plan, texts);
  const words = (pieces ?? []).map(({ slot, folded }) => {
    const at = parameters.findIndex((parameter) => parameter.slot === slot);
    return { text: String(values[at] ?? ''), folded };
  });
  const tooShort = words.filter(({ text, folded }) => ask(text, folded) === undefined).map(({ text }) => text);
  return { texts: new Set(texts), searched, isNarrowed: pieces !== undefined, tooShort: [...new Set(tooShort)] };
}

/** The end of a sentence about a search: the index that would serve it, or the reason why none can. */
function remedyOf(
  { table, columns, names, isRelated }: Unserved,
  { texts, searched, isNarrowed, tooShort }: Searching,
): string {
  if (isRelated) return '; search indexes do not serve conditions on related rows';
  const others = names.filter((_, n) => !texts.has(columns[n]!));
  if (others.length > 0)
    return `; no search index serves it, as ${others.join(', ')} ${others.length > 1 ? 'are' : 'is'} not text`;
  if (!isNarrowed) return '; no search index serves it';
  if (tooShort.length > 0) {
    const pieces = tooShort.map((piece) => JSON.stringify(piece)).join(', ');
    return `; a search index cannot look up ${pieces}: an index needs three letters or digits in a row`;
  }
  const lacking = columns.filter((column) => !searched.has(column));
  return lacking.length === 0 ? '' : ` (search index on ${table}: ${lacking.join(', ')})`;
}

/** The columns of the search index that would serve a search; none if no index can. */
function lackingColumns(
  { columns, isRelated }: Unserved,
  { texts, searched, isNarrowed, tooShort }: Searching,
): string[] {
  const isServed = !isRelated && isNarrowed && tooShort.length === 0 && columns.every((column) => texts.has(column));
  return isServed ? columns.filter((column) => !searched.has(column)).sort() : [];
}
