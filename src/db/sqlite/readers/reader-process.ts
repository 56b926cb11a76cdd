/**
 * A reader process: a child of the server that runs reads that may be slow, one at a time, or definitions that take
 * time in proportion to the rows of a table. A thread cannot be stopped inside a statement; a process can, at any time
 * and without harm to the file. It runs until its parent ends it or is gone.
 */
import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { ContentError } from '../../../errors.ts';
import { entryFile } from '../../../own-files.ts';
import { processorTime } from '../../../processor-time.ts';
import { Connection, connect } from '../connection.ts';
import { translated } from '../failures.ts';
import { sendLongValues, takeLongValues } from './long-values.ts';
import { type ReaderReply, type ReaderRequest, WRITES } from './reader-child.ts';

/** Niceness: quick reads take precedence, but other programs do not starve the process. */
const PRIORITY = 5;
/** Milliseconds to wait for another process that has locked the file; only the caller of this read waits. */
const PATIENCE = 5000;

let connection: Connection | undefined;

/** The reply, and the long values that follow it. */
interface Response {
  readonly reply: ReaderReply;
  readonly values?: readonly Buffer[];
}

function answer({ text, values }: ReaderRequest): Response {
  try {
    connection ??= new Connection(connect(process.argv[2]!, process.argv[3] !== WRITES, PATIENCE));
    const before = processorTime();
    const rows = connection.rows(text, values);
    const taken = takeLongValues(rows);
    return { reply: { sent: taken.sent, milliseconds: processorTime() - before }, values: taken.values };
  } catch (error) {
    const translation = translated(error);
    const { message, code, cause } = translation as Error & { code?: string; cause?: Error };
    if (!(translation instanceof ContentError)) return { reply: { failure: { message, code } } };
    return { reply: { refusal: { name: translation.name, message, cause: cause?.message } } };
  }
}

process.on('disconnect', () => process.exit(0));
// only the parent decides when to end: an interrupt from the terminal reaches both
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('message', (request: ReaderRequest) => {
  const { reply, values = [] } = answer(request);
  process.send?.(reply, undefined, undefined, (error) => {
    try {
      if (!error) sendLongValues(values);
    } catch {
      // the parent is gone
      process.exit();
    }
  });
});
// lowered only now, so that the start is not delayed on a busy machine
try {
  os.setPriority(PRIORITY);
} catch {
  // not every system permits this
}
new Worker(entryFile('db/sqlite/readers/parent-watch'), {
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 16 },
}).unref();
process.send?.({ isReady: true } satisfies ReaderReply);
