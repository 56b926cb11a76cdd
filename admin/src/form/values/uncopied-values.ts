/** The values that are lost when a document is created from a form. */
import { linksOf, unreadOf } from './links.ts';
import { type Attribute, componentOf, entriesOf, type Model, type Schema, type Values } from './model.ts';

export interface LeftBehind {
  /** The label of the field, after those of the components around it. */
  readonly label: string;
  /** The number of links that were not loaded; undefined if nothing of the field is sent. */
  readonly links?: number;
}

/**
 * The values that a new document cannot take from a form: links that were not loaded, unreadable values, passwords, and
 * values that cannot be set in a new document. Fields that are hidden from the user are not included.
 */
export function leftBehind(schema: Schema, model: Model, values: Values): readonly LeftBehind[] {
  const found = new Map<string, LeftBehind>();
  const within = (at: Model, row: Values, around: string): void => {
    for (const attribute of at.attributes) {
      const label = `${around}${attribute.label}`;
      const value = row[attribute.name];
      if (!isSent(attribute, value)) {
        if (!isNothing(attribute, value)) found.set(label, { label });
      } else if (attribute.type === 'relation') {
        const links = unreadOf(linksOf(value)) + (found.get(label)?.links ?? 0);
        if (links > 0) found.set(label, { label, links });
      } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
        for (const inner of entriesOf(value)) {
          const component = componentOf(schema, attribute, inner);
          if (component) within(component, inner, `${label} › `);
        }
      }
    }
  };
  within(model, values, '');
  return [...found.values()];
}

const isSent = ({ type, writableInNew }: Attribute, value: unknown): boolean =>
  writableInNew && value !== undefined && !(type === 'password' && !value);

/** Whether a field is certainly empty: it has no value and is readable. */
function isNothing({ type, readable }: Attribute, value: unknown): boolean {
  if (type === 'password') return false;
  if (value === undefined) return readable;
  if (type === 'relation') return linksOf(value).count === 0;
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
