/** Starting and ending as a process: what is wrong is told in one line on stderr, with exit code 1 and no stack. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { runSql } from '../../support/databases/cluster.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { INHERITED, PROGRAM } from '../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

/** An account without rights, where the tests run with all of them: those pass over file modes. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

type Environment = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const running = new Set<ChildProcess>();

class Process {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #out = '';
  #err = '';

  constructor(dir: string, env: Environment, flags: readonly string[] = ['--port', '0'], account = {}) {
    const secrets = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
    this.child = spawn(process.execPath, [PROGRAM, 'start', dir, '--host', '127.0.0.1', ...flags], {
      env: { ...INHERITED, ...secrets, ...env },
      ...account,
    });
    running.add(this.child);
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#err += text;
    });
    this.ended = once(this.child, 'close').then(([code]) => {
      running.delete(this.child);
      return { code, out: this.#out, err: this.#err };
    });
  }

  /** The address that it serves; rejects when it ends instead. */
  async url(): Promise<string> {
    const found = (): string | undefined => /(http:\S+)\/_health\n/.exec(this.#out)?.[1];
    const ended = this.ended.then(({ err }) => {
      throw new Error(`ended: ${err}`);
    });
    ended.catch(() => {});
    // Output may come in pieces.
    while (found() === undefined) await Promise.race([once(this.child.stdout!, 'data'), ended]);
    return found()!;
  }

  async stop(): Promise<Ended> {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}

async function refusal(dir: string, env: Environment, flags?: readonly string[], account?: object): Promise<string> {
  const { code, out, err } = await new Process(dir, env, flags, account).ended;
  deepStrictEqual([code, out], [1, ''], err);
  strictEqual(err.trimEnd().split('\n').length, 1, err);
  doesNotMatch(err, /\n\s+at |defect/);
  match(err, /^galley: /);
  return err.trimEnd();
}

/** Asserts that stderr has only the line of the log on a request of the public that lacks an action of notes. */
function assertOnlyRefusal(err: string, action: string): void {
  const uid = `api::note.note.${action}`;
  const msg = `A request was refused: the role public does not have ${uid}. npm run -s galley -- role grant public --action ${uid} permits it`;
  match(err, /^\{.*\}\n$/);
  const line = JSON.parse(err) as { level: string; msg: string };
  deepStrictEqual([line.level, line.msg], ['warn', msg]);
}

let project: ProjectFolder;
before(async () => {
  project = await makeProject({ contentTypes: { note: contentType('note', { title: { type: 'string' } }) } });
  await chmod(project.dir, 0o755);
});
after(async () => {
  // A failed test leaves its processes.
  for (const child of running) child.kill('SIGKILL');
  await project?.remove();
});

for (const engine of engines) {
  describe(`galley start on ${engine.name}`, () => {
    let database: TestDatabase;
    before(async () => {
      database = await engine.emptyDatabase();
    });
    after(() => database?.drop());

    it('makes an empty database once, when two processes start on it at once', async () => {
      const both = [new Process(project.dir, database.env), new Process(project.dir, database.env)];
      try {
        const urls = await Promise.all(both.map((one) => one.url()));
        for (const url of urls) strictEqual((await fetch(`${url}/api/notes`)).status, 403);
      } finally {
        const ends = await Promise.all(both.map((one) => one.stop()));
        for (const { code, err } of ends) {
          strictEqual(code, 0, err);
          assertOnlyRefusal(err, 'find');
        }
      }
    });

    it('reports in one line that the port is taken', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as { port: number };
      const line = await refusal(project.dir, database.env, ['--port', String(port)]);
      strictEqual(line, `galley: port ${port} of 127.0.0.1 is taken: choose another with --port or PORT`);
      other.close();
    });

    it('answers open requests at SIGTERM, then ends with exit code 0', async () => {
      const galley = new Process(project.dir, database.env);
      const url = new URL(await galley.url());
      const socket = connect(Number(url.port), url.hostname);
      let answer = '';
      socket.on('error', () => {});
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      const body = '{"data":{"title":"late"}}';
      socket.write(
        `POST /api/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
      );
      // The request is in the server's hands once another on a later connection is answered.
      await fetch(`${url.origin}/_health`);
      galley.child.kill('SIGTERM');
      // It has heard the signal once it takes no new connections.
      while (
        await fetch(`${url.origin}/_health`).then(
          () => true,
          () => false,
        )
      );
      socket.write(body.slice(9));
      await once(socket, 'close');
      match(answer, /^HTTP\/1\.1 403 /);
      const { code, err } = await galley.ended;
      strictEqual(code, 0, err);
      assertOnlyRefusal(err, 'create');
    });

    it('shows statements with their times and without values with GALLEY_LOG=sql', async () => {
      const galley = new Process(project.dir, { ...database.env, GALLEY_LOG: 'sql' });
      const url = await galley.url();
      await fetch(`${url}/api/notes`, { headers: { authorization: 'Bearer a-secret-of-someone' } });
      const { code, err } = await galley.stop();
      strictEqual(code, 0);
      match(err, /^sql \d+\.\d\d ms select .*"strapi_api_tokens"/m);
      doesNotMatch(err, /a-secret-of-someone/);
      for (const line of err.trimEnd().split('\n')) match(line, /^sql \d+\.\d\d ms /);
    });

    it('warns once about differences that it does not change', async () => {
      const own = await engine.emptyDatabase();
      const run = async (attribute: object): Promise<string> => {
        const folder = await makeProject({ contentTypes: { note: contentType('note', { title: attribute }) } });
        const galley = new Process(folder.dir, own.env);
        await galley.url();
        const { err } = await galley.stop();
        await folder.remove();
        return err;
      };
      strictEqual(await run({ type: 'string' }), '');
      const sql = `insert into notes (document_id, title) values ('a', 'same'), ('b', 'same')`;
      if (own.env['DATABASE_URL']) await runSql(own.env['DATABASE_URL'], sql);
      else new Sqlite(own.env['DATABASE_FILENAME']!).exec(sql).close();
      const err = await run({ type: 'string', requird: true, column: { unique: true } });
      const lines = err.split('\n');
      match(lines[0]!, /^warning: src\/api\/note\/.*: unknown option requird \(did you mean required\?\)$/);
      match(lines[1]!, /^warning: unique index \S+ was not created: rows of notes have the same title$/);
      deepStrictEqual(lines.slice(2), ['']);
      await own.drop();
    });

    it('refuses a database of another program, and leaves it as it is', async () => {
      const own = await engine.emptyDatabase();
      const sql = 'create table notes (number integer, body text)';
      if (own.env['DATABASE_URL']) await runSql(own.env['DATABASE_URL'], sql);
      else new Sqlite(own.env['DATABASE_FILENAME']!).exec(sql).close();
      const line = await refusal(project.dir, own.env);
      match(line, /table notes of the database lacks the column id: it belongs to another program/);
      await own.drop();
    });
  });
}

describe('galley start on a PostgreSQL database that is not there', () => {
  it('reports a missing database, a wrong password, and a missing server, each in one line', async () => {
    const database = await engines.find(({ name }) => name === 'postgres')!.emptyDatabase();
    const wrong = (change: (url: URL) => void): Promise<string> => {
      const url = new URL(database.env['DATABASE_URL']!);
      change(url);
      return refusal(project.dir, { DATABASE_CLIENT: 'postgres', DATABASE_URL: url.href });
    };
    match(await wrong((url) => (url.pathname = '/nosuch')), /database "nosuch" does not exist/);
    match(await wrong((url) => (url.password = 'wrong')), /password authentication failed/);
    match(await wrong((url) => (url.port = '1')), /ECONNREFUSED/);
    await database.drop();
  });
});

describe('galley start on an SQLite file', () => {
  let dir = '';
  let file = '';
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'galley-start-'));
    file = path.join(dir, 'content.db');
  });
  after(async () => {
    await chmod(dir, 0o755);
    await rm(dir, { recursive: true, force: true });
  });
  const start = (env: Environment, flags?: readonly string[], account?: object) =>
    new Process(project.dir, { DATABASE_CLIENT: 'sqlite', ...env }, flags, account);
  const refused = (filename: string, account?: object) =>
    refusal(project.dir, { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: filename }, undefined, account);

  it('that is not there makes it, folders included', async () => {
    const galley = start({ DATABASE_FILENAME: path.join(dir, 'new/folder/content.db') });
    await galley.url();
    strictEqual((await galley.stop()).code, 0);
    ok((await stat(path.join(dir, 'new/folder/content.db'))).size > 0);
  });

  it('that is not a database is refused and unchanged', async () => {
    const text = path.join(dir, 'notes.txt');
    await writeFile(text, 'These are notes, and no database at all.\n'.repeat(50));
    const { size } = await stat(text);
    match(await refused(text), /notes\.txt: the file is not an SQLite database$/);
    strictEqual((await stat(text)).size, size);
    match(await refused(dir), /the database cannot be opened/);
    match(await refused(path.join(text, 'content.db')), /the database cannot be opened/);
  });

  it('that another program has locked is refused after a while', async () => {
    const locked = path.join(dir, 'locked.db');
    const other = new Sqlite(locked);
    other.exec('create table other (a); begin exclusive');
    match(await refused(locked), /locked\.db: the database is locked by another program$/);
    other.exec('rollback');
    other.close();
  });

  it('serves a read-only database, and refuses one that lacks tables', async () => {
    const first = start({ DATABASE_FILENAME: file });
    await first.url();
    strictEqual((await first.stop()).code, 0);
    const [empty, log] = [path.join(dir, 'empty.db'), path.join(dir, 'log.db')];
    await copyFile(file, log);
    // As Strapi leaves its files. A write-ahead log would need a folder that can be written.
    const connection = new Sqlite(file);
    connection.pragma('journal_mode = delete');
    connection.close();
    new Sqlite(empty).exec('create table other (a)').close();
    await chmod(file, 0o444);
    await chmod(empty, 0o444);
    await chmod(log, 0o444);
    await chmod(dir, 0o555);
    if (process.getuid?.() === 0) for (const name of [file, empty, log, dir]) await chown(name, 0, 0);
    const before = await readdir(dir);
    const galley = start({ DATABASE_FILENAME: file }, undefined, NOBODY);
    const url = await galley.url();
    strictEqual((await fetch(`${url}/api/notes`)).status, 403);
    const { code, err } = await galley.stop();
    strictEqual(code, 0, err);
    assertOnlyRefusal(err, 'find');
    match(await refused(empty, NOBODY), /the database lacks .*, which could not be added: /);
    match(await refused(log, NOBODY), /a read-only database in write-ahead mode cannot be opened: make its folder/);
    match(await refused(path.join(dir, 'none.db'), NOBODY), /none\.db: the database cannot be opened/);
    deepStrictEqual(await readdir(dir), before);
  });
});
