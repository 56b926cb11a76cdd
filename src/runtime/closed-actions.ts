/** Which actions are closed because code of the project that may guard them is not run (docs/reference/project-code.md). */
import {
  actionsOnRows,
  batchAction,
  coreNames,
  GUARDS_OF_VERSIONS,
  grantableActions,
  ownRoutesOf,
} from '../access/actions.ts';
import type { CodeConfig } from '../config/config.ts';
import { nearest } from '../nearest.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { Problem } from '../schema/check/problem.ts';
import { nearestAction } from '../users/roles/action-names.ts';
import { type CodeFile, typeOfFolder, uidOf } from './code-files.ts';
import type { PluginCode } from './plugins/find-plugins.ts';

/** Stored files below `/uploads` and those of `public`, which a global middleware may guard: they need no grant. */
export const STORED_FILES = 'uploads';

/** The code of a project that Galley would run, by the kind that the reference loads each part as. */
export interface CodeParts {
  readonly dir: string;
  /** Files that do more than ask for the defaults. */
  readonly files: readonly CodeFile[];
  readonly plugins: readonly PluginCode[];
  /** Files that start Strapi, such as `server.js`: Galley does not run them. */
  readonly servers: readonly string[];
}

/** Code that is not run. */
export interface SkippedCode {
  /** Its file, or the name of a plugin or of a global middleware. */
  readonly code: string;
  /** The actions that it may guard; routes that name a policy or middleware are added when they are listed. */
  readonly actions: readonly string[] | 'all';
  /** Whether it may guard stored files. */
  readonly guardsFiles: boolean;
  /** Whether it may hook into reads and writes of documents by any caller. */
  readonly hooks: boolean;
}

/** Whether `config/galley` says that a piece of code is not run. */
export function isSkipped(
  { run, without, safeToSkip }: CodeConfig,
  ...names: readonly (string | undefined)[]
): boolean {
  return !run || names.some((name) => name !== undefined && (without.includes(name) || safeToSkip.includes(name)));
}

/**
 * The code of a project that is not run and that may guard something.
 *
 * With `run: false`, an API with any code of its own is closed, and anything global closes everything.
 */
export function skippedCode(catalog: Catalog, config: CodeConfig, parts: CodeParts): SkippedCode[] {
  const skipped: SkippedCode[] = [];
  const add = (names: readonly (string | undefined)[], rest: Omit<SkippedCode, 'code'>): void => {
    const isSafe = names.some((name) => name !== undefined && config.safeToSkip.includes(name));
    if (isSkipped(config, ...names) && !isSafe)
      skipped.push({ code: names.find((name) => name !== undefined)!, ...rest });
  };
  const everything = { actions: 'all', guardsFiles: true, hooks: true } as const;
  for (const file of parts.files) add([file.path], guardedBy(catalog, config, parts.dir, file));
  for (const { names } of parts.plugins) add(names, everything);
  const middlewares = parts.files.filter(({ kind }) => kind === 'middlewares');
  for (const { name, path } of config.middlewares) {
    const file = middlewares.find((one) => uidOf(one) === name);
    add([name, path, file?.path], { ...everything, hooks: false });
  }
  for (const path of parts.servers) add([path], { ...everything, hooks: false });
  return skipped;
}

function guardedBy(catalog: Catalog, { run }: CodeConfig, dir: string, file: CodeFile): Omit<SkippedCode, 'code'> {
  const ofApi = run || file.api === '' ? [] : typesOfApi(catalog, file.api).flatMap(actionsOfType);
  switch (file.kind) {
    case 'index':
    case 'apiIndex':
    case 'extension':
      return { actions: 'all', guardsFiles: true, hooks: true };
    // its routes may answer any path in the place of others
    case 'routes':
      return { actions: run ? 'all' : ofApi, guardsFiles: false, hooks: false };
    case 'lifecycles': {
      const uid = typeOfFolder(catalog, { dir, ...file });
      const events = (['read', 'create', 'update', 'delete'] as const).map((event) =>
        actionsOnRows(catalog, uid, event),
      );
      const actions = events.includes('all') ? 'all' : [...new Set([...ofApi, ...events.flat()])];
      return { actions, guardsFiles: false, hooks: true };
    }
    case 'controllers':
    case 'services': {
      const type = catalog.contentTypes.get(uidOf(file));
      return { actions: [...ofApi, ...(type ? actionsOfType(type) : [])], guardsFiles: false, hooks: false };
    }
    default:
      return { actions: ofApi, guardsFiles: false, hooks: false };
  }
}

const typesOfApi = ({ contentTypes }: Catalog, api: string): ContentType[] =>
  [...contentTypes.values()].filter(({ uid }) => uid.startsWith(`api::${api}.`));

