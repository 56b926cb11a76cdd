/**
 * A project built from its schema files, code and configuration to answer requests: catalog, layout, reader, writer,
 * compiled plans, routes. It is immutable, and is replaced as a whole.
 */
import { ownRoutesOf } from './access/actions.ts';
import type { Viewer } from './access/view.ts';
import { type RowRulesOf, Views } from './access/views.ts';
import type { Config } from './config/config.ts';
import { databaseName } from './config/database-config.ts';
import { compiledSources } from './config/modules/tsconfig.ts';
import { documentsOf } from './content/documents/document-service.ts';
import type { DocumentService, DocumentsOf, Uid } from './content/documents/document-types.ts';
import { Transitions } from './content/documents/transitions.ts';
import { Writer } from './content/documents/writer.ts';
import { Reader } from './content/reading/reader.ts';
import { readTuning } from './db/explain/read-tuning.ts';
import { columnsOf } from './db/indexes/learned-indexes.ts';
import { storedIndexes } from './db/indexes/stored-indexes.ts';
import type { Database } from './db/interface/database.ts';
import { DoctorRuns } from './doctor-runs.ts';
import type { Engine } from './engine.ts';
import { UsageError } from './errors.ts';
import { Entries } from './events/entries.ts';
import { EventStreams } from './events/streams.ts';
import type { RecordedProject } from './history/history.ts';
import { recordingOf } from './history/recording.ts';
import { AppChanges } from './http/admin/app-changes.ts';
import { editingServices } from './http/admin/editing.ts';
import type { HealthServices } from './http/monitoring/diagnosis.ts';
import { routeLimits } from './http/protocol/account-limits.ts';
import { formatV4 } from './http/protocol/v4-format.ts';
import type { HttpContext } from './http/routes/context.ts';
import { buildServer, type ProjectServer } from './http/server.ts';
import { writeLogLine } from './log-line.ts';
import { openSizes } from './media/images/sizes.ts';
import { Media } from './media/media.ts';
import { RELEASE_WORK } from './releases/planned-runs.ts';
import { failedRelease, ScheduledReleases } from './releases/scheduled-releases.ts';
import { RowImports } from './rows/row-imports.ts';
import type { AmbientDatabase } from './runtime/documents/ambient.ts';
import type { OwnCode } from './runtime/galley/own-code.ts';
import { hasOwnCode } from './runtime/galley/own-file.ts';
import { OwnBeforeWrites, ownBeforeFiles } from './runtime/galley/own-hooks.ts';
import { migrationFiles } from './runtime/migrations/migration-files.ts';
import { type ProjectCode, readProjectCode, runNothing } from './runtime/project-code.ts';
import { bypassMessage, codeSummary } from './runtime/report.ts';
import type { RunningCode } from './runtime/running.ts';
import {
  guardBeforeStart,
  guardOf,
  type IsGuarded,
  leftOutOfStreams,
  type ReadAction,
  silencedMessage,
} from './runtime/streams.ts';
import { failedDocument, failureNotices } from './schedule/failure-notices.ts';
import { Performers } from './schedule/performers.ts';
import type { DueWork } from './schedule/schedule.ts';
import { DOCUMENT_WORK, ScheduledDocuments } from './schedule/scheduled-documents.ts';
import type { Catalog } from './schema/catalog.ts';
import { checkSchemas, type SchemaCheck } from './schema/check/check.ts';
import { checkHistoryTypes } from './schema/check/history-types.ts';
import { checkPreviews } from './schema/check/previews.ts';
import { formatProblem, type Problem } from './schema/check/problem.ts';
import type { SchemaEditing } from './schema/editing/editing.ts';
import type { OwnSchemas } from './schema/files.ts';
import { type Layout, layOut, layoutOf } from './schema/layout/layout.ts';
import { mistakesIn } from './schema/load.ts';
import { AccountSessions } from './users/accounts/account-sessions.ts';
import { Accounts } from './users/accounts/accounts.ts';
import { UserWrites } from './users/accounts/user-writes.ts';
import { AdministratorLinks } from './users/administrators/administrator-links.ts';
import { Administrators } from './users/administrators/administrators.ts';
import { EditedRoles } from './users/administrators/edited-roles.ts';
import { People } from './users/administrators/people.ts';
import { AccountMail } from './users/mail/account-mail.ts';
import { Roles } from './users/roles/role-changes.ts';
import { type KnownCallers, ProjectCallers } from './users/sessions/callers.ts';
import { LentCallers } from './users/sessions/lent-callers.ts';

