/**
 * `populate` of a request whose stars, and relations to any type, are replaced by what its caller may populate: code
 * reads with rights of its own.
 */
import { isAnyRelation, isSeveral, mayPopulate, reachable } from '../../../access/reachable.ts';
import type { View } from '../../../access/view.ts';
import { type Model, modelOf } from '../../../schema/catalog.ts';
import { isPlain } from '../documents/plain-params.ts';

/** @param populate in any of its forms; what is wrong in it stays as it is. */
export function withoutStars(populate: unknown, model: Model, view: View): unknown {
  if (isStar(populate)) return Object.fromEntries(shownOf(model, view).map((name) => [name, whole(model, name, view)]));
  if (!isPlain(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate).map(([name, options]) => [
      name,
      isPlain(options) ? below(options, model, name, view) : options,
    ]),
  );
}

/** `'*'`, by itself or as the only name of a list. */
const isStar = (populate: unknown): boolean =>
  populate === '*' || (Array.isArray(populate) && populate.length === 1 && populate[0] === '*');

const shownOf = (model: Model, view: View): string[] =>
  view.of(model).populatable.filter((name) => mayPopulate({ view }, model, name));

/** What a star asks for of one name: of a relation to any type, the types that the caller may find. */
function whole(model: Model, name: string, view: View): unknown {
  if (view.seesAllTypes || !isAnyRelation({ view }, model, name)) return true;
  return { on: Object.fromEntries(view.types.map(({ uid }) => [uid, true])) };
}

/** What is asked for below a name. */
function below(options: Record<string, unknown>, model: Model, name: string, view: View): object {
  const { populate, on, ...others } = options;
  const models = view.of(model).populatable.includes(name) ? reachable({ view }, model, name) : [];
  if (isPlain(on)) {
    const fragments = Object.entries(on).map(([uid, inner]) => [
      uid,
      isPlain(inner) ? inside(inner, uid, view) : inner,
    ]);
    return { ...options, on: Object.fromEntries(fragments) };
  }
  if (populate === undefined) return options;
  const [target] = models;
  const named = view.of(model).named(name);
  const isZone = named.kind === 'attribute' && named.attribute.type === 'dynamiczone';
  if (target && !isZone && !isSeveral({ view }, model, name))
    return { ...others, populate: withoutStars(populate, target, view) };
  const isWhole =
    (isZone || view.seesAllTypes) &&
    models.every((one) => view.of(one).populatable.every((below) => isWholly(one, below, view)));
  if (!isStar(populate) || isWhole) return options;
  const fragments = models.map((one) => [one.uid, { populate: withoutStars('*', one, view) }]);
  return { ...others, on: Object.fromEntries(fragments) };
}

/** Whether a star may ask for a name as it stands. */
const isWholly = (model: Model, name: string, view: View): boolean =>
  mayPopulate({ view }, model, name) && whole(model, name, view) === true;

/** A fragment of `on`. */
function inside(options: Record<string, unknown>, uid: string, view: View): object {
  const { catalog } = view;
  const isThere = catalog.contentTypes.has(uid) || catalog.components.has(uid);
  if (!isThere || options['populate'] === undefined) return options;
  return { ...options, populate: withoutStars(options['populate'], modelOf(catalog, uid), view) };
}
