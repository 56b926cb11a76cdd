/** What the form knows of content: models with their attributes, and the values of a document. */
import type { Attribute, Model, Schema } from '../../../contract/schema.ts';

export type { Attribute, Model, Schema };

/** A document or the row of a component, as the content API shows it. */
export type Values = Readonly<Record<string, unknown>>;

/** Where a value stands: names of attributes and places in lists. */
export type Path = readonly (string | number)[];

/** The model of a uid; undefined for what the schema does not show. */
export function modelOf(schema: Schema, uid: string | undefined): Model | undefined {
  const has = (model: Model) => model.uid === uid;
  return schema.components.find(has) ?? schema.contentTypes.find(has);
}

/** Where the uid of a zone's part stands in it. */
export const COMPONENT = '__component';
/** What tells rows apart that the server does not know yet. Never sent. */
export const KEY = '__key';

/** The component that a row of a list or zone is of. */
export function componentOf(schema: Schema, attribute: Attribute, row: Values): Model | undefined {
  return modelOf(schema, attribute.type === 'dynamiczone' ? String(row[COMPONENT]) : attribute.component);
}

/** Whether a value is an object with keys. */
export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The rows of a repeatable component or zone; what is none is no row. */
export function rowsOf(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.filter(isValues) : [];
}

/** Whether a relation leads to at most one document. */
export function isToOne(attribute: Attribute): boolean {
  return /ToOne$|^morphOne$/.test(attribute.relation ?? '');
}
