/**
 * ReadPlan → one statement in which the database builds the JSON of the answer. A list has two columns, the JSON array
 * and (if counted) the total, and with a cursor those of the position where the page ends; a single read has one row
 * with the JSON object and the document's version, or none.
 */
import { KEYS } from '../plan/range.ts';
import type {
  FileMarks,
  IndexSearch,
  MarkedFile,
  Member,
  MemberList,
  MemberPart,
  ReadPlan,
} from '../plan/read-plan.ts';
import type { ShownPlan } from '../plan/rows.ts';
import { Budget } from '../query/budget.ts';
import { Aliases, all, CommonTables, type Compiler, col, tableOf } from './compiler.ts';
import { compileCursorPage } from './cursor.ts';
import { columnKind, type Dialect, type JsonMember, type ObjectWeight } from './dialect.ts';
import { id, join, literal, raw, type Sql, slot, sql } from './fragment.ts';
import { compileOrdering, directed, isCostly } from './order.ts';
import { columnList, compilePageRows } from './page.ts';
import { compilePreview } from './preview.ts';
import { compileRangePage } from './range.ts';
import { compileCondition, compileVisible, reach, readsOthers } from './rows.ts';
import { compileSharing, compileToOne, fromShared, isFlat, shares } from './shared-objects.ts';
import { compileKeptTotal } from './totals.ts';
import { isOneOf } from './write.ts';

/** The form of an answer. */
export interface AnswerForm {
  /** Whether to return the JSON as bytes, if the engine can. */
  readonly bytes: boolean;
  /** The most bytes of an answer. */
  readonly longest: number;
}

/**
 * Compiles a read. Pure: values stay slots.
 *
 * @param budget charged for every key of the answer's objects: a part of the plan that appears several times is written
 * out each time.
 * @throws ContentError 400 if the statement would exceed the budget.
 */
export function compileRead(dialect: Dialect, plan: ReadPlan, form: AnswerForm, budget: Budget): Sql {
  const common = new CommonTables(plan.preview !== undefined && dialect.noted !== undefined);
  const crowd = plan.list?.size === 'large' ? 'many' : 'few';
  const { longest } = form;
  const preview = plan.preview && compilePreview(dialect, common, plan.preview);
  const rest = { lists: plan.list ? 1 : 0, longest, crowd, replaced: preview?.replaced } as const;
  const c: Compiler = { dialect, aliases: new Aliases(), common, budget, ...rest };
  const statement = compileStatement(c, plan, form);
  return common.before(preview ? preview.around(statement) : statement);
}

/** Compiles the query for the ids of the shown rows among several. */
export function compileShown(dialect: Dialect, { table, ids, rows }: ShownPlan): Sql {
  const common = new CommonTables();
  const rest = { budget: new Budget(), lists: 0, longest: 0, crowd: 'few' } as const;
  const c: Compiler = { dialect, aliases: new Aliases(), common, ...rest };
  const row = c.aliases.next();
  const requested = isOneOf(dialect, col(row, 'id'), slot(ids), 'integer');
  const shown = compileVisible(c, row, { tests: [], rows }, false);
  return sql`select ${col(row, 'id')} from ${id(table)} ${row} where ${all([requested, ...shown])}`;
}

function compileStatement(c: Compiler, plan: ReadPlan, { bytes, longest }: AnswerForm): Sql {
  const { dialect } = c;
  const whole = (json: Sql): Sql => (bytes ? dialect.json.bytes(json) : json);
  const { list, search } = plan;
  if (list) {
    const columns = search
      ? compileSearched(c, plan, list, search, whole)
      : compileList(c, plan, list, compileRows(c, plan), whole);
    if (list.snapshot && dialect.snapshot) columns.push(dialect.snapshot);
    return sql`select ${join(columns, ', ')}`;
  }
  const rows = compileRows(c, plan);
  const { row, from, where } = rows;
  const object = dialect.json.bounded(whole(compileObject(c, row, plan.members)), longest);
  // a broken database may contain two rows of one variant: the older one is returned
  const columns = plan.version ? sql`${object}, ${compileVersion(c, row, plan.table, plan.version)}` : object;
  return sql`select ${columns} from ${from} where ${all(where)} order by ${col(row, 'id')} limit 1`;
}

