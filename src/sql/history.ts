/**
 * Versions of documents that were replaced or removed. Slots are in the order of the named values; times are epoch
 * milliseconds, apart from those of the rows themselves.
 */
import type { Dialect } from './dialect.ts';
import { id, list, literal, raw, type Sql, slot, sql } from './fragment.ts';

export const VERSIONS_TABLE = 'galley_versions';
export const TRASH_TABLE = 'galley_trash';
export const CONTENTS_TABLE = 'galley_version_contents';

/** Slots of `compileRecord`, after that of the row's id. */
export const RECORD = {
  row: 0,
  at: 1,
  kind: 2,
  actorKind: 3,
  actorId: 4,
  actorName: 5,
  since: 6,
  /** The same time as rows store it. */
  sinceAsStored: 7,
  administrator: 8,
} as const;

/** The source of a recorded version. */
export interface RecordedRow {
  readonly table: string;
  readonly uid: string;
  readonly status: 'draft' | 'published';
  readonly isLocalized: boolean;
  /** The columns of its administrators; undefined where attributes have their names. */
  readonly createdBy: string | undefined;
  readonly updatedBy: string | undefined;
  /** A scalar query of the row's content as JSON text, with the row's id in slot `RECORD.row`. */
  readonly content: Sql;
}

/**
 * Records the present state of a row. Values: those of `RECORD`.
 *
 * @param isMerged whether nothing is recorded if the same actor has replaced a state of the row since a time: the states
 *   in between are one.
 */
export function compileRecord(
  dialect: Dialect,
  { table, uid, status, isLocalized, createdBy, updatedBy, content }: RecordedRow,
  isMerged: boolean,
): Sql {
  const versions = id(VERSIONS_TABLE);
  const columns = [
    'content_type',
    'document_id',
    'locale',
    'status',
    'row_id',
    'changed_at',
    'created_by_id',
    'changed_by_id',
    'replaced_at',
    'reason',
    'actor_kind',
    'actor_id',
    'actor_name',
    'content',
  ];
  const values = [
    literal(uid),
    sql`own."document_id"`,
    isLocalized ? sql`own."locale"` : raw('null'),
    literal(status),
    sql`own."id"`,
    // the draft from which a published row was copied may be older than its publication
    status === 'published' ? sql`own."published_at"` : sql`own."updated_at"`,
    createdBy === undefined ? raw('null') : sql`own.${id(createdBy)}`,
    updatedBy === undefined ? raw('null') : sql`own.${id(updatedBy)}`,
    slot(RECORD.at),
    slot(RECORD.kind),
    slot(RECORD.actorKind),
    slot(RECORD.actorId),
    slot(RECORD.actorName),
    sql`(${content})`,
  ];
  const isOwn = (kind: Sql, actor: Sql): Sql =>
    sql`${kind} = ${slot(RECORD.actorKind)} and ${dialect.same(actor, slot(RECORD.actorId))}`;
  const latest = sql`select case when former."replaced_at" > ${slot(RECORD.since)}
    and ${isOwn(sql`former."actor_kind"`, sql`former."actor_id"`)} then 0 else 1 end
    from ${versions} former where former."document_id" = own."document_id" and former."content_type" = ${literal(uid)}
    and former."row_id" = own."id" order by former."id" desc limit 1`;
  const isFirst = sql`case when own."created_at" > ${slot(RECORD.sinceAsStored)}
    and ${createdBy === undefined ? raw('1 = 1') : dialect.same(sql`own.${id(createdBy)}`, slot(RECORD.administrator))} then 0 else 1 end`;
  const merged = isMerged ? sql` and coalesce((${latest}), ${isFirst}) = 1` : raw('');
  return sql`insert into ${versions} (${list(columns.map(id))}) select ${list(values)}
    from ${id(table)} own where own."id" = ${slot(RECORD.row)}${merged}`;
}

/** Columns of a version, in the order of `compileVersions`. */
const SHOWN = [
  'id',
  'status',
  'locale',
  'changed_at',
  'replaced_at',
  'reason',
  'actor_kind',
  'actor_id',
  'actor_name',
] as const;

