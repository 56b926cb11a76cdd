/** Statements for changes of the schema: how many documents have content in a place, and moving content with its names. */
import type { Counted } from '../schema/editing/differences.ts';
import type { ComponentOwner, Place, SchemaVersion } from '../schema/editing/places.ts';
import { FILES_RELATED_TABLE, layoutOf } from '../schema/layout/layout.ts';
import type { Dialect } from './dialect.ts';
import { id, join, list, literal, raw, type Sql, slot, slots, sql } from './fragment.ts';

/**
 * The number of documents; for components, which have no documents, of rows outside of published versions, because a
 * document with a draft has a row of the component in each.
 *
 * @param table of the type.
 * @param isDocument whether its rows belong to documents.
 * @param published the rows that contain the component in published versions.
 */
export function compileContentCount(
  counted: Counted,
  table: string,
  isDocument: boolean,
  published: readonly ComponentOwner[] = [],
): Sql {
  const number = isDocument ? sql`count(distinct t."document_id")` : sql`count(*)`;
  const rows =
    published.length === 0 ? id(table) : sql`(select * from ${id(table)} c where not (${isIn(published, 'c')}))`;
  return sql`select ${number} from ${rows} t${conditionOf(counted, table)}`;
}

/** Whether a row of a component is in a published version. @param row the alias of the row. */
function isIn(owners: readonly ComponentOwner[], row: string): Sql {
  const found = owners.map(({ ties, component, table, owners: outer }) => {
    const [tie, owner] = [`${row}e`, `${row}o`];
    const isPublished = outer ? isIn(outer, owner) : sql`${id(owner)}."published_at" is not null`;
    return sql`exists (select 1 from ${id(ties)} ${id(tie)}, ${id(table)} ${id(owner)} where ${id(tie)}."cmp_id" = ${id(row)}."id"
      and ${id(tie)}."component_type" = ${literal(component)} and ${id(owner)}."id" = ${id(tie)}."entity_id" and (${isPublished}))`;
  });
  return join(found, ' or ');
}

function conditionOf(counted: Counted, table: string): Sql {
  switch (counted.what) {
    case 'documents':
      return raw('');
    case 'locales':
      return sql` where exists (select 1 from ${id(table)} o where o."document_id" = t."document_id" and o."locale" <> t."locale")`;
    case 'unpublished':
      return sql` where t."published_at" is null and not exists (select 1 from ${id(table)} p
        where ${areOneVersion(raw('p'), raw('t'))} and p."published_at" is not null and p."updated_at" >= t."updated_at")`;
    case 'with':
      return sql` where ${hasValue(counted.place)}`;
    case 'without':
      return sql` where not (${hasValue(counted.place)})`;
    case 'several':
      return sql` where ${hasSeveral(counted.place)}`;
    case 'values':
      return sql` where ${columnOf(counted.place)} in (${slots(0, counted.values.length)})`;
    case 'duplicates': {
      const column = columnOf(counted.place);
      const other = sql`o.${id(nameOf(counted.place))} = ${column}`;
      return sql` where exists (select 1 from ${id(table)} o where ${other} and o."id" <> t."id"${otherDocument(table)})`;
    }
    case 'entries':
      return sql` where ${hasEntries(counted.place, counted.components)}`;
  }
}

/** Rows of one document may have the same value; components have no documents. */
const otherDocument = (table: string): Sql =>
  table.startsWith('components_') ? raw('') : sql` and o."document_id" <> t."document_id"`;

const nameOf = (place: Place): string => (place.kind === 'column' ? place.column : 'id');

const columnOf = (place: Place): Sql => sql`t.${id(nameOf(place))}`;

/** The rows that hold the content of a row of the type, in a place of another table. */
function entriesOf(place: Place): Sql {
  switch (place.kind) {
    case 'components':
      return sql`${id(place.table)} e where e."entity_id" = t."id" and e."field" = ${literal(place.field)}`;
    case 'files':
      return sql`${id(place.table)} e where e."related_id" = t."id" and e."related_type" = ${literal(place.uid)} and e."field" = ${literal(place.field)}`;
    case 'links':
      return sql`${id(place.table)} e where e.${id(place.source)} = t."id"`;
    default:
      throw new Error(`${place.kind} has no entries`);
  }
}

