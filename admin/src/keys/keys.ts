/**
 * The keyboard shortcuts of the app: `mod+k`, a single key (`?`), or a sequence (`g h`). The list of shortcuts shows
 * all registered ones.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { readSetting } from '../data/settings.ts';
import { type Layer, topLayer, useLayer } from './layers.ts';

export interface Key {
  /** `mod+k`, `?`, `g h`: `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  readonly keys: string;
  readonly label: string;
  /** The heading of the shortcut in the list. */
  readonly group: string;
  /** Whether the key also works in a dialog or side panel that does not register it. */
  readonly overLayers?: true;
  readonly run: () => void;
}

interface RegisteredKey extends Key {
  readonly layer: Layer;
}

/** The milliseconds in which the second key has to follow the first. */
const FOLLOWS = 1200;
export const IS_MAC = /Mac|iP(?:hone|ad|od)/.test(navigator.platform);

let registered: readonly (readonly RegisteredKey[])[] = [];
const listeners = new Set<() => void>();

/**
 * Registers shortcuts while the component is mounted. Of equal ones the last counts, so a page may override others.
 * Shortcuts of the page or of a dialog are inactive while another dialog covers it.
 */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  const layer = useLayer();
  const names = keys.map(({ keys: name, label, group }) => `${name}\0${label}\0${group}`).join('\n');
  useEffect(() => {
    if (names === '') return;
    // Actions are read when they run, so that shortcuts need not be registered again on each render.
    const own = latest.current.map((key, index) => ({ ...key, layer, run: () => latest.current[index]?.run() }));
    registered = [...registered, own];
    for (const listener of listeners) listener();
    return () => {
      registered = registered.filter((entry) => entry !== own);
      for (const listener of listeners) listener();
    };
  }, [names, layer]);
}

/** All active shortcuts, without overridden ones. */
export function useRegisteredKeys(): readonly Key[] {
  const all = useSyncExternalStore(subscribe, () => registered);
  const byKeys = new Map(all.flat().map((key) => [key.keys, key]));
  return [...byKeys.values()];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Starts listening to the keyboard. Returns a function that stops it. */
export function listenToKeys(): () => void {
  let first: { readonly key: string; readonly at: number } | undefined;
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey) {
      const isMod = IS_MAC ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
      if (isMod) press(event, `mod+${event.shiftKey ? 'shift+' : ''}${pressed}`);
      return;
    }
    if (isWriting(event.target) || readSetting('singleKeys') === 'off' || isInDialog()) return;
    const sequence = first && event.timeStamp - first.at < FOLLOWS ? `${first.key} ${pressed}` : pressed;
    first = undefined;
    if (press(event, sequence)) return;
    if (registered.flat().some(({ keys }) => keys.startsWith(`${pressed} `)))
      first = { key: pressed, at: event.timeStamp };
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function press(event: KeyboardEvent, keys: string): boolean {
  const entries = registered.flat().filter((entry) => entry.keys === keys);
  if (entries.length === 0) return false;
  // A covered shortcut must not trigger an action of the browser, such as saving the page as a file.
  event.preventDefault();
  const top = topLayer();
  entries.findLast(({ layer, overLayers }) => layer === top || overLayers)?.run();
  return true;
}

/** Whether a key pressed on the element enters text. */
function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit|range|color|file)$/.test(target.type);
}

/** Single keys are inactive while a dialog, a popover or a menu is open. */
function isInDialog(): boolean {
  return document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]') !== null;
}

const MAC_NAMES: Readonly<Record<string, string>> = { mod: '⌘', shift: '⇧', enter: '↵' };
const OTHER_NAMES: Readonly<Record<string, string>> = { mod: 'Ctrl', shift: 'Shift', enter: '↵' };

/** The labels of the keys on this device: `mod+k` → `['⌘', 'K']`. A sequence has one list for each key. */
export function capsOf(keys: string): readonly (readonly string[])[] {
  const names = IS_MAC ? MAC_NAMES : OTHER_NAMES;
  return keys.split(' ').map((press) => press.split('+').map((name) => names[name] ?? name.toUpperCase()));
}
