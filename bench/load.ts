/** Load whose answers are looked at: writers that send one request after another, each its own. */
import http from 'node:http';
import type { Target } from './processes.ts';

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  /** Sent as `data` of an object, as this API has it. */
  readonly data?: unknown;
  /** Sent as it is instead, to a server of another API, whose ids are not looked at. */
  readonly body?: object;
}

/** One who writes: what it sends next, undefined when there is nothing more, and what it does with the answers. */
export interface Source {
  next(): Outgoing | undefined;
  answered(documentId: string): void;
}

/** Sends one request and gives the `documentId` of the document answered. Throws for every other answer. */
export function send(target: Target, agent: http.Agent, { method, path, data, body: own }: Outgoing): Promise<string> {
  const body = JSON.stringify(own ?? { data });
  const headers = {
    ...target.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(target.url + path, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const found = own ? '' : /"documentId"\s*:\s*"([^"]+)"/.exec(text)?.[1];
        if (found !== undefined && response.statusCode! < 300) resolve(found);
        else reject(new Error(`${target.url}${path}: ${response.statusCode} ${text.slice(0, 300)}`));
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

export interface Pace {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds of each request. */
  readonly times: readonly number[];
}

/** Has every source send for so many seconds, or until none has anything left. */
export async function pace(target: Target, sources: readonly Source[], seconds: number): Promise<Pace> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: sources.length });
  const start = performance.now();
  const end = start + seconds * 1000;
  const times: number[] = [];
  const run = async (source: Source): Promise<void> => {
    while (performance.now() < end) {
      const outgoing = source.next();
      if (!outgoing) return;
      const sent = performance.now();
      source.answered(await send(target, agent, outgoing));
      times.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(sources.map(run));
  } finally {
    agent.destroy();
  }
  return { requests: times.length, times, seconds: (performance.now() - start) / 1000 };
}
