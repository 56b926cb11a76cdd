#!/usr/bin/env node
/**
 * The program: checks that this Node can run it, before anything is loaded that it could not read, and hands the
 * arguments over. The exit code is that of the command: 0, 1 (it looked and found mistakes), 2 (wrong use).
 */
import module from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';

// What a request allocates is garbage at its end, so the young generation has no use for the tens of megabytes that it
// would grow to under load. The size itself is fixed before a program runs; by how much it grows is not.
setFlagsFromString('--semi-space-growth-factor=1');
// What outlives that by chance becomes garbage of the old generation, of which V8 would let three times as much gather
// as there is of everything else. Half as much is collected in a few milliseconds, once in some seconds of full load.
setFlagsFromString('--heap-growing-percent=50');

/** Milliseconds from the start on after which compiled modules are kept for the next one: not while it is waited for. */
const KEPT_AFTER = 3000;

/**
 * Has imports of one module of this program by another resolved by their text alone. Node looks on the disk for what
 * each of two thousand leads to, and for the package that it is in: a seventh of a start.
 */
function resolveOwnModules(): void {
  const own = new URL('.', import.meta.url).href;
  const format = import.meta.url.endsWith('.ts') ? 'module-typescript' : 'module';
  module.registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('.') && context.parentURL?.startsWith(own)
        ? { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
        : next(specifier, context),
  });
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`galley needs Node 22.18 or newer; this is Node ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  // Stripping the types of all modules takes longer than everything else until the first answer, and the stripper takes
  // 30 MB. In a folder that cannot be written each start does it again.
  module.enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/galley'));
  resolveOwnModules();
  const { runCommandLine } = await import('./cli/run.ts');
  // not only at the end: a server may be ended by force
  setTimeout(() => module.flushCompileCache(), KEPT_AFTER).unref();
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
