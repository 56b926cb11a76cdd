/** Comparing and copying single rows of documents. Slots are in the order of the text. */
import type { FilledPlan } from '../plan/filled.ts';
import type { Removal } from '../plan/removals.ts';
import type { Dialect } from './dialect.ts';
import { id, join, list, literal, raw, type Sql, slot, sql } from './fragment.ts';

/**
 * Copies columns from one row of a table to another, and sets other columns. Values: those of `others`, the source row,
 * the target row.
 */
export function compileCopyColumns(table: string, columns: readonly string[], others: readonly string[]): Sql {
  const copied = list(columns.map(id));
  const [source, target] = [slot(others.length), slot(others.length + 1)];
  const sets = others.map((name, n) => sql`${id(name)} = ${slot(n)}`);
  sets.push(sql`(${copied}) = (select ${copied} from ${id(table)} where "id" = ${source})`);
  return sql`update ${id(table)} set ${list(sets)} where "id" = ${target}`;
}

/** A row if two rows of a table differ in columns. Values: both ids. */
export function compileColumnsDiffer(dialect: Dialect, table: string, columns: readonly string[]): Sql {
  const same = columns.map((column) => dialect.same(sql`a.${id(column)}`, sql`b.${id(column)}`));
  return sql`select 1 from ${id(table)} a, ${id(table)} b where a."id" = ${slot(0)} and b."id" = ${slot(1)} and not (${join(same, ' and ')})`;
}

/** Rows of a document: those of a locale, and those in a state; undefined: any. */
export interface RowChoice {
  readonly locale?: string | null | undefined;
  readonly published?: boolean | undefined;
}

/**
 * The rows of a document in row order: columns, for chosen rows the text that `readFilled` reads, otherwise null, and a
 * digit for each of some removals, 0 if nothing is to be removed with the row. Values: the locale if one is chosen, the
 * document.
 */
export function compileFoundRows(
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  { filled: plan, removals }: { readonly filled: FilledPlan; readonly removals: readonly Removal[] },
  { locale, published }: RowChoice,
): Sql {
  const own = sql`${id(table)}."id"`;
  const digitOf = (from: string, column: string, fixed: Readonly<Record<string, string>>): Sql => {
    const others = Object.entries(fixed).map(([name, value]) => sql` and x.${id(name)} = ${literal(value)}`);
    const found = sql`select 1 from ${id(from)} x where x.${id(column)} = ${own}${join(others, '')}`;
    return sql`case when exists (${found}) then '1' else '0' end`;
  };
  const links = plan.links.map(([, place]) => digitOf(place.table, place.source, place.fixed));
  const removed = removals.map((removal) => digitOf(removal.table, removal.column, removal.fixed));
  const ties = plan.ties === undefined ? [] : [tiesOf(dialect, plan.ties, own)];
  const conditions = [
    ...(locale === undefined ? [] : [dialect.same(sql`"locale"`, slot(0))]),
    ...(published === undefined ? [] : [raw(`"published_at" is ${published ? 'not ' : ''}null`)]),
  ];
  const all = joined([...links, ...ties]);
  const filled = conditions.length === 0 ? all : sql`case when ${join(conditions, ' and ')} then ${all} end`;
  const document = slot(locale === undefined ? 0 : 1);
  return sql`select ${list([...columns.map(id), filled, joined(removed)])} from ${id(table)} where "document_id" = ${document} order by "id"`;
}

/** Texts, one after the other. A chain of `||` would be as deep as it is long, and engines limit the depth. */
function joined(texts: readonly Sql[]): Sql {
  if (texts.length <= 1) return texts[0] ?? sql`''`;
  const middle = Math.ceil(texts.length / 2);
  return sql`(${joined(texts.slice(0, middle))} || ${joined(texts.slice(middle))})`;
}

/** The kinds of components that a row has in each attribute. */
function tiesOf(dialect: Dialect, table: string, own: Sql): Sql {
  const kinds = dialect.distinctTexts(sql`x."field" || ' ' || x."component_type"`);
  return sql`coalesce((select ${kinds} from ${id(table)} x where x."entity_id" = ${own}), '')`;
}

/** The document id of the first row of a table. */
export function compileFirstDocumentId(table: string): Sql {
  return sql`select "document_id" from ${id(table)} order by "id" limit 1`;
}

/** The rows among which a value may be taken. */
export interface TakenScope {
  readonly inLocale: boolean;
  readonly published: boolean;
}

/** A row if another document has a value. Values: the value, the document, and the locale with `inLocale`. */
export function compileTakenValue(
  dialect: Dialect,
  table: string,
  column: string,
  { inLocale, published }: TakenScope,
): Sql {
  const ofLocale = inLocale ? sql` and ${dialect.planner.likely(sql`"locale" = ${slot(2)}`)}` : raw('');
  const ofState = raw(published ? ' and "published_at" is not null' : '');
  return sql`select 1 from ${id(table)} where ${id(column)} = ${slot(0)} and "document_id" <> ${slot(1)}${ofLocale}${ofState} limit 1`;
}
