/** Requests for the health of the server, and formats of its values. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Health } from '../../../contract/health.ts';
import { request } from '../../data/client.ts';

export type Range = Health['range'];
export const RANGES = ['hour', 'day', 'week', 'month'] as const satisfies readonly Range[];

/** The milliseconds between refetches. Measurements of a long range change slowly. */
const LOOK: Readonly<Record<Range, number>> = { hour: 10_000, day: 60_000, week: 300_000, month: 300_000 };

export const healthQuery = (range: Range) =>
  queryOptions({
    queryKey: ['health', range],
    queryFn: async ({ signal }) => (await request('GET health', { query: { range }, signal })).data,
    refetchInterval: LOOK[range],
    // The previous range stays visible until the next one has arrived.
    placeholderData: keepPreviousData,
  });

/** The milliseconds between refetches, while a run goes on and otherwise: others may begin one. */
const [SOON, LATER] = [1000, 30_000];

/** The last examination or repair. */
export const examinationQuery = queryOptions({
  queryKey: ['examination'],
  queryFn: async ({ signal }) => (await request('GET health/examination', { signal })).data,
  refetchInterval: ({ state: { data } }) => (data?.outcome === 'running' ? SOON : LATER),
});

/** Formats a value; null where nothing was measured. */
export type Format = (value: number | null) => string;

const orDash =
  (format: (value: number) => string): Format =>
  (value) =>
    value === null ? '–' : format(value);

/** Two digits at least, and no more than needed. */
const digits = (value: number): number => (value !== 0 && Math.abs(value) < 10 ? (Math.abs(value) < 1 ? 2 : 1) : 0);

export const countFormat = (locale: string): Format =>
  orDash((value) => value.toLocaleString(locale, { maximumFractionDigits: digits(value) }));

/** `0.4 ms`, `1.2 s`. */
export const durationFormat = (locale: string): Format =>
  orDash((milliseconds) => {
    const [value, unit] = milliseconds < 1000 ? [milliseconds, 'millisecond'] : [milliseconds / 1000, 'second'];
    const style = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits(value) } as const;
    return value.toLocaleString(locale, style);
  });

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `14 MB`, in units of 1,000 bytes. */
export const sizeFormat = (locale: string): Format =>
  orDash((bytes) => {
    const exponent = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
    const value = bytes / 1000 ** exponent;
    const style = { style: 'unit', unit: UNITS[exponent], unitDisplay: 'short' } as const;
    return value.toLocaleString(locale, { ...style, maximumFractionDigits: digits(value) });
  });
