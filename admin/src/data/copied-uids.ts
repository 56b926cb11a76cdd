/**
 * Values of uid attributes that were copied from another locale. They follow the translated title until an editor
 * enters another one. This device remembers them until the user signs out.
 */
import { BASE } from './base.ts';

/** A uid attribute of a version. */
export interface UidPlace {
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly attribute: string;
}

const KEY = `galley${BASE}copied-uids`;
/** The number of values that are remembered. */
const MAX_UIDS = 200;

type Copied = readonly (readonly [place: string, value: string])[];

const keyOf = ({ documentId, locale, attribute }: UidPlace): string => JSON.stringify([documentId, locale, attribute]);

/** Whether a value was copied, or was generated from the title since then. */
export function isCopiedUid(place: UidPlace, value: string): boolean {
  return value !== '' && read().some(([key, copied]) => key === keyOf(place) && copied === value);
}

/** Records a value that was copied, or that replaced a copied one. */
export function recordCopiedUid(place: UidPlace, value: string): void {
  const others = read().filter(([key]) => key !== keyOf(place));
  write([...others, [keyOf(place), value] as const].slice(-MAX_UIDS));
}

/** Deletes all records. */
export function clearCopiedUids(): void {
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
    // Storage may be full or forbidden: then the value stays as it was copied.
  }
}
