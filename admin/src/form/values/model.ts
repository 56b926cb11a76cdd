/** What the form knows of content: models with their attributes, and the values of a document. */
import type { Attribute, Model, Schema } from '../../../contract/schema.ts';

export type { Attribute, Model, Schema };

/** A document or the row of a component, as the content API shows it. */
export type Values = Readonly<Record<string, unknown>>;

/** Where a value stands: names of attributes and places in lists. */
export type Path = readonly (string | number)[];

/** Where the uid of a zone's part stands in it. */
export const COMPONENT = '__component';
/** What tells rows apart that the server does not know yet. Never sent. */
export const KEY = '__key';

/** The component that a row of an attribute is of, with what may be done with it there. @param row needed of zones. */
export function componentOf(schema: Schema, attribute: Attribute, row: Values = {}): Model | undefined {
  const uid = attribute.type === 'dynamiczone' ? String(row[COMPONENT]) : attribute.component;
  return schema.components.find((one) => one.uid === uid && one.place === attribute.place);
}

/** Whether a value is an object with keys. */
export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The rows of a repeatable component or zone; what is none is no row. */
export function rowsOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.filter(isValues) : [];
}

/** The rows of components in a value: those of a list, or the only one. */
export function entriesOf(value: unknown): readonly Values[] {
  return isValues(value) ? [value] : rowsOf(value);
}

/** The same with where they stand. @param path of the value. */
export function placedEntries(value: unknown, path: Path): readonly (readonly [Values, Path])[] {
  if (isValues(value)) return [[value, path]];
  return rowsOf(value).map((row, index) => [row, [...path, index]]);
}

/** Whether a relation leads to at most one document. */
export function isToOne(attribute: Attribute): boolean {
  return /ToOne$|^morphOne$/.test(attribute.relation ?? '');
}
