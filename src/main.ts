#!/usr/bin/env node
/**
 * The program: checks that this Node can run it, before anything is loaded that it could not read, and hands the
 * arguments over. The exit code is that of the command: 0, 1 (it looked and found mistakes), 2 (wrong use).
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`galley needs Node 22.18 or newer; this is Node ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  const { runCommandLine } = await import('./cli/run.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

// Makes this file a module, which alone may wait at its top level.
export {};
