/** Workflows of review, the stages and assignees of rows, and comments. Slots are in the order of the named values. */
import type { LinkNames } from '../schema/layout/naming.ts';
import type { Dialect } from './dialect.ts';
import { id, join, type Sql, slot, sql } from './fragment.ts';

/** `id`, `name` and `content_types` of the first workflows, in the order of their ids. */
export function compileWorkflows(most: number): Sql {
  return sql`select "id", "name", "content_types" from "strapi_workflows" order by "id" limit ${most}`;
}

/** Of the stages of all workflows, in their order: the workflow, and `id`, `name` and `color`. */
export function compileStages(most: number): Sql {
  return sql`select l."workflow_id", s."id", s."name", s."color" from "strapi_workflows_stages_workflow_lnk" l
    join "strapi_workflows_stages" s on s."id" = l."workflow_stage_id"
    order by l."workflow_id", coalesce(l."workflow_stage_ord", 0), s."id" limit ${most}`;
}

/** The workflow, and the stage in which its documents are published. */
export function compileRequiredStages(most: number): Sql {
  return sql`select "workflow_id", "workflow_stage_id" from "strapi_workflows_stage_required_to_publish_lnk"
    order by "id" limit ${most}`;
}

/** The permissions of stages: the stage, the role, the permission, and its `action_parameters`. Value: the action. */
export function compileStagePermissions(most: number): Sql {
  return sql`select s."workflow_stage_id", r."role_id", p."id", p."action_parameters"
    from "strapi_workflows_stages_permissions_lnk" s join "admin_permissions" p on p."id" = s."permission_id"
    join "admin_permissions_role_lnk" r on r."permission_id" = p."id"
    where p."action" = ${slot(0)} order by s."id" limit ${most}`;
}

/** Where the rows of a type are linked to a stage or an assignee. */
export interface RowLinks {
  /** The table of the rows. */
  readonly table: string;
  readonly link: LinkNames;
  /** The table of stages or of administrators. */
  readonly targets: string;
}

/** Links a row that has no link yet, if both rows exist. Values: the row, the target. */
export function compileLinkNew({ table, link, targets }: RowLinks): Sql {
  return sql`insert into ${id(link.table)} (${id(link.source)}, ${id(link.target)})
    select d."id", t."id" from ${id(table)} d join ${id(targets)} t on t."id" = ${slot(1)}
    where d."id" = ${slot(0)}
      and not exists (select 1 from ${id(link.table)} l where l.${id(link.source)} = d."id")`;
}

/** Removes the link of a row. Value: the row. */
export function compileUnlink({ link }: RowLinks): Sql {
  return sql`delete from ${id(link.table)} where ${id(link.source)} = ${slot(0)}`;
}

/** Gives a published row, which has no link, the link of its draft. Value: the published row. */
export function compileLinkAsDraft({ same }: Dialect, { table, link }: RowLinks): Sql {
  return sql`insert into ${id(link.table)} (${id(link.source)}, ${id(link.target)})
    select p."id", l.${id(link.target)} from ${id(table)} p
    join ${id(table)} d on d."document_id" = p."document_id" and d."published_at" is null
      and ${same(sql`d."locale"`, sql`p."locale"`)}
    join ${id(link.table)} l on l.${id(link.source)} = d."id" where p."id" = ${slot(0)}`;
}

/** Replaces a target by another one in all links. Values: the new one, the old one. */
export function compileMoveLinksTo({ link }: RowLinks): Sql {
  return sql`update ${id(link.table)} set ${id(link.target)} = ${slot(0)} where ${id(link.target)} = ${slot(1)}`;
}

/** The stage and the assignee of a row; null without one. Value: the row. */
export function compileReviewOf(stage: RowLinks, assignee: RowLinks): Sql {
  const of = ({ link }: RowLinks) =>
    sql`(select l.${id(link.target)} from ${id(link.table)} l where l.${id(link.source)} = ${slot(0)} order by l."id" limit 1)`;
  return sql`select ${of(stage)}, ${of(assignee)}`;
}

/** A part of a board. */
export interface BoardPart {
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  /** Whether documents without a stage belong to it. */
  readonly first: boolean;
  readonly ofAssignee: boolean;
  /** Whether it begins after a row. */
  readonly isLater: boolean;
}

/**
 * `id`, `document_id` and the assignee of the rows in a stage, the newest documents first. Values: the stage, the number
 * of rows, and where there are any: the locale, the assignee, the row id after which they begin.
 */
export function compileBoard(stage: RowLinks, assignee: RowLinks, part: BoardPart): Sql {
  const values = [part.localized, part.ofAssignee, part.isLater];
  const at = (n: number): Sql => slot(2 + values.slice(0, n).filter(Boolean).length);
  const [target, source] = [id(stage.link.target), id(stage.link.source)];
  const where = [
    part.first ? sql`coalesce(s.${target}, ${slot(0)}) = ${slot(0)}` : sql`s.${target} = ${slot(0)}`,
    ...(part.draftAndPublish ? [sql`d."published_at" is null`] : []),
    ...(part.localized ? [sql`d."locale" = ${at(0)}`] : []),
    ...(part.ofAssignee ? [sql`a.${id(assignee.link.target)} = ${at(1)}`] : []),
    ...(part.isLater ? [sql`d."id" < ${at(2)}`] : []),
  ];
  return sql`select d."id", d."document_id", a.${id(assignee.link.target)} from ${id(stage.table)} d
    ${part.first ? sql`left join` : sql`join`} ${id(stage.link.table)} s on s.${source} = d."id"
    left join ${id(assignee.link.table)} a on a.${id(assignee.link.source)} = d."id"
    where ${join(where, ' and ')} order by d."id" desc limit ${slot(1)}`;
}

