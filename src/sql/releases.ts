/** Releases and their actions, as the reference stores them. Slots are in the order of the named values. */
import type { Dialect, UnfoldedColumn } from './dialect.ts';
import { id, raw, type Sql, slot, sql } from './fragment.ts';

export const RELEASES_TABLE = 'strapi_releases';
export const RELEASE_ACTIONS_TABLE = 'strapi_release_actions';
export const RELEASE_LINKS_TABLE = 'strapi_release_actions_release_lnk';
/** When releases were reverted, which the reference knows no state for. */
export const REVERTED_TABLE = 'galley_reverted_releases';

const IDS: readonly UnfoldedColumn[] = [{ name: 'id', kind: 'integer' }];
const [releases, actions, links] = [id(RELEASES_TABLE), id(RELEASE_ACTIONS_TABLE), id(RELEASE_LINKS_TABLE)];
const reverted = id(REVERTED_TABLE);

const COLUMNS = sql`r."id", r."document_id", r."name", r."released_at", r."scheduled_at", r."timezone", r."status",
  r."created_at", r."updated_at", u."id", u."firstname", u."lastname", u."username",
  (select count(*) from ${links} l where l."release_id" = r."id"),
  (select v."reverted_at" from ${reverted} v where v."release_id" = r."id")`;
const FROM = sql`${releases} r left join "admin_users" u on u."id" = r."created_by_id"`;

/** Releases that have run, or that have not, the newest first. Values: an id below which they begin, the most rows. */
export function compileReleases(isDone: boolean): Sql {
  const state = raw(isDone ? 'not null' : 'null');
  return sql`select ${COLUMNS} from ${FROM} where r."released_at" is ${state} and r."id" < ${slot(0)}
    order by r."id" desc limit ${slot(1)}`;
}

/** A release. Value: its id. */
export function compileRelease(): Sql {
  return sql`select ${COLUMNS} from ${FROM} where r."id" = ${slot(0)}`;
}

/** The ids and names of some releases. Value: a JSON list of lists of an id. */
export function compileReleaseNames(dialect: Dialect): Sql {
  const given = dialect.unfold(slot(0), IDS);
  return sql`select r."id", r."name" from ${releases} r where r."id" in (select given."id" from ${given} given)`;
}

/** The ids and names of the releases that have not run, the oldest first. Value: the most rows. */
export function compilePendingReleases(): Sql {
  return sql`select r."id", r."name" from ${releases} r where r."released_at" is null order by r."id" limit ${slot(0)}`;
}

const ACTION = sql`a."id", a."type", a."content_type", a."entry_document_id", a."locale", a."is_entry_valid"`;
const OF_RELEASE = sql`${links} l join ${actions} a on a."id" = l."release_action_id" where l."release_id" = ${slot(0)}`;

/** The actions of a release in their order. Values: the release, the most rows, the rows to skip. */
export function compileReleaseActions(): Sql {
  return sql`select ${ACTION} from ${OF_RELEASE} order by l."release_action_ord", a."id"
    limit ${slot(1)} offset ${slot(2)}`;
}

/** The number of actions of a release, and of those that are not valid. Value: the release. */
export function compileCountActions(): Sql {
  return sql`select count(*), count(*) filter (where a."is_entry_valid" = false) from ${OF_RELEASE}`;
}

/** The last place in the list of a release. Value: the release. */
export function compileLastPlace(): Sql {
  return sql`select coalesce(max(l."release_action_ord"), 0) from ${links} l where l."release_id" = ${slot(0)}`;
}

const LINKS: readonly UnfoldedColumn[] = [
  { name: 'release_action_id', kind: 'integer' },
  { name: 'release_id', kind: 'integer' },
  { name: 'release_action_ord', kind: 'double' },
];

/** The links of new actions: slot 0 is a JSON list of lists in the order of `LINKS`. */
export const RELEASE_LINK_COLUMNS: readonly UnfoldedColumn[] = LINKS;

/** Sets the places of actions. Value: a JSON list of lists of an action and its place. */
export function compilePlaceActions(dialect: Dialect): Sql {
  const given = dialect.unfold(slot(0), [
    { name: 'action', kind: 'integer' },
    { name: 'place', kind: 'double' },
  ]);
  return sql`update ${links} set "release_action_ord" = given."place" from ${given} given
    where ${links}."release_action_id" = given."action"`;
}

/** Deletes actions with their links. Value: a JSON list of lists of an id. */
export function compileDeleteActions(dialect: Dialect): readonly Sql[] {
  const given = sql`(select given."id" from ${dialect.unfold(slot(0), IDS)} given)`;
  return [
    sql`delete from ${links} where "release_action_id" in ${given}`,
    sql`delete from ${actions} where "id" in ${given}`,
  ];
}

/** Marks actions whose documents may be published, or may not. Values: a JSON list of lists of an id, the mark. */
export function compileMarkActions(dialect: Dialect): Sql {
  const given = sql`(select given."id" from ${dialect.unfold(slot(0), IDS)} given)`;
  return sql`update ${actions} set "is_entry_valid" = ${dialect.value(slot(1), 'boolean')} where "id" in ${given}`;
}

/**
 * The actions of pending releases on documents of a type, with id, name and time of the release. Values: the type, a JSON
 * list of lists of a document, how many.
 */
export function compileActionsOfDocuments(dialect: Dialect): Sql {
  const given = dialect.unfold(slot(1), [{ name: 'document', kind: 'text' }]);
  return sql`select ${ACTION}, r."id", r."name", r."scheduled_at" from ${given} given
    join ${actions} a on a."entry_document_id" = given."document" and a."content_type" = ${slot(0)}
    join ${links} l on l."release_action_id" = a."id" join ${releases} r on r."id" = l."release_id"
    where r."released_at" is null order by r."id", a."id" limit ${slot(2)}`;
}
