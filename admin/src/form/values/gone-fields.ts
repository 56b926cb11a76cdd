/** The fields that a form has lost because the schema has changed. */
import { componentOf, entriesOf, type Model, type Schema, type Values } from './model.ts';

/** A schema, and the model of the form in it. */
interface Content {
  readonly schema: Schema;
  readonly model: Model;
}

export interface GoneField {
  /** The label of the field, after those of the components around it. */
  readonly label: string;
  /** The texts in the field that were not saved. */
  readonly texts: readonly string[];
}

/** @param saved the values of the server; null if it has none. */
export function goneFields(before: Content, now: Content, values: Values, saved: Values | null): readonly GoneField[] {
  const found = new Map<string, string[]>();
  const within = (one: Model, other: Model | undefined, row: Values, stored: Values, around: string): void => {
    for (const attribute of one.attributes) {
      const { name, type } = attribute;
      const label = `${around}${attribute.label}`;
      const value = row[name];
      const next = other?.attributes.find((candidate) => candidate.name === name && candidate.type === type);
      if (!next) {
        const isUnsaved = typeof value === 'string' && value !== '' && value !== stored[name] && type !== 'password';
        found.set(label, [...(found.get(label) ?? []), ...(isUnsaved ? [value] : [])]);
      } else if (type === 'component' || type === 'dynamiczone') {
        const rows = entriesOf(stored[name]);
        for (const inner of entriesOf(value)) {
          const component = componentOf(before.schema, attribute, inner);
          const savedRow = rows.find((candidate) => inner['id'] !== undefined && candidate['id'] === inner['id']) ?? {};
          if (component) within(component, componentOf(now.schema, next, inner), inner, savedRow, `${label} › `);
        }
      }
    }
  };
  within(before.model, now.model, values, saved ?? {}, '');
  return [...found].map(([label, texts]) => ({ label, texts }));
}
