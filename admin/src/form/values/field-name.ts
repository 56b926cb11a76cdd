/** The names of fields in messages outside of the form. */
import { componentOf, isValues, type Model, type Path, type Schema, type Values } from './model.ts';
import { valueAt } from './path.ts';

/**
 * The labels of the first and the last attribute of a path, each with the number of its row if there are several.
 * Attributes that cannot be resolved, as in a dynamic zone without its values, keep their names.
 *
 * @param values tell the components of a dynamic zone, and the number of rows.
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
