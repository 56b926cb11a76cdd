/** The parts of a project's code by uid, loaded on demand. */
import { createRequire } from 'node:module';
import type { ModuleLoader } from '../config/modules/loader.ts';
import { resolvedFile } from '../config/modules/resolver.ts';
import { ContentError, UsageError } from '../errors.ts';
import { SUMMARY } from '../log-line.ts';
import { type CodeFile, type CodeKind, uidOf } from './code-files.ts';
import { Unsupported } from './guarded.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** An error of code that uses a file which `config/galley` leaves out. */
export class LeftOut extends Unsupported {
  readonly path: string;
  /** Whether `config/galley` declares that file safe to leave out. */
  readonly isSafe: boolean;

  constructor(path: string, isSafe: boolean) {
    super(`${path}, which config/galley leaves out,`);
    this.path = path;
    this.isSafe = isSafe;
  }
}

/** Loads the files of one kind. */
export class Registry<T> {
  readonly #files: ReadonlyMap<string, CodeFile>;
  readonly #make: (exported: unknown, uid: string, file: CodeFile | undefined) => T;
  readonly #load: (path: string) => unknown;
  readonly #made = new Map<string, T>();
  /** Exports outside of files of this kind, such as those of plugins. */
  readonly #given = new Map<string, unknown>();
  /** Files that `config/galley` leaves out, and whether it declares them safe to leave out. */
  readonly #leftOut: ReadonlyMap<string, LeftOutFile>;

  /** Converts an error of a file. */
  readonly #failed: (error: unknown, path: string) => unknown;

  constructor(
    files: readonly CodeFile[],
    load: (path: string) => unknown,
    make: (exported: unknown, uid: string, file: CodeFile | undefined) => T,
    leftOut: readonly LeftOutFile[],
    failed: (error: unknown, path: string) => unknown,
  ) {
    this.#failed = failed;
    this.#files = new Map(files.map((file) => [uidOf(file), file]));
    this.#load = load;
    this.#make = make;
    this.#leftOut = new Map(leftOut.map((file) => [uidOf(file), file]));
  }

