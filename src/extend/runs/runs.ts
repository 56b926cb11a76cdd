/** Which code of a project runs, and which touches therefore close nothing (docs/reference/project-code.md). */

import { coreNames, FILE_ACTIONS, LIFECYCLE_WRITES } from '../../access/actions.ts';
import type { CodeConfig } from '../../config/config.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { normalName } from '../../schema/normal-name.ts';
import { STORED_FILES } from '../closed.ts';
import { isOwnCode } from '../galley/own-file.ts';
import { OF_FILES, OF_OTHERS } from '../lifecycles.ts';
import type { OwnPlugin } from '../plugins/own-plugins.ts';
import { codeFiles, uidOf } from '../running/code-files.ts';
import type { SourceFile } from '../source-files.ts';
import type { Sources } from '../sources.ts';
import { importsOf } from '../strapi/imports.ts';
import { isAroundAll, type Touch } from '../touch.ts';
import { type ClosedMethods, closedMethods, methodOf } from './closed-methods.ts';
import type { RunnableCode } from './runnable.ts';
import { unreadUses, unsupportedUses } from './unsupported.ts';

/** What is not run of a project whose code is run. */
export interface RunsOptions {
  readonly catalog: Catalog;
  readonly sources: Sources;
  readonly files: readonly SourceFile[];
  /** Actions of the project's own routes. */
  readonly own: readonly string[];
  /** What the files touch. */
  readonly touches: readonly Touch[];
  /** The project's own plugins. */
  readonly plugins: readonly OwnPlugin[];
  /** Whether the project may have a plugin in the reference. */
  readonly mayHave: (name: string) => boolean;
  /** `CodeConfig.middlewares`. */
  readonly middlewares: CodeConfig['middlewares'];
  /** `CodeConfig.refused`. */
  readonly known: ReadonlyMap<string, string> | undefined;
}

/** Code that is named at start and not run: what is only part of plugins, and of what extends built-in ones. */
const NOT_RUN = /(?:^|\/)src\/(?:plugins|extensions)\//;

/** Files that may extend a built-in plugin, and what they may do to run: what they do to actions and routes. */
const EXTENSION = /^(?:[^/]+\/)*?src\/extensions\/(users-permissions|upload)\/strapi-server\.[cm]?[jt]s$/i;
const extendedBy = (path: string): string | undefined => EXTENSION.exec(path)?.[1]?.toLowerCase();
const EXTENDING =
  /^(?:overridden |route to |a route that is not|extension that is not|change of (?:controllers|routes|services|policies|middlewares|register|bootstrap|destroy)|use of strapi|strapi handed|a function that gives|lifecycle (?!.* of a component or a built-in type$))/;

/** The middleware that routes of code may take from a built-in plugin. */
const RATE_LIMIT = 'plugin::users-permissions.rateLimit';

export class Runs {
  /** Actions that code may answer: core ones, and those of the project's own routes. */
  readonly #core: ReadonlySet<string>;
  /** Files by what they are called in routes and in `config/middlewares`. */
  readonly #named = new Map<string, string>();
  readonly #paths: ReadonlySet<string>;
  readonly #elsewhere: ReadonlySet<string>;
  /** Uids of what files are to the reference. */
  readonly #uids: ReadonlyMap<string, string>;
  /** Files that are not run, with why. */
  readonly refused: ReadonlyMap<string, string>;
  /** Methods that are not run of files that are, by path. */
  readonly methods: ReadonlyMap<string, ClosedMethods>;
  /** Files that extend a built-in plugin and are run, with its name. */
  readonly extensions: ReadonlyMap<string, string>;
  /** The project's own plugins that are run. */
  readonly plugins: readonly OwnPlugin[];
  readonly #notRun: readonly OwnPlugin[];
  /** What files that extend built-in plugins and are run import. */
  readonly #ofExtensions: ReadonlySet<string>;
  /** Files that files which are not run import, and that Strapi does not load by itself: nobody calls what they do. */
  readonly #uncalled: ReadonlySet<string>;

