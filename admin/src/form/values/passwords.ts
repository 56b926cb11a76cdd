/** Passwords in values. They are sent to the server and stored nowhere else. */
import {
  type Attribute,
  componentOf,
  entriesOf,
  isValues,
  type Model,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';

/** The values without passwords, at any level. */
export function withoutPasswords(schema: Schema, model: Model, values: Values): Values {
  const rest: Record<string, unknown> = { ...values };
  for (const attribute of model.attributes) {
    const { name } = attribute;
    if (attribute.type === 'password') delete rest[name];
    else if (isNested(attribute)) rest[name] = nested(schema, attribute, values[name]);
    if (rest[name] === undefined) delete rest[name];
  }
  return rest;
}

/** Whether the values contain a password, at any level. */
export function hasPassword(schema: Schema, model: Model, values: Values): boolean {
  return model.attributes.some((attribute) => {
    const value = values[attribute.name];
    if (attribute.type === 'password') return isEntered(value);
    if (!isNested(attribute)) return false;
    return entriesOf(value).some((row) => {
      const component = componentOf(schema, attribute, row);
      return component !== undefined && hasPassword(schema, component, row);
    });
  });
}

/**
 * Adds the passwords of other values at the same places: no version of the server contains passwords to choose between.
 */
export function withPasswordsOf(schema: Schema, model: Model, values: Values, written: Values): Values {
  const result: Record<string, unknown> = { ...values };
  for (const attribute of model.attributes) {
    const { name } = attribute;
    if (attribute.type === 'password' && isEntered(written[name])) result[name] = written[name];
    else if (isNested(attribute)) result[name] = nestedWith(schema, attribute, values[name], entriesOf(written[name]));
    if (result[name] === undefined) delete result[name];
  }
  return result;
}

function nestedWith(schema: Schema, attribute: Attribute, value: unknown, written: readonly Values[]): unknown {
  const inside = (row: Values): Values => {
    const component = componentOf(schema, attribute, row);
    const same = written.find(({ id, __component }) => id === row['id'] && __component === row['__component']);
    return component && same && row['id'] !== undefined ? withPasswordsOf(schema, component, row, same) : row;
  };
  return eachRow(value, inside);
}

/** Whether a password was entered. */
const isEntered = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isNested = ({ type }: Attribute): boolean => type === 'component' || type === 'dynamiczone';

function nested(schema: Schema, attribute: Attribute, value: unknown): unknown {
  const inside = (row: Values): Values => {
    const component = componentOf(schema, attribute, row);
    return component ? withoutPasswords(schema, component, row) : row;
  };
  return eachRow(value, inside);
}

/** Replaces the rows of a component or a dynamic zone. */
function eachRow(value: unknown, inside: (row: Values) => Values): unknown {
  if (Array.isArray(value)) return rowsOf(value).map(inside);
  return isValues(value) ? inside(value) : value;
}
