/** The statements of transactions, written down on their way to the database. */
import { currentAccount } from '../../../src/db/interface/account.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import type { SqlValue } from '../../../src/sql/fragment.ts';
import type { Recorded } from './recording.ts';

export interface RecordedTransactions {
  /** Statements since the last `reset`, in the order in which they were sent, without the beginnings and ends. */
  readonly statements: readonly Recorded[];
  reset(): void;
}

/** The accounts of work that waits for no write. */
const BACKGROUND: ReadonlySet<string> = new Set(['history', 'audit']);

/** Records the statements of all transactions of a database that begin from now on, except those in the background. */
export function recordTransactions(database: Database): RecordedTransactions {
  const statements: Recorded[] = [];
  const transaction = database.transaction.bind(database);
  database.transaction = (work, options) =>
    transaction((tx) => {
      if (BACKGROUND.has(currentAccount())) return work(tx);
      const [rows, send, insert] = [tx.rows.bind(tx), tx.send.bind(tx), tx.insert.bind(tx)];
      tx.rows = (text, values) => {
        statements.push({ text, values });
        return rows(text, values);
      };
      tx.send = (text, values) => {
        statements.push({ text, values });
        return send(text, values);
      };
      tx.insert = (text, values) => {
        statements.push({ text, values });
        return insert(text, values);
      };
      return work(tx);
    }, options);
  return { statements, reset: () => void statements.splice(0) };
}

/** What kind of value a statement was given: values themselves differ from run to run. */
export function kindOf(value: SqlValue): string {
  if (value === null) return 'null';
  if (typeof value !== 'string') return typeof value;
  const json = jsonOf(value);
  if (Array.isArray(json)) return `list of ${json.length}`;
  return typeof json === 'object' && json !== null ? 'object' : 'text';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
