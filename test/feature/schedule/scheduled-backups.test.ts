/** Backups at the times of `config/galley` (docs/reference/backup.md). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ScheduledBackups } from '../../../src/scheduled-backups.ts';
import type { Mail } from '../../../src/users/mail/mail.ts';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const EVERY_SECOND = '* * * * * *';

for (const engine of engines) {
  describe(`scheduled backups on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let server: SeededServer;
    const mails: Mail[] = [];
    const lines: string[] = [];
    /** The backups of a process that serves the project. */
    const process = (to: string, keep = 2) => {
      const { config, database, stores } = server.app;
      const backup = { ...config.backup, cron: EVERY_SECOND, keep, to, mail: 'ops@example.com' };
      const mailer = { send: async (mail: Mail) => void mails.push(mail) as undefined, close: async () => {} };
      const log = (line: string) => void lines.push(line);
      return new ScheduledBackups({ config: { ...config, backup }, database, stores, mailer, log });
    };
    const names = async (name: string) => (await readdir(path.join(folder.dir, name))).sort();

    before(async () => {
      folder = await copyProject(CONFORMANCE_DIR);
      server = await serveSeeded(engine, folder);
    });
    after(() => server?.stop());

    it('creates them in one of several processes, and keeps the newest', async () => {
      const processes = [process('nightly'), process('nightly')];
      const seen = new Set<string>();
      for (const one of processes) await one.start();
      await until('three backups are removed or stay', async () => {
        for (const name of await names('nightly').catch(() => [])) if (!name.startsWith('.')) seen.add(name);
        return seen.size > 3;
      });
      for (const one of processes) await one.close();
      const left = await names('nightly');
      ok(left.length <= 2, left.join());
      deepStrictEqual(
        left,
        [...seen, ...left]
          .filter((name, n, all) => all.indexOf(name) === n)
          .sort()
          .slice(-left.length),
      );
      const { failed, doneAt } = (await processes[0]!.state())!;
      ok(!failed && Date.now() - doneAt! < 60_000);
      const metrics = (await processes[0]!.metrics()).map(({ name, samples }) => [name, samples[0]!.value]);
      deepStrictEqual(metrics, [
        ['galley_backup_last_success_timestamp_seconds', doneAt! / 1000],
        ['galley_backup_failing', 0],
      ]);
    });

    it('reports a failure in the log, by mail and in its state, with the time of the last complete one', async () => {
      await writeFile(path.join(folder.dir, 'taken'), 'a file');
      const failing = process('taken');
      const before = (await failing.state())!.doneAt;
      await failing.start();
      await until('a mail is sent', () => mails.length > 0);
      await failing.close();
      match(lines.at(-1)!, /^error: the scheduled backup failed: the folder for backups cannot be created: /);
      match(mails[0]!.text, /^The scheduled backup of .* into taken failed: the folder for backups cannot be created/);
      deepStrictEqual(mails[0]!.to, [{ name: '', address: 'ops@example.com' }]);
      const { failed, doneAt } = (await failing.state())!;
      deepStrictEqual([failed, doneAt], [true, before]);
      strictEqual((await failing.metrics())[1]!.samples[0]!.value, 1);
    });
  });
}
