/**
 * The image process: a child of the server that decodes uploaded images. An image that crashes a decoder or exhausts
 * its memory ends this process and not the server. It receives jobs as messages and lives until its parent ends it or
 * is gone.
 */
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { ImageFailure, restrictDecoders, runJob, setThreads } from './derive.ts';
import type { JobReply, JobRequest, Ready } from './image.ts';

/** Low priority, so that requests are served first. */
const PRIORITY = os.constants.priority.PRIORITY_LOW;

/** Lowers the priority of this process, where the system supports it. */
function lowerPriority(): void {
  try {
    os.setPriority(PRIORITY);
    // if memory runs out, the system ends this process first
    writeFileSync('/proc/self/oom_score_adj', '800');
  } catch {
    // not Linux
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
// the parent ends this process; an interrupt from the terminal reaches both
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('message', async (request: JobRequest) => {
  const reply = await answer(request);
  process.send?.(reply);
});

restrictDecoders();
setThreads(1);
process.send?.({ ready: true } satisfies Ready);
lowerPriority();
