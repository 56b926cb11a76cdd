/** Which texts of which files a change of types leads to. */
import { isObject } from '../../plain-values.ts';
import type { RawSchema } from '../built-in.ts';
import type { EditProblem, FileChange, SchemaChange } from './editing.ts';
import { mergedSchema } from './merge.ts';
import type { FormerNames } from './places.ts';
import { isSameSchema, parsedSchema, schemaText } from './schema-text.ts';
import { CODE_FOLDERS, type CodeStyle, codeOfType } from './type-code.ts';

/** A type of the project with its file. */
export interface SchemaFile {
  readonly uid: string;
  readonly isComponent: boolean;
  readonly file: string;
  readonly text: string;
  readonly revision: string;
  readonly raw: RawSchema;
  /** The name of its table in the schema, or the default. */
  readonly collectionName: string | undefined;
  /** The actual folder below `src/api`, or the category. */
  readonly folder: string;
}

/** What the plan reads of the project. */
export interface ProjectSources {
  readonly files: ReadonlyMap<string, SchemaFile>;
  /** Uids of types whose schemas are no files of the project. */
  readonly others: ReadonlySet<string>;
  /** The text of a revision that was handed out. */
  textOf(revision: string): string | undefined;
  /** The text of any file; null if there is none. */
  read(file: string): string | null;
  /** The paths of all files below a folder. */
  list(folder: string): readonly string[];
  /** The files of code, by path, that a test of their text finds; undefined if there are too many to be searched. */
  findCode(test: (text: string, file: string) => boolean): readonly string[] | undefined;
  /** Whether a file says no more than the defaults of a type. */
  isGenerated(text: string, uid: string): boolean;
  /** How files of code are written. */
  readonly code: CodeStyle;
}

export interface FilesPlan {
  readonly files: readonly FileChange[];
  readonly names: FormerNames;
  readonly problems: readonly EditProblem[];
  readonly conflicts: readonly string[];
  readonly merged: readonly string[];
  /** Uids of all types whose files change. */
  readonly uids: readonly string[];
}

const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Files that a message lists. */
const LISTED = 10;
/** Characters of a file. */
const LONGEST = 1_000_000;

interface Draft {
  readonly uid: string;
  readonly file: string;
  readonly source: SchemaFile | undefined;
  schema: RawSchema;
  readonly formerNames: ReadonlyMap<string, string>;
}

/** The files of changes. */
export function planFiles(sources: ProjectSources, changes: readonly SchemaChange[]): FilesPlan {
  return new Planner(sources).run(changes);
}

class Planner {
  readonly #sources: ProjectSources;
  readonly #problems: EditProblem[] = [];
  readonly #conflicts: string[] = [];
  readonly #merged: string[] = [];
  readonly #drafts = new Map<string, Draft>();
  readonly #removed: SchemaFile[] = [];
  readonly #texts = new Map<string, string | null>();
  readonly #names = { types: new Map<string, string>(), attributes: new Map<string, ReadonlyMap<string, string>>() };

  constructor(sources: ProjectSources) {
    this.#sources = sources;
  }

