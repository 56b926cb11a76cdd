/** What leads to rows that are gone, or is owned by none. Content rows themselves are never orphans. */

import { type Catalog, FILE_UID, type Model, type RelationAttribute } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf, type RelationLayout } from '../../schema/layout/layout.ts';
import { DRAFT_LINKS_TABLE, PENDING_TABLE } from '../../schema/layout/own-tables.ts';
import { id, join, literal, raw, type Sql, sql } from '../../sql/fragment.ts';
import { type Check, clearing, deletion } from './check.ts';

export interface Subject {
  readonly catalog: Catalog;
  readonly layout: Layout;
  /**
   * Every table of the database that ties components to rows. Those of attributes that the schema has no longer count:
   * the components tied there have an owner.
   */
  readonly componentTables: readonly string[];
  /** How many rows of a table are looked at, the newest; all when left out. */
  readonly newest?: number;
}

export const modelsOf = ({ catalog }: Subject): Model[] => [
  ...catalog.contentTypes.values(),
  ...catalog.components.values(),
];

/** All checks for orphans. Components come last, and those that hold others before the held: each round finds more. */
export function orphanChecks(subject: Subject): Check[] {
  const checks = [...strayChecks(subject), ...pendingChecks(subject), ...draftLinkChecks(subject)];
  for (const component of subject.catalog.components.values()) checks.push(untiedCheck(subject, component));
  return checks;
}

/** Checks for what other programs leave: links, ties of components and uses of files that lead nowhere. */
export function strayChecks(subject: Subject): Check[] {
  const checks: Check[] = [];
  const seen = new Set<string>();
  for (const model of modelsOf(subject)) {
    const { table, relations, componentsTable } = layoutOf(subject.layout, model.uid);
    for (const attribute of model.attributes.values()) {
      if (attribute.type !== 'relation' || !attribute.owner) continue;
      const relation = relations.get(attribute.name);
      for (const check of relation ? relationChecks(subject, table, attribute, relation) : []) {
        // one type has one pair of columns for all of its morphToOne attributes
        const key = `${check.table} ${check.problem}`;
        if (!seen.has(key)) checks.push(check);
        seen.add(key);
      }
    }
    if (componentsTable !== undefined) checks.push(...tieChecks(subject, table, componentsTable));
  }
  return [...checks, ...mediaChecks(subject)];
}

const tableOf = (subject: Subject, uid: string): string => layoutOf(subject.layout, uid).table;

/** No row of a table has the id in a column of the row `x`; true for null as well. */
const gone = (table: string, column: string): Sql =>
  sql`not exists (select 1 from ${id(table)} y where y."id" = x.${id(column)})`;

/** The row of a uid and an id that columns of `x` hold is gone. What is of a type unknown to the schema stays. */
function goneByType(subject: Subject, typeColumn: string, idColumn: string): Sql {
  const tests = modelsOf(subject).map(
    ({ uid }) => sql`(x.${id(typeColumn)} = ${literal(uid)} and ${gone(tableOf(subject, uid), idColumn)})`,
  );
  return tests.length === 0 ? raw('1 = 0') : sql`(${join(tests, ' or ')})`;
}

function found(
  { newest }: Subject,
  table: string,
  columns: readonly string[],
  where: Sql,
): Pick<Check, 'table' | 'columns' | 'find'> {
  const rows = newest === undefined ? id(table) : sql`(select * from ${id(table)} order by "id" desc limit ${newest})`;
  const all = ['id', ...columns];
  const names = join(
    all.map((column) => sql`x.${id(column)}`),
    ', ',
  );
  return { table, columns: all, find: sql`select ${names} from ${rows} x where ${where}` };
}