/** A project's files have mistakes. */
export class ProjectMistakes extends UsageError {
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[]) {
    super(message);
    this.problems = problems;
  }
}

/** What the files of a project say. */
export interface ProjectFiles {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly code: ProjectCode;
  /** What `src/galley` says; undefined where there is none. */
  readonly own: OwnCode | undefined;
  readonly layout: Layout;
  /** What the project's code says of schemas. */
  readonly schemas: OwnSchemas;
  /** What the schema files are likely not to mean. */
  readonly warnings: readonly Problem[];
}

/** The files of a project with everything that is wrong with them. */
export interface CheckedProject {
  /** Undefined where the schema files have mistakes. */
  readonly files: ProjectFiles | undefined;
  /** What keeps the project from starting. */
  readonly problems: readonly Problem[];
  /** What the schema files are likely not to mean. */
  readonly warnings: readonly Problem[];
}

/** Checks schema files with the schema changes of the project's code. */
export const checkedBy =
  ({ dir, rest }: Config) =>
  (own: OwnSchemas): SchemaCheck =>
    checkSchemas(dir, { ...rest, ...own, compiled: compiledSources(dir) });

/**
 * Reads the schema files of a project and loads its code, which may change schemas.
 *
 * @throws UsageError for a folder that is not that of a project, and for code that cannot be loaded.
 */
export async function checkProject(config: Config): Promise<CheckedProject> {
  const check = checkedBy(config);
  const read = await readProjectCode(config, check);
  try {
    const { catalog, partial, problems, warnings } = check(read.schemas);
    if (!catalog) {
      await read.close();
      return { files: undefined, problems: [...problems, ...read.mistakesInLists(partial)], warnings };
    }
    const code = read.connect(catalog);
    const own = await readOwnCode(config, catalog);
    const files = { config, catalog, code, own, layout: layOut(catalog), schemas: read.schemas, warnings };
    const ofConfig = [
      ...checkPreviews(catalog, config.admin.preview.urls),
      ...checkHistoryTypes(catalog, Object.keys(config.history.types)),
    ];
    return { files, problems: [...ofConfig, ...code.problems], warnings };
  } catch (error) {
    await read.close();
    throw error;
  }
}

/**
 * The catalog of a project alone.
 *
 * @throws ProjectMistakes for mistakes in the schema files; UsageError as `checkProject`.
 */
export async function readCatalog(config: Config): Promise<Catalog> {
  const check = checkedBy(config);
  const read = await readProjectCode(config, check);
  await read.close();
  const { catalog, problems } = check(read.schemas);
  if (!catalog) throw new ProjectMistakes(mistakesIn(config.dir, problems), problems);
  return catalog;
}

/**
 * Reads the files of a project. `code.close` ends its code, unless a server does.
 *
 * @throws ProjectMistakes for mistakes in the schema files and the lists of `config/galley`; UsageError for a folder that
 * is not that of a project, and for code that cannot be loaded.
 */
export async function readProject(config: Config): Promise<ProjectFiles> {
  const { files, problems } = await checkProject(config);
  if (!files) throw new ProjectMistakes(mistakesIn(config.dir, problems), problems);
  if (problems.length === 0) return files;
  await files.code.close();
  throw new ProjectMistakes(problems.map(formatProblem).join('\n'), problems);
}

