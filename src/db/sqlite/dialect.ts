/** SQLite: JSON as text. Subtypes do not survive subqueries there, so nested JSON is concatenated, never re-parsed. */
import type {
  ColumnKind,
  Crowd,
  Dialect,
  JsonDialect,
  JsonMember,
  Match,
  NotedResults,
  PlannerAdvice,
} from '../../sql/dialect.ts';
import { id, join, list, literal, raw, type Sql, type SqlValue, sql } from '../../sql/fragment.ts';

import { fold } from './search/letters.ts';
import { sqliteSearch } from './search/narrowing.ts';

/** The SQL function that folds case over all of Unicode; the driver defines it (`lower()` only folds ASCII). */
export const FOLD_FUNCTION = 'galley_fold';

/**
 * The SQL function that writes a number as JSON clients show it; the engine would write `2.0`, `1.0e+21` and 17 digits.
 */
export const NUMBER_FUNCTION = 'galley_number';

/**
 * The SQL function that counts the rows that a statement has populated, and stops the statement when there are too
 * many.
 */
export const COUNT_FUNCTION = 'galley_count';

/** The SQL functions that note a text under a number for the rest of a statement, and that return it. */
export const NOTE_FUNCTION = 'galley_note';
export const NOTED_FUNCTION = 'galley_noted';

/** The SQL function that adds up the bytes of a statement's answer, and stops the statement when there are too many. */
export const SIZE_FUNCTION = 'galley_size';

/**
 * Texts of more bytes are always reported; of objects without such a text one in SAMPLE is, because reporting all takes
 * too long.
 */
const TOLD = 4096;
const SAMPLE = 61;

/**
 * Selects one object in SAMPLE, a prime number, so that it does not matter whether all ids are even. Testing the id
 * takes less than half the time of a random number, but a row that is repeated is then in the sample each time or
 * never.
 */
const SAMPLED: Readonly<Record<Crowd, ((id: Sql) => Sql) | undefined>> = {
  few: undefined,
  many: (id) => sql`${id} % ${raw(String(SAMPLE))} = 0`,
  any: () => raw(`random() > ${2n ** 63n - 2n ** 64n / BigInt(SAMPLE)}`),
};

/** The JSON text of a JSON column. A plain text that another program stored is returned as a string. */
const documentOf = (column: Sql): Sql => sql`case when json_valid(${column}) then json(${column}) else ${column} end`;

function plainObject(members: readonly JsonMember[]): Sql {
  const pairs = members.map(({ key, value, form }) =>
    list([literal(key), form === 'document' ? documentOf(value) : value]),
  );
  return sql`json_object(${list(pairs)})`;
}

/** `,"key":` and the JSON text of a value that cannot be an argument of json_object. */
function appended({ key, value, form }: JsonMember, first: boolean): Sql[] {
  const label = literal(`${first ? '' : ','}${JSON.stringify(key)}:`);
  if (form === 'json') return [label, value];
  const quoted = form === 'document' ? documentOf(value) : value;
  // json_array quotes a value or keeps a document; its brackets are cut off
  return [label, sql`substr(json_array(${quoted}), 2, length(json_array(${quoted})) - 2)`];
}

/** The most arguments of one function call: the engine allows 127 if it was built with its older default. */
const ARGUMENTS = 120;

/**
 * Concatenates texts; nulls are empty. A chain of `||` would be as deep as it is long, and the engine adds up the depth
 * of nested subqueries: populating ten levels would exceed its limit of 1000.
 */
function concatenated(parts: readonly Sql[]): Sql {
  if (parts.length <= ARGUMENTS) return sql`concat(${list(parts)})`;
  const groups: Sql[] = [];
  for (let i = 0; i < parts.length; i += ARGUMENTS) groups.push(concatenated(parts.slice(i, i + ARGUMENTS)));
  return concatenated(groups);
}

/** The number of characters by which texts are ranked. */
const RANKED_TEXT = 1000;

/**
 * The plus does not change any value (https://sqlite.org/lang_expr.html#operators), but hides the parameter from the
 * planner. A plan that depends on the value of a parameter is made anew at every binding, which takes longer than most
 * reads (https://sqlite.org/c3ref/prepare.html, "If the specific value bound to a host parameter …").
 */
const PLACEHOLDER = '+?';

/** A point in time in ISO 8601. Takes half the time of one strftime with %f, which prints a double. */
const inUtc = (column: Sql): Sql => sql`replace(datetime(${column} / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z'`;

