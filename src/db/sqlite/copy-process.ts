/**
 * A process that copies a database file while others write to it, or checks such a copy. Both take time in proportion
 * to the file, and stop the thread that does them.
 */
import type Sqlite from 'better-sqlite3';
import { connect } from './connection.ts';
import type { CopyReply, CopyRequest } from './copying.ts';

/** Milliseconds to wait for another process that has locked the file. */
const PATIENCE = 10_000;
/** Pages of one step; the log may grow in between. */
const PAGES = 5000;

/** The rows of each table by its name, without those that indexes of texts consist of. */
function countRows(connection: Sqlite.Database): Record<string, number> {
  const tables = connection
    .prepare(
      `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .pluck()
    .all() as string[];
  return Object.fromEntries(
    tables.sort().map((name) => {
      const count = connection.prepare(`select count(*) from "${name.replaceAll('"', '""')}"`).pluck();
      return [name, Number(count.get())];
    }),
  );
}

/** Copies the state of the file at one moment: a transaction that reads keeps the copy from starting anew. */
async function copy({ from, to }: { readonly from: string; readonly to: string }): Promise<Record<string, number>> {
  const source = connect(from, true, PATIENCE);
  try {
    source.exec('begin');
    const rows = countRows(source);
    await source.backup(to, { progress: () => PAGES });
    source.exec('commit');
    const target = connect(to, false, 0);
    // one file, without a log beside it
    target.pragma('journal_mode = delete');
    target.close();
    return rows;
  } finally {
    source.close();
  }
}

/** @throws Error if the file is damaged. */
function check(file: string): Record<string, number> {
  const connection = connect(file, true, 0);
  try {
    const found = connection.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok') throw new Error(String(found));
    return countRows(connection);
  } finally {
    connection.close();
  }
}

async function answer(request: CopyRequest): Promise<CopyReply> {
  try {
    return { rows: 'check' in request ? check(request.check) : await copy(request) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.once('message', async (request: CopyRequest) => {
  process.send?.(await answer(request), undefined, undefined, () => process.exit());
});
