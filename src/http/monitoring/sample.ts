/** Samples of the health of servers: what one process measures in a period, and how samples are added up. */
import { type LoggedKind, MOST_KINDS } from '../../log-counts.ts';
import { isObject } from '../../plain-values.ts';
import { addedUp } from './durations.ts';
import { MOST_SLOW, type SlowRequest, type TrafficCounts } from './traffic.ts';

/** Values at the end of a period; undefined where they were not measured. */
export interface Gauges {
  /** Bytes of memory of the process. */
  readonly memory?: number | undefined;
  /** Requests and statements that wait for their turn. */
  readonly waiting?: number | undefined;
  /** Bytes of the database, and of all files. */
  readonly database?: number | undefined;
  readonly files?: number | undefined;
}

export interface Sample extends TrafficCounts {
  /** How long it was measured. */
  readonly seconds: number;
  readonly gauges: Gauges;
  readonly logs: readonly LoggedKind[];
}

/** A sample of a period that begins at an epoch millisecond. */
export interface Period {
  readonly at: number;
  readonly minutes: number;
  readonly sample: Sample;
}

const add = (a: number, b: number): number => a + b;
/** How two values of each gauge become one. */
type Rules = Readonly<Record<keyof Gauges, (a: number, b: number) => number>>;
/** The rules for processes at the same time. */
const OF_PROCESSES: Rules = { memory: add, waiting: add, database: Math.max, files: Math.max };
/** The rules for several times. */
const OF_TIMES: Rules = { memory: Math.max, waiting: Math.max, database: Math.max, files: Math.max };

/** Adds up samples of processes in the same period. */
const ofProcesses = (samples: readonly Sample[]): Sample => combined(samples, OF_PROCESSES, Math.max);

/** Adds up samples of several periods. Gauges are the highest ones. */
const ofTimes = (samples: readonly Sample[]): Sample => combined(samples, OF_TIMES, add);

/** Adds up samples of processes and periods. */
export function ofPeriods(periods: readonly Period[]): Sample {
  return ofTimes(merged(periods).map(({ sample }) => sample));
}

/** One period in place of those of several processes at the same time. */
export function merged(periods: readonly Period[]): Period[] {
  const same = Map.groupBy(periods, ({ at, minutes }) => `${minutes} ${at}`);
  return [...same.values()].map((all) =>
    all.length === 1 ? all[0]! : { ...all[0]!, sample: ofProcesses(all.map(({ sample }) => sample)) },
  );
}

function combined(samples: readonly Sample[], rules: Rules, ofSeconds: (a: number, b: number) => number): Sample {
  const sum = (key: 'requests' | 'failed' | 'refused') => samples.reduce((total, sample) => total + sample[key], 0);
  return {
    seconds: samples.reduce((seconds, sample) => ofSeconds(seconds, sample.seconds), 0),
    requests: sum('requests'),
    failed: sum('failed'),
    refused: sum('refused'),
    durations: addedUp(samples.map(({ durations }) => durations)),
    slow: slowest(samples.flatMap(({ slow }) => slow)),
    gauges: gaugesOf(samples, rules),
    logs: kindsOf(samples.flatMap(({ logs }) => logs)),
  };
}

function gaugesOf(samples: readonly Sample[], rules: Rules): Gauges {
  const entries = Object.entries(rules).map(([name, rule]) => {
    const values = samples.flatMap(({ gauges }) => gauges[name as keyof Gauges] ?? []);
    return [name, values.length === 0 ? undefined : values.reduce((a, b) => rule(a, b))] as const;
  });
  return Object.fromEntries(entries);
}

/** The slowest requests, one for each shape. */
function slowest(all: readonly SlowRequest[]): SlowRequest[] {
  const shapes = new Map<string, SlowRequest>();
  for (const one of all) {
    const key = `${one.method} ${one.path}`;
    const known = shapes.get(key);
    const count = one.count + (known?.count ?? 0);
    shapes.set(key, { ...(known && known.ms >= one.ms ? known : one), count });
  }
  return [...shapes.values()].toSorted((a, b) => b.ms - a.ms).slice(0, MOST_SLOW);
}

function kindsOf(all: readonly LoggedKind[]): LoggedKind[] {
  const kinds = new Map<string, LoggedKind>();
  for (const one of all) {
    const key = `${one.level} ${one.kind}`;
    const known = kinds.get(key);
    const count = one.count + (known?.count ?? 0);
    kinds.set(key, { ...(known && known.at >= one.at ? known : one), count });
  }
  return [...kinds.values()].toSorted((a, b) => b.count - a.count).slice(0, MOST_KINDS);
}

/** A stored sample; undefined for a text that is none, such as one of a later version. */
export function sampleOf(text: string): Sample | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (
      !isObject(value) ||
      typeof value['seconds'] !== 'number' ||
      !Array.isArray(value['durations']) ||
      !Array.isArray(value['slow'])
    )
      return undefined;
    return Array.isArray(value['logs']) && isObject(value['gauges']) ? (value as unknown as Sample) : undefined;
  } catch {
    return undefined;
  }
}
