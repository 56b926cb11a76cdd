/** What code that embeds the server works with, and the commands: an engine, and the project that is served on it. */
import path from 'node:path';
import type { RowRulesOf, Views } from './access/views.ts';
import type { Config } from './config/config.ts';
import { engineChanges, withEngineOf } from './config/engine-config.ts';
import { type ChooseNewSecrets, type ConfigOverrides, loadConfig } from './config/load.ts';
import type { DocumentService, Uid } from './content/documents/document-types.ts';
import type { Writer } from './content/documents/writer.ts';
import type { Reader } from './content/reading/reader.ts';
import type { Database } from './db/interface/database.ts';
import type { Transaction } from './db/interface/transaction.ts';
import { MIGRATIONS_TABLE } from './db/migration/bookkeeping.ts';
import type { SchemaEngine } from './db/migration/schema-engine.ts';
import { Engine, type Shared } from './engine.ts';
import { UsageError } from './errors.ts';
import type { InnerResponse } from './http/server.ts';
import { logFailure } from './media/failures.ts';
import type { Media } from './media/media.ts';
import type { OpenStorage } from './media/storage/open-storage.ts';
import { secretsOfNewProject } from './new-secrets.ts';
import {
  buildProject,
  type Project,
  type ProjectFiles,
  readProject,
  runMigrations,
  type ServedProject,
  type StandIns,
} from './project.ts';
import type { RowImports } from './rows/row-imports.ts';
import type { OwnCode } from './runtime/galley/own-code.ts';
import type { ProjectCode } from './runtime/project-code.ts';
import type { RunningCode } from './runtime/running.ts';
import type { Clock } from './schedule/clock.ts';
import type { Catalog } from './schema/catalog.ts';
import { formatProblem } from './schema/check/problem.ts';
import type { Layout } from './schema/layout/layout.ts';
import { type ChangeFiles, SchemaEditor, settleDrafts, settleSchemaFiles } from './schema-editor.ts';
import { type Alone, SchemaHolds, whileServersWait } from './schema-holds.ts';
import { migrateIfDecided, noteSchemas, planLines } from './schema-migration.ts';
import { adoptFiles } from './transfer/files.ts';
import type { FirstToken } from './users/administrators/first-token.ts';
import type { Callers } from './users/sessions/callers.ts';

