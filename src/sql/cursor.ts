/** Pages by cursor: the rows after a position in a sorted list, and the position of their end. No rows are skipped. */
import type { PlanPosition, ReadPlan } from '../plan/read-plan.ts';
import { all, type Compiler, col } from './compiler.ts';
import { id, join, raw, type Sql, slot, sql } from './fragment.ts';
import { compileOrdering, directed, type OrderKey } from './order.ts';
import { compileRareLocales, type RareLocales } from './page.ts';

type List = NonNullable<ReadPlan['list']>;

/** The rows from which a page is taken. */
export interface CursorRows {
  readonly row: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
  /** If the rows are candidates of search indexes: the tables in front of the rows' table in the FROM clause. */
  readonly before?: Sql | undefined;
  /** The name of the common table of rows that are gathered before they are sorted. */
  readonly found: Sql;
}

/** The rows of a page, and its end. */
export interface CursorPage {
  /** A query of the ids of the rows, in order. */
  readonly ids: Sql;
  /** The keys of the last row and its id, one by one; null if nothing follows. */
  readonly end: readonly Sql[];
  /** The table of all rows of the list, if they had to be gathered. */
  readonly gathered: Sql | undefined;
}

/** The listed rows with their sort keys. */
interface Listed {
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly id: Sql;
  readonly keys: readonly OrderKey[];
  /** The table in which they were gathered; undefined if they are read in order from the table of the list. */
  readonly gathered: Sql | undefined;
}

/** Some of the rows after a position, all of which precede those of the next part. */
interface Part {
  readonly where: readonly Sql[];
  /** Whether all of them have the same leading key. */
  readonly level: boolean;
}

/** Compiles the page of a list that has a cursor. */
export function compileCursorPage(c: Compiler, plan: ReadPlan, list: List, rows: CursorRows): CursorPage {
  const { table } = plan;
  const { order, limit } = list;
  const { more, after } = list.cursor!;
  const { dialect, common } = c;
  const tests = c.budget.spent('rowTests');
  const listed = order.some(({ targets }) => targets.length > 0)
    ? ofPaths(c, list, table, rows)
    : rows.before
      ? ofCandidates(c, list, table, rows)
      : ofColumns(c, list, table, rows);
  const { keys, gathered } = listed;
  const parts = after ? partsBehind(c, listed, after, order[0]?.type === 'id') : [EVERYTHING];
  // each part repeats the conditions of the caller
  c.budget.charge('rowTests', tests * (parts.length - 1));
  const found: Sql[] = [];
  const rare = compileRareLocales(c, plan, list, rows.row, after?.id);
  if (rare) found.push(...compileEither(c, listed, parts[0]!, rare, more));
  else for (const part of parts) found.push(common.add(compilePart(c, listed, part, found, more)));
  // the page's rows and one more, with their sort keys
  const together = found.map((name) => sql`select * from ${name}`);
  const ahead = common.add(join(together, ' union all '));
  const size = dialect.value(slot(limit), 'integer');
  const [one, counted, last] = [c.aliases.next(), c.aliases.next(), c.aliases.next()];
  // the page's last row, if there is one more
  const numbered = sql`select *, count(*) over () as "n" from ${ahead}`;
  const end = common.add(
    sql`select * from (${numbered}) ${counted} where ${col(counted, 'n')} > ${size} order by ${orderOf(c, keys, counted)} ${dialect.limit(raw('1'), sql`(${size} - 1)`)}`,
  );
  const held = [
    ...keys.map(({ kind }, index) => dialect.exact(col(last, keyName(index)), kind)),
    dialect.exact(col(last, 'id'), 'id'),
  ];
  return {
    ids: sql`select ${col(one, 'id')} from ${ahead} ${one} order by ${orderOf(c, keys, one)} ${dialect.limit(slot(limit), raw('0'))}`,
    end: held.map((value) => sql`(select ${value} from ${end} ${last})`),
    gathered,
  };
}

