/**
 * Shapes of JSON: written once, they are the types of the app (`Infer`) and what the tests of the server hold its
 * answers against (`mismatches`). The app imports their types only, so none of this is in its scripts.
 */

export interface Shape<T> {
  /** What is wrong with a value, a line each, with the path. */
  readonly check: (value: unknown, path: string) => readonly string[];
  /** Never there: carries the type. */
  readonly type?: T;
}

export type Infer<S> = S extends Shape<infer T> ? T : never;

type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];
type ObjectOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Infer<F[K]>;
} & { readonly [K in OptionalKeys<F>]?: Infer<F[K]> };

interface Optional<T> extends Shape<T> {
  readonly optional: true;
}

/** What is wrong with `value`, a line each; empty where it is of the shape. */
export function mismatches(shape: Shape<unknown>, value: unknown): readonly string[] {
  return shape.check(value, '$');
}

function test<T>(expected: string, is: (value: unknown) => boolean): Shape<T> {
  return { check: (value, path) => (is(value) ? [] : [`${path}: ${JSON.stringify(value)} is not ${expected}`]) };
}

export const text = test<string>('a text', (value) => typeof value === 'string');
export const number = test<number>('a number', (value) => typeof value === 'number');
export const flag = test<boolean>('a boolean', (value) => typeof value === 'boolean');
/** A point in time as ISO 8601 in UTC. */
export const moment = test<string>('a point in time', (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value));
export const anything: Shape<unknown> = { check: () => [] };

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return test(`one of ${values.join(', ')}`, (value) => values.includes(value as T));
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return { check: (value, path) => (value === null ? [] : shape.check(value, path)) };
}

/** One of two; what is wrong is told by the second. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return { check: (value, path) => (first.check(value, path).length === 0 ? [] : second.check(value, path)) };
}

/** A key that may be left out. */
export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: true, check: (value, path) => (value === undefined ? [] : shape.check(value, path)) };
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return {
    check: (value, path) =>
      Array.isArray(value)
        ? value.flatMap((entry, index) => shape.check(entry, `${path}[${index}]`))
        : [`${path}: ${JSON.stringify(value)} is not a list`],
  };
}

/** An object with any keys, all values of one shape. */
export function recordOf<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    check: (value, path) =>
      isObject(value)
        ? Object.entries(value).flatMap(([key, entry]) => shape.check(entry, `${path}.${key}`))
        : [`${path}: ${JSON.stringify(value)} is not an object`],
  };
}

/** An object with these keys and no others: what the contract does not say, the server does not send. */
export function object<F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  return {
    check: (value, path) => {
      if (!isObject(value)) return [`${path}: ${JSON.stringify(value)} is not an object`];
      const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
      return [
        ...unknown.map((key) => `${path}.${key}: the contract does not know it`),
        ...Object.entries(fields).flatMap(([key, shape]) => shape.check(value[key], `${path}.${key}`)),
      ];
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
