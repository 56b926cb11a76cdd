/** The state that permit functions share, and errors for invalid keys. */
import { type ContentError, invalidKey } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Budget } from '../query/budget.ts';
import { isPolymorphic, type Model } from '../schema/catalog.ts';
import type { Selection } from './permitted.ts';
import type { View } from './view.ts';

export type Param = 'filters' | 'sort' | 'fields' | 'populate';

export interface Context {
  readonly view: View;
  /** Charged for each part of the tree before it is created. */
  readonly budget: Budget;
  /** Cached for the request: selections of all fields of a model with nothing populated. */
  readonly plain: Map<Model, Selection>;
  /** Depth of relations in the current populate. */
  readonly level: number;
  /** The parameter that errors name: `populate` for everything inside of a populate. */
  readonly param: Param;
  /** Set below a relation whose documents the caller may not find: hints must not reveal their fields. */
  readonly unseen?: boolean;
  /** Set where a populate through documents that the caller may not find is an error; else it is left out. */
  readonly refusesUnseen?: boolean | undefined;
}

/**
 * The error for an invalid key of a query parameter. An empty path is null at the top.
 *
 * @param hint the right spelling, where it is not a similar name.
 */
export function refuse(
  context: Context,
  key: string,
  path: readonly string[],
  candidates: readonly string[] = [],
  hint?: string | undefined,
): ContentError {
  return invalidKey({
    key,
    path: path.length === 0 ? null : path.join('.'),
    source: 'query',
    param: context.param,
    nearest: context.unseen ? undefined : nearest(key, candidates),
    hint: context.unseen ? undefined : hint,
  });
}

/** The error for a name that the model does not have. */
export function refuseUnknown(context: Context, model: Model, key: string, path: readonly string[]): ContentError {
  return refuse(context, key, path, context.view.of(model).visible);
}

/**
 * The model behind a name that filters and sort can enter: a relation whose documents the caller may find, a component,
 * media, the localizations. Undefined for all other names.
 */
export function enter({ view }: Context, model: Model, name: string): Model | undefined {
  const named = view.of(model).named(name);
  if (named.kind === 'localizations') return view.of(model).isSeen ? model : undefined;
  if (named.kind !== 'attribute' || isPolymorphic(named.attribute)) return undefined;
  const target = view.into(model, named.attribute);
  const { isSeen, isSealed } = view.of(target);
  return (named.attribute.type === 'relation' ? isSeen : !isSealed) ? target : undefined;
}
