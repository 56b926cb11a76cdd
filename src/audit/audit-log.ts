/**
 * The log of actions: every transaction adds its entries in one statement, ahead of its last one. Nothing changes an
 * entry; only retention removes them.
 */
import type { Action } from '../db/interface/action.ts';
import type { Change } from '../db/interface/change.ts';
import { sending } from '../db/interface/statements.ts';
import type { ChangeListener, Transaction } from '../db/interface/transaction.ts';
import { compileAddEntries, compileAddEntry } from '../sql/audit.ts';
import type { Dialect } from '../sql/dialect.ts';
import { valuesOf } from './entry.ts';
import { entriesOf } from './recorded.ts';

/** Entries of one statement. */
const PART = 1000;

export class AuditLog implements ChangeListener {
  readonly #addOne: ReturnType<typeof sending>;
  readonly #addMany: ReturnType<typeof sending>;
  readonly #committed: (() => void) | undefined;

  /** @param committed called after each commit that added entries. */
  constructor(dialect: Dialect, committed: (() => void) | undefined) {
    this.#addOne = sending(dialect, compileAddEntry());
    this.#addMany = sending(dialect, compileAddEntries(dialect));
    this.#committed = committed;
  }

  record(tx: Transaction, changes: readonly Change[], actions: readonly Action[]): void | Promise<void> {
    const rows = entriesOf(changes, actions).map(valuesOf);
    if (this.#committed) tx.afterCommit(this.#committed);
    if (rows.length > 1) return this.#add(tx, rows);
    return this.#addOne(tx, rows[0]!)?.then(() => undefined);
  }

  async #add(tx: Transaction, rows: readonly (readonly unknown[])[]): Promise<void> {
    for (let from = 0; from < rows.length; from += PART) {
      await this.#addMany(tx, [JSON.stringify(rows.slice(from, from + PART))]);
    }
  }
}
