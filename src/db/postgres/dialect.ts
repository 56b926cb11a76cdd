/** PostgreSQL: JSON as json (not jsonb, which reorders keys); every parameter has an explicit type. */
import type {
  ColumnKind,
  Dialect,
  JsonDialect,
  JsonMember,
  Match,
  PlannerAdvice,
  UnfoldedColumn,
} from '../../sql/dialect.ts';
import { id, join, list, literal, raw, type Sql, type SqlValue, sql } from '../../sql/fragment.ts';
import { encodeExact, exact } from './exact.ts';
import { postgresSearch } from './search/narrowing.ts';

/** The properties of a server on which the dialect depends, queried once when the driver connects. */
export interface Capabilities {
  /** A collation whose `lower()` folds all of Unicode; undefined: the database's own does. */
  readonly foldingCollation: string | undefined;
  /** Whether `lower()` turns `İ` into an `i` without a combining dot. */
  readonly foldsDotted: boolean;
  /** Whether trigrams consist of ASCII letters alone. */
  readonly asciiTrigrams: boolean;
}

/** json_build_object takes 100 arguments. */
const PAIRS_PER_OBJECT = 50;

const TYPES: Readonly<Record<ColumnKind, string>> = {
  id: 'bigint',
  text: 'text',
  json: 'jsonb',
  // an index compares it with smaller integers, unlike numeric
  integer: 'bigint',
  biginteger: 'bigint',
  float: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'timestamp',
};

/** The types of placeholders compared with integer columns, if a number is a fraction or exceeds 64 bits. */
const WIDE_TYPES: Readonly<Record<ColumnKind, string>> = { ...TYPES, integer: 'numeric', biginteger: 'numeric' };

/** The types of values that a list is unfolded into. */
const UNFOLDED: Readonly<Record<UnfoldedColumn['kind'], string>> = {
  integer: 'bigint',
  double: 'double precision',
  text: 'text',
};

const LARGEST = 2n ** 63n - 1n;
/** Smaller than all ids, as LARGEST is larger. */
const BELOW_IDS = '-1';

/** Whether a value can be bound to a placeholder of its column's type in `TYPES`. */
function takes(value: SqlValue, kind: ColumnKind): boolean {
  if (kind !== 'integer' && kind !== 'biginteger') return true;
  // a large biginteger is encoded as its digits
  if (typeof value !== 'string') return value === null || Number.isSafeInteger(value);
  const number = BigInt(value);
  return number <= LARGEST && number >= -LARGEST - 1n;
}

/** Aggregates of the smallest and the largest value; `min` does not take booleans. */
const AGGREGATES = { boolean: ['bool_and', 'bool_or'], other: ['min', 'max'] } as const;

/** The largest number of the type `real`: the row at which a sum exceeds it stops the statement. */
const LARGEST_REAL = 3.4028234e38;
/**
 * The factor by which an answer must exceed the limit: the summed sizes are those of values in memory, which are
 * somewhat larger.
 */
const CERTAINLY = 1.5;

function build(members: readonly JsonMember[]): Sql {
  const pairs = members.map(({ key, value }) => sql`${literal(key)}, ${value}`);
  return sql`json_build_object(${list(pairs)})`;
}

/** Folds case, each letter to one letter: both small sigmas become one, and `İ` becomes `i`. */
export function fold(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');
}

/** A point in time in ISO 8601. */
const inUtc = (column: Sql): Sql => sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const json: JsonDialect = {
  column(column, kind) {
    switch (kind) {
      case 'biginteger':
        return sql`${column}::text`;
      case 'datetime':
        return inUtc(column);
      default:
        return column;
    }
  },

  object(members) {
    if (members.length <= PAIRS_PER_OBJECT) return build(members);
    const pieces: Sql[] = [];
    for (let i = 0; i < members.length; i += PAIRS_PER_OBJECT) {
      const text = sql`${build(members.slice(i, i + PAIRS_PER_OBJECT))}::text`;
      pieces.push(i === 0 ? sql`left(${text}, -1)` : sql`',' || left(substr(${text}, 2), -1)`);
    }
    return sql`(${join(pieces, ' || ')} || '}')::json`;
  },

  /**
   * The sum of the objects' sizes, in a unit in which too many bytes overflow the type, is computed row by row along
   * with the array; there is no other way to stop an aggregate. It is null without any object.
   */
  array(item, gaps, longest) {
    const present = gaps ? sql` filter (where ${item} is not null)` : raw('');
    const size = sizeOf(item, longest);
    return sql`case when ${size} is null then '[]'::json else json_agg(${item})${present} end`;
  },
  weighed: (object) => object,
  /** Sums the sizes as `array` does: objects beyond the limit are neither built nor stored. */
  collected(objects, longest) {
    const [object, size] = [raw('galley_object."v"'), raw('galley_weighed."size"')];
    const weighed = sql`select galley_object.*, ${sizeOf(object, longest)} over (rows unbounded preceding) as "size" from (${objects} offset 0) galley_object`;
    return sql`select "id", case when ${size} is null then null else "v" end as "v" from (${weighed}) galley_weighed`;
  },
  reused: (object) => object,
  // `offset 0`: otherwise the planner would copy the object into both places that name it, and build it twice
  asItem: (object, from, alias) => ({
    item: sql`${alias}."v"`,
    from: sql`(select ${object} as "v" from ${from} offset 0) ${alias}`,
  }),
  bytes: (json) => json,

  counted: (array) => array,
  // `offset 0`: otherwise the planner would copy the answer into both places that name it, and build it twice
  bounded: (json, longest) =>
    sql`(select case when octet_length(galley_answer) <= ${raw(String(longest))} then galley_answer else ${TOO_LONG} end from (select (${json})::text as galley_answer offset 0) galley_bounded)`,

  orNull: (subquery) => subquery,
  // quotes inside texts are escaped, so no text contains the label
  marked(column, key, mark) {
    const label = literal(`"${key}": "`);
    return sql`replace(${column}::text, ${label}, ${label} || ${mark})::json`;
  },
  number: (value) => value,
  flag: (value) => raw(String(value)),
};