/** The rows of a plan's table: their FROM clause, and the conditions on them. */
interface Rows {
  readonly row: Sql;
  /** The tables of candidates, in front of the table. */
  readonly before?: Sql | undefined;
  readonly from: Sql;
  readonly where: readonly Sql[];
  /** The name of the common table with the results of a filtered list. */
  readonly found: Sql;
}

/** @param known transforms the tests with which indexes of lists begin. */
function compileRows(c: Compiler, plan: ReadPlan, known = (test: Sql): Sql => test): Rows {
  const row = c.aliases.next();
  const where = plan.tests.flatMap((test) => {
    const compiled = compileVisible(c, row, { tests: [test], rows: undefined }, false);
    return KEYS.has(test.kind) ? compiled.map(known) : compiled;
  });
  where.push(...compileVisible(c, row, { tests: [], rows: plan.rows }, false));
  if (plan.where) where.push(compileCondition(c, row, plan.where));
  const isInner = !plan.rows && !readsOthers(plan.where) && !plan.list?.order.some(({ targets }) => targets.length > 0);
  return { row, from: sql`${tableOf(c, plan.table, isInner)} ${row}`, where, found: FOUND };
}

/**
 * A list by the candidates of search indexes, or by all rows if there are so many candidates that examining each would
 * take longer: the statement finds out which is the case. The answer is the same.
 */
function compileSearched(
  c: Compiler,
  plan: ReadPlan,
  list: List,
  search: IndexSearch,
  whole: (json: Sql) => Sql,
): Sql[] {
  const { dialect } = c;
  const rows = compileRows(c, plan, dialect.planner.withoutIndex);
  const { before, where } = dialect.search.narrow(search, plan.table, rows.row, c.aliases.next());
  const narrowed = { ...rows, before, where: [...where, ...rows.where], found: raw('galley_sought') };
  const some = (list.cursor ? compileContinued : compileFound)(c, plan, list, narrowed, whole);
  const common = dialect.search.common(search, plan.table, list.total !== undefined);
  if (!common) return some;
  const isCommon = sql`(select "v" from ${c.common.add(sql`select ${common} as "v"`)})`;
  // charged once: a request must not be refused because an index exists
  const plain = { ...c, budget: new Budget() };
  const every = compileList(plain, plan, list, compileRows(plain, plan), whole);
  return every.map((column, n) => sql`case when ${isCommon} then ${column} else ${some[n]!} end`);
}

type List = NonNullable<ReadPlan['list']>;
type Related = Extract<Member, { kind: 'related' }>;

function compileList(c: Compiler, plan: ReadPlan, list: List, rows: Rows, whole: (json: Sql) => Sql): Sql[] {
  const { order, total } = list;
  const { row } = rows;
  const deep = list.deep || shares(plan);
  if (list.cursor) return compileContinued(c, plan, list, rows, whole);
  // an index with the range in the order of the list provides the total as well
  if ((plan.rows || plan.where) && !plan.range && (total || order.some(({ toMany }) => toMany)))
    return compileFound(c, plan, list, rows, whole);
  const columns = deep ? col(row, 'id') : columnList(plan.members, row);
  const withData = (page: Sql): Sql =>
    deep ? compileChosen(c, plan, page, whole) : compilePage(c, plan.members, page, c.aliases.next(), whole);
  if (plan.range && !plan.range.isFirst) {
    const ranged = compileRangePage(c, plan, plan.range, rows, columns);
    return total ? [withData(ranged.page), ranged.total] : [withData(ranged.page)];
  }
  return [withData(compilePageRows(c, plan, list, rows, columns)), ...compileTotal(c, plan, rows)];
}

