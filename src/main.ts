#!/usr/bin/env node
/**
 * The program: checks that this Node can run it, before anything is loaded that it could not read, and hands the
 * arguments over. The exit code is that of the command: 0, 1 (it looked and found mistakes), 2 (wrong use).
 */
import { setFlagsFromString } from 'node:v8';

// What a request allocates is garbage at its end, so the young generation has no use for the tens of megabytes that it
// would grow to under load. The size itself is fixed before a program runs; by how much it grows is not.
setFlagsFromString('--semi-space-growth-factor=1');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`galley needs Node 22.18 or newer; this is Node ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  const { runCommandLine } = await import('./cli/run.ts');
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