  get uids(): string[] {
    return [...new Set([...this.#files.keys(), ...this.#given.keys()])];
  }

  /** Adds a part that comes from no file. */
  set(uid: string, exported: unknown): void {
    this.#given.set(uid, exported);
    this.#made.delete(uid);
  }

  /** The file of a uid. */
  fileOf(uid: string): CodeFile | undefined {
    return this.#files.get(uid);
  }

  has(uid: string): boolean {
    return this.#given.has(uid) || this.#files.has(uid);
  }

  /** Whether it has a part with a uid, or one that `config/galley` leaves out. */
  names(uid: string): boolean {
    return this.has(uid) || this.#leftOut.has(uid);
  }

  /** The file of a part that `config/galley` leaves out and does not declare safe to leave out. */
  leftOut(uid: string | undefined): string | undefined {
    const file = uid === undefined ? undefined : this.#leftOut.get(uid);
    return file?.isSafe ? undefined : file?.path;
  }

  /**
   * The part with a uid, for code of the project; undefined without one.
   *
   * @throws LeftOut for a file that `config/galley` leaves out, which also condemns the unit of work; the errors of a
   *   file.
   */
  get(uid: string): T | undefined {
    const file = this.#leftOut.get(uid);
    const hasDefault = file?.isSafe && (file.kind === 'controllers' || file.kind === 'services');
    if (file === undefined || hasDefault) return this.own(uid);
    const error = new LeftOut(file.path, file.isSafe);
    if (!file.isSafe) UnitOfWork.condemnCurrent(error);
    throw error;
  }

  /** The same for Galley itself, which uses the defaults of a type for a file that is left out. */
  own(uid: string): T | undefined {
    const known = this.#made.get(uid);
    if (known !== undefined) return known;
    const file = this.#given.has(uid) ? undefined : this.#files.get(uid);
    if (!file && !this.#given.has(uid)) return undefined;
    const make = () => this.#make(file ? this.#load(file.path) : this.#given.get(uid), uid, file);
    try {
      const created = UnitOfWork.part(make);
      this.#made.set(uid, created);
      return created;
    } catch (error) {
      throw file ? this.#failed(error, file.path) : error;
    }
  }
}

/** A file that is not loaded. */
export interface LeftOutFile extends CodeFile {
  readonly isSafe: boolean;
}

export const ofKind = (files: readonly CodeFile[], kind: CodeKind): CodeFile[] =>
  files.filter((file) => file.kind === kind);

/** Files that nothing need ask for before the first request that they have a part in. */
const LATE: ReadonlySet<CodeKind> = new Set(['controllers', 'services', 'policies', 'middlewares']);

/**
 * Loads files whose mistakes would otherwise appear at a request.
 *
 * @param mistake turns an error into one that stops the start of the project.
 */
export function loadAhead(
  files: readonly CodeFile[],
  load: (path: string) => unknown,
  mistake: (error: unknown, path: string) => Error,
): void {
  for (const { path } of files.filter(({ kind }) => LATE.has(kind))) {
    try {
      UnitOfWork.attempt(() => load(path));
    } catch (error) {
      throw mistake(error, path);
    }
  }
}

/** The file or package that `resolve` of a middleware names. @throws UsageError if there is none. */
export function resolvedMiddleware(loader: ModuleLoader, dir: string, path: string): unknown {
  const file = resolvedFile(dir, path);
  if (file === undefined) throw new UsageError(`Could not load middleware "${path}".`, 1);
  if (!isInstalled(file)) return loader.loadDefault(file);
  const exported: unknown = createRequire(file)(file);
  return (exported as { readonly __esModule?: unknown })?.__esModule
    ? (exported as { readonly default?: unknown }).default
    : exported;
}

/** Whether Node loads a file by itself, as a part of a package. */
export const isInstalled = (path: string): boolean => /(?:^|[\\/])node_modules[\\/]/.test(path);

/** An error of a project's code, with its place and the purpose of the call. */
export class CodeError extends Error {
  /** `Unsupported strapi.db.queryBuilder in src/index.js:3`. */
  readonly [SUMMARY]: string;

  constructor(error: unknown, purpose: string, loader: ModuleLoader) {
    const message = messageOf(error);
    // its place and its purpose are known already
    const isKnown = error instanceof CodeError;
    const place = isKnown ? undefined : loader.placeOf(error);
    const at = place === undefined ? '' : `${place}: `;
    super(isKnown ? error.message : `${at}${String(message ?? error)} (${purpose})${hintOf(error)}`, {
      cause: isKnown ? error.cause : error,
    });
    this.name = error instanceof Error ? error.name : 'Error';
    const what = error instanceof Unsupported && !error.isValue ? ` ${error.what}` : '';
    this[SUMMARY] = isKnown ? error[SUMMARY] : `${this.name}${what}${place === undefined ? '' : ` in ${place}`}`;
    this.stack = isKnown ? (error.stack ?? '') : loader.stackOf(error);
  }
}

/** Which parameter has an invalid key, and the key that is likely meant; empty for any other error. */
function hintOf(error: unknown): string {
  if (!(error instanceof ContentError)) return '';
  const { param, key, hint } = (error.details ?? {}) as { param?: string; key?: string; hint?: string };
  const place = param === undefined || param === key ? '' : `, in ${param}`;
  return hint === undefined ? place : `${place}: ${hint}`;
}

/** The message of an error; for a count of errors, that of the first one. */
function messageOf(error: unknown): unknown {
  const { message, details } = (error ?? {}) as { message?: unknown; details?: { errors?: unknown } };
  if (!/^\d+ errors occurred$/.test(String(message)) || !Array.isArray(details?.errors)) return message;
  const messages = (details.errors as { message?: unknown }[]).slice(0, 3).map((one) => String(one?.message));
  return `${String(message)}: ${messages.join('; ')}`;
}

/** Creates the exports of controllers and services. */
export const maker =
  (tools: () => object) =>
  (exported: unknown): Record<string, unknown> =>
    (typeof exported === 'function' ? instantiated(exported, tools()) : exported) as Record<string, unknown>;

/** The product of a factory: a function of `{ strapi }`, or a class. */
function instantiated(factory: unknown, tools: object): unknown {
  const make = factory as (tools: object) => unknown;
  if (/^class\b/.test(Function.prototype.toString.call(make))) {
    return new (factory as new (tools: object) => object)(tools);
  }
  return make(tools);
}

/** The names of a controller's methods, those of its class included. */
export function methodsOf(controller: Record<string, unknown>): string[] {
  const names = new Set<string>();
  for (let one: object = controller; one && one !== Object.prototype; one = Object.getPrototypeOf(one) as object) {
    for (const name of Object.getOwnPropertyNames(one)) if (name !== 'constructor') names.add(name);
  }
  return [...names].filter((name) => typeof controller[name] === 'function');
}
