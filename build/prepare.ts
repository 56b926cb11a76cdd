/**
 * `prepare` of the package: npm runs it after `npm ci` in a checkout, before it packs one, and where Galley is installed
 * from the address of a repository. It builds the administration app, bundles the program (bundle.ts) and states its types.
 *
 * Without the tools, as after `npm ci --omit=dev`, it says so and succeeds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { bundle } from './bundle.ts';
import { cutOffTypes } from './types.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** Where npm clones repositories to, in its cache. */
const CLONE = path.join('tmp', 'git-clone');
const DIST = path.join(ROOT, 'dist');
const COMPILER = path.join(ROOT, 'node_modules/typescript/bin/tsc');

sayThatItBuilds();
run('admin/build/build.ts', '--if-changed');
if (existsSync(COMPILER)) {
  // what was compiled from files that are no more would be packed
  rmSync(DIST, { recursive: true, force: true });
  run(COMPILER, '-p', 'tsconfig.build.json');
  cutOffTypes(DIST, Object.keys(packageFile.dependencies));
  await bundle(ROOT, DIST);
} else process.stdout.write('The program is not compiled: what it is made from is not installed (npm ci).\n');

/**
 * Says on the terminal that Galley is being built where npm installs it from a repository: npm shows nothing that the
 * scripts of a package write, only a spinner, and the terminal itself is the one thing that it does not hide.
 */
function sayThatItBuilds(): void {
  if (!ROOT.includes(CLONE)) return;
  try {
    // the line of npm's spinner is cleared before, and npm draws it again behind
    writeFileSync(
      '/dev/tty',
      '\r\x1b[Kgalley: building the administration app and the program from the repository, which takes about a minute\n',
    );
  } catch {
    // nobody watches: a build of a container, or Windows
  }
}

/** Runs a script with this Node, and ends with its exit code where it fails. */
function run(script: string, ...args: string[]): void {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
