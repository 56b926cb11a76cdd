/**
 * Deleted documents, files and folders, and the links that were removed with them. Slots are in the order of the named
 * values; times are epoch milliseconds.
 */
import type { IncomingPlan, LinkPlan } from '../plan/link-plan.ts';
import { PENDING_TABLE } from '../schema/layout/table.ts';
import type { Dialect } from './dialect.ts';
import { id, join, list, literal, raw, type Sql, slot, slots, sql } from './fragment.ts';
import { TRASH_TABLE, VERSIONS_TABLE } from './history.ts';
import type { RowLinks } from './review.ts';
import type { TypeLinks } from './row-links.ts';

export const RESTORED_ROWS_TABLE = 'galley_restored_rows';

/** The most links of a document that are recorded, and bytes of more than that. */
const RECORDED_LINKS = 10_000;
const LONGEST = 100_000_000;

/**
 * How a removed row took part in a recorded link: it stored it, was its target, waited for it, or was waited for. What
 * its version does not contain is recorded like links: the hashes of its passwords, its stage and its assignee.
 */
export type LinkSide = 'source' | 'target' | 'waiting' | 'awaited' | 'password' | 'stage' | 'assignee';

/** The relations by which rows of a type are linked. */
export interface LinkedType {
  readonly uid: string;
  readonly table: string;
  /** Whether links may wait for the publication of its documents, or of those that they link. */
  readonly hasDrafts: boolean;
  /** Relations whose links lead to rows of the type. */
  readonly incoming: readonly IncomingPlan[];
  /** Relations whose links the rows store and that their contents do not suffice to restore. */
  readonly shown: readonly LinkPlan[];
  /** Its passwords, with their columns. */
  readonly passwords: ReadonlyMap<string, string>;
  /** The columns that are recorded, of types without versions. */
  readonly columns?: readonly string[];
  /** The table of media links, for files. */
  readonly media?: string;
  /** Where its rows have stages of review; undefined for a type without stages. */
  readonly review: TypeLinks | undefined;
}

/**
 * Records a deletion that cannot be restored, so that the upkeep deletes the versions of its rows. Values: the ids of the
 * rows, and then as `compileRecordDeletion`.
 *
 * @param count the number of rows.
 */
export function compileRecordRemoval(uid: string, count: number): Sql {
  const columns = ['content_type', 'document_id', 'rows', 'deleted_at', 'actor_kind', 'actor_id', 'actor_name'];
  const [rows, actor] = [slot(2 * count + 1), slots(2 * count + 3, 3)];
  return sql`insert into ${id(TRASH_TABLE)} (${list(columns.map(id))})
    select ${literal(uid)}, ${slot(count)}, ${rows}, 0, ${actor}`;
}

/**
 * Records a deletion before it happens, with the links that it ends. Values: the ids of the rows, the document, the
 * locale of each row, and then the JSON of the rows (`RemovedRow`), the time, and kind, id and name of the actor; for a
 * type whose columns are recorded also the folder with which it is deleted.
 *
 * @param count the number of rows.
 */
export function compileRecordDeletion(
  dialect: Dialect,
  type: LinkedType,
  count: number,
  tableOf: (uid: string) => string,
): Sql {
  const rows = slots(0, count);
  // what must not be missing comes first: the number of links is limited
  const queries = [
    ...Array.from(type.passwords, ([name, column]) => passwordOf(type, name, column, rows)),
    ...(type.media === undefined ? [] : [mediaLinks(type.media, rows)]),
    ...(type.review ? [reviewOf(type, 'stage', type.review.stage, rows)] : []),
    ...(type.review ? [reviewOf(type, 'assignee', type.review.assignee, rows)] : []),
    ...type.incoming.map((plan) => incomingLinks(type.uid, plan, tableOf(plan.model.uid), rows)),
    ...type.shown.flatMap((plan) => ownLinks(type, plan, tableOf, rows) ?? []),
    ...(type.hasDrafts ? pendingLinks(type.uid, count) : []),
  ];
  const links = queries.length === 0 ? literal('[]') : linksOf(dialect, queries);
  const first = 2 * count + 1;
  const columns = [
    'content_type',
    'document_id',
    'rows',
    'deleted_at',
    'actor_kind',
    'actor_id',
    'actor_name',
    'links',
  ];
  const values = [literal(type.uid), slot(count), slots(first, 5), links];
  if (type.columns) {
    columns.push('content', 'folder');
    values.push(contentOf(dialect, type.table, type.columns, rows), slot(first + 5));
  }
  return sql`insert into ${id(TRASH_TABLE)} (${list(columns.map(id))})
    select ${list(values)}`;
}

