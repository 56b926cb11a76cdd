/** Rows that lead to missing rows, or that no row owns. Content rows themselves are never orphans. */
import type { Database } from '../../db/interface/database.ts';
import { query } from '../../db/interface/statements.ts';
import { commandText } from '../../own-files.ts';
import { type Catalog, FILE_UID, type Model, type RelationAttribute } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf, type RelationLayout } from '../../schema/layout/layout.ts';
import { DRAFT_LINKS_TABLE, PENDING_TABLE } from '../../schema/layout/table.ts';
import { compileAnyFound } from '../../sql/doctor/findings.ts';
import {
  compileColumnsToGone,
  compileLinksToGone,
  compileNotesOfGone,
  compileTiesOfGone,
  compileTypedColumnsToGone,
  compileTypedLinksToGone,
  compileUntied,
  compileWaitingForGone,
  type Inspected,
  type TypedReference,
} from '../../sql/doctor/orphans.ts';
import type { Sql } from '../../sql/fragment.ts';
import { type Check, clearing, deletion } from './check.ts';

export interface Subject {
  readonly catalog: Catalog;
  readonly layout: Layout;
  /**
   * Every table of the database that ties components to rows. Tables of attributes that the schema no longer has are
   * included: components tied there have an owner.
   */
  readonly componentTables: readonly string[];
  /** How many rows of a table are read, the newest; all when left out. */
  readonly newest?: number;
}

export const modelsOf = ({ catalog }: Subject): Model[] => [
  ...catalog.contentTypes.values(),
  ...catalog.components.values(),
];

/** All checks for orphans. Components come last, containers before their contents: each round finds more. */
export function orphanChecks(subject: Subject): Check[] {
  const checks = [...strayChecks(subject), ...pendingChecks(subject), ...draftLinkChecks(subject)];
  for (const component of subject.catalog.components.values()) checks.push(untiedCheck(subject, component));
  return checks;
}

