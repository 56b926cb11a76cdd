/**
 * Keys of the app: `mod+k`, a single key (`?`), or two after one another (`g h`). What is registered is what the list
 * of keys shows.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { recall } from '../data/settings.ts';
import { type Layer, topLayer, useLayer } from './layers.ts';

export interface Key {
  /** `mod+k`, `?`, `g h`: `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  readonly keys: string;
  readonly label: string;
  /** The heading that it is listed under. */
  readonly group: string;
  /** Whether the key also works in a dialog or side panel that does not register it. */
  readonly overLayers?: true;
  readonly run: () => void;
}

interface RegisteredKey extends Key {
  readonly layer: Layer;
}

/** Milliseconds in which the second key has to follow the first. */
const FOLLOWS = 1200;
export const IS_MAC = /Mac|iP(?:hone|ad|od)/.test(navigator.platform);

let registered: readonly (readonly RegisteredKey[])[] = [];
const listeners = new Set<() => void>();

/**
 * Registers keys while the component is mounted. Of equal ones the last counts, so a page may have its own. Keys of the
 * page or of a dialog do nothing while another dialog covers it.
 */
export function useKeys(keys: readonly Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  const layer = useLayer();
  const names = keys.map(({ keys: name, label, group }) => `${name}\0${label}\0${group}`).join('\n');
  useEffect(() => {
    if (names === '') return;
    // what runs is asked for when it runs, so that keys need not be registered anew for each picture
    const own = latest.current.map((key, index) => ({ ...key, layer, run: () => latest.current[index]?.run() }));
    registered = [...registered, own];
    for (const listener of listeners) listener();
    return () => {
      registered = registered.filter((entry) => entry !== own);
      for (const listener of listeners) listener();
    };
  }, [names, layer]);
}

/** All keys that do something now, those that are overridden left out. */
export function useRegisteredKeys(): readonly Key[] {
  const all = useSyncExternalStore(subscribe, () => registered);
  const byKeys = new Map(all.flat().map((key) => [key.keys, key]));
  return [...byKeys.values()];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Listens to the keyboard. Gives what ends that. */
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
    if (isWriting(event.target) || recall('singleKeys') === 'off' || isInDialog()) return;
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
  // the browser's own action, such as saving the page as a file, is not what a covered key means
  event.preventDefault();
  const top = topLayer();
  entries.findLast(({ layer, overLayers }) => layer === top || overLayers)?.run();
  return true;
}

/** Whether a key pressed there is text. */
function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit|range|color|file)$/.test(target.type);
}

/** Single keys do nothing while a dialog, a popover or a menu is open. */
function isInDialog(): boolean {
  return document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]') !== null;
}

const MAC_NAMES: Readonly<Record<string, string>> = { mod: '⌘', shift: '⇧', enter: '↵' };
const OTHER_NAMES: Readonly<Record<string, string>> = { mod: 'Ctrl', shift: 'Shift', enter: '↵' };

/** The caps of keys as they are written on this device: `mod+k` → `['⌘', 'K']`; two presses are two lists. */
export function capsOf(keys: string): readonly (readonly string[])[] {
  const names = IS_MAC ? MAC_NAMES : OTHER_NAMES;
  return keys.split(' ').map((press) => press.split('+').map((name) => names[name] ?? name.toUpperCase()));
}
