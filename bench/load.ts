/**
 * Load whose answers are looked at: writers that send one request after another, each its own. They share the machine with
 * the servers, so they go through undici, which takes less of it than Node's own client.
 */
import { Pool } from 'undici';
import type { Target } from './processes.ts';

export interface Outgoing {
  readonly method: 'PATCH' | 'POST' | 'PUT';
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

/** So many connections to a server, to be closed by whoever opens them. */
export const connect = (target: Target, connections: number): Pool => new Pool(target.url, { connections });

/** Sends one request and gives the `documentId` of the document answered. Throws for every other answer. */
export async function send(target: Target, pool: Pool, { method, path, data, body: own }: Outgoing): Promise<string> {
  const headers = { ...target.headers, 'content-type': 'application/json' };
  const { statusCode, body } = await pool.request({ method, path, headers, body: JSON.stringify(own ?? { data }) });
  const text = await body.text();
  const found = own ? '' : /"documentId"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  if (found !== undefined && statusCode < 300) return found;
  throw new Error(`${target.url}${path}: ${statusCode} ${text.slice(0, 300)}`);
}

export interface Pace {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds of each request. */
  readonly times: readonly number[];
}

/** Has every source send for so many seconds, or until none has anything left. */
export async function pace(target: Target, sources: readonly Source[], seconds: number): Promise<Pace> {
  const pool = connect(target, sources.length);
  const start = performance.now();
  const end = start + seconds * 1000;
  const times: number[] = [];
  const run = async (source: Source): Promise<void> => {
    while (performance.now() < end) {
      const outgoing = source.next();
      if (!outgoing) return;
      const sent = performance.now();
      source.answered(await send(target, pool, outgoing));
      times.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(sources.map(run));
    return { requests: times.length, times, seconds: (performance.now() - start) / 1000 };
  } finally {
    await pool.close();
  }
}
