/**
 * Addresses (values of uid attributes) that versions have taken from another locale: they follow the translated title until
 * somebody writes another one. This device knows which, until the user signs out.
 */
import { BASE } from './base.ts';

/** A uid attribute of a version. */
export interface UidPlace {
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly attribute: string;
}

const KEY = `galley${BASE}copied-uids`;
/** Those that were copied last. */
const MOST = 200;

type Copied = readonly (readonly [place: string, value: string])[];

const keyOf = ({ documentId, locale, attribute }: UidPlace): string => JSON.stringify([documentId, locale, attribute]);

/** Whether the value of a place was copied, or made of the title since. */
export function isCopiedUid(place: UidPlace, value: string): boolean {
  return value !== '' && read().some(([key, copied]) => key === keyOf(place) && copied === value);
}

/** Notes a value that was copied, or that was made in the place of such a one. */
export function noteCopiedUid(place: UidPlace, value: string): void {
  const others = read().filter(([key]) => key !== keyOf(place));
  write([...others, [keyOf(place), value] as const].slice(-MOST));
}

/** Forgets all of them. */
export function forgetCopiedUids(): void {
  write([]);
}

function read(): Copied {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? (found as Copied) : [];
  } catch {
    return [];
  }
}

function write(copied: Copied): void {
  try {
    if (copied.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(copied));
  } catch {
    // storage may be full or forbidden: then such an address stays as it was copied
  }
}
