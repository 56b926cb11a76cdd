/**
 * What one caller's expensive reads cost another's cheap ones: 20,000 published articles, a cheap read every few
 * milliseconds, and beside it so many connections of another caller who asks for as much as is allowed, again at once
 * whenever an answer has come.
 */
import { Agent, request } from 'node:http';

export const FAIRNESS_ARTICLES = 20_000;

/** Connections of the caller whose reads are expensive. */
const CROWDS = [0, 4, 40, 150] as const;
/** Cheap reads, and looks at `/_health`, a second. */
const CHEAP_RATE = 50;
const HEALTH_RATE = 10;
const CHEAP = '/api/articles?pagination[pageSize]=10';
/** Between a tenth of a second and a second each when nothing else runs. */
export const EXPENSIVE_READS: readonly string[] = [
  '/api/articles?populate[author][populate][articles][populate]=tags&pagination[pageSize]=25',
  '/api/articles?_q=nothing%20like%20it&sort=author.name,title',
  `/api/articles?${Array.from({ length: 25 }, (_, n) => `filters[$or][${n}][body][$containsi]=none${n}`).join('&')}`,
  '/api/articles?filters[tags][articles][author][name][$contains]=e&sort=views:desc&populate=*&pagination[pageSize]=100',
];

interface Reply {
  readonly status: number;
  readonly ms: number;
}

/** A path to read, or what is written there. */
export type Expensive = string | { readonly method: string; readonly path: string; readonly body: unknown };

function ask(url: string, agent: Agent, expensive: Expensive, token: string | undefined): Promise<Reply> {
  const { method, path, body } =
    typeof expensive === 'string' ? { method: 'GET', path: expensive, body: undefined } : expensive;
  const started = performance.now();
  return new Promise((resolve) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const done = (status: number) => resolve({ status, ms: performance.now() - started });
    const sent = request(url + encodeURI(path), { method, agent, headers }, (response) => {
      response.resume().on('close', () => done(response.complete ? response.statusCode! : 0));
    });
    sent.on('error', () => done(0)).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Sends requests at their time, whether or not those before have been answered. */
async function steadily(rate: number, seconds: number, send: () => Promise<Reply>): Promise<Reply[]> {
  const start = performance.now();
  return Promise.all(
    Array.from({ length: rate * seconds }, async (_, n) => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + (n * 1000) / rate - performance.now())));
      return send();
    }),
  );
}

const percentile = (replies: readonly Reply[], share: number): number => {
  const times = replies.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? 0;
};

export interface FairnessOptions {
  readonly target: { readonly url: string; memoryOfAll(): number };
  /** Of the caller whose reads are cheap, and of the one whose reads are expensive. */
  readonly tokens: { readonly cheap: string; readonly expensive: string };
  readonly seconds: number;
  /** Milliseconds that 99 of 100 cheap reads may take at most. */
  readonly aim: number;
  /** What the crowds ask for in turn; reads when left out. */
  readonly expensive?: readonly Expensive[];
  /** Takes the lines; the terminal when left out. */
  readonly print?: (line: string) => void;
}

/** Measures, prints a line for each crowd, and gives what is not as it should be. */
export async function measureFairness({
  target,
  tokens,
  seconds,
  aim,
  expensive = EXPENSIVE_READS,
  print = console.log,
}: FairnessOptions): Promise<string[]> {
  const { url } = target;
  const problems: string[] = [];
  const own = new Agent({ keepAlive: true });
  for (const asked of [CHEAP, ...expensive]) {
    const { status, ms } = await ask(url, own, asked, tokens.expensive);
    print(`alone: ${status} in ${ms.toFixed(0)} ms: ${(typeof asked === 'string' ? asked : asked.path).slice(0, 100)}`);
  }
  // what is compiled first, and seen first, takes longer
  await steadily(CHEAP_RATE, 2, () => ask(url, own, CHEAP, tokens.cheap));
  let most = 0;
  const sample = setInterval(() => {
    most = Math.max(most, target.memoryOfAll());
  }, 500);
  for (const crowd of CROWDS) {
    const agent = new Agent({ keepAlive: true, maxSockets: crowd || 1 });
    const until = performance.now() + (seconds + 1) * 1000;
    const answered = { ok: 0, refused: 0, other: 0 };
    const hogs = Array.from({ length: crowd }, async (_, n) => {
      for (let i = n; performance.now() < until; i++) {
        const { status } = await ask(url, agent, expensive[i % expensive.length]!, tokens.expensive);
        answered[status === 200 ? 'ok' : status === 503 ? 'refused' : 'other']++;
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const [cheap, health] = await Promise.all([
      steadily(CHEAP_RATE, seconds, () => ask(url, own, CHEAP, tokens.cheap)),
      steadily(HEALTH_RATE, seconds, () => ask(url, own, '/_health', undefined)),
    ]);
    await Promise.all(hogs);
    agent.destroy();
    const refused = cheap.filter(({ status }) => status !== 200).length;
    const [p50, p99, slowest] = [percentile(cheap, 0.5), percentile(cheap, 0.99), percentile(health, 1)];
    print(
      `beside ${crowd}: cheap p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${refused} refused; /_health at most ${slowest.toFixed(1)} ms; expensive: ${answered.ok} answered, ${answered.refused} refused, ${answered.other} otherwise; memory of all processes so far ${most.toFixed(0)} MB`,
    );
    if (p99 > aim) problems.push(`beside ${crowd} expensive connections a cheap read took ${p99.toFixed(0)} ms (p99)`);
    if (refused > 0) problems.push(`beside ${crowd} expensive connections ${refused} cheap reads were refused`);
    if (slowest > 100) problems.push(`beside ${crowd} expensive connections /_health took ${slowest.toFixed(0)} ms`);
  }
  clearInterval(sample);
  own.destroy();
  print(`aims: p99 of cheap reads under ${aim} ms, none refused; /_health under 100 ms; memory under 400 MB`);
  if (most > 400) problems.push(`memory reached ${most.toFixed(0)} MB`);
  return problems;
}
