/** Load of several connections that ask again as soon as an answer has come. */
import autocannon from 'autocannon';
import type { Target } from '../processes.ts';

/** Requests that are waited for when they take long, and the seconds after which that ends. */
const LEAST = 24;
const LONGEST = 20;

export interface Measured {
  /** Answers that were no refusals, and the seconds that they took. */
  readonly answered: number;
  readonly seconds: number;
  /** Milliseconds of each. */
  readonly times: readonly number[];
  readonly refused: number;
}

export interface Figures {
  readonly rate: number;
  /** Milliseconds within which half and 99 of 100 requests were answered. */
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
}

/** The figures of all rounds of a workload. */
export function figuresOf(rounds: readonly Measured[]): Figures {
  const times = rounds.flatMap((round) => round.times).sort((a, b) => a - b);
  const sum = (of: (round: Measured) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  const at = (share: number): number => times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? 0;
  return {
    rate:
      sum(({ answered }) => answered) /
      Math.max(
        sum(({ seconds }) => seconds),
        0.001,
      ),
    p50: at(0.5),
    p99: at(0.99),
    refused: sum(({ refused }) => refused),
  };
}

/**
 * Asks for paths in turn, each connection beginning at another one, for so many seconds, or until a few requests were
 * answered where they take longer.
 */
export async function measure(
  target: Target,
  paths: readonly string[],
  { seconds, connections, least = LEAST }: { seconds: number; connections: number; least?: number },
): Promise<Measured> {
  const times: number[] = [];
  let refused = 0;
  let begun = 0;
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1000;
  let ended: number | undefined;
  await new Promise<void>((resolve, reject) => {
    const load = autocannon(
      {
        url: target.url,
        connections,
        duration: LONGEST + seconds,
        timeout: LONGEST + seconds,
        headers: { ...target.headers },
        setupClient(client) {
          const from = Math.floor((begun++ * paths.length) / connections);
          client.setRequests([...paths.slice(from), ...paths.slice(0, from)].map((path) => ({ path })));
        },
      },
      (error) => (error ? reject(error) : resolve()),
    );
    const stop = (): void => {
      if (ended !== undefined) return;
      ended = elapsed();
      load.stop();
    };
    load.on('response', (_, status, __, milliseconds) => {
      if (ended !== undefined) return;
      if (status === 200) times.push(milliseconds);
      else refused++;
      if (elapsed() >= seconds && times.length + refused >= least) stop();
    });
    // 'response' says nothing where nothing is answered
    setTimeout(stop, (LONGEST + seconds) * 1000).unref();
  });
  return { answered: times.length, seconds: ended ?? elapsed(), times, refused };
}
