/**
 * What somebody has written and the server does not have, kept on this device so that a closed tab or a crash loses
 * nothing. It is kept for the user who wrote it, until it is saved, thrown away, or the user signs out.
 */
import { BASE } from './base.ts';
import type { Unsaved } from './unsaved-version.ts';

export interface UnsavedPlace {
  readonly user: number;
  readonly uid: string;
  /** Null: a new document. */
  readonly documentId: string | null;
  readonly locale: string | null;
}

const PREFIX = `galley${BASE}unsaved `;
/** Milliseconds after which nobody will miss it. */
const OLDEST = 30 * 24 * 3_600_000;

const keyOf = ({ user, uid, documentId, locale }: UnsavedPlace): string =>
  PREFIX + JSON.stringify([user, uid, documentId, locale]);

/** What is kept of a place. */
export function unsavedOf(place: UnsavedPlace): Unsaved | undefined {
  try {
    const text = localStorage.getItem(keyOf(place));
    const unsaved = text === null ? undefined : (JSON.parse(text) as Unsaved);
    return unsaved && unsaved.at > Date.now() - OLDEST ? unsaved : undefined;
  } catch {
    return undefined; // a browser that forbids storage has nothing kept
  }
}

/** Keeps what is unsaved of a place; undefined: nothing is. Gives whether the browser has done so. */
export function keepUnsaved(place: UnsavedPlace, unsaved: Unsaved | undefined): boolean {
  try {
    if (unsaved) localStorage.setItem(keyOf(place), JSON.stringify(unsaved));
    else localStorage.removeItem(keyOf(place));
    return true;
  } catch {
    return false; // full or forbidden
  }
}

/** Forgets what anybody has not saved on this device: somebody has signed out. */
export function forgetUnsaved(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // as above
  }
}
