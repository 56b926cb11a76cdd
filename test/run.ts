/**
 * Runs the test files: `node test/run.ts [pattern…]`. Those that take longest go first, so that no core is left idle at
 * the end while the other works on one of them, each in a process of its own; the others share processes. It reads no
 * flags; `node --test` does, and runs single files as well.
 */
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type RunOptions, run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';

const ROOT = path.join(import.meta.dirname, '..');

/** More than there are cores: most files wait now and then, for a limit to pass or for a process that they started. */
const CONCURRENCY = 4;

/** Files that share a process: to load and compile the server takes longer than the tests of most of them. */
const TOGETHER = 16;

/** The longest first; what is not named follows in the order of the names. */
const LONGEST = [
  // its processes have a low priority: at the end, others would take the processor from them
  'feature/media/images',
  'feature/writing/model',
  'feature/http/unread-answers',
  'conformance/replay',
  'feature/database/foreign-tables',
  'browser/lists',
  'browser/document',
  'browser/shell',
  'browser/accessibility',
  'browser/writing',
  'browser/blocks-writing',
  'browser/pasting',
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
// to bundle the program takes as long as to start it ten times
if (found.length > TOGETHER) process.env['GALLEY_TEST_BUNDLED'] = 'true';
const long = LONGEST.filter((file) => found.includes(file));
const others = found.filter((file) => !long.includes(file));
const folder = mkdtempSync(path.join(tmpdir(), 'galley-together-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Writes a test file that runs others in its process. */
function together(names: readonly string[], index: number): string {
  const module = JSON.stringify(path.join(import.meta.dirname, 'support/together.ts'));
  const files = Object.fromEntries(names.map((name) => [name, path.join(ROOT, name)]));
  const file = path.join(folder, `${index}.test.mjs`);
  writeFileSync(file, `import { together } from ${module};\ntogether(${JSON.stringify(files, null, 2)});\n`);
  return file;
}

const groups = Array.from({ length: Math.ceil(others.length / TOGETHER) }, (_, index) =>
  others.slice(index * TOGETHER, (index + 1) * TOGETHER),
);

// the types do not know of the last one
const options: RunOptions & { readonly globalSetupPath: string } = {
  cwd: ROOT,
  files: [...long, ...groups.map(together)],
  concurrency: CONCURRENCY,
  execArgv: ['--import', path.join(import.meta.dirname, 'support/untracked.ts')],
  globalSetupPath: path.join(import.meta.dirname, 'support/global-setup.ts'),
};

const results = run(options);
results.on('test:fail', () => {
  process.exitCode = 1;
});
Readable.from(withoutLogs(results)).compose(spec).pipe(process.stdout);

/** What the types do not know: the file that the process was started with. */
interface WrittenBy {
  readonly entryFile?: string;
}

/** Holds back what the processes write themselves, such as logs of servers, and shows it where something has failed. */
async function* withoutLogs(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const written: TestEvent[] = [];
  const succeeded = new Set<string | undefined>();
  for await (const event of events) {
    const { type, data } = event;
    if (type === 'test:stderr' || type === 'test:stdout') {
      written.push(event);
      continue;
    }
    if (type === 'test:summary' && data.success) succeeded.add(data.file);
    // that of the whole run, which comes last
    if (type === 'test:plan' && data.file === undefined) {
      yield* written.filter(({ data }) => !succeeded.has((data as WrittenBy).entryFile));
    }
    yield event;
  }
}
