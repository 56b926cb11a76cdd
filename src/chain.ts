/** Work that is synchronous where it can be: a promise costs a turn of the microtask queue. */

/** Passes a value on: at once where it is there, and when it arrives where it is a promise. */
export function chain<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
