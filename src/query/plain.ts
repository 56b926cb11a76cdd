/** Parameters and data of code, as plain values → the form that requests have. */
import type { RawObject, RawValue } from './params.ts';

/** A parameter: numbers and times become texts, as in a query string; null stays. Keys without a value are left out. */
export function rawParam(value: unknown): RawValue {
  if (value === undefined || value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(rawParam);
  return typeof value === 'object' ? rawParams(value) : String(value);
}

/** An object of parameters. */
export function rawParams(params: object): RawObject {
  const raw: RawObject = Object.create(null);
  for (const [key, value] of Object.entries(params)) if (value !== undefined) raw[key] = rawParam(value);
  return raw;
}

/** Data to be written: times and big integers become texts, as in JSON. Keys without a value are left out. */
export function plainData(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plainData);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, plainData(item)]));
}
