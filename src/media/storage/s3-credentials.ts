/** Credentials of the object store, available without waiting: temporary ones are renewed before they expire. */
import type { S3Credentials } from '../../config/config.ts';

/** How long before they expire temporary credentials are renewed, in milliseconds, as AWS's own SDK does. */
const AHEAD = 5 * 60_000;
/** The shortest time between two fetches, in milliseconds. */
const PAUSE = 30_000;
/** Longer waits are cut: a timer takes 32 bits. */
const LONGEST_WAIT = 24 * 60 * 60_000;

/** Asks a provider once and again shortly before its keys end. Keys that are still valid survive a failure to renew. */
export function keptCredentials(fetch: () => Promise<S3Credentials>): () => Promise<S3Credentials> {
  let current: S3Credentials | undefined;
  let fetching: Promise<S3Credentials> | undefined;
  const left = (): number => (current?.expiration?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
  return () => {
    if (current && left() > AHEAD) return Promise.resolve(current);
    fetching ??= fetch()
      .then(
        (fetched) => (current = fetched),
        (error: unknown) => {
          if (current && left() > 0) return current;
          throw error;
        },
      )
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };
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

  /** Keys that a provider gives. Rejects when it gives none. */
  static async fetched(fetch: () => Promise<S3Credentials>): Promise<CurrentCredentials> {
    return new CurrentCredentials(await fetch(), fetch);
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
      this.#current = await this.#fetch!();
    } catch (error) {
      process.stderr.write(`error: the keys of the object store cannot be renewed: ${(error as Error).name}\n`);
    }
    this.#schedule();
  }
}
