/**
 * Pages of lists in the order of an index. In the order of ids there are two that have it: that of all ids, and that of a
 * locale's. A planner that plans without the values takes every locale to be as common as the next, and may read all rows
 * until it has found a page of one that few rows have. So the statement looks first how many there are.
 */
import { KEYS } from '../plan/range.ts';
import type { Member, ReadPlan, RowTest } from '../plan/read-plan.ts';
import { all, type Compiler, col } from './compiler.ts';
import { join, type Sql, slot, sql } from './fragment.ts';
import { compileOrdering, directed } from './order.ts';
import { compileThere } from './rows.ts';
import { compileIsRare } from './totals.ts';

type List = NonNullable<ReadPlan['list']>;

/** The rows of a list, as they stand in a FROM clause, and the conditions on them. */
interface Rows {
  readonly row: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
}

/**
 * Compiles a query of a page's rows, in their order.
 *
 * @param columns what the page needs of its rows, their ids among it.
 */
export function compilePageRows(c: Compiler, plan: ReadPlan, list: List, rows: Rows, columns: Sql): Sql {
  const { row, from, where } = rows;
  const { keys, joins } = compileOrdering(c, { row, table: plan.table }, list.order);
  const order = join([...directed(c, keys), col(row, 'id')], ', ');
  const page = (limit: Sql): Sql =>
    sql`select ${columns} from ${from}${joins} where ${all(where)} order by ${order} ${c.dialect.limit(limit, slot(list.offset))}`;
  const rare = compileRareLocale(c, plan, list, row);
  if (!rare) return page(slot(list.limit));
  const ofRare = sql`select ${columns} from ${from} where ${rare.where} order by ${rare.order} ${c.dialect.limit(rare.ifSo(list.limit), slot(list.offset))}`;
  const [one, two, found] = [c.aliases.next(), c.aliases.next(), c.aliases.next()];
  const both = sql`select * from (${ofRare}) ${one} union all select * from (${page(rare.ifNot(list.limit))}) ${two}`;
  return sql`select * from (${both}) ${found} order by ${col(found, 'id')}`;
}

/** How the rows of a locale that few rows have are found by the index of the locale. */
export interface RareLocale {
  /** What the rows must be, and their order. */
  readonly where: Sql;
  readonly order: Sql;
  /** The number in a slot, or none: of the two ways to find a page one is told to find nothing. */
  ifSo(size: number): Sql;
  ifNot(size: number): Sql;
}

/**
 * Compiles the way by the index of a list's locale, where all of the locale is listed in the order of ids and few rows may
 * have it; undefined otherwise.
 *
 * @param after the slot of the id that a page is behind.
 */
export function compileRareLocale(
  c: Compiler,
  { table, tests }: ReadPlan,
  { isKept, order }: List,
  row: Sql,
  after?: number,
): RareLocale | undefined {
  const { dialect, common } = c;
  const { ofOneText } = dialect;
  const locale = tests.find((test): test is Extract<RowTest, { kind: 'locale' }> => test.kind === 'locale');
  if (!ofOneText || !isKept || order.length > 0 || locale?.slots.length !== 1) return undefined;
  const isRare = sql`(select "v" from ${common.add(sql`select ${compileIsRare(dialect, table, tests)} as "v"`)})`;
  const [rowId, code] = [col(row, 'id'), col(row, 'locale')];
  const others = tests.filter(({ kind }) => KEYS.has(kind) && kind !== 'locale');
  const behind = after === undefined ? undefined : dialect.value(slot(after), 'id');
  const ofLocale = ofOneText(code, rowId, dialect.value(slot(locale.slots[0]!), 'text'), behind);
  const count = (size: number): Sql => dialect.value(slot(size), 'integer');
  return {
    where: all([...compileThere(c, row, { tests: others, rows: undefined }, false), ofLocale]),
    order: sql`${code}, ${rowId}`,
    ifSo: (size) => sql`(case when ${isRare} then ${count(size)} else 0 end)`,
    ifNot: (size) => sql`(case when ${isRare} then 0 else ${count(size)} end)`,
  };
}

/** The columns of a page's rows that members of the answer are made from. */
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
