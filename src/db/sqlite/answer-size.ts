/** How long the answer of the current statement has become, as far as SQLite reports it while building it. */
import type Sqlite from 'better-sqlite3';
import { tooLong } from '../../errors.ts';
import { SIZE_FUNCTION } from './dialect.ts';

/** The figure is an estimate: an answer is refused here only where it is certainly too long. */
const CERTAINLY = 2;
/** Bytes by which an estimate of short answers may be wrong. */
const DOUBT = 4 * 1024 * 1024;

/** Statements run one at a time. */
export class AnswerSize {
  #told = 0;

  /** Makes the SQL function known to a connection. */
  define(connection: Sqlite.Database): void {
    connection.function(SIZE_FUNCTION, (bytes: unknown, longest: unknown) => {
      this.#told += Number(bytes);
      if (this.#told > CERTAINLY * Number(longest) + DOUBT) throw tooLong();
      return 1;
    });
  }

  /** Begins with another statement. */
  reset(): void {
    this.#told = 0;
  }
}
