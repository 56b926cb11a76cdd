/** The values that are lost when a document is created from a form. */
import { linksOf, unloadedOf } from './links.ts';
import { type Attribute, componentOf, entriesOf, type Model, type Schema, type Values } from './model.ts';

export interface UncopiedValue {
  /** The label of the field, after those of the components around it. */
  readonly label: string;
  /** The number of links that were not loaded; undefined if nothing of the field is sent. */
  readonly links?: number;
}

/**
 * The values that a new document cannot take from a form: links that were not loaded, unreadable values, passwords, and
 * values that cannot be set in a new document. Fields that are hidden from the user are not included.
 */
export function uncopiedValues(schema: Schema, model: Model, values: Values): readonly UncopiedValue[] {
  const result = new Map<string, UncopiedValue>();
  const within = (at: Model, row: Values, around: string): void => {
    for (const attribute of at.attributes) {
      const label = `${around}${attribute.label}`;
      const value = row[attribute.name];
      if (!isSent(attribute, value)) {
        if (!isCertainlyEmpty(attribute, value)) result.set(label, { label });
      } else if (attribute.type === 'relation') {
        const links = unloadedOf(linksOf(value)) + (result.get(label)?.links ?? 0);
        if (links > 0) result.set(label, { label, links });
      } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
        for (const inner of entriesOf(value)) {
          const component = componentOf(schema, attribute, inner);
          if (component) within(component, inner, `${label} › `);
        }
      }
    }
  };
  within(model, values, '');
  return [...result.values()];
}

const isSent = ({ type, writableInNew }: Attribute, value: unknown): boolean =>
  writableInNew && value !== undefined && !(type === 'password' && !value);

/** Whether a field is certainly empty: it has no value and is readable. */
function isCertainlyEmpty({ type, readable }: Attribute, value: unknown): boolean {
  if (type === 'password') return false;
  if (value === undefined) return readable;
  if (type === 'relation') return linksOf(value).count === 0;
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
