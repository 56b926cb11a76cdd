/**
 * ContentQuery × Grants → PermittedQuery. The only maker of PermittedQuery: whatever is planned and run has passed
 * here, so names are of the Catalog, nothing hidden is read, and no step leads where the caller may not find.
 */
import { forbidden } from '../errors.ts';
import type { Budget } from '../query/budget.ts';
import type { ContentQuery } from '../query/content-query.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { Context, Shared } from './context.ts';
import { closedReason, type Grants, may } from './grants.ts';
import { filtersLocale, permitFilter } from './permit-filters.ts';
import { permitSelection } from './permit-populate.ts';
import { permitSort } from './permit-sort.ts';
import type { PermittedQuery } from './permitted-query.ts';

/** Refuses a caller without the right to an action, before anything else of the request is looked at. */
export function requireAction(grants: Grants, action: string): void {
  requireSome(grants, [action]);
}

/** Refuses a caller without the right to any of several actions. */
export function requireSome(grants: Grants, actions: readonly string[]): void {
  if (actions.some((action) => may(grants, action))) return;
  throw forbidden(actions.map((action) => closedReason(grants, action)).find((reason) => reason !== undefined));
}

/**
 * Resolves a query on a type against the caller's rights. Parameters are checked in the order filters, sort, fields,
 * populate; the first mistake is told.
 *
 * @param budget charged for every part of the query before it is resolved.
 * @throws ContentError 400 invalid key, or a query beyond the budget.
 */
export function permitQuery(
  catalog: Catalog,
  grants: Grants,
  type: ContentType,
  query: ContentQuery,
  budget: Budget,
): PermittedQuery {
  const shared: Shared = { types: undefined, plain: new Map() };
  const context = (param: Context['param']): Context => ({ catalog, grants, budget, shared, level: 0, param });
  const filter = query.filters && permitFilter(context('filters'), type, query.filters);
  const order = permitSort(context('sort'), type, query.sort);
  const selection = permitSelection(context('fields'), type, query.fields, query.populate);
  return {
    type,
    selection,
    filter,
    order,
    search: query.search,
    status: query.status,
    cohort: query.cohort,
    choosesLocale: type.localized && filtersLocale(query.filters),
  } as unknown as PermittedQuery;
}
