/** What a project's code consists of, by uid: loaded when it is first asked for. */
import { createRequire } from 'node:module';
import type { ModuleLoader } from '../../config/modules/loader.ts';
import { resolvedFile } from '../../config/modules/resolver.ts';
import { ContentError, MissingPart, UsageError } from '../../errors.ts';
import { type CodeFile, type CodeKind, uidOf } from './code-files.ts';
import { Unsupported, unsupported } from './guarded.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** Loads the files of one kind. */
export class Registry<T> {
  readonly #files: ReadonlyMap<string, CodeFile>;
  readonly #make: (exported: unknown, uid: string, file: CodeFile | undefined) => T;
  readonly #load: (path: string) => unknown;
  readonly #made = new Map<string, T>();
  /** What no file has, until it is asked for. */
  readonly #given = new Map<string, unknown>();

  constructor(
    files: readonly CodeFile[],
    load: (path: string) => unknown,
    make: (exported: unknown, uid: string, file: CodeFile | undefined) => T,
  ) {
    this.#files = new Map(files.map((file) => [uidOf(file), file]));
    this.#load = load;
    this.#make = make;
  }

  get uids(): string[] {
    return [...new Set([...this.#files.keys(), ...this.#given.keys()])];
  }

  /** Adds what no file has. */
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

  /** What has a uid; undefined where nothing has. */
  get(uid: string): T | undefined {
    const known = this.#made.get(uid);
    if (known !== undefined) return known;
    const file = this.#given.has(uid) ? undefined : this.#files.get(uid);
    if (!file && !this.#given.has(uid)) return undefined;
    const make = () => this.#make(file ? this.#load(file.path) : this.#given.get(uid), uid, file);
    const made = UnitOfWork.part(make);
    this.#made.set(uid, made);
    return made;
  }
}

export const ofKind = (files: readonly CodeFile[], kind: CodeKind): CodeFile[] =>
  files.filter((file) => file.kind === kind);

/**
 * Whether a file is loaded. Of those that are not, what is asked for by name says so; the core controllers and services
 * of types take the place of theirs.
 *
 * @param refused files that are not run, by path. @param types by uid.
 */
export function isLoaded(file: CodeFile, refused: ReadonlyMap<string, unknown>, types: ReadonlyMap<string, unknown>) {
  if (!refused.has(file.path)) return true;
  if (file.kind === 'policies' || file.kind === 'middlewares') return true;
  const isCode = file.kind === 'controllers' || file.kind === 'services';
  return isCode && !types.has(uidOf(file));
}

/** Files that nothing need ask for before the first request that they have a part in. */
const LATE: ReadonlySet<CodeKind> = new Set(['controllers', 'services', 'policies', 'middlewares']);

/**
 * Loads files whose mistakes would show with a request only. One that asks for what is not there says so when it is asked
 * for itself.
 *
 * @param mistake makes of an error what keeps the project from starting.
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
      if (!(error instanceof Unsupported)) throw mistake(error, path);
    }
  }
}

/** The controller's file that a handler of an API's route means. */
export function controllerOf(files: readonly CodeFile[], handler: string, api: string): CodeFile | undefined {
  const name = handler.slice(0, handler.lastIndexOf('.'));
  const controllers = ofKind(files, 'controllers');
  return controllers.find((one) => uidOf(one) === `api::${api}.${name}` || uidOf(one) === name);
}

/** What `resolve` of a middleware means: a file, or a package. @throws UsageError where there is none. */
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

/** An error of a project's code, with the place it was thrown at and what it was called for. */
export class CodeError extends Error {
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
    this.stack = isKnown ? (error.stack ?? '') : loader.stackOf(error);
  }

  /** What a file that begins has asked for and is not there; undefined for any other error. */
  static missing(error: unknown, path: string, loader: ModuleLoader): MissingPart | undefined {
    if (!(error instanceof Unsupported)) return undefined;
    return new MissingPart(path, `${error.what} (${loader.placeOf(error) ?? path})`);
  }
}

/** Which parameter has an invalid key, and the key that is likely meant; empty for any other error. */
function hintOf(error: unknown): string {
  if (!(error instanceof ContentError)) return '';
  const { param, key, hint } = (error.details ?? {}) as { param?: string; key?: string; hint?: string };
  const place = param === undefined || param === key ? '' : `, in ${param}`;
  return hint === undefined ? place : `${place}: ${hint}`;
}

/** What an error says; where it only says how many there are, the first of them. */
function messageOf(error: unknown): unknown {
  const { message, details } = (error ?? {}) as { message?: unknown; details?: { errors?: unknown } };
  if (!/^\d+ errors occurred$/.test(String(message)) || !Array.isArray(details?.errors)) return message;
  const told = (details.errors as { message?: unknown }[]).slice(0, 3).map((one) => String(one?.message));
  return `${String(message)}: ${told.join('; ')}`;
}

/** Why methods are closed that throw instead. */
const closedFor = new WeakMap<object, string>();

/** Why a method throws instead of doing anything; undefined for one that does not. */
export const reasonOf = (method: object): string | undefined => closedFor.get(method);

/**
 * Puts what throws in the place of methods that are not run.
 *
 * @param methods why they are not, by name; undefined for those in whose place those of the core may stand.
 */
function closeMethods<T>(made: T, methods: ReadonlyMap<string, string | undefined> = new Map()): T {
  const members = made as Record<string, unknown>;
  for (const [name, reason] of methods) {
    delete members[name];
    if (reason === undefined && name in members) continue;
    const what = reason ?? name;
    // at once, whatever the method would have returned: a promise may pass for consent
    const closed = (): never => unsupported(what);
    closedFor.set(closed, what);
    members[name] = closed;
  }
  return made;
}

/** Makes what files of controllers and services export. @param methods what is not run of each, as `closeMethods` takes it. */
export function maker(tools: () => object, methods: ReadonlyMap<string, ReadonlyMap<string, string | undefined>>) {
  return (exported: unknown, _uid: string, file: CodeFile | undefined): Record<string, unknown> => {
    const made = typeof exported === 'function' ? instantiated(exported, tools()) : exported;
    return closeMethods(made as Record<string, unknown>, methods.get(file?.path ?? ''));
  };
}

/** What a factory makes: a function of `{ strapi }`, or a class. */
export function instantiated(factory: unknown, tools: object): unknown {
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
