/** A database with replaced methods. */
import type { Database } from '../../../src/db/interface/database.ts';

/**
 * Stands in front of a database: it does what `own` has, and passes on the rest of what every database must do. Nothing
 * is known of its tables, and what only some engines do is left out.
 */
export function standIn(database: Database, own: Partial<Database>): Database {
  return {
    dialect: database.dialect,
    rows: (text, values) => database.rows(text, values),
    read: (read) => database.read(read),
    holdsUpWrites: (read) => database.holdsUpWrites(read),
    transaction: (work, options) => database.transaction(work, options),
    knex: (host, own) => database.knex(host, own),
    raw: (text, values) => database.raw(text, values),
    subscribe: (listener) => database.subscribe(listener),
    generation: () => database.generation(),
    keepsTotals: () => false,
    rowsOf: () => undefined,
    watch: () => {},
    close: () => database.close(),
    ...own,
  };
}
