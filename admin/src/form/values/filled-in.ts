/** Fills the empty fields of a version from another locale. */
import { linksOf } from './links.ts';
import { type Attribute, componentOf, isValues, KEY, type Model, rowsOf, type Schema, type Values } from './model.ts';
import { copyOfRow } from './new-values.ts';

/**
 * The values to put into the form, by attribute.
 *
 * @param filled values of the other locale, as this one can take them.
 */
export function valuesToFill(schema: Schema, model: Model, values: Values, filled: Values): Values {
  const emptyFields = model.attributes.filter(
    (attribute) =>
      attribute.localized &&
      attribute.writable &&
      isEmpty(attribute, values[attribute.name]) &&
      !isEmpty(attribute, filled[attribute.name]),
  );
  return Object.fromEntries(
    emptyFields.map((attribute) => [attribute.name, asNewRows(schema, attribute, filled[attribute.name])]),
  );
}

function isEmpty({ type }: Attribute, value: unknown): boolean {
  if (type === 'relation') return linksOf(value).count === 0;
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Turns rows into new ones of this version. */
function asNewRows(schema: Schema, attribute: Attribute, value: unknown): unknown {
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return value;
  const copy = (row: Values): Values => {
    const component = componentOf(schema, attribute, row);
    return component ? copyOfRow(schema, component, row) : row;
  };
  if (Array.isArray(value)) return rowsOf(value).map(copy);
  if (!isValues(value)) return value;
  const { [KEY]: _key, ...row } = copy(value);
  return row;
}
