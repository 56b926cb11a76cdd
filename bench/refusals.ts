/** Requests that mean harm or make no sense, how fast they are refused, and what they leave behind. */
import { connect } from 'node:net';
import type { Target } from './processes.ts';

interface Hostile {
  readonly name: string;
  readonly method?: string;
  /** Request target, sent byte for byte. */
  readonly target: string;
  readonly body?: string;
  readonly type?: string;
  /** A value that is odd but allowed: 200 with nothing found is right, as a refusal is. */
  readonly harmless?: boolean;
}

const articles = '/api/articles';
const injection = "x' or 1=1; drop table articles; --";
const quoted = encodeURIComponent(injection);

const hostile: readonly Hostile[] = [
  { name: 'bracket that does not close', target: `${articles}?filters[title=x` },
  { name: 'brackets without a name', target: `${articles}?filters[][][]=x` },
  { name: 'brackets in disorder', target: `${articles}?filters]title[=x&sort]]=y&filters[[title]]=z` },
  { name: '10,000 nested keys', target: `${articles}?filters${'[a]'.repeat(10_000)}=x` },
  { name: '5,000 nested keys', target: `${articles}?filters${'[a]'.repeat(5000)}=x` },
  { name: '1,000 nested $not', target: `${articles}?filters${'[$not]'.repeat(1000)}[title]=x` },
  { name: '15 nested $or over unknown key', target: `${articles}?filters${'[$or][0]'.repeat(9)}[nope]=x` },
  { name: '1,500 nested populates', target: `${articles}?populate${'[populate]'.repeat(1500)}=*` },
  { name: 'dot path of 3,000 names', target: `${articles}?populate=${'author.articles.'.repeat(950)}nope` },
  {
    name: '10,000 values',
    target: `${articles}?filters[id][$in]=${Array(10_000).fill('1').join('&filters[id][$in]=')}`,
  },
  { name: '700 values', target: `${articles}?filters[id][$in]=${Array(700).fill('1').join('&filters[id][$in]=')}` },
  { name: '5,000 sort fields', target: `${articles}?sort=${'id,'.repeat(4500)}nope` },
  { name: '3,000 unknown fields', target: `${articles}?fields=${'nope,'.repeat(3000)}` },
  { name: '1 MB query string', target: `${articles}?q=${'x'.repeat(1 << 20)}` },
  { name: '15 KB key', target: `${articles}?filters[${'k'.repeat(15_000)}]=x` },
  { name: 'null byte in a value', target: `${articles}?filters[title]=a%00b` },
  { name: 'null byte in a name', target: `${articles}?filters[ti%00tle]=a` },
  { name: 'null byte in the path', target: `${articles}/%00` },
  { name: 'lone surrogate in a value', target: `${articles}?filters[title]=%ED%A0%80` },
  { name: 'lone surrogate in the path', target: `${articles}/%ED%A0%80` },
  { name: 'bytes that are no UTF-8', target: `${articles}?filters[title]=%FF%FE` },
  { name: 'escape cut short', target: `${articles}/%E0%A4%A` },
  { name: 'huge number for an integer', target: `${articles}?filters[views]=${'9'.repeat(400)}`, harmless: true },
  { name: 'huge number for a biginteger', target: `${articles}?filters[big]=${'9'.repeat(40)}`, harmless: true },
  { name: 'exponent beyond double', target: `${articles}?filters[rating]=1e999`, harmless: true },
  { name: 'not a number', target: `${articles}?filters[rating][$gt]=NaN` },
  { name: 'infinite page', target: `${articles}?pagination[page]=Infinity` },
  { name: 'page as text', target: `${articles}?pagination[page]=${quoted}` },
  { name: 'negative fraction as start', target: `${articles}?pagination[start]=-1.5` },
  { name: 'SQL as filter key', target: `${articles}?filters[${quoted}]=x` },
  { name: 'SQL as operator', target: `${articles}?filters[title][${quoted}]=x` },
  { name: 'SQL as sort', target: `${articles}?sort=${quoted}` },
  { name: 'SQL as order', target: `${articles}?sort=title:${quoted}` },
  { name: 'SQL as field', target: `${articles}?fields=${quoted}` },
  { name: 'SQL as populate', target: `${articles}?populate[${quoted}]=*` },
  { name: 'SQL as number', target: `${articles}?filters[views]=${quoted}` },
  { name: 'SQL as date', target: `${articles}?filters[day]=${quoted}` },
  { name: 'SQL as status', target: `${articles}?status=${quoted}` },
  { name: 'SQL as publication filter', target: `${articles}?publicationFilter=${quoted}` },
  { name: 'SQL as text', target: `${articles}?filters[title]=${quoted}`, harmless: true },
  { name: 'SQL as locale', target: `${articles}?locale=${quoted}`, harmless: true },
  { name: 'SQL as document id', target: `${articles}/${quoted}` },
  { name: 'SQL as search', target: `${articles}?_q=${quoted}`, harmless: true },
  { name: 'pattern bomb', target: `${articles}?filters[body][$contains]=${'%25_'.repeat(3000)}`, harmless: true },
  { name: 'prototype key', target: `${articles}?filters[__proto__][x]=1&filters[constructor]=y` },
  { name: 'climbing out of uploads', target: '/uploads/..%2f..%2f.env' },
  { name: 'climbing out plainly', target: '/uploads/../../database/content.db' },
  { name: 'unknown method', target: articles, method: 'BREW' },
  { name: 'wrong method', target: articles, method: 'PATCH' },
  {
    name: 'body that is no JSON',
    method: 'POST',
    target: '/api/countries',
    body: '{"data":',
    type: 'application/json',
  },
  {
    name: 'body of 100,000 levels',
    method: 'POST',
    target: '/api/countries',
    body: `${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    type: 'application/json',
  },
  {
    name: 'body of 2 MB',
    method: 'POST',
    target: '/api/countries',
    body: JSON.stringify({ data: { name: 'x'.repeat(2 << 20) } }),
    type: 'application/json',
  },
  {
    name: '10,000 keys in a body',
    method: 'POST',
    target: '/api/countries',
    body: JSON.stringify({ data: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])) }),
    type: 'application/json',
  },
  { name: 'list as body', method: 'POST', target: '/api/countries', body: '[]', type: 'application/json' },
];

interface Refusal {
  /** Status of the answer; 0 when the connection ended without one. */
  readonly status: number;
  readonly ms: number;
  readonly empty: boolean;
}

/** Sends a request byte for byte, which HTTP clients would refuse to do, and reads the answer to its end. */
function send(target: Target, { method = 'GET', target: path, body, type }: Hostile): Promise<Refusal> {
  const { hostname, port } = new URL(target.url);
  const headers = Object.entries({ host: hostname, connection: 'close', ...target.headers });
  if (body !== undefined)
    headers.push(['content-type', type ?? ''], ['content-length', String(Buffer.byteLength(body))]);
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return new Promise((resolve) => {
    const started = performance.now();
    let answer = '';
    const socket = connect(Number(port), hostname);
    const done = (): void => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
      resolve({ status, ms: performance.now() - started, empty: /"data":(\[\]|null)/.test(answer) });
    };
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    // A server that refuses early closes before it has read all; what came until then is the answer.
    socket.on('error', () => undefined);
    socket.once('close', done);
    socket.setTimeout(30_000, () => socket.destroy());
    socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body ?? ''}`);
  });
}