const keyName = (index: number) => `k${index}`;

/** The id of a row and its keys, as columns. */
function keyColumns(rowId: Sql, keys: readonly OrderKey[]): Sql {
  const named = keys.map(({ value }, index) => sql`${value} as ${id(keyName(index))}`);
  return join([sql`${rowId} as "id"`, ...named], ', ');
}

/**
 * The order of rows that have such columns.
 *
 * @param from the first key that differs.
 */
function orderOf(c: Compiler, keys: readonly OrderKey[], of: Sql, from = 0): Sql {
  const held = keys.map((_, index) => col(of, keyName(index)));
  return join([...directed(c, keys, held).slice(from), col(of, 'id')], ', ');
}

/** A list that is sorted by columns of its rows. */
function ofColumns(c: Compiler, { order }: List, table: string, { row, from, where }: CursorRows): Listed {
  const { keys } = compileOrdering(c, { row, table, valued: true }, order);
  return { from, where, id: col(row, 'id'), keys, gathered: undefined };
}

/** A list of candidates of search indexes, which have no order. */
function ofCandidates(c: Compiler, { order }: List, table: string, rows: CursorRows): Listed {
  const { row, before = raw(''), from, where, found: name } = rows;
  const { keys } = compileOrdering(c, { row, table, valued: true }, order);
  const columns = keyColumns(col(row, 'id'), keys);
  const found = c.common.add(sql`select ${columns} from ${before}${from} where ${all(where)}`, name);
  return ofGathered(c, keys, found, found);
}

/** A list that is sorted through relations: no index provides its order, so the keys of all rows are computed once. */
function ofPaths(c: Compiler, { order }: List, table: string, rows: CursorRows): Listed {
  const { row, before = raw(''), from, where, found: name } = rows;
  const rowId = col(row, 'id');
  const found = c.common.add(sql`select ${rowId} as "id" from ${before}${from} where ${all(where)}`, name);
  const { keys, joins } = compileOrdering(c, { row, table, among: found, valued: true }, order);
  const one = c.aliases.next();
  const withKeys = sql`select ${keyColumns(rowId, keys)} from ${found} ${one} join ${from} on ${rowId} = ${col(one, 'id')}${joins}`;
  return ofGathered(c, keys, c.common.add(withKeys), found);
}

/** Rows in a table of their ids and keys. */
function ofGathered(c: Compiler, keys: readonly OrderKey[], table: Sql, gathered: Sql): Listed {
  const keyed = c.aliases.next();
  return {
    from: sql`${table} ${keyed}`,
    where: [],
    id: col(keyed, 'id'),
    keys: keys.map((key, index) => ({ ...key, value: col(keyed, keyName(index)) })),
    gathered,
  };
}

/** The first rows of a part: as many as the earlier parts lack. */
function compilePart(c: Compiler, listed: Listed, part: Part, before: readonly Sql[], more: number): Sql {
  const { dialect } = c;
  const { from, keys } = listed;
  // planners do not always notice that a key with one value orders nothing
  const differing = part.level ? 1 : 0;
  const order = [...directed(c, keys).slice(differing), listed.id];
  const where = all([...listed.where, ...part.where]);
  const first = sql`select ${keyColumns(listed.id, keys)} from ${from} where ${where} order by ${join(order, ', ')} ${dialect.limit(slot(more), raw('0'))}`;
  if (before.length === 0) return first;
  const found = before.map((name) => sql` - (select count(*) from ${name})`);
  const remaining = sql`(${dialect.value(slot(more), 'integer')}${join(found, '')})`;
  const one = c.aliases.next();
  // the planner cannot know the remaining number and would plan for a share of the table; the inner limit tells it more
  return sql`select * from (${first}) ${one} order by ${orderOf(c, keys, one, differing)} ${dialect.limit(remaining, raw('0'))}`;
}

