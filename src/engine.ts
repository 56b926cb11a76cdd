/**
 * The parts that live as long as the process, independently of the served project: the database, the stores of files,
 * sessions, rate limits, and the HTTP listener. Nothing here depends on the schema: of a project, the engine has only
 * the handler of its requests.
 */
import { typeShapes } from './access/administrators/role-alignment.ts';
import { defaultRoles } from './access/default-roles.ts';
import { Audit } from './audit/audit.ts';
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
import type { Entries } from './events/entries.ts';
import { Events } from './events/events.ts';
import { History, type RecordedProject } from './history/history.ts';
import { HttpEngine, type SharedHttp } from './http/http-engine.ts';
import { type Answerers, Listener, type ReadHeld } from './http/listener.ts';
import { errorField, setLogFormat, writeLogLine } from './log-line.ts';
import type { ImageJobs } from './media/images/image-queue.ts';
import { Images } from './media/images/images.ts';
import { FileLeases } from './media/safety/file-lease.ts';
import { type OpenStorage, openStorage } from './media/storage/open-storage.ts';
import { type OpenDatabase, openDatabase, openMigrationSession } from './open-database.ts';
import { ReleaseNames } from './releases/release-names.ts';
import { Review } from './review/review.ts';
import { type Clock, SYSTEM_CLOCK } from './schedule/clock.ts';
import { Schedule } from './schedule/schedule.ts';
import { ScheduledBackups } from './scheduled-backups.ts';
import type { Catalog, ContentType } from './schema/catalog.ts';
import type { Layout } from './schema/layout/layout.ts';
import { WORKFLOWS_TABLE } from './schema/layout/review-tables.ts';
import { STRAPI_VERSIONS_TABLE } from './sql/strapi-history.ts';
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
  /** The one-time token that permits creating the first administrator. */
  readonly firstToken: string;
  /** A file by which they notify each other of commits to SQLite; undefined: they do not. */
  readonly signal: string | undefined;
  readonly images: ImageJobs;
}

/** What an engine is given. */
export interface EngineParts {
  /** The state that it shares with other processes; undefined for a single process. */
  readonly shared?: Shared | undefined;
  /** The clock of scheduled work; that of the machine when left out. */
  readonly clock?: Clock | undefined;
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
  /** The database's statements for definitions, and its readers of the existing ones. */
  readonly schema: SchemaEngine;
  readonly stores: OpenStorage;
  readonly locales: LocaleStore;
  /** The releases that have not run, by name. */
  readonly releases: ReleaseNames;
  readonly tokens: UserTokens;
  readonly callers: Callers;
  readonly images: Images;
  readonly leases: FileLeases;
  readonly mailer: Mailer;
  /** What is done after an answer, such as making a mail. */
  readonly background: Background;
  readonly http: HttpEngine;
  /** The one-time token that permits creating the first administrator. */
  readonly firstToken: FirstToken;
  /** What is done to the database beside the requests. */
  readonly upkeep: Upkeep;
  /** Indexes that reads turn out to need. */
  readonly indexes: LearnedIndexes;
  /** The recipients of changes. */
  readonly events: Events;
  /** Does work when it is due. */
  readonly schedule: Schedule;
  readonly history: History;
  /** The log of actions. */
  readonly audit: Audit;
  /** Stages of review, and comments. */
  readonly review: Review;
  readonly backups: ScheduledBackups;
  readonly #listener: Listener;
  /** The layout to which the database was brought up. */
  #layout: Layout | undefined;

