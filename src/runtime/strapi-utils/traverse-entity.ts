/** `traverseEntity` of `@strapi/utils`: a function of the project's is shown each value of a document, at any depth. */
import { FILE_UID } from '../../schema/catalog.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { Schema } from '../schemas/schemas.ts';

interface Path {
  readonly raw: string | null;
  readonly attribute: string | null;
  readonly rawWithIndices?: string | null;
}
interface Options {
  readonly schema: Schema | undefined;
  readonly getModel: (uid: string) => Schema | undefined;
  readonly path?: Path;
  /** The attribute that led to the document. */
  readonly parent?: object;
  readonly allowedExtraRootKeys?: readonly string[];
}
type Visitor = (visited: object, tools: object) => unknown;

/**
 * A copy of a document in which a function may remove and change values. With fewer arguments, returns a curried
 * function.
 */
export function traverseEntity(visitor: Visitor, options?: Options, ...entity: unknown[]): unknown {
  if (options === undefined) return (given: Options, ...rest: unknown[]) => traverseEntity(visitor, given, ...rest);
  if (entity.length === 0) return (document: unknown) => traversed(visitor, options, document);
  return traversed(visitor, options, entity[0]);
}

async function traversed(visitor: Visitor, options: Options, entity: unknown): Promise<unknown> {
  const { schema, getModel, path, allowedExtraRootKeys } = options;
  if (!isPlain(entity) || !schema) return entity;
  const data = { ...entity };
  const tools = {
    remove: (key: string) => delete data[key],
    set: (key: string, value: unknown) => {
      data[key] = value;
    },
  };
  let { parent } = options;
  for (const key of Object.keys(data)) {
    const attribute = schema.attributes[key];
    const here: Path = {
      raw: joined(path?.raw, key),
      rawWithIndices: joined(path?.rawWithIndices, key),
      attribute: attribute ? joined(path?.attribute, key) : (path?.attribute ?? null),
    };
    const visited = { data, schema, key, value: data[key], attribute, path: here, getModel, parent };
    await visitor({ ...visited, allowedExtraRootKeys }, tools);
    const value = data[key];
    if (value === undefined || value === null || !attribute) continue;
    const modelOf = innerModels(attribute, getModel);
    if (!modelOf || (attribute['type'] === 'dynamiczone' && !Array.isArray(value))) continue;
    parent = { schema, key, attribute, path: here };
    const inner = { getModel, parent, ...(allowedExtraRootKeys ? { allowedExtraRootKeys } : {}) };
    data[key] = Array.isArray(value)
      ? await Promise.all(
          value.map((one, index) => {
            const rawWithIndices = joined(here.rawWithIndices, String(index));
            return traversed(visitor, { ...inner, schema: modelOf(one), path: { ...here, rawWithIndices } }, one);
          }),
        )
      : await traversed(visitor, { ...inner, schema: modelOf(value), path: here }, value);
  }
  return data;
}

const joined = (path: string | null | undefined, key: string): string => (path ? `${path}.${key}` : key);

/** Returns the schema of an attribute's target; undefined for a value without one. */
function innerModels(
  { type, relation, target, component }: Readonly<Record<string, unknown>>,
  getModel: Options['getModel'],
): ((value: unknown) => Schema | undefined) | undefined {
  const named = (key: string) => (value: unknown) => (isPlain(value) ? getModel(String(value[key])) : undefined);
  if (type === 'media') return () => getModel(FILE_UID);
  if (type === 'component') return () => getModel(String(component));
  if (type === 'dynamiczone') return named('__component');
  if (type !== 'relation') return undefined;
  return String(relation).startsWith('morph') ? named('__type') : () => getModel(String(target));
}
