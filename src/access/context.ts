/** What the permit functions share: the Catalog, the caller's rights, and how an invalid key is told. */
import { type ContentError, invalidKey } from '../errors.ts';
import type { Budget } from '../query/budget.ts';
import { type Catalog, type ContentType, FILE_UID, type Model, modelOf } from '../schema/catalog.ts';
import { nearest } from '../schema/check/nearest.ts';
import { isPolymorphic, lookUp, visibleNames } from './fields.ts';
import { type Grants, isSealed, maySee } from './grants.ts';
import type { Selection } from './permitted-query.ts';

export type Param = 'filters' | 'sort' | 'fields' | 'populate';

export interface Context {
  readonly catalog: Catalog;
  readonly grants: Grants;
  /** Charged for every part of the tree before it is made. */
  readonly budget: Budget;
  readonly shared: Shared;
  /** Relations that a populate has followed up to here. */
  readonly level: number;
  /** The parameter that errors name: `populate` for whatever stands inside one. */
  readonly param: Param;
  /** Set where the walk has passed what the caller may not find: its names are not to be learned from hints. */
  readonly unseen?: boolean;
}

/** What is made once for a request and used wherever it is asked for again. */
export interface Shared {
  /** Types that a relation to any type may show to the caller. */
  types: readonly ContentType[] | undefined;
  /** Models with all of their fields and nothing populated. */
  readonly plain: Map<Model, Selection>;
}

/** An invalid key of a query parameter. An empty path is null at the top. */
export function refuse(
  context: Context,
  key: string,
  path: readonly string[],
  candidates: readonly string[] = [],
): ContentError {
  return invalidKey({
    key,
    path: path.length === 0 ? null : path.join('.'),
    source: 'query',
    param: context.param,
    nearest: context.unseen ? undefined : nearest(key, candidates),
  });
}

/** The refusal of a name that the model does not have. */
export function refuseUnknown(context: Context, model: Model, key: string, path: readonly string[]): ContentError {
  return refuse(context, key, path, visibleNames(model));
}

/**
 * The model behind a name that filters and sort can enter: a relation that the caller may find, a component, media,
 * the localizations. Undefined for all others.
 */
export function enter(context: Context, model: Model, name: string): Model | undefined {
  const named = lookUp(model, name);
  if (named.kind === 'localizations') return maySee(context.grants, model.uid) ? model : undefined;
  if (named.kind !== 'attribute' || isPolymorphic(named.attribute)) return undefined;
  const target = targetOf(named.attribute);
  if (named.attribute.type === 'relation' && !maySee(context.grants, target)) return undefined;
  if (isSealed(context.grants, target)) return undefined;
  return modelOf(context.catalog, target);
}

/** Uid of the single model that an attribute leads to. */
export function targetOf(attribute: { type: string; target?: string | undefined; component?: string }): string {
  if (attribute.type === 'media') return FILE_UID;
  const target = attribute.type === 'component' ? attribute.component : attribute.target;
  if (target === undefined) throw new Error('the attribute leads to more than one model');
  return target;
}