function hasValue(place: Place): Sql {
  if (place.kind === 'column') return sql`t.${id(place.column)} is not null`;
  if (place.kind === 'link column') return sql`t.${id(place.columns[0]!)} is not null`;
  return sql`exists (select 1 from ${entriesOf(place)})`;
}

function hasSeveral(place: Place): Sql {
  if (place.kind === 'column' || place.kind === 'link column') return raw('1 = 0');
  return sql`(select count(*) from ${entriesOf(place)}) > 1`;
}

function hasEntries(place: Place, components: readonly string[]): Sql {
  if (place.kind !== 'components') return raw('1 = 0');
  const types = list(components.map((uid) => literal(uid)));
  return sql`exists (select 1 from ${entriesOf(place)} and e."component_type" in (${types}))`;
}

export const compileRenameTable = (from: string, to: string): Sql => sql`alter table ${id(from)} rename to ${id(to)}`;

export const compileRenameColumn = (table: string, from: string, to: string): Sql =>
  sql`alter table ${id(table)} rename column ${id(from)} to ${id(to)}`;

/** Copies all values of a column to one of another type. */
export const compileCopyColumn = (table: string, from: string, to: string, type: string): Sql =>
  sql`update ${id(table)} set ${id(to)} = cast(${id(from)} as ${raw(type)}) where ${id(from)} is not null`;

export const compileDropIndex = (name: string): Sql => sql`drop index if exists ${id(name)}`;

export const compileDropConstraint = (table: string, name: string): Sql =>
  sql`alter table ${id(table)} drop constraint if exists ${id(name)}`;

type Values = readonly (readonly [column: string, value: string])[];

const matching = (values: Values): Sql =>
  join(
    values.map(([column, value]) => sql`${id(column)} = ${literal(value)}`),
    ' and ',
  );

/** A row with a value, if there is one. */
export const compileHasValue = (table: string, column: string, value: string, where: Values): Sql =>
  sql`select 1 from ${id(table)} where ${matching([[column, value], ...where])} limit 1`;

export const compileMoveValues = (table: string, column: string, from: string, to: string, where: Values): Sql =>
  sql`update ${id(table)} set ${id(column)} = ${literal(to)} where ${matching([[column, from], ...where])}`;

/** A table of links to a type whose documents have got drafts. */
export interface LinksToDrafts {
  readonly table: string;
  readonly source: string;
  readonly target: string;
  /** The column and the uid of the type, if the table links several types. */
  readonly type: readonly [column: string, uid: string] | undefined;
  /** The other columns of a link besides its id. */
  readonly others: readonly string[];
}

/** Whether two rows belong together, of which a link leads to the first. */
type Pair = (linked: Sql, other: Sql) => Sql;

/** Whether two rows are versions of one document in one locale. */
const areOneVersion = (one: Sql, other: Sql): Sql =>
  sql`${one}."document_id" = ${other}."document_id" and coalesce(${one}."locale", '') = coalesce(${other}."locale", '')`;

/** Whether two rows are the draft and the published row of one version. */
const isDraftOf = (draft: Sql, published: Sql): Sql =>
  sql`${areOneVersion(draft, published)} and ${draft}."published_at" is null and ${published}."published_at" is not null`;

const isPublishedOf: Pair = (published, draft) => isDraftOf(draft, published);

/**
 * Whether row `gone` goes for row `stays` when a type loses its drafts: they are a draft and a published row of one
 * version. A draft only goes for a published row that is certainly not older.
 */
function goesFor(gone: Sql, stays: Sql): Sql {
  return sql`${areOneVersion(stays, gone)}
    and (${gone}."published_at" is null and ${stays}."published_at" is not null and ${stays}."updated_at" >= ${gone}."updated_at"
      or ${gone}."published_at" is not null and ${stays}."published_at" is null and (${gone}."updated_at" >= ${stays}."updated_at") is not true)`;
}