/** The links of some queries as a JSON list. */
function linksOf(dialect: Dialect, queries: readonly LinkQuery[]): Sql {
  const objects = queries.map((values) => linkObject(dialect, values));
  const all = dialect.json.array(raw('links."v"'), false, LONGEST);
  return sql`(select cast(${all} as text) from (${join(objects, ' union all ')} limit ${RECORDED_LINKS}) links)`;
}

/** The columns of rows as a JSON list of objects of texts. */
function contentOf({ json }: Dialect, table: string, columns: readonly string[], rows: Sql): Sql {
  const members = columns.map((key) => {
    return { key, value: sql`cast(l.${id(key)} as text)`, form: 'scalar' } as const;
  });
  const all = json.array(raw('own."v"'), false, LONGEST);
  return sql`(select cast(${all} as text) from (
    select ${json.object(members)} as "v" from ${id(table)} l where l."id" in (${rows}) order by l."id") own)`;
}

/** A query of links: the parts of a link, and the rows that it is read from. */
interface LinkQuery {
  readonly row: Sql;
  readonly side: LinkSide;
  readonly holder: Sql;
  readonly attribute: Sql;
  readonly field?: Sql;
  readonly otherType: Sql;
  readonly other?: Sql;
  readonly otherDocument?: Sql;
  readonly otherLocale?: Sql;
  readonly otherPublished?: Sql;
  /** The columns of its places in the lists of both sides. */
  readonly order?: string | null;
  readonly inverse?: string | null;
  readonly from: Sql;
}

/** A recorded link, without the parts that it lacks. */
export interface StoredTrashLink {
  /** The removed row. */
  readonly row: number;
  readonly side: LinkSide;
  /** The type or component that has the attribute. */
  readonly holder: string;
  readonly attribute: string;
  /** The attribute that a link to any type was written from. */
  readonly field?: string | null;
  /** The row at the other end, and its document, by which it is found if it has another row by now. */
  readonly otherType: string;
  readonly other?: number | null;
  readonly otherDocument?: string | null;
  readonly otherLocale?: string | null;
  /** 1 if the row was published. */
  readonly otherPublished?: number | null;
  /** Its places in the lists of both sides. */
  readonly order?: number | null;
  readonly inverse?: number | null;
}

function linkObject({ json }: Dialect, { row, side, order = null, inverse = null, from, ...parts }: LinkQuery): Sql {
  const columns = { order, inverse };
  const members = [
    { key: 'row', value: row },
    { key: 'side', value: literal(side) },
    ...Object.entries(parts).map(([key, value]) => ({ key, value })),
    ...Object.entries(columns).flatMap(([key, column]) =>
      column === null ? [] : [{ key, value: sql`l.${id(column)}` }],
    ),
  ];
  const object = json.object(members.map((member) => ({ ...member, form: 'scalar' })));
  return sql`select ${object} as "v" from ${from}`;
}

/** The document of a row, by the alias of its table. */
const documentOf = (alias: 'l' | 'o') => {
  const column = (name: string): Sql => sql`${raw(alias)}.${id(name)}`;
  return {
    otherDocument: column('document_id'),
    otherLocale: column('locale'),
    otherPublished: sql`case when ${column('published_at')} is null then 0 else 1 end`,
  };
};