const planner: PlannerAdvice = {
  likely: (test) => test,
  withoutIndex: (test) => sql`(case when ${test} then true else false end)`,
  // written as a range, because the planner knows that an equal column orders nothing and might then choose the index
  // of ids
  inIndexOrder: (column, rowId, text, { descending, after }) =>
    descending
      ? sql`(${column}, ${rowId}) < (${text}, ${after ?? raw(String(LARGEST))}) and ${column} >= ${text}`
      : sql`(${column}, ${rowId}) > (${text}, ${after ?? raw(BELOW_IDS)}) and ${column} <= ${text}`,
  unlikely: (test) => test,
  withoutJoin: (exists) => exists,
  // ids alone are read from an index very fast; each examined row costs as much as twenty of them
  smallRange: 20_000,
  smallBatch: 1,
  // the planner considers a single run: it would scan the table for a few rows rather than hash it for all runs
  lookUp: {
    gather: (table) =>
      sql`select jsonb_object_agg("id", "v") as "v" from ${table} where "id" is not null and "v" is not null`,
    find: (gathered, id) => sql`((select "v" from ${gathered}) ->> ${id}::text)::bigint`,
  },
};

export function postgresDialect({ foldingCollation, foldsDotted, asciiTrigrams }: Capabilities): Dialect {
  const collate =
    foldingCollation === undefined ? raw('') : raw(` collate "${foldingCollation.replaceAll('"', '""')}"`);
  const undotted = (text: Sql): Sql => (foldsDotted ? text : sql`translate(${text}, 'İ', 'i')`);
  const folded = (text: Sql): Sql => sql`translate(lower(${undotted(text)}${collate}), 'ς', 'σ')`;
  const dialect: Dialect = {
    noted: undefined,
    json,
    planner,
    placeholder: (n) => `$${n}`,

    value: (slot, kind) => sql`${slot}::${raw(TYPES[kind])}`,
    wide: undefined,
    comparable: (column, kind) => (kind === 'text' ? sql`${column} collate "C"` : column),

    orderBy(expression, kind, descending) {
      const key = kind === 'text' ? sql`${expression} collate "C"` : expression;
      return sql`${key} ${raw(descending ? 'desc' : 'asc')}`;
    },

    rank: (column, kind) => sql`dense_rank() over (order by ${kind === 'text' ? sql`${column} collate "C"` : column})`,
    nullIsLeast: false,
    // the aggregates leave out nulls
    first(value, kind, descending) {
      const compared = kind === 'text' ? sql`${value} collate "C"` : value;
      const aggregate = sql`${raw(AGGREGATES[kind === 'boolean' ? 'boolean' : 'other'][descending ? 1 : 0])}(${compared})`;
      return descending ? sql`case when count(*) = count(${value}) then ${aggregate} end` : aggregate;
    },
    exact,
    encodeExact,
    asText(column, kind) {
      switch (kind) {
        case 'text':
          return column;
        case 'datetime':
          return inUtc(column);
        case 'float':
          return shortest(column);
        case 'decimal':
          return sql`trim_scale(${column})::text`;
        default:
          return sql`${column}::text`;
      }
    },
    fold: folded,
    foldValue: fold,
    matches: (text, needle, match) => MATCHES[match](text, needle),
    textsContain(column, isBlocks, needle) {
      const contains = (text: Sql) => sql`position(${needle} in ${folded(text)}) > 0`;
      if (isBlocks) {
        const blocks = sql`jsonb_array_elements(case jsonb_typeof(${column}) when 'array' then ${column} else '[]' end) "block"`;
        const texts = sql`select string_agg("part" #>> '{}', '') from jsonb_path_query("block", 'strict $.**.text') "part"`;
        return sql`exists (select 1 from ${blocks} where ${contains(sql`(${texts})`)})`;
      }
      const strings = sql`jsonb_path_query(${column}, 'strict $.** ? (@.type() == "string")') "part"`;
      return sql`exists (select 1 from ${strings} where ${contains(sql`("part" #>> '{}')`)})`;
    },
    search: postgresSearch(folded, asciiTrigrams),
    same: (a, b) => sql`${a} is not distinct from ${b}`,
    rounding: sql`select table_name::text, column_name::text, numeric_scale::int from information_schema.columns
      where table_schema = current_schema() and data_type = 'numeric' and numeric_scale is not null`,
    // https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-CATALOG: the sequence that the column
    // owns, if its values come from it and may be given
    drawIds: (tables) =>
      sql`select n, nextval(ids) from (select n, (select s.ids from pg_attribute a
          left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum,
          lateral (select pg_get_serial_sequence(quote_ident(v ->> 0), 'id')::regclass ids) s
          where a.attrelid = quote_ident(v ->> 0)::regclass and a.attname = 'id'
            and (a.attidentity = 'd' or pg_get_expr(d.adbin, d.adrelid) = format('nextval(%L::regclass)', s.ids))) ids,
          (v ->> 1)::int amount
        from json_array_elements(${tables}::json) with ordinality given(v, n) offset 0) drawn, generate_series(1, amount)`,
    distinctTexts: (text) => sql`string_agg(distinct ${text}, ',')`,
    unfold(json, columns) {
      const values = columns.map(({ name, kind }, n) => sql`(v ->> ${n})::${raw(UNFOLDED[kind])} as ${id(name)}`);
      return sql`(select ${list(values)} from json_array_elements(${json}::json) v)`;
    },
    snapshot: SNAPSHOT,
    writers: WRITERS,
    limit: (count, offset) => sql`limit ${count}::bigint offset ${offset}::bigint`,
    encode,
    encodeTime: (milliseconds) => new Date(milliseconds).toISOString().slice(0, -1),
    // https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADVISORY-LOCKS
    lock(keys, waits) {
      const lock = raw(waits ? 'pg_advisory_xact_lock' : 'pg_try_advisory_xact_lock');
      return sql`select case left(k, 1)
        when 's' then ${lock}_shared(hashtextextended(substr(k, 2), 0))::text
        else ${lock}(hashtextextended(substr(k, 2), 0))::text end
        from json_array_elements_text(${keys}::json) k`;
    },
    // https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE
    skipLocked: raw('for update skip locked'),
    databaseSize: raw('pg_database_size(current_database())'),
  };
  const wide: Dialect = { ...dialect, value: (slot, kind) => sql`${slot}::${raw(WIDE_TYPES[kind])}` };
  return { ...dialect, wide: { takes, dialect: wide } };
}

/**
 * A double as JSON clients show it (https://tc39.es/ecma262/#sec-numeric-types-number-tostring): with an exponent from
 * 1e+21 on and below 0.000001. The engine begins with 1e+15 and 0.0001, and pads the exponent to two digits.
 */
function shortest(double: Sql): Sql {
  const hasExponent = sql`abs(${double}) >= 1e21::float8 or (abs(${double}) < 1e-6::float8 and ${double} <> 0)`;
  const text = sql`${double}::text`;
  const unpadded = sql`replace(replace(${text}, 'e+0', 'e+'), 'e-0', 'e-')`;
  return sql`case when ${hasExponent} then ${unpadded} else ${text}::numeric::text end`;
}

/** The size of all objects, in a unit in which too many bytes overflow the type. */
function sizeOf(object: Sql, longest: number): Sql {
  const unit = raw((LARGEST_REAL / (CERTAINLY * longest)).toPrecision(6));
  return sql`sum(pg_column_size(${object})::real * ${unit}::real)`;
}

/**
 * Replaces an answer that is too long, and overflows its type: the statement fails (`translated` in failures.ts), and
 * with it a transaction whose commit follows.
 */
const TOO_LONG = sql`(${raw(String(LARGEST_REAL))}::real * octet_length(galley_answer)::real)::text`;

/**
 * Identifies the transactions that a statement sees: those below a first number, and those below a second number that
 * are not listed as running (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT). A
 * server assigns each number once, so the server is identified as well. A standby does not list running transactions.
 */
const SNAPSHOT = sql`(case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', extract(epoch from pg_postmaster_start_time())) end)`;

/**
 * A transaction has its number before it draws one for a row that it inserts. The statement that reads `begun` takes a
 * number itself, because the first number of an open transaction may be above those of a snapshot.
 */
const WRITERS = {
  begun: sql`pg_current_xact_id()::text::bigint`,
  over: sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
};

const MATCHES: Readonly<Record<Match, (text: Sql, needle: Sql) => Sql>> = {
  contains: (text, needle) => sql`position(${needle} in ${text}) > 0`,
  startsWith: (text, needle) => sql`starts_with(${text}, ${needle})`,
  endsWith: (text, needle) => sql`right(${text}, length(${needle})) = ${needle}`,
};

function encode(value: string | number | boolean | bigint | null, kind: ColumnKind): SqlValue {
  if (kind === 'datetime' && typeof value === 'number') return new Date(value).toISOString().slice(0, -1);
  return typeof value === 'bigint' ? String(value) : value;
}
