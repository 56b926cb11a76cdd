/**
 * Shapes of JSON values. They define the types of the app (`Infer`), and the tests of the server compare its answers
 * with them (`mismatches`). The app imports only their types, so its scripts contain none of this.
 */

export interface Shape<T> {
  /** Returns the mismatches of a value, each with its path. */
  readonly check: (value: unknown, path: string) => readonly string[];
  /** Never set: carries the type. */
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

/** The mismatches of a value; empty if it has the shape. */
export function mismatches(shape: Shape<unknown>, value: unknown): readonly string[] {
  return shape.check(value, '$');
}

function test<T>(expected: string, is: (value: unknown) => boolean): Shape<T> {
  return { check: (value, path) => (is(value) ? [] : [`${path}: ${JSON.stringify(value)} is not ${expected}`]) };
}

export const text = test<string>('a text', (value) => typeof value === 'string');
export const number = test<number>('a number', (value) => typeof value === 'number');
export const flag = test<boolean>('a boolean', (value) => typeof value === 'boolean');
/** A timestamp in ISO 8601 and UTC. */
export const moment = test<string>('a point in time', (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value));
export const anything: Shape<unknown> = { check: () => [] };

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return test(`one of ${values.join(', ')}`, (value) => values.includes(value as T));
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return { check: (value, path) => (value === null ? [] : shape.check(value, path)) };
}

/** Either of two shapes. Mismatches are those of the second. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return { check: (value, path) => (first.check(value, path).length === 0 ? [] : second.check(value, path)) };
}

/** A key that may be absent. */
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

/** An object with arbitrary keys, whose values have the same shape. */
export function recordOf<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    check: (value, path) =>
      isObject(value)
        ? Object.entries(value).flatMap(([key, entry]) => shape.check(entry, `${path}.${key}`))
        : [`${path}: ${JSON.stringify(value)} is not an object`],
  };
}

/** An object with exactly these keys: the server sends nothing that the contract does not name. */
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