  run(changes: readonly SchemaChange[]): FilesPlan {
    for (const change of changes) this.#take(change);
    this.#correct();
    for (const { file } of this.#removed) this.#texts.set(file, null);
    for (const { file, source, schema, formerNames } of this.#drafts.values()) {
      if (source && source.file !== file) this.#texts.set(source.file, null);
      this.#texts.set(file, this.#textOf(schema, source, formerNames));
    }
    const files = [...this.#texts]
      .map(([file, after]): FileChange => ({ file, before: this.#sources.read(file), after }))
      .filter(({ before, after }) => before !== after);
    const tooLong = files.find(({ after }) => after !== null && after.length > LONGEST);
    if (tooLong) this.#problem(null, tooLong.file, [], `a schema file has at most ${LONGEST} characters`);
    const concerned = new Map([...this.#drafts.values()].map(({ uid, file }) => [file, uid]));
    for (const { file, uid } of this.#removed) concerned.set(file, uid);
    return {
      files,
      names: this.#names,
      problems: this.#problems,
      conflicts: this.#conflicts,
      merged: this.#merged,
      uids: [...new Set(files.flatMap(({ file }) => concerned.get(file) ?? []))],
    };
  }

  #textOf(schema: RawSchema, source: SchemaFile | undefined, formerNames: ReadonlyMap<string, string>): string {
    // a text that says the same stays as it is
    if (source && formerNames.size === 0 && isSameSchema(schema, source.raw)) return source.text;
    return schemaText(schema, source?.text, formerNames);
  }

  #problem(uid: string | null, file: string, path: readonly string[], message: string): void {
    this.#problems.push({ uid, file, path, message, severity: 'mistake' });
  }

  #take(change: SchemaChange): void {
    const { uid, revision, schema } = change;
    const former = change.renamedFrom ?? uid;
    const source = this.#sources.files.get(former);
    if (this.#sources.others.has(former)) {
      this.#problem(uid, uid, [], 'types of plugins and of code cannot be changed here');
    } else if (revision === null) {
      if (schema === null || change.renamedFrom !== undefined) this.#problem(uid, uid, [], 'a new type needs a schema');
      else this.#add(change, schema);
    } else if (!source) this.#conflicts.push(uid);
    else if (schema === null) this.#remove(source, revision);
    else this.#change(change, schema, source, revision);
  }

  #add({ uid, kind }: SchemaChange, schema: RawSchema): void {
    const file = this.#newFile(uid, kind === 'component');
    if (file === undefined) return;
    if (this.#sources.files.has(uid) || this.#sources.read(file) !== null) {
      this.#conflicts.push(uid);
      return;
    }
    const completed = completedSchema(uid, kind, schema);
    this.#requireName(uid, file, completed, kind === 'component');
    this.#drafts.set(uid, { uid, file, source: undefined, schema: completed, formerNames: new Map() });
    if (kind !== 'component') this.#addCode(uid);
  }

  /** The file of a new type; undefined if its uid is none. */
  #newFile(uid: string, isComponent: boolean): string | undefined {
    const [, api, name] = (isComponent ? /^()?([^.:]+\.[^.:]+)$/ : /^api::([^.:]+)\.([^.:]+)$/).exec(uid) ?? [];
    const parts = isComponent ? (name?.split('.') ?? []) : [api, name];
    if (parts.length !== 2 || !parts.every((part) => part !== undefined && ID.test(part))) {
      const form = isComponent ? 'category.name' : 'api::name.name';
      this.#problem(uid, uid, [], `a uid is ${form}, with lower-case letters and digits that dashes join`);
      return undefined;
    }
    if (isComponent) return `src/components/${this.#folderOf(parts[0]!, true)}/${parts[1]}.json`;
    return `src/api/${this.#folderOf(parts[0]!, false)}/content-types/${parts[1]}/schema.json`;
  }

  /** The existing folder of an API or a category, whose name may be spelled in another way. */
  #folderOf(name: string, isComponent: boolean): string {
    const prefix = isComponent ? `${name}.` : `api::${name}.`;
    const found = [...this.#sources.files.values()].find(
      (one) => one.isComponent === isComponent && one.uid.startsWith(prefix),
    );
    return found?.folder ?? name;
  }

  /** The uid of a content type ends with its singular name. */
  #requireName(uid: string, file: string, schema: RawSchema, isComponent: boolean): void {
    if (isComponent) return;
    const { singularName } = isObject(schema['info']) ? schema['info'] : {};
    const name = uid.slice(uid.indexOf('.') + 1);
    if (singularName !== undefined && singularName !== name) {
      this.#problem(uid, file, ['info', 'singularName'], `must be ${name}, as in the uid`);
    }
  }

  /**
   * Adds the files of code that Strapi needs to serve a type.
   *
   * @param folders those whose files are added.
   */
  #addCode(uid: string, folders: readonly string[] = CODE_FOLDERS): void {
    const api = uid.slice('api::'.length, uid.indexOf('.'));
    const home = `src/api/${this.#folderOf(api, false)}/`;
    if (this.#hasTypesWithoutCode(api, home)) return;
    for (const { folder, file, text } of codeOfType(uid, this.#sources.code)) {
      const path = home + file;
      if (folders.includes(folder) && this.#sources.read(path) === null) this.#texts.set(path, text);
    }
  }

  /** Whether an API has types and no file of routes. Its first such file would end the routes of those types. */
  #hasTypesWithoutCode(api: string, home: string): boolean {
    const isInApi = ({ uid, isComponent }: SchemaFile) => !isComponent && uid.startsWith(`api::${api}.`);
    if (![...this.#sources.files.values()].some(isInApi)) return false;
    return !this.#sources.list(`${home}routes`).some((path) => /\.(?:[cm]?[jt]s|json)$/.test(path));
  }

  /**
   * Removes the files of code that only request the defaults of a type.
   *
   * @returns the folders of those files.
   */
  #removeCode({ uid, folder, file }: SchemaFile): string[] {
    const home = `src/api/${folder}/`;
    const folders: string[] = [];
    for (const path of this.#sources.list(`src/api/${folder}`)) {
      if (path === file || path.startsWith(`${home}content-types/`) || path.startsWith(`${home}documentation/`))
        continue;
      if (/\.[jt]s$/.test(path) && this.#sources.isGenerated(this.#sources.read(path) ?? '', uid)) {
        this.#texts.set(path, null);
        folders.push(path.slice(home.length, path.indexOf('/', home.length)));
      }
    }
    return folders;
  }

  /** The files of own code that name a type: by its uid, and within its API by its name alone; undefined as in `findCode`. */
  #codeNaming({ uid, folder }: SchemaFile): string[] | undefined {
    const name = uid.slice(uid.indexOf('.') + 1);
    const home = `src/api/${folder}/`;
    const found = this.#sources.findCode((text, file) => {
      if (names(text, uid)) return true;
      if (!file.startsWith(home)) return false;
      const [kind, ...parts] = file.slice(home.length).split('/');
      const isOfType = ['controllers', 'services', 'content-types'].includes(kind!);
      return (
        (isOfType && parts.some((part) => part.split('.', 1)[0] === name)) ||
        [`'${name}.`, `"${name}.`, `\`${name}.`].some((start) => text.includes(start))
      );
    });
    return found?.filter((file) => this.#texts.get(file) !== null);
  }

  #remove(source: SchemaFile, revision: string): void {
    if (revision !== source.revision) {
      this.#conflicts.push(source.uid);
      return;
    }
    this.#removed.push(source);
    if (!source.isComponent) this.#removeCode(source);
  }