function relationChecks(
  subject: Subject,
  ownTable: string,
  attribute: RelationAttribute,
  relation: RelationLayout,
): Check[] {
  switch (relation.kind) {
    case 'link': {
      const { table, source, target } = relation;
      const where = sql`${gone(ownTable, source)} or ${gone(tableOf(subject, attribute.target!), target)}`;
      const problem = 'link from or to a row that is gone';
      return [{ problem, ...found(subject, table, [source, target], where), repair: deletion(table) }];
    }
    case 'column': {
      const { column } = relation;
      const where = sql`x.${id(column)} is not null and ${gone(tableOf(subject, attribute.target!), column)}`;
      const problem = `${column} leads to a row that is gone`;
      return [{ problem, ...found(subject, ownTable, [column], where), repair: clearing(ownTable, [column]) }];
    }
    case 'morphColumns': {
      const columns = [relation.id, relation.type];
      const where = sql`x.${id(relation.id)} is not null and ${goneByType(subject, relation.type, relation.id)}`;
      const problem = `${relation.id} leads to a row that is gone`;
      return [{ problem, ...found(subject, ownTable, columns, where), repair: clearing(ownTable, columns) }];
    }
    case 'morphTable': {
      const { table, source } = relation;
      // the files' own relation to all that use them: mediaChecks looks at it
      if (table === FILES_RELATED_TABLE) return [];
      const where = sql`${gone(ownTable, source)} or x.${id(relation.id)} is null or ${goneByType(subject, relation.type, relation.id)}`;
      const problem = 'link from or to a row that is gone';
      return [
        { problem, ...found(subject, table, [source, relation.id, relation.type], where), repair: deletion(table) },
      ];
    }
    default:
      return [];
  }
}

/** Ties whose owner or component is gone. Those of components that the schema has no longer stay. */
function tieChecks(subject: Subject, ownTable: string, table: string): Check[] {
  const tests = [...subject.catalog.components.values()].map(
    ({ uid }) => sql`(x."component_type" = ${literal(uid)} and ${gone(tableOf(subject, uid), 'cmp_id')})`,
  );
  const where = join([gone(ownTable, 'entity_id'), ...tests], ' or ');
  const columns = ['entity_id', 'field', 'component_type', 'cmp_id'];
  const problem = 'component link from or to a row that is gone';
  return [{ problem, ...found(subject, table, columns, where), repair: deletion(table) }];
}

/** Rows of a component that nothing holds. */
function untiedCheck(subject: Subject, { uid }: Model): Check {
  const { layout, componentTables } = subject;
  const { table } = layoutOf(layout, uid);
  const tests = componentTables.map(
    (ties) =>
      sql`not exists (select 1 from ${id(ties)} y where y."cmp_id" = x."id" and y."component_type" = ${literal(uid)})`,
  );
  const where = tests.length === 0 ? raw('1 = 1') : join(tests, ' and ');
  return { problem: 'component that belongs to nothing', ...found(subject, table, [], where), repair: deletion(table) };
}

function mediaChecks(subject: Subject): Check[] {
  const table = FILES_RELATED_TABLE;
  const columns = ['file_id', 'related_id', 'related_type', 'field'];
  const lost = sql`x."related_id" is null or ${goneByType(subject, 'related_type', 'related_id')}`;
  return [
    {
      problem: 'media link to a file that is gone',
      ...found(subject, table, columns, gone(tableOf(subject, FILE_UID), 'file_id')),
      repair: deletion(table),
    },
    { problem: 'media link from a row that is gone', ...found(subject, table, columns, lost), repair: deletion(table) },
  ];
}

/** Notes of links that drafts have changed: the draft may be gone, or a row that was linked. */
function draftLinkChecks(subject: Subject): Check[] {
  return ['source', 'target', 'author'].map((end) => ({
    problem: `note of a changed link whose ${end} is gone`,
    ...found(
      subject,
      DRAFT_LINKS_TABLE,
      ['source_id', 'target_id', 'author_id'],
      goneByType(subject, `${end}_type`, `${end}_id`),
    ),
    repair: deletion(DRAFT_LINKS_TABLE),
  }));
}

/** Links that wait for a target's publication: the row or the document may be gone, or the attribute. */
function pendingChecks(subject: Subject): Check[] {
  const targets = [...subject.catalog.contentTypes.keys()].map((uid) => {
    const { table } = layoutOf(subject.layout, uid);
    return sql`(x."target_type" = ${literal(uid)} and not exists (select 1 from ${id(table)} y where y."document_id" = x."target_document_id"))`;
  });
  const columns = ['source_type', 'source_id', 'attribute', 'target_type', 'target_document_id'];
  const repair = deletion(PENDING_TABLE);
  const lost = goneByType(subject, 'source_type', 'source_id');
  return [
    { problem: 'waiting link from a row that is gone', ...found(subject, PENDING_TABLE, columns, lost), repair },
    {
      problem: 'pending link to a document that is gone',
      ...found(subject, PENDING_TABLE, columns, join(targets, ' or ')),
      repair,
    },
  ];
}
