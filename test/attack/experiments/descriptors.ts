/** No free file descriptor: requests that need a file are refused, others are answered, and the server survives. */
import { Agent } from 'node:http';
import { ask, atOnce, openSocket, pause, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';

const OPEN_FILES = 120;
const CONNECTIONS = 300;
const BOUNDARY = 'attack';

const form = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\ntext\r\n--${BOUNDARY}--\r\n`;

export const experiment: Experiment = {
  name: 'descriptors',
  async run(trial) {
    const attacked = await trial.serveGrown({ openFiles: OPEN_FILES });
    const { url, tokens, subject } = attacked;
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const cheap = () => ask(url, { path: '/api/articles?pagination[pageSize]=10', token: tokens.writer, agent });
    for (let n = 0; n < 5; n++) await atOnce(4, cheap);
    const sockets = await atOnce(CONNECTIONS, () => openSocket(url));
    trial.afterwards(() => sockets.forEach((socket) => void socket.destroy()));
    await pause(500);
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const reads = await atOnce(20, cheap);
    const slow = await atOnce(4, (n) =>
      ask(url, { path: `/api/articles?sort=tags.name&filters[title][$containsi]=x${n}`, agent }),
    );
    const upload = await ask(url, {
      method: 'POST',
      path: '/api/upload',
      token: tokens.writer,
      headers,
      body: form,
      agent,
    });
    const write = await ask(url, {
      method: 'POST',
      path: '/api/tags',
      token: tokens.writer,
      body: { data: { name: 'attack' } },
      agent,
    });
    for (const socket of sockets) socket.destroy();
    await pause(500);
    const after = [
      await cheap(),
      await ask(url, { path: '/_ready' }),
      await ask(url, { method: 'POST', path: '/api/upload', token: tokens.writer, headers, body: form }),
    ];
    agent.destroy();
    trial.figure(
      subject.isAlive &&
        reads.every(({ status }) => status === 200) &&
        [...slow, upload, write].every(({ status }) => (status > 0 && status < 300) || status === 503),
      `${OPEN_FILES} files, ${CONNECTIONS} connections: on those open before, quick reads ${statuses(reads)}, slow ones ${statuses(slow)}, an upload ${upload.status || 'none'}, a write ${write.status || 'none'}`,
    );
    trial.figure(
      after.every(({ status }) => status > 0 && status < 300),
      `after, ${statuses(after)}; ${subject.log().length} lines in the log`,
    );
  },
};