/** Actions of the project's own routes, those of `src/galley` included. */
export const ownActions = ({ code, own }: Pick<ProjectFiles, 'code' | 'own'>): readonly string[] => [
  ...code.actions,
  ...(own?.actions ?? []),
];

/** What is loaded of it is loaded where there is such a file. */
async function readOwnCode({ dir }: Config, catalog: Catalog): Promise<OwnCode | undefined> {
  if (!hasOwnCode(dir)) return undefined;
  const { loadOwnCode } = await import('./runtime/galley/own-code.ts');
  return loadOwnCode(dir, catalog);
}

/**
 * Runs the pending migrations of a project, before its layout is compared.
 *
 * @param isLive whether requests are being answered; no migration runs then.
 * @throws UsageError for a migration that cannot run, since the schema may depend on it.
 */
export async function runMigrations(engine: Engine, { config, layout }: ProjectFiles, isLive: boolean): Promise<void> {
  const files = config.migrations.run ? migrationFiles(config) : [];
  if (files.length === 0) return;
  const runs = await engine.migrationRuns();
  try {
    const executed = await runs.executed();
    const pending = files.filter(({ name }) => !executed.has(name));
    if (pending.length === 0) return;
    const { runMigrations, waitingMigrations } = await import('./runtime/migrations/run-migrations.ts');
    if (isLive) throw waitingMigrations(pending, 'which runs only at a start: restart the server');
    if (!config.code.run) throw waitingMigrations(pending, 'and no code of the project is to be run');
    await engine.refuseForeign(layout);
    await runMigrations(pending, { dir: config.dir, runs, log: engine.http.log.code.bind(engine.http.log) });
  } finally {
    await runs.close();
  }
}

/** What takes the place of parts of an engine in a server. */
export interface StandIns {
  readonly callers: KnownCallers;
  /** Runs the reads of requests. */
  readonly read: Database['read'];
}

/** The handler of a project's requests, with the messages after the start of its code. */
export interface ServedProject extends ProjectServer {
  readonly warnings: readonly string[];
  /** What does scheduled work, by its kind. */
  readonly works: ReadonlyMap<string, DueWork>;
  readonly imports: RowImports;
}

/** A project as it is served. */
export interface Project extends ProjectFiles {
  readonly reader: Reader;
  readonly writer: Writer;
  /** What callers see of the project. */
  readonly views: Views;
  readonly media: Media;
  /** Documents as webhooks show them. */
  readonly entries: Entries;
  /** How replaced versions of documents are recorded. */
  readonly recorded: RecordedProject;
  documents<U extends Uid>(uid: U): DocumentService<U>;
  /** Starts the project's own code; undefined if there is none to run. The caller closes it. */
  startCode(): Promise<RunningCode | undefined>;
  /** Imports of files as rows, with the project's code around them where any runs. */
  rowImports(running: RunningCode | undefined): RowImports;
  /**
   * Creates the handler of HTTP requests, which embedding code and commands do not need.
   *
   * @param standIns replacements for parts of the engine, for requests that are only examined.
   */
  server(standIns?: StandIns): Promise<ServedProject>;
}

/**
 * Builds a project on an engine whose database has its layout.
 *
 * @param schemaEditing edits the schema files.
 * @param rowRules conditions on the rows that callers see; none when left out.
 */