/** Whether a link leads to the type. @param link the alias of the link. */
const isOfType = ({ type }: LinksToDrafts, link: string): Sql =>
  type ? sql` and ${raw(link)}.${id(type[0])} = ${literal(type[1])}` : raw('');

/** A link from the source of link `l` to a row. @param row the alias of the row. */
const sameLink = (links: LinksToDrafts, row: string): Sql =>
  sql`(select 1 from ${id(links.table)} e where e.${id(links.source)} = l.${id(links.source)} and e.${id(links.target)} = ${raw(row)}."id"${isOfType(links, 'e')})`;

/** The rows of each pair, `a` and `b`, with link `l` to `a`. @param rows the table of the type. */
const linkedPairs = (links: LinksToDrafts, rows: string, pair: Pair): Sql =>
  sql`${id(rows)} a, ${id(rows)} b where a."id" = l.${id(links.target)}${isOfType(links, 'l')} and ${pair(raw('a'), raw('b'))}`;

/** Links to the first row of a pair lead to the second one as well. */
function linkOthers(links: LinksToDrafts, rows: string, pair: Pair): Sql {
  const { table, source, target, type, others } = links;
  const copied = [source, ...(type ? [type[0]] : []), ...others];
  const values = [...copied.map((column) => sql`l.${id(column)}`), sql`b."id"`];
  return sql`insert into ${id(table)} (${list([...copied, target].map(id))})
    select ${list(values)} from ${id(table)} l, ${linkedPairs(links, rows, pair)} and not exists ${sameLink(links, 'b')}`;
}

/** The ids of rows that go when a type loses its drafts. @param rows the table of the type. */
export const compileEndedRows = (rows: string): Sql =>
  sql`select g."id" from ${id(rows)} g where exists (select 1 from ${id(rows)} s where ${goesFor(raw('g'), raw('s'))}) order by 1`;

/** Links to rows that go lead to those that stay as well. */
export const compileLinkStaying = (links: LinksToDrafts, rows: string): Sql =>
  sql`${linkOthers(links, rows, goesFor)} on conflict do nothing`;

/** Columns with the id of a row that goes get that of the one that stays. @param type as in LinksToDrafts. */
export function compileMoveToStaying(sources: string, column: string, rows: string, type: LinksToDrafts['type']): Sql {
  const isType = type ? sql` and ${id(sources)}.${id(type[0])} = ${literal(type[1])}` : raw('');
  const stays = sql`from ${id(rows)} g, ${id(rows)} s where g."id" = ${id(sources)}.${id(column)} and ${goesFor(raw('g'), raw('s'))}`;
  return sql`update ${id(sources)} set ${id(column)} = (select min(s."id") ${stays}) where exists (select 1 ${stays})${isType}`;
}

/** Drafts that stay get the time of the publication of the row that goes, or now. Value: now. */
export function compilePublishStaying(rows: string): Sql {
  const own = id(rows);
  const published = sql`(select max(g."published_at") from ${own} g where ${goesFor(raw('g'), own)})`;
  return sql`update ${own} set "published_at" = coalesce(${published}, ${slot(0)}) where "published_at" is null
    and not exists (select 1 from ${own} s where ${goesFor(own, raw('s'))})`;
}

/** Links from rows of either state to drafts lead to the published rows as well. */
export const compileLinkPublished = (links: LinksToDrafts, rows: string): Sql => linkOthers(links, rows, isDraftOf);

/** Links from rows of either state to published rows lead to the drafts as well. @param rows the table of the type. */
export const compileLinkDrafts = (links: LinksToDrafts, rows: string): Sql => linkOthers(links, rows, isPublishedOf);

/**
 * Removes links between rows of different states, where the other row of the version is linked too: from drafts to published
 * rows, and from published rows to drafts.
 *
 * @param sources the table of the type with the links, which has drafts.
 */
