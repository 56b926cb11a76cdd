/**
 * What lives as long as the process, whatever project it serves: the database, the stores of files, who is signed in,
 * what counts requests, and the HTTP listener. Nothing here knows the schema: of a project, the engine holds the
 * handler of its requests and no more.
 */
import { typeShapes } from './access/administrators/role-alignment.ts';
import { defaultRoles } from './access/default-roles.ts';
import type { Config } from './config/config.ts';
import { LocaleStore } from './content/locales/locale-store.ts';
import { localeName } from './content/locales/locales.ts';
import { alignRoles } from './content/roles/align-roles.ts';
import { createDocumentId } from './content/rows/document-rows.ts';
import { LearnedIndexes } from './db/indexes/learned-indexes.ts';
import type { Database } from './db/interface/database.ts';
import { findLeftovers, leftoverNotices } from './db/migration/leftovers.ts';
import { type Migration, migrate, refuseForeign } from './db/migration/migrate.ts';
import type { MigrationRuns } from './db/migration/project-migrations.ts';
import type { SchemaEngine } from './db/migration/schema-engine.ts';
import { Upkeep } from './db/migration/upkeep.ts';
import { ContentError, reasonOf, UsageError } from './errors.ts';
import { Events } from './events/events.ts';
import { HttpEngine, type SharedHttp } from './http/http-engine.ts';
import { type Answerers, Listener } from './http/listener.ts';
import { errorField, setLogFormat, writeLogLine } from './log-line.ts';
import type { ImageJobs } from './media/images/image-queue.ts';
import { Images } from './media/images/images.ts';
import { FileLeases } from './media/safety/file-lease.ts';
import { type OpenStorage, openStorage } from './media/storage/open-storage.ts';
import { type OpenDatabase, openDatabase, openMigrationSession } from './open-database.ts';
import type { Catalog } from './schema/catalog.ts';
import type { Layout } from './schema/layout/layout.ts';
import { Background } from './users/accounts/background.ts';
import { FirstToken } from './users/administrators/first-token.ts';
import { createMailer, type Mailer } from './users/mail/mailer.ts';
import { Callers } from './users/sessions/callers.ts';
import { UserTokens } from './users/sessions/user-tokens.ts';

/** What a process has in common with others that serve the same project at the same port (cli/workers). */
export interface Shared {
  /** How many they are. */
  readonly workers: number;
  /** Whether others answer requests already. */
  readonly isLive: boolean;
  readonly http: SharedHttp;
  /** What lets somebody make the first administrator. */
  readonly firstToken: string;
  /** A file by which they tell one another of commits to SQLite; undefined: they do not. */
  readonly signal: string | undefined;
  readonly images: ImageJobs;
}

/** What has been done to a database to bring it up to a project. */
export interface Brought extends Migration {
  /** What roles of administrators have received: a sentence for each role and type. */
  readonly granted: readonly string[];
}

/** What a project is built on. */
export class Engine {
  /** The configuration that it was opened with (config/engine-config.ts). */
  readonly config: Config;
  readonly database: Database;
  /** The database's words for definitions, and how it tells what it holds. */
  readonly schema: SchemaEngine;
  readonly stores: OpenStorage;
  readonly locales: LocaleStore;
  readonly tokens: UserTokens;
  readonly callers: Callers;
  readonly images: Images;
  readonly leases: FileLeases;
  readonly mailer: Mailer;
  /** What is done after an answer, such as making a mail. */
  readonly background: Background;
  readonly http: HttpEngine;
  /** What lets somebody make the first administrator. */
  readonly firstToken: FirstToken;
  /** What is done to the database beside the requests. */
  readonly upkeep: Upkeep;
  /** Indexes that reads turn out to need. */
  readonly indexes: LearnedIndexes;
  /** Who is told of changes. */
  readonly events: Events;
  readonly #listener: Listener;

  private constructor(config: Config, { database, schema }: OpenDatabase, stores: OpenStorage, shared?: Shared) {
    this.config = config;
    this.database = database;
    this.schema = schema;
    this.stores = stores;
    this.locales = new LocaleStore(database);
    this.tokens = new UserTokens(config.jwtSecret, config.users);
    this.callers = new Callers(database, config, this.tokens);
    this.images = new Images(config.upload.images, shared?.images);
    this.leases = new FileLeases(database, stores.incoming.process);
    const log = config.http.logLevel === 'silent' ? () => {} : loggerOf(shared?.http.worker);
    this.mailer = createMailer(config.users.email, writeLine);
    this.background = new Background(log);
    this.upkeep = new Upkeep({ database, engine: schema, log });
    const modes = config.indexes;
    this.indexes = new LearnedIndexes({ database, engine: schema, upkeep: this.upkeep, modes, log });
    this.events = new Events({ database, config, log });
    this.firstToken = new FirstToken(shared?.firstToken);
    this.http = new HttpEngine(config.http, database, shared?.http);
    this.#listener = new Listener(this.http);
  }

  /**
   * @param shared what it has in common with other processes; undefined where it serves alone.
   * @throws UsageError in one line when the database or a store cannot be opened.
   */
  static async open(config: Config, shared?: Shared): Promise<Engine> {
    setLogFormat(config.http.logFormat, config.dir);
    const opened = await openDatabase(config, { writers: shared?.workers, signal: shared?.signal });
    try {
      return new Engine(config, opened, await openStorage(config), shared);
    } catch (error) {
      await opened.database.close();
      throw error;
    }
  }

