/**
 * Code that files below `src` and `config` import from elsewhere: other folders of the project, those beside it, and
 * packages that are folders of a workspace. It is read like theirs; what is installed is not, but for the file of a
 * middleware that the configuration names.
 */
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { Resolver, resolvedByNode } from '../../config/modules/resolver.ts';
import { findSources, type SourceFile, type SourceOptions, sourceFile, unreadFile } from '../source-files.ts';
import { SOURCE_LIMITS } from '../source-limits.ts';

const CODE = /(?<!\.d)\.[cm]?[jt]sx?$/;
/** Packages that are Galley's own to a project, wherever a link with their names leads: to a checkout of it, for example. */
const OWN: ReadonlySet<string> = new Set(['galley', '@strapi/strapi', '@strapi/utils', '@strapi/types']);
const INSTALLED = /(?:^|[\\/])node_modules[\\/]/;
/** What may be an import in a text, by a name in quotes. */
const NAMED = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"\n]+)['"]/g;
/** Whole imports as nearly all are written, and what is left of others where these are taken away. */
const PLAIN =
  /\brequire\(\s*(?:'[^'\n]*'|"[^"\n]*")\s*\)|\b(?:import|export)\b[\w*{}\s,$]*?\bfrom\s*(?:'[^'\n]*'|"[^"\n]*")|\bimport\s*(?:'[^'\n]*'|"[^"\n]*")/g;
const OTHER = /require|\bimport\b|\bfrom\b\s*(?:\/[/*]|['"`])/i;

/** The code files of a project: those of its folders, and what they import from elsewhere. */
export async function projectSources(options: SourceOptions): Promise<SourceFile[]> {
  return withImported(options, findSources(options));
}

/** Files, and those that they import from elsewhere, directly or not. */
async function withImported(
  { dir, middlewares = [], limits = SOURCE_LIMITS }: SourceOptions,
  files: SourceFile[],
): Promise<SourceFile[]> {
  const known = new Map(files.map((file) => [file.path, file]));
  const resolver = new Resolver(dir);
  const named = new Map<string, string | undefined>();
  let bytes = files.reduce((sum, { text }) => sum + text.length, 0);

  const read = (path: string): SourceFile => {
    const { size } = statSync(join(dir, path));
    bytes += size;
    if (size > limits.file) return unreadFile(path, `longer than ${limits.file} bytes`);
    if (bytes > limits.bytes) return unreadFile(path, `beyond ${limits.bytes} bytes of code`);
    return sourceFile(path, readFileSync(join(dir, path), 'utf8'));
  };
  /** The path of the code that a name leads to; undefined where that is no code, and where it is installed. */
  const find = (name: string, from: string): string | undefined => {
    const file = resolver.fileOf(name, join(dir, from)) ?? workspaceFile(name, dirname(join(dir, from)));
    if (file === undefined || !CODE.test(file)) return undefined;
    const path = relative(dir, file).replaceAll('\\', '/');
    return INSTALLED.test(path) ? undefined : path;
  };
  /** Names that lead elsewhere than plain names of known files do, with where they lead. */
  const leading = (file: SourceFile, names: ReadonlySet<string>): [string, string][] =>
    [...names].flatMap((name): [string, string][] => {
      const isRelative = name.startsWith('.');
      if (isRelative && isPlainlyKnown(known, file.path, name)) return [];
      // what a name means depends on the folder alone
      const key = `${dirname(file.path)} ${name}`;
      if (!isRelative && !named.has(key)) named.set(key, find(name, file.path));
      const path = isRelative ? find(name, file.path) : named.get(key);
      return path === undefined ? [] : [[name, path]];
    });
  const importsOf = async (file: SourceFile): Promise<[string, string][]> => {
    const { text } = file;
    const places = leading(file, new Set([...text.matchAll(NAMED)].map(([, name]) => name!)));
    const isPlain = file.generated || !OTHER.test(text.replaceAll(PLAIN, ''));
    if (isPlain && places.length === 0) return [];
    // a text may have imports in comments, and others than those that it shows
    const sources = await imported(file);
    return sources ? leading(file, sources) : places;
  };

  const found = [...files];
  const add = (path: string): void => {
    if (known.has(path)) return;
    const one: SourceFile = { ...read(path), role: 'code', owner: '', generated: false, isElsewhere: true };
    known.set(path, one);
    found.push(one);
  };
  // of an installed package that file alone: what it does to strapi
  for (const { path } of middlewares) if (path !== undefined && CODE.test(path)) add(path);
  // the list grows while it is gone through
  for (const [index, file] of found.entries()) {
    if (file.path.endsWith('.json')) continue;
    const imports = await importsOf(file);
    if (imports.length === 0) continue;
    const told = { ...file, imports: new Map(imports) };
    found[index] = told;
    known.set(file.path, told);
    for (const [, path] of imports) add(path);
  }
  return found;
}

/** What a file imports by the names of modules; undefined for one that cannot be parsed. */
async function imported({ path, text }: SourceFile): Promise<ReadonlySet<string> | undefined> {
  // few projects have any of this
  const [{ loadParser }, { readModule }, { importsOf }] = await Promise.all([
    import('./parser.ts'),
    import('./module.ts'),
    import('../strapi/imports.ts'),
  ]);
  const program = (await loadParser([path]))(path, text);
  if (!program) return undefined;
  const found = importsOf(readModule(path, program), text);
  return new Set(found.flatMap(({ source, isFolder }) => (isFolder ? [] : [source])));
}

/** Whether a relative name leads to a known file as `Sources.imported` finds it. */
function isPlainlyKnown(known: ReadonlyMap<string, SourceFile>, from: string, name: string): boolean {
  const path = posix.join(posix.dirname(from), name).replace(/\/$/, '');
  return [path, `${path}/index`].some((one) => ['', '.ts', '.js'].some((ending) => known.has(one + ending)));
}

/**
 * The file of a package that is a folder of a workspace, to which a link leads; undefined for one that is installed.
 *
 * @param dir the folder of the file that imports it.
 */
function workspaceFile(name: string, dir: string): string | undefined {
  const [owner] = /^(?:@[^/]+\/)?[^/.][^/]*/.exec(name) ?? [];
  if (owner === undefined || OWN.has(owner)) return undefined;
  const link = linkOf(owner, dir);
  if (link === undefined || INSTALLED.test(`${realpathSync(link)}/`)) return undefined;
  return resolvedByNode(name, join(dir, 'index.js'));
}

/** Where a package is linked, in the folder or one above it. */
function linkOf(owner: string, dir: string): string | undefined {
  const place = join(dir, 'node_modules', owner);
  const entry = lstatSync(place, { throwIfNoEntry: false });
  if (entry) return entry.isSymbolicLink() && statSync(place, { throwIfNoEntry: false }) ? place : undefined;
  return dirname(dir) === dir ? undefined : linkOf(owner, dirname(dir));
}
