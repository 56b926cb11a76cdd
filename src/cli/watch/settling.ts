/**
 * Decides when to read files that change. Saves come in bursts: an editor truncates and then writes, or writes another file
 * and renames it; a checkout changes fifty files. A file that is read too early is half-written. The caller passes the time,
 * so nothing here waits.
 */

/** Versions of files by path: any text that changes when the file is written. The version of an empty file is `EMPTY`. */
export type Versions = ReadonlyMap<string, string>;

export const EMPTY = 'empty';

/** Files are read after these milliseconds without a change. */
export const QUIET = 40;
/** The same for files that look half-written: their mistakes may disappear in a moment. */
export const PATIENCE = 400;
/** Files that never stop changing are read after these milliseconds. */
export const LONGEST = 2000;

export class Settling {
  /** The versions of the files that are served, or whose mistakes were reported. */
  #handled: Versions;
  /** The time of the first change that is not handled, and of the last change. */
  #first: number | undefined;
  #last = 0;
  /** Whether the files looked half-written at the last look. */
  #isDoubtful = false;
  /** The time of the first change that the current reading handles. */
  #reading = 0;

  constructor(served: Versions) {
    this.#handled = served;
  }

  /** Records a change. */
  changed(now: number): void {
    this.#first ??= now;
    this.#last = now;
    this.#isDoubtful = false;
  }

  /** The time of the next look at the files; undefined: after the next change. */
  get due(): number | undefined {
    return this.#first === undefined ? undefined : this.#after(this.#first, this.#isDoubtful ? PATIENCE : QUIET);
  }

  #after(first: number, milliseconds: number): number {
    return Math.min(this.#last + milliseconds, first + LONGEST);
  }

  /** Whether to read the files now. If not, `due` has the time of the next look. */
  look(now: number, versions: Versions): boolean {
    if (this.#first === undefined) return false;
    const changes = changedPaths(this.#handled, versions);
    // an editor has truncated the file and will write it
    const isBegun = changes.some((path) => versions.get(path) === EMPTY);
    this.#isDoubtful = isBegun && now < this.#after(this.#first, PATIENCE);
    if (this.#isDoubtful) return false;
    this.#reading = this.#first;
    this.#first = undefined;
    return changes.length > 0;
  }

  /** Records that the files are right and served. */
  placed(versions: Versions): void {
    this.#handled = versions;
  }

  /** Records that the files have mistakes. Returns whether to report them; otherwise the files are read again. */
  failed(now: number, versions: Versions): boolean {
    // a later change makes another reading due anyway
    if (this.#first !== undefined) return false;
    if (now < this.#after(this.#reading, PATIENCE)) {
      this.#first = this.#reading;
      this.#isDoubtful = true;
      return false;
    }
    this.#handled = versions;
    return true;
  }
}

/** The sorted paths whose versions differ, or that only one of the two has. */
export function changedPaths(before: Versions, after: Versions): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}
