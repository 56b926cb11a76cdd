/** Names what of a project is not run and not read. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { overshadowed } from '../config/modules/resolver.ts';
import { choices } from '../nearest.ts';
import { EXTENSIONS } from '../schema/built-in.ts';
import { extensionFile } from '../schema/files.ts';
import { codeFiles, replacedFiles, uidOf } from './running/code-files.ts';
import { filesBelow, type SourceFile } from './source-files.ts';

const CODE = /\.[cm]?[jt]s$|\/routes\/[^/]+\.json$/;

/** Names that are listed one by one; what is more is counted. */
const NAMES = 18;

/** Paths of what is not read at all: code in whose place other code counts, code outside of `src`, schemas of plugins that are not there, and plugins. */
export function othersNotRun(dir: string): string[] {
  const below = (folder: string) => filesBelow(join(dir, folder)).map((path) => `${folder}/${path}`);
  const cron = ['js', 'cjs', 'mjs', 'ts'].map((ending) => `config/cron-tasks.${ending}`);
  const plugins = join(dir, 'src/plugins');
  const extended = new Set(Array.from(EXTENSIONS.keys(), (uid) => extensionFile(dir, uid)));
  const code = below('src').filter((path) => !path.startsWith('src/admin/') && CODE.test(path));
  const others = overshadowed(dir, code);
  return [
    ...others,
    ...replacedFiles(code.filter((path) => !others.has(path))),
    ...cron.filter((path) => existsSync(join(dir, path))),
    ...below('config/functions').filter((path) => /\.[cm]?[jt]s$/.test(path) && !path.endsWith('.d.ts')),
    ...below('src/extensions').filter((path) => path.endsWith('.json') && !extended.has(path)),
    ...(existsSync(plugins) ? readdirSync(plugins, { withFileTypes: true }) : [])
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => `src/plugins/${name}`),
  ];
}

/** What is said of a middleware of the project that none of its files is: which there are. Anything else stays as it is. */
export function withReason(words: string, files: readonly SourceFile[]): string {
  const [, name] = /^the middleware ((?:global|api)::\S+) of /.exec(words) ?? [];
  if (name === undefined) return words;
  const uids = codeFiles(files)
    .filter(({ kind }) => kind === 'middlewares')
    .map(uidOf);
  return uids.includes(name) ? words : `${words} (there is no file of it${choices(name, uids)})`;
}

/** The sentence that names all code that is not run. */
export function notRunMessage(named: readonly string[]): string | undefined {
  if (named.length === 0) return undefined;
  return `Custom code is not run: ${grouped(named).join(', ')}.`;
}

/** Paths, those of many APIs together: `12 routes of src/api`. */
function grouped(paths: readonly string[]): string[] {
  if (paths.length <= NAMES) return [...paths];
  const kinds = new Map<string, string[]>();
  for (const path of paths) {
    const [, root, kind] =
      /^(.*src\/(?:api|extensions|plugins|[\w-]+))\/(?:[^/]+\/)?(?:(routes|controllers|services|policies|middlewares|content-types)\/)?/.exec(
        path,
      ) ?? [];
    const key = root === undefined ? path : `${kind ?? 'files'} of ${root}`;
    kinds.set(key, [...(kinds.get(key) ?? []), path]);
  }
  return [...kinds].flatMap(([key, all]) => (all.length > 2 ? [`${all.length} ${key}`] : all));
}
