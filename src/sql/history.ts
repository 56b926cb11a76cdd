/**
 * Versions of documents that were replaced or removed. Slots are in the order of the named values; times are epoch
 * milliseconds, apart from those of the rows themselves.
 */
import type { Dialect } from './dialect.ts';
import { id, list, literal, raw, type Sql, slot, slots, sql } from './fragment.ts';

export const VERSIONS_TABLE = 'galley_versions';
export const TRASH_TABLE = 'galley_trash';
export const CONTENTS_TABLE = 'galley_version_contents';

/** The columns of a version apart from its id and its content. */
const COLUMNS = [
  ...['content_type', 'document_id', 'locale', 'status', 'row_id', 'changed_at', 'created_by_id', 'changed_by_id'],
  ...['replaced_at', 'reason', 'actor_kind', 'actor_id', 'actor_name'],
];

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
  const columns = [...COLUMNS, 'content'];
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
  // of creators only administrators are stored
  const isFirst =
    createdBy === undefined
      ? raw('1')
      : sql`case when own."created_at" > ${slot(RECORD.sinceAsStored)}
    and own.${id(createdBy)} = ${slot(RECORD.administrator)} then 0 else 1 end`;
  const merged = isMerged ? sql` and coalesce((${latest}), ${isFirst}) = 1` : raw('');
  return sql`insert into ${versions} (${list(columns.map(id))}) select ${list(values)}
    from ${id(table)} own where own."id" = ${slot(RECORD.row)}${merged}`;
}

/**
 * The JSON object of a scalar query as text, with further members before its own.
 *
 * @param members each with a comma after it.
 */
export const compileWithMembers = (content: Sql, members: string): Sql =>
  sql`${literal(`{${members}`)} || substr(cast((${content}) as text), 2)`;

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

/** The versions of a document to which a statement is limited. */
export interface VersionScope {
  /** Whether there is a list of locales (`inLocales`), which is the first value. */
  readonly hasLocales: boolean;
  /** Whether versions are left out that were replaced before a time, or before the last deletion in their locale. */
  readonly isSince: boolean;
}

const scoped = (dialect: Dialect, { hasLocales, isSince }: VersionScope): Sql => {
  const time = slot(hasLocales ? 3 : 2);
  return sql`${OF_DOCUMENT}${hasLocales ? sql` and ${inLocales(dialect, slot(2))}` : raw('')}${
    isSince ? sql` and own."replaced_at" >= ${time} and ${notDeletedLater(dialect, sql`own."id"`)}` : raw('')
  }`;
};

/** The number of values by which versions are narrowed, those of the document included. */
export const scopeSize = ({ hasLocales, isSince }: VersionScope): number => 2 + Number(hasLocales) + Number(isSince);

/**
 * The condition that no deletion of a document (slot 0) of a type (slot 1) was recorded in the locale of `own`.
 *
 * @param from the first version that counts.
 */
export function notDeletedLater(dialect: Dialect, from: Sql): Sql {
  return sql`not exists (select 1 from ${id(VERSIONS_TABLE)} gone where gone."document_id" = ${slot(0)}
    and gone."content_type" = ${slot(1)} and gone."reason" = 'deleted' and gone."id" >= ${from}
    and ${dialect.same(sql`gone."locale"`, sql`own."locale"`)})`;
}

/**
 * Versions of a document, the last one first: the columns of `SHOWN` and the author. Values: document id, type, those
 * of the scope, the limit, the offset.
 */
export function compileVersions(dialect: Dialect, scope: VersionScope): Sql {
  const next = scopeSize(scope);
  return sql`select ${SHOWN_COLUMNS}, ${AUTHOR} from ${id(VERSIONS_TABLE)} own ${WITH_AUTHOR}
    where ${scoped(dialect, scope)} order by own."id" desc limit ${slot(next)} offset ${slot(next + 1)}`;
}

/** The number of versions. Values: document id, type, those of the scope. */
export function compileVersionCount(dialect: Dialect, scope: VersionScope): Sql {
  return sql`select count(*) from ${id(VERSIONS_TABLE)} own where ${scoped(dialect, scope)}`;
}

/**
 * One version: the columns of `compileVersions`, its content and its packed content. Values: document id, type, those of
 * the scope, id.
 */
export function compileVersion(dialect: Dialect, scope: VersionScope): Sql {
  return sql`select ${SHOWN_COLUMNS}, ${AUTHOR}, own."content", packed."packed" from ${id(VERSIONS_TABLE)} own ${WITH_AUTHOR}
    left join ${id(CONTENTS_TABLE)} packed on packed."id" = own."content_id"
    where ${scoped(dialect, scope)} and own."id" = ${slot(scopeSize(scope))}`;
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

/** The rows of documents: id, document id, locale, times of publication and of the last change. Slot 0 is the JSON of a list of lists of one id. */
export function compileRowsOfDocuments(dialect: Dialect, table: string): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'text' }]);
  return sql`select "id", "document_id", "locale", "published_at", "updated_at" from ${id(table)}
    where "document_id" in (select given."wanted" from ${ids} given)`;
}

/** Existing files: slot 0 is the JSON of a list of lists of one. */
export function compileExistingFiles(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'integer' }]);
  return sql`select "id" from "files" where "id" in (select given."wanted" from ${ids} given)`;
}

