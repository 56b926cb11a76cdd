/** The settings of this device, shared by all users. They are available before the first request. */

interface Settings {
  readonly language: string;
  /** `light` or `dark`; absent to follow the system. */
  readonly theme: string;
  /** `off` disables keys without a modifier. */
  readonly singleKeys: string;
  /** `rtl` or `ltr`, whatever the language: shows the app in the other direction. */
  readonly direction: string;
}
export type Setting = keyof Settings;

const PREFIX = 'galley-admin.';
/** The values since the page was opened, for browsers that forbid storage. */
const chosen = new Map<Setting, string>();
const listeners = new Map<string, Set<() => void>>();

/** The value of a setting; null if it has none. */
export function readSetting(name: Setting): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return chosen.get(name) ?? null;
  }
}

/** Sets the value; null removes it. */
export function writeSetting(name: Setting, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    if (value === null) chosen.delete(name);
    else chosen.set(name, value);
  }
  for (const listener of listeners.get(name) ?? []) listener();
}

/** A store for `useSyncExternalStore`, which also reports changes of other tabs. */
export function setting(name: Setting): { subscribe: (listener: () => void) => () => void; get: () => string | null } {
  return { subscribe: subscriptions[name], get: readers[name] };
}

const NAMES: readonly Setting[] = ['language', 'theme', 'singleKeys', 'direction'];
const subscriptions = Object.fromEntries(NAMES.map((name) => [name, subscribeTo(name)])) as Record<
  Setting,
  (listener: () => void) => () => void
>;
const readers = Object.fromEntries(NAMES.map((name) => [name, () => readSetting(name)])) as Record<
  Setting,
  () => string | null
>;

function subscribeTo(name: Setting) {
  return (listener: () => void): (() => void) => {
    const own = listeners.get(name) ?? new Set();
    listeners.set(name, own.add(listener));
    const elsewhere = ({ key }: StorageEvent): void => {
      if (key === PREFIX + name || key === null) listener();
    };
    addEventListener('storage', elsewhere);
    return () => {
      own.delete(listener);
      removeEventListener('storage', elsewhere);
    };
  };
}
