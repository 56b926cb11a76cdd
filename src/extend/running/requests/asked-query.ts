/** Parameters as code has left them, for what reads by them. */

import type { RawObject } from '../../../query/params.ts';
import { rawParams } from '../../../query/plain.ts';

/**
 * The parameters of a request. A condition without a value (`filters: { owner: ctx.state.user?.id }`) is not left out, as
 * all rows would meet it: it compares with the text of nothing, as in the reference, or is refused.
 */
export const askedParams = (query: object): RawObject => rawParams(askedQuery(query));

/** The same, as an object of parameters. */
export const askedQuery = (query: object): object => withValues(query, false) as object;

function withValues(value: unknown, isCondition: boolean): unknown {
  if (Array.isArray(value))
    return value.map((one) => (one === undefined && isCondition ? NOTHING : withValues(one, isCondition)));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (inner !== undefined || !isCondition) return [name, withValues(inner, isCondition || name === 'filters')];
      return [name, name === '$null' || name === '$notNull' ? 'false' : NOTHING];
    }),
  );
}

const NOTHING = 'undefined';