const actionsOfType = (type: ContentType): string[] => [
  ...coreNames(type).map((name) => `${type.uid}.${name}`),
  ...ownRoutesOf(type).map(({ action }) => action),
];

/** Galley's own actions with the core actions whose guards hold for them as well. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  publish: ['update'],
  unpublish: ['update', 'delete'],
  discardDraft: ['update'],
  createLocalization: ['update'],
  ...GUARDS_OF_VERSIONS,
};

/** The core actions that one of Galley's own would bypass: it is closed where one of these is. */
function besideOf(action: string): readonly string[] {
  const at = action.lastIndexOf('.') + 1;
  const name = action.slice(at);
  return Object.hasOwn(BESIDE, name) ? BESIDE[name]!.map((other) => action.slice(0, at) + other) : [];
}

/** Closed actions, each with the code that closes it. */
export type ClosedActions = ReadonlyMap<string, readonly string[]>;

/**
 * Closes the actions that guarded ones and Galley's own beside them are.
 *
 * @param guards code, with the actions that it may guard. @param own actions of the project's own routes.
 */
export function closeActions(
  catalog: Catalog,
  guards: readonly {
    readonly code: string;
    readonly actions: readonly string[] | 'all';
    readonly guardsFiles?: boolean;
  }[],
  { serve }: Pick<CodeConfig, 'serve'>,
  own: readonly string[] = [],
): ClosedActions {
  const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed);
  const all = [...grantableActions(catalog, own), ...types.filter(isBatched).map(batchAction)];
  const closed = new Map<string, Set<string>>();
  const close = (action: string, codes: Iterable<string>): void => {
    if (!serve.includes(action)) closed.set(action, new Set([...(closed.get(action) ?? []), ...codes]));
  };
  for (const { code, actions, guardsFiles } of guards) {
    for (const action of actions === 'all' ? all : actions) close(action, [code]);
    if (guardsFiles) close(STORED_FILES, [code]);
  }
  for (const type of types) {
    for (const name of Object.keys(BESIDE)) {
      const action = `${type.uid}.${name}`;
      const codes = besideOf(action).flatMap((other) => [...(closed.get(other) ?? [])]);
      if (codes.length > 0) close(action, codes);
    }
    const codes = coreNames(type).flatMap((name) => [...(closed.get(`${type.uid}.${name}`) ?? [])]);
    if (codes.length > 0 && isBatched(type)) close(batchAction(type), codes);
  }
  return new Map([...closed].map(([action, codes]) => [action, [...codes]]));
}

/** Whether a type has batches. */
const isBatched = ({ routed, kind }: ContentType): boolean => routed && kind === 'collectionType';

/** One line for the log about each closed action. @param reasons why each is closed: `it would bypass …`. */
export function closedReasons(reasons: Iterable<readonly [action: string, reason: string]>): Map<string, string> {
  return new Map([...reasons].map(([action, reason]) => [action, `${action} is closed: ${reason}`]));
}

/** One line for the log about an action that code closes which is not run. @param codes the code that closes it. */
export function closedReason(action: string, codes: readonly string[]): string {
  const [first, ...others] = codes;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `${action} is closed because code that may guard it is not run: ${first}${more}; config/galley can open it`;
}

/**
 * Mistakes in the lists of `config/galley`: actions and code that the project does not have.
 *
 * @param own actions of the project's own routes.
 */
export function mistakesInLists(
  catalog: Catalog,
  config: CodeConfig,
  { files, plugins, servers }: CodeParts,
  own: readonly string[],
): Problem[] {
  const types = [...catalog.contentTypes.values()].filter(isBatched);
  const actions = new Set([...grantableActions(catalog, own), ...types.map(batchAction), STORED_FILES]);
  const codes = new Set([
    ...files.map(({ path }) => path),
    ...plugins.flatMap(({ names }) => names),
    ...config.middlewares.flatMap(({ name, path }) => (path === undefined ? [name] : [name, path])),
    ...servers,
  ]);
  const checked = (
    key: 'serve' | 'without' | 'safeToSkip',
    known: ReadonlySet<string>,
    message: string,
    nearestOf: (word: string) => string | undefined,
  ): Problem[] =>
    config[key].flatMap((word, index) => {
      if (known.has(word)) return [];
      const hint = nearestOf(word);
      const problem = { file: config.file, path: `${key}.${index}`, message: `${message} ${word}` };
      return [{ ...problem, ...(hint === undefined ? {} : { nearest: hint }) }];
    });
  const nearestCode = (word: string) => nearest(word, codes);
  return [
    ...checked('serve', actions, 'the project has no action', (word) => nearestAction(word, actions, catalog)),
    ...checked('without', codes, 'the project loads no code from', nearestCode),
    ...checked('safeToSkip', codes, 'the project loads no code from', nearestCode),
  ];
}