/** The columns of a page by cursor: those of a list, and the position of its end. */
function compileContinued(c: Compiler, plan: ReadPlan, list: List, rows: Rows, whole: (json: Sql) => Sql): Sql[] {
  const { ids, end, gathered } = compileCursorPage(c, plan, list, rows);
  return [compileChosen(c, plan, ids, whole), ...compileTotal(c, plan, rows, gathered), ...end];
}

/**
 * The total of a list, if it is wanted.
 *
 * @param gathered the table of its rows, if there is one.
 */
function compileTotal({ dialect }: Compiler, plan: ReadPlan, { from, where }: Rows, gathered?: Sql): Sql[] {
  const { table, tests, list } = plan;
  if (!list?.total) return [];
  if (list.total === 'kept') return [compileKeptTotal(dialect, table, tests)];
  return [gathered ? sql`(select count(*) from ${gathered})` : sql`(select count(*) from ${from} where ${all(where)})`];
}

/** The JSON array of a page's rows. */
function compilePage(c: Compiler, members: readonly Member[], page: Sql, row: Sql, whole: (json: Sql) => Sql): Sql {
  const object = compileObject(c, row, members);
  const { item, from } = c.dialect.json.asItem(object, sql`(${page}) ${row}`, c.aliases.next());
  const array = c.dialect.json.array(item, false, c.longest);
  return c.dialect.json.bounded(sql`(select ${whole(array)} from ${from})`, c.longest);
}

/**
 * The JSON array of rows with chosen ids, in their order. Each row is looked up by itself: skipped rows are read for
 * their order alone, mostly from an index, and no planner scans the table for a join with an unknown number of ids.
 */
function compileChosen(c: Compiler, plan: ReadPlan, ids: Sql, whole: (json: Sql) => Sql): Sql {
  const [row, chosen] = [c.aliases.next(), c.aliases.next()];
  const { table, members } = plan;
  const rows = shares(plan) ? c.common.add(ids) : undefined;
  const object = compileObject(rows ? compileSharing(c, members, rows, compileShared) : c, row, members);
  const found = sql`(select ${object} from ${tableOf(c, table, isFlat(members))} ${row} where ${col(row, 'id')} = ${col(chosen, 'id')})`;
  const { item, from } = c.dialect.json.asItem(found, sql`${rows ?? sql`(${ids})`} ${chosen}`, c.aliases.next());
  return c.dialect.json.bounded(
    sql`(select ${whole(c.dialect.json.array(item, false, c.longest))} from ${from})`,
    c.longest,
  );
}

/** The newest `updatedAt` among a document's rows (docs/reference/extensions.md, "Entity tags"). */
function compileVersion(c: Compiler, row: Sql, table: string, { sameLocale }: NonNullable<ReadPlan['version']>): Sql {
  const any = c.aliases.next();
  const where = [sql`${col(any, 'document_id')} = ${col(row, 'document_id')}`];
  if (sameLocale) where.push(c.dialect.same(col(any, 'locale'), col(row, 'locale')));
  return sql`(select max(${col(any, 'updated_at')}) from ${tableOf(c, table, true)} ${any} where ${all(where)})`;
}

/** The results of a filtered list: ids and, unless they are costly, the sort keys. */
const FOUND = raw('galley_found');

/**
 * A filtered list with its total, or with an order through lists. The total needs every row that passes the filter, so
 * the filter is evaluated once, and only the page's rows are fetched.
 */