/**
 * The only part of a list in the order of ids, by the index of rare locales or in the usual way: one of the two is
 * empty.
 */
function compileEither(
  c: Compiler,
  { from, id: rowId, keys, where }: Listed,
  part: Part,
  rare: RareLocales,
  more: number,
) {
  const { common, dialect } = c;
  const rows = (of: Sql, order: Sql, limit: Sql): Sql =>
    common.add(sql`select ${keyColumns(rowId, keys)} from ${of} order by ${order} ${dialect.limit(limit, raw('0'))}`);
  const size = rare.ifSo(slot(more));
  const inOrder = join([...directed(c, keys), rowId], ', ');
  return [
    rows(rare.rows(size), rare.order, size),
    rows(sql`${from} where ${all([...where, ...part.where])}`, inOrder, rare.ifNot(slot(more))),
  ];
}

const EVERYTHING: Part = { where: [], level: false };

/**
 * The parts of the rows after a position. If an index may provide the order, each part begins with a test of one or two
 * keys, which determines where it starts in the index. A single condition with alternatives would mean the same, but
 * engines would read the index from its beginning.
 *
 * @param byId whether the leading key is the id, which is unique.
 */
function partsBehind(c: Compiler, listed: Listed, after: PlanPosition, byId: boolean): Part[] {
  const [leading] = listed.keys;
  if (!leading || listed.gathered) return [{ where: [behind(c, listed, after, 0)], level: false }];
  const value = after.keys[0]!;
  const alike = value === null ? isNull(leading) : compare(c, leading, value, '=');
  const same = alternatives(c, listed, after, 1).map((where): Part => ({ where: [alike, ...where], level: true }));
  if (value === null) {
    return nullsFirst(c, leading) ? [...same, { where: [notNull(leading)], level: false }] : same;
  }
  const beyond: Part = { where: [compare(c, leading, value, 'beyond')], level: false };
  if (byId) return [beyond];
  return nullsFirst(c, leading) ? [...same, beyond] : [...same, beyond, { where: [isNull(leading)], level: true }];
}

/** A condition that a row is after a position, by its id and its keys from one on. */
function behind(c: Compiler, listed: Listed, after: PlanPosition, from: number): Sql {
  const ways = alternatives(c, listed, after, from).map((where) => sql`(${all(where)})`);
  return sql`(${join(ways, ' or ')})`;
}

/** The same condition as alternatives: the rows of each precede those of the next. */
function alternatives(c: Compiler, listed: Listed, after: PlanPosition, from: number): Sql[][] {
  const key = listed.keys[from];
  if (!key) return [[sql`${listed.id} > ${c.dialect.value(slot(after.id), 'id')}`]];
  const value = after.keys[from]!;
  const rest = behind(c, listed, after, from + 1);
  const first = nullsFirst(c, key);
  if (value === null) return first ? [[isNull(key), rest], [notNull(key)]] : [[isNull(key), rest]];
  const present = [compare(c, key, value, 'from'), sql`(${compare(c, key, value, 'beyond')} or ${rest})`];
  return first ? [present] : [present, [isNull(key)]];
}

function nullsFirst({ dialect }: Compiler, { descending }: OrderKey): boolean {
  return dialect.nullIsLeast !== descending;
}

const isNull = ({ value }: OrderKey): Sql => sql`${value} is null`;
const notNull = ({ value }: OrderKey): Sql => sql`${value} is not null`;

/** Operators by direction: ascending, descending. */
const OPERATORS = { '=': ['=', '='], from: ['>=', '<='], beyond: ['>', '<'] } as const;

function compare({ dialect }: Compiler, key: OrderKey, at: number, operator: keyof typeof OPERATORS): Sql {
  const { value, kind, descending } = key;
  const word = raw(OPERATORS[operator][descending ? 1 : 0]);
  return sql`${dialect.comparable(value, kind)} ${word} ${dialect.value(slot(at), kind)}`;
}
