/** Whether a module does anything to strapi that may intercept requests or change their answers. */
import { isHooked } from '../hooks.ts';
import { type AnyNode, isFunction, namesOf, plain, type Use, useOf, walk } from '../reading/syntax.ts';
import { textOf } from '../reading/values.ts';
import type { Sources } from '../sources.ts';
import { isChanged, isReplaced, isStored } from './changes.ts';
import { evaluates } from './evaluation.ts';
import { jobsAdded, tasksOf } from './jobs.ts';
import { LOOKING, takesCallback } from './lists.ts';
import { meaningOf } from './meaning.ts';
import { isMemberStrapi, type ModulePaths } from './module-paths.ts';
import {
  CONTEXT,
  GLOBAL,
  HOLDER,
  isLoose,
  itemOf,
  LIST,
  MAKER,
  moduleOf,
  PAIR,
  type Path,
  packageOf,
  UNKNOWN_PATH,
} from './path.ts';
import { isExportable, isKnownPlace, packageHanded, usesArguments } from './places.ts';
import { isName, type Scopes } from './scopes.ts';

export interface UseOptions {
  readonly sources: Sources;
  /** Members that the project has added to strapi. */
  readonly own: ReadonlySet<string>;
  /** Whether Strapi itself loads what the module exports. */
  readonly loaded: boolean;
}

/** What is done that is not known to be harmless. */
export interface Unclear {
  /** In words. */
  readonly what: string;
  /**
   * Whether it is strapi that something is done to, or a middleware that is put around every request; undefined for what
   * is done to packages, and code that is evaluated.
   */
  readonly kind?: 'strapi' | 'around' | undefined;
  /** Whether it may also guard stored files. */
  readonly files: boolean;
  /** Where in the text; undefined where something is done to what is not strapi. */
  readonly places?: readonly number[];
}

/**
 * The first thing in a module that is not known to be harmless, a middleware around every request only where there is
 * nothing else; undefined where there is none. It has the places of all such things that are done to strapi.
 */
export function unclearUse(paths: ModulePaths, options: UseOptions): Unclear | undefined {
  const found: { readonly unclear: Unclear; readonly at: number }[] = [];
  walk(paths.module.program, (node, around) => {
    const unclear = unclearAt(node, around, paths, options);
    if (unclear) found.push({ unclear, at: node.start });
  });
  const first = found.find(({ unclear }) => unclear.kind !== 'around') ?? found[0];
  if (!first) return undefined;
  const isOfStrapi = found.every(({ unclear }) => unclear.kind !== undefined);
  return { ...first.unclear, ...(isOfStrapi ? { places: found.map(({ at }) => at) } : {}) };
}

/** What is done at a node that is not known to be harmless. */
function unclearAt(
  node: AnyNode,
  around: readonly AnyNode[],
  paths: ModulePaths,
  options: UseOptions,
): Unclear | undefined {
  const evaluated = evaluates(node, around, paths.scopes);
  const changed = evaluated === undefined ? exportedPart(node, paths, options) : { what: evaluated };
  if (changed !== undefined) return { ...changed, files: true };
  if (!isReference(node, around, paths)) return undefined;
  const held = paths.of(node);
  if (held.length === 0) return undefined;
  const use = useOf(node, around);
  return isHooked(use.end) ? undefined : judgeAll(held, node, use, { paths, options });
}

interface Reader {
  readonly paths: ModulePaths;
  readonly options: UseOptions;
}

function judgeAll(held: readonly Path[], node: AnyNode, use: Use, reader: Reader): Unclear | undefined {
  for (const one of held) {
    for (const path of wayOf(one, node, use, reader)) {
      const judged = judge(path, use, reader);
      if (judged !== undefined) return { ...judged, files: !isOfContent(path) };
    }
  }
  return undefined;
}

/** The whole ways to the end of a chain; none where it calls a function that is followed. */
function wayOf(path: Path, node: AnyNode, { steps }: Use, { paths, options: { own } }: Reader): readonly Path[] {
  let ways: readonly Path[] = [path];
  let end = node;
  for (const step of steps) {
    const on = end;
    end = outerOf(end, paths.scopes);
    ways = ways.flatMap((way) => {
      const method = way.at(-1);
      const isFollowed = way.length === 1 && (way[0] === MAKER || moduleOf(way) !== undefined);
      if (isFollowed && typeof step === 'object') return paths.functionOf(on) ? [] : [[...way, step]];
      const isOfList = way.at(-2) === LIST && typeof method === 'string' && typeof step === 'object';
      const isPart = isOfList && !isLoose(meaningOf(way.slice(0, -1), () => undefined, own));
      if (isPart && !callbacksAreKnown(method, step.call, paths)) return [UNKNOWN_PATH];
      const isMarked =
        isOfList || isFollowed || way.at(-1) === LIST || way.at(-1) === PAIR || way[0] === GLOBAL || way[0] === CONTEXT;
      return isMarked ? paths.extended(way, step) : [[...way, step]];
    });
  }
  return ways;
}

/** The member or the call that contains a part of a chain. */
function outerOf(node: AnyNode, scopes: Scopes): AnyNode {
  const outer = scopes.parentOf(node);
  if (!outer) return node;
  return outer.type === 'MemberExpression' || outer.type === 'CallExpression' ? outer : outerOf(outer, scopes);
}

