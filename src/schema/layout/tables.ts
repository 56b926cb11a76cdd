/** Table definitions of a layout: columns, indexes and foreign keys as in Strapi 5. */
import type { Attribute, Model } from '../catalog.ts';
import { columnTypeOf } from './column-types.ts';
import { indexesOf } from './model-indexes.ts';
import { type LinkNames, type MorphTableNames, short } from './naming.ts';
import type { ModelLayout, RelationLayout } from './relation-layout.ts';
import type { ColumnDefinition, ColumnType, ForeignKeyDefinition, IndexDefinition, TableDefinition } from './table.ts';

const ADMIN_USERS = 'admin_users';

const column = (name: string, type: ColumnType): ColumnDefinition => ({ name, type });
const index = (name: string, columns: readonly string[], unique = false): IndexDefinition => ({
  name,
  columns,
  unique,
});

function foreignKey(
  name: string,
  from: string,
  table: string,
  onDelete: ForeignKeyDefinition['onDelete'],
): ForeignKeyDefinition {
  return { name, column: from, references: { table, column: 'id' }, onDelete };
}

/** The table of a content type or component. `tableOf` gives the table of a uid. */
export function modelTable(model: Model, layout: ModelLayout, tableOf: (uid: string) => string): TableDefinition {
  const { table } = layout;
  const columns: ColumnDefinition[] = [column('id', 'increments')];
  const indexes: IndexDefinition[] = [];
  const foreignKeys: ForeignKeyDefinition[] = [];
  const isContentType = model.modelType === 'contentType';

  const reference = (name: string, target: string): void => {
    const key = short(table, name, ['fk']);
    indexes.push(index(key, [name]));
    foreignKeys.push(foreignKey(key, name, target, 'SET NULL'));
  };

  if (isContentType) {
    columns.push(column('document_id', 'string'));
    indexes.push(index(short(model.collectionName, 'documents', ['idx']), ['document_id', 'locale', 'published_at']));
  }
  for (const attribute of model.attributes.values()) {
    const relation = layout.relations.get(attribute.name);
    columns.push(...attributeColumns(attribute, layout.columns.get(attribute.name), relation));
    if (relation?.kind === 'column' && attribute.type === 'relation') {
      reference(relation.column, tableOf(attribute.target!));
    }
    if ('column' in attribute && attribute.column?.unique) {
      const name = layout.columns.get(attribute.name)!;
      indexes.push(index(short(table, name, ['uq']), [name], true));
    }
  }
  if (isContentType) {
    for (const name of ['created_at', 'updated_at', 'published_at']) columns.push(column(name, 'datetime'));
    for (const name of ['created_by_id', 'updated_by_id']) {
      columns.push(column(name, 'integer'));
      reference(name, ADMIN_USERS);
    }
    columns.push(column('locale', 'string'));
  }
  for (const own of model.indexes) indexes.push(index(own.name, own.columns, own.type === 'unique'));
  const keepsTotals = isContentType && model.routed && model.kind === 'collectionType';
  const { ownIndexes, retiredIndexes } = indexesOf(model, layout);
  const own = { ownIndexes, retiredIndexes, keepsTotals };
  return { name: table, columns, indexes, ...own, foreignKeys, owner: { uid: model.uid } };
}

function attributeColumns(
  attribute: Attribute,
  name: string | undefined,
  relation: RelationLayout | undefined,
): ColumnDefinition[] {
  if (relation?.kind === 'column') return [column(relation.column, 'integer')];
  if (relation?.kind === 'morphColumns') return [column(relation.id, 'integer'), column(relation.type, 'string')];
  if (name === undefined || !('columnName' in attribute)) return [];
  const definition: ColumnDefinition = {
    ...column(name, columnTypeOf(attribute)),
    ...(attribute.managed ? { fromPublication: true } : {}),
  };
  const defaultTo = attribute.column?.defaultTo;
  return [defaultTo === undefined || defaultTo === null ? definition : { ...definition, defaultTo }];
}

/** The table that links components and zone entries to the rows of a model. */
export function componentsTable(model: Model, owner: string, name: string): TableDefinition {
  const { collectionName } = model;
  const entity = short(collectionName, ['entity'], ['fk']);
  return {
    name,
    columns: [
      column('id', 'increments'),
      column('entity_id', 'integer'),
      column('cmp_id', 'integer'),
      column('component_type', 'string'),
      column('field', 'string'),
      column('order', 'double'),
    ],
    indexes: [
      index(short(collectionName, ['field'], ['idx']), ['field']),
      index(short(collectionName, ['component_type'], ['idx']), ['component_type']),
      index(entity, ['entity_id']),
      index(short(collectionName, ['uq']), ['entity_id', 'cmp_id', 'field', 'component_type'], true),
    ],
    // from a component to its owner
    ownIndexes: [index(short(['galley'], name, ['idx']), ['cmp_id'])],
    foreignKeys: [foreignKey(entity, 'entity_id', owner, 'CASCADE')],
    owner: { uid: model.uid },
  };
}

/** The link table of an owning relation. */
export function linkTable(
  model: Model,
  attribute: string,
  names: LinkNames,
  sourceTable: string,
  targetTable: string,
): TableDefinition {
  const { table, source, target, order, inverseOrder } = names;
  const columns = [column('id', 'increments'), column(source, 'integer'), column(target, 'integer')];
  const indexes = [
    index(short(table, ['fk']), [source]),
    index(short(table, ['ifk']), [target]),
    index(short(table, ['uq']), [source, target], true),
  ];
  if (order !== null) {
    columns.push(column(order, 'double'));
    indexes.push(index(short(table, ['ofk']), [order]));
  }
  if (inverseOrder !== null) {
    columns.push(column(inverseOrder, 'double'));
    indexes.push(index(short(table, ['oifk']), [inverseOrder]));
  }
  // a new link is added to the end of its target's list, which may be very long
  const isBuiltIn = model.modelType === 'contentType' && model.builtIn;
  const ownIndexes =
    inverseOrder === null || isBuiltIn ? [] : [index(short(['galley'], table, ['idx']), [target, inverseOrder])];
  const foreignKeys = [
    foreignKey(short(table, ['fk']), source, sourceTable, 'CASCADE'),
    foreignKey(short(table, ['ifk']), target, targetTable, 'CASCADE'),
  ];
  return { name: table, columns, indexes, ownIndexes, foreignKeys, owner: { uid: model.uid, attribute } };
}

/** The table of a morphToMany attribute. */
export function morphTable(
  model: Model,
  attribute: string,
  names: MorphTableNames,
  sourceTable: string,
): TableDefinition {
  const { table, source, id, type, field, order } = names;
  const key = short(table, ['fk']);
  return {
    name: table,
    columns: [
      column('id', 'increments'),
      column(source, 'integer'),
      column(id, 'integer'),
      column(type, 'string'),
      column(field, 'string'),
      column(order, 'double'),
    ],
    indexes: [index(key, [source]), index(short(table, ['oidx']), [order]), index(short(table, ['idix']), [id])],
    // the ordered links to a row; ids of all types are in one column
    ownIndexes: [index(short(['galley'], table, ['idx']), [id, type, field, order])],
    foreignKeys: [foreignKey(key, source, sourceTable, 'CASCADE')],
    owner: { uid: model.uid, attribute },
  };
}
