/** The metrics of all workers as one text: each series names its worker. */
import { type Family, type Sample, single } from '../../http/monitoring/prometheus.ts';

/** What is said of the workers themselves. */
export interface WorkerCounts {
  /** Workers that take requests. */
  readonly serving: number;
  /** Workers that took the place of one that had ended. */
  readonly replaced: number;
}

/** @param told the families of each worker by its number. */
export function familiesOfAll(told: ReadonlyMap<number, readonly Family[]>, counts: WorkerCounts): Family[] {
  const all = new Map<string, Family & { readonly samples: Sample[] }>();
  for (const [number, families] of told) {
    for (const { samples, ...family } of families) {
      const known = all.get(family.name) ?? { ...family, samples: [] };
      all.set(family.name, known);
      const labelled = samples.map((sample) => ({ ...sample, labels: { ...sample.labels, worker: String(number) } }));
      known.samples.push(...labelled);
    }
  }
  return [
    single('gauge', 'galley_workers', 'Workers that take requests', counts.serving),
    single(
      'counter',
      'galley_workers_replaced_total',
      'Workers that took the place of one that ended',
      counts.replaced,
    ),
    ...all.values(),
  ];
}