export function buildProject(
  engine: Engine,
  files: ProjectFiles,
  schemaEditing: SchemaEditing,
  rowRules?: RowRulesOf,
): Project {
  const { config, catalog, code, own: ownCode, layout } = files;
  const { database, stores, images, tokens, callers, mailer, background, http, firstToken, events } = engine;
  const { noteFailedSignIn } = engine.audit;
  const views = new Views(catalog, rowRules, ownCode?.access);
  const { services, media, readerOn } = servicesOn(database, engine, files, views);
  const { reader, writer } = services;
  const log = http.log.code.bind(http.log);
  ownCode?.connect({ documents: documentsOf(services, views.code), log });
  const users = new UserWrites(services);
  const sessions = new AccountSessions({ config, users, tokens, callers });
  const startOwn = () => startCode(engine, files, { views, sessions });
  const rowImportsWith = (running: RunningCode | undefined) =>
    new RowImports({
      ...{ database, layout, locales: engine.locales, whole: views.code, plain: services.transitions },
      editing: editingServices({ ...services, users, running }),
      isAroundWrites: (type) => running?.administration.isAroundWrites(type) ?? false,
    });
  return {
    ...files,
    reader,
    writer,
    views,
    media,
    entries: new Entries({ ...services, longest: config.webhooks.maxEntrySize }),
    recorded: {
      recording: recordingOf({
        layout,
        dialect: database.dialect,
        view: views.code.view,
        config: config.history,
        hasTrash: config.trash.days > 0,
        plans: writer.reading(database).plans,
        hasStages: (type) => engine.review.workflows.isReady(type),
        log: (line) => writeLogLine('warn', line),
      }),
      config: config.history,
      trash: config.trash,
      stores: stores.stores,
      tables: new Map(
        [...catalog.contentTypes.values()]
          .filter((type) => type.routed)
          .map(({ uid }) => [uid, layoutOf(layout, uid).table]),
      ),
    },
    documents: documentsOf(services),
    startCode: startOwn,
    rowImports: rowImportsWith,
    server: async (standIns) => {
      const places = standIns ? 0 : (await code.missingMembers()).length;
      const sizes = openSizes(config, { db: database, layout, stores: stores.stores, images });
      const running = standIns ? undefined : await startOwn();
      if (!standIns) {
        await Promise.all(stores.stores.map((store) => store.begin?.()));
        mailer.begin?.();
      }
      const mailing = { config, users, mailer, background };
      const mail = running?.builtIn.mail(mailing) ?? new AccountMail(mailing);
      const written = running?.builtIn.accounts(users) ?? users;
      const issued = running ? sessions.issuing(running.builtIn.tokens) : sessions;
      const accounts = new Accounts({ config, users: written, mail, sessions: issued, noteFailedSignIn });
      const roles = new Roles({ ...services, actions: ownActions(files) });
      const { encryptionKey } = config;
      const closed = code.closedToAdministrators;
      const writers = { media, roles, ...running?.builtIn.writers };
      const { around } = running?.builtIn.writers ?? {};
      const lifespans = config.admin.sessions;
      const parts = {
        catalog,
        database,
        views,
        closed,
        encryptionKey,
        firstToken,
        lifespans,
        around,
        noteFailedSignIn,
      };
      const administrators = new Administrators(parts);
      const linked = { catalog, database, config, mailer, background, lifespans, around };
      const administratorLinks = new AdministratorLinks(linked);
      const people = {
        users: written,
        accounts,
        sessions: issued,
        administrators,
        administratorLinks,
        people: new People(linked),
        editedRoles: new EditedRoles(services),
      };
      const own = { config, layout, ...writers, sizes, mailer, ...people };
      const read = standIns?.read;
      const allClosed = code.closed;
      const lookedUp = running?.builtIn.callers(callers) ?? callers;
      const lent = new LentCallers(standIns?.callers ?? lookedUp);
      const known = new ProjectCallers(lent, allClosed);
      const policies = await policiesOf(
        ownCode,
        callerDocumentsOf(services, () => running),
      );
      const performers = new Performers({
        ...{ database, views, locales: engine.locales, transitions: services.transitions, administrators },
        ...{ callers: known, holders: callers, code: running?.codeAround },
        closed: (action) => allClosed.get(action) ?? running?.bypassed(action) ?? replacedBy(running, action),
      });
      const notices = { config, catalog, database, reader, administrators, events, mailer, background };
      const scheduledDocuments = new ScheduledDocuments({
        ...{
          ...services,
          performers,
          clock: engine.schedule.clock,
          failed: failureNotices(notices, failedDocument(notices)),
        },
      });
      // listeners that code attaches to the whole server may refuse like a middleware, unless the opposite is certain
      const standsBefore: IsGuarded | undefined = running
        ? (type, action) => running.front.isTaken || running.answers.standsBefore(type, action)
        : (type, action) => code.guardsOf(`${type.uid}.${action}`).length > 0;
      const isGuarded = guardOf({ policies, standsBefore, serve: config.code.serve });
      const silenced = (action: ReadAction) => leftOutOfStreams({ ...files, closed: allClosed }, isGuarded, action);
      const streams = new EventStreams({ ...services, callers: known, bus: events.bus, isGuarded });
      const appChanges = new AppChanges({
        database,
        catalog,
        layout,
        running,
        config,
        administrators,
        review: engine.review,
      });
      const endStreams = () => {
        streams.close();
        appChanges.close();
      };
      // requests that are only looked into have no end that a stream could wait for
      if (standIns) endStreams();
      const examined = { catalog, layout, writer, database, engine: engine.schema, stores: engine.stores };
      const doctor = new DoctorRuns(examined, engine.background);
      const rowImports = rowImportsWith(running);
      const built = buildServer({
        ...services,
        ...own,
        schemaEditing,
        code: {
          ...{ closed: allClosed, publicClosed: code.publicClosed, guardsOf: code.guardsOf },
          ...{ routes: code.routes, ownRoutes: code.ownRoutes },
        },
        galley: ownCode,
        running,
        policies,
        populate: ownCode?.definition.populate,
        reader: read ? readerOn(readingBy(database, read)) : reader,
        callers: known,
        lent,
        holders: callers,
        tuning: readTuning({ database, engine: engine.schema, layout, readTimeout: config.database.readTimeout }),
        review: { workflows: engine.review.workflows, events, background },
        history: engine.history,
        streams,
        appChanges,
        scheduledDocuments,
        rowImports,
        silenced,
        http,
        health: healthOf(engine, doctor),
      });
      const server = await built.catch(async (error: unknown) => {
        endStreams();
        await running?.close();
        throw error;
      });
      const release = standIns ? undefined : ownCode?.keepAlive();
      const close = async () => {
        doctor.close();
        await rowImports.close();
        await server.close();
        release?.();
      };
      const changed = running?.builtIn.services.messages(catalog, config.code) ?? [];
      const counts = { types: silenced('find').length, actions: bypassingActions(files).size, places };
      const summary = codeSummary(config.dir, counts, [...code.warnings, ...changed]);
      const works = new Map<string, DueWork>([
        [DOCUMENT_WORK, scheduledDocuments],
        [
          RELEASE_WORK,
          new ScheduledReleases({
            ...{ catalog, database, performers },
            failed: failureNotices(notices, (item) => failedRelease(database, item), 'run'),
          }),
        ],
      ]);
      return { ...server, works, imports: rowImports, warnings: [...changed, ...summary], close };
    },
  };
}

