/** Members of `strapi.db` beside its queries and transactions. */
import type { Knex } from 'knex';
import type { Rows } from '../documents/rows.ts';
import { guarded, unchangeable } from '../guarded.ts';
import type { CodeRooms } from '../rooms.ts';
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
  { config: { database }, database: ambient }: Pick<CodeRooms, 'config' | 'database'>,
  settings: Settings,
  rowsOf: (uid: string) => Rows,
) {
  const methods = OF_ROWS.map((name) => {
    const ofRows = (uid: string, ...given: unknown[]): unknown => {
      const rows = rowsOf(uid) as unknown as Record<string, (...args: unknown[]) => unknown>;
      return rows[name]!(...given);
    };
    return [name, ofRows];
  });
  const said = settings.get('database') as Readonly<Record<string, object>> | undefined;
  const getSchemaName = () => ('schema' in database ? database.schema : undefined);
  const connection = { ...said?.['connection'], client: database.client };
  return {
    // which of the two it is, as code that writes statements for both asks
    config: unchangeable('strapi.db.config', { settings: {}, ...said, connection }),
    dialect: guarded('strapi.db.dialect', { client: database.client }),
    entityManager: guarded('strapi.db.entityManager', { ...Object.fromEntries(methods), getRepository: rowsOf }),
    getSchemaName,
    get connection() {
      return ambient.connection;
    },
    getConnection(table?: string) {
      const schema = getSchemaName();
      if (table === undefined) return schema ? ambient.connection.withSchema(schema) : ambient.connection;
      return schema ? ambient.connection(table).withSchema(schema) : ambient.connection(table);
    },
    getSchemaConnection(knex: Knex = ambient.connection) {
      const schema = getSchemaName();
      return schema ? knex.schema.withSchema(schema) : knex.schema;
    },
  };
}
