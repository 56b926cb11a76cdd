/** Where this Galley comes from, as npm writes it into the package.json of a project that depends on it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_FOLDER } from '../../own-files.ts';
import { packageVersion } from '../version.ts';

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
