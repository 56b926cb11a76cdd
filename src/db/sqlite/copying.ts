/** Copies of database files. They are written and examined in a process of its own (`copy-process.ts`). */
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../errors.ts';
import { entryFile } from '../../own-files.ts';
import type { DatabaseCopies, TableRows } from '../interface/database-copies.ts';
import { connect } from './connection.ts';
import { openSqlite } from './driver.ts';

export type CopyRequest = { readonly from: string; readonly to: string } | { readonly check: string };
export type CopyReply = { readonly rows: TableRows } | { readonly failure: string };

/** The copies of a database file. */
export function sqliteCopies(filename: string): DatabaseCopies {
  return {
    form: 'sqlite',
    async create(file, during) {
      if (filename === ':memory:') throw new UsageError('a database in memory cannot be backed up', 1);
      if (!fs.existsSync(filename)) throw new UsageError(`there is no database ${filename}`, 1);
      const rows = await inProcess({ from: filename, to: file });
      const copy = openSqlite(file, { readTimeout: 0, readonly: true });
      try {
        await during(copy, rows);
      } finally {
        await copy.close();
      }
      return rows;
    },
    check: (file) => inProcess({ check: file }),
    async restore(file) {
      fs.mkdirSync(path.dirname(filename), { recursive: true });
      // of a symbolic link, the file that it leads to is replaced
      const target = fs.existsSync(filename) ? fs.realpathSync(filename) : filename;
      const mode = fs.statSync(target, { throwIfNoEntry: false })?.mode ?? 0o666 & ~process.umask();
      if (fs.existsSync(target)) claim(target);
      const beside = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.restored`);
      try {
        fs.copyFileSync(file, beside, fs.constants.COPYFILE_FICLONE);
        fs.chmodSync(beside, mode);
        flush(beside);
        fs.renameSync(beside, target);
        flush(path.dirname(target));
      } finally {
        fs.rmSync(beside, { force: true });
      }
    },
  };
}

/** Makes a file one without a log beside it. @throws UsageError if another process has it open. */
function claim(file: string): void {
  const connection = connect(file, false, 0);
  try {
    // only possible where no other connection is open
    connection.pragma('journal_mode = delete');
    connection.exec('begin exclusive; rollback');
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error;
    throw new UsageError(`${file} is in use: stop the server first`, 1);
  } finally {
    connection.close();
  }
}

function flush(name: string): void {
  const descriptor = fs.openSync(name, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function inProcess(request: CopyRequest): Promise<TableRows> {
  const { PATH, SystemRoot, TMPDIR, LD_LIBRARY_PATH } = process.env;
  const child = fork(entryFile('db/sqlite/copy-process'), [], {
    env: { PATH, SystemRoot, TMPDIR, LD_LIBRARY_PATH },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`the process of the copy ended: ${signal ?? `code ${code}`}`)));
    child.on('message', (reply: CopyReply) => {
      if ('rows' in reply) resolve(reply.rows);
      else reject(new UsageError(`the copy of the database failed: ${reply.failure}`, 1));
    });
    child.send(request);
  });
}
