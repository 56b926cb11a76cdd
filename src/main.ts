#!/usr/bin/env node
/**
 * The program: checks that this Node can run it, before anything is loaded that it could not read, and hands the
 * arguments over. The exit code is that of the command: 0, 1 (it looked and found mistakes), 2 (wrong use).
 */
import module from 'node:module';
import path from 'node:path';
import { fitYoungGeneration, keepYoungGeneration, limitHeap } from './heap.ts';

limitHeap();

/** Milliseconds from the start on after which the program has started, whatever it is. */
const STARTED = 3000;
/** Milliseconds that a process goes on which only a project's code still holds. */
const HELD = 100;

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

// No signal ends the first process of a container unless it listens for it.
if (process.pid === 1) for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(1));

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
  keepYoungGeneration();
  const started = (): void => {
    // not only at the end: a server may be ended by force; and not while it is waited for
    module.flushCompileCache();
    fitYoungGeneration();
  };
  setTimeout(started, STARTED).unref();
  process.exitCode = await runCommandLine(process.argv.slice(2));
  // timers and connections of a project's code hold the process no longer than this
  setTimeout(() => process.exit(), HELD).unref();
}