/** The actor who replaced the state before the recorded one, and the administrator who changed the row last. */
const AUTHOR = sql`before."actor_kind", before."actor_id", before."actor_name",
  author."id", author."firstname", author."lastname", author."username"`;

const WITH_AUTHOR = sql`left join ${id(VERSIONS_TABLE)} before on before."id" = (
    select max(earlier."id") from ${id(VERSIONS_TABLE)} earlier where earlier."document_id" = own."document_id"
    and earlier."content_type" = own."content_type" and earlier."row_id" = own."row_id" and earlier."id" < own."id")
  left join "admin_users" author on author."id" = own."changed_by_id"`;

const SHOWN_COLUMNS = list(SHOWN.map((name) => sql`own.${id(name)}`));

/** The condition on versions of a document: slot 0 is its id, slot 1 the type. */
const OF_DOCUMENT = sql`own."document_id" = ${slot(0)} and own."content_type" = ${slot(1)}`;

/** The condition on a locale of versions `own`: one of a JSON list of lists of one, in a slot. */
export function inLocales(dialect: Dialect, locales: Sql): Sql {
  const codes = dialect.unfold(locales, [{ name: 'wanted', kind: 'text' }]);
  return sql`own."locale" in (select given."wanted" from ${codes} given)`;
}

const ofLocales = (dialect: Dialect, hasLocales: boolean): Sql =>
  hasLocales ? sql`${OF_DOCUMENT} and ${inLocales(dialect, slot(2))}` : OF_DOCUMENT;

/**
 * Versions of a document, the last one first: the columns of `SHOWN` and the author. Values: document id, type, the
 * locales if there are some (`inLocales`), the limit, the offset.
 */
export function compileVersions(dialect: Dialect, hasLocales: boolean): Sql {
  const next = hasLocales ? 3 : 2;
  return sql`select ${SHOWN_COLUMNS}, ${AUTHOR} from ${id(VERSIONS_TABLE)} own ${WITH_AUTHOR}
    where ${ofLocales(dialect, hasLocales)} order by own."id" desc limit ${slot(next)} offset ${slot(next + 1)}`;
}

/** The number of versions. Values: document id, type, the locales if there are some. */
export function compileVersionCount(dialect: Dialect, hasLocales: boolean): Sql {
  return sql`select count(*) from ${id(VERSIONS_TABLE)} own where ${ofLocales(dialect, hasLocales)}`;
}

/** One version: the columns of `compileVersions`, its content and its packed content. Values: document id, type, id. */
export function compileVersion(): Sql {
  return sql`select ${SHOWN_COLUMNS}, ${AUTHOR}, own."content", packed."packed" from ${id(VERSIONS_TABLE)} own ${WITH_AUTHOR}
    left join ${id(CONTENTS_TABLE)} packed on packed."id" = own."content_id"
    where ${OF_DOCUMENT} and own."id" = ${slot(2)}`;
}

/**
 * The published state of a document that was the first to be replaced or removed since a time: its id, and when it was
 * published. Values: document id, type, the time, the locale if there is one.
 */
export function compilePublishedBefore(isOfLocale: boolean): Sql {
  const locale = isOfLocale ? sql`own."locale" = ${slot(3)}` : sql`own."locale" is null`;
  return sql`select own."id", own."changed_at" from ${id(VERSIONS_TABLE)} own
    where ${OF_DOCUMENT} and own."status" = 'published' and own."replaced_at" >= ${slot(2)} and ${locale}
    order by own."id" limit 1`;
}

/** The existing versions of documents: id and locale. Slot 0 is the JSON of a list of lists of one id. */
export function compileExistingDocuments(dialect: Dialect, table: string): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'text' }]);
  return sql`select distinct "document_id", "locale" from ${id(table)} where "document_id" in (select given."wanted" from ${ids} given)`;
}

