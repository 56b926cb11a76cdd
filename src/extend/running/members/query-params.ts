/** `strapi.get('query-params')`: parameters of documents as those of `strapi.db.query`. */
import type { Catalog } from '../../../schema/catalog.ts';
import type { Params } from '../documents/lifecycles.ts';
import { rowParams } from '../documents/row-params.ts';
import { guarded } from '../guarded.ts';
import { errors } from '../requests/strapi-errors.ts';

export function queryParams(catalog: Catalog): object {
  return guarded("strapi.get('query-params')", {
    /** @throws PaginationError, ValidationError for pages that cannot be meant. */
    transform(
      uid: string,
      { pagination, page, pageSize, start, limit, status, filters, ...params }: Params = {},
    ): Params {
      const isPaged = isSaid(page) || isSaid(pageSize);
      if (isPaged && (isSaid(start) || isSaid(limit))) {
        throw new errors.PaginationError(
          'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
        );
      }
      const hasDrafts = catalog.contentTypes.get(uid)?.draftAndPublish === true;
      const ofStatus =
        hasDrafts && isSaid(status)
          ? { publishedAt: { [status === 'draft' ? '$null' : '$notNull']: true } }
          : undefined;
      const conditions = [filters, ofStatus].filter(isSaid);
      return {
        ...rowParams({ ...params, filters: conditions.length > 1 ? { $and: conditions } : conditions[0] }),
        ...(pagination === undefined ? {} : { pagination }),
        ...numbers({ page, pageSize }, 1, (name, value) => {
          return new errors.PaginationError(
            `Invalid '${name}' parameter. Expected an integer > 0, received: ${String(value)}`,
          );
        }),
        ...numbers({ offset: start, limit: Number(limit) === -1 ? undefined : limit }, 0, (name, value) => {
          const converts = name === 'offset' ? 'convertStartQueryParams' : 'convertLimitQueryParams';
          return new errors.ValidationError(`${converts} expected a positive integer got ${Number(value)}`);
        }),
      };
    },
  });
}

const isSaid = (value: unknown): boolean => value !== undefined && value !== null;

/** Those that are said, as numbers. @param least what they are at least. */
function numbers(given: Params, least: number, wrong: (name: string, value: unknown) => Error): Params {
  const said = Object.entries(given).filter(([, value]) => isSaid(value));
  return Object.fromEntries(
    said.map(([name, value]) => {
      const number = Number(value);
      if (!Number.isInteger(number) || number < least) throw wrong(name, value);
      return [name, number];
    }),
  );
}
