/**
 * `src/galley` of a project: hooks, routes, policies, access, defaults of populate, and jobs. It is loaded with the
 * project's files independently of `config/galley`, so its rules of access hold wherever the project is open.
 */
import { join, relative } from 'node:path';
import { routeAction } from '../../access/actions.ts';
import { permitQuery } from '../../access/authorize.ts';
import { Access } from '../../access/rules/access-rules.ts';
import type { View } from '../../access/view.ts';
import { Views } from '../../access/views.ts';
import { ModuleLoader } from '../../config/modules/loader.ts';
import type { DocumentsOf } from '../../content/documents/document-types.ts';
import { ContentError, Mistake, MistakeInFile, UsageError, within } from '../../errors.ts';
import type { CodeLog } from '../../log-line.ts';
import { choices, nearest } from '../../nearest.ts';
import { Budget } from '../../query/budget.ts';
import { parseQuery } from '../../query/parse.ts';
import { rawParams } from '../../query/plain.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { cronMistake } from '../jobs/cron-expression.ts';
import { placeIn, placeOfMistake } from '../line-of.ts';
import { CodeError } from '../registry.ts';
import { keepAlive } from '../stray-errors.ts';
import { type Definition, definitionOf } from './definition.ts';
import type { Tools } from './extension-types.ts';
import { GALLEY_PACKAGE } from './galley-package.ts';
import { isOwnCode, placesOf } from './own-file.ts';

/** The parts that the definition of a project needs, once there is a database. */
export interface OwnContext {
  readonly documents: DocumentsOf<'whole'>;
  readonly log: CodeLog;
}

/** The file that has it. */
interface OwnFile {
  /** Absolute path of the project. */
  readonly dir: string;
  /** Inside the project. */
  readonly path: string;
}

export class OwnCode {
  readonly definition: Definition;
  readonly access: Access;
  readonly #file: OwnFile;
  readonly #loader: ModuleLoader;
  #runtime: OwnContext | undefined;

  constructor(definition: Definition, file: OwnFile, loader: ModuleLoader) {
    this.definition = definition;
    this.access = new Access(definition.access);
    this.#file = file;
    this.#loader = loader;
  }

  /** Sets the parts that its code needs. */
  connect(runtime: OwnContext): void {
    this.#runtime = runtime;
  }

  /** Has the name `strapi` mean something in its files. */
  giveStrapi(strapi: object): void {
    this.#loader.give(strapi);
  }

  /** The grants that its routes need. */
  get actions(): readonly string[] {
    return this.definition.routes.map(({ name }) => routeAction(name));
  }

  /** Whether any of it runs only where the project is served. */
  get isServed(): boolean {
    const { hooks, routes, jobs } = this.definition;
    return routes.length + jobs.size > 0 || [...hooks.values()].some((hook) => hook.inTransaction ?? hook.afterCommit);
  }

  /** The arguments of all of its code. */
  get tools(): Tools {
    const { log } = this.#ready;
    const line = (level: Parameters<CodeLog>[0]) => (message: string) => log(level, String(message));
    return {
      documents: this.#ready.documents,
      log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    };
  }

  get #ready(): OwnContext {
    if (!this.#runtime) throw new Error('the code of the project was called before it was ready');
    return this.#runtime;
  }

  /**
   * Runs some of its code.
   *
   * @param purpose of the run, for the log.
   * @throws ContentError as the code does; CodeError for any other error, with file and line.
   */
  async run<T>(purpose: string, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ContentError || error instanceof CodeError
        ? error
        : new CodeError(error, purpose, this.#loader);
    }
  }

