/**
 * Metrics in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). prom-client
 * takes 5 MB on disk with its dependencies, for summaries and exemplars that Galley does not have.
 */

export interface Sample {
  /** The suffix of the family's name: `_sum`, `_bucket`, … */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with all its series. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A metric of one series. */
export function single(type: 'counter' | 'gauge', name: string, help: string, value: number): Family {
  return { name, help, type, samples: [{ value }] };
}

/** A gauge with a series for each value of one label. */
export function gauges(name: string, help: string, label: string, values: Iterable<readonly [string, number]>): Family {
  const samples = Array.from(values, ([text, value]) => ({ labels: { [label]: text }, value }));
  return { name, help, type: 'gauge', samples };
}

/** Counts durations by upper bounds, for each set of labels. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  /** Seconds, rising. */
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(labels: Readonly<Record<string, string>>, seconds: number): void {
    const key = Object.values(labels).join('\0');
    let series = this.#series.get(key);
    if (!series) {
      series = { labels, counts: this.#bounds.map(() => 0), count: 0, sum: 0 };
      this.#series.set(key, series);
    }
    const bucket = this.#bounds.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) series.counts[bucket]!++;
    series.count++;
    series.sum += seconds;
  }

  family(): Family {
    const samples = [...this.#series.values()].flatMap(({ labels, counts, count, sum }) => {
      let below = 0;
      const bucket = (le: string, value: number) => ({ suffix: '_bucket', labels: { le, ...labels }, value });
      const buckets = counts.map((value, index) => {
        below += value;
        return bucket(String(this.#bounds[index]), below);
      });
      const whole = [
        bucket('+Inf', count),
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ];
      return [...buckets, ...whole];
    });
    return { name: this.#name, help: this.#help, type: 'histogram', samples };
  }
}

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Counts of each bound above the one before. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/** The text of all metrics. */
export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join('\n');
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
}

const escapeText = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
