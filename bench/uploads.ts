/**
 * Uploading images beside Strapi, in one run; what uploads cost those who read meanwhile; and the memory of an upload of
 * a gigabyte. By hand:
 *
 *     npm run bench:uploads [-- --no-strapi] [--uploads N]
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { onFile, startGalley } from './galley.ts';
import { growDatabase } from './grow.ts';
import { freePort, type Target } from './processes.ts';
import { startStrapi } from './strapi.ts';
import { withoutAnswerCache } from './without-cache.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WORK = path.join(import.meta.dirname, '.work/uploads');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const IMAGE = path.join(ROOT, 'test/conformance/files/landscape.jpg');
const ARTICLES = 2000;
const PROBE = '/api/articles?pagination[pageSize]=1';

/** Uploads under way at a time. */
const AT_ONCE = 8;
/** Reads a second, sent at their time whether or not those before have been answered. */
const READS = 50;
const READ = '/api/articles?populate[0]=author&populate[1]=tags';
/** Seconds of reading without uploads. */
const IDLE = 10;
/** Bytes of the large file. */
const LARGE = 1_000_000_000;

const { values: options } = parseArgs({
  options: { 'no-strapi': { type: 'boolean', default: false }, uploads: { type: 'string', default: '200' } },
});
const uploads = Number(options.uploads);
const tokens = JSON.parse(readFileSync(path.join(FIXTURE, 'tokens.json'), 'utf8')) as Record<string, string>;
const headers = { authorization: `Bearer ${tokens['full']}` };

const BOUNDARY = 'boundary-of-the-bench';
const partOf = (name: string, type: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;

interface Uploaded {
  readonly url: string;
  readonly formats: Readonly<Record<string, unknown>> | null;
}

/** Sends one form, whose body `write` writes, and gives the records of its files. */
function post(target: Target, length: number, agent: Agent, write: (to: ClientRequest) => void): Promise<Uploaded[]> {
  return new Promise((resolve, reject) => {
    const to = request(
      `${target.url}/api/upload`,
      {
        method: 'POST',
        agent,
        headers: {
          ...target.headers,
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
          'content-length': length,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => {
          if (answer.statusCode === 201) resolve(JSON.parse(text) as Uploaded[]);
          else reject(new Error(`${target.url}: ${answer.statusCode} ${text.slice(0, 300)}`));
        });
      },
    );
    to.on('error', reject);
    write(to);
  });
}

/** Uploads the image again and again, and gives how many a second. Throws when a format is missing. */
async function uploadRate(target: Target, count: number): Promise<number> {
  const body = Buffer.concat([
    Buffer.from(partOf('landscape.jpg', 'image/jpeg')),
    readFileSync(IMAGE),
    Buffer.from(END),
  ]);
  const agent = new Agent({ keepAlive: true });
  let left = count;
  const started = performance.now();
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      const [file] = await post(target, body.length, agent, (to) => to.end(body));
      const made = Object.keys(file?.formats ?? {}).length;
      if (made !== 4) throw new Error(`${target.url}: ${made} formats`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  agent.destroy();
  return count / ((performance.now() - started) / 1000);
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
  /** Reads that were refused, or waited for too long. */
  readonly unanswered: number;
}

/** Milliseconds within which half and 99 of 100 reads were answered, while `until` is not done. */
async function readLatency(target: Target, until: Promise<unknown>): Promise<Latency> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  let isDone = false;
  let unanswered = 0;
  const done = until.finally(() => {
    isDone = true;
  });
  const start = performance.now();
  for (let n = 0; !isDone; n++) {
    const due = start + (n * 1000) / READS;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const sent = performance.now();
    // one that is not answered counts with the time that it was waited for
    const read = fetch(target.url + READ, { headers: target.headers }).then(answered);
    pending.push(read.catch(() => void unanswered++).then(() => void times.push(performance.now() - sent)));
  }
  await Promise.all([done, ...pending]);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(Math.floor(times.length * share), times.length - 1)]!;
  return { p50: at(0.5), p99: at(0.99), unanswered };
}