  #change(change: SchemaChange, ours: RawSchema, source: SchemaFile, revision: string): void {
    const { uid, renames, renamedFrom } = change;
    const schema = this.#mergedWith(source, revision, ours);
    if (schema === undefined) {
      this.#conflicts.push(uid);
      return;
    }
    if (revision !== source.revision) this.#merged.push(uid);
    const isRenamed = renamedFrom !== undefined && renamedFrom !== uid;
    const isComponent = source.isComponent;
    if ((change.kind === 'component') !== isComponent) {
      this.#problem(uid, source.file, ['kind'], 'a component and a content type cannot become each other');
      return;
    }
    const file = isRenamed ? this.#newFile(uid, isComponent) : source.file;
    if (file === undefined) return;
    if (isRenamed && (this.#sources.files.has(uid) || (file !== source.file && this.#sources.read(file) !== null))) {
      this.#problem(uid, file, [], `${uid} exists already`);
      return;
    }
    if (isRenamed || !isComponent) this.#requireName(uid, file, schema, isComponent);
    this.#drafts.set(uid, {
      uid,
      file,
      source,
      schema: this.#withTable(uid, schema, source),
      formerNames: this.#renamed(uid, schema, source, renames),
    });
    if (!isRenamed) return;
    this.#names.types.set(uid, source.uid);
    if (isComponent) return;
    const folders = this.#removeCode(source);
    const naming = this.#codeNaming(source);
    if (naming === undefined) {
      const message = `cannot be renamed: there are too many files in src and config to find those that name ${source.uid}`;
      this.#problem(uid, source.file, ['info', 'singularName'], message);
    } else if (naming.length > 0) {
      const more = naming.length > LISTED ? ` and ${naming.length - LISTED} more` : '';
      const message = `cannot be renamed as long as code names ${source.uid}: ${naming.slice(0, LISTED).join(', ')}${more}`;
      this.#problem(uid, source.file, ['info', 'singularName'], message);
    } else this.#addCode(uid, folders);
  }

  /** The schema of a change that began with another version of the file; undefined if both changed the same part. */
  #mergedWith(source: SchemaFile, revision: string, ours: RawSchema): RawSchema | undefined {
    if (revision === source.revision) return ours;
    const base = this.#sources.textOf(revision);
    return base === undefined ? undefined : mergedSchema(parsedSchema(base) as RawSchema, source.raw, ours);
  }

  /** A table keeps its name without another one: otherwise a renamed type would get an empty table. */
  #withTable(uid: string, schema: RawSchema, { collectionName, raw, uid: former }: SchemaFile): RawSchema {
    const table = schema['collectionName'];
    if (table !== undefined && table !== '') return schema;
    const isDefault = raw['collectionName'] === undefined && former === uid;
    return isDefault ? schema : { ...schema, collectionName: collectionName! };
  }

  /** Former names of attributes by their new ones. */
  #renamed(
    uid: string,
    schema: RawSchema,
    { raw, file }: SchemaFile,
    renames: ReadonlyMap<string, string>,
  ): ReadonlyMap<string, string> {
    const [now, before] = [schema, raw].map(({ attributes }) => (isObject(attributes) ? attributes : {}));
    const former = new Map<string, string>();
    for (const [from, to] of renames) {
      if (from === to) continue;
      if (!Object.hasOwn(before!, from) || !Object.hasOwn(now!, to) || former.has(to)) {
        this.#problem(uid, file, ['attributes', to], `there is no attribute ${from} that could get the name ${to}`);
      } else former.set(to, from);
    }
    // an attribute with the old name would be a new one with the content of the renamed one
    for (const from of former.values()) {
      if (Object.hasOwn(now!, from) && !former.has(from)) {
        this.#problem(
          uid,
          file,
          ['attributes', from],
          `${from} was renamed: add a new attribute of this name afterwards`,
        );
      }
    }
    if (former.size > 0) this.#names.attributes.set(uid, former);
    return former;
  }

  /** Corrects references to renamed attributes and types, in all files of the project. */
  #correct(): void {
    if (this.#names.types.size === 0 && this.#names.attributes.size === 0) return;
    for (const draft of this.#drafts.values()) draft.schema = correctedSchema(draft.uid, draft.schema, this.#names);
    const taken = new Set(
      [...this.#drafts.values(), ...this.#removed].map((one) => ('source' in one ? one.source?.uid : one.uid)),
    );
    for (const source of this.#sources.files.values()) {
      if (taken.has(source.uid)) continue;
      const schema = correctedSchema(source.uid, source.raw, this.#names);
      if (isSameSchema(schema, source.raw)) continue;
      this.#drafts.set(source.uid, { uid: source.uid, file: source.file, source, schema, formerNames: new Map() });
    }
  }
}

/** A new schema with the names that the reference needs. */
function completedSchema(uid: string, kind: SchemaChange['kind'], schema: RawSchema): RawSchema {
  const name = uid.slice(uid.lastIndexOf('.') + 1);
  const { info: written, ...rest } = schema;
  const info = isObject(written) ? written : {};
  if (kind === 'component') {
    const category = uid.slice(0, uid.indexOf('.'));
    const collectionName = `components_${category}_${plural(name)}`.replaceAll('-', '_');
    return { collectionName, ...rest, info: { displayName: name, ...info } };
  }
  const names = { singularName: name, pluralName: plural(name), displayName: name, ...info };
  return { collectionName: String(names.pluralName).replaceAll('-', '_'), ...rest, kind, info: names };
}

function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

/**
 * The schema with the new names.
 *
 * @param uid of the schema.
 */
function correctedSchema(uid: string, schema: RawSchema, names: FormerNames): RawSchema {
  const types = new Map(Array.from(names.types, ([now, former]) => [former, now]));
  const newNames = (type: unknown): ReadonlyMap<unknown, string> =>
    new Map(Array.from(names.attributes.get(String(type)) ?? [], ([now, former]) => [former, now]));
  const own = newNames(uid);
  const attributes = isObject(schema['attributes']) ? schema['attributes'] : {};
  /** The new name, unless another attribute has the old one now. */
  const renamed = (name: unknown): unknown =>
    Object.hasOwn(attributes, String(name)) ? name : (own.get(name) ?? name);
  const corrected = Object.entries(attributes).map(([name, attribute]): [string, unknown] => {
    if (!isObject(attribute)) return [name, attribute];
    const changed: Record<string, unknown> = { ...attribute };
    for (const key of ['target', 'component']) {
      if (key in attribute) changed[key] = types.get(String(attribute[key])) ?? attribute[key];
    }
    if (Array.isArray(attribute['components'])) {
      changed['components'] = attribute['components'].map((one) => types.get(String(one)) ?? one);
    }
    const others = newNames(changed['target']);
    for (const key of ['inversedBy', 'mappedBy', 'morphBy']) {
      if (key in attribute) changed[key] = others.get(attribute[key]) ?? attribute[key];
    }
    if ('targetField' in attribute) changed['targetField'] = renamed(attribute['targetField']);
    if (own.size > 0 && isObject(attribute['conditions']))
      changed['conditions'] = withVars(attribute['conditions'], renamed);
    return [name, changed];
  });
  const options = isObject(schema['options']) ? schema['options'] : {};
  const hidden = options['privateAttributes'];
  return {
    ...schema,
    ...(Array.isArray(hidden) ? { options: { ...options, privateAttributes: hidden.map(renamed) } } : {}),
    ...(isObject(schema['attributes']) ? { attributes: Object.fromEntries(corrected) } : {}),
  };
}

/** A condition in JSON Logic with other names of attributes. */
function withVars(value: unknown, renamed: (name: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withVars(item, renamed));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    if (key !== 'var') return [key, withVars(inner, renamed)];
    if (Array.isArray(inner)) return [key, [renamed(inner[0]), ...inner.slice(1)]];
    return [key, renamed(inner)];
  });
  return Object.fromEntries(entries);
}

/** Whether a text has a uid that does not go on as a longer one. */
function names(text: string, uid: string): boolean {
  for (let at = text.indexOf(uid); at >= 0; at = text.indexOf(uid, at + uid.length)) {
    if (!/[a-z0-9-]/.test(text.charAt(at + uid.length))) return true;
  }
  return false;
}