function incomingLinks(uid: string, { model, attribute, place }: IncomingPlan, table: string, rows: Sql): LinkQuery {
  const values = {
    side: 'target',
    holder: literal(model.uid),
    attribute: literal(attribute.name),
    otherType: literal(model.uid),
  } as const;
  const isDocument = model.modelType === 'contentType';
  if (place.kind !== 'table') {
    const row = sql`l.${id(place.kind === 'own' ? place.column : place.id)}`;
    const ofType = place.kind === 'own' ? raw('') : sql` and l.${id(place.type)} = ${literal(uid)}`;
    const from = sql`${id(table)} l where ${row} in (${rows})${ofType}`;
    return { ...values, row, other: sql`l."id"`, ...(isDocument && documentOf('l')), from };
  }
  const [field] = Object.keys(place.added);
  const row = sql`l.${id(place.target)}`;
  const tests = [sql`${row} in (${rows})`];
  for (const [name, value] of Object.entries(place.fixed)) tests.push(sql`l.${id(name)} = ${literal(value)}`);
  if (place.targetType !== null) tests.push(sql`l.${id(place.targetType)} = ${literal(uid)}`);
  return {
    ...values,
    row,
    ...(field === undefined ? {} : { field: sql`l.${id(field)}` }),
    other: sql`l.${id(place.source)}`,
    ...(isDocument && documentOf('o')),
    order: place.order,
    inverse: place.inverseOrder,
    from: sql`${id(place.table)} l ${isDocument ? joined(table, place.source) : raw('')} where ${join(tests, ' and ')}`,
  };
}

/** The rows at the other ends of links. */
const joined = (table: string, column: string): Sql => sql`left join ${id(table)} o on o."id" = l.${id(column)}`;

function ownLinks(
  { uid, table }: LinkedType,
  { attribute, place }: LinkPlan,
  tableOf: (uid: string) => string,
  rows: Sql,
): LinkQuery | undefined {
  if (attribute.type !== 'relation') return undefined;
  const values = { side: 'source', holder: literal(uid), attribute: literal(attribute.name) } as const;
  const { target } = attribute;
  if (place.kind === 'table' && target !== undefined) {
    const row = sql`l.${id(place.source)}`;
    const from = sql`${id(place.table)} l ${joined(tableOf(target), place.target)} where ${row} in (${rows})`;
    const end = { otherType: literal(target), other: sql`l.${id(place.target)}`, ...documentOf('o') };
    return { ...values, row, ...end, order: place.order, inverse: place.inverseOrder, from };
  }
  if (place.kind !== 'own' && place.kind !== 'ownMorph') return undefined;
  const column = place.kind === 'own' ? place.column : place.id;
  const other = sql`l.${id(column)}`;
  const otherType = place.kind === 'ownMorph' ? sql`l.${id(place.type)}` : target && literal(target);
  const isOfOne = place.kind === 'own' && target !== undefined;
  const document = isOfOne ? joined(tableOf(target), column) : raw('');
  const from = sql`${id(table)} l ${document} where l."id" in (${rows}) and ${other} is not null`;
  const end = { other, ...(isOfOne && documentOf('o')) };
  return otherType ? { ...values, row: sql`l."id"`, ...end, otherType, from } : undefined;
}

function passwordOf({ uid, table }: LinkedType, name: string, column: string, rows: Sql): LinkQuery {
  const [type, hash] = [literal(uid), sql`l.${id(column)}`];
  const place = { side: 'password', holder: type, attribute: literal(name), otherType: type } as const;
  const from = sql`${id(table)} l where l."id" in (${rows}) and ${hash} is not null`;
  return { ...place, row: sql`l."id"`, otherDocument: hash, from };
}

/** The links of documents and components to files. */
function mediaLinks(table: string, rows: Sql): LinkQuery {
  const type = sql`l."related_type"`;
  return {
    ...{ side: 'target', row: sql`l."file_id"`, holder: type, attribute: sql`l."field"`, otherType: type },
    ...{ other: sql`l."related_id"`, order: 'order' },
    from: sql`${id(table)} l where l."file_id" in (${rows})`,
  };
}

