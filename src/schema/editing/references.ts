/** Corrects references to a renamed attribute or type. */
import { isObject } from '../../plain-values.ts';
import type { RawSchema } from '../built-in.ts';
import type { FormerNames } from './places.ts';

/**
 * The schema with the new names.
 *
 * @param uid of the schema.
 */
export function correctedSchema(uid: string, schema: RawSchema, names: FormerNames): RawSchema {
  const types = new Map(Array.from(names.types, ([now, former]) => [former, now]));
  const newNames = (type: unknown): ReadonlyMap<unknown, string> =>
    new Map(Array.from(names.attributes.get(String(type)) ?? [], ([now, former]) => [former, now]));
  const own = newNames(uid);
  const attributes = isObject(schema['attributes']) ? schema['attributes'] : {};
  /** The new name, unless another attribute has the old one now. */
  const renamed = (name: unknown): unknown =>
    Object.hasOwn(attributes, String(name)) ? name : (own.get(name) ?? name);
  const corrected = Object.entries(attributes).map(([name, attribute]): [string, unknown] => {
    if (!isObject(attribute)) return [name, attribute];
    const changed: Record<string, unknown> = { ...attribute };
    for (const key of ['target', 'component']) {
      if (key in attribute) changed[key] = types.get(String(attribute[key])) ?? attribute[key];
    }
    if (Array.isArray(attribute['components'])) {
      changed['components'] = attribute['components'].map((one) => types.get(String(one)) ?? one);
    }
    const others = newNames(changed['target']);
    for (const key of ['inversedBy', 'mappedBy', 'morphBy']) {
      if (key in attribute) changed[key] = others.get(attribute[key]) ?? attribute[key];
    }
    if ('targetField' in attribute) changed['targetField'] = renamed(attribute['targetField']);
    if (own.size > 0 && isObject(attribute['conditions']))
      changed['conditions'] = withVars(attribute['conditions'], renamed);
    return [name, changed];
  });
  const options = isObject(schema['options']) ? schema['options'] : {};
  const hidden = options['privateAttributes'];
  return {
    ...schema,
    ...(Array.isArray(hidden) ? { options: { ...options, privateAttributes: hidden.map(renamed) } } : {}),
    ...(isObject(schema['attributes']) ? { attributes: Object.fromEntries(corrected) } : {}),
  };
}

/** A condition in JSON Logic with other names of attributes. */
function withVars(value: unknown, renamed: (name: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withVars(item, renamed));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    if (key !== 'var') return [key, withVars(inner, renamed)];
    if (Array.isArray(inner)) return [key, [renamed(inner[0]), ...inner.slice(1)]];
    return [key, renamed(inner)];
  });
  return Object.fromEntries(entries);
}
