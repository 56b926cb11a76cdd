/** The project's locales, cached until the database changes. */
import type { Database } from '../../db/interface/database.ts';
import { cut } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { LOCALE_UID } from '../../schema/catalog.ts';
import { defaultLocale, listLocales } from './locales.ts';

/** Characters of a code that a hint repeats. */
const CODE_LENGTH = 40;

export class LocaleStore {
  readonly #database: Database;
  #generation = Number.NaN;
  #default = '';
  #codes: ReadonlySet<string> = new Set();
  /** Grows with each invalidation: the result of a read that began before may be old. */
  #epoch = 0;
  /** The number of reads that have begun, and the last one whose result was taken. */
  #readings = 0;
  #kept = 0;

  constructor(database: Database) {
    this.#database = database;
    database.subscribe({
      afterCommit: (changes) => {
        if (changes.some(({ uid }) => uid === LOCALE_UID)) this.#forget();
      },
    });
  }

  /** The code of the default locale. */
  default(): string | Promise<string> {
    return this.known() ?? this.#refresh().then(() => this.#default);
  }

  /** The default locale if it is cached; undefined after a change. */
  known(): string | undefined {
    return this.#database.generation() === this.#generation ? this.#default : undefined;
  }

  /** Whether a locale of this code exists. */
  async has(code: string): Promise<boolean> {
    await this.#refresh();
    return this.#codes.has(code);
  }

  /** Whether locales of these codes exist, if they are cached; undefined after a change. */
  hasAtOnce(codes: readonly string[]): boolean | undefined {
    return this.known() === undefined ? undefined : codes.every((code) => this.#codes.has(code));
  }

  /** A hint for an empty result: that a named locale does not exist, and a similar one. Undefined if all exist. */
  async missing(codes: readonly string[]): Promise<string | undefined> {
    await this.#refresh();
    const code = codes.find((one) => !this.#codes.has(one));
    if (code === undefined) return undefined;
    const near = nearest(code, this.#codes);
    const written = cut(code, CODE_LENGTH);
    return near === undefined
      ? `there is no locale ${written}`
      : `there is no locale ${written}: did you mean ${near}?`;
  }

  #forget(): void {
    this.#generation = Number.NaN;
    this.#epoch += 1;
  }

  async #refresh(): Promise<void> {
    const generation = this.#database.generation();
    if (generation === this.#generation) return;
    const epoch = this.#epoch;
    this.#readings += 1;
    const reading = this.#readings;
    const chosen = await defaultLocale(this.#database);
    const codes = new Set((await listLocales(this.#database)).map(({ code }) => code));
    // one that began later saw at least as much, and may have come back sooner
    if (reading < this.#kept) return;
    this.#kept = reading;
    this.#codes = codes;
    this.#default = chosen;
    if (epoch === this.#epoch) this.#generation = generation;
  }
}
