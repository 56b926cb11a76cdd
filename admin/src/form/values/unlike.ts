/** What of some values a document does not say. */
import { equalValues } from './equal.ts';
import type { Model, Schema, Values } from './model.ts';

/**
 * Those of the values that read otherwise in a document: rows are the same with the same content, whatever ids they have.
 * What the model does not know, or no longer does, is none.
 *
 * @param document null: there is none, so that it says nothing.
 */
export function unlike(schema: Schema, model: Model, values: Values, document: Values | null): Values {
  const others = model.attributes.filter((attribute) => {
    const { name } = attribute;
    return name in values && !equalValues(schema, attribute, values[name], document?.[name], 'shown');
  });
  return Object.fromEntries(others.map(({ name }) => [name, values[name]]));
}
