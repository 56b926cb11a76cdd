/** What a project's files do to strapi that may intercept any request, wherever in them it is. */

import type { Module } from '../reading/module.ts';
import type { AnyNode } from '../reading/syntax.ts';
import { memberOf, type Value } from '../reading/values.ts';
import type { SourceFile } from '../source-files.ts';
import type { Sources } from '../sources.ts';
import { allActions, type Touch } from '../touch.ts';
import type { ModulePaths } from './module-paths.ts';
import { HOLDER } from './path.ts';
import { Paths } from './paths.ts';
import { usesArguments } from './places.ts';
import { unclearUse } from './uses.ts';

/** Which parameter of the function that a file exports is given `{ strapi }`. */
const FACTORIES: readonly { readonly pattern: RegExp; readonly index: number }[] = [
  { pattern: /(?:^|\/)src\/(?:api\/[^/]+\/)?middlewares\/[^/]+$/, index: 1 },
  { pattern: /(?:^|\/)src\/(?:api\/[^/]+\/)?policies\/[^/]+$/, index: 2 },
  { pattern: /(?:^|\/)src\/plugins\/[^/]+\/(?:server\/)?(?:src\/)?(?:controllers|services)\/[^/]+$/, index: 0 },
  { pattern: /(?:^|\/)src\/api\/[^/]+\/(?:routes|controllers|services)\/[^/]+$/, index: 0 },
];
const START_FUNCTIONS = ['register', 'bootstrap', 'destroy'];

/** Files whose exports Strapi loads and keeps. */
const LOADED =
  /(?:^|\/)src\/(?:(?:api\/[^/]+\/)?(?:content-types|controllers|middlewares|policies|routes|services)|extensions)\/|(?:^|\/)src\/index\.[^/]+$/;

/** What the files touch. */
export function strapiTouches(sources: Sources, files: readonly SourceFile[]): readonly Touch[] {
  const modules = new Map<Module, SourceFile>();
  for (const file of files) {
    const module = sources.module(file.path);
    if (module) modules.set(module, file);
  }
  const touches: Touch[] = [];
  const bind = (paths: Paths): void => {
    for (const [module, file] of modules) {
      const found = bindFactory(sources, paths.in(module), file);
      if (found !== undefined) touches.push(allActions(file.path, found, { files: true, kind: 'strapi' }));
    }
  };
  return [...unclearTouches(sources, modules.keys(), bind), ...touches];
}

/** What modules do to strapi that is not known to be harmless. `bind` tells the parameters that are given it. */
export function unclearTouches(
  sources: Sources,
  modules: Iterable<Module>,
  bind: (paths: Paths) => void,
): readonly Touch[] {
  const paths = new Paths(sources, modules, bind);
  const { own } = paths;
  return [...paths.reached()].flatMap((inner) => {
    const { path } = inner.module;
    const loaded = LOADED.test(path) && sources.file(path)?.isElsewhere !== true;
    const found = unclearUse(inner, { sources, own, loaded });
    return found === undefined ? [] : [allActions(path, found.what, found)];
  });
}

/** Tells the parameters of what a file exports that Strapi hands them strapi. In words, where they may be more. */
function bindFactory(sources: Sources, paths: ModulePaths, file: SourceFile): string | undefined {
  const exported = sources.values.exported(paths.module);
  const functions: { made: Value; index: number }[] =
    file.role === 'index'
      ? [...START_FUNCTIONS.map((name) => ({ made: memberOf(exported, name), index: 0 })), { made: exported, index: 0 }]
      : FACTORIES.filter(({ pattern }) => !file.isElsewhere && pattern.test(file.path)).map(({ index }) => ({
          made: exported.kind === 'core' ? exported.options : exported,
          index,
        }));
  for (const { made, index } of functions) {
    if (made.kind !== 'function') continue;
    if (usesArguments(made.node) && made.node.type !== 'ArrowFunctionExpression') {
      return 'strapi handed to a function that looks at all its arguments';
    }
    const parameters = made.node.params as AnyNode[];
    const parameter = parameters[index] ?? parameters.find(({ type }) => type === 'RestElement');
    // a parameter of another module is reported when that module is read
    if (parameter && made.module === paths.module) paths.bind(parameter, [HOLDER]);
  }
  return undefined;
}
