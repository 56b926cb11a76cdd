/** Where the links of an attribute are stored, in one form for relations of every kind and for media. */
import { FILE_UID, type MediaAttribute, type Model, type RelationAttribute } from '../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf } from '../schema/layout/layout.ts';
import { type ForeignKey, foreignKeyTo } from './foreign-key.ts';
import type { ColumnList } from './row-query.ts';

/** Columns with the values that distinguish the links of one attribute. */
type Fixed = Readonly<Record<string, string>>;

/** A table of links, seen from one side. */
export interface LinkTable {
  readonly kind: 'table';
  readonly table: string;
  readonly source: string;
  /** Column of the other side's row ids. */
  readonly target: string;
  /** Column of the order of targets; null when the table keeps none. */
  readonly order: string | null;
  /** Column of the order of sources within a target. */
  readonly inverseOrder: string | null;
  /** Columns that distinguish this attribute's links from others in the table. */
  readonly fixed: Fixed;
  /** Columns that every new link gets, besides `fixed`. */
  readonly added: Fixed;
  /** Column of the target's uid, where links may reach any type. */
  readonly targetType: string | null;
  /** Links to a missing row are ignored. */
  readonly foreignKey: ForeignKey;
  /**
   * The columns of a new link, without its order on the other side; `placedColumns` ends with that order, if the table
   * has one.
   */
  readonly columns: ColumnList;
  readonly placedColumns: ColumnList;
}

/** Where the links of an attribute are stored: in a table, or in columns of content rows. */
export type LinkPlace =
  | LinkTable
  /** A column of this side's row. */
  | { readonly kind: 'own'; readonly column: string }
  /** A column of the target's row. */
  | {
      readonly kind: 'inverse';
      readonly column: string;
      readonly type?: { readonly column: string; readonly uid: string };
    }
  /** morphToOne: two columns of this side's row. */
  | { readonly kind: 'ownMorph'; readonly id: string; readonly type: string; readonly foreignKey: ForeignKey };

const NONE = {};

export interface PlaceSources {
  readonly layout: Layout;
  /** The tables of content types by uid. */
  readonly contentTables: ReadonlyMap<string, string>;
}

export function linkPlace(
  { layout, contentTables }: PlaceSources,
  model: Model,
  attribute: RelationAttribute | MediaAttribute,
): LinkPlace {
  const key = `${model.uid} new links ${attribute.name}`;
  if (attribute.type === 'media') {
    return withColumns(key, {
      kind: 'table',
      table: FILES_RELATED_TABLE,
      source: 'related_id',
      target: 'file_id',
      order: 'order',
      inverseOrder: null,
      fixed: { related_type: model.uid, field: attribute.name },
      added: NONE,
      targetType: null,
      foreignKey: foreignKeyTo(layout, FILE_UID, 'file_id'),
    });
  }
  const relation = layoutOf(layout, model.uid).relations.get(attribute.name)!;
  const table = { kind: 'table', inverseOrder: null, fixed: NONE, added: NONE, targetType: null } as const;
  switch (relation.kind) {
    case 'link': {
      const { kind: _, ...columns } = relation;
      return withColumns(key, {
        ...table,
        ...columns,
        foreignKey: foreignKeyTo(layout, attribute.target!, relation.target),
      });
    }
    case 'column':
      return { kind: 'own', column: relation.column };
    case 'inverseColumn':
      return { kind: 'inverse', column: relation.column };
    case 'morphColumns':
      return {
        kind: 'ownMorph',
        id: relation.id,
        type: relation.type,
        foreignKey: { column: relation.id, type: relation.type, tables: contentTables },
      };
    case 'morphTable':
      return withColumns(key, {
        ...table,
        table: relation.table,
        source: relation.source,
        target: relation.id,
        order: relation.order,
        added: { [relation.field]: attribute.name },
        targetType: relation.type,
        foreignKey: { column: relation.id, type: relation.type, tables: contentTables },
      });
    case 'morphInverse': {
      const { via } = relation;
      if (via.kind === 'morphColumns') {
        return { kind: 'inverse', column: via.id, type: { column: via.type, uid: model.uid } };
      }
      return withColumns(key, {
        ...table,
        table: via.table,
        source: via.id,
        target: via.source,
        order: via.order,
        fixed: { [via.type]: model.uid, [via.field]: attribute.name },
        foreignKey: foreignKeyTo(layout, attribute.target!, via.source),
      });
    }
  }
}

function withColumns(key: string, place: Omit<LinkTable, 'columns' | 'placedColumns'>): LinkTable {
  const { table, source, target, fixed, added, targetType, order, inverseOrder } = place;
  const ownColumns = [targetType, order].filter((column) => column !== null);
  const names = [source, target, ...Object.keys(fixed), ...Object.keys(added), ...ownColumns];
  const columns = { key, table, names };
  const isPlaced = inverseOrder !== null;
  return {
    ...place,
    columns,
    placedColumns: isPlaced ? { key: `${key} placed`, table, names: [...names, inverseOrder] } : columns,
  };
}

/** Whether an attribute holds at most one link. */
export function isToOne(attribute: RelationAttribute | MediaAttribute): boolean {
  if (attribute.type === 'media') return !attribute.multiple;
  return !/Many$/.test(attribute.relation);
}

/**
 * Whether a target may be linked from one source only, so that a new link takes it from another: two-sided oneToOne,
 * and oneToMany whose other side is to-one. One-way relations never take (docs/reference/writing.md, "Relations").
 */
export function isExclusive(attribute: RelationAttribute | MediaAttribute): boolean {
  if (attribute.type === 'media') return false;
  const { relation, inverse } = attribute;
  if (relation === 'morphOne' || relation === 'morphMany') return false;
  return inverse !== undefined && (relation === 'oneToOne' || relation === 'oneToMany');
}
