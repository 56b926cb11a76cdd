/** Uploads: many at once, of many parts, pictures that are larger than they look, and bodies that come slowly. */
import { deflateSync } from 'node:zlib';
import { type Asked, ask, atOnce, besiege, longest, openSocket, pause, type Reply, statuses, wire } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

const MOST_TIME = 19_000;
const BOUNDARY = 'attack';

const part = (name: string, type: string, body: string, field = 'files'): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const END = `--${BOUNDARY}--\r\n`;

/** A chunk of a PNG; its checksum is not looked at by whoever reads the header alone. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

/** A small file that is a picture of so many pixels. */
function bomb(width: number, height: number): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc(4_000_000), { level: 9 });
  const parts = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]).toString('latin1');
}

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="1e9" height="1e9">${'<g>'.repeat(20_000)}</svg>`;

/** Forms by what is in them. */
const FORMS: Readonly<Record<string, string>> = {
  'a hundred files': Array.from({ length: 100 }, (_, n) => part(`f${n}.txt`, 'text/plain', `file ${n}`)).join('') + END,
  'a thousand fields':
    Array.from(
      { length: 1000 },
      (_, n) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\n1\r\n`,
    ).join('') + END,
  'a picture of 10^10 pixels': part('bomb.png', 'image/png', bomb(100_000, 100_000)) + END,
  'a picture of 10^8 pixels that is none': part('bomb.png', 'image/png', bomb(10_000, 9999)) + END,
  'a deep drawing': part('deep.svg', 'image/svg+xml', DRAWING) + END,
  'a million boundaries': `${`--${BOUNDARY}\r\n`.repeat(100_000)}${END}`,
  'information that explodes':
    part('a.txt', 'text/plain', 'a') +
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="fileInfo"\r\n\r\n${'['.repeat(200_000)}\r\n${END}`,
};

export const experiment: Experiment = {
  name: 'uploads',
  // with the process for images
  mostMemory: 1000,
  async run(trial) {
    const { url, tokens, subject } = await trial.serveGrown();
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const post = (form: string): Asked => ({
      method: 'POST',
      path: '/api/upload',
      token: tokens.writer,
      headers,
      body: form,
    });
    const replies: Reply[] = [];
    const told: string[] = [];
    for (const [what, form] of Object.entries(FORMS)) {
      const reply = await ask(url, post(form));
      replies.push(reply);
      if (reply.ms > 3000 || reply.status === 0 || reply.status === 500)
        told.push(`, ${what}: ${reply.status || 'none'} in ${ms(reply.ms)}`);
    }
    trial.figure(
      longest(replies) < MOST_TIME && replies.every(({ status }) => status !== 0 && status !== 500),
      `${replies.length} odd forms: ${statuses(replies)}, longest ${ms(longest(replies))}${told.join('')}`,
    );
    const slow = await atOnce(100, () => openSocket(url));
    trial.afterwards(() => slow.forEach((socket) => void socket.destroy()));
    for (const socket of slow) {
      const head = {
        method: 'POST',
        path: '/api/upload',
        token: tokens.writer,
        headers: { ...headers, 'content-length': 1_000_000 },
      };
      socket.write(wire(head, part('slow.txt', 'text/plain', 'slow')));
    }
    await pause(1000);
    const forms = Object.values(FORMS);
    const crowd = await besiege(url, 20, 8, (n) => post(forms[n % forms.length]!));
    for (const socket of slow) socket.destroy();
    trial.figure(
      crowd.every(({ status }) => status !== 0 && status !== 500) && subject.isAlive,
      `on 20 connections, beside 100 that send slowly: ${statuses(crowd)}, longest ${ms(longest(crowd))}`,
    );
  },
};
