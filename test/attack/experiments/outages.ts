/** A full disk, a database that became read-only, connections that are ended, and an administrator's shutdown of it. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runSql } from '../../support/databases/cluster.ts';
import { ask, atOnce, pause, type Reply, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import type { Attacked, Trial } from '../trial.ts';

const WRITES = 40;
/** Bytes of the disk that fills, beside the database. */
const ROOM = 2_000_000;

let written = 0;
const write = ({ url, tokens }: Attacked, bio: string): Promise<Reply> => {
  const body = { data: { name: `attack ${written++}`, bio } };
  return ask(url, { method: 'POST', path: '/api/authors', token: tokens.writer, body });
};
const read = ({ url }: Attacked): Promise<Reply> => ask(url, { path: '/api/articles?pagination[pageSize]=5' });
const isServed = ({ status }: Reply): boolean => status >= 200 && status < 300;

/** A line in the log for what fails, without a stack; `before` lines do not count. */
function judgeLog(trial: Trial, { subject }: Attacked, before: number): void {
  const lines = subject.log().slice(before);
  const stacks = lines.filter((line) => line.includes('"stack"'));
  trial.figure(
    lines.length > 0 && lines.length <= WRITES && stacks.length === 0,
    `${lines.length} lines in the log, ${stacks.length} with a stack`,
  );
}

/** A file system of its own, where this program may make one; undefined where it may not. */
function smallDisk(trial: Trial): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'galley-disk-'));
  trial.afterwards(() => rmSync(folder, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  trial.afterwards(() => execFileSync('umount', ['-l', folder]));
  return folder;
}

async function fullDisk(trial: Trial): Promise<void> {
  const disk = smallDisk(trial);
  if (disk === undefined) {
    trial.figure(
      true,
      'no disk to fill without privileges (test/feature/database/locked-database.test.ts fills a file)',
    );
    return;
  }
  const ground = await trial.ground();
  const file = path.join(disk, 'full.db');
  copyFileSync(ground.env['DATABASE_FILENAME']!, file);
  const attacked = await trial.serve(ground, { env: { DATABASE_FILENAME: file } });
  await write(attacked, 'first');
  execFileSync('sh', [
    '-c',
    `head -c "$(($(df --output=avail -B1 "$1" | tail -1) - ${ROOM}))" /dev/zero >"$1/filler"`,
    'sh',
    disk,
  ]);
  const before = attacked.subject.log().length;
  const replies = [];
  for (let n = 0; n < WRITES; n++) replies.push(await write(attacked, 'x'.repeat(200_000)));
  const refused = replies.filter((reply) => !isServed(reply));
  const reads = await atOnce(5, () => read(attacked));
  judgeLog(trial, attacked, before);
  rmSync(path.join(disk, 'filler'));
  const after = await write(attacked, 'after');
  trial.figure(
    refused.length > 0 &&
      refused.every(({ status }) => status === 507 || status === 503) &&
      reads.every(isServed) &&
      isServed(after),
    `a full disk: writes ${statuses(replies)}, reads ${statuses(reads)}, a write after: ${after.status}`,
  );
}

async function postgresTrouble(trial: Trial): Promise<void> {
  const attacked = await trial.serveGrown({ isFragile: true });
  const url = attacked.env['DATABASE_URL']!;
  const name = new URL(url).pathname.slice(1);
  const end = () =>
    runSql(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  await atOnce(10, (n) => write(attacked, `${n}`));
  let before = attacked.subject.log().length;
  await runSql(url, `alter database ${name} set default_transaction_read_only = on`);
  // those that are open stay as they were: only new ones are read-only, as after a failover
  await end();
  const refused = await atOnce(WRITES, (n) => write(attacked, `${n}`));
  const reads = await atOnce(5, () => read(attacked));
  judgeLog(trial, attacked, before);
  const admin = new URL(url);
  admin.pathname = '/postgres';
  await runSql(admin.href, `alter database ${name} reset default_transaction_read_only`);
  await pause(1000);
  const after = await atOnce(10, (n) => write(attacked, `${n}`));
  trial.figure(
    refused.every(({ status }) => status === 503) &&
      reads.every(({ status }) => status === 200 || status === 503) &&
      after.every(isServed),
    `read-only: writes ${statuses(refused)}, reads ${statuses(reads)}; writable again, on the same server: ${statuses(after)}`,
  );
  before = attacked.subject.log().length;
  const replies: Reply[] = [];
  for (let n = 0; n < 10; n++) {
    const both = [...Array(5).keys()].flatMap((i) => [read(attacked), write(attacked, `${i}`)]);
    await end();
    replies.push(...(await Promise.all(both)));
  }
  await pause(500);
  const served = await atOnce(10, () => read(attacked));
  trial.figure(
    replies.every((reply) => isServed(reply) || reply.status === 503) && served.every(isServed),
    `connections ended ten times: ${statuses(replies)}, after ${statuses(served)}, ${attacked.subject.log().length - before} lines in the log`,
  );
}

export const experiment: Experiment = {
  name: 'outages',
  run: (trial) => (trial.engine === 'sqlite' ? fullDisk(trial) : postgresTrouble(trial)),
};
