/**
 * When files that change are read. Saves come in bursts: an editor truncates and then writes, or writes beside and
 * renames; a checkout changes fifty files. What is read too early is half-written. Times are given in, so that nothing
 * here waits.
 */

/** A file's version by its path: any text that differs when the file was written. Empty files have `EMPTY`. */
export type Versions = ReadonlyMap<string, string>;

export const EMPTY = 'empty';

/** Milliseconds without a change after which files are read. */
export const QUIET = 40;
/** The same where they look half-written: what is wrong with them may be gone in a moment. */
export const PATIENCE = 400;
/** Milliseconds after which files that never stop changing are read all the same. */
export const LONGEST = 2000;

export class Settling {
  /** Of the files that are in place, or were found wrong and reported. */
  #known: Versions;
  /** The first change that was not seen to, undefined for none; and the last of all. */
  #first: number | undefined;
  #last = 0;
  /** Whether the files looked half-written the last time. */
  #isDoubtful = false;
  /** The first of the changes that the files are being read for. */
  #reading = 0;

  constructor(known: Versions) {
    this.#known = known;
  }

  /** Something has changed. */
  changed(now: number): void {
    this.#first ??= now;
    this.#last = now;
    this.#isDoubtful = false;
  }

  /** When to look at the files next; undefined: not before something changes. */
  get due(): number | undefined {
    return this.#first === undefined ? undefined : this.#after(this.#first, this.#isDoubtful ? PATIENCE : QUIET);
  }

  #after(first: number, milliseconds: number): number {
    return Math.min(this.#last + milliseconds, first + LONGEST);
  }

  /** Whether the files are to be read now. If not, `due` says what is next. */
  look(now: number, versions: Versions): boolean {
    if (this.#first === undefined) return false;
    const changes = changedPaths(this.#known, versions);
    // whatever it will hold, an editor has begun to write it
    const isBegun = changes.some((path) => versions.get(path) === EMPTY);
    this.#isDoubtful = isBegun && now < this.#after(this.#first, PATIENCE);
    if (this.#isDoubtful) return false;
    this.#reading = this.#first;
    this.#first = undefined;
    return changes.length > 0;
  }

  /** The files that were to be read were right and are in place. */
  placed(versions: Versions): void {
    this.#known = versions;
  }

  /** The files that were to be read were wrong. Whether that is to be reported; if not, they are read once more. */
  failed(now: number, versions: Versions): boolean {
    // changed meanwhile: they are read once more as it is
    if (this.#first !== undefined) return false;
    if (now < this.#after(this.#reading, PATIENCE)) {
      this.#first = this.#reading;
      this.#isDoubtful = true;
      return false;
    }
    this.#known = versions;
    return true;
  }
}

/** Paths that are in one of two, or in both with another version, in order. */
export function changedPaths(before: Versions, after: Versions): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
