/** Credentials of the object store, available without waiting; temporary ones are renewed before they expire. */
import type { S3Credentials } from '../../config/config.ts';
import { errorField, withheld, writeLogLine } from '../../log-line.ts';
import { invalidExpiration, isValidDate } from './credentials/sources.ts';

/** Milliseconds before expiry at which temporary credentials are renewed, as in AWS's own SDK. */
const AHEAD = 5 * 60_000;
/** Milliseconds between two fetches. */
const PAUSE = 30_000;
/** The longest wait of a timer, which has 32 bits. */
const LONGEST_WAIT = 24 * 60 * 60_000;

/**
 * Returns cached keys. Valid ones are returned at once and renewed in the background; otherwise the provider is
 * awaited.
 *
 * @param renews whether to await new keys if the present ones expire soon.
 */
export type CachedCredentials = (renews?: boolean) => Promise<S3Credentials>;

/**
 * Calls a provider once, and again shortly before its keys expire.
 *
 * @returns a function that rejects if the provider has to be awaited and has no keys.
 */
export function cachedCredentials(fetch: () => Promise<S3Credentials>): CachedCredentials {
  let current: S3Credentials | undefined;
  let fetching: Promise<S3Credentials> | undefined;
  let renewAfter = Number.NEGATIVE_INFINITY;
  const remaining = (): number => (current?.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
  const renew = (): Promise<S3Credentials> => {
    fetching ??= fetched(fetch)
      .then((next) => (current = next))
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };
  return (renews = false) => {
    const ends = remaining();
    if (!current || ends <= 0 || (renews && ends <= AHEAD)) return renew();
    if (ends <= AHEAD && Date.now() >= renewAfter) {
      // a provider that fails, or whose keys expire soon, is not called at every request
      renewAfter = Date.now() + PAUSE;
      renew().catch(() => undefined);
    }
    return Promise.resolve(current);
  };
}

/**
 * The keys of a provider, which may be code of the project without types.
 *
 * @throws Error for an invalid expiration, without which the next fetch could not be scheduled.
 */
async function fetched(fetch: () => Promise<S3Credentials>): Promise<S3Credentials> {
  const credentials = await fetch();
  const { expiration } = credentials;
  if (expiration !== undefined && !(expiration instanceof Date && isValidDate(expiration))) throw invalidExpiration();
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

  /** Constant keys. */
  static fixed(credentials: S3Credentials): CurrentCredentials {
    return new CurrentCredentials(credentials, undefined);
  }

  /** Keys of a provider. Rejects if it has none, or some with an invalid expiration. */
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
