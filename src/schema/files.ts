/** Finds and reads the schema files of a project folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { isObject } from '../plain-values.ts';
import { requireProject } from '../project-folder.ts';
import { BUILT_IN, EXTENSIONS, type RawSchema, type SchemaRecord } from './built-in.ts';
import type { Findings } from './check/problem.ts';
import { byNormalName, normalName } from './normal-name.ts';

export type SchemaSource = {
  /** Path inside the project, with forward slashes. */
  readonly file: string;
  readonly raw: RawSchema;
} & (
  | { readonly role: 'contentType'; readonly api: string; readonly folder: string }
  | { readonly role: 'component'; readonly category: string; readonly name: string }
  /** A type of the project's own plugin, whose schema is code. */
  | { readonly role: 'plugin'; readonly uid: string }
  /** A built-in type with its extension in the project, if there is one. */
  | { readonly role: 'builtIn'; readonly uid: string; readonly extended: boolean }
);

/** A content type of the project's own plugin. */
export interface PluginType {
  readonly uid: string;
  /** Its file. */
  readonly file: string;
  readonly raw: RawSchema;
}

/** Changes of a model's schema by the project's code. */
export interface SchemaChange {
  readonly uid: string;
  /** By name, in the form of schema files; undefined for a removed attribute. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly options?: object;
  readonly pluginOptions?: object;
}

/** The schemas of a project. */
export interface SchemaFiles {
  readonly sources: SchemaSource[];
  /**
   * Uids of unreadable schemas. The uid of a content type ends with a name in its file, so all of its API may be meant:
   * `api::shop.*`.
   */
  readonly unread: ReadonlySet<string>;
}

/** Schemas of the project's code. */
export interface OwnSchemas {
  /** Content types of its own plugins. */
  readonly plugins?: readonly PluginType[] | undefined;
  /** Changes of schemas. */
  readonly changes?: readonly SchemaChange[] | undefined;
  /** Underlying types of its custom fields, by name. */
  readonly customFields?: ReadonlyMap<string, string> | undefined;
  /** The folder of the compiled `src`, whose schemas are used if `src` has no folder of schemas. */
  readonly compiled?: string | undefined;
  /** Schemas of an earlier version, in place of the project's own and of changes by its code. */
  readonly record?: SchemaRecord | undefined;
  /** Texts that take the place of files, by path inside the project; null: as if there were no such file. */
  readonly texts?: ReadonlyMap<string, string | null> | undefined;
}

/** The files of a project, with texts in place of some. */
class Files {
  readonly #dir: string;
  readonly #texts: ReadonlyMap<string, string | null>;

  constructor(dir: string, texts: ReadonlyMap<string, string | null> = new Map()) {
    this.#dir = dir;
    this.#texts = texts;
  }

