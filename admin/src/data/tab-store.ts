/** What this tab knows of where somebody has been, also once it is loaded anew. It is of one user, and goes with the tab. */
import { BASE } from './base.ts';

export interface TabValue<T> {
  get(): T | undefined;
  /** Undefined: forgets it. */
  set(value: T | undefined): void;
}

const all: TabValue<never>[] = [];

/** A value of the tab, by a name of its own. */
export function tabValue<T>(name: string): TabValue<T> {
  const key = `galley${BASE}${name}`;
  let known: { readonly value: T | undefined } | undefined;
  const value: TabValue<T> = {
    get() {
      known ??= { value: restored<T>(key) };
      return known.value;
    },
    set(next) {
      known = { value: next };
      try {
        if (next === undefined) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, JSON.stringify(next));
      } catch {
        // storage may be full or forbidden: then it is known until the page is loaded anew
      }
    },
  };
  all.push(value as TabValue<never>);
  return value;
}

/** Forgets all that the tab knows. */
export function forgetTab(): void {
  for (const value of all) value.set(undefined);
}

function restored<T>(key: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