function reviewOf({ uid }: LinkedType, side: 'stage' | 'assignee', { link, targets }: RowLinks, rows: Sql): LinkQuery {
  const row = sql`l.${id(link.source)}`;
  const place = { side, holder: literal(uid), attribute: literal(side), otherType: literal(targets) } as const;
  const from = sql`${id(link.table)} l where ${row} in (${rows})`;
  return { ...place, row, other: sql`l.${id(link.target)}`, from };
}

/** The links that wait for a publication: those to a document, which count as its first row's, and those of its rows. */
function pendingLinks(uid: string, count: number): LinkQuery[] {
  const values = {
    holder: sql`l."source_type"`,
    attribute: sql`l."attribute"`,
    otherDocument: sql`l."target_document_id"`,
    otherLocale: sql`l."target_locale"`,
    order: 'link_order',
    inverse: 'inverse_order',
  } as const;
  const toIt = sql`l."target_type" = ${literal(uid)} and l."target_document_id" = ${slot(count)}
    and coalesce(l."target_locale", '') in (${slots(count + 1, count)})`;
  const ofIt = sql`l."source_type" = ${literal(uid)} and l."source_id" in (${slots(0, count)})`;
  const table = id(PENDING_TABLE);
  return [
    {
      ...values,
      side: 'awaited',
      row: sql`cast(${slot(0)} as integer)`,
      otherType: values.holder,
      other: sql`l."source_id"`,
      from: sql`${table} l where ${toIt}`,
    },
    {
      ...values,
      side: 'waiting',
      row: sql`l."source_id"`,
      otherType: sql`l."target_type"`,
      from: sql`${table} l where ${ofIt}`,
    },
  ];
}

/** Columns of a deletion, in the order of `compileDeletions`. */
const DELETION = list(
  ['id', 'content_type', 'document_id', 'rows', 'deleted_at', 'actor_kind', 'actor_id', 'actor_name'].map(
    (name) => sql`own.${id(name)}`,
  ),
);

/** The condition on deletions that can be restored. */
const IS_COMPLETE = sql`own."deleted_at" > 0`;

/** What a list of deletions is narrowed to. */
export interface DeletionFilter {
  readonly ofDocument: boolean;
  readonly byActor: boolean;
  readonly from: boolean;
  readonly until: boolean;
}

/**
 * Deletions of types, the last one first. Values: the JSON of a list of lists of one type, the id before which they
 * begin, their number, then those of the filter: document id, kind and id of the actor, the first time, the time after the last one.
 */
export function compileDeletions(dialect: Dialect, filter: DeletionFilter): Sql {
  const types = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'text' }]);
  const tests = [
    sql`own."content_type" in (select given."wanted" from ${types} given)`,
    sql`own."id" < ${slot(1)}`,
    IS_COMPLETE,
  ];
  let next = 3;
  if (filter.ofDocument) tests.push(sql`own."document_id" = ${slot(next++)}`);
  if (filter.byActor) {
    tests.push(sql`own."actor_kind" = ${slot(next)}`, dialect.same(sql`own."actor_id"`, slot(next + 1)));
    next += 2;
  }
  if (filter.from) tests.push(sql`own."deleted_at" >= ${slot(next++)}`);
  if (filter.until) tests.push(sql`own."deleted_at" < ${slot(next++)}`);
  return sql`select ${DELETION} from ${id(TRASH_TABLE)} own where ${join(tests, ' and ')}
    order by own."id" desc limit ${slot(2)}`;
}

/** One deletion. Value: its id. */
export function compileDeletion(): Sql {
  return sql`select ${DELETION} from ${id(TRASH_TABLE)} own where own."id" = ${slot(0)} and ${IS_COMPLETE}`;
}

/** The oldest deletions before a time. Values: the time, their number, the number of older ones that are left out. */
export function compileOldDeletions(): Sql {
  return sql`select ${DELETION} from ${id(TRASH_TABLE)} own where own."deleted_at" < ${slot(0)}
    order by own."deleted_at", own."id" limit ${slot(1)} offset ${slot(2)}`;
}

