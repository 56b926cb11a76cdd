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
  rooms: Pick<CodeRooms, 'config' | 'database'>,
  settings: Settings,
  rowsOf: (uid: string) => Rows,
) {
  const { database } = rooms.config;
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
    // Knex is loaded by the first use
    get connection() {
      return rooms.database.connection;
    },
    getConnection(table?: string) {
      const [schema, { connection }] = [getSchemaName(), rooms.database];
      if (table === undefined) return schema ? connection.withSchema(schema) : connection;
      return schema ? connection(table).withSchema(schema) : connection(table);
    },
    getSchemaConnection(knex: Knex = rooms.database.connection) {
      const schema = getSchemaName();
      return schema ? knex.schema.withSchema(schema) : knex.schema;
    },
  };
}
