/**
 * The log of actions: every transaction adds its entries in one statement, ahead of its last one. Nothing changes an
 * entry; only retention removes them.
 */
import type { Action } from '../db/interface/action.ts';
import type { Change } from '../db/interface/change.ts';
import type { Sent } from '../db/interface/queryable.ts';
import { type Sending, sending } from '../db/interface/statements.ts';
import type { ChangeListener, Transaction } from '../db/interface/transaction.ts';
import { compileAddEntries, compileAddFewEntries } from '../sql/audit.ts';
import type { Dialect } from '../sql/dialect.ts';
import { valuesOf } from './entry.ts';
import { entriesOf } from './recorded.ts';

/** Entries of one statement, and of one with a parameter for each value, which takes less time. */
const PART = 1000;
const FEW = 8;

export class AuditLog implements ChangeListener {
  /** Statements for one entry, for two, … */
  readonly #addFew: readonly Sending[];
  readonly #addMany: Sending;
  readonly #committed: (() => void) | undefined;

  /** @param committed called after each commit that added entries. */
  constructor(dialect: Dialect, committed: (() => void) | undefined) {
    this.#addFew = Array.from({ length: FEW }, (_, n) => sending(dialect, compileAddFewEntries(n + 1)));
    this.#addMany = sending(dialect, compileAddEntries(dialect));
    this.#committed = committed;
  }

  record(tx: Transaction, changes: readonly Change[], actions: readonly Action[]): Sent {
    const rows = entriesOf(changes, actions).map(valuesOf);
    if (this.#committed) tx.afterCommit(this.#committed);
    const few = this.#addFew[rows.length - 1];
    return few ? few(tx, rows.flat()) : this.#add(tx, rows);
  }

  async #add(tx: Transaction, rows: readonly (readonly unknown[])[]): Promise<void> {
    for (let from = 0; from < rows.length; from += PART) {
      await this.#addMany(tx, [JSON.stringify(rows.slice(from, from + PART))]);
    }
  }
}