async function answered(response: Response): Promise<void> {
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${response.url}: ${response.status}`);
}

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Megabytes that the server holds at most while it takes a large file, beyond those that it held before. */
async function memoryOfLarge(target: Target): Promise<{ idle: number; most: number; seconds: number }> {
  const head = Buffer.from(partOf('large.bin', 'application/octet-stream'));
  const chunk = Buffer.alloc(64 * 1024, 0x5a);
  const agent = new Agent();
  const idle = target.memory();
  let most = idle;
  const watch = setInterval(() => {
    most = Math.max(most, target.memory());
  }, 100);
  const started = performance.now();
  await post(target, head.length + LARGE + END.length, agent, (to) => {
    to.write(head);
    let left = LARGE;
    const more = (): void => {
      while (left > 0) {
        const size = Math.min(left, chunk.length);
        left -= size;
        if (!to.write(chunk.subarray(0, size))) return void to.once('drain', more);
      }
      to.end(END);
    };
    more();
  });
  clearInterval(watch);
  return { idle, most, seconds: (performance.now() - started) / 1000 };
}

rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK, { recursive: true });
execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
const project = path.join(WORK, 'project');
cpSync(FIXTURE, project, { recursive: true });
withoutAnswerCache(project);
const database = path.join(WORK, 'grown.db');
growDatabase(path.join(FIXTURE, 'database/data.db'), database, ARTICLES);
const untouched = path.join(WORK, 'grown-strapi.db');
copyFileSync(database, untouched);

const galley = await startGalley({
  program: 'dist/main.js',
  project,
  env: onFile(database),
  headers,
  probe: PROBE,
});
const strapi = options['no-strapi']
  ? undefined
  : await startStrapi({
      project: FIXTURE,
      database: untouched,
      work: WORK,
      port: await freePort(),
      headers,
      probe: PROBE,
    });

console.log(`${uploads} uploads of a JPEG of 1200×800, ${AT_ONCE} at a time, each with all formats, uploads/s`);
const rates = new Map<string, number>();
for (const [name, target] of [
  ['Galley', galley],
  ['Strapi', strapi],
] as const) {
  if (!target) continue;
  await uploadRate(target, AT_ONCE);
  const rate = await uploadRate(target, uploads);
  rates.set(name, rate);
  console.log(`  ${name}: ${rate.toFixed(1)}`);
}
const [g, s] = [rates.get('Galley')!, rates.get('Strapi')];
if (s) console.log(`  Galley / Strapi: ${(g / s).toFixed(2)}; aim: at least 2`);

console.log(`\n${READS} reads/s (two relations) without uploads and during ${uploads} of them`);
for (const [name, target] of [
  ['Galley', galley],
  ['Strapi', strapi],
] as const) {
  if (!target) continue;
  await readLatency(target, pause(2));
  const idle = await readLatency(target, pause(IDLE));
  const busy = await readLatency(target, uploadRate(target, uploads));
  const told = ({ p50, p99, unanswered }: Latency): string =>
    `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${unanswered ? ` (${unanswered} not answered)` : ''}`;
  console.log(`  ${name}: idle ${told(idle)}; uploading ${told(busy)}; p99 ${(busy.p99 / idle.p99).toFixed(1)} times`);
}
console.log('  aim: p99 under 3 times its idle value');
await strapi?.stop();

const { idle, most, seconds } = await memoryOfLarge(galley);
console.log(
  `\nupload of 1 GB in ${seconds.toFixed(1)} s: ${idle.toFixed(0)} MB before, at most ${most.toFixed(0)} MB; aim: under 60 MB more`,
);
await galley.stop();
rmSync(path.join(project, 'public/uploads'), { recursive: true, force: true });
