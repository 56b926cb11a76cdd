/** Members of `strapi.db` beside its queries and transactions. */
import type { Knex } from 'knex';
import type { Catalog } from '../../schema/catalog.ts';
import type { Params } from '../documents/lifecycles.ts';
import { rowParams } from '../documents/row-params.ts';
import type { Rows } from '../documents/rows.ts';
import { guarded, unchangeable } from '../guarded.ts';
import { errors } from '../requests/strapi-errors.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Settings } from '../strapi/settings.ts';

/** Methods of rows that the entity manager has as well, with the uid in front. */
const OF_ROWS = [
  ...([
    'findOne',
    'findMany',
    'count',
    'create',
    'createMany',
    'update',
    'updateMany',
    'delete',
    'deleteMany',
  ] as const),
  ...(['attachRelations', 'updateRelations', 'deleteRelations', 'populate', 'load'] as const),
];

export function databaseMembers(
  runtime: Pick<RuntimeContext, 'config' | 'database'>,
  settings: Settings,
  rowsOf: (uid: string) => Rows,
) {
  const { database } = runtime.config;
  const methods = OF_ROWS.map((name) => {
    const ofRows = (uid: string, ...given: unknown[]): unknown => {
      const rows = rowsOf(uid) as unknown as Record<string, (...args: unknown[]) => unknown>;
      return rows[name]!(...given);
    };
    return [name, ofRows];
  });
  const configured = settings.get('database') as Readonly<Record<string, object>> | undefined;
  const getSchemaName = () => ('schema' in database ? database.schema : undefined);
  const connection = { ...configured?.['connection'], client: database.client };
  return {
    // the engine, for code that writes statements for both
    config: unchangeable('strapi.db.config', { settings: {}, ...configured, connection }),
    dialect: guarded('strapi.db.dialect', { client: database.client }),
    entityManager: guarded('strapi.db.entityManager', { ...Object.fromEntries(methods), getRepository: rowsOf }),
    getSchemaName,
    // Knex is loaded by the first use
    get connection() {
      return runtime.database.connection;
    },
    getConnection(table?: string) {
      const [schema, { connection }] = [getSchemaName(), runtime.database];
      if (table === undefined) return schema ? connection.withSchema(schema) : connection;
      return schema ? connection(table).withSchema(schema) : connection(table);
    },
    getSchemaConnection(knex: Knex = runtime.database.connection) {
      const schema = getSchemaName();
      return schema ? knex.schema.withSchema(schema) : knex.schema;
    },
  };
}

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

/** The parameters that have a value, as numbers. @param least their minimum. */
function numbers(params: Params, least: number, wrong: (name: string, value: unknown) => Error): Params {
  const stated = Object.entries(params).filter(([, value]) => isSaid(value));
  return Object.fromEntries(
    stated.map(([name, value]) => {
      const number = Number(value);
      if (!Number.isInteger(number) || number < least) throw wrong(name, value);
      return [name, number];
    }),
  );
}