/** Existing files: slot 0 is the JSON of a list of lists of one. */
export function compileExistingFiles(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'integer' }]);
  return sql`select "id" from "files" where "id" in (select given."wanted" from ${ids} given)`;
}

/** Versions whose content is not packed: id, content. Value: their number. */
export function compileUnpacked(): Sql {
  return sql`select "id", "content" from ${id(VERSIONS_TABLE)} where "content_id" is null and "content" is not null
    order by "id" limit ${slot(0)}`;
}

/** Stores a packed content unless it is there. Values: its hash, the packed content. */
export function compileAddContent(): Sql {
  return sql`insert into ${id(CONTENTS_TABLE)} ("hash", "packed") values (${slot(0)}, ${slot(1)}) on conflict ("hash") do nothing`;
}

/** Moves the content of a version to a packed one. Values: its hash, the id of the version. */
export function compilePack(): Sql {
  return sql`update ${id(VERSIONS_TABLE)} set "content" = null,
    "content_id" = (select "id" from ${id(CONTENTS_TABLE)} where "hash" = ${slot(0)}) where "id" = ${slot(1)}`;
}

/** Whether a version is not the last publication of its document in its locale. */
function hasLaterPublication(dialect: Dialect): Sql {
  const later = sql`select 1 from ${id(VERSIONS_TABLE)} later where later."document_id" = own."document_id"
    and later."content_type" = own."content_type" and later."status" = 'published' and later."id" > own."id"
    and ${dialect.same(sql`later."locale"`, sql`own."locale"`)}`;
  return sql`(own."status" = 'draft' or exists (${later}))`;
}

/** The condition on versions that no deletion in the trash needs. */
const NOT_IN_TRASH = sql`(own."reason" <> 'deleted' or not exists (select 1 from ${id(TRASH_TABLE)} deleted
  where deleted."document_id" = own."document_id" and deleted."content_type" = own."content_type"))`;

/**
 * Deletes versions of a type that were replaced before a time, apart from last publications; `returning "id",
 * "content_id"`. Values: type, time, the most rows.
 */
export function compileForgetOld(dialect: Dialect): Sql {
  return sql`delete from ${id(VERSIONS_TABLE)} where "id" in (select own."id" from ${id(VERSIONS_TABLE)} own
    where own."content_type" = ${slot(0)} and own."replaced_at" < ${slot(1)} and ${hasLaterPublication(dialect)} and ${NOT_IN_TRASH}
    order by own."replaced_at" limit ${slot(2)}) returning "id", "content_id"`;
}

/** Documents with versions after an id, in the order of ids: id, type, document id, locale. Values: the id, their number. */
export function compileChangedDocuments(): Sql {
  return sql`select "id", "content_type", "document_id", "locale" from ${id(VERSIONS_TABLE)} where "id" > ${slot(0)}
    order by "id" limit ${slot(1)}`;
}

/**
 * Deletes versions of a document in a locale beyond a number, apart from the last publication; `returning "id",
 * "content_id"`. Values: document id, type, the number, the most rows, the locale.
 */
export function compileForgetSurplus(dialect: Dialect, isOfLocale: boolean): Sql {
  const locale = isOfLocale ? sql`own."locale" = ${slot(4)}` : sql`own."locale" is null`;
  return sql`delete from ${id(VERSIONS_TABLE)} where "id" in (select "id" from (
    select own."id", (${hasLaterPublication(dialect)} and ${NOT_IN_TRASH}) as "old" from ${id(VERSIONS_TABLE)} own
    where ${OF_DOCUMENT} and ${locale} order by own."id" desc limit ${slot(3)} offset ${slot(2)}) surplus where "old")
    returning "id", "content_id"`;
}

/** Deletes packed contents without versions. Slot 0 is the JSON of a list of lists of one id. */
export function compileForgetContents(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'integer' }]);
  return sql`delete from ${id(CONTENTS_TABLE)} where "id" in (select given."wanted" from ${ids} given)
    and not exists (select 1 from ${id(VERSIONS_TABLE)} own where own."content_id" = ${id(CONTENTS_TABLE)}."id")`;
}