function compileFound(
  c: Compiler,
  plan: ReadPlan,
  { order, limit, offset, total }: List,
  { row, before = raw(''), from, where, found: name }: Rows,
  whole: (json: Sql) => Sql,
): Sql[] {
  const { table } = plan;
  const ids = isCostly(order)
    ? c.common.add(sql`select ${col(row, 'id')} as "id" from ${before}${from} where ${all(where)}`, name)
    : undefined;
  const { keys, joins } = compileOrdering(c, { row, table, among: ids }, order);
  const named = keys.map(({ value }, index) => sql`${value} as ${raw(`k${index}`)}`);
  const valued = join([sql`${col(row, 'id')} as "id"`, ...named], ', ');
  const one = ids && c.aliases.next();
  const found = ids
    ? sql`(select ${valued} from ${ids} ${one!} join ${from} on ${col(row, 'id')} = ${col(one!, 'id')}${joins})`
    : c.common.add(sql`select ${valued} from ${before}${from} where ${all(where)}`, name);
  const counted = ids ?? found;
  const orderOf = (of: Sql): Sql => {
    const held = keys.map((_, index) => col(of, `k${index}`));
    return join([...directed(c, keys, held), col(of, 'id')], ', ');
  };
  const [match, chosen, outer] = [c.aliases.next(), c.aliases.next(), c.aliases.next()];
  const page = sql`select * from ${found} ${match} order by ${orderOf(match)} ${c.dialect.limit(slot(limit), slot(offset))}`;
  if (shares(plan)) {
    const data = compileChosen(c, plan, page, whole);
    return total ? [data, sql`(select count(*) from ${counted})`] : [data];
  }
  const columns = columnList(plan.members, row);
  const rows = sql`select ${columns} from (${page}) ${chosen} join ${tableOf(c, table, true)} ${row} on ${col(row, 'id')} = ${col(chosen, 'id')} order by ${orderOf(chosen)}`;
  const data = compilePage(c, plan.members, rows, outer, whole);
  return total ? [data, sql`(select count(*) from ${counted})`] : [data];
}

function compileObject(c: Compiler, row: Sql, members: readonly Member[]): Sql {
  c.budget.charge('members', members.length);
  const object = c.dialect.json.object(members.map((member) => compileMember(c, row, member)));
  return c.dialect.json.weighed(object, weightOf(c, row, members), c.longest);
}

/** Text types that the schema limits to the length of a short column, mostly 255 characters. */
const SHORT_TEXTS: ReadonlySet<string> = new Set(['string', 'email', 'uid', 'enumeration', 'password']);
/** Bytes of a key's quotes, colon and comma, and of the shortest values. */
const LEAST_MEMBER = 5;

function weightOf({ crowd }: Compiler, row: Sql, members: readonly Member[]): ObjectWeight {
  const short: Sql[] = [];
  const long: Sql[] = [];
  for (const member of members) {
    if (member.kind !== 'column' && member.kind !== 'address') continue;
    const kind = columnKind(member.type);
    if (kind !== 'text' && kind !== 'json') continue;
    (SHORT_TEXTS.has(member.type) ? short : long).push(col(row, member.column));
  }
  const fixed = members.reduce((sum, { key }) => sum + key.length + LEAST_MEMBER, 1);
  return { crowd, id: col(row, 'id'), fixed, short, long };
}

function compileMember(c: Compiler, row: Sql, member: Member): JsonMember {
  const { key } = member;
  switch (member.kind) {
    case 'column': {
      const kind = columnKind(member.type);
      const column = col(row, member.column);
      return kind === 'json'
        ? { key, value: column, form: 'document' }
        : { key, value: c.dialect.json.column(column, kind), form: 'scalar' };
    }
    case 'address': {
      const mark = compileMark(row, member.file);
      const column = col(row, member.column);
      return columnKind(member.type) === 'json'
        ? { key, value: c.dialect.json.marked(column, 'url', mark), form: 'document' }
        : { key, value: sql`${mark} || ${column}`, form: 'scalar' };
    }
    case 'signed':
      return { key, value: compileSigned(c, row, member.file), form: 'json' };
    case 'label':
      return { key, value: literal(member.text), form: 'scalar' };
    case 'flag':
      return { key, value: c.dialect.json.flag(member.value), form: 'json' };
    case 'related':
      return { key, value: compileRelated(inside(c), row, member, c.shared?.get(member)), form: 'json' };
    case 'parts':
      return { key, value: compileParts(inside(c), row, member), form: 'json' };
  }
}

