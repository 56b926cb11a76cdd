/** The protocol itself: slow headers, floods of headers and of connections, requests in one go, broken ones. */
import { ask, atOnce, openSocket, pause, statuses, wire } from '../client.ts';
import type { Experiment } from '../experiment.ts';

const IDLE = 3000;
/** Connections that send the same at a time. Of more than a few full of tiny requests Node's own parser takes longer. */
const ROUNDS = 4;

/** What is sent on a connection, by its kind. */
const SENT: Readonly<Record<string, (n: number) => string>> = {
  'headers of 15 KB': (n) => wire({ path: '/api/articles', headers: { cookie: `a${n}=${'x'.repeat(15_000)}` } }),
  'two thousand headers': (n) =>
    wire({
      path: '/api/articles',
      headers: Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`h${n}${i}`, '1'])),
    }),
  'lists in headers': () =>
    wire({
      path: '/api/tags',
      headers: {
        'accept-encoding': `${'br;q=0.1,'.repeat(1500)}x`,
        'if-none-match': 'W/"x",'.repeat(300),
        'x-forwarded-for': '1.2.3.4,'.repeat(100),
      },
    }),
  'a target of 15 KB': (n) => wire({ path: `/api/${'x'.repeat(15_000)}${n}` }),
  'a thousand requests in one go': () => wire({ path: '/api/tags?pagination[pageSize]=1' }).repeat(1000),
  'a thousand refusals in one go': () => wire({ path: '/api/nothing' }).repeat(1000),
  'a token of 15 KB': (n) => wire({ path: '/api/tags', token: `${n}${'x'.repeat(15_000)}` }),
  'no HTTP': () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.repeat(1000),
  'two lengths': () =>
    wire({ method: 'POST', path: '/api/tags', headers: { 'content-length': '5', 'Content-Length': '6' } }, 'x'),
  'chunks of one byte': () =>
    wire(
      { method: 'POST', path: '/api/tags', headers: { 'transfer-encoding': 'chunked' } },
      `${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`,
    ),
};

export const experiment: Experiment = {
  name: 'http',
  async run(trial) {
    const { url, subject, tokens } = await trial.serveGrown();
    await ask(url, { path: '/api/articles' });
    const idle: Awaited<ReturnType<typeof openSocket>>[] = [];
    trial.afterwards(() => idle.forEach((socket) => void socket.destroy()));
    for (let n = 0; n < IDLE; n += 500) idle.push(...(await atOnce(500, () => openSocket(url))));
    for (const socket of idle) socket.write('GET /api/articles HTTP/1.1\r\nhost: x\r\n');
    for (let second = 0; second < 5; second++) {
      for (const socket of idle) socket.write(`x-slow-${second}: 1\r\n`);
      await pause(1000);
    }
    const beside = await atOnce(20, (n) =>
      ask(url, { path: `/api/tags?pagination[pageSize]=${n + 1}`, token: tokens.reader }),
    );
    trial.figure(
      beside.every(({ status }) => status === 200),
      `${IDLE} connections whose headers never end; reads beside them ${statuses(beside)}`,
    );
    for (const socket of idle) socket.destroy();
    for (const make of Object.values(SENT)) {
      const sockets = await atOnce(ROUNDS, () => openSocket(url));
      sockets.forEach((socket, n) => {
        socket.resume().write(make(n), 'latin1');
      });
      await pause(1200);
      for (const socket of sockets) socket.destroy();
    }
    const after = await atOnce(20, (n) =>
      ask(url, { path: `/api/tags?pagination[pageSize]=${n + 1}`, token: tokens.reader }),
    );
    const errors = subject.log().filter((line) => line.includes('"error"'));
    trial.figure(
      after.every(({ status }) => status === 200) && errors.length === 0,
      `${Object.keys(SENT).length} kinds of odd requests; reads after ${statuses(after)}, ${errors.length} errors in the log`,
    );
  },
};
