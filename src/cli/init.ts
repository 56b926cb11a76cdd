/** `galley init`: creates a project to start from. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureSecrets, envFileOf } from '../config/environment.ts';
import { UsageError } from '../errors.ts';
import { PACKAGE_FOLDER, packageVersion } from '../own-files.ts';
import { declarationsOf, TYPES_FILE } from '../schema/declarations.ts';
import { loadCatalog } from '../schema/load.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { filesOf } from './init-template.ts';

/** Dependencies that npm clones and builds. */
const FROM_REPOSITORY = /^(?:git[+:]|github:|gitlab:|bitbucket:|[\w.-]+\/[\w.-]+(?:#|$))/;
/** The entries that an empty folder may have. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store']);
/** The secrets of a project: for API tokens, for sessions of users, and the encryption key. */
const SECRETS = ['API_TOKEN_SALT', 'JWT_SECRET', 'ENCRYPTION_KEY'];

export const initCommand: Command = {
  name: 'init',
  summary: 'create a project to start from',
  help: `galley init [DIR] [--dependency SPEC]

Creates a project in DIR (default: the working folder), which must be empty or new: two content types and a component,
package.json with scripts, tsconfig.json, TypeScript types, .env with new secrets, .gitignore and a README. Then run
npm install && npm start in it.

  --dependency SPEC  where npm gets Galley: a version, an address such as git+https://…, or file:… (default: the source of
                     this Galley)`,
  run,
};

async function run(args: readonly string[], { env, print }: Surroundings): Promise<number> {
  const { flag, positionals } = readArguments('init', args, { dependency: { type: 'string' } }, ['DIR']);
  const folder = positionals[0] ?? WORKING_FOLDER;
  const dir = path.resolve(folder);
  requireEmpty(dir);
  const galley = flag('dependency') || dependencyFor(dir);
  const files = filesOf({ name: nameOf(dir), galley });
  const created: string[] = [];
  const create = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    // never overwrites a file that another process creates at the same moment
    writeFileSync(path.join(dir, file), text, { flag: 'wx' });
    created.push(file);
  };
  try {
    for (const [file, text] of files) create(file, text);
    create(TYPES_FILE, declarationsOf(loadCatalog(dir)));
  } catch (error) {
    for (const file of created) rmSync(path.join(dir, file), { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot create a project in ${dir}: ${code ?? message}`, 1);
  }
  const envFile = envFileOf(dir, env);
  await ensureSecrets(envFile, SECRETS);
  print(`created a project in ${dir}:`);
  const inside = path.relative(dir, envFile);
  for (const file of [...created, inside.startsWith('..') ? envFile : inside]) print(`  ${file}`);
  const step = folder === WORKING_FOLDER ? '' : `cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)} && `;
  print(`next: ${step}npm install && npm start`);
  if (FROM_REPOSITORY.test(galley)) {
    print('npm install builds Galley from its repository, which takes a minute or more while npm shows only a spinner');
  }
  return 0;
}

/** @throws UsageError for a folder with entries, and for a file. */
function requireEmpty(dir: string): void {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory()) throw new UsageError(`${dir} is not a folder`);
  const contained = readdirSync(dir).filter((name) => !HARMLESS.has(name));
  if (contained.length === 0) return;
  throw new UsageError(`${dir} is not empty: it contains ${contained.sort()[0]}; use an empty or a new folder`);
}

/** The name of the package: the name of its folder, with the characters that npm allows. */
function nameOf(dir: string): string {
  const plain = path
    .basename(dir)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-');
  const name = plain
    .replace(/^[._-]+/, '')
    .replace(/-+$/, '')
    .slice(0, 100);
  // a package cannot depend on a package of its own name
  return name === '' || name === 'node_modules' ? 'content' : name === 'galley' ? 'galley-project' : name;
}

/** An entry of npm's lock files. */
interface Locked {
  readonly version?: string;
  readonly resolved?: string;
}

/**
 * The dependency with which npm installs this Galley in `dir`: a version, the address of a repository with its commit, or
 * the path of a packed file or of a checkout.
 */
export function dependencyFor(dir: string, folder = PACKAGE_FOLDER): string {
  const installedIn = path.dirname(folder);
  if (path.basename(installedIn) !== 'node_modules') return `file:${relativePath(dir, folder)}`;
  const resolved = lockedIn(installedIn)?.resolved;
  if (resolved?.startsWith('file:')) {
    // npm writes a path relative to the folder of its node_modules
    const file = path.resolve(path.dirname(installedIn), resolved.slice('file:'.length));
    return `file:${relativePath(dir, file)}`;
  }
  return resolved?.startsWith('git+') ? resolved : packageVersion();
}

/** The entry of Galley in the lock file of a node_modules folder. */
function lockedIn(folder: string): Locked | undefined {
  try {
    const lock = JSON.parse(readFileSync(path.join(folder, '.package-lock.json'), 'utf8'));
    return (lock as { packages?: Record<string, Locked> }).packages?.['node_modules/galley'];
  } catch {
    return undefined;
  }
}

const relativePath = (from: string, to: string): string => path.relative(from, to).split(path.sep).join('/');
