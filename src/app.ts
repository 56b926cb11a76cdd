/** The composition root: opens a project, picks the database's engine, wires the rooms. */
import type { Config } from './config/config.ts';
import { databaseName } from './config/database-name.ts';
import { type ConfigOverrides, loadConfig } from './config/load.ts';
import { documentsOf } from './content/document-service.ts';
import type { DocumentService, Uid } from './content/document-types.ts';
import { LocaleStore } from './content/locales/locale-store.ts';
import { Transitions } from './content/publication/transitions.ts';
import { Reader } from './content/reading/reader.ts';
import { createDocumentId } from './content/writing/document-id.ts';
import { Writer } from './content/writing/writer.ts';
import { MIGRATIONS_TABLE } from './db/bookkeeping.ts';
import type { Database } from './db/database.ts';
import type { SchemaEngine } from './db/introspect.ts';
import { migrate } from './db/migrate.ts';
import { openPostgres } from './db/postgres/driver.ts';
import { postgresSchema } from './db/postgres/introspect.ts';
import { openSqlite } from './db/sqlite/driver.ts';
import { sqliteSchema } from './db/sqlite/introspect.ts';
import type { StatementLog } from './db/statement-log.ts';
import { UsageError } from './errors.ts';
import { type ProjectCode, readProjectCode } from './extend/project-code.ts';
import { buildServer, closeServer } from './http/server.ts';
import { Images } from './media/images/images.ts';
import { openSizes } from './media/images/open-sizes.ts';
import { Media } from './media/media.ts';
import { FileLeases } from './media/safety/file-lease.ts';
import { type OpenStorage, openStorage } from './media/storage/open-storage.ts';
import type { Catalog } from './schema/catalog.ts';
import { formatProblem } from './schema/check/problem.ts';
import type { Layout } from './schema/layout/layout.ts';
import { layOut } from './schema/layout/layout.ts';
import { loadCatalog } from './schema/load.ts';
import { AccountSessions } from './users/accounts/account-sessions.ts';
import { Accounts } from './users/accounts/accounts.ts';
import { UserWrites } from './users/accounts/user-writes.ts';
import { AccountMail } from './users/mail/account-mail.ts';
import { Roles } from './users/roles/role-changes.ts';
import { Callers } from './users/sessions/callers.ts';
import { UserTokens } from './users/sessions/user-tokens.ts';

export type * from './content/document-types.ts';
export { ContentError } from './errors.ts';

export interface OpenOptions {
  /** The environment; `process.env` when left out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly overrides?: ConfigOverrides | undefined;
}

/** An open project. */
export interface App {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  /** The database's words for definitions, and how it tells what it holds. */
  readonly engine: SchemaEngine;
  readonly writer: Writer;
  /** Where the bytes of files are. */
  readonly stores: OpenStorage;
  /** The file service. */
  readonly media: Media;
  /**
   * The documents of a content type, such as `api::article.article` (docs/reference/document-service.md).
   *
   * @throws UsageError for a uid that no content type has.
   */
  documents<U extends Uid>(uid: U): DocumentService<U>;
  /** Whether the database held nothing before the project was opened. */
  readonly fresh: boolean;
  /** What the project's code closes, and which core routes there are. */
  readonly code: ProjectCode;
  /** Sentences for the start-up warning. */
  readonly warnings: readonly string[];
  /** Starts to serve HTTP and tells where. */
  listen(): Promise<{ url: string }>;
  /** Finishes what is in flight and closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the project in a folder: reads its configuration and schema files and brings its database up to the schema.
 *
 * @throws UsageError in one line for whatever is wrong with the project, its configuration or its database.
 */
export async function openProject(dir: string, options: OpenOptions = {}): Promise<App> {
  const config = await loadConfig(dir, { env: options.env, overrides: options.overrides });
  const catalog = loadCatalog(config.dir, config.rest);
  const code = await readProjectCode(config, catalog);
  if (code.problems.length > 0) throw new UsageError(code.problems.map(formatProblem).join('\n'));
  const layout = layOut(catalog);
  const { database, engine } = await openDatabase(config);
  try {
    const migration = await migrate(database, layout, { engine, createId: createDocumentId });
    const locales = new LocaleStore(database);
    const tokens = new UserTokens(config.jwtSecret, config.users);
    const callers = new Callers(database, config, tokens, code.closed);
    const stores = await openStorage(config);
    const { fileUrls } = stores;
    const reader = new Reader({ catalog, layout, database, locales, limits: config.rest, marks: fileUrls?.marks });
    const writer = new Writer({ catalog, layout, database, reader, locales });
    const transitions = new Transitions({ database, reader, locales, writer });
    const rooms = { catalog, code, database, reader, writer, transitions, locales, fileUrls };
    const images = new Images(config.upload.images);
    const leases = new FileLeases(database, stores.incoming.process);
    const name = databaseName(config.database);
    const media = new Media({ ...rooms, ...stores, images, leases, databaseName: name, config: config.upload });
    const sizes = openSizes(config, { db: database, layout, stores: stores.stores, images });
    const users = new UserWrites({ ...rooms, callers });
    const mail = new AccountMail(config, users);
    const sessions = new AccountSessions({ config, users, tokens, callers });
    const accounts = new Accounts({ config, users, mail, sessions });
    const roles = new Roles({ ...rooms, callers });
    const server = buildServer({ ...rooms, config, layout, callers, media, sizes, users, accounts, sessions, roles });
    return {
      config,
      catalog,
      code,
      layout,
      database,
      engine,
      writer,
      stores,
      media,
      documents: documentsOf(rooms),
      fresh: migration.added.includes(MIGRATIONS_TABLE),
      warnings: [...config.warnings, ...code.warnings, ...migration.warnings],
      listen: async () => {
        await media.settle();
        media.keepSettling();
        return { url: await listenAt(server, config) };
      },
      close: async () => {
        try {
          await closeServer(server, config.http.shutdown);
          await Promise.all([media.close(), mail.close()]);
          await Promise.all(stores.stores.map((store) => store.close()));
        } finally {
          await database.close();
        }
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function listenAt(server: ReturnType<typeof buildServer>, { host, port }: Config): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const place = `port ${port} of ${host}`;
    if (code === 'EADDRINUSE') throw new UsageError(`${place} is taken: choose another with --port or PORT`, 1);
    if (code === 'EACCES') throw new UsageError(`${place} may not be used by this account: choose one above 1023`, 1);
    throw new UsageError(`cannot listen at ${place}: ${message}`, 1);
  }
}

async function openDatabase({ database, logSql }: Config) {
  const log: StatementLog | undefined = logSql ? logStatement : undefined;
  return database.client === 'sqlite'
    ? { database: openSqlite(database.filename, { readTimeout: database.readTimeout, log }), engine: sqliteSchema }
    : { database: await openPostgres(database, log), engine: postgresSchema };
}

/** `GALLEY_LOG=sql`: each statement with its time. Values are not shown, they may be secret. */
function logStatement(text: string, milliseconds: number): void {
  process.stderr.write(`sql ${milliseconds.toFixed(2)} ms ${text.replaceAll(/\s+/g, ' ')}\n`);
}
