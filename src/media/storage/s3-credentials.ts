/** Credentials of the object store, available without waiting: temporary ones are renewed before they expire. */
import type { S3Credentials } from '../../config/config.ts';
import { errorField, withheld, writeLogLine } from '../../log-line.ts';
import { isDate, noDate } from './credentials/sources.ts';

/** How long before they expire temporary credentials are renewed, in milliseconds, as AWS's own SDK does. */
const AHEAD = 5 * 60_000;
/** The shortest time between two fetches, in milliseconds. */
const PAUSE = 30_000;
/** Longer waits are cut: a timer takes 32 bits. */
const LONGEST_WAIT = 24 * 60 * 60_000;

/**
 * Gives keys that are kept. Those that are valid are given at once and renewed beside; without valid ones the provider
 * is waited for.
 *
 * @param renews true: keys that end soon are not given; the next ones are waited for.
 */
export type KeptCredentials = (renews?: boolean) => Promise<S3Credentials>;

/**
 * Asks a provider once, and again shortly before its keys end.
 *
 * @returns a function that rejects when the provider has to be waited for and gives no keys.
 */
export function keptCredentials(fetch: () => Promise<S3Credentials>): KeptCredentials {
  let current: S3Credentials | undefined;
  let fetching: Promise<S3Credentials> | undefined;
  let renewAfter = Number.NEGATIVE_INFINITY;
  const left = (): number => (current?.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
  const renew = (): Promise<S3Credentials> => {
    fetching ??= fetched(fetch)
      .then((next) => (current = next))
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };
  return (renews = false) => {
    const ends = left();
    if (!current || ends <= 0 || (renews && ends <= AHEAD)) return renew();
    if (ends <= AHEAD && Date.now() >= renewAfter) {
      // a provider that fails, or gives keys that end soon, is not asked at every request
      renewAfter = Date.now() + PAUSE;
      renew().catch(() => undefined);
    }
    return Promise.resolve(current);
  };
}

/**
 * What a provider gives. It may be a function of the project's configuration, which types do not hold.
 *
 * @throws Error for an expiration that is no date: nobody could tell when to fetch the next keys.
 */
async function fetched(fetch: () => Promise<S3Credentials>): Promise<S3Credentials> {
  const credentials = await fetch();
  const { expiration } = credentials;
  if (expiration !== undefined && !(expiration instanceof Date && isDate(expiration))) throw noDate();
  return credentials;
}

export class CurrentCredentials {
  #current: S3Credentials;
  readonly #fetch: (() => Promise<S3Credentials>) | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(current: S3Credentials, fetch: (() => Promise<S3Credentials>) | undefined) {
    this.#current = current;
    this.#fetch = fetch;
    this.#schedule();
  }

  /** Keys that stay as they are. */
  static fixed(credentials: S3Credentials): CurrentCredentials {
    return new CurrentCredentials(credentials, undefined);
  }

  /** Keys that a provider gives. Rejects when it gives none, or some whose expiration is no date. */
  static async fetched(fetch: () => Promise<S3Credentials>): Promise<CurrentCredentials> {
    return new CurrentCredentials(await fetched(fetch), fetch);
  }

  get value(): S3Credentials {
    return this.#current;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const { expiration } = this.#current;
    if (!this.#fetch || expiration === undefined) return;
    const wait = Math.min(LONGEST_WAIT, Math.max(PAUSE, expiration.getTime() - Date.now() - AHEAD));
    this.#timer = setTimeout(() => void this.#renew(), wait);
    this.#timer.unref();
  }

  async #renew(): Promise<void> {
    try {
      this.#current = await fetched(this.#fetch!);
    } catch (error) {
      writeLogLine('error', 'the keys of the object store cannot be renewed', errorField(withheld(error)));
    }
    this.#schedule();
  }
}
