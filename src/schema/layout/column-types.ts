/** The column types of attribute types, as in Strapi 5. */
import type { ScalarAttribute, ScalarType } from '../catalog.ts';
import type { ColumnType } from './table.ts';

/** The column type of each attribute type without a `columnType` of its own. */
export const COLUMN_TYPES = {
  string: 'string',
  email: 'string',
  uid: 'string',
  enumeration: 'string',
  password: 'string',
  text: 'text',
  richtext: 'text',
  json: 'json',
  blocks: 'json',
  integer: 'integer',
  biginteger: 'biginteger',
  float: 'float',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  timestamp: 'datetime',
} as const satisfies Readonly<Record<ScalarType, ColumnType>>;

/** The values of `columnType.type` of a schema, in the reference's words. */
export const COLUMN_TYPE_OPTIONS: ReadonlyMap<string, ColumnType> = new Map([
  ['string', 'string'],
  ['text', 'text'],
  ['integer', 'integer'],
  ['bigInteger', 'biginteger'],
  ['float', 'float'],
  ['double', 'double'],
  ['decimal', 'decimal'],
  ['boolean', 'boolean'],
  ['date', 'date'],
  ['time', 'time'],
  ['datetime', 'datetime'],
  ['timestamp', 'datetime'],
  ['json', 'json'],
  ['jsonb', 'json'],
]);

/** The type of the column that holds a scalar attribute. */
export function columnTypeOf(attribute: Pick<ScalarAttribute, 'type' | 'columnType'>): ColumnType {
  return COLUMN_TYPE_OPTIONS.get(attribute.columnType ?? '') ?? COLUMN_TYPES[attribute.type];
}

/** Whether values of a column fit into an index on every engine; texts and documents may be too long. */
export function isIndexable(type: ColumnType): boolean {
  return type !== 'text' && type !== 'json';
}

/** Whether search indexes contain values of a column: texts, and JSON, in which there are texts. */
export function isSearched(type: ColumnType): boolean {
  return type === 'string' || type === 'text' || type === 'json';
}
