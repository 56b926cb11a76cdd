/** Derives tables, columns and link tables from a Catalog, with the names of Strapi 5. It does not use a database. */
import { type Catalog, CREATORS, type Model, modelOf } from '../catalog.ts';
import { linkNames, morphTableNames, short, snake } from './naming.ts';
import type { ModelLayout, RelationLayout } from './relation-layout.ts';
import type { TableDefinition } from './table.ts';
import { componentsTable, linkTable, modelTable, morphTable } from './tables.ts';

export type { ModelLayout, RelationLayout } from './relation-layout.ts';
export type {
  ColumnDefinition,
  ColumnType,
  ForeignKeyDefinition,
  IndexDefinition,
  TableDefinition,
} from './table.ts';

export interface Layout {
  readonly models: ReadonlyMap<string, ModelLayout>;
  /** All tables of the Catalog, referenced tables first where possible. */
  readonly tables: readonly TableDefinition[];
}

/** The tables of files and of media links, the same in every project. */
export const FILES_TABLE = 'files';
export const FILES_RELATED_TABLE = 'files_related_mph';

/** The layout of a model. Throws if there is none, which is a programming error. */
export function layoutOf(layout: Layout, uid: string): ModelLayout {
  const model = layout.models.get(uid);
  if (!model) throw new Error(`the layout has no ${uid}`);
  return model;
}

/** Layouts by catalog, shared by the check and the server. */
const LAYOUTS = new WeakMap<Catalog, Layout>();

/**
 * The layout of a catalog, with the names, columns, indexes and foreign keys of Strapi 5. It never fails for a checked
 * catalog. Every model has its own entry; link, component and morph tables follow the types' tables.
 */
export function layOut(catalog: Catalog): Layout {
  const known = LAYOUTS.get(catalog);
  if (known) return known;
  const layout = newLayout(catalog);
  LAYOUTS.set(catalog, layout);
  return layout;
}

function newLayout(catalog: Catalog): Layout {
  const models = [...catalog.contentTypes.values(), ...catalog.components.values()];
  const owned = new Map(models.map((model) => [model.uid, ownedRelations(catalog, model)]));
  const layouts = models.map((model): ModelLayout => {
    const relations = new Map<string, RelationLayout>();
    for (const name of model.attributes.keys()) {
      const layout = owned.get(model.uid)!.get(name) ?? inverseRelation(catalog, owned, model, name);
      if (layout) relations.set(name, layout);
    }
    for (const name of model.modelType === 'contentType' ? CREATORS : []) {
      if (!model.attributes.has(name)) relations.set(name, { kind: 'column', column: `${snake(name)}_id` });
    }
    return Object.freeze({
      uid: model.uid,
      table: short(model.collectionName),
      columns: columnsOf(model),
      relations,
      componentsTable: hasComponents(model) ? short(model.collectionName, ['cmps']) : undefined,
    });
  });
  const byUid = new Map(layouts.map((layout) => [layout.uid, layout]));
  return Object.freeze({ models: byUid, tables: Object.freeze(tablesOf(catalog, byUid)) });
}

function tablesOf(catalog: Catalog, layouts: ReadonlyMap<string, ModelLayout>): TableDefinition[] {
  const own: TableDefinition[] = [];
  const joining: TableDefinition[] = [];
  const tableOf = (uid: string): string => layouts.get(uid)!.table;
  for (const layout of layouts.values()) {
    const model = modelOf(catalog, layout.uid);
    own.push(modelTable(model, layout, tableOf));
    if (layout.componentsTable !== undefined)
      joining.push(componentsTable(model, layout.table, layout.componentsTable));
    for (const attribute of model.attributes.values()) {
      if (attribute.type !== 'relation' || !attribute.owner) continue;
      const relation = layout.relations.get(attribute.name);
      if (relation?.kind === 'link') {
        joining.push(linkTable(model, attribute.name, relation, layout.table, tableOf(attribute.target!)));
      } else if (relation?.kind === 'morphTable') {
        joining.push(morphTable(model, attribute.name, relation, layout.table));
      }
    }
  }
  return [...inOrderOfReference(own), ...joining];
}

/** Referenced tables first; circular references keep the order of the Catalog. */
function inOrderOfReference(tables: readonly TableDefinition[]): TableDefinition[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const done = new Set<TableDefinition>();
  const visit = (table: TableDefinition, path: readonly TableDefinition[]): void => {
    if (done.has(table) || path.includes(table)) return;
    for (const { references } of table.foreignKeys) {
      const referenced = byName.get(references.table);
      if (referenced) visit(referenced, [...path, table]);
    }
    done.add(table);
  };
  for (const table of tables) visit(table, []);
  return [...done];
}

function columnsOf(model: Model): Map<string, string> {
  const columns = new Map([['id', 'id']]);
  if (model.modelType === 'contentType') columns.set('documentId', 'document_id');
  for (const attribute of model.attributes.values()) {
    if (!('columnName' in attribute)) continue;
    columns.set(attribute.name, attribute.columnName ?? short(snake(attribute.name)));
  }
  if (model.modelType === 'contentType') {
    columns.set('createdAt', 'created_at').set('updatedAt', 'updated_at').set('publishedAt', 'published_at');
    columns.set('locale', 'locale');
  }
  return columns;
}

function hasComponents(model: Model): boolean {
  return [...model.attributes.values()].some(({ type }) => type === 'component' || type === 'dynamiczone');
}

/** Layouts of the relations whose links are stored on this model's side. */
function ownedRelations(catalog: Catalog, model: Model): Map<string, RelationLayout> {
  const layouts = new Map<string, RelationLayout>();
  for (const attribute of model.attributes.values()) {
    if (attribute.type !== 'relation' || !attribute.owner) continue;
    const { name, relation, target } = attribute;
    if (relation === 'morphToOne') layouts.set(name, { kind: 'morphColumns', id: 'target_id', type: 'target_type' });
    else if (relation === 'morphToMany') layouts.set(name, { kind: 'morphTable', ...morphTableNames(model, name) });
    else if (!attribute.useJoinTable) layouts.set(name, { kind: 'column', column: short(snake(name), ['id']) });
    else layouts.set(name, { kind: 'link', ...linkNames(model, attribute, modelOf(catalog, target!)) });
  }
  return layouts;
}

/** The layout of a relation that is stored on the other side, seen from this side. */
function inverseRelation(
  catalog: Catalog,
  owned: ReadonlyMap<string, ReadonlyMap<string, RelationLayout>>,
  model: Model,
  name: string,
): RelationLayout | undefined {
  const attribute = model.attributes.get(name)!;
  if (attribute.type !== 'relation') return undefined;
  const other = owned.get(modelOf(catalog, attribute.target!).uid)?.get(attribute.morphBy ?? attribute.inverse ?? '');
  switch (other?.kind) {
    case 'link': {
      const { table, source, target, order, inverseOrder } = other;
      return { kind: 'link', table, source: target, target: source, order: inverseOrder, inverseOrder: order };
    }
    case 'column':
      return { kind: 'inverseColumn', column: other.column };
    case 'morphColumns':
    case 'morphTable':
      return { kind: 'morphInverse', via: other };
    default:
      return undefined;
  }
}
