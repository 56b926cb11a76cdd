/**
 * The script `prepare` of the package: npm runs it after `npm ci` in a checkout, before packing, and when it installs Galley
 * from a repository. It builds the administration app, bundles the program (bundle.ts) and writes its types.
 *
 * Without the tools, as after `npm ci --omit=dev`, it prints that and succeeds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { bundle } from './bundle.ts';
import { cutOffTypes } from './types.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** The folder of clones in npm's cache. */
const CLONE = path.join('tmp', 'git-clone');
const DIST = path.join(ROOT, 'dist');
const COMPILER = path.join(ROOT, 'node_modules/typescript/bin/tsc');

sayThatItBuilds();
run('admin/build/build.ts', '--if-changed');
if (existsSync(COMPILER)) {
  // outputs of deleted sources would be packed
  rmSync(DIST, { recursive: true, force: true });
  run(COMPILER, '-p', 'tsconfig.build.json');
  cutOffTypes(DIST, Object.keys(packageFile.dependencies));
  await bundle(ROOT, DIST);
} else process.stdout.write('The program is not compiled, because its tools are not installed (npm ci).\n');

/**
 * Prints on the terminal that the build has begun, if npm installs Galley from a repository. npm hides the output of scripts
 * behind a spinner, but not writes to the terminal itself.
 */
function sayThatItBuilds(): void {
  if (!ROOT.includes(CLONE)) return;
  try {
    // clears the line of npm's spinner, which npm draws again
    writeFileSync(
      '/dev/tty',
      '\r\x1b[Kgalley: building the administration app and the program from the repository, which takes about a minute\n',
    );
  } catch {
    // no terminal: a build of a container, or Windows
  }
}

/** Runs a script with this Node, and exits with its code if it fails. */
function run(script: string, ...args: string[]): void {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
