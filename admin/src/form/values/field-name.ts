/** What the field at a path is called, wherever it is spoken of beside the form. */
import { componentOf, isValues, type Model, type Path, type Schema, type Values } from './model.ts';
import { valueAt } from './path.ts';

/**
 * The labels of the first attribute of a path and of the last, each with the place of its row where there are several.
 * What cannot be known here, such as the part of a zone without its values, is called as the schema calls it.
 *
 * @param values tell which parts a zone has, and how many rows there are.
 */
export function fieldName(schema: Schema, model: Model, path: Path, values: Values = {}): string {
  const names: string[] = [];
  let at: Model | undefined = model;
  for (const [index, step] of path.entries()) {
    if (/^\d+$/.test(String(step))) {
      const rows = valueAt(values, path.slice(0, index));
      if (Array.isArray(rows) && rows.length > 1) names.push(`${names.pop()} ${Number(step) + 1}`);
      continue;
    }
    const attribute: Model['attributes'][number] | undefined = at?.attributes.find(({ name }) => name === String(step));
    names.push(attribute?.label ?? String(step));
    const below = valueAt(values, path.slice(0, index + 2));
    at = attribute && componentOf(schema, attribute, isValues(below) ? below : {});
  }
  const [first = '', ...deeper] = names;
  const last = deeper.at(-1);
  return last === undefined ? first : `${first} › ${last}`;
}
