/** Checks the names of all schemas together: API ids, tables, columns, indexes. */
import { pluralNameOf, singularNameOf, uidOf } from '../build.ts';
import type { Catalog, Model } from '../catalog.ts';
import type { SchemaSource } from '../files.ts';
import { type Layout, layOut, layoutOf } from '../layout/layout.ts';
import { snake } from '../layout/naming.ts';
import type { TableDefinition } from '../layout/table.ts';
import type { Findings } from './problem.ts';

/** The longest name of a morphToMany attribute (in snake case); a longer one breaks the start of Strapi 5. */
const LONGEST_MORPH_NAME = 50;

/** System columns of tables in some engines. */
const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

type FileOf = (uid: string) => string;

/** Reports two types with the same API id, and two files with the same uid. */
export function checkApiIds(sources: readonly SchemaSource[], findings: Findings): void {
  const ids = new Map<string, SchemaSource>();
  const uids = new Map<string, SchemaSource>();
  for (const source of sources) {
    const uid = uidOf(source);
    const twin = uids.get(uid);
    if (twin) findings.problem(source.file, [], `${twin.file} has the same uid ${uid}`);
    else uids.set(uid, source);
    if (source.role !== 'contentType' || twin) continue;
    for (const key of ['singularName', 'pluralName'] as const) {
      const id = key === 'singularName' ? singularNameOf(source) : pluralNameOf(source);
      const other = ids.get(id);
      if (other === undefined) ids.set(id, source);
      else if (other !== source)
        findings.problem(source.file, ['info', key], `${id} is also an API id of ${other.file}`);
    }
  }
}

/** Reports names that would exist twice in the database, ignoring case. */
export function checkPhysicalNames(catalog: Catalog, fileOf: FileOf, findings: Findings): void {
  const layout = layOut(catalog);
  const taken = new Map<string, TableDefinition>();
  const reported = new Set<TableDefinition>();
  const report = (table: TableDefinition, message: string): void => {
    reported.add(table);
    findings.problem(fileOf(table.owner!.uid), ownerPath(table), message);
  };
  for (const table of layout.tables) {
    const twin = claim(taken, table.name, table);
    if (twin) report(table, `its table ${table.name} is also that of ${label(twin)}`);
    else checkColumns(catalog, layout, table, fileOf, findings);
  }
  // tables and indexes share one namespace
  for (const table of layout.tables) {
    if (reported.has(table)) continue;
    for (const { name } of table.indexes) {
      const twin = claim(taken, name, table);
      if (twin) report(table, `the name of its index ${name} is taken by ${label(twin)}`);
    }
  }
  for (const model of [...catalog.contentTypes.values(), ...catalog.components.values()]) {
    checkIndexColumns(model, layout, fileOf, findings);
    for (const attribute of model.attributes.values()) {
      if (attribute.type !== 'relation' || attribute.relation !== 'morphToMany') continue;
      if (snake(attribute.name).length <= LONGEST_MORPH_NAME) continue;
      const message = `the name is longer than ${LONGEST_MORPH_NAME} letters in snake case: Strapi does not start with it`;
      findings.warning(fileOf(model.uid), ['attributes', attribute.name], message);
    }
  }
}

/** Registers a name, or returns its present owner. */
function claim(taken: Map<string, TableDefinition>, name: string, table: TableDefinition): TableDefinition | undefined {
  const key = name.toLowerCase();
  const twin = taken.get(key);
  if (!twin) taken.set(key, table);
  return twin;
}

function checkColumns(
  catalog: Catalog,
  layout: Layout,
  table: TableDefinition,
  fileOf: FileOf,
  findings: Findings,
): void {
  const { uid, attribute } = table.owner!;
  const taken = new Set(SYSTEM_COLUMNS);
  const twice = table.columns
    .map(({ name }) => name)
    .filter((name) => {
      const key = name.toLowerCase();
      return taken.has(key) || !taken.add(key);
    });
  for (const column of twice) {
    const sharing = attribute === undefined ? attributesOf(catalog, layout, uid, column) : [attribute];
    const path = sharing.length > 0 ? ['attributes', sharing.at(-1)!] : ['attributes'];
    const others = sharing.slice(0, -1);
    const also = others.length > 0 ? ` is also that of ${others.join(', ')}` : ' is there already';
    findings.problem(fileOf(uid), path, `its column ${column}${also}`);
  }
}

/** The attributes of a model that use a column. */
function attributesOf(catalog: Catalog, layout: Layout, uid: string, column: string): string[] {
  const { columns, relations } = layoutOf(layout, uid);
  const model = catalog.contentTypes.get(uid) ?? catalog.components.get(uid)!;
  return [...model.attributes.keys()].filter((name) => {
    const relation = relations.get(name);
    const own = [columns.get(name)];
    if (relation?.kind === 'column') own.push(relation.column);
    if (relation?.kind === 'morphColumns') own.push(relation.id, relation.type);
    return own.some((other) => other?.toLowerCase() === column.toLowerCase());
  });
}

function checkIndexColumns(model: Model, layout: Layout, fileOf: FileOf, findings: Findings): void {
  const { table } = layoutOf(layout, model.uid);
  const known = layout.tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
  model.indexes.forEach((index, i) => {
    index.columns.forEach((column, j) => {
      if (known.includes(column)) return;
      findings.problem(
        fileOf(model.uid),
        ['indexes', i, 'columns', j],
        `table ${table} has no column ${column}`,
        column,
        known,
      );
    });
  });
}

function ownerPath(table: TableDefinition): string[] {
  const { attribute } = table.owner!;
  return attribute === undefined ? ['collectionName'] : ['attributes', attribute];
}

function label(table: TableDefinition): string {
  const { uid, attribute } = table.owner!;
  return attribute === undefined ? uid : `${uid}, attribute ${attribute}`;
}
