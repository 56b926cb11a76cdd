/** Values of this browser tab, which survive a reload. They belong to one user and disappear with the tab. */
import { BASE } from './base.ts';

export interface TabValue<T> {
  get(): T | undefined;
  /** Undefined removes the value. */
  set(value: T | undefined): void;
}

const all: TabValue<never>[] = [];

/** The value with a name. */
export function tabValue<T>(name: string): TabValue<T> {
  const key = `galley${BASE}${name}`;
  let cached: { readonly value: T | undefined } | undefined;
  const value: TabValue<T> = {
    get() {
      cached ??= { value: restored<T>(key) };
      return cached.value;
    },
    set(next) {
      cached = { value: next };
      try {
        if (next === undefined) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Storage may be full or forbidden: then the value is lost with a reload.
      }
    },
  };
  all.push(value as TabValue<never>);
  return value;
}

/** Removes all values of the tab. */
export function clearTab(): void {
  for (const value of all) value.set(undefined);
}

function restored<T>(key: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
