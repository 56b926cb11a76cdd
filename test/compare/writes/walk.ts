/** Goes through the body of a write beside the model that it is written to. */
import { type Attribute, type Catalog, type Model, modelOf } from '../../../src/schema/catalog.ts';

/** What stands for an attribute's value instead; gives the value itself to leave it. */
export type Replace = (attribute: Attribute, value: unknown) => unknown;

/** The body with values replaced, the outer ones first, through components and zones. */
export function replaced(catalog: Catalog, model: Model, data: unknown, replace: Replace): unknown {
  if (!isObject(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const attribute = model.attributes.get(key);
      if (!attribute) return [key, value];
      return [key, inside(catalog, attribute, replace(attribute, value), replace)];
    }),
  );
}

function inside(catalog: Catalog, attribute: Attribute, value: unknown, replace: Replace): unknown {
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return value;
  const part = (item: unknown): unknown => {
    if (!isObject(item)) return item;
    const uid = attribute.type === 'component' ? attribute.component : String(item['__component']);
    const known = catalog.components.has(uid);
    return known ? replaced(catalog, modelOf(catalog, uid), item, replace) : item;
  };
  return Array.isArray(value) ? value.map(part) : part(value);
}

/** Whether some attribute's value in the body is one that a test is true of. */
export function mentions(
  catalog: Catalog,
  model: Model,
  data: unknown,
  test: (attribute: Attribute, value: unknown) => boolean,
): boolean {
  let found = false;
  replaced(catalog, model, data, (attribute, value) => {
    found ||= test(attribute, value);
    return value;
  });
  return found;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