export type * from './content/documents/document-types.ts';
export type { Condition, Populate } from './content/documents/document-types.ts';
export { ContentError } from './errors.ts';
export type * from './runtime/galley/extension-types.ts';
export {
  ApplicationError,
  defineAccess,
  defineGalley,
  defineHooks,
  defineJobs,
  definePolicies,
  definePopulate,
  defineRoutes,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from './runtime/galley/galley-package.ts';

export interface OpenOptions {
  /** The environment; `process.env` when left out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly overrides?: ConfigOverrides | undefined;
  /** Decides which missing secrets are created; `secretsOfNewProject` when left out. */
  readonly newSecrets?: ChooseNewSecrets | undefined;
  /** Conditions on rows for the holders of grants; none when left out. No configuration leads here yet. */
  readonly rowRules?: RowRulesOf | undefined;
  /** Called before any change of the database; an error prevents the changes. */
  readonly before?: ((files: ProjectFiles, engine: Engine) => Promise<void>) | undefined;
  /** The clock of scheduled work; that of the machine when left out. */
  readonly clock?: Clock | undefined;
  /** Whether administrators may change schema files; not when left out. */
  readonly editsSchemas?: boolean | undefined;
}

/** Called with the files of a project that are about to be served. */
export type Confirm = (files: ProjectFiles) => Promise<void> | void;

/** Called with a project that is about to be served, when nothing else can fail any more. */
export type Complete = (project: ProjectFiles & { readonly writer: Writer }) => Promise<Afterwards> | Afterwards;

/** Called when the previous project has finished its last request, if there is anything to do then. */
export type Afterwards = (() => Promise<void>) | undefined;

/** What a reload has done. */
export interface Reloaded {
  /** Names of the tables, and `table.column` of the columns, that were added to the database. */
  readonly added: readonly string[];
  /** What roles of administrators have received: a sentence for each role and type. */
  readonly granted: readonly string[];
  /** Parts of the configuration that have changed and stay as they are until the process is started anew. */
  readonly restart: readonly string[];
}

/** An open project. What follows from its files is that of the project in place (`reload`). */
export interface App {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  /** The database's statements for definitions, and its readers of the existing ones. */
  readonly engine: SchemaEngine;
  readonly reader: Reader;
  readonly writer: Writer;
  /** What callers see of the project. */
  readonly views: Views;
  /** Where the bytes of files are. */
  readonly stores: OpenStorage;
  /** The file service. */
  readonly media: Media;
  /**
   * The documents of a content type, such as `api::article.article` (docs/reference/document-service.md), by the
   * project that is in place now.
   *
   * @throws UsageError for a uid that no content type has.
   */
  documents<U extends Uid>(uid: U): DocumentService<U>;
  /** Whether the database was empty before the project was opened. */
  readonly fresh: boolean;
  /** What roles of administrators received when the project was opened: a sentence for each role and type. */
  readonly granted: readonly string[];
  /** What the project's code closes, and which core routes there are. */
  readonly code: ProjectCode;
  /** What the project's `src/galley` says; undefined where it has none. */
  readonly own: OwnCode | undefined;
  /** Sentences for the start-up warning. */
  readonly warnings: readonly string[];
  /** The one-time token that permits creating the first administrator. */
  readonly firstToken: FirstToken;
  /** Who calls, by credentials, roles and tokens. */
  readonly callers: Callers;
  /** How many listen to changes. */
  readonly openStreams: number;
  /**
   * Answers a request without a body as the project in place would, without listening.
   *
   * @param request its method, and its target below the address of the server.
   */
  ask(request: { readonly method: string; readonly target: string }, standIns: StandIns): Promise<InnerResponse>;
  /** Starts the project's own code without serving it; undefined if there is none to run. The caller closes it. */
  startCode(): Promise<RunningCode | undefined>;
  /** Imports of files as rows, with the project's code around them where any runs. */
  rowImports(running: RunningCode | undefined): RowImports;
  /** Starts to serve HTTP, and returns the address. */
  listen(): Promise<{ url: string }>;
  /**
   * Reads the project's files again and, without mistakes in them, replaces the served project: new tables and columns
   * are added first, and the previous project finishes requests that have begun.
   *
   * @param confirm called after the files are read without mistakes, before any change. An error keeps the previous
   *   project.
   * @param complete called last. An error keeps the previous project, whose database then has the new tables. What it
   *   returns is called after the last request of the previous project.
   * @throws UsageError for a mistake in the files, and if the database cannot be adapted to them: the previous project
   *   stays.
   */
  reload(confirm?: Confirm, complete?: Complete): Promise<Reloaded>;
  /** Makes a watcher of files take part in the changes of schema files by administrators, which it need not notice. */
  changeFilesBy(changeFiles: ChangeFiles): void;
  /** Finishes requests in flight and closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the project in a folder: reads its configuration and schema files and brings its database up to the schema.
 *
 * @throws UsageError in one line for a mistake in the project, its configuration or its database.
 */
export async function openProject(dir: string, options: OpenOptions = {}): Promise<App> {
  const { env, overrides, newSecrets = secretsOfNewProject } = options;
  return openConfigured(await loadConfig(dir, { env, overrides, newSecrets }), options);
}

/**
 * Opens the project of a configuration, which was read with the same options.
 *
 * @param shared the state that this process shares with others that serve the project; undefined for a single process.
 * @throws UsageError in one line for a mistake in the project or its database.
 */
export async function openConfigured(config: Config, options: OpenOptions, shared?: Shared): Promise<App> {
  const settled = await settleSchemaFiles(config);
  const files = await readProject(config);
  const engine = await Engine.open(config, { shared, clock: options.clock }).catch(async (error: unknown) => {
    await files.code.close();
    throw error;
  });
  try {
    const isLive = shared?.isLive ?? false;
    await options.before?.(files, engine);
    await runMigrations(engine, files, isLive);
    const editor = new SchemaEditor(engine, options.editsSchemas ?? false);
    const moved = options.editsSchemas ? await migrateContent(engine, files, editor) : [];
    const migration = await engine.migrate(files, isLive);
    const fresh = migration.added.includes(MIGRATIONS_TABLE);
    const open = await noteSchemas(engine, files);
    const project = buildProject(engine, files, editor, options.rowRules);
    const unsettled = await settleDrafts(engine, project);
    return new OpenApp({ engine, options, fresh, granted: migration.granted, editor }, project, [
      ...settled,
      ...unsettled,
      ...migration.warnings,
      ...(open === undefined ? moved : [...moved, open]),
    ]);
  } catch (error) {
    await files.code.close();
    await engine.close();
    throw error;
  }
}

/**
 * Moves content to the places that changed schema files give it, for development, if nothing has to be decided.
 *
 * @param hold lets requests of this process wait, and returns whether those before are finished.
 * @returns the lines of the plan.
 * @throws UsageError if they are not.
 */
async function migrateContent(
  engine: Engine,
  files: ProjectFiles,
  editor: SchemaEditor,
  hold: () => Promise<boolean> = async () => true,
): Promise<readonly string[]> {
  const alone = <T>(work: Alone<T>): Promise<T> =>
    whileServersWait(engine, engine.stores.incoming.process, async (commit) => {
      if (!(await hold())) throw new UsageError('requests do not end: the content is not changed', 1);
      return work(commit);
    });
  let project: Project | undefined;
  const context = (tx: Transaction) => {
    project ??= buildProject(engine, files, editor);
    return project.writer.context(tx);
  };
  const plan = await migrateIfDecided(engine, files, context, alone);
  return plan ? planLines(plan) : [];
}

interface Opened {
  readonly engine: Engine;
  readonly options: OpenOptions;
  readonly fresh: boolean;
  readonly granted: readonly string[];
  readonly editor: SchemaEditor;
}

/** Milliseconds in which requests may end before the database is changed. */
const DRAIN = 15_000;
/** Milliseconds between two checks for the unfinished work of servers. */
const SETTLING = 10 * 60_000;

class OpenApp implements App {
  readonly #engine: Engine;
  readonly #options: OpenOptions;
  readonly #editor: SchemaEditor;
  #changeFiles: ChangeFiles = (work) => work((confirm, complete) => this.reload(confirm, complete));
  readonly fresh: boolean;
  readonly granted: readonly string[];
  #project: Project;
  #migrationWarnings: readonly string[];
  /** What answers the requests of the project in place; undefined before it is served. */
  #server: ServedProject | undefined;
  /** Projects that were replaced and still answer requests. */
  readonly #leaving = new Set<Promise<void>>();
  #turn: Promise<unknown> = Promise.resolve();
  #settling: NodeJS.Timeout | undefined;
  #holds: SchemaHolds | undefined;
  #isClosed = false;

  constructor({ engine, options, fresh, granted, editor }: Opened, project: Project, warnings: readonly string[]) {
    this.#engine = engine;
    this.#editor = editor;
    editor.connect(() => ({ project: this.#project, changeFiles: this.#changeFiles }));
    this.#options = options;
    this.fresh = fresh;
    this.granted = granted;
    this.#project = project;
    engine.use(project);
    this.#migrationWarnings = warnings;
  }

  get config(): Config {
    return this.#project.config;
  }

  get catalog(): Catalog {
    return this.#project.catalog;
  }

  get views(): Views {
    return this.#project.views;
  }

  get code(): ProjectCode {
    return this.#project.code;
  }

  get own(): OwnCode | undefined {
    return this.#project.own;
  }

  get layout(): Layout {
    return this.#project.layout;
  }

  get database(): Database {
    return this.#engine.database;
  }

  get engine(): SchemaEngine {
    return this.#engine.schema;
  }

  get reader(): Reader {
    return this.#project.reader;
  }

  get writer(): Writer {
    return this.#project.writer;
  }

  get stores(): OpenStorage {
    return this.#engine.stores;
  }

  get media(): Media {
    return this.#project.media;
  }

  get firstToken(): FirstToken {
    return this.#engine.firstToken;
  }

  get callers(): Callers {
    return this.#engine.callers;
  }

  get openStreams(): number {
    return this.#engine.events.bus.listeners;
  }

  get warnings(): readonly string[] {
    return [
      ...this.#project.warnings.map(formatProblem),
      ...this.config.warnings,
      ...this.code.warnings,
      ...(this.#server?.warnings ?? []),
      ...this.#migrationWarnings,
    ];
  }

  // may be taken off the app and called by itself
  readonly documents = <U extends Uid>(uid: U): DocumentService<U> => this.#project.documents(uid);

  async ask({ method, target }: { method: string; target: string }, standIns: StandIns): Promise<InnerResponse> {
    const server = await this.#project.server(standIns);
    try {
      return await server.ask(method, target);
    } finally {
      await server.close();
    }
  }

  startCode(): Promise<RunningCode | undefined> {
    return this.#project.startCode();
  }

  rowImports(running: RunningCode | undefined): RowImports {
    return this.#project.rowImports(running);
  }

  listen(): Promise<{ url: string }> {
    return this.#inTurn(() => this.#listen());
  }

  async #listen(): Promise<{ url: string }> {
    await adoptFiles(this.database, path.join(this.config.publicDir, 'uploads'));
    await this.media.settle();
    this.#migrationWarnings = [...this.#migrationWarnings, ...(await this.#engine.advanceSequences())];
    // the end of servers elsewhere, such as in a replaced container, is noticed late
    this.#settling ??= setInterval(() => void this.media.settle().catch(notSettled), SETTLING).unref();
    this.#server = await this.#project.server();
    void this.#engine.put(this.#server);
    void this.#engine.schedule.serve(this.#server.works);
    const url = await this.#engine.listen();
    this.#holds ??= this.#followChanges();
    await this.#holds.begin();
    return { url };
  }

  /**
   * Lets requests and background work wait; resolves when those before are finished, or after some milliseconds.
   *
   * @param isCurrent whether what has been read belongs to the schema that is served; left out: reads wait as well.
   */
  #hold(patience: number, isCurrent?: () => Promise<boolean>): Promise<boolean> {
    const server = this.#server;
    // streams do not end by themselves
    server?.endStreams();
    return this.#engine.hold(patience, server?.imports.pause(), async (request) => {
      if (!server?.read || !(await isCurrent?.())) return undefined;
      const answer = await server.read(request);
      // what was read before the change was committed, and not after it
      return (await isCurrent?.()) ? answer : undefined;
    });
  }

  #release(): void {
    this.#engine.release();
    this.#server?.imports.resume();
  }

  #followChanges(): SchemaHolds {
    const { database, stores } = this.#engine;
    return new SchemaHolds({
      database,
      process: stores.incoming.process,
      hold: (patience, isCurrent) => this.#hold(patience, isCurrent),
      release: () => this.#release(),
      reload: () => this.reload(),
    });
  }

  reload(confirm: Confirm = () => {}, complete: Complete = () => undefined): Promise<Reloaded> {
    return this.#inTurn(() => this.#reload(confirm, complete));
  }

  changeFilesBy(changeFiles: ChangeFiles): void {
    this.#changeFiles = changeFiles;
  }

  /** Replacements of the project wait for each other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #reload(confirm: Confirm, complete: Complete): Promise<Reloaded> {
    if (this.#isClosed) throw new UsageError('the project is closed', 1);
    const { env, overrides } = this.#options;
    const own = this.#engine.config;
    const wanted = await loadConfig(own.dir, { env, overrides, again: true });
    const files = await readProject(withEngineOf(own, wanted));
    try {
      await confirm(files);
      await runMigrations(this.#engine, files, true);
      const hold = () => this.#hold(DRAIN);
      const moved = this.#options.editsSchemas ? await migrateContent(this.#engine, files, this.#editor, hold) : [];
      const migration = await this.#engine.migrate(files, true);
      const open = await noteSchemas(this.#engine, files);
      const project = buildProject(this.#engine, files, this.#editor, this.#options.rowRules);
      const before = this.#project;
      const server = this.#server && (await project.server());
      let afterwards: Afterwards;
      try {
        afterwards = await complete(project);
      } catch (error) {
        await server?.close();
        throw error;
      }
      this.#replace(project, server, afterwards);
      if (!this.#server) {
        await before.code.close();
        await afterwards?.();
      }
      this.#migrationWarnings = [...migration.warnings, ...moved, ...(open === undefined ? [] : [open])];
      return { added: migration.added, granted: migration.granted, restart: engineChanges(own, wanted) };
    } catch (error) {
      await files.code.close();
      throw error;
    } finally {
      if (this.#options.editsSchemas) this.#release();
    }
  }

  #replace(project: Project, server: ServedProject | undefined, afterwards: Afterwards): void {
    const before = this.#server;
    this.#project = project;
    this.#engine.use(project);
    this.#server = server;
    if (!server || !before) return;
    before.endStreams();
    const { schedule } = this.#engine;
    const unfinished = Promise.all([this.#engine.put(server), schedule.serve(server.works)])
      .then(() => before.close())
      .catch((error: unknown) => logFailure('a project that was replaced is not closed', error))
      .then(afterwards)
      .catch((error: unknown) => logFailure('what follows the last request of a replaced project failed', error))
      .finally(() => this.#leaving.delete(unfinished));
    this.#leaving.add(unfinished);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#settling);
    await this.#holds?.close();
    await this.#turn;
    this.#server?.endStreams();
    try {
      await this.#engine.schedule.close();
      await this.#engine.closeHttp();
      await Promise.all([...this.#leaving, this.#server?.close()]);
      await this.#project.code.close();
    } finally {
      await this.#engine.close();
    }
  }
}

const notSettled = (error: unknown): void =>
  logFailure('the unfinished work of other servers has not been cleaned up', error);
