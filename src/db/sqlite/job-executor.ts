/** The statements of one of the transactions that share a commit (transactions.ts). */
import { setImmediate as immediate } from 'node:timers/promises';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Row, Sent, WritingExecutor } from '../interface/queryable.ts';
import type { FileChangeClock } from './change-clock.ts';
import type { Connection } from './connection.ts';
import type { ForeignTriggers } from './foreign-triggers.ts';

/** Milliseconds after which a transaction that is still at work lets the thread do something else. */
const SHARE = 8;

/** Lets the thread do something else now and then. */
export class JobExecutor implements WritingExecutor {
  readonly #connection: Connection;
  readonly #clock: FileChangeClock | undefined;
  readonly #triggers: ForeignTriggers;
  readonly #writesBefore: number;
  #since = performance.now();

  constructor(connection: Connection, clock: FileChangeClock | undefined, triggers: ForeignTriggers) {
    this.#connection = connection;
    this.#clock = clock;
    this.#triggers = triggers;
    this.#writesBefore = connection.writes;
  }

  get hasWritten(): boolean {
    return this.#connection.writes > this.#writesBefore;
  }

  send(text: string, values: readonly SqlValue[]): Sent {
    const rows = this.rows(text, values);
    return rows instanceof Promise ? rows : undefined;
  }

  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]> {
    this.#clock?.note(text, values);
    return this.#inTurn(this.#connection.rows(text, values));
  }

  tellsIds(table: string): boolean {
    return !this.#triggers.has(table);
  }

  insert(text: string, values: readonly SqlValue[]): number | Promise<number> {
    this.#clock?.note(text, values);
    return this.#inTurn(this.#connection.insert(text, values));
  }

  /** Statements come one behind the other: without a pause nothing else would be served. */
  #inTurn<T>(result: T): T | Promise<T> {
    return performance.now() - this.#since < SHARE ? result : this.#pause(result);
  }

  async #pause<T>(result: T): Promise<T> {
    await immediate();
    this.#since = performance.now();
    return result;
  }
}