/** Why an action that routes of project code have replaced cannot be scheduled; undefined for any other. */
const replacedBy = (running: RunningCode | undefined, action: string): string | undefined =>
  running?.ownNames.has(action) ? `${action} is a route of the project, and has no request here` : undefined;

/** What the health page learns of a project and of its engine. */
function healthOf({ database, schema, backups }: Engine, doctor: DoctorRuns): HealthServices {
  return {
    backup: () => backups.state(),
    doctorRun: () => doctor.last(),
    beginDoctor: (work) => doctor.begin(work),
    indexes: async () => {
      const stored = await storedIndexes(database);
      const shown = stored.map(({ table, index, origin, reads, milliseconds, usedAt }) => {
        return { name: index.name, table, columns: columnsOf(index, schema), origin, reads, milliseconds, usedAt };
      });
      return shown.toSorted((one, other) => other.milliseconds - one.milliseconds);
    },
  };
}

/** Actions that Strapi does not have and that are closed because they would bypass code, with why. */
function bypassingActions({ code, catalog }: Pick<ProjectFiles, 'code' | 'catalog'>): Map<string, string> {
  const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed);
  const existing = new Set(types.flatMap((type) => ownRoutesOf(type).flatMap(({ action }) => action)));
  return new Map([...code.bypassing].filter(([action]) => existing.has(action)));
}