/**
 * The deletions of what was deleted with a folder, the first one first. Values: the folder, their number.
 *
 * @param isMarked whether those are meant whose files are being removed, or the others.
 */
export function compileDeletionsIn(isMarked: boolean): Sql {
  const test = isMarked ? raw('own."deleted_at" = 0') : IS_COMPLETE;
  return sql`select ${DELETION} from ${id(TRASH_TABLE)} own where own."folder" = ${slot(0)} and ${test}
    order by own."id" limit ${slot(1)}`;
}

/** The number of deletions of what was deleted with a folder. Value: the folder. */
export function compileCountIn(): Sql {
  return sql`select count(*) from ${id(TRASH_TABLE)} own where own."folder" = ${slot(0)} and ${IS_COMPLETE}`;
}

/** The recorded columns of the rows of a deletion, as JSON. Value: its id. */
export function compileRecordedColumns(): Sql {
  return sql`select "content" from ${id(TRASH_TABLE)} where "id" = ${slot(0)}`;
}

/**
 * The recorded columns of deletions of a type, in the order of ids: id, JSON. Values: the type, the id after which they
 * begin, their number.
 */
export function compileColumnsOfType(): Sql {
  return sql`select "id", "content" from ${id(TRASH_TABLE)} where "content_type" = ${slot(0)} and "id" > ${slot(1)}
    order by "id" limit ${slot(2)}`;
}

/**
 * Marks a deletion, before what is stored of it is removed: it can no longer be restored; `returning "id"`. Value: its id.
 */
export function compileMarkDeletion(): Sql {
  return sql`update ${id(TRASH_TABLE)} set "deleted_at" = 0 where "id" = ${slot(0)} returning "id"`;
}

/** Marks in the same way what was deleted with a folder. Value: the folder. */
export function compileMarkDeletionsIn(): Sql {
  return sql`update ${id(TRASH_TABLE)} set "deleted_at" = 0 where "folder" = ${slot(0)}`;
}

/** The id of the last deletion that is older than a number of others: one row, or none. Value: the number. */
export function compileLastBeyond(): Sql {
  return sql`select "id" from ${id(TRASH_TABLE)} order by "id" desc limit 1 offset ${slot(0)}`;
}

/** Has deletions up to an id be removed, which can no longer be restored; `returning "id"`. Values: the id, the most rows. */
export function compileEndDeletions(): Sql {
  return sql`update ${id(TRASH_TABLE)} set "deleted_at" = 0 where "id" in (select own."id" from ${id(TRASH_TABLE)} own
    where own."id" <= ${slot(0)} and ${IS_COMPLETE} order by own."id" limit ${slot(1)}) returning "id"`;
}

/** The links that a deletion has ended, as JSON. Value: its id. */
export function compileRecordedLinks(): Sql {
  return sql`select "links" from ${id(TRASH_TABLE)} where "id" = ${slot(0)}`;
}

/** A row if a table has one with an id. Value: the id. */
export function compileHasRow(table: string): Sql {
  return sql`select 1 from ${id(table)} where "id" = ${slot(0)}`;
}

/**
 * The rows that restored rows of a type have now: the id before and now. Values: the type, the JSON of a list of
 * lists of one id.
 */
export function compileRestoredRows(dialect: Dialect): Sql {
  const rows = dialect.unfold(slot(1), [{ name: 'wanted', kind: 'integer' }]);
  return sql`select "former_id", "row_id" from ${id(RESTORED_ROWS_TABLE)}
    where "content_type" = ${slot(0)} and "former_id" in (select given."wanted" from ${rows} given)`;
}

