/** `galley init`: a project to start from. */
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
/** What a folder may contain that a project is made in. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store']);
/** Secrets of a project: of its API tokens and sessions, and the key that some of the database is encrypted with. */
const SECRETS = ['API_TOKEN_SALT', 'JWT_SECRET', 'ENCRYPTION_KEY'];

export const initCommand: Command = {
  name: 'init',
  summary: 'make a project to start from',
  help: `galley init [DIR] [--dependency SPEC]

Makes a project in DIR (default: the working folder), which must be empty or not be there yet: two content types and a
component, package.json with scripts, tsconfig.json and types for code, .env with secrets of its own, .gitignore and a
README. Then, in it: npm install && npm start

  --dependency SPEC  where npm gets Galley: a version, an address such as git+https://…, or file:… (default: where this
                     Galley came from)`,
  run,
};

async function run(args: readonly string[], { env, print }: Surroundings): Promise<number> {
  const { flag, positionals } = readArguments('init', args, { dependency: { type: 'string' } }, ['DIR']);
  const given = positionals[0] ?? WORKING_FOLDER;
  const dir = path.resolve(given);
  requireEmpty(dir);
  const galley = flag('dependency') || dependencyFor(dir);
  const files = filesOf({ name: nameOf(dir), galley });
  const made: string[] = [];
  const make = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    // whoever puts a file there at the same moment keeps it
    writeFileSync(path.join(dir, file), text, { flag: 'wx' });
    made.push(file);
  };
  try {
    for (const [file, text] of files) make(file, text);
    make(TYPES_FILE, declarationsOf(loadCatalog(dir)));
  } catch (error) {
    for (const file of made) rmSync(path.join(dir, file), { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`a project cannot be made in ${dir}: ${code ?? message}`, 1);
  }
  const envFile = envFileOf(dir, env);
  await ensureSecrets(envFile, SECRETS);
  print(`made a project in ${dir}:`);
  const inside = path.relative(dir, envFile);
  for (const file of [...made, inside.startsWith('..') ? envFile : inside]) print(`  ${file}`);
  const step = given === WORKING_FOLDER ? '' : `cd ${/^[\w./-]+$/.test(given) ? given : JSON.stringify(given)} && `;
  print(`next: ${step}npm install && npm start`);
  if (FROM_REPOSITORY.test(galley)) {
    print('npm install builds Galley from its repository: that takes a minute or more, and npm shows only a spinner');
  }
  return 0;
}

/** Throws UsageError where a folder contains something, or is none. */
function requireEmpty(dir: string): void {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) throw new UsageError(`${dir} is not a folder`);
  const contained = readdirSync(dir).filter((name) => !HARMLESS.has(name));
  if (contained.length === 0) return;
  throw new UsageError(`${dir} is not empty: it contains ${contained.sort()[0]}; name a folder that is empty or new`);
}

/** The name of a package in a folder: what npm allows of the folder's own. */
function nameOf(dir: string): string {
  const plain = path
    .basename(dir)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-');
  const name = plain
    .replace(/^[._-]+/, '')
    .replace(/-+$/, '')
    .slice(0, 100);
  // a package does not depend on one of its own name
  return name === '' || name === 'node_modules' ? 'content' : name === 'galley' ? 'galley-project' : name;
}

/** What npm's lock files say of an installed package. */
interface Locked {
  readonly version?: string;
  readonly resolved?: string;
}

/**
 * What makes npm install the same Galley in `dir`: a version, the address of a repository with its commit, or the path
 * of a packed file or of a checkout.
 */
export function dependencyFor(dir: string, folder = PACKAGE_FOLDER): string {
  const installedIn = path.dirname(folder);
  if (path.basename(installedIn) !== 'node_modules') return `file:${relativePath(dir, folder)}`;
  const resolved = lockedIn(installedIn)?.resolved;
  if (resolved?.startsWith('file:')) {
    // npm writes it as seen from where it installed the package
    const file = path.resolve(path.dirname(installedIn), resolved.slice('file:'.length));
    return `file:${relativePath(dir, file)}`;
  }
  return resolved?.startsWith('git+') ? resolved : packageVersion();
}

/** What npm has noted of the Galley in a folder of packages; undefined where it has noted nothing. */
function lockedIn(folder: string): Locked | undefined {
  try {
    const noted = JSON.parse(readFileSync(path.join(folder, '.package-lock.json'), 'utf8'));
    return (noted as { packages?: Record<string, Locked> }).packages?.['node_modules/galley'];
  } catch {
    return undefined;
  }
}

const relativePath = (from: string, to: string): string => path.relative(from, to).split(path.sep).join('/');
