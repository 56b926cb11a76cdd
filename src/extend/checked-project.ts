/**
 * Everything that a project's schema files and code say, and what its configuration says of them, checked together: what
 * `galley check` reports.
 */
import type { Config } from '../config/config.ts';
import { compiledSources } from '../config/modules/tsconfig.ts';
import type { Catalog } from '../schema/catalog.ts';
import { checkSchemas } from '../schema/check/check.ts';
import { checkPreviews } from '../schema/check/previews.ts';
import type { Problem } from '../schema/check/problem.ts';
import type { AttributeChange } from '../schema/files.ts';
import type { OwnPlugin } from './plugins/own-plugins.ts';
import { type KnownCode, type ProjectCode, readProjectCode } from './project-code.ts';
import { projectSources } from './reading/elsewhere.ts';
import type { SourceFile } from './source-files.ts';

export interface CheckedProject {
  /** Undefined when the schema files have mistakes. */
  readonly read: { readonly catalog: Catalog; readonly code: ProjectCode } | undefined;
  /** What keeps the project from starting. */
  readonly problems: readonly Problem[];
  /** What the schema files are likely not to mean. */
  readonly warnings: readonly Problem[];
}

/** The plugins of the project itself; what reads them is loaded where there may be some. */
export async function ownPluginsOf(config: Pick<Config, 'dir' | 'code'>): Promise<readonly OwnPlugin[]> {
  return (await import('./plugins/own-plugins.ts')).ownPlugins(config);
}

/**
 * What extensions of a project change in the attributes of built-in types; nothing where no code is to be run. What reads
 * them is loaded where there are some.
 *
 * @param sources the project's files of code.
 */
export async function changesOf(
  { code }: Pick<Config, 'code'>,
  sources: readonly SourceFile[],
): Promise<readonly AttributeChange[]> {
  if (!code.run || !sources.some(({ role }) => role === 'extension')) return [];
  return (await import('./plugins/changed-attributes.ts')).attributeChanges(sources);
}

/**
 * The types that custom fields of a project are stored as, by name, as its code registers them. What reads the code is
 * loaded where there are some.
 *
 * @param sources the project's files of code.
 */
export async function customFieldsOf(sources: readonly SourceFile[]): Promise<ReadonlyMap<string, string>> {
  if (!sources.some(({ text }) => text.includes('customFields'))) return new Map();
  return (await import('./plugins/custom-fields.ts')).registeredCustomFields(sources);
}

/** What is wrong with the lists of `config/galley` for certain, where schema files have mistakes: what types are there have. */
async function mistakesInLists(
  config: Pick<Config, 'dir' | 'code' | 'migrations'>,
  partial: Catalog,
  known: KnownCode,
): Promise<readonly Problem[]> {
  const { serve, safeToSkip } = config.code;
  if (serve.length + safeToSkip.length === 0) return [];
  const { problems } = await readProjectCode(config, partial, known);
  const words = { serve, safeToSkip };
  return problems.filter(({ path }) => {
    const [list, index] = path.split('.') as ['serve' | 'safeToSkip', string];
    const word = words[list][Number(index)] ?? '';
    return list === 'safeToSkip' || partial.contentTypes.has(word.slice(0, word.lastIndexOf('.')));
  });
}

/**
 * Reads the schema files and the code of a project. None of the code is run, but for the modules of its own plugins,
 * which say what types they have.
 *
 * @throws UsageError when the folder is not that of a project.
 */
export async function checkProject(
  config: Pick<Config, 'dir' | 'rest' | 'code' | 'admin' | 'migrations'>,
): Promise<CheckedProject> {
  const mayHaveOwn = config.code.plugins.some(({ resolve }) => resolve !== undefined);
  const plugins = mayHaveOwn ? await ownPluginsOf(config) : [];
  const types = plugins.flatMap((plugin) => plugin.types);
  const sources = await projectSources({
    dir: config.dir,
    plugins: config.code.plugins,
    middlewares: config.code.middlewares,
  });
  const changes = await changesOf(config, sources);
  const customFields = await customFieldsOf(sources);
  const own = { plugins: types, changes, customFields, compiled: compiledSources(config.dir) };
  const { catalog, partial, problems, warnings } = checkSchemas(config.dir, { ...config.rest, ...own });
  if (!catalog) {
    const lists = await mistakesInLists(config, partial, { own: plugins, changes, sources });
    return { read: undefined, problems: [...problems, ...lists], warnings };
  }
  const code = await readProjectCode(config, catalog, { own: plugins, changes, sources });
  return {
    read: { catalog, code },
    problems: [...problems, ...checkPreviews(catalog, config.admin.preview.urls), ...code.problems],
    warnings,
  };
}
