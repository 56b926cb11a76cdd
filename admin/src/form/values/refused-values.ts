/** Values that the server has refused, so that the rest can be saved without them. */
import type { FieldError } from '../../data/failures.ts';
import { linksOf, loadedLinks } from './links.ts';
import { type Attribute, componentOf, isValues, type Model, type Path, type Schema, type Values } from './model.ts';
import { pathText, valueAt } from './path.ts';
import { same } from './same.ts';

/** The value of an attribute, and its path. */
export interface RefusedValue {
  readonly path: Path;
  readonly value: unknown;
}

/** Whether the value at a path was refused. */
export function isRefused(refused: readonly RefusedValue[], path: Path, value: unknown): boolean {
  const text = pathText(path);
  return refused.some((one) => pathText(one.path) === text && same(one.value ?? null, value ?? null));
}

/** The refused values, by the attributes of the errors. Errors without an attribute are left out. */
export function refusedValues(
  schema: Schema,
  model: Model,
  values: Values,
  errors: readonly FieldError[],
): readonly RefusedValue[] {
  return errors.flatMap(({ path }) => {
    const place = attributeAt(schema, model, values, path);
    return place ? [{ path: place, value: valueAt(values, place) }] : [];
  });
}

/**
 * Adjusts the paths of errors to fields of the form: for links in rows the server does not name the row, and for links
 * by row id not the attribute.
 *
 * @param sent the names of the sent attributes.
 */
export function withFieldPaths(
  schema: Schema,
  model: Model,
  values: Values,
  errors: readonly FieldError[],
  sent: readonly string[],
): readonly FieldError[] {
  return errors.flatMap((error) => {
    if (error.path.length > 0) {
      const place = attributeAt(schema, model, values, error.path);
      return [
        place && place.length < error.path.length && !/^\d+$/.test(String(error.path.at(-1)))
          ? { ...error, path: place }
          : error,
      ];
    }
    const { code, values: given } = error.reason ?? {};
    const uid = code === 'gone' ? given?.['type'] : undefined;
    const linking = model.attributes.filter(
      ({ name, ...rest }) => sent.includes(name) && links(rest, uid, values[name]),
    );
    return linking.length > 0 ? linking.map(({ name }) => ({ ...error, path: [name] })) : [error];
  });
}

function links({ type, target }: Pick<Attribute, 'type' | 'target'>, uid: unknown, value: unknown): boolean {
  if (uid === undefined) return false;
  if (type === 'media') return uid === 'plugin::upload.file';
  return type === 'relation' && (target === uid || loadedLinks(linksOf(value)).some((link) => link.type === uid));
}

/** The attribute at a path; if it cannot be resolved, the first attribute. */
function attributeAt(schema: Schema, model: Model, values: Values, path: Path): Path | undefined {
  const first = model.attributes.find(({ name }) => name === String(path[0]));
  if (!first) return undefined;
  let [at, attribute]: [number, Attribute] = [1, first];
  for (;;) {
    if (at >= path.length) return path;
    let row: unknown = valueAt(values, path.slice(0, at));
    if (Array.isArray(row)) {
      row = row[Number(path[at])];
      at += 1;
      if (at >= path.length) return path.slice(0, at - 1);
    }
    const component = isValues(row) ? componentOf(schema, attribute, row) : undefined;
    const inner = component?.attributes.find(({ name }) => name === String(path[at]));
    if (!inner) return path.slice(0, 1);
    attribute = inner;
    at += 1;
  }
}
