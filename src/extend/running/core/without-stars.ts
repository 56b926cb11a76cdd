/** `populate` of a request whose stars are replaced by what its caller may populate: code reads with rights of its own. */
import { isSeveral, mayPopulate, reachable } from '../../../access/reachable.ts';
import type { View } from '../../../access/view.ts';
import { type Model, modelOf } from '../../../schema/catalog.ts';
import { isPlain } from '../documents/plain-params.ts';

/** @param populate in any of its forms; what is wrong in it stays as it is. */
export function withoutStars(populate: unknown, model: Model, view: View): unknown {
  if (populate === '*') return Object.fromEntries(shownOf(model, view).map((name) => [name, true]));
  if (!isPlain(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate).map(([name, options]) => [
      name,
      isPlain(options) ? below(options, model, name, view) : options,
    ]),
  );
}

const shownOf = (model: Model, view: View): string[] =>
  view.of(model).populatable.filter((name) => mayPopulate({ view }, model, name));

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
  if (populate !== '*' || models.every((one) => shownOf(one, view).length === view.of(one).populatable.length))
    return options;
  const fragments = models.map((one) => [one.uid, { populate: withoutStars('*', one, view) }]);
  return { ...others, on: Object.fromEntries(fragments) };
}

/** A fragment of `on`. */
function inside(options: Record<string, unknown>, uid: string, view: View): object {
  const { catalog } = view;
  const isThere = catalog.contentTypes.has(uid) || catalog.components.has(uid);
  if (!isThere || options['populate'] === undefined) return options;
  return { ...options, populate: withoutStars(options['populate'], modelOf(catalog, uid), view) };
}
