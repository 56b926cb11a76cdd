/**
 * ContentQuery × View → PermittedQuery. This file alone creates a PermittedQuery. So every query that is planned has
 * only names of the Catalog, reads nothing hidden, and follows no relation to documents that the caller may not find.
 */
import { forbidden } from '../errors.ts';
import { programText } from '../own-files.ts';
import type { Budget } from '../query/budget.ts';
import type { ContentQuery } from '../query/content-query.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { Context } from './context.ts';
import { closedReason, type Grants, may } from './grants.ts';
import { filtersLocale, permitFilter } from './permit-filters.ts';
import { permitSelection } from './permit-populate.ts';
import { permitSort } from './permit-sort.ts';
import type { PermittedQuery } from './permitted.ts';
import type { View } from './view.ts';

/** Refuses a caller without the right to an action. Called before anything else of a request is checked. */
export function requireAction(grants: Grants, action: string): void {
  requireSome(grants, [action]);
}

/**
 * Refuses a caller without the right to any of several actions. The message names the missing right for callers with a
 * token or an account; for the public, the name of an action would reveal the type behind a path. The log has the
 * command that grants it, once for each role and action.
 */
export function requireSome(grants: Grants, actions: readonly string[]): void {
  if (actions.some((action) => may(grants, action))) return;
  const closed = actions.map((action) => closedReason(grants, action)).find((reason) => reason !== undefined);
  if (closed !== undefined) throw forbidden(closed);
  const [action = ''] = actions;
  const { role } = grants;
  const holder = role === undefined ? (grants.reads ? 'a read-only token' : 'a custom token') : `the role ${role}`;
  const command =
    role === undefined
      ? `token create --name NAME --type custom --permission ${action}`
      : `role grant ${role} --action ${action}`;
  const hint = `this needs the action ${actions.join(' or ')}, which ${role === undefined ? 'the caller' : holder} does not have`;
  throw forbidden(undefined, {
    hint: role === PUBLIC ? undefined : hint,
    advice: `A request was refused: ${holder} does not have ${action}. ${programText()} ${command} permits it`,
  });
}

/** The role of callers without a token. */
const PUBLIC = 'public';

/**
 * Resolves a query on a type against a View. Parameters are checked in the order filters, sort, fields, populate; the
 * first error is thrown.
 *
 * @param budget charged for each part of the query before it is resolved.
 * @param refusesUnseen true: a populate through documents that the caller may not find is an error; false: it is left
 * out.
 * @throws ContentError 400 for an invalid key, and for a query that exceeds the budget.
 */
export function permitQuery(
  view: View,
  type: ContentType,
  query: ContentQuery,
  budget: Budget,
  refusesUnseen?: boolean,
): PermittedQuery {
  const plain: Context['plain'] = new Map();
  const context = (param: Context['param']): Context => ({ view, budget, plain, level: 0, param, refusesUnseen });
  const filter = query.filters && permitFilter(context('filters'), type, query.filters);
  const order = permitSort(context('sort'), type, query.sort);
  const selection = permitSelection(context('fields'), type, query.fields, query.populate);
  return {
    type,
    selection,
    filter,
    order,
    search: query.search && {
      slot: query.search.slot,
      fields: view.searchedBy(type, query.search.numeric),
    },
    status: query.status,
    cohort: query.cohort,
    choosesLocale: type.localized && filtersLocale(query.filters),
    rows: view.rows,
  } as unknown as PermittedQuery;
}
