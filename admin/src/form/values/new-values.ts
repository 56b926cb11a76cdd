/** The initial values of documents and rows. */
import { type Attribute, componentOf, KEY, type Model, type Schema, type Values } from './model.ts';

/**
 * The default values of the schema. Required single components exist, repeatable ones have their minimum number of rows,
 * and required zones are empty lists, without which no document can be created.
 */
export function newValues(schema: Schema, model: Model, around: readonly string[] = []): Values {
  const entries = model.attributes.map((attribute) => [attribute.name, initial(schema, attribute, around)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function initial(schema: Schema, attribute: Attribute, around: readonly string[]): unknown {
  if (!attribute.required) return attribute.default ?? undefined;
  if (attribute.type === 'dynamiczone') return [];
  if (attribute.type === 'component') {
    const component = componentOf(schema, attribute);
    // A component that requires itself would never end, and one that a condition may hide is added when it is shown.
    const isAdded = component && !around.includes(component.uid) && attribute.visibleIf === undefined;
    if (!isAdded) return attribute.repeatable ? [] : undefined;
    const make = () => newValues(schema, component, [...around, component.uid]);
    if (!attribute.repeatable) return make();
    return Array.from({ length: Number(attribute.min ?? 0) }, () => ({ ...make(), [KEY]: newKey() }));
  }
  return attribute.default ?? undefined;
}

let keys = 0;

/** A unique key for a row without an id. */
export function newKey(): string {
  keys += 1;
  return `new-${Date.now().toString(36)}-${keys}`;
}

/** The key of a row among its neighbours, for as long as it is shown. */
export function rowKey(row: Values, index: number): string {
  const { [KEY]: key, id, __component: component } = row;
  if (typeof key === 'string') return key;
  return id === undefined ? `at-${index}` : `${String(component ?? '')}#${String(id)}`;
}

/** A copy of a row, without ids at any level. */
export function copyOfRow(schema: Schema, component: Model, row: Values): Values {
  return { ...withoutIds(schema, component, row), [KEY]: newKey() };
}

function withoutIds(schema: Schema, component: Model, { id: _id, [KEY]: _key, ...row }: Values): Values {
  const copy: Record<string, unknown> = { ...row };
  for (const attribute of component.attributes) {
    const value = copy[attribute.name];
    if (value === null || value === undefined) continue;
    const again = (part: Values): Values => {
      const model = componentOf(schema, attribute, part);
      return model ? withoutIds(schema, model, part) : part;
    };
    if (attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable)) {
      copy[attribute.name] = (value as readonly Values[]).map((part) => ({ ...again(part), [KEY]: newKey() }));
    } else if (attribute.type === 'component') copy[attribute.name] = again(value as Values);
  }
  return copy;
}