export function compileUnlinkOtherState(links: LinksToDrafts, rows: string, sources: string): Sql {
  const { table, source } = links;
  const doubled = (
    pair: Pair,
    state: Sql,
  ) => sql`select l."id" from ${id(table)} l, ${id(sources)} s, ${linkedPairs(links, rows, pair)}
    and s."id" = l.${id(source)} and ${state} and exists ${sameLink(links, 'b')}`;
  const fromDrafts = doubled(isPublishedOf, raw('s."published_at" is null'));
  const fromPublished = doubled(isDraftOf, raw('s."published_at" is not null'));
  return sql`delete from ${id(table)} where "id" in (${fromDrafts} union all ${fromPublished})`;
}

/** Columns of drafts with the id of a published row get that of its draft. */
export function compileMoveToDrafts(sources: string, column: string, rows: string): Sql {
  const draft = sql`select d."id" from ${id(rows)} p, ${id(rows)} d where p."id" = ${id(sources)}.${id(column)} and ${isDraftOf(raw('d'), raw('p'))}`;
  return sql`update ${id(sources)} set ${id(column)} = (${draft}) where "published_at" is null and exists (${draft})`;
}

const OLD_AND_NEW = [
  { name: 'old', kind: 'integer' },
  { name: 'new', kind: 'integer' },
] as const;

/** A batch of rows with an id above slot 0: the id and columns, at most as many as slot 1. @param empty those with null in a column. */
export const compileValuesAfter = (table: string, columns: readonly string[], empty?: string): Sql =>
  sql`select "id", ${list(columns.map(id))} from ${id(table)} where "id" > ${slot(0)}${empty === undefined ? raw('') : sql` and ${id(empty)} is null`} order by "id" limit ${slot(1)}`;

/** Sets a column of a row: the value is slot 0, the id slot 1. */
export const compileSetValue = (table: string, column: string): Sql =>
  sql`update ${id(table)} set ${id(column)} = ${slot(0)} where "id" = ${slot(1)}`;

/** Sets a column of rows to one value, slot 0: slot 1 is the JSON of a list of lists with the id of each. */
export const compileSetValues = (dialect: Dialect, table: string, column: string): Sql =>
  sql`update ${id(table)} set ${id(column)} = ${slot(0)} where "id" in (select given."old" from ${dialect.unfold(slot(1), [OLD_AND_NEW[0]])} given)`;

/** The number of rows that have a value of a column which other documents have too, and of those values. */
export const compileSharedValues = (table: string, column: string, isDocument: boolean): Sql => {
  const documents = isDocument ? raw('count(distinct "document_id")') : raw('count(*)');
  return sql`select ${id(column)}, ${documents} from ${id(table)} where ${id(column)} is not null group by ${id(column)} having ${documents} > 1 order by 2 desc, 1 limit ${slot(0)}`;
};

export const compileDropColumn = (table: string, column: string): Sql =>
  sql`alter table ${id(table)} drop column ${id(column)}`;

export const compileDropTable = (table: string): Sql => sql`drop table ${id(table)}`;

/** The values of columns that move into a component in an attribute of the same rows. */
export interface IntoComponent {
  /** The table of the rows, and the one that ties them to components. */
  readonly table: string;
  readonly ties: string;
  readonly field: string;
  readonly component: string;
  /** The table of the component. */
  readonly components: string;
  /** Columns of the component with those of the rows. */
  readonly columns: readonly (readonly [to: string, from: string])[];
  readonly isRepeatable: boolean;
}

const tieOf = ({ field, component }: IntoComponent): Sql =>
  sql`e."entity_id" = t."id" and e."field" = ${literal(field)} and e."component_type" = ${literal(component)}`;

/** Components that exist get the values that they lack. */
export function compileIntoExisting(move: IntoComponent, to: string, from: string): Sql {
  const own = id(move.components);
  return sql`update ${own} set ${id(to)} = t.${id(from)} from ${id(move.ties)} e, ${id(move.table)} t
    where e."cmp_id" = ${own}."id" and ${tieOf(move)} and ${own}.${id(to)} is null and t.${id(from)} is not null`;
}