  /**
   * Opens what migrations of the project are run with, on a connection of its own, which is to be closed.
   *
   * @throws UsageError for a database that no second connection leads to.
   */
  async migrationRuns(): Promise<MigrationRuns> {
    const { database } = this.config;
    const { MigrationRuns } = await import('./db/migration/project-migrations.ts');
    return new MigrationRuns(await openMigrationSession(database), this.schema.ddl);
  }

  /** @throws UsageError for a database that is of another layout (Strapi 4, another program). */
  refuseForeign(layout: Layout): Promise<void> {
    return refuseForeign(this.database, layout, this.schema);
  }

  /**
   * Adds what the database lacks of a layout (db/migration/migrate.ts). What takes long is done later, beside the requests. Then
   * aligns the roles of administrators with the schema (content/roles/align-roles.ts).
   *
   * @param isLive whether requests are being answered.
   * @throws UsageError when that cannot be done; the database is then as it was.
   */
  async migrate({ catalog, layout }: { catalog: Catalog; layout: Layout }, isLive: boolean): Promise<Brought> {
    const { initialLocale } = this.config;
    const options = {
      engine: this.schema,
      createId: createDocumentId,
      locale: { code: initialLocale, name: localeName(initialLocale) },
      roles: () => defaultRoles(catalog),
      isLive,
    };
    // as they are before: a column that they lack is one that an attribute may have been renamed to
    const existing = await this.schema.introspect(this.database);
    const migration = await migrate(this.database, layout, options);
    const source = { catalog, layout, ddl: this.schema.ddl };
    const leftovers = await findLeftovers(this.database, source, existing);
    await this.database.refresh?.();
    await this.database.search?.refresh();
    this.upkeep.add(migration.later);
    await this.indexes.begin(layout);
    await this.events.read();
    const warnings = [...migration.warnings, ...leftoverNotices(leftovers, this.config.dir)];
    try {
      return { ...migration, warnings, granted: await alignRoles(this.database, typeShapes(catalog)) };
    } catch (error) {
      // what the database says, such as one that may only be read
      if (!(error instanceof ContentError)) throw error;
      const warning = `the roles of administrators were not aligned with the schema: ${reasonOf(error)}`;
      return { ...migration, granted: [], warnings: [...warnings, warning] };
    }
  }

  /**
   * Has the sequences of ids that are behind their rows go on behind these, before rows are added.
   *
   * @returns warnings: of the tables whose sequences were behind, and of what kept this from being done.
   */
  async advanceSequences(): Promise<readonly string[]> {
    const { sequences } = this.schema;
    if (!sequences) return [];
    try {
      const tables = await this.database.transaction((tx) => sequences.advance(tx));
      return tables.map((table) => `the id sequence of ${table} was behind its rows, and now continues after them`);
    } catch (error) {
      if (sequences.isReadOnly(error)) return [];
      return [`the id sequences that are behind their rows could not be advanced: ${reasonOf(error)}`];
    }
  }

  /** Whether requests are taken. */
  get isListening(): boolean {
    return this.#listener.isListening;
  }

  /**
   * Has a handler answer all requests that arrive from now on. Resolves when the one before has finished its last one.
   */
  put(answerers: Answerers): Promise<void> {
    return this.#listener.put(answerers);
  }

  /**
   * Starts to take requests; a handler has been put in place. Gives the address.
   *
   * @throws UsageError in one line when the port, or that of the metrics, cannot be had.
   */
  async listen(): Promise<string> {
    const { host, port } = this.config;
    await this.http.open();
    try {
      const address = await this.#listener.listen({ host, port });
      this.upkeep.start();
      this.indexes.start();
      this.events.start();
      return address;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const place = `port ${port} of ${host}`;
      if (code === 'EADDRINUSE') throw new UsageError(`${place} is taken: choose another with --port or PORT`, 1);
      if (code === 'EACCES') throw new UsageError(`${place} may not be used by this account: choose one above 1023`, 1);
      throw new UsageError(`cannot listen at ${place}: ${message}`, 1);
    }
  }

  /** Ends the listener: what is in flight is answered first. */
  closeHttp(): Promise<void> {
    return this.#listener.close(this.config.http.shutdown);
  }

  /** Closes everything else, the database last. */
  async close(): Promise<void> {
    try {
      this.indexes.close();
      this.upkeep.close();
      await this.events.close();
      await this.http.close();
      await Promise.all([this.images.close(), this.stores.incoming.close(), this.#endMail()]);
      await Promise.all(this.stores.stores.map((store) => store.close()));
    } finally {
      await this.database.close();
    }
  }

  /** Waits for what is being sent, and gives up what takes long. */
  async #endMail(): Promise<void> {
    await this.background.finish();
    await this.mailer.close();
  }
}

/**
 * Writes what is told beside the requests into the log: at `error` or `warn` what calls itself so, and at `warn` what
 * has been done to the database, so that a log has it that nobody has configured.
 *
 * @param worker the number of this process, where there are several.
 */
const loggerOf = (worker: number | undefined) => (line: string, error?: unknown) => {
  const [, kind, text] = /^(?:(error|warning): )?(.*)$/s.exec(line)!;
  const fields = error === undefined ? { worker } : { worker, ...errorField(error) };
  writeLogLine(kind === 'error' ? 'error' : 'warn', text!, fields);
};

/** A line that is for whoever works on a project, and no part of the log. */
function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