  /** Where in its file something stands: `src/galley.ts:12`. @param trail names and places in lists that lead to it. */
  placeOf(trail: readonly (string | number)[]): string {
    return placeIn(this.#file.dir, this.#file.path, trail);
  }

  /**
   * Logs an error of its code that the code did not throw.
   *
   * @param trail names that lead to the code in its file.
   */
  async log(error: Error, purpose: string, trail: readonly string[]): Promise<void> {
    const { dir, path } = this.#file;
    const mistake = new MistakeInFile(path, new Mistake(`${error.message} (${purpose})`, trail));
    this.#ready.log('error', placeOfMistake(dir, mistake), error);
  }

  /** Logs unhandled errors of its code until the returned function is called. */
  keepAlive(): () => void {
    const report = (error: unknown) => void this.runAlone('in code that nothing awaits', () => Promise.reject(error));
    return keepAlive({ loader: this.#loader, report });
  }

  /** Runs code without an await: an error goes to the log, or to `report`. */
  async runAlone(
    purpose: string,
    work: () => unknown,
    report: (failure: Error) => void = (failure) => this.#ready.log('error', failure.message, failure),
  ): Promise<{ readonly failed: string | undefined }> {
    try {
      await work();
      return { failed: undefined };
    } catch (error) {
      const failure = error instanceof CodeError ? error : new CodeError(error, purpose, this.#loader);
      report(failure);
      return { failed: failure.message.split('\n', 1)[0]! };
    }
  }
}

/** @throws Error for mistakes in rules of access, in populate and in the times of jobs. */
async function check({ access, definition }: OwnCode, catalog: Catalog): Promise<void> {
  const views = new Views(catalog, undefined, access);
  views.check();
  for (const [uid, kinds] of definition.populate) {
    const type = catalog.contentTypes.get(uid)!;
    for (const [kind, populate] of Object.entries(kinds)) {
      const check = () => requirePopulate(views.code.view, type, populate);
      within(['populate', uid, kind], check, `populate of ${uid}, ${kind}`);
    }
  }
  if (definition.jobs.size === 0) return;
  const { CronPattern } = await import('croner');
  for (const [name, { cron, timezone }] of definition.jobs) {
    const mistake = cronMistake(cron, CronPattern);
    if (mistake !== undefined) throw new Mistake(`the job ${name}: ${mistake}`, ['jobs', name, 'cron']);
    if (timezone !== undefined && !isTimezone(timezone)) {
      const zones = Intl.supportedValuesOf('timeZone');
      const near = nearest(timezone, zones);
      const hint = near === undefined ? ', such as Europe/Berlin' : `: did you mean ${near}?`;
      throw new Mistake(`the job ${name}: there is no time zone ${timezone}${hint}`, ['jobs', name, 'timezone']);
    }
  }
}

/** @throws Mistake for a populate with an unknown name, with the known ones. */
function requirePopulate(view: View, type: ContentType, populate: unknown): void {
  try {
    const { query } = parseQuery(rawParams({ populate }));
    permitQuery(view, type, query, new Budget());
  } catch (error) {
    const { key, path, hint } = (error instanceof ContentError ? error.details : undefined) ?? {};
    if (typeof key !== 'string') throw error;
    const steps = typeof path === 'string' && path !== key ? path.split('.') : [];
    const { populatable } = view.of(type);
    const isAtTop = steps.length === 0 && !populatable.includes(key) && topNames(populate).includes(key);
    const known = isAtTop ? choices(key, populatable) : hint === undefined ? '' : `: ${hint}`;
    throw new Mistake(`${(error as Error).message}${known}`, [...steps, key], { cause: error });
  }
}

/** The names that a populate begins with. */
function topNames(populate: unknown): readonly unknown[] {
  if (typeof populate === 'string') return populate.split(',').map((name) => name.trim());
  return Array.isArray(populate) ? populate : Object.keys(populate ?? {});
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the file of a project; undefined where it has none.
 *
 * @throws UsageError in one line for a file that cannot be loaded, and for mistakes in it.
 */
export async function loadOwnCode(dir: string, catalog: Catalog): Promise<OwnCode | undefined> {
  const loader = new ModuleLoader({ dir, substitute: (name) => (name === 'galley' ? GALLEY_PACKAGE : undefined) });
  const file = placesOf(dir)
    .map((place) => loader.resolve(`./${place}`, join(dir, 'package.json')))
    .find((found) => found !== undefined && isOwnCode(relative(dir, found).replaceAll('\\', '/')));
  if (file === undefined) return undefined;
  const path = loader.pathOf(file);
  try {
    const own = new OwnCode(definitionOf(loader.load(file), catalog), { dir, path }, loader);
    await check(own, catalog);
    return own;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Mistake) throw new UsageError(placeOfMistake(dir, new MistakeInFile(path, error)), 1);
    const place = loader.placeOf(error);
    throw new UsageError(`${place ?? path}: ${(error as Error)?.message ?? String(error)}`.split('\n', 1)[0]!, 1);
  }
}
