/** Cursors of pages at the start, in the middle and at the end of a list, as a client comes by them: page by page. */
import type { Target } from '../processes.ts';
import type { Samples } from './databases.ts';
import type { Progress } from './progress.ts';
import { type CursorPage, cursorPath } from './workloads.ts';

/** Entries of a page while walking; the largest page that is served by default. */
const STRIDE = 100;
/** Cursors that are kept of the middle and of the end. */
const KEPT = 40;

interface Answer {
  readonly meta?: { readonly pagination?: { readonly next?: string | null } };
}

/** The paths of each workload; undefined when the server knows no cursors, or gives none that leads on. */
export async function cursorPaths(
  target: Target,
  { published, size }: Samples,
  progress: Progress,
): Promise<Readonly<Record<CursorPage, readonly string[]>> | undefined> {
  const middle: string[] = [];
  const end: string[] = [];
  let cursor = '';
  for (let passed = 0; passed < published + STRIDE; passed += STRIDE) {
    const response = await fetch(target.url + cursorPath(cursor, STRIDE), { headers: target.headers });
    const { meta } = (await response.json()) as Answer;
    if (response.status !== 200) return undefined;
    const next = meta?.pagination?.next;
    if (!next) break;
    cursor = next;
    if (passed >= published / 2 && middle.length < KEPT) middle.push(cursorPath(cursor));
    end.push(cursorPath(cursor));
    if (end.length > KEPT) end.shift();
    progress.within(`walking through ${size} articles`, passed / published);
  }
  return end.length === 0 || middle.length === 0 ? undefined : { start: [cursorPath('')], middle, end };
}
