/**
 * When API tokens were last used: written at most once an hour for each, independently of the requests that use them.
 */
import type { Database } from '../../db/interface/database.ts';
import { execute } from '../../db/interface/statements.ts';
import { LruCache } from '../../lru-cache.ts';
import { compileSetLastUsed } from '../../sql/accounts/tokens.ts';

const HOUR = 3_600_000;
/** Milliseconds after which a failed write is tried again. */
const RETRY = 60_000;
/** Uses that arrive within this many milliseconds are written together. */
const GATHER = 100;
/** Tokens whose last use is known. */
const TOKENS = 1000;

export class TokenUse {
  readonly #database: Database;
  /** Row id of a token → epoch milliseconds until which nothing needs to be written. */
  readonly #quietUntil = new LruCache<number, number>(TOKENS);
  readonly #unwritten = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Notes a use. It never fails and waits for nothing: where the database cannot be written at the moment, it is tried
   * again later.
   *
   * @param lastUsedAt epoch milliseconds, as stored when the token was looked up.
   */
  note(id: number, lastUsedAt: number | null): void {
    const now = Date.now();
    const quietUntil = this.#quietUntil.get(id) ?? (lastUsedAt ?? 0) + HOUR;
    // a time that lies further ahead was stored by a clock that was wrong
    if (now < quietUntil && quietUntil <= now + HOUR) return;
    this.#quietUntil.set(id, now + HOUR);
    this.#unwritten.add(id);
    this.#timer ??= setTimeout(() => void this.#write(), GATHER).unref();
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const ids = [...this.#unwritten];
    this.#unwritten.clear();
    try {
      const { dialect } = this.#database;
      const now = Date.now();
      const times = [now, now - HOUR].map((time) => dialect.encodeTime(time));
      await this.#database.transaction(
        async (tx) => {
          for (const id of ids) await execute(tx, compileSetLastUsed(), [times[0]!, id, times[1]!]);
        },
        { waits: false },
      );
    } catch {
      for (const id of ids) this.#quietUntil.set(id, Date.now() + RETRY);
    }
  }
}
