/** Statements for changes of the schema: how many documents have content in a place, and moving content with its names. */
import type { Counted } from '../schema/editing/differences.ts';
import type { ComponentOwner, Place } from '../schema/editing/places.ts';
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
 * Removes links from drafts to published rows whose drafts are linked too.
 *
 * @param sources the table of the type with the links, which has drafts.
 */
export function compileUnlinkPublished(links: LinksToDrafts, rows: string, sources: string): Sql {
  const { table, source } = links;
  const doubled = sql`select l."id" from ${id(table)} l, ${id(sources)} s, ${linkedPairs(links, rows, isPublishedOf)}
    and s."id" = l.${id(source)} and s."published_at" is null and exists ${sameLink(links, 'b')}`;
  return sql`delete from ${id(table)} where "id" in (${doubled})`;
}

/** Columns of drafts with the id of a published row get that of its draft. */
export function compileMoveToDrafts(sources: string, column: string, rows: string): Sql {
  const draft = sql`select d."id" from ${id(rows)} p, ${id(rows)} d where p."id" = ${id(sources)}.${id(column)} and ${isDraftOf(raw('d'), raw('p'))}`;
  return sql`update ${id(sources)} set ${id(column)} = (${draft}) where "published_at" is null and exists (${draft})`;
}
