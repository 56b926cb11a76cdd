/** What the permit functions share: the caller's View, and how an invalid key is told. */
import { type ContentError, invalidKey } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Budget } from '../query/budget.ts';
import { isPolymorphic, type Model } from '../schema/catalog.ts';
import type { Selection } from './permitted.ts';
import type { View } from './view.ts';

export type Param = 'filters' | 'sort' | 'fields' | 'populate';

export interface Context {
  readonly view: View;
  /** Charged for every part of the tree before it is made. */
  readonly budget: Budget;
  /** Made once for a request: models with all of their fields and nothing populated. */
  readonly plain: Map<Model, Selection>;
  /** Relations that a populate has followed up to here. */
  readonly level: number;
  /** The parameter that errors name: `populate` for whatever stands inside one. */
  readonly param: Param;
  /** Set where the walk has passed what the caller may not find: hints must not reveal its names. */
  readonly unseen?: boolean;
  /** Set where a populate through what the caller may not find is refused; else that is left out of the answer. */
  readonly refusesUnseen?: boolean | undefined;
}

/**
 * An invalid key of a query parameter. An empty path is null at the top.
 *
 * @param hint what would be right, where that is no other name.
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

/** The refusal of a name that the model does not have. */
export function refuseUnknown(context: Context, model: Model, key: string, path: readonly string[]): ContentError {
  return refuse(context, key, path, context.view.of(model).visible);
}

/**
 * The model behind a name that filters and sort can enter: a relation that the caller may find, a component, media,
 * the localizations. Undefined for all others.
 */
export function enter({ view }: Context, model: Model, name: string): Model | undefined {
  const named = view.of(model).named(name);
  if (named.kind === 'localizations') return view.of(model).isSeen ? model : undefined;
  if (named.kind !== 'attribute' || isPolymorphic(named.attribute)) return undefined;
  const target = view.into(model, named.attribute);
  const { isSeen, isSealed } = view.of(target);
  return (named.attribute.type === 'relation' ? isSeen : !isSealed) ? target : undefined;
}
