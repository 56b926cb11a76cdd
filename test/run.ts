/**
 * Runs the test files: `node test/run.ts [pattern…]`. Those that take longest go first, so that no core is left idle at
 * the end while the other works on one of them. It reads no flags; `node --test` does, and runs single files as well.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import { type RunOptions, run } from 'node:test';
import { spec } from 'node:test/reporters';

const ROOT = path.join(import.meta.dirname, '..');

/** More than there are cores: most files wait now and then, for a limit to pass or for a process that they started. */
const CONCURRENCY = 3;

/** The longest first; what is not named follows in the order of the names. */
const LONGEST = [
  'feature/writing/model',
  'feature/http/unread-answers',
  'conformance/replay',
  'feature/media/images',
  'browser/lists',
  'browser/document',
  'browser/shell',
  'browser/accessibility',
  'feature/reading/slow-reads',
  'feature/media/s3-scenarios',
  'feature/workers/worker-ends',
  'feature/project/start',
  'feature/project/package',
  'feature/project/watch',
  'feature/media/upload-recovery',
  'feature/http/hostile-input',
].map((name) => path.join('test', `${name}.test.ts`));

const patterns = process.argv.slice(2);
const found = globSync(patterns.length > 0 ? patterns : 'test/**/*.test.ts', { cwd: ROOT }).sort();
if (found.length === 0) throw new Error(`no test file is named ${patterns.join(' ')}`);
const files = [...LONGEST.filter((file) => found.includes(file)), ...found.filter((file) => !LONGEST.includes(file))];

// the types do not know of the last one
const options: RunOptions & { readonly globalSetupPath: string } = {
  cwd: ROOT,
  files,
  concurrency: CONCURRENCY,
  globalSetupPath: path.join(import.meta.dirname, 'support/global-setup.ts'),
};
const results = run(options);
results.on('test:fail', () => {
  process.exitCode = 1;
});
results.compose(spec).pipe(process.stdout);