/**
 * `id` and stage of the rows of a type, to be counted. Values: the number of rows, and where there are any: the locale,
 * the assignee.
 */
export function compileStagesOfRows(
  stage: RowLinks,
  assignee: RowLinks,
  part: Pick<BoardPart, 'draftAndPublish' | 'localized' | 'ofAssignee'>,
): Sql {
  const where = [
    sql`d."document_id" is not null`,
    ...(part.draftAndPublish ? [sql`d."published_at" is null`] : []),
    ...(part.localized ? [sql`d."locale" = ${slot(1)}`] : []),
    ...(part.ofAssignee ? [sql`a.${id(assignee.link.target)} = ${slot(part.localized ? 2 : 1)}`] : []),
  ];
  return sql`select d."id", s.${id(stage.link.target)} from ${id(stage.table)} d
    left join ${id(stage.link.table)} s on s.${id(stage.link.source)} = d."id"
    ${part.ofAssignee ? sql`join ${id(assignee.link.table)} a on a.${id(assignee.link.source)} = d."id"` : sql``}
    where ${join(where, ' and ')} order by d."id" desc limit ${slot(0)}`;
}

export const COMMENTS_TABLE = 'galley_comments';

const COMMENT = sql`c."id", c."thread_id", c."field", c."body", c."mentions", c."author_id", c."author_name",
  c."created_at", c."edited_at", c."resolved_at", c."resolved_by", u."firstname", u."lastname", u."username"`;

/**
 * The comments on a version, the oldest first, each with the names of its author. Values: type, document, locale (empty:
 * none), the number of rows.
 */
export function compileComments(): Sql {
  return sql`select ${COMMENT} from "galley_comments" c left join "admin_users" u on u."id" = c."author_id"
    where c."content_type" = ${slot(0)} and c."document_id" = ${slot(1)} and c."locale" = ${slot(2)}
    order by c."id" limit ${slot(3)}`;
}

/** The number of comments on a version. Values: type, document, locale. */
export function compileCommentCount(): Sql {
  return sql`select count(*) from "galley_comments"
    where "content_type" = ${slot(0)} and "document_id" = ${slot(1)} and "locale" = ${slot(2)}`;
}

/**
 * The open comments on documents in a locale, of those that begin a thread: the document and the field. Values: type,
 * locale, the number of rows, a JSON list with a list for each id.
 */
export function compileOpenComments(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(3), [{ name: 'given_id', kind: 'text' }]);
  return sql`select c."document_id", c."field" from ${ids} g
    join "galley_comments" c on c."document_id" = g."given_id" and c."content_type" = ${slot(0)}
    where c."locale" = ${slot(1)} and c."thread_id" is null and c."resolved_at" is null order by c."id" limit ${slot(2)}`;
}

/**
 * Of the last comments, those on documents of some types that mention an administrator in a thread that is open, and whose
 * texts were written or edited after a time and after any answer of theirs, the newest first: id, type, document, locale,
 * field, the beginning of the text, the time of writing or editing, and the name, id and names of the author. Values: the
 * administrator, a pattern for the id in a list in commas, the time, comments to look through, characters of a text, a
 * JSON list with a list for each type.
 */
export function compileMentions(dialect: Dialect): Sql {
  const types = dialect.unfold(slot(5), [{ name: 'given_type', kind: 'text' }]);
  const changedAt = sql`coalesce(c."edited_at", c."created_at")`;
  return sql`select c."id", c."content_type", c."document_id", c."locale", c."field", substr(c."body", 1, ${slot(4)}),
      ${changedAt}, c."author_name", u."id", u."firstname", u."lastname", u."username"
    from (select * from "galley_comments" order by "id" desc limit ${slot(3)}) c
    join "galley_comments" t on t."id" = coalesce(c."thread_id", c."id")
    left join "admin_users" u on u."id" = c."author_id"
    where ${changedAt} > ${slot(2)} and c."author_id" <> ${slot(0)} and t."resolved_at" is null
      and c."content_type" in (select g."given_type" from ${types} g)
      and replace(replace(c."mentions", '[', ','), ']', ',') like ${slot(1)}
      and not exists (select 1 from "galley_comments" r
        where r."thread_id" = t."id" and r."author_id" = ${slot(0)} and r."id" > c."id"
          and (c."edited_at" is null or r."created_at" > c."edited_at"))
    order by ${changedAt} desc, c."id" desc`;
}

/** Deletes the comments on a version. Values: type, document, locale. */
export function compileForgetComments(): Sql {
  return sql`delete from "galley_comments"
    where "content_type" = ${slot(0)} and "document_id" = ${slot(1)} and "locale" = ${slot(2)}`;
}