  private constructor(
    config: Config,
    { database, schema }: OpenDatabase,
    stores: OpenStorage,
    { shared, clock = SYSTEM_CLOCK }: EngineParts,
  ) {
    this.config = config;
    this.database = database;
    this.schema = schema;
    this.stores = stores;
    this.locales = new LocaleStore(database);
    this.releases = new ReleaseNames(database);
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
    this.schedule = new Schedule({ database, clock, log });
    this.history = new History(database);
    this.audit = new Audit({ database, config, log });
    this.review = new Review({ database, addTables: (types) => this.#addReviewTables(types) });
    this.backups = new ScheduledBackups({ config, database, stores, mailer: this.mailer, log });
    this.firstToken = new FirstToken(shared?.firstToken);
    this.http = new HttpEngine(config.http, database, shared?.http);
    // the metrics of several processes are added up
    if ((shared?.http.worker ?? 1) === 1) this.http.metrics?.include(() => this.backups.metrics());
    this.#listener = new Listener(this.http);
  }

  /**
   * @throws UsageError in one line if the database or a store cannot be opened.
   */
  static async open(config: Config, parts: EngineParts = {}): Promise<Engine> {
    setLogFormat(config.http.logFormat, config.dir);
    const { shared } = parts;
    const opened = await openDatabase(config, { writers: shared?.workers, signal: shared?.signal });
    try {
      return new Engine(config, opened, await openStorage(config), parts);
    } catch (error) {
      await opened.database.close();
      throw error;
    }
  }

  /**
   * Opens a session for migrations of the project on its own connection, which the caller closes.
   *
   * @throws UsageError for a database that permits no second connection.
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
   * Adds the missing parts of a layout to the database (db/migration/migrate.ts). Long work is done later, concurrently
   * with requests. Then aligns the roles of administrators with the schema (content/roles/align-roles.ts).
   *
   * @param isLive whether requests are being answered.
   * @throws UsageError if that is impossible; the database is then unchanged.
   */
  async migrate({ catalog, layout }: { catalog: Catalog; layout: Layout }, isLive: boolean): Promise<Brought> {
    const { initialLocale } = this.config;
    // as they are before: a column that they lack is one that an attribute may have been renamed to
    const existing = await this.schema.introspect(this.database);
    const reviewed = await this.review.typesOf(catalog, existing.has(WORKFLOWS_TABLE));
    const migration = await migrate(this.database, layout, {
      engine: this.schema,
      createId: createDocumentId,
      locale: { code: initialLocale, name: localeName(initialLocale) },
      roles: () => defaultRoles(catalog),
      isLive,
      existing,
      reviewed,
    });
    this.#layout = layout;
    const source = { catalog, layout, ddl: this.schema.ddl };
    const leftovers = await findLeftovers(this.database, source, existing);
    await this.database.refresh?.();
    await this.database.search?.refresh();
    this.upkeep.add(migration.later);
    this.history.hasStrapiVersions = existing.has(STRAPI_VERSIONS_TABLE);
    await this.indexes.begin(layout);
    await this.events.read();
    await this.audit.begin();
    const stages = await this.review.use(catalog, reviewed);
    const warnings = [...migration.warnings, ...leftoverNotices(leftovers, this.config.dir), ...stages];
    try {
      return { ...migration, warnings, granted: await alignRoles(this.database, typeShapes(catalog)) };
    } catch (error) {
      // the error of the database, such as a read-only one
      if (!(error instanceof ContentError)) throw error;
      const warning = `the roles of administrators were not aligned with the schema: ${reasonOf(error)}`;
      return { ...migration, granted: [], warnings: [...warnings, warning] };
    }
  }

  /** Adds the tables in which the rows of types have their stages of review. */
  async #addReviewTables(reviewed: readonly ContentType[]): Promise<void> {
    if (!this.#layout) return;
    const options = { engine: this.schema, createId: createDocumentId, isLive: true, reviewed };
    const { later } = await migrate(this.database, this.#layout, options);
    this.upkeep.add(later);
    await this.database.refresh?.();
  }

  /**
   * Advances the id sequences that are behind their rows, before rows are added.
   *
   * @returns warnings about the tables whose sequences were behind, and about a failure.
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

  /** Sets the project by which changes are shown to their recipients and recorded. */
  use({ entries, recorded }: { readonly entries: Entries; readonly recorded: RecordedProject }): void {
    this.events.showAs(entries);
    this.history.recordAs(recorded);
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
   * Lets new requests and scheduled work wait, until `release`, while the database is changed. Resolves when those before
   * and other work are finished, or after some milliseconds; returns whether they are.
   */
  hold(patience: number, others: Promise<unknown> | undefined, read: ReadHeld): Promise<boolean> {
    return this.#listener.hold(patience, Promise.all([this.schedule.pause(), others]), read);
  }

  /** Takes what waits. */
  release(): void {
    this.#listener.release();
    this.schedule.resume();
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
      this.schedule.start();
      this.history.start();
      this.audit.start();
      await this.backups.start();
      return address;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const place = `port ${port} of ${host}`;
      if (code === 'EADDRINUSE') throw new UsageError(`${place} is taken: choose another with --port or PORT`, 1);
      if (code === 'EACCES') throw new UsageError(`${place} may not be used by this account: choose one above 1023`, 1);
      throw new UsageError(`cannot listen at ${place}: ${message}`, 1);
    }
  }

  /** Ends the listener after answering the requests in flight. */
  closeHttp(): Promise<void> {
    return this.#listener.close(this.config.http.shutdown);
  }

  /** Closes everything else, the database last. */
  async close(): Promise<void> {
    try {
      this.indexes.close();
      this.upkeep.close();
      this.review.close();
      await Promise.all([this.events.close(), this.history.close(), this.audit.close(), this.backups.close()]);
      await this.http.close();
      await Promise.all([this.images.close(), this.stores.incoming.close(), this.#endMail()]);
      await Promise.all(this.stores.stores.map((store) => store.close()));
    } finally {
      await this.database.close();
    }
  }

  /** Waits for answers that are being sent, with a time limit. */
  async #endMail(): Promise<void> {
    await this.background.finish();
    await this.mailer.close();
  }
}

/**
 * Logs messages outside of requests: errors and warnings at their level, and changes of the database at `warn`, so that
 * they appear with the default level of the log.
 *
 * @param worker the number of this process, if there are several.
 */
const loggerOf = (worker: number | undefined) => (line: string, error?: unknown) => {
  const [, kind, text] = /^(?:(error|warning): )?(.*)$/s.exec(line)!;
  const fields = error === undefined ? { worker } : { worker, ...errorField(error) };
  writeLogLine(kind === 'error' ? 'error' : 'warn', text!, fields);
};

/** A line for developers of a project, which is not part of the log. */
function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