/** Whether what a method of a list is handed is called where that is followed, or never. */
function callbacksAreKnown(method: string, args: readonly AnyNode[], paths: ModulePaths): boolean {
  if (!takesCallback(method)) return true;
  const [callback] = args;
  if (!callback) return true;
  const node = plain(callback);
  if (node.type === 'Identifier' && LOOKING.has(node.name) && !paths.scopes.find(node.name, node)) return true;
  const called = paths.functionOf(node);
  return called !== undefined && !usesArguments(called.fn);
}

/** A part of strapi that a declaration exports: code that imports it is not followed. */
function exportedPart(node: AnyNode, paths: ModulePaths, { own, loaded }: UseOptions): Words | undefined {
  const isExported = (path: Path): boolean => !isLoose(meaningOf(path, () => undefined, own));
  if (node.type === 'ExportDefaultDeclaration' && node.declaration.type === 'FunctionDeclaration') {
    return loaded && paths.of(node.declaration).length > 0 ? wordsOf([MAKER]) : undefined;
  }
  if (node.type !== 'ExportNamedDeclaration' || node.declaration?.type !== 'VariableDeclaration') return undefined;
  for (const name of node.declaration.declarations.flatMap(({ id }) => namesOf(id))) {
    const held = paths.exported(name).find((path) => isExported(path) && !isExportable(path));
    if (held) return wordsOf(held);
  }
  return undefined;
}

/** Whether a way leads to what stands before content alone. */
const isOfContent = ([first, second]: Path): boolean =>
  first === 'documents' || (first === 'db' && second === 'lifecycles');

/**
 * Whether a node begins a chain: a name that is used, a member called `strapi`, a call or a function of the project.
 */
function isReference(node: AnyNode, around: readonly AnyNode[], paths: ModulePaths): boolean {
  if (node.type === 'MemberExpression') return isMemberStrapi(node, paths.scopes);
  if (node.type === 'ImportExpression') return true;
  if (isFunction(node)) return node.type !== 'FunctionDeclaration';
  if (node.type === 'CallExpression') {
    return paths.functionOf(node.callee) !== undefined || paths.of(node.callee).every((path) => packageOf(path));
  }
  const [parent, outer] = around;
  return node.type === 'Identifier' && parent !== undefined && !isName(node, parent, outer);
}

function judge(path: Path, use: Use, reader: Reader): Words | undefined {
  const { paths, options } = reader;
  const text = (node: AnyNode | undefined) => node && textOf(options.sources.values.read(node, paths.module));
  const meaning = meaningOf(path, text, options.own);
  if (meaning === 'free') {
    return isReplaced(path, use, paths, options.own) || addsUnknownJobs(use, reader) ? wordsOf(path) : undefined;
  }
  const words = (): Words => handedWords(path, use, reader) ?? wordsOf(path);
  if (meaning === 'unclear') return words();
  if (isChanged(use, paths)) return isStored(path, use, paths) ? undefined : wordsOf(path);
  const goesOn = (way: Path, node: AnyNode): boolean =>
    judgeAll([way], node, useOf(node, paths.scopes.around(node)), reader) === undefined;
  const surroundings = { paths, loaded: options.loaded, goesOn };
  return isLoose(meaning) || isKnownPlace(meaning, path, use, surroundings) ? undefined : words();
}

/** That a package is handed strapi, and in which line. */
function handedWords(path: Path, { end }: Use, { paths, options }: Reader): Words | undefined {
  const found = path.length === 0 || path[0] === HOLDER ? packageHanded(end, paths) : undefined;
  if (!found) return undefined;
  const line = options.sources.textOf(paths.module.path).slice(0, found.at).split('\n').length;
  return { what: `strapi handed to the package ${found.name} in line ${line}`, kind: 'strapi' };
}

/** Whether a chain ends with a call that adds jobs which are not written out. */
function addsUnknownJobs({ end }: Use, { paths }: Reader): boolean {
  const node = plain(end);
  if (node.type !== 'CallExpression' || !jobsAdded(node.callee, (one) => paths.of(one))) return false;
  const [jobs] = node.arguments;
  return jobs !== undefined && tasksOf(paths.functions.jobsValue(jobs)) === undefined;
}

type Words = Pick<Unclear, 'what' | 'kind'>;

/** Whether a way is that of `strapi.server.use(middleware)`, and to nothing that it gives. */
const isMiddleware = ([first, second, call, ...rest]: Path): boolean =>
  first === 'server' && second === 'use' && typeof call === 'object' && rest.length === 0;

/** `use of strapi.server.use()`, or that it is handed on as a whole. */
function wordsOf(path: Path): Words {
  const kind = 'strapi';
  if (path.length === 0 || path[0] === HOLDER) return { what: 'strapi handed to code that is not known', kind };
  if (path[0] === MAKER || moduleOf(path) !== undefined)
    return { what: 'a function that gives a part of strapi', kind };
  const changed = packageOf(path);
  if (changed !== undefined) return { what: `change of ${changed}` };
  if (isMiddleware(path)) return { what: 'use of strapi.server.use()', kind: 'around' };
  const words = itemOf(path).map((step) => (typeof step === 'string' ? step : step === undefined ? '[…]' : '()'));
  return { what: `use of strapi.${words.join('.')}`.replaceAll('.()', '()').replaceAll('.[', '['), kind };
}
