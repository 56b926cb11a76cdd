/** Some time in which writers of both sides write, and each write is read on the other side. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Pair, Side, SideName } from './pair.ts';
import { SIDES } from './pair.ts';

/** How many write on which side, and how many read lists at Galley all the time. */
export type Load = Readonly<Record<SideName, number>> & {
  readonly readers: number;
  /** Milliseconds that Galley's writers wait between two writes; none when left out. */
  readonly pause?: number;
};

export interface Outcome extends Readonly<Record<SideName, Figures>> {
  readonly reads: { done: number; failed: number };
}

export interface Figures {
  written: number;
  /** Writes that were refused though nothing was wrong with them. */
  failed: number;
  /** What the refusals said, with their numbers. */
  readonly reasons: Map<string, number>;
  /** Answered writes that the other side was asked for, and those that it did not show as they were written. */
  checked: number;
  stale: number;
  /** Reads by the other side that were refused. */
  unread: number;
  seconds: number;
}

/** Documents that the writers of both sides change. */
const SHARED = 4;

/** Lets writers write for some seconds. */
export async function runPhase(pair: Pair, load: Load, seconds: number): Promise<Outcome> {
  const shared: string[] = [];
  for (let n = 0; n < SHARED; n++) {
    const { status, body } = await pair.galley.send('POST', '/api/pages?status=published', { title: `Shared ${n}` });
    if (status >= 300) throw new Error(`a page cannot be made: ${status} ${JSON.stringify(body)}`);
    shared.push(idOf(body)!);
  }
  const figures = { strapi: noFigures(), galley: noFigures(), reads: { done: 0, failed: 0 } };
  const until = performance.now() + seconds * 1000;
  const tasks = SIDES.flatMap((name) =>
    Array.from({ length: load[name] }, (_, number) =>
      write(pair, name, { shared, number, until, pause: name === 'galley' ? load.pause : undefined }, figures[name]),
    ),
  );
  const readers = Array.from({ length: load.readers }, () => read(pair.galley, until, figures.reads));
  await Promise.all([...tasks, ...readers]);
  for (const name of SIDES) figures[name].seconds = seconds;
  return figures;
}

const noFigures = (): Figures => ({
  written: 0,
  failed: 0,
  reasons: new Map(),
  checked: 0,
  stale: 0,
  unread: 0,
  seconds: 0,
});

interface Task {
  readonly shared: readonly string[];
  readonly number: number;
  readonly until: number;
  readonly pause: number | undefined;
}

/** One writer: pages with relations, made, changed, published, changed together with others, and notes about them. */
async function write(
  pair: Pair,
  name: SideName,
  { shared, number, until, pause }: Task,
  figures: Figures,
): Promise<void> {
  const own = pair[name];
  const other = pair[name === 'strapi' ? 'galley' : 'strapi'];
  const pages: string[] = [];
  const notes: string[] = [];
  const counted = async (sent: Promise<Answer>): Promise<string | undefined> => {
    const { status, body } = await sent;
    if (status >= 200 && status < 300) {
      figures.written++;
      return status === 204 ? '' : idOf(body);
    }
    figures.failed++;
    const { error } = (body ?? {}) as { error?: { message?: string } };
    const reason = `${status} ${error?.message ?? 'no answer'}`;
    figures.reasons.set(reason, (figures.reasons.get(reason) ?? 0) + 1);
    return undefined;
  };
  /** Whether the other side shows a page as it was written. */
  const check = async (id: string, title: string): Promise<void> => {
    const { status, body } = await other.send('GET', `/api/pages/${id}?fields=title`);
    if (status >= 500 || status === 0) {
      figures.unread++;
      return;
    }
    figures.checked++;
    if ((body?.data as { title?: string } | undefined)?.title !== title) figures.stale++;
  };
  for (let turn = 0; performance.now() < until; turn++) {
    if (pause !== undefined) await sleep(pause);
    const title = `${name} ${number} ${turn}`;
    const page = pages.at(-1);
    const kind = turn % 5;
    if (kind === 0 || page === undefined) {
      const data = { title, rank: turn, peers: pages.slice(-3) };
      const id = await counted(own.send('POST', '/api/pages?status=published', data));
      if (id === undefined) continue;
      pages.push(id);
      await check(id, title);
    } else if (kind === 1) {
      const id = await counted(own.send('POST', '/api/notes', { text: title, page }));
      if (id !== undefined) notes.push(id);
    } else if (kind === 2) {
      const data = { title, peers: { connect: [pages[0]] } };
      const id = await counted(own.send('PUT', `/api/pages/${page}?status=published`, data));
      if (id !== undefined) await check(page, title);
    } else if (kind === 3) {
      await counted(own.send('PUT', `/api/pages/${shared[turn % SHARED]}`, { rank: turn, peers: { connect: [page] } }));
    } else if (notes.length > 3) await counted(own.send('DELETE', `/api/notes/${notes.shift()}`));
  }
}

/** Reads the newest pages with those that they lead to, again and again. */
async function read(side: Side, until: number, reads: Outcome['reads']): Promise<void> {
  while (performance.now() < until) {
    const { status } = await side.send('GET', '/api/pages?sort=updatedAt:desc&populate=peers');
    if (status === 200) reads.done++;
    else reads.failed++;
  }
}

const idOf = (body: Answer['body']): string | undefined =>
  (body?.data as { documentId?: string } | undefined)?.documentId;

/** Lines of what a phase has shown. */
export function printed(load: Load, figures: Outcome): string[] {
  const { reads } = figures;
  const lines = [
    `${load.strapi} writers at Strapi, ${load.galley} at Galley${load.pause === undefined ? '' : ` (a write every ${load.pause} ms)`}, ${load.readers} readers at Galley`,
  ];
  for (const name of SIDES) {
    if (load[name] === 0) continue;
    const { written, failed, checked, stale, unread, seconds, reasons } = figures[name];
    const share = ((100 * failed) / Math.max(written + failed, 1)).toFixed(1);
    const other = name === 'strapi' ? 'Galley' : 'Strapi';
    lines.push(
      `  ${name}: ${(written / seconds).toFixed(0)} writes a second, ${failed} of ${written + failed} failed (${share} %); ` +
        `${other} showed ${checked - stale} of ${checked} at once, and refused ${unread} reads`,
    );
    for (const [reason, count] of reasons) lines.push(`    ${count} × ${reason}`);
  }
  if (load.readers > 0) {
    const seconds = Math.max(figures.strapi.seconds, 1);
    lines.push(`  lists read at Galley: ${(reads.done / seconds).toFixed(0)} a second, ${reads.failed} refused`);
  }
  return lines;
}
