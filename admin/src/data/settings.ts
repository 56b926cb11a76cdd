/** What is chosen for this device, whoever signs in: it is there before anything is asked. */

interface Settings {
  readonly language: string;
  /** `light` or `dark`; none: as the system. */
  readonly theme: string;
  /** `off`: keys without a modifier do nothing. */
  readonly singleKeys: string;
  /** `rtl` or `ltr`, whatever the language: shows how the app looks in the other direction. */
  readonly direction: string;
}
export type Setting = keyof Settings;

const PREFIX = 'galley-admin.';
/** Where the browser keeps nothing, what was chosen since the page was opened. */
const chosen = new Map<Setting, string>();
const listeners = new Map<string, Set<() => void>>();

/** The value of a setting; null where none is chosen. */
export function recall(name: Setting): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return chosen.get(name) ?? null;
  }
}

/** Chooses a value; null: none. */
export function remember(name: Setting, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    if (value === null) chosen.delete(name);
    else chosen.set(name, value);
  }
  for (const listener of listeners.get(name) ?? []) listener();
}

/** For `useSyncExternalStore`: changes by other tabs count as well. */
export function setting(name: Setting): { subscribe: (listener: () => void) => () => void; get: () => string | null } {
  return { subscribe: subscriptions[name], get: readers[name] };
}

const NAMES: readonly Setting[] = ['language', 'theme', 'singleKeys', 'direction'];
const subscriptions = Object.fromEntries(NAMES.map((name) => [name, subscribeTo(name)])) as Record<
  Setting,
  (listener: () => void) => () => void
>;
const readers = Object.fromEntries(NAMES.map((name) => [name, () => recall(name)])) as Record<
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
