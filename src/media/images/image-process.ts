/**
 * The image process: a child of the server that decodes what strangers upload. What breaks a decoder, or fills its
 * memory, ends this process and not the server. It takes jobs as messages and lives until its parent ends it or is
 * gone.
 */
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { ImageFailure, restrictDecoders, runJob, setThreads } from './derive.ts';
import type { JobReply, JobRequest, Ready } from './image.ts';

/** Niceness: whatever answers readers goes first. */
const PRIORITY = os.constants.priority.PRIORITY_LOW;

/** Asks the system to give way to everything else; where it does not know how, work goes on all the same. */
function giveWay(): void {
  try {
    os.setPriority(PRIORITY);
    // when memory runs out this process is the one to end
    writeFileSync('/proc/self/oom_score_adj', '800');
  } catch {
    // no Linux
  }
}

async function answer({ id, job, memory }: JobRequest): Promise<JobReply> {
  try {
    return { id, result: await runJob(job, memory) };
  } catch (error) {
    if (error instanceof ImageFailure) return { id, failure: error.failure };
    throw error;
  }
}

process.on('disconnect', () => process.exit(0));
// only the parent decides when to end: an interrupt from the terminal reaches both
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('message', async (request: JobRequest) => {
  const reply = await answer(request);
  process.send?.(reply);
});

restrictDecoders();
setThreads(1);
process.send?.({ ready: true } satisfies Ready);
giveWay();