/**
 * Sends every hostile request some rounds and prints the slowest refusal and the memory before and after.
 * Gives the sentences about requests that were not refused as they should be.
 */
export async function measureRefusals(target: Target, rounds = 20): Promise<string[]> {
  const problems = new Set<string>();
  let slowest = { name: '', ms: 0 };
  const round = async (counted: boolean): Promise<void> => {
    for (const request of hostile) {
      let refusal = await send(target, request);
      // The answer to a request that is refused half-way may be lost with the connection.
      for (let retry = 0; refusal.status === 0 && retry < 3 && target.alive(); retry++)
        refusal = await send(target, request);
      const { status, ms, empty } = refusal;
      if (counted && ms > slowest.ms) slowest = { name: request.name, ms };
      const fine = (status >= 400 && status < 500) || (request.harmless && status === 200 && empty);
      if (!fine) problems.add(`${request.name}: answered ${status || 'nothing'}`);
    }
  };
  await round(false);
  const before = target.memory();
  for (let i = 0; i < rounds; i++) await round(true);
  const after = target.memory();
  console.log(`\nrefusals: ${hostile.length} hostile requests, ${rounds} rounds`);
  console.log(`  slowest ${slowest.ms.toFixed(1)} ms (${slowest.name}); aim: under 100 ms`);
  console.log(`  memory ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`);
  return [...problems];
}