/**
 * The messages of `galley check` about guards in code of the project: closed actions of Galley's own, and types that
 * streams of changes leave out, each with the configuration that opens them and those before.
 */
export function guardedMessages(files: ProjectFiles): string[] {
  const { code, config } = files;
  const closed = bypassMessage(bypassingActions(files), config.code, code.opening);
  const leftOutTypes = leftOutOfStreams({ ...files, closed: code.closed }, guardBeforeStart(files), 'find');
  const path = `${config.rest.prefix}/events`;
  const silenced = silencedMessage(leftOutTypes, path, config.code, closed?.opening ?? code.opening);
  return [closed?.message, silenced].filter((one) => one !== undefined);
}

/** What reads and writes content and files of a project, on a database. */
function servicesOn(database: Database, engine: Engine, project: ProjectFiles, views: Views) {
  const { config, catalog, code, own: ownCode, layout } = project;
  const { locales, releases, stores, images, leases, review } = engine;
  const { publicationRule } = review;
  const { fileUrls } = stores;
  const { search } = database;
  const readerOn = (database: Database) =>
    new Reader({ catalog, layout, database, locales, releases, limits: config.rest, marks: fileUrls?.marks, search });
  const reader = readerOn(database);
  const before = beforeWrites(ownCode, views);
  const writer = new Writer({ catalog, layout, database, reader, locales, before, publicationRule });
  const transitions = new Transitions({ database, reader, locales, writer });
  const services = { config, catalog, views, code, database, reader, writer, transitions, locales, fileUrls };
  const name = databaseName(config.database);
  const hasTrash = config.trash.days > 0;
  const files = {
    images,
    leases,
    databaseName: name,
    config: config.upload,
    before: ownBeforeFiles(ownCode),
    hasTrash,
  };
  const media = new Media({ ...services, ...stores, ...files });
  return { services, media, readerOn };
}

interface CodeParts {
  readonly views: Views;
  readonly sessions: AccountSessions;
}

/** Starts the project's own code, on a database that knows of its transactions; undefined where there is none to run. */
async function startCode(engine: Engine, files: ProjectFiles, { views, sessions }: CodeParts) {
  const { config, code, own: ownCode, layout } = files;
  if (code.running === undefined && !ownCode?.isServed) return undefined;
  const { tokens, mailer, background, http } = engine;
  const { AmbientDatabase } = await import('./runtime/documents/ambient.ts');
  const { Narrowing } = await import('./runtime/narrowing.ts');
  const { throwingRefusals } = await import('./runtime/requests/strapi-errors.ts');
  const log = http.log.code.bind(http.log);
  const database = new AmbientDatabase(engine.database, (error) =>
    log('error', 'code that runs after a transaction failed', error),
  );
  const { services, media } = servicesOn(database, engine, files, views);
  const users = new UserWrites(services);
  const roles = new Roles({ ...services, actions: ownActions(files) });
  const narrowing = new Narrowing(views);
  const plain = documentsOf<'whole'>(services, views.code);
  ownCode?.connect({ documents: plain, log });
  const parts =
    ownCode &&
    (await ownParts(
      ownCode,
      database,
      engine,
      callerDocumentsOf(services, () => code.running),
    ));
  // without code of a Strapi project the name means nothing
  const giveStrapi = (strapi: object) => (code.running ? ownCode?.giveStrapi(strapi) : undefined);
  const own = parts && { ...parts, giveStrapi };
  const given = { config, layout, media, users, roles, sessions, tokens, mailer, formatV4, log, narrowing, own };
  const mail = new AccountMail({ config, users, mailer, background });
  const more = { mail, routeLimits: routeLimits(http.limits), database };
  const running = code.running ?? (await runNothing(config, files.catalog));
  try {
    const started = { ...services, ...given, ...more };
    await running.start({ runtime: started, closed: code.closedRoute, unhooked: code.unhooked });
  } catch (error) {
    await running.close();
    throw error;
  }
  // its writes run the project's other code
  const documents = <U extends Uid>(uid: U) => {
    const service = { findPage: plain(uid).findPage.bind(plain(uid)), ...running.documents.of(uid) };
    const methods = Object.entries(service as Record<string, (params: never) => unknown>);
    const whole = methods.map(([name, method]) => {
      return [name, (params: never) => throwingRefusals(async () => narrowing.aside(() => method(params)))];
    });
    return Object.fromEntries(whole) as DocumentService<U, 'whole'>;
  };
  ownCode?.connect({ documents: code.running ? documents : plain, log });
  return running;
}