/** The compiler for the inside of a row's object, in which the same member may appear for other rows. */
function inside(c: Compiler): Compiler {
  return c.shared ? { ...c, shared: undefined } : c;
}

/** @param shared the table of the objects, if rows share them. */
function compileRelated(c: Compiler, parent: Sql, member: Related, shared?: Sql): Sql {
  if (member.cardinality === 'one') {
    const object = (row: Sql): Sql =>
      shared ? fromShared(c, shared, col(row, 'id')) : compileObject(c, row, member.members);
    return c.dialect.json.orNull(compileToOne(c, parent, member, object));
  }
  const isInner = !member.where && isFlat(member.members) && member.order.every(({ targets }) => targets.length === 0);
  const { row, from: related, where: reached, order: connection } = reach(c, parent, member.target, isInner);
  const where = all(member.where ? [...reached, compileCondition(c, row, member.where)] : reached);
  if (member.cardinality === 'count') return countObject(c, sql`(select count(*) from ${related} where ${where})`);
  const object = compileObject({ ...inArray(c), lists: c.lists + 1 }, row, member.members);
  const { keys, joins } = compileOrdering(c, { row, table: member.target.table, nested: true }, member.order);
  const order = keys.length > 0 ? [...directed(c, keys), col(row, 'id')] : connection;
  return compileArray(c, object, sql`from ${related}${joins} where ${where}`, order, member);
}

function compileShared(c: Compiler, row: Sql, member: Related): Sql {
  return compileObject(c, row, member.members);
}

/**
 * Objects are built in order before they are aggregated: an index may provide the order, while an aggregate would sort.
 */
function compileArray(c: Compiler, item: Sql, from: Sql, order: readonly Sql[], { kind, most }: MemberList): Sql {
  const items = c.aliases.next();
  const inOrder = sql`select ${item} as ${id('v')} ${from}${orderBy(order)}${most === undefined ? raw('') : raw(` limit ${most}`)}`;
  const array = c.dialect.json.array(col(items, 'v'), kind === 'parts', c.longest);
  return sql`(select ${c.lists >= COUNTED_LISTS ? c.dialect.json.counted(array) : array} from (${inOrder}) ${items})`;
}

/** The compiler of the objects in an array. */
function inArray(c: Compiler): Compiler {
  return { ...c, crowd: c.lists + 1 < COUNTED_LISTS ? 'many' : 'any' };
}

/**
 * Lists within this many others are counted: rows multiply with every nested list, and a short query on well-linked
 * documents could request more than any machine can hold. The page bounds the outer lists.
 */
const COUNTED_LISTS = 3;

function orderBy(order: readonly Sql[]): Sql {
  return order.length === 0 ? raw('') : sql` order by ${join(order, ', ')}`;
}

function countObject(c: Compiler, count: Sql): Sql {
  return c.dialect.json.object([{ key: 'count', value: c.dialect.json.number(count), form: 'json' }]);
}