/** Rows with a value that have no component yet, with numbers from 1 on. */
function withoutComponent(move: IntoComponent): Sql {
  const has = join(
    move.columns.map(([, from]) => sql`t.${id(from)} is not null`),
    ' or ',
  );
  return sql`from ${id(move.table)} t where (${has}) and not exists (select 1 from ${id(move.ties)} e where ${tieOf(move)})`;
}

const numbered = raw('row_number() over (order by t."id")');

/** The largest id of a table, or 0. */
export const compileLastId = (table: string): Sql => sql`select coalesce(max("id"), 0) from ${id(table)}`;

/** New components with the values. @param last the last id of their table. */
export function compileNewComponents(move: IntoComponent, last: number): Sql {
  const columns = list(move.columns.map(([to]) => id(to)));
  const values = list(move.columns.map(([, from]) => sql`t.${id(from)}`));
  return sql`insert into ${id(move.components)} ("id", ${columns}) select ${last} + ${numbered}, ${values} ${withoutComponent(move)}`;
}

/** Ties the rows to their new components. */
export function compileNewTies(move: IntoComponent, last: number): Sql {
  const order = raw(move.isRepeatable ? '1' : 'null');
  return sql`insert into ${id(move.ties)} ("entity_id", "cmp_id", "component_type", "field", "order")
    select t."id", ${last} + ${numbered}, ${literal(move.component)}, ${literal(move.field)}, ${order} ${withoutComponent(move)}`;
}

/** Rows that have no locale get the default one (slot 0), unless their document has a row in it in their state. */
export const compileSetLocale = (table: string): Sql =>
  sql`update ${id(table)} set "locale" = ${slot(0)} where "locale" is null and not exists (select 1 from ${id(table)} y
    where y."document_id" = ${id(table)}."document_id" and y."locale" = ${slot(0)} and (y."published_at" is null) = (${id(table)}."published_at" is null))`;

export const compileClearLocale = (table: string): Sql =>
  sql`update ${id(table)} set "locale" = null where "locale" is not null`;

/** The ids of rows that another row of their document stands for once it has no locales: in the default one (slot 0) if there is one. */
export const compileOtherLocales = (table: string): Sql =>
  sql`select t."id" from ${id(table)} t where exists (select 1 from ${id(table)} y where y."document_id" = t."document_id" and y."id" <> t."id"
    and (y."published_at" is null) = (t."published_at" is null)
    and (case when y."locale" = ${slot(0)} then 0 else 1 end < case when t."locale" = ${slot(0)} then 0 else 1 end
      or (y."locale" = ${slot(0)}) is not distinct from (t."locale" = ${slot(0)}) and y."id" < t."id")) order by 1`;

/** The ids of published rows above slot 0 whose version has no draft, one of each version, at most as many as slot 1. */
export function compileDraftless(table: string): Sql {
  const version = areOneVersion(raw('y'), raw('t'));
  return sql`select t."id" from ${id(table)} t where t."id" > ${slot(0)} and t."published_at" is not null and not exists (
    select 1 from ${id(table)} y where ${version} and (y."published_at" is null or y."id" < t."id")) order by 1 limit ${slot(1)}`;
}

/** Those of some ids that a table has, in ascending order. Slot 0 is the JSON of a list of lists of one. */
export const compileExisting = (dialect: Dialect, table: string): Sql =>
  sql`select t."id" from ${dialect.unfold(slot(0), [OLD_AND_NEW[0]])} given join ${id(table)} t on t."id" = given."old" order by 1`;

/**
 * Copies rows: slot 0 is the JSON of a list of lists with the id of each. Returns the new ids, the n-th largest of the row
 * with the n-th largest id.
 *
 * @param values what takes the place of columns.
 */
export function compileCopyRows(
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  values: ReadonlyMap<string, Sql> = new Map(),
): Sql {
  const copied = list(columns.map((column) => values.get(column) ?? sql`t.${id(column)}`));
  return sql`insert into ${id(table)} (${list(columns.map(id))}) select ${copied}
    from ${dialect.unfold(slot(0), [OLD_AND_NEW[0]])} given join ${id(table)} t on t."id" = given."old" order by t."id" returning "id"`;
}

