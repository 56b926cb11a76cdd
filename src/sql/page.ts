/**
 * Pages of lists in the order of an index. Two indexes have the order of ids: that of all ids, and that of a locale's.
 * A planner that plans without the values assumes that all locales are equally common, and may read all rows to find a
 * page of a rare one. So the statement first looks up how many rows the locales have.
 */
import { KEYS } from '../plan/range.ts';
import type { Member, PlanOrder, ReadPlan, RowTest } from '../plan/read-plan.ts';
import { all, type Compiler, col } from './compiler.ts';
import { id, join, raw, type Sql, slot, sql } from './fragment.ts';
import { compileOrdering, directed } from './order.ts';
import { compileVisible } from './rows.ts';
import { compileIsRare } from './totals.ts';

type List = NonNullable<ReadPlan['list']>;

/** The rows of a list: their FROM clause, and the conditions on them. */
interface Rows {
  readonly row: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
}

/**
 * Compiles a query of a page's rows, in order.
 *
 * @param columns the required columns of the rows, including their ids.
 */
export function compilePageRows(c: Compiler, plan: ReadPlan, list: List, rows: Rows, columns: Sql): Sql {
  const { row, from, where } = rows;
  const { keys, joins } = compileOrdering(c, { row, table: plan.table }, list.order);
  const order = join([...directed(c, keys), col(row, 'id')], ', ');
  const page = (limit: Sql): Sql =>
    sql`select ${columns} from ${from}${joins} where ${all(where)} order by ${order} ${c.dialect.limit(limit, slot(list.offset))}`;
  const rare = compileRareLocales(c, plan, list, row);
  if (!rare) return page(slot(list.limit));
  const ofRare = sql`select ${columns} from ${rare.rows(rare.ifSo(sumOf(c, list)))} order by ${rare.order} ${c.dialect.limit(rare.ifSo(slot(list.limit)), slot(list.offset))}`;
  const [one, two, found] = [c.aliases.next(), c.aliases.next(), c.aliases.next()];
  const both = sql`select * from (${ofRare}) ${one} union all select * from (${page(rare.ifNot(slot(list.limit)))}) ${two}`;
  return sql`select * from (${both}) ${found} order by ${rare.orderOf(found)}`;
}

/** How the index of the locale finds the rows of rare locales. */
export interface RareLocales {
  /** The rows for a FROM clause: of several locales, so many of each. */
  rows(most: Sql): Sql;
  readonly order: Sql;
  /** Their order by a column of ids. */
  orderOf(found: Sql): Sql;
  /**
   * The number if the locales are rare, otherwise none (`ifNot`: vice versa): of two ways to find the page, one finds
   * nothing.
   */
  ifSo(size: Sql): Sql;
  ifNot(size: Sql): Sql;
}

/**
 * Compiles the query by the index of locales, for lists of all rows of some locales in the order of ids, in either
 * direction, if the locales may be rare; undefined otherwise.
 *
 * @param after the slot of the id after which the page begins.
 */
export function compileRareLocales(
  c: Compiler,
  { table, tests }: ReadPlan,
  { isKept, order }: List,
  row: Sql,
  after?: number,
): RareLocales | undefined {
  const { dialect, common } = c;
  const { inIndexOrder } = dialect.planner;
  const locales = tests.filter((test): test is LocaleTest => test.kind === 'locale');
  if (!inIndexOrder || !isKept || !isOfIds(order) || locales.length === 0) return undefined;
  const descending = order[0]?.descending === true;
  const isRare = sql`(select "v" from ${common.add(sql`select ${compileIsRare(dialect, table, tests)} as "v"`)})`;
  const others = tests.filter(({ kind }) => KEYS.has(kind) && kind !== 'locale');
  const behind = after === undefined ? undefined : dialect.value(slot(after), 'id');
  const of = (code: Sql, one: Sql): Sql => {
    const ofLocale = inIndexOrder(col(one, 'locale'), col(one, 'id'), code, { descending, after: behind });
    const where = all([...compileVisible(c, one, { tests: others, rows: undefined }, false), ofLocale]);
    return sql`${id(table)} ${one} where ${where}`;
  };
  const direction = raw(descending ? ' desc' : '');
  const orderOf = (one: Sql): Sql => sql`${col(one, 'id')}${direction}`;
  const byLocale = (one: Sql): Sql => sql`${col(one, 'locale')}${direction}, ${orderOf(one)}`;
  const [first, ...rest] = locales.map(({ slots }) => slots.map((code) => dialect.value(slot(code), 'text')));
  const isOne = first!.length === 1 && rest.length === 0;
  return {
    rows(most) {
      if (isOne) return of(first![0]!, row);
      // from the index for each locale, and each locale once
      const [code, listed] = [c.aliases.next(), c.aliases.next()];
      const value = col(code, 'v');
      const named = join(
        first!.map((text) => sql`(${text})`),
        ', ',
      );
      const inAll = rest.map((codes) => sql` and "v" in (${join(codes, ', ')})`);
      const codes = sql`(select distinct "v" from (values ${named}) ${listed}("v") where true${join(inAll, '')}) ${code}`;
      const inner = c.aliases.next();
      const found = sql`select ${inner}.* from ${of(value, inner)} order by ${byLocale(inner)} ${dialect.limit(most, raw('0'))}`;
      return sql`${codes} cross join lateral (${found}) ${row}`;
    },
    order: isOne ? byLocale(row) : orderOf(row),
    orderOf,
    ifSo: (size) => sql`(case when ${isRare} then ${dialect.value(size, 'integer')} else 0 end)`,
    ifNot: (size) => sql`(case when ${isRare} then 0 else ${dialect.value(size, 'integer')} end)`,
  };
}

type LocaleTest = Extract<RowTest, { kind: 'locale' }>;

/** Whether rows are sorted by their ids: keys after the id order nothing. */
function isOfIds(order: readonly PlanOrder[]): boolean {
  return order.every(({ targets }) => targets.length === 0) && (order.length === 0 || order[0]!.type === 'id');
}

/** The number of rows from which the page is taken. */
function sumOf({ dialect }: Compiler, { limit, offset }: List): Sql {
  return sql`(${dialect.value(slot(limit), 'integer')} + ${dialect.value(slot(offset), 'integer')})`;
}

/** The columns of a page's rows from which members of the answer are built. */
export function columnList(members: readonly Member[], row: Sql): Sql {
  return join(
    columnsOf(members).map((column) => col(row, column)),
    ', ',
  );
}

/** The columns of a row that its members read, and those by which populated rows are found. */
function columnsOf(members: readonly Member[]): string[] {
  const columns = new Set(['id']);
  for (const member of members) {
    if (member.kind === 'column') columns.add(member.column);
    else if (member.kind === 'address') columns.add(member.column).add(member.file.providerColumn);
    else if (member.kind === 'signed') columns.add(member.file.providerColumn).add(member.file.urlColumn);
    else if (member.kind === 'related' && member.target.step.kind === 'ownColumn')
      columns.add(member.target.step.column);
    else if (member.kind === 'related' && member.target.step.kind === 'localizations') {
      columns.add('document_id').add('locale');
    } else if (member.kind === 'parts' && member.source.kind === 'morphColumns') {
      columns.add(member.source.id).add(member.source.type);
    }
  }
  return [...columns];
}
