/** What a document that is made of a form does not get from it. */
import { linksOf, unreadOf } from './links.ts';
import { type Attribute, componentOf, entriesOf, type Model, type Schema, type Values } from './model.ts';

export interface LeftBehind {
  /** The field, with those that it stands in before it. */
  readonly label: string;
  /** How many links of it were not read; undefined: nothing of the field is sent. */
  readonly links?: number;
}

/**
 * What is missing in a document that is made anew of what a form shows: links that were not read, what its writer may not
 * read, passwords, and what may not be written into a new document. Fields that the writer is not told of at all are not
 * among them.
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

/** Whether nothing can be missing: nothing is there, and it would have been read if it were. */
function isNothing({ type, readable }: Attribute, value: unknown): boolean {
  if (type === 'password') return false;
  if (value === undefined) return readable;
  if (type === 'relation') return linksOf(value).count === 0;
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
