/**
 * Listeners to changes (`GET /api/events`) while others write: how long after its request a change reaches them, what
 * that takes of memory and processor, and what writers notice of it. By hand:
 *
 *     npm run bench:events [-- --listeners N] [--changes N] [--seconds N] [--source]
 *
 * `DATABASE_URL` names another database than a new file. The listeners are in this process, which takes its part of the
 * same cores.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildGalley, onFile, startGalley } from './galley.ts';
import type { Target } from './processes.ts';

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '2000' },
    changes: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '10' },
    source: { type: 'boolean', default: false },
  },
});
const [LISTENERS, CHANGES, SECONDS] = [Number(values.listeners), Number(values.changes), Number(values.seconds)];

const SCHEMA = {
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { draftAndPublish: false },
  attributes: { title: { type: 'string' } },
};
const ACTIONS = ['find', 'create', 'update'].map((name) => `api::note.note.${name}`);
const SEED = { apply: { roles: { public: ACTIONS } }, content: {} };

/** What a run of writes came to: milliseconds. */
interface Writes {
  readonly answers: number[];
  /** When the request of each change was sent, by its title. */
  readonly sent: Map<string, number>;
}

/** When a change reached a listener, by its number. */
type Heard = (documentId: string, at: number) => void;

function makeProject(dir: string): void {
  const place = path.join(dir, 'src/api/note/content-types/note');
  mkdirSync(place, { recursive: true });
  mkdirSync(path.join(dir, 'config'));
  writeFileSync(path.join(place, 'schema.json'), JSON.stringify(SCHEMA));
  writeFileSync(path.join(dir, 'seed.json'), JSON.stringify(SEED));
  const limits = { listeners: LISTENERS + 10, perCaller: LISTENERS + 10 };
  writeFileSync(path.join(dir, 'config/server.js'), `module.exports = { events: ${JSON.stringify(limits)} };`);
}

function listen({ url }: Target, heard: Heard): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      const at = performance.now();
      const parts = (rest + text).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) {
        if (part.includes('event: ready')) resolve(socket);
        const documentId = /"documentId":"(\w+)"/.exec(part)?.[1];
        if (documentId !== undefined) heard(documentId, at);
      }
    });
    socket.once('error', reject);
    socket.write('GET /api/events?types=notes HTTP/1.1\r\nhost: bench\r\n\r\n');
  });
}

/** Makes so many documents a second, each with a request of its own. */
async function write({ url }: Target): Promise<Writes> {
  const answers: number[] = [];
  const sent = new Map<string, number>();
  const under: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < CHANGES * SECONDS; n++) {
    await pause(Math.max(0, began + (n * 1000) / CHANGES - performance.now()));
    const start = performance.now();
    const request = fetch(`${url}/api/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title: `note ${n}` } }),
    });
    const done = request.then(async (response) => {
      const { data } = (await response.json()) as { data: { documentId: string } };
      answers.push(performance.now() - start);
      sent.set(data.documentId, start);
    });
    under.push(done);
  }
  await Promise.all(under);
  return { answers, sent };
}

const line = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function percentile(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN).toFixed(1);
}

function row(name: string, times: number[]): string {
  const sorted = Float64Array.from(times).sort();
  const of = (part: number) => percentile(sorted as unknown as number[], part);
  return line(name, String(times.length), of(0.5), of(0.95), of(0.99), of(1));
}

const dir = mkdtempSync(path.join(tmpdir(), 'galley-bench-events-'));
try {
  makeProject(dir);
  const program = values.source ? 'src/main.ts' : 'dist/main.js';
  if (!values.source) buildGalley();
  const url = process.env['DATABASE_URL'];
  const env = url === undefined ? onFile(path.join(dir, 'content.db')) : { DATABASE_URL: url };
  const server = await startGalley({ program, project: dir, env, headers: {}, probe: '/api/notes' });
  await write(server);
  const alone = await write(server);
  const [memory, time] = [server.memory(), server.processorTime()];
  const delays: number[] = [];
  const heard: [string, number][] = [];
  const sockets: Socket[] = [];
  while (sockets.length < LISTENERS) {
    const some = Array.from({ length: Math.min(100, LISTENERS - sockets.length) }, () =>
      listen(server, (documentId, at) => void heard.push([documentId, at])),
    );
    sockets.push(...(await Promise.all(some)));
  }
  const before = server.processorTime();
  const beside = await write(server);
  await pause(1000);
  const took = server.processorTime() - before;
  for (const [documentId, at] of heard) delays.push(at - beside.sent.get(documentId)!);
  const after = server.memory();
  for (const socket of sockets) socket.destroy();
  await server.stop();
  console.log(`${LISTENERS} listeners, ${CHANGES} changes a second, ${SECONDS} s, ${url ? 'PostgreSQL' : 'SQLite'}\n`);
  console.log(line('milliseconds', 'of', 'median', '95 %', '99 %', 'longest'));
  console.log(line('---', '---:', '---:', '---:', '---:', '---:'));
  console.log(row('an answer, nobody listening', alone.answers));
  console.log(row('an answer, with listeners', beside.answers));
  console.log(row('from a request to a listener', delays));
  const missed = LISTENERS * CHANGES * SECONDS - heard.length;
  console.log(
    `\nmissed: ${missed}; memory: ${memory.toFixed(0)} MB before the first listener, ${after.toFixed(0)} MB after`,
  );
  console.log(`processor: ${(took / (SECONDS + 1)).toFixed(2)} of a core with listeners; ${time.toFixed(1)} s before`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
