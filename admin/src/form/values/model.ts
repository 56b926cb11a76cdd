/** The types of the form: models with their attributes, and values. */
import type { Attribute, Model, Schema } from '../../../contract/schema.ts';

export type { Attribute, Model, Schema };

/** A document or a row of a component, in the format of the content API. */
export type Values = Readonly<Record<string, unknown>>;

/** The place of a value: names of attributes and indexes of lists. */
export type Path = readonly (string | number)[];

/** The key of the component's uid in a row of a dynamic zone. */
export const COMPONENT = '__component';
/** The key that identifies a row that the server does not have. It is never sent. */
export const KEY = '__key';

/** The component of a row, with the permissions that apply there. @param row required for dynamic zones. */
export function componentOf(schema: Schema, attribute: Attribute, row: Values = {}): Model | undefined {
  const uid = attribute.type === 'dynamiczone' ? String(row[COMPONENT]) : attribute.component;
  return schema.components.find((one) => one.uid === uid && one.place === attribute.place);
}

/** Whether a value is an object. */
export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The rows of a repeatable component or a dynamic zone; anything else has none. */
export function rowsOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.filter(isValues) : [];
}

/** The component rows of a value: those of a list, or the single one. */
export function entriesOf(value: unknown): readonly Values[] {
  return isValues(value) ? [value] : rowsOf(value);
}

/** The same, each with its path. @param path of the value. */
export function placedEntries(value: unknown, path: Path): readonly (readonly [Values, Path])[] {
  if (isValues(value)) return [[value, path]];
  return rowsOf(value).map((row, index) => [row, [...path, index]]);
}

/** Whether a relation links at most one document. */
export function isToOne(attribute: Attribute): boolean {
  return /ToOne$|^morphOne$/.test(attribute.relation ?? '');
}