const json: JsonDialect = {
  column(column, kind) {
    switch (kind) {
      case 'boolean':
        return sql`case ${column} when 1 then json('true') when 0 then json('false') end`;
      case 'biginteger':
        return sql`cast(${column} as text)`;
      case 'datetime':
        return inUtc(column);
      default:
        return column;
    }
  },

  object(members) {
    // the longest run of leading members that one json_object can build and whose text cannot end in a brace of its own
    let run = members.findIndex((member) => member.form === 'json');
    if (run === -1) return plainObject(members);
    while (run > 0 && members[run - 1]!.form === 'document') run--;
    const rest = members.slice(run).flatMap((member, index) => appended(member, run === 0 && index === 0));
    const start = run === 0 ? sql`'{'` : sql`rtrim(${plainObject(members.slice(0, run))}, '}')`;
    return concatenated([start, ...rest, sql`'}'`]);
  },

  weighed(object, { crowd, id, fixed, short, long }, longest) {
    const number = (value: number) => raw(String(value));
    const isTooLong = (bytes: Sql) => sql`${raw(SIZE_FUNCTION)}(${bytes}, ${number(longest)}) is null then null`;
    const cases = long.map((column) => {
      const length = sql`octet_length(${column})`;
      return sql`when ${length} > ${number(TOLD)} and ${isTooLong(length)}`;
    });
    const sampled = SAMPLED[crowd];
    if (sampled) {
      const texts = [...short, ...long];
      const length = texts.length === 0 ? number(0) : sql`octet_length(${concatenated(texts)})`;
      // longer texts are always reported
      const most = number(TOLD * Math.max(1, long.length));
      const bytes = sql`${number(SAMPLE)} * (${number(fixed)} + min(${length}, ${most}))`;
      cases.push(sql`when ${sampled(id)} and ${isTooLong(bytes)}`);
    }
    return cases.length === 0 ? object : sql`case ${join(cases, ' ')} else ${object} end`;
  },

  // the aggregate itself leaves out nulls
  array: (item) => sql`concat('[', group_concat(${item}, ','), ']')`,
  collected: (objects) => objects,
  reused(object, longest) {
    const length = sql`octet_length(${object})`;
    const size = sql`${raw(SIZE_FUNCTION)}(${length}, ${raw(String(longest))})`;
    return sql`case when ${length} > ${raw(String(TOLD))} and ${size} is null then null else ${object} end`;
  },

  asItem: (object, from) => ({ item: object, from }),
  bytes: (json) => sql`cast(${json} as blob)`,

  counted: (array) => sql`iif(${raw(COUNT_FUNCTION)}(count(*)), ${array}, null)`,
  bounded: (json) => json,

  // json() removes white space; quotes inside texts are escaped, so no text contains the label
  marked(column, key, mark) {
    const label = literal(`"${key}":"`);
    return sql`iif(json_valid(${column}), replace(json(${column}), ${label}, ${label} || ${mark}), ${column})`;
  },

  orNull: (subquery) => sql`coalesce(${subquery}, 'null')`,
  number: (value) => sql`cast(${value} as text)`,
  flag: (value) => literal(String(value)),
};

const planner: PlannerAdvice = {
  // https://sqlite.org/lang_corefunc.html#likely
  likely: (test) => sql`likely(${test})`,
  withoutIndex: (test) => test,
  inIndexOrder: undefined,
  // more rows are found faster in the order of the list
  smallRange: 1000,
  // after a column that most rows share, the planner would consider the next one useless (`likely`)
  unlikely: (test) => sql`likelihood(${test}, 0.0001)`,
  withoutJoin: (exists) => sql`+${exists}`,
  smallBatch: 8,
  lookUp: undefined,
};

const noted: NotedResults = {
  note(place, select, columns) {
    const row = list(columns.map(({ name }) => sql`n.${id(name)}`));
    return sql`${raw(NOTE_FUNCTION)}(${place}, (select json_group_array(json_array(${row})) from (${select}) n))`;
  },
  list: (place) => sql`${raw(NOTED_FUNCTION)}(${place})`,
  // https://sqlite.org/optoverview.html#flattening: neither is a condition pushed into such a subquery
  unmerged: raw(' limit -1'),
};

