/** Short requests for large answers, read and not read. */
import { type Asked, ask, atOnce, besiege, longest, openSocket, pause, statuses, wire } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import type { Attacked, Trial } from '../trial.ts';
import { ms, size } from '../trial.ts';

/** Some 70 MB in 20,000 articles. */
export const HUGE = '/api/articles?populate[author][populate][articles][populate]=*&pagination[pageSize]=100';
/** The longest answer that there is, with what is around the documents. */
export const LONGEST_ANSWER = 17_000_000;
/** Milliseconds in which what is too long is refused. */
const MOST_TIME = 8000;

/** The largest page of the huge list that is answered: its path and how long the answer is. */
export async function largestServed({ url }: Attacked): Promise<{ path: string; bytes: number }> {
  let best = { path: '/api/articles?pagination[pageSize]=100', bytes: 0 };
  for (let low = 1, high = 100; low <= high; ) {
    const middle = (low + high) >> 1;
    const path = HUGE.replace('=100', `=${middle}`);
    const { status, bytes } = await ask(url, { path });
    if (status === 200 && bytes <= LONGEST_ANSWER) {
      best = { path, bytes };
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

async function unread(trial: Trial, attacked: Attacked, path: string): Promise<void> {
  const { url } = attacked;
  const sockets = await atOnce(60, () => openSocket(url));
  trial.afterwards(() => sockets.forEach((socket) => void socket.destroy()));
  for (const socket of sockets) socket.write(wire({ path }));
  await pause(15_000);
  trial.figure(true, '60 connections that take nothing of it for 15 s');
  for (const socket of sockets) socket.destroy();
  const piped = await atOnce(4, () => openSocket(url));
  trial.afterwards(() => piped.forEach((socket) => void socket.destroy()));
  const many = wire({ path: '/api/articles?pagination[pageSize]=100' }).repeat(2000);
  for (const socket of piped) socket.write(many);
  await pause(8000);
  trial.figure(true, '4 times 2,000 requests in one go whose answers nobody takes');
  for (const socket of piped) socket.destroy();
}

export const experiment: Experiment = {
  name: 'answers',
  // on SQLite several processes make answers of 16 MB at a time
  mostMemory: 800,
  mostTime: 120_000,
  async run(trial) {
    const attacked = await trial.serveGrown();
    const { url } = attacked;
    const huge = await ask(url, { path: HUGE });
    trial.figure(
      huge.bytes < LONGEST_ANSWER && huge.status !== 0 && huge.ms < MOST_TIME,
      `a GET of ${HUGE.length} characters: ${huge.status} of ${size(huge.bytes)} in ${ms(huge.ms)}`,
    );
    if (huge.bytes > LONGEST_ANSWER) return;
    const { path, bytes } = await largestServed(attacked);
    const asks: Readonly<Record<string, Asked>> = {
      plain: { path },
      'with brotli': { path, headers: { 'accept-encoding': 'br' } },
      'with a tag': { path, headers: { 'if-none-match': 'W/"x"' } },
      'in the format of v4': { path, headers: { 'strapi-response-format': 'v4' } },
    };
    const told: string[] = [];
    let isFine = true;
    for (const [what, asked] of Object.entries(asks)) {
      const replies = await besiege(url, 8, 3, () => asked);
      isFine &&= replies.every(({ status }) => status === 200 || status === 503 || status === 400);
      told.push(`${what}: ${statuses(replies)}, longest ${ms(longest(replies))}`);
    }
    trial.figure(isFine, `the largest that is served has ${size(bytes)}; on 8 connections ${told.join('; ')}`);
    await unread(trial, attacked, path);
  },
};
