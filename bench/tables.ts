/** The tables of the bench: a line for each workload, a column for each server, all of them in turns. */
import autocannon from 'autocannon';
import type { Target } from './processes.ts';
import type { Network, Traffic } from './slow-network.ts';
import type { Writers } from './writes.ts';

/** A server that is measured. The first one of several is compared with each of the others. */
export interface Contestant {
  readonly name: string;
  readonly target: Target;
  /** Between it and its database, where there is one. */
  readonly network?: Network | undefined;
}

export interface Timing {
  readonly seconds: number;
  /** For which each server is asked before, so that it has compiled what it needs. */
  readonly warm: number;
  readonly connections: number;
  /** In so many turns: the machine is not the same all the time. */
  readonly rounds: number;
}

export const cells = (...columns: (string | number)[]): string =>
  columns.map((cell) => String(cell).padStart(15)).join('');

/** A rate, with as many digits as say something. */
const shown = (rate: number | undefined): string =>
  rate === undefined ? '-' : rate < 100 ? rate.toFixed(1) : rate.toFixed(0);

/** Those of a round: one begins every other time, another ends it. */
function inTurn<T>(contestants: readonly T[], round: number): [number, T][] {
  const turns = [...contestants.entries()];
  return round % 2 === 0 ? turns : turns.reverse();
}

/** Names of the columns of rates and of their ratios. */
function heads(names: readonly string[]): string[] {
  return [...names, ...names.slice(1).map((name) => `/ ${name}`)];
}

function line(rates: readonly (number | undefined)[]): string[] {
  const [first] = rates;
  const ratios = rates.slice(1).map((rate) => (first && rate ? (first / rate).toFixed(2) : '-'));
  return [...rates.map(shown), ...ratios];
}

/** A line of figures: requests per second of each server, undefined where it has nothing of the kind. */
export interface RateLine {
  readonly name: string;
  readonly rates: readonly (number | undefined)[];
}

/** The same as Markdown. */
export function markdown(names: readonly string[], lines: readonly RateLine[]): string {
  const row = (columns: readonly string[]): string => `| ${columns.join(' | ')} |`;
  const columns = ['requests a second', ...heads(names)];
  const ruler = columns.map((_, n) => (n === 0 ? '---' : '---:'));
  return [columns, ruler, ...lines.map(({ name, rates }) => [name, ...line(rates)])].map(row).join('\n');
}

/** Requests per second of one path, whose answer each server gives at a path of its own, or not at all. */
export interface ReadLine {
  readonly name: string;
  readonly kilobytes: number;
  readonly path: (contestant: Contestant) => string | undefined;
}

/** Prints a table of reads and gives its lines. `after`: called when a line of the first server was measured. */
export async function printReads(
  contestants: readonly Contestant[],
  lines: readonly ReadLine[],
  timing: Timing,
  after: () => void,
): Promise<RateLine[]> {
  const measured: RateLine[] = [];
  console.log(cells('workload', 'KB', ...heads(contestants.map(({ name }) => name))));
  for (const { name, kilobytes, path } of lines) {
    const totals = contestants.map(() => 0);
    for (let round = 0; round < timing.rounds; round++) {
      for (const [index, contestant] of inTurn(contestants, round)) {
        const at = path(contestant);
        if (at === undefined) continue;
        const url = contestant.target.url + at;
        const run = async (duration: number): Promise<number> => {
          const headers = { ...contestant.target.headers };
          const result = await autocannon({ url, connections: timing.connections, duration, headers });
          if (result.non2xx || result.errors) {
            throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
          }
          return result.requests.average;
        };
        if (round === 0 && timing.warm > 0) await run(timing.warm);
        totals[index]! += await run(timing.seconds / timing.rounds);
        if (index === 0) after();
      }
    }
    const rates = totals.map((total) => total / timing.rounds || undefined);
    console.log(cells(name, kilobytes.toFixed(1), ...line(rates)));
    measured.push({ name, rates });
  }
  return measured;
}

export interface WriteContestant extends Contestant {
  readonly writers: Writers;
}

/** Prints a table of writes, with the statements that a request sends where the network counts them, and gives its lines. */
export async function printWrites(
  contestants: readonly WriteContestant[],
  workloads: readonly string[],
  { seconds, rounds }: Timing,
): Promise<RateLine[]> {
  const measured: RateLine[] = [];
  const counted = contestants.filter(({ network }) => network !== undefined);
  const counts = counted.map(({ name }) => `stmts ${name}`);
  console.log(cells('workload', ...heads(contestants.map(({ name }) => name)), ...counts));
  for (const workload of workloads) {
    const sums = contestants.map(() => ({ requests: 0, seconds: 0, statements: 0, roundTrips: 0 }));
    for (let round = 0; round < rounds; round++) {
      for (const [index, { writers, network }] of inTurn(contestants, round)) {
        const sum = sums[index]!;
        if (round === 0) await writers.rate(workload, Math.min(1, seconds / 4));
        await network?.traffic();
        const pace = await writers.rate(workload, seconds / rounds);
        const traffic: Traffic | undefined = await network?.traffic();
        sum.requests += pace?.requests ?? 0;
        sum.seconds += pace?.seconds ?? 0;
        sum.statements += traffic?.statements ?? 0;
        sum.roundTrips += traffic?.roundTrips ?? 0;
      }
    }
    const rates = sums.map((sum) => (sum.requests > 0 ? sum.requests / sum.seconds : undefined));
    const sent = sums.flatMap((sum, index) => {
      if (!contestants[index]!.network) return [];
      const each = (count: number): string => (sum.requests > 0 ? (count / sum.requests).toFixed(1) : '-');
      return [`${each(sum.statements)} in ${each(sum.roundTrips)}`];
    });
    console.log(cells(workload, ...line(rates), ...sent));
    measured.push({ name: workload, rates });
  }
  if (counted.length > 0) console.log('stmts: statements of a request, begin and commit included, and its round trips');
  return measured;
}