  constructor({ catalog, sources, files, own, touches, plugins, mayHave, middlewares, known }: RunsOptions) {
    const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed);
    this.#core = new Set([...types.flatMap((type) => coreNames(type).map((name) => `${type.uid}.${name}`)), ...own]);
    this.#paths = new Set(files.map(({ path }) => path));
    this.#elsewhere = new Set(files.flatMap(({ path, isElsewhere }) => (isElsewhere ? [path] : [])));
    const loaded = codeFiles(files);
    this.#uids = new Map(loaded.map((file) => [file.path, uidOf(file)]));
    for (const file of loaded) {
      if (file.kind === 'policies') this.#named.set(`policy ${uidOf(file)}`, file.path);
      if (file.kind === 'middlewares') this.#named.set(`middleware ${uidOf(file)}`, file.path);
      if (file.kind === 'controllers') this.#named.set(`controller ${uidOf(file)}`, file.path);
    }
    for (const { name, path } of middlewares) if (path !== undefined) this.#named.set(`middleware ${name}`, path);
    const imports = importsByFile(sources, files);
    const names = new Set(plugins.map(({ name }) => name));
    const { refused, methods } = refusedFiles({ sources, files, imports, plugins: names, mayHave, known, touches });
    this.refused = refused;
    this.methods = methods;
    // what a closed method would have called is called by nobody either
    const reached = reachedFrom([...refused.keys(), ...methods.keys()], imports);
    this.#uncalled = without(reached, new Set(loaded.map(({ path }) => path)));
    this.plugins = plugins.filter(({ entry, failure }) => failure === undefined && !this.refused.has(entry));
    this.#notRun = plugins.filter((plugin) => !this.plugins.includes(plugin));
    this.extensions = new Map(
      files
        .filter(({ path, role }) => role === 'extension' && !this.refused.has(path))
        .filter(({ path }) => touches.every(({ code, what }) => code !== path || EXTENDING.test(what)))
        .flatMap(({ path }) => {
          const plugin = extendedBy(path);
          return plugin === undefined ? [] : [[path, plugin]];
        }),
    );
    this.#ofExtensions = reachedFrom([...this.extensions.keys()], imports);
  }

  /** Whether a file belongs to a plugin, or to what extends one, that is run. */
  isPart(path: string): boolean {
    if (this.extensions.has(path) || this.#ofExtensions.has(path)) return true;
    return this.plugins.some(({ folder }) => path.startsWith(`${folder}/`));
  }

  #isOfPlugin(name: string): boolean {
    return this.plugins.some((plugin) => name.startsWith(`plugin::${plugin.name}.`));
  }

  /** Whether code answers an action as it would have been answered had it run in the reference: because it does run. */
  covers(touch: Touch, action: string): boolean {
    const { actions, code, what } = touch;
    if (isAroundAll(touch)) return this.runsAround(touch);
    if (!this.#isRun(code) || this.methods.get(code)?.has(methodOf(touch) ?? '')) return false;
    // its routes are tried before those of the server, whatever they are
    if (this.extensions.has(code) && touch.kind !== 'hook') return true;
    const [, word, name] = /^(policy|middleware) (.+)$/.exec(what) ?? [];
    if (word !== undefined) return this.#core.has(action) && this.#runsNamed(word, name!, code);
    const [, handler] = /^route to (.+)$/.exec(what) ?? [];
    if (handler !== undefined) return this.isPart(code) || this.#runsHandler(handler);
    // all that it does to strapi it does to what there is of it, and is refused what there is not
    if (touch.kind === 'strapi') return true;
    if (what.endsWith(OF_OTHERS)) return false;
    // what an extension has around these actions would ask the server's own beside them
    const isOfFiles = what.endsWith(OF_FILES);
    if (isOfFiles && [...this.extensions.values()].includes('upload')) return false;
    if (isOfFiles && FILE_ACTIONS.includes(action)) return true;
    // whatever routes they are, they are tried before those of the server; what goes beside them is closed when they are known
    if (touch.kind === 'unreadRoutes') return true;
    return this.#core.has(action) || (touch.kind === 'hook' && actions !== 'all' && LIFECYCLE_WRITES.has(action));
  }

  /** Whether what stands around every request is run: a middleware, or a file that puts one there by itself. */
  runsAround({ code }: Touch): boolean {
    return this.#paths.has(code) ? this.#isRun(code) : this.runsMiddleware(code);
  }

  /** Whether a middleware of `config/middlewares` is run: one of the project's files, and functions that stand there. */
  runsMiddleware(name: string): boolean {
    if (this.#isOfPlugin(name) || name === 'strapi::responses') return true;
    const path = this.#named.get(`middleware ${name}`);
    return path !== undefined && !this.refused.has(path);
  }

  #runsNamed(kind: string, name: string, file: string): boolean {
    if (name === 'of the route' || name === 'that are not written out' || this.#isOfPlugin(name)) return true;
    const [, builtIn] = /^plugin::([^.]+)\./.exec(name) ?? [];
    // which of them an extension has is known when it has run: a route that names others is closed then
    if (builtIn !== undefined) return name === RATE_LIMIT || [...this.extensions.values()].includes(builtIn);
    const [, api = ''] = /(?:^|\/)src\/api\/([^/]+)\//.exec(file) ?? [];
    const names = [name, `api::${normalName(api)}.${name}`, `global::${name}`];
    const path = names.map((one) => this.#named.get(`${kind} ${one}`)).find((one) => one !== undefined);
    return path !== undefined && !this.refused.has(path);
  }

  #runsHandler(handler: string): boolean {
    const at = handler.lastIndexOf('.');
    const path = this.#named.get(`controller ${handler.slice(0, at)}`);
    if (handler === 'a function') return true;
    return path !== undefined && !this.refused.has(path) && !this.methods.get(path)?.has(handler.slice(at + 1));
  }

  /**
   * What stands before rows and is not run (`RunnableCode.unhooked`), by the actions that it would be run in.
   *
   * @param safe code that is declared safe, and actions that are served without it.
   */
  unhooked(touches: readonly Touch[], { safeToSkip, serve }: Pick<CodeConfig, 'safeToSkip' | 'serve'>) {
    const found = new Map<string, string>();
    for (const { folder, types } of this.#notRun) {
      for (const { uid } of safeToSkip.some((code) => code.startsWith(`${folder}/`)) ? [] : types) {
        for (const action of ['find', 'create', 'update', 'delete']) {
          found.set(`${uid}.${action}`, `what ${folder} may have before it, which is not run`);
        }
      }
    }
    for (const touch of touches) {
      const { what, code, actions } = touch;
      if (touch.kind !== 'hook' || this.runsHook(touch) || safeToSkip.includes(code)) continue;
      const reason = `${what} of ${code}, which is not run`;
      for (const action of actions === 'all' ? ['everything'] : actions) {
        if (!serve.includes(action)) found.set(action, reason);
      }
    }
    return found;
  }

  /**
   * Why methods throw that are not run, by path and name; undefined for those that are declared safe to leave out.
   *
   * @param safe as in `unhooked`.
   */
  closedMethods({ safeToSkip, serve }: Pick<CodeConfig, 'safeToSkip' | 'serve'>): RunnableCode['methods'] {
    const isSafe = (path: string, uid: string | undefined, name: string): boolean =>
      safeToSkip.includes(path) || serve.includes(`${uid}.${name}`);
    return new Map(
      [...this.methods].map(([path, methods]) => {
        const uid = this.#uids.get(path);
        return [path, new Map([...methods].map(([name, why]) => [name, isSafe(path, uid, name) ? undefined : why]))];
      }),
    );
  }

  /** Whether it is run around whatever documents are read and written: a lifecycle, or a document middleware. */
  runsHook({ what, kind, code }: Touch): boolean {
    return (kind === 'hook' || kind === 'strapi') && this.#isRun(code) && !what.endsWith(OF_OTHERS);
  }

  #isRun(code: string): boolean {
    if (!this.#paths.has(code) || this.refused.has(code) || this.#uncalled.has(code)) return false;
    return this.#elsewhere.has(code) || !NOT_RUN.test(code) || this.isPart(code);
  }

  /** Whether code that runs may hook into documents in a way that reading it does not show. */
  mayHook(touched: ReadonlyMap<string, readonly Touch[]>): boolean {
    return [...touched.values()].some((touches) => touches.some(({ kind }) => kind === 'strapi'));
  }

  /** Whether a touch closes an action: its code is not run for it, or it is run and the action would go round it. */
  closes(touch: Touch, action: string): boolean {
    if (!this.covers(touch, action)) return true;
    const isAnswered =
      this.#core.has(action) ||
      action === STORED_FILES ||
      LIFECYCLE_WRITES.has(action) ||
      FILE_ACTIONS.includes(action) ||
      touch.actions === 'all' ||
      this.extensions.has(touch.code);
    return !isAnswered;
  }
}

/** Files by what they import of the project. */
type Imports = ReadonlyMap<string, readonly string[]>;

function importsByFile(sources: Sources, files: readonly SourceFile[]): Imports {
  const imports = new Map<string, readonly string[]>();
  for (const { path, unread } of files) {
    const module = unread === undefined ? sources.module(path) : undefined;
    if (!module) continue;
    imports.set(
      path,
      importsOf(module, sources.textOf(path)).flatMap(({ source, isFolder }) => {
        if (isFolder) return sources.inFolder(path, source);
        return sources.pathOf(path, source) ?? [];
      }),
    );
  }
  return imports;
}

interface Refusing extends Pick<RunsOptions, 'sources' | 'files' | 'known' | 'touches' | 'mayHave'> {
  readonly imports: Imports;
  /** Names of the project's own. */
  readonly plugins: ReadonlySet<string>;
}

/** Files that ask for what is not there, with why, those that import them included; and methods of others that do. */
function refusedFiles({ sources, files, imports, plugins, mayHave, known, touches }: Refusing) {
  const refused = new Map(known);
  const methods = new Map<string, ClosedMethods>();
  const imported = new Set([...imports.values()].flat());
  const extended = new Set(
    touches.filter(({ what }) => what.startsWith('change of services')).flatMap(({ code }) => extendedBy(code) ?? []),
  );
  // what that one asks for is missed when it is called
  for (const file of files.filter(({ path }) => !isOwnCode(path))) {
    const { path, unread, text } = file;
    if (unread !== undefined) refused.set(path, `${path}, ${unread},`);
    const module = unread === undefined ? sources.module(path) : undefined;
    const uses = module
      ? [...unsupportedUses(module, text, { plugins, extended, mayHave }), ...unreadUses(module, text)]
      : [];
    const [first] = uses;
    if (first === undefined) continue;
    // who imports a file has its methods as they are written
    const closed =
      imported.has(path) || refused.has(path) ? undefined : closedMethods(sources, file, { uses, touches });
    if (closed) methods.set(path, closed);
    else refused.set(path, first.what);
  }
  // the map grows while it is gone through
  for (const [path, reason] of refused) {
    for (const [importer, imported] of imports) {
      if (imported.includes(path) && !refused.has(importer) && !isOwnCode(importer)) refused.set(importer, reason);
    }
  }
  for (const path of refused.keys()) methods.delete(path);
  return { refused, methods };
}

/** Files that some files import, directly or not. */
function reachedFrom(paths: Iterable<string>, imports: Imports): Set<string> {
  const reached = new Set<string>([...paths].flatMap((path) => imports.get(path) ?? []));
  // the set grows while it is gone through
  for (const path of reached) for (const imported of imports.get(path) ?? []) reached.add(imported);
  return reached;
}

const without = (some: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> =>
  new Set([...some].filter((one) => !others.has(one)));