/** Versions after an id whose content is not packed, in the order of ids. Values: the id, their number. */
export function compileUnpacked(): Sql {
  return sql`select "id" from ${id(VERSIONS_TABLE)} where "content_id" is null and "content" is not null
    and "id" > ${slot(0)} order by "id" limit ${slot(1)}`;
}

/** The content of a version that is not packed: one row, or none. Value: its id. */
export function compileUnpackedContent(): Sql {
  return sql`select "content" from ${id(VERSIONS_TABLE)} where "id" = ${slot(0)} and "content" is not null`;
}

/** Stores a packed content unless it is there. Values: its hash, the packed content. */
export function compileAddContent(): Sql {
  return sql`insert into ${id(CONTENTS_TABLE)} ("hash", "packed") values (${slot(0)}, ${slot(1)}) on conflict ("hash") do nothing`;
}

/** Columns of a version apart from its content. */
const OWN_COLUMNS = list(['id', ...COLUMNS].map(id));
/** The place of `changed_at` in them, which the engines store in different ways. */
export const CHANGED_AT = 1 + COLUMNS.indexOf('changed_at');

/**
 * Takes a version out, to be added again with a packed content; `returning` its columns apart from the content. In place,
 * an engine may leave the page of the larger row nearly empty. Value: its id.
 */
export function compileTakeVersion(): Sql {
  return sql`delete from ${id(VERSIONS_TABLE)} where "id" = ${slot(0)} returning ${OWN_COLUMNS}`;
}

/** Adds a version with a packed content. Values: the columns of `compileTakeVersion`, the hash of the content. */
export function compileAddPacked(columns: number): Sql {
  return sql`insert into ${id(VERSIONS_TABLE)} (${OWN_COLUMNS}, "content_id")
    values (${slots(0, columns)}, (select "id" from ${id(CONTENTS_TABLE)} where "hash" = ${slot(columns)}))`;
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
 * Versions of a type that were replaced before a time, in the order of these times: id, time, and whether it can be deleted
 * (1), which last publications cannot. Values: type, time; time and id of the version after which they begin; their number.
 */
export function compileOldVersions(dialect: Dialect): Sql {
  return sql`select own."id", own."replaced_at",
    case when ${hasLaterPublication(dialect)} and ${NOT_IN_TRASH} then 1 else 0 end
    from ${id(VERSIONS_TABLE)} own where own."content_type" = ${slot(0)} and own."replaced_at" < ${slot(1)}
    and (own."replaced_at", own."id") > (${slot(2)}, ${slot(3)}) order by own."replaced_at", own."id" limit ${slot(4)}`;
}

/** Deletes versions if they still can be deleted; `returning "id", "content_id"`. Slot 0 is the JSON of a list of lists of one id. */
export function compileForgetOld(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'integer' }]);
  return sql`delete from ${id(VERSIONS_TABLE)} where "id" in (select own."id" from ${id(VERSIONS_TABLE)} own
    where own."id" in (select given."wanted" from ${ids} given) and ${hasLaterPublication(dialect)} and ${NOT_IN_TRASH})
    returning "id", "content_id"`;
}

/**
 * Versions after an id, in the order of ids: id, type, document id, locale, status. Values: the id, their number.
 */
export function compileNewVersions(): Sql {
  return sql`select "id", "content_type", "document_id", "locale", "status" from ${id(VERSIONS_TABLE)}
    where "id" > ${slot(0)} order by "id" limit ${slot(1)}`;
}

/**
 * Those of some documents, in a locale and status, that have more versions than a number. Slot 0 is the JSON of a list of
 * lists: type, document id, locale, status, the number. The rows have the same columns.
 */
export function compileSurplus(dialect: Dialect): Sql {
  const given = dialect.unfold(slot(0), [
    ...['type', 'document', 'locale', 'status'].map((name) => ({ name, kind: 'text' }) as const),
    { name: 'most', kind: 'integer' },
  ]);
  return sql`select given."type", given."document", given."locale", given."status", given."most" from ${given} given
    where given."most" < (select count(*) from ${id(VERSIONS_TABLE)} own where own."document_id" = given."document"
      and own."content_type" = given."type" and own."status" = given."status"
      and ${dialect.same(sql`own."locale"`, sql`given."locale"`)})`;
}

/**
 * Deletes versions of a document in a locale and status beyond a number; `returning "id", "content_id"`. Values: document
 * id, type, status, the number, the most rows, the locale.
 */
export function compileForgetSurplus(isOfLocale: boolean): Sql {
  const locale = isOfLocale ? sql`own."locale" = ${slot(5)}` : sql`own."locale" is null`;
  return sql`delete from ${id(VERSIONS_TABLE)} where "id" in (select own."id" from (
    select own."id", own."document_id", own."content_type", own."reason" from ${id(VERSIONS_TABLE)} own
    where ${OF_DOCUMENT} and own."status" = ${slot(2)} and ${locale}
    order by own."id" desc limit ${Number.MAX_SAFE_INTEGER} offset ${slot(3)}) own
    where ${NOT_IN_TRASH} limit ${slot(4)}) returning "id", "content_id"`;
}

/** Deletes packed contents without versions. Slot 0 is the JSON of a list of lists of one id. */
export function compileForgetContents(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(0), [{ name: 'wanted', kind: 'integer' }]);
  return sql`delete from ${id(CONTENTS_TABLE)} where "id" in (select given."wanted" from ${ids} given)
    and not exists (select 1 from ${id(VERSIONS_TABLE)} own where own."content_id" = ${id(CONTENTS_TABLE)}."id")`;
}
