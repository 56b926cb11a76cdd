/** Passwords in values: they are on their way to the server, and stay nowhere else. */
import { type Attribute, componentOf, isValues, type Model, rowsOf, type Schema, type Values } from './model.ts';

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

const isNested = ({ type }: Attribute): boolean => type === 'component' || type === 'dynamiczone';

function nested(schema: Schema, attribute: Attribute, value: unknown): unknown {
  const inside = (row: Values): Values => {
    const component = componentOf(schema, attribute, row);
    return component ? withoutPasswords(schema, component, row) : row;
  };
  if (Array.isArray(value)) return rowsOf(value).map(inside);
  return isValues(value) ? inside(value) : value;
}
