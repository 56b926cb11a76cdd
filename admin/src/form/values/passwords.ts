/** Passwords in values: they are on their way to the server, and stay nowhere else. */
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

/** The values without what is written into passwords, at any depth. */
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

/** Whether a password is written in the values, at any depth. */
export function hasPassword(schema: Schema, model: Model, values: Values): boolean {
  return model.attributes.some((attribute) => {
    const value = values[attribute.name];
    if (attribute.type === 'password') return typeof value === 'string' && value !== '';
    if (!isNested(attribute)) return false;
    return entriesOf(value).some((row) => {
      const component = componentOf(schema, attribute, row);
      return component !== undefined && hasPassword(schema, component, row);
    });
  });
}

const isNested = ({ type }: Attribute): boolean => type === 'component' || type === 'dynamiczone';

function nested(schema: Schema, attribute: Attribute, value: unknown): unknown {
  const inside = (row: Values): Values => {
    const component = componentOf(schema, attribute, row);
    return component ? withoutPasswords(schema, component, row) : row;
  };
  if (Array.isArray(value)) return rowsOf(value).map(inside);
  return isValues(value) ? inside(value) : value;
}
