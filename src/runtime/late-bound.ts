/**
 * Stand-ins for objects that exist only after `register`, such as the database and the content types. Code may store
 * them before.
 */
import { unsupported } from './guarded.ts';

/**
 * A stand-in for an object that exists from some moment on.
 *
 * @param name for the error of code that needs the object before. @param get gives the object; undefined until it exists.
 */
export function lateBound<T extends object>(name: string, get: () => T | undefined): T {
  const bound = new WeakMap<object, unknown>();
  const required = (): T => {
    const target = get();
    if (target === undefined) throw new Error(`${name} is not available in register: use it from bootstrap on`);
    return target;
  };
  // a function, since the object may be one
  return new Proxy((() => {}) as unknown as T, {
    get(_target, key) {
      const target = get();
      if (target === undefined) {
        // Galley uses an object as the stand-in as well
        const inner = () => Reflect.get(required(), key) as object;
        return typeof key === 'symbol' || key === 'then'
          ? undefined
          : lateBound(`${name}.${key}`, () => get() && inner());
      }
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      // methods need the object itself for its private members
      const known = bound.get(value);
      if (known !== undefined) return known;
      const method: unknown = Object.assign(value.bind(target), value);
      bound.set(value, method);
      return method;
    },
    set: (_target, key, value) =>
      Reflect.set(required(), key, value) || unsupported(`a change of ${name}.${String(key)}`),
    has: (_target, key) => Reflect.has(required(), key),
    apply: (_target, self, args) => Reflect.apply(required() as (...args: unknown[]) => unknown, self, args),
  });
}

/**
 * An object whose members exist from some moment on: until `bind` each is a stand-in, and from then on the member itself.
 *
 * @param early members that exist already. @param names those that do not.
 */
export function lateMembers<T extends object, E extends keyof T>(
  early: Pick<T, E>,
  names: readonly Exclude<keyof T, E>[],
): { readonly members: T; bind(members: Omit<T, E>): void } {
  let whole: Omit<T, E> | undefined;
  const members = { ...early } as T;
  for (const name of names) {
    const standIn = lateBound(String(name), () => whole?.[name] as object | undefined);
    Object.defineProperty(members, name, { value: standIn, enumerable: true, configurable: true, writable: true });
  }
  return {
    members,
    bind(value) {
      whole = value;
      Object.assign(members, value);
    },
  };
}
