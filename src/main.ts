#!/usr/bin/env node
/**
 * The program: checks the version of Node before it loads any other module, and runs the command line. The exit code is that
 * of the command: 0, 1 (mistakes or a failure), 2 (incorrect use).
 */
import module from 'node:module';
import path from 'node:path';
import { fitYoungGeneration, keepYoungGeneration, limitHeap } from './heap.ts';

limitHeap();

/** Milliseconds after which every command has loaded its modules. */
const STARTED = 3000;
/** Milliseconds after which a process ends that only a project's code keeps alive. */
const HELD = 100;

/**
 * Resolves imports between modules of this program by their text alone. Otherwise Node looks up two thousand files and their
 * packages on the disk, which takes a seventh of a start.
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

// the first process of a container ends by a signal only if it listens for it
if (process.pid === 1) for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(1));

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`galley needs Node 22.18 or newer; this is Node ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  // stripping types takes longer than everything else until the first answer, and 30 MB. In a read-only folder each start
  // repeats it
  module.enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/galley'));
  resolveOwnModules();
  const { runCommandLine } = await import('./cli/run.ts');
  keepYoungGeneration();
  const started = (): void => {
    // a server may be killed, so this does not wait for its end
    module.flushCompileCache();
    fitYoungGeneration();
  };
  setTimeout(started, STARTED).unref();
  process.exitCode = await runCommandLine(process.argv.slice(2));
  // timers and connections of a project's code hold the process no longer than this
  setTimeout(() => process.exit(), HELD).unref();
}