/** Deletions of rows of a type: document id, rows. Values: the type, the JSON of a list of lists of one id. */
export function compileDeletionsOfRows(dialect: Dialect): Sql {
  const rows = dialect.unfold(slot(1), [{ name: 'wanted', kind: 'integer' }]);
  const removed = dialect.unfold(raw('deleted."rows"'), [{ name: 'row', kind: 'integer' }]);
  return sql`select deleted."document_id", deleted."rows" from ${id(TRASH_TABLE)} deleted
    where deleted."content_type" = ${slot(0)} and exists (select 1 from ${removed} removed
      where removed."row" in (select given."wanted" from ${rows} given))`;
}

/** Forgets rows of documents that were restored before a time; `returning "id"`. Values: the time, the most rows. */
export function compileForgetRestoredRows(): Sql {
  return sql`delete from ${id(RESTORED_ROWS_TABLE)} where "id" in (select "id" from ${id(RESTORED_ROWS_TABLE)}
    where "restored_at" < ${slot(0)} order by "restored_at" limit ${slot(1)}) returning "id"`;
}

/**
 * The last recorded state of each of some rows: id of the version, row, creator, last editor. Values: the type, the
 * JSON of a list of lists of one id, the document.
 */
export function compileRemovedVersions(dialect: Dialect): Sql {
  const rows = dialect.unfold(slot(1), [{ name: 'wanted', kind: 'integer' }]);
  return sql`select own."id", own."row_id", own."created_by_id", own."changed_by_id" from ${id(VERSIONS_TABLE)} own
    where own."content_type" = ${slot(0)} and own."document_id" = ${slot(2)} and own."reason" = 'deleted'
    and own."row_id" in (select given."wanted" from ${rows} given) order by own."id"`;
}

/**
 * Takes a deletion out of the trash; `returning "id"`. Value: its id.
 *
 * @param isMarked whether what is stored of it was removed; otherwise, a marked deletion stays.
 */
export function compileTakeDeletion(isMarked: boolean): Sql {
  const test = isMarked ? raw('') : sql` and "deleted_at" > 0`;
  return sql`delete from ${id(TRASH_TABLE)} where "id" = ${slot(0)}${test} returning "id"`;
}

/**
 * A row if a document has rows in a locale, or if there are deletions of such rows. Values: type, document, locale.
 *
 * @param table that of the type; undefined if it no longer exists.
 */
export function compileIsLeft(dialect: Dialect, table: string | undefined, isLocalized: boolean): Sql {
  const rows = dialect.unfold(raw('deleted."rows"'), [
    { name: 'row', kind: 'integer' },
    { name: 'locale', kind: 'text' },
  ]);
  const deleted = sql`select 1 from ${id(TRASH_TABLE)} deleted
    where deleted."content_type" = ${slot(0)} and deleted."document_id" = ${slot(1)}
    and exists (select 1 from ${rows} removed where ${dialect.same(sql`removed."locale"`, slot(2))})`;
  if (table === undefined) return deleted;
  const ofLocale = isLocalized ? sql` and ${dialect.same(sql`"locale"`, slot(2))}` : raw('');
  return sql`${deleted} union all select 1 from ${id(table)} where "document_id" = ${slot(1)}${ofLocale} limit 1`;
}

/**
 * Deletes versions of rows; `returning "id", "content_id"`. Values: the type, the JSON of a list of lists of one row id,
 * the document.
 */
export function compileForgetVersionsOfRows(dialect: Dialect): Sql {
  const rows = dialect.unfold(slot(1), [{ name: 'wanted', kind: 'integer' }]);
  return sql`delete from ${id(VERSIONS_TABLE)} where "content_type" = ${slot(0)} and "document_id" = ${slot(2)}
    and "row_id" in (select given."wanted" from ${rows} given) returning "id", "content_id"`;
}

/** Deletes versions of a document in a locale; `returning "id", "content_id"`. Values: type, document, locale or null. */
export function compileForgetVersions(dialect: Dialect): Sql {
  return sql`delete from ${id(VERSIONS_TABLE)} where "content_type" = ${slot(0)} and "document_id" = ${slot(1)}
    and ${dialect.same(sql`"locale"`, slot(2))} returning "id", "content_id"`;
}