export const sqliteDialect: Dialect = {
  noted,
  json,
  planner,
  placeholder: () => PLACEHOLDER,

  value: (slot) => slot,
  wide: undefined,
  comparable: (column) => column,
  orderBy: (expression, _kind, descending) => sql`${expression} ${raw(descending ? 'desc' : 'asc')}`,
  // the sorter keeps its rows in memory
  rank(column, kind) {
    const sorted = kind === 'text' || kind === 'json' ? sql`substr(${column}, 1, ${RANKED_TEXT})` : column;
    return sql`dense_rank() over (order by ${sorted})`;
  },
  nullIsLeast: true,
  // the aggregates leave out nulls
  first: (value, _kind, descending) =>
    descending ? sql`max(${value})` : sql`case when count(*) = count(${value}) then min(${value}) end`,
  // the driver returns integers as doubles, and the engine prints at most 15 digits of a double
  exact: (value, kind) =>
    IN_TEXT.has(kind) ? value : sql`case typeof(${value}) when 'integer' then cast(${value} as text) else ${value} end`,
  encodeExact,
  asText(column, kind) {
    switch (kind) {
      case 'text':
        return column;
      case 'boolean':
        return sql`case ${column} when 1 then 'true' when 0 then 'false' end`;
      case 'datetime':
        return sql`(${inUtc(column)})`;
      case 'float':
      case 'decimal':
        return sql`${raw(NUMBER_FUNCTION)}(${column})`;
      default:
        return sql`cast(${column} as text)`;
    }
  },
  fold: (text) => sql`${raw(FOLD_FUNCTION)}(${text})`,
  foldValue: fold,

  matches(text, needle, match) {
    return MATCHES[match](text, needle);
  },

  textsContain(column, isBlocks, needle) {
    const contains = (text: Sql) => sql`instr(${raw(FOLD_FUNCTION)}(${text}), ${needle}) > 0`;
    if (isBlocks) {
      const blocks = sql`json_each(iif(json_valid(${column}) and json_type(${column}) = 'array', ${column}, '[]')) "block"`;
      const texts = sql`select group_concat("part"."atom", '') from json_tree("block"."value") "part" where "part"."key" = 'text' and "part"."type" = 'text'`;
      return sql`exists (select 1 from ${blocks} where ${contains(sql`(${texts})`)})`;
    }
    // strings are stored without their quotes (`storedString`)
    const strings = sql`select 1 from json_tree(${column}) "part" where "part"."type" = 'text' and ${contains(sql`"part"."atom"`)}`;
    return sql`case when json_valid(${column}) then exists (${strings}) else ${contains(column)} end`;
  },

  search: sqliteSearch,

  same: (a, b) => sql`${a} is ${b}`,
  rounding: undefined,
  drawIds: undefined,
  distinctTexts: (text) => sql`group_concat(distinct ${text})`,
  unfold(json, columns) {
    const values = columns.map(({ name }, n) => sql`value ->> ${n} as ${id(name)}`);
    return sql`(select ${list(values)} from json_each(${json}))`;
  },
  snapshot: undefined,
  writers: undefined,
  limit: (count, offset) => sql`limit ${count} offset ${offset}`,
  encode,
  encodeTime: (milliseconds) => milliseconds,
  // the driver lets one transaction in at a time
  lock: undefined,
  skipLocked: raw(''),
  // https://sqlite.org/pragma.html#pragfunc
  databaseSize: raw('(select page_count * page_size from pragma_page_count(), pragma_page_size())'),
};

const MATCHES: Readonly<Record<Match, (text: Sql, needle: Sql) => Sql>> = {
  contains: (text, needle) => sql`instr(${text}, ${needle}) > 0`,
  startsWith: (text, needle) => sql`substr(${text}, 1, length(${needle})) = ${needle}`,
  endsWith: (text, needle) =>
    sql`(length(${text}) >= length(${needle}) and substr(${text}, length(${text}) - length(${needle}) + 1) = ${needle})`,
};

/** The largest integer of the engine; a larger number is compared as a double, with the same result. */
const LARGEST = 2n ** 63n - 1n;

/** Kinds whose values are stored as texts. */
const IN_TEXT: ReadonlySet<ColumnKind> = new Set(['text', 'json', 'date', 'time']);

function encodeExact(value: string | number, kind: ColumnKind): SqlValue | undefined {
  if (IN_TEXT.has(kind)) return typeof value === 'string' ? value : undefined;
  if (typeof value === 'number') return value;
  if (/^-?Infinity$/.test(value)) return Number(value);
  if (!/^-?\d{1,19}$/.test(value)) return undefined;
  const integer = BigInt(value);
  return integer > LARGEST || integer < -LARGEST - 1n ? undefined : integer;
}

function encode(value: string | number | boolean | bigint | null, kind: ColumnKind): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return value > LARGEST || value < -LARGEST - 1n ? Number(value) : value;
  if (kind === 'json' && typeof value === 'string' && value.startsWith('"')) return storedString(value);
  return kind === 'datetime' && typeof value === 'string' ? Number(value) : value;
}

/**
 * Texts that a column of numeric affinity, such as a JSON column, converts to numbers
 * (https://sqlite.org/datatype3.html).
 */
const NUMERIC = /^[ \t\n\v\f\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[ \t\n\v\f\r]*$/i;

/**
 * A JSON string as the reference stores it: without quotes (it would read them as part of the text), unless the text
 * could be taken for JSON or a number.
 */
function storedString(json: string): string {
  const text = JSON.parse(json) as string;
  return NUMERIC.test(text) || isJson(text) ? json : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
