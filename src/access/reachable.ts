/** The models behind a populated name, and whether the caller may see their rows. */
import { isPolymorphic, type Model, modelOf } from '../schema/catalog.ts';
import type { Context } from './context.ts';

/**
 * True where the rows behind a name are visible to the caller. Components, media and zones are part of their document.
 */
export function mayPopulate({ view }: Pick<Context, 'view'>, model: Model, name: string): boolean {
  const named = view.of(model).named(name);
  if (named.kind === 'localizations') return view.of(model).isSeen;
  if (named.kind !== 'attribute' || isPolymorphic(named.attribute)) return true;
  const { isSeen, isSealed } = view.of(view.into(model, named.attribute));
  return named.attribute.type === 'relation' ? isSeen : !isSealed;
}

/** True for a name that leads to more than one type. */
export function isSeveral({ view }: Pick<Context, 'view'>, model: Model, name: string): boolean {
  const named = view.of(model).named(name);
  return named.kind === 'attribute' && isPolymorphic(named.attribute);
}

/** True for a relation to any type. */
export function isAnyRelation({ view }: Pick<Context, 'view'>, model: Model, name: string): boolean {
  const named = view.of(model).named(name);
  return named.kind === 'attribute' && named.attribute.type === 'relation' && isPolymorphic(named.attribute);
}

/** The models below a name: several for a zone or a relation to any type. */
export function reachable({ view }: Pick<Context, 'view'>, model: Model, name: string): readonly Model[] {
  const named = view.of(model).named(name);
  if (named.kind === 'localizations') return [model];
  if (named.kind !== 'attribute') return [];
  const { attribute } = named;
  if (attribute.type === 'dynamiczone') return attribute.components.map((uid) => modelOf(view.catalog, uid));
  // components that use a file are not listed, as in the reference
  if (isPolymorphic(attribute)) return view.types;
  return [view.into(model, attribute)];
}