function beforeWrites(own: OwnCode | undefined, views: Views) {
  return own && { writes: new OwnBeforeWrites(own), view: views.code.view };
}

type DocumentsFor = (viewer: Viewer) => DocumentsOf<'caller'>;

/** The documents of a caller, with the code that runs at the time. */
function callerDocumentsOf(
  services: Parameters<typeof documentsOf>[0],
  running: () => RunningCode | undefined,
): DocumentsFor {
  return (viewer) => {
    const plain = documentsOf<'caller'>(services, viewer, { isCaller: true });
    return running()?.callerDocuments.of(viewer, plain) ?? plain;
  };
}

/** The policies of a project; undefined where it has none. */
async function policiesOf(own: OwnCode | undefined, documentsFor: DocumentsFor): Promise<HttpContext['policies']> {
  if (!own || own.definition.policies.size === 0) return undefined;
  const { OwnPolicies } = await import('./runtime/galley/own-policies.ts');
  return new OwnPolicies(own, documentsFor);
}

/** What `src/galley` adds to code that runs. */
async function ownParts(own: OwnCode, database: AmbientDatabase, engine: Engine, documentsFor: DocumentsFor) {
  const { ownRoutes } = await import('./runtime/galley/own-routes.ts');
  const { OwnPolicies } = await import('./runtime/galley/own-policies.ts');
  const { OwnChangeHooks } = await import('./runtime/galley/own-hooks.ts');
  const { OwnJobs } = await import('./runtime/galley/own-jobs.ts');
  const policies = new OwnPolicies(own, documentsFor);
  const hooks = new OwnChangeHooks(own, database, engine.database);
  const jobs = new OwnJobs(own, engine.database);
  return {
    routes: ownRoutes(own, documentsFor),
    gate: (action: string) => policies.gate(action),
    jobs,
    serve: async () => {
      hooks.start();
      await jobs.start();
    },
    close: () => {
      hooks.stop();
      jobs.stop();
    },
  };
}

/** A database whose reads another object runs. */
function readingBy(database: Database, read: Database['read']): Database {
  return {
    dialect: database.dialect,
    read,
    rows: (text, values) => database.rows(text, values),
    holdsUpWrites: (statement) => database.holdsUpWrites(statement),
    transaction: (work, options) => database.transaction(work, options),
    knex: (host, own) => database.knex(host, own),
    raw: (text, values) => database.raw(text, values),
    subscribe: (listener) => database.subscribe(listener),
    generation: () => database.generation(),
    rowsOf: (table) => database.rowsOf(table),
    watch: () => {},
    keepsTotals: (table) => database.keepsTotals(table),
    close: () => database.close(),
  };
}