/**
 * Copies what belongs to rows in another table: slot 0 is the JSON of pairs of an old and a new id.
 *
 * @param source the column with the id of the row.
 * @param fixed a column and its value, in tables that belong to several types.
 */
export function compileCopyLinks(
  dialect: Dialect,
  table: string,
  source: string,
  columns: readonly string[],
  values: ReadonlyMap<string, Sql> = new Map(),
  fixed?: readonly [column: string, value: string],
): Sql {
  const copied = list(columns.map((column) => values.get(column) ?? sql`t.${id(column)}`));
  const only = fixed ? sql` where t.${id(fixed[0])} = ${literal(fixed[1])}` : raw('');
  return sql`insert into ${id(table)} (${list([source, ...columns].map(id))}) select given."new", ${copied}
    from ${dialect.unfold(slot(0), OLD_AND_NEW)} given join ${id(table)} t on t.${id(source)} = given."old"${only} order by t."id"`;
}

/** The ties of rows to components: slot 0 is the JSON of pairs of an old and a new id. */
export const compileTiesOf = (dialect: Dialect, ties: string): Sql =>
  sql`select t."cmp_id", t."component_type", given."new", t."field", t."order" from ${dialect.unfold(slot(0), OLD_AND_NEW)} given
    join ${id(ties)} t on t."entity_id" = given."old" order by t."id"`;

/** A copy that is a draft. */
export const UNPUBLISHED: ReadonlyMap<string, Sql> = new Map([['published_at', raw('null')]]);

/** The draft of the row to which a link of row `t` leads; the row itself if it has none. @param rows the table of the target. */
export function draftOfTarget(target: string, rows: string): Sql {
  const linked = sql`t.${id(target)}`;
  return sql`coalesce((select min(d."id") from ${id(rows)} p, ${id(rows)} d where p."id" = ${linked} and ${isDraftOf(raw('d'), raw('p'))}), ${linked})`;
}

/** The same for a link to one of several types. @param types the tables of types with drafts by their uids. */
export function draftOfTypedTarget(target: string, type: string, types: ReadonlyMap<string, string>): Sql {
  if (types.size === 0) return sql`t.${id(target)}`;
  const cases = Array.from(types, ([uid, rows]) => sql`when ${literal(uid)} then ${draftOfTarget(target, rows)}`);
  return sql`case t.${id(type)} ${join(cases, ' ')} else t.${id(target)} end`;
}

/** Statements that delete the entries of an attribute with everything inside them. @param ties the table that ties them to rows. */
export function compileDropEntries({ catalog, layout }: SchemaVersion, ties: string, field: string): Sql[] {
  return dropTied({ catalog, layout }, ties, sql`e."field" = ${literal(field)}`, []);
}

function dropTied(version: SchemaVersion, ties: string, chosen: Sql, above: readonly string[]): Sql[] {
  const inside = [...version.catalog.components.keys()].flatMap((uid): Sql[] => {
    if (above.includes(uid)) return [];
    const { table, componentsTable } = layoutOf(version.layout, uid);
    const ids = sql`select e."cmp_id" from ${id(ties)} e where ${chosen} and e."component_type" = ${literal(uid)}`;
    const nested =
      componentsTable === undefined
        ? []
        : dropTied(version, componentsTable, sql`e."entity_id" in (${ids})`, [...above, uid]);
    return [
      ...nested,
      sql`delete from ${id(FILES_RELATED_TABLE)} where "related_type" = ${literal(uid)} and "related_id" in (${ids})`,
      sql`delete from ${id(table)} where "id" in (${ids})`,
    ];
  });
  return [...inside, sql`delete from ${id(ties)} where "id" in (select e."id" from ${id(ties)} e where ${chosen})`];
}

/** Deletes the rows that attach files to an attribute of a type. */
export const compileDropFiles = (uid: string, field: string): Sql =>
  sql`delete from ${id(FILES_RELATED_TABLE)} where "related_type" = ${literal(uid)} and "field" = ${literal(field)}`;