/** Checks for rows that other programs leave: links, ties of components and uses of files that lead to missing rows. */
function strayChecks(subject: Subject): Check[] {
  const checks: Check[] = [];
  const seen = new Set<string>();
  for (const model of modelsOf(subject)) {
    const { table, relations, componentsTable } = layoutOf(subject.layout, model.uid);
    for (const attribute of model.attributes.values()) {
      if (attribute.type !== 'relation' || !attribute.owner) continue;
      const relation = relations.get(attribute.name);
      for (const check of relation ? relationChecks(subject, table, attribute, relation) : []) {
        // all morphToOne attributes of a type share one pair of columns
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

/** The tables of models by uid. */
const tablesOf = (subject: Subject, models: readonly Model[]): Map<string, string> =>
  new Map(models.map(({ uid }) => [uid, tableOf(subject, uid)]));

/** The rows that two columns with an id and a uid lead to. */
const anyRow = (subject: Subject, column: string, typeColumn: string): TypedReference => ({
  column,
  typeColumn,
  tables: tablesOf(subject, modelsOf(subject)),
});

function found(
  { newest }: Subject,
  table: string,
  columns: readonly string[],
  compile: (inspected: Inspected) => Sql,
): Pick<Check, 'table' | 'columns' | 'find'> {
  const all = ['id', ...columns];
  return { table, columns: all, find: compile({ table, columns: all, newest }) };
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
      const ends = [
        { column: source, table: ownTable },
        { column: target, table: tableOf(subject, attribute.target!) },
      ];
      const problem = 'link from or to a row that is gone';
      const rows = found(subject, table, [source, target], (inspected) => compileLinksToGone(inspected, ends));
      return [{ kind: 'link', problem, ...rows, repair: deletion(table) }];
    }
    case 'column': {
      const { column } = relation;
      const reference = { column, table: tableOf(subject, attribute.target!) };
      const problem = `${column} leads to a row that is gone`;
      const rows = found(subject, ownTable, [column], (inspected) => compileColumnsToGone(inspected, reference));
      return [{ kind: 'link', problem, ...rows, repair: clearing(ownTable, [column]) }];
    }
    case 'morphColumns': {
      const columns = [relation.id, relation.type];
      const reference = anyRow(subject, relation.id, relation.type);
      const problem = `${relation.id} leads to a row that is gone`;
      const rows = found(subject, ownTable, columns, (inspected) => compileTypedColumnsToGone(inspected, reference));
      return [{ kind: 'link', problem, ...rows, repair: clearing(ownTable, columns) }];
    }
    case 'morphTable': {
      const { table, source } = relation;
      // the files' own relation to all that use them: mediaChecks looks at it
      if (table === FILES_RELATED_TABLE) return [];
      const owner = { column: source, table: ownTable };
      const reference = anyRow(subject, relation.id, relation.type);
      const problem = 'link from or to a row that is gone';
      const rows = found(subject, table, [source, relation.id, relation.type], (inspected) =>
        compileTypedLinksToGone(inspected, [owner], reference),
      );
      return [{ kind: 'link', problem, ...rows, repair: deletion(table) }];
    }
    default:
      return [];
  }
}

/** Ties whose owner or component is missing. Ties to components that the schema no longer has stay. */
function tieChecks(subject: Subject, ownTable: string, table: string): Check[] {
  const components = tablesOf(subject, [...subject.catalog.components.values()]);
  const columns = ['entity_id', 'field', 'component_type', 'cmp_id'];
  const problem = 'component link from or to a row that is gone';
  const rows = found(subject, table, columns, (inspected) => compileTiesOfGone(inspected, ownTable, components));
  return [{ kind: 'component', problem, ...rows, repair: deletion(table) }];
}

/** Rows of a component that nothing holds. */
function untiedCheck(subject: Subject, { uid }: Model): Check {
  const table = tableOf(subject, uid);
  const rows = found(subject, table, [], (inspected) => compileUntied(inspected, uid, subject.componentTables));
  return { kind: 'component', problem: 'component that belongs to nothing', ...rows, repair: deletion(table) };
}

function mediaChecks(subject: Subject): Check[] {
  const table = FILES_RELATED_TABLE;
  const columns = ['file_id', 'related_id', 'related_type', 'field'];
  const file = { column: 'file_id', table: tableOf(subject, FILE_UID) };
  const user = anyRow(subject, 'related_id', 'related_type');
  return [
    {
      kind: 'media',
      problem: 'media link to a file that is gone',
      ...found(subject, table, columns, (inspected) => compileLinksToGone(inspected, [file])),
      repair: deletion(table),
    },
    {
      kind: 'media',
      problem: 'media link from a row that is gone',
      ...found(subject, table, columns, (inspected) => compileTypedLinksToGone(inspected, [], user)),
      repair: deletion(table),
    },
  ];
}

/** Notes of links that drafts have changed: the draft may be gone, or a row that was linked. */
function draftLinkChecks(subject: Subject): Check[] {
  return ['source', 'target', 'author'].map((end) => {
    const noted = anyRow(subject, `${end}_id`, `${end}_type`);
    return {
      kind: 'note' as const,
      problem: `note of a changed link whose ${end} is gone`,
      ...found(subject, DRAFT_LINKS_TABLE, ['source_id', 'target_id', 'author_id'], (inspected) =>
        compileNotesOfGone(inspected, noted),
      ),
      repair: deletion(DRAFT_LINKS_TABLE),
    };
  });
}

/** Links that wait for a target's publication: the row or the document may be gone, or the attribute. */
function pendingChecks(subject: Subject): Check[] {
  const columns = ['source_type', 'source_id', 'attribute', 'target_type', 'target_document_id'];
  const source = anyRow(subject, 'source_id', 'source_type');
  const targets = tablesOf(subject, [...subject.catalog.contentTypes.values()]);
  const repair = deletion(PENDING_TABLE);
  return [
    {
      kind: 'note',
      problem: 'pending link from a row that is gone',
      ...found(subject, PENDING_TABLE, columns, (inspected) => compileNotesOfGone(inspected, source)),
      repair,
    },
    {
      kind: 'note',
      problem: 'pending link to a document that is gone',
      ...found(subject, PENDING_TABLE, columns, (inspected) => compileWaitingForGone(inspected, targets)),
      repair,
    },
  ];
}

/** Rows looked at in each table, the newest: the look takes no longer on a large database. */
const LOOKED_AT = 500;

/**
 * A notice about rows that lead to missing rows, as other programs leave them; undefined if none is found. It reads
 * only some rows of each table.
 *
 * @param dir the project's folder, for the commands in the text.
 */
export async function strayNotice(
  { catalog, layout }: Pick<Subject, 'catalog' | 'layout'>,
  database: Database,
  dir: string,
): Promise<string | undefined> {
  for (const { table, find } of strayChecks({ catalog, layout, componentTables: [], newest: LOOKED_AT })) {
    const [met] = await query(database, compileAnyFound(find));
    if (met) {
      return (
        `the database contains links to content that no longer exists, for example in the table ${table}. Strapi leaves such ` +
        `rows behind; they are ignored and do no harm. "${commandText('doctor', dir)}" lists them, and ` +
        `"${commandText('doctor --fix', dir)}" removes them`
      );
    }
  }
  return undefined;
}
