/** Reads controllers and services of `src/api` for what they put in the place of the core ones. */

import { coreNames } from '../access/actions.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { type CoreFactory, memberOf, textOf, type Value } from './reading/values.ts';
import { valueMayRefuse } from './refuses.ts';
import type { SourceFile } from './source-files.ts';
import type { Sources } from './sources.ts';
import type { Touch } from './touch.ts';

/** Parts of a core controller or service that several of its actions go through: every one, to be sure. */
const SHARED: Readonly<Record<string, ReadonlySet<string>>> = {
  createCoreController: new Set([
    'transformResponse',
    'sanitizeOutput',
    'sanitizeInput',
    'sanitizeQuery',
    'validateQuery',
    'validateInput',
  ]),
  createCoreService: new Set(['getFetchParams', 'getDocumentId']),
};

const FACTORIES: Readonly<Record<string, CoreFactory>> = {
  controller: 'createCoreController',
  service: 'createCoreService',
};

/** What a controller or service file changes about the actions of its type; nothing for one with actions of its own. */
export function overriding(catalog: Catalog, sources: Sources, file: SourceFile): Touch[] {
  if (file.generated) return [];
  const module = sources.module(file.path);
  if (module?.exported.kind === 'nothing') return [];
  const factory = FACTORIES[file.role]!;
  const exported: Value = module ? sources.values.exported(module) : { kind: 'unknown' };
  const made = exported.kind === 'core' && exported.factory === factory ? exported : undefined;
  const uid = made && textOf(made.uid);
  const type =
    [...catalog.contentTypes.values()].find((candidate) => isOf(file, candidate)) ??
    (uid === undefined ? undefined : catalog.contentTypes.get(uid));
  if (!type?.routed) return [];
  const touch = (names: readonly string[], what: string, refuses: boolean): Touch => ({
    actions: names.map((name) => `${type.uid}.${name}`),
    code: file.path,
    what,
    refuses,
  });
  const everything = touch(coreNames(type), `${file.role} that is not written out`, true);
  if (!made || uid !== type.uid) return [everything];
  const options = made.options.kind === 'function' ? sources.values.result(made.options) : made.options;
  if (options.kind === 'literal' && options.value === undefined) return [];
  if (options.kind !== 'object') return [everything];
  const touches: Touch[] = options.open ? [everything] : [];
  for (const name of options.entries.keys()) {
    const names = SHARED[factory]!.has(name) ? coreNames(type) : actionsThrough(type, file, name);
    if (names.length === 0) continue;
    const value = memberOf(options, name);
    touches.push(
      touch(names, `overridden ${file.role === 'service' ? 'service ' : ''}${name}`, valueMayRefuse(value, sources)),
    );
  }
  return touches;
}

/** The names of a controller's methods, as far as they are written out. */
export function methodsOf(sources: Sources, file: SourceFile): readonly string[] {
  const module = sources.module(file.path);
  if (!module) return [];
  const exported = sources.values.exported(module);
  const written = exported.kind === 'core' ? exported.options : exported;
  const made = written.kind === 'function' ? sources.values.result(written) : written;
  const shared = SHARED['createCoreController']!;
  return made.kind === 'object' ? [...made.entries.keys()].filter((name) => !shared.has(name)) : [];
}

function actionsThrough(type: ContentType, { role }: SourceFile, name: string): readonly string[] {
  if (role === 'service' && name === 'createOrUpdate') return type.kind === 'singleType' ? ['update'] : [];
  return coreNames(type).includes(name) ? [name] : [];
}

/** Whether a file is the one of a type. */
const isOf = ({ owner, name }: SourceFile, { routed, uid }: ContentType): boolean =>
  routed && uid === `api::${owner}.${name}`;
