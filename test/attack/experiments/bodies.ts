/** Bodies that are cut off, and those that come drop by drop: their cost, and their lines in the log. */
import { atOnce, openSocket, pause, wire } from '../client.ts';
import type { Experiment } from '../experiment.ts';

const CUT = 600;
const SLOW = 400;
const SECONDS = 8;

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=xx',
  'application/json; charset=latin1',
];
const HALF: Readonly<Record<string, string>> = {
  'multipart/form-data; boundary=xx':
    '--xx\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nhalf',
};

export const experiment: Experiment = {
  name: 'bodies',
  async run(trial) {
    const { url, tokens, subject } = await trial.serveGrown();
    const head = (n: number): string => {
      const type = TYPES[n % TYPES.length]!;
      const length = n % 2 ? { 'content-length': '100000' } : { 'transfer-encoding': 'chunked' };
      const body = HALF[type] ?? '{"data":{"title":"ha';
      const path = n % 3 ? '/api/articles' : '/api/upload';
      const sent = n % 2 ? body : `${body.length.toString(16)}\r\n${body}\r\n`;
      return wire({ method: 'POST', path, token: tokens.writer, headers: { 'content-type': type, ...length } }, sent);
    };
    for (let round = 0; round < CUT / 100; round++) {
      const sockets = await atOnce(100, () => openSocket(url));
      sockets.forEach((socket, n) => void socket.write(head(n + round)));
      await pause(50);
      sockets.forEach((socket, n) => void (n % 2 ? socket.resetAndDestroy() : socket.destroy()));
    }
    await pause(500);
    const errors = subject.log().filter((line) => line.includes('"error"'));
    trial.figure(
      errors.length === 0,
      `${CUT} bodies cut off: ${errors.length} lines of errors in the log${errors[0] ? `, such as ${errors[0].slice(0, 200)}` : ''}`,
    );
    const slow = await atOnce(SLOW, () => openSocket(url));
    trial.afterwards(() => slow.forEach((socket) => void socket.destroy()));
    slow.forEach((socket, n) => void socket.write(head(n)));
    for (let second = 0; second < SECONDS; second++) {
      for (const socket of slow) socket.write('1\r\nx\r\n');
      await pause(1000);
    }
    trial.figure(true, `${SLOW} bodies drop by drop for ${SECONDS} s`);
    for (const socket of slow) socket.destroy();
  },
};