  exists(path: string): boolean {
    const text = this.#texts.get(path);
    if (text !== undefined) return text !== null;
    return existsSync(join(this.#dir, path)) || this.#added(path).length > 0;
  }

  /** @throws NodeJS.ErrnoException for a file that cannot be read. */
  read(path: string): string {
    return this.#texts.get(path) ?? readFileSync(join(this.#dir, path), 'utf8');
  }

  /** Sorted by name, so that the Catalog is the same on every machine. */
  entries(path: string): Entry[] {
    const folder = join(this.#dir, path);
    const stored = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    const found = new Map(
      stored
        .filter((entry) => this.#texts.get(`${path}/${entry.name}`) !== null)
        .map((entry): [string, Entry] => [
          entry.name,
          { name: entry.name, isFile: entry.isFile(), isFolder: entry.isDirectory() },
        ]),
    );
    for (const rest of this.#added(path)) {
      const [name, ...below] = rest.split('/');
      found.set(name!, { name: name!, isFile: below.length === 0, isFolder: below.length > 0 });
    }
    return [...found.values()].filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  folders(path: string): string[] {
    return this.entries(path)
      .filter(({ isFolder }) => isFolder)
      .map(({ name }) => name);
  }

  /** Paths of texts below a folder, relative to it. */
  #added(path: string): string[] {
    const below = `${path}/`;
    return [...this.#texts].flatMap(([file, text]) =>
      text !== null && file.startsWith(below) ? [file.slice(below.length)] : [],
    );
  }
}

interface Entry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
}

/** The folders of `src` with schemas. */
const HOMES = ['api', 'components', 'extensions'];

/** The folder with the schemas of a project: `src`, or its compiled version. */
function homeOf(dir: string, compiled: string | undefined): string {
  const has = (folder: string) => HOMES.some((home) => existsSync(join(dir, folder, home)));
  return compiled !== undefined && !has('src') && has(compiled) ? compiled : 'src';
}

/**
 * Reads all schema files of a project: `src/api/<api>/content-types/<type>/schema.json`,
 * `src/components/<category>/<name>.json`, extensions of built-in types, and the built-in types. Files that are not
 * JSON objects, and schemas that are code, are reported and left out. Sources are in the order of paths, built-in types
 * first. Names below `src/api` are normalised; of several with the same name the last is used, as in the reference, and
 * the others are reported.
 *
 * @param own schemas of the project's code.
 * @throws UsageError if the folder does not exist or is not a project.
 */
export function readSchemaFiles(
  dir: string,
  findings: Findings,
  { plugins = [], customFields = new Map(), compiled, texts }: OwnSchemas = {},
): SchemaFiles {
  if (!existsSync(dir)) throw new UsageError(`there is no folder ${dir}`);
  requireProject(dir, compiled);
  const home = homeOf(dir, compiled);
  const files = new Files(dir, texts);
  const found: SchemaSource[] = [];
  const unread = new Set<string>();
  const read = (file: string): RawSchema | undefined => readJson(files, file, findings);

  for (const [uid, builtIn] of BUILT_IN) {
    const file = extensionFile(files, uid, home);
    const exists = file !== undefined && files.exists(file);
    const extension = exists ? read(file) : undefined;
    const raw = extension ? extend(builtIn, extension) : builtIn;
    if (exists && !extension) unread.add(uid);
    found.push({ role: 'builtIn', uid, extended: extension !== undefined, file: file ?? `(built in) ${uid}`, raw });
  }
  for (const type of plugins) found.push({ role: 'plugin', ...type });
  for (const [api, apiFolder] of counting(files, `${home}/api`, findings)) {
    for (const [folder, typeFolder] of counting(files, `${home}/api/${apiFolder}/content-types`, findings)) {
      const path = `${home}/api/${apiFolder}/content-types/${typeFolder}`;
      const names = files.entries(path).map(({ name }) => name);
      const code = names.find((name) => isSchema(name, /\.[jt]s$/));
      if (code !== undefined) unreadSchema(`${path}/${code}`, findings);
      const json = names.findLast((name) => isSchema(name, /\.json$/));
      const file = `${path}/${json}`;
      const raw = json === undefined ? undefined : read(file);
      if (raw) found.push({ role: 'contentType', api, folder, file, raw });
      else if (json !== undefined || code !== undefined) unread.add(`api::${api}.*`);
    }
  }
  for (const category of files.folders(`${home}/components`)) {
    for (const entry of files.entries(`${home}/components/${category}`)) {
      const file = `${home}/components/${category}/${entry.name}`;
      const uid = `${category}.${entry.name.replace(/\.\w+$/, '')}`.toLowerCase();
      if (/(?<!\.d)\.[jt]s$/.test(entry.name)) {
        unreadSchema(file, findings);
        unread.add(uid);
      }
      if (!entry.isFile || !entry.name.endsWith('.json')) continue;
      const raw = read(file);
      if (raw) found.push({ role: 'component', category, name: entry.name.slice(0, -'.json'.length), file, raw });
      else unread.add(uid);
    }
  }
  return { sources: found.map((source) => ({ ...source, raw: typed(source.raw, customFields) })), unread };
}

/** Whether a file in a type's folder is its schema: its normalised name is `schema`. */
const isSchema = (name: string, ending: RegExp): boolean =>
  ending.test(name) && !name.endsWith('.d.ts') && normalName(name.replace(ending, '')) === 'schema';

/** Subfolders by their normalised names. */
function counting(files: Files, path: string, findings: Findings): Map<string, string> {
  const names = files.folders(path);
  const found = byNormalName(names);
  for (const name of names) {
    const other = found.get(normalName(name))!;
    if (other === name) continue;
    const both = `${normalName(name)} to Strapi, which takes ${path}/${other} alone`;
    findings.warning(`${path}/${name}`, [], `this folder is not read: it is ${both}. Rename or remove one of them`);
  }
  return found;
}

/**
 * The file that extends a built-in type in a project, which need not exist; undefined for a type that cannot be
 * extended. The case of its folders does not matter.
 */
function extensionFile(files: Files, uid: string, home = 'src'): string | undefined {
  const usual = EXTENSIONS.get(uid)?.replace(/^src/, () => home);
  const [, plugin, type] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? [];
  if (usual === undefined || files.exists(usual)) return usual;
  const called = (path: string, name: string) => files.folders(path).filter((one) => one.toLowerCase() === name);
  const found = called(`${home}/extensions`, plugin!).flatMap((folder) =>
    called(`${home}/extensions/${folder}/content-types`, type!).map(
      (inner) => `${home}/extensions/${folder}/content-types/${inner}/schema.json`,
    ),
  );
  return found.findLast((file) => files.exists(file)) ?? usual;
}

/** A schema with the underlying types of its custom fields. */
function typed(schema: RawSchema, customFields: ReadonlyMap<string, string>): RawSchema {
  const attributes = Object.entries((schema['attributes'] ?? {}) as object) as [string, RawSchema][];
  const found = attributes.flatMap(([name, raw]) => {
    const type = isObject(raw) && raw['underlyingType'] === undefined && customFields.get(String(raw['customField']));
    return type ? [[name, { ...raw, underlyingType: type }] as const] : [];
  });
  if (found.length === 0) return schema;
  return { ...schema, attributes: { ...(schema['attributes'] as object), ...Object.fromEntries(found) } };
}

/** Reports a schema that is code, which the reference runs and without which the type would be missing or different. */
function unreadSchema(file: string, findings: Findings): void {
  const json = file.replace(/\.\w+$/, '.json');
  findings.problem(
    file,
    [],
    `schemas are read from JSON, and no code is run: move its export into ${json}, and remove this file`,
  );
}

/**
 * As in the reference, an extension replaces top-level keys of a built-in schema; only `info` and `options` are merged.
 */
function extend(builtIn: RawSchema, extension: RawSchema): RawSchema {
  const merged: Record<string, unknown> = { ...builtIn, ...extension };
  for (const key of ['info', 'options']) {
    if (isObject(builtIn[key]) && isObject(extension[key])) merged[key] = { ...builtIn[key], ...extension[key] };
  }
  // accounts and files need these attributes, so an extension without them gets them at the end
  if (isObject(builtIn['attributes']) && isObject(extension['attributes'])) {
    merged['attributes'] = { ...extension['attributes'], ...without(builtIn['attributes'], extension['attributes']) };
  }
  return merged;
}

function without(from: RawSchema, keys: RawSchema): RawSchema {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !Object.hasOwn(keys, key)));
}

function readJson(files: Files, file: string, findings: Findings): RawSchema | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(files.read(file).replace(/^\uFEFF/, ''));
  } catch (error) {
    findings.problem(file, [], `not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  if (isObject(parsed)) return parsed;
  findings.problem(file, [], 'a schema file contains one JSON object');
  return undefined;
}
