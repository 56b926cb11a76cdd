/** Where a populated name leads, and whether the caller may see what is there. */
import { type ContentType, type Model, modelOf } from '../schema/catalog.ts';
import { type Context, targetOf } from './context.ts';
import { isPolymorphic, lookUp } from './fields.ts';
import { isSealed, maySee } from './grants.ts';

/** Whether the rows behind a name are visible to the caller. Components, media and zones are part of their document. */
export function mayPopulate(context: Context, model: Model, name: string): boolean {
  const named = lookUp(model, name);
  if (named.kind === 'localizations') return maySee(context.grants, model.uid);
  if (named.kind !== 'attribute' || isPolymorphic(named.attribute)) return true;
  const target = targetOf(named.attribute);
  return named.attribute.type === 'relation' ? maySee(context.grants, target) : !isSealed(context.grants, target);
}

/** Whether a name leads to more than one type. */
export function isSeveral(model: Model, name: string): boolean {
  const named = lookUp(model, name);
  return named.kind === 'attribute' && isPolymorphic(named.attribute);
}

/** The models below a name: several for a zone or a relation to any type. */
export function reachable(context: Context, model: Model, name: string): readonly Model[] {
  const named = lookUp(model, name);
  if (named.kind === 'localizations') return [model];
  if (named.kind !== 'attribute') return [];
  const { attribute } = named;
  if (attribute.type === 'dynamiczone') return attribute.components.map((uid) => modelOf(context.catalog, uid));
  if (isPolymorphic(attribute)) return anyType(context);
  return [modelOf(context.catalog, targetOf(attribute))];
}

/** Types that a relation to any type may show to the caller. Components that use a file are not told, as in the reference. */
export function anyType({ catalog, grants, shared }: Context): readonly ContentType[] {
  shared.types ??= [...catalog.contentTypes.values()].filter((type) => maySee(grants, type.uid));
  return shared.types;
}