/** A zone or a relation to any type: each row's type column selects the table of its id. */
function compileParts(c: Compiler, parent: Sql, member: Extract<Member, { kind: 'parts' }>): Sql {
  const { source, parts, cardinality } = member;
  if (source.kind === 'morphColumns') {
    const named = { ref: col(parent, source.id), type: col(parent, source.type) };
    if (cardinality !== 'count') return c.dialect.json.orNull(choose(c, named, parts));
    const present = sql`(select count(*) from (select 1) one where ${standing(c, named, parts)})`;
    return countObject(c, present);
  }
  const link = c.aliases.next();
  const [ref, type] = source.kind === 'zone' ? ['cmp_id', 'component_type'] : [source.id, source.type];
  const where =
    source.kind === 'zone'
      ? [sql`${col(link, 'entity_id')} = ${col(parent, 'id')}`, sql`${col(link, 'field')} = ${literal(source.field)}`]
      : [sql`${col(link, source.source)} = ${col(parent, 'id')}`];
  // links to missing rows are left out, as in Strapi, which leaves such links behind: the list has gaps there
  const field = source.kind === 'morphTable' ? col(link, source.field) : undefined;
  const named = { ref: col(link, ref), type: col(link, type), field };
  if (cardinality === 'count') where.push(standing(c, named, parts));
  const from = sql`from ${tableOf(c, source.table)} ${link} where ${all(where)}`;
  if (cardinality === 'count') return countObject(c, sql`(select count(*) ${from})`);
  const order = [col(link, 'order'), col(link, 'id')];
  if (source.kind === 'morphTable') order[0] = col(link, source.order);
  return compileArray(c, choose(inArray(c), named, parts), from, order, member);
}

/** What a link says about its row. */
interface NamedRow {
  readonly ref: Sql;
  readonly type: Sql;
  /** The attribute of the row to which the link belongs. */
  readonly field?: Sql | undefined;
}

function partRows(c: Compiler, { ref, field }: NamedRow, part: MemberPart): { row: Sql; clause: Sql } {
  const row = c.aliases.next();
  const where = [sql`${col(row, 'id')} = ${ref}`, ...compileVisible(c, row, part)];
  if (field && part.linkedBy) where.push(sql`${field} in (${join(part.linkedBy.map(literal), ', ')})`);
  if (part.where) where.push(compileCondition(c, row, part.where));
  const isInner = !part.where && !part.rows && isFlat(part.members);
  return { row, clause: sql`from ${tableOf(c, part.table, isInner)} ${row} where ${all(where)}` };
}

/** The object of the part that the type selects. */
function choose(c: Compiler, named: NamedRow, parts: readonly MemberPart[]): Sql {
  const cases = parts.map((part) => {
    const { row, clause } = partRows(c, named, part);
    return sql`when ${literal(part.uid)} then (select ${compileObject(c, row, part.members)} ${clause})`;
  });
  return cases.length === 0 ? raw('null') : sql`case ${named.type} ${join(cases, ' ')} end`;
}

/** Whether the row with the type and id exists and is among the parts. */
function standing(c: Compiler, named: NamedRow, parts: readonly MemberPart[]): Sql {
  const cases = parts.map((part) => {
    const { clause } = partRows(c, named, part);
    return sql`when ${literal(part.uid)} then exists (select 1 ${clause})`;
  });
  return cases.length === 0 ? raw('1 = 0') : sql`case ${named.type} ${join(cases, ' ')} else 1 = 0 end`;
}

/** Whether a file is in the private store, by its `provider`. */
function ofStore(provider: Sql, { providers }: FileMarks): Sql {
  return sql`${provider} in (${join(providers.map(literal), ', ')})`;
}

/** The text in front of a file's addresses: the token for files of the private store, otherwise nothing. */
function compileMark(row: Sql, { marks, providerColumn }: MarkedFile): Sql {
  const ours = ofStore(col(row, providerColumn), marks);
  return sql`case when ${ours} then ${literal(marks.token)} else '' end`;
}

/** Whether the address of a file gets signed, as JSON. */
function compileSigned({ dialect }: Compiler, row: Sql, { marks, providerColumn, urlColumn }: MarkedFile): Sql {
  const ours = ofStore(col(row, providerColumn), marks);
  const bases = marks.bases.map((base) => dialect.matches(col(row, urlColumn), literal(base), 'startsWith'));
  const signed = sql`${ours} and (${join(bases, ' or ')})`;
  return sql`case when ${signed} then ${dialect.json.flag(true)} else ${dialect.json.flag(false)} end`;
}
