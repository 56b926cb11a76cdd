/** The log: JSON lines on standard error, without secrets (docs/reference/http.md, "Log"). */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { engines } from '../../support/databases/databases.ts';
import { type StartedProcess, startProcess } from '../../support/servers/process.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';

type Line = Record<string, unknown> & { readonly err?: Record<string, string> };

const [sqlite] = engines;

/** Starts the project of the scenarios, does something with it, ends it and gives the lines of its log. */
async function logOf(
  env: Readonly<Record<string, string>>,
  use: (server: StartedProcess, file: string) => Promise<void>,
  index?: string,
): Promise<{ readonly lines: readonly Line[]; readonly text: string }> {
  const folder = await copyProject(CONFORMANCE_DIR);
  if (index !== undefined) await writeFile(path.join(folder.dir, 'src/index.js'), index);
  const file = path.join(folder.dir, 'log-test.db');
  const server = await startProcess(folder.dir, { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: file, ...env });
  try {
    await use(server, file);
    server.child.kill('SIGTERM');
    const { code, err } = await server.ended;
    strictEqual(code, 0, err);
    const text = err.trimEnd();
    return { text, lines: text === '' ? [] : text.split('\n').map((line) => JSON.parse(line)) };
  } finally {
    server.child.kill('SIGKILL');
    await folder.remove();
  }
}

describe(`the log on ${sqlite!.name}`, () => {
  it('has a line for each request at level info, and nothing secret in it', async () => {
    const { lines, text } = await logOf({ LOG_LEVEL: 'info' }, async ({ url }) => {
      await fetch(`${url}/api/authors?filters[name]=from-the-query&token=query-secret`, {
        headers: { authorization: 'Bearer header-secret', 'x-request-id': 'trace-1', cookie: 'cookie-secret' },
      });
      const body = JSON.stringify({ identifier: 'a', password: 'body-secret' });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${url}/api/nope/"quoted"\n`, { method: 'POST', body, headers });
    });
    strictEqual(lines.length, 2, text);
    const [first, second] = lines as [Line, Line];
    deepStrictEqual(
      [first['level'], first['reqId'], first['method'], first['path'], first['status'], first['msg']],
      ['info', 'trace-1', 'GET', '/api/authors', 401, 'request'],
    );
    match(String(first['time']), /^\d{4}-\d\d-\d\dT/);
    match(String(first['ip']), /127\.0\.0\.1$/);
    strictEqual(typeof first['ms'], 'number');
    deepStrictEqual([second['method'], second['status']], ['POST', 404]);
    doesNotMatch(text, /secret|from-the-query/);
  });

  it('has nothing of requests by default', async () => {
    const { text } = await logOf({}, async ({ url }) => void (await fetch(`${url}/api/no-such-type`)));
    strictEqual(text, '');
  });

  it('has by default, once, the command that grants the action of a refused request', async () => {
    const { lines } = await logOf({}, async ({ url }) => {
      for (const path of ['articles', 'articles', 'articles?x=1', 'tags']) await fetch(`${url}/api/${path}`);
    });
    deepStrictEqual(
      lines.map(({ level, msg }) => [level, msg]),
      ['article', 'tag'].map((name) => [
        'warn',
        `A request was refused: the role public does not have api::${name}.${name}.find. npm run -s galley -- role grant public --action api::${name}.${name}.find permits it`,
      ]),
    );
  });

  it('contains messages of project code from info on, its start included, unless another level is set', async () => {
    const index = `module.exports = { bootstrap({ strapi }) {
      for (const level of ['debug', 'info', 'warn']) strapi.log[level](level + ' of the code');
    } };`;
    const said = async (env: Readonly<Record<string, string>>) =>
      (await logOf(env, async () => undefined, index)).lines.map(({ level, msg }) => [level, msg]);
    const [info, warn] = [
      ['info', 'info of the code'],
      ['warn', 'warn of the code'],
    ];
    deepStrictEqual(await said({}), [info, warn]);
    deepStrictEqual(await said({ LOG_LEVEL: 'warn' }), [warn]);
    deepStrictEqual(await said({ LOG_LEVEL: 'silent' }), []);
  });

  it('has errors that code of the project logs in a field of their own, with the lines of the source', async () => {
    const index = `const failing = () => { throw new TypeError('boom'); };
      module.exports = { bootstrap({ strapi }) {
        try { failing(); } catch (error) { strapi.log.error('it failed:', error, 3); strapi.log.warn(error); }
      } };`;
    const { lines } = await logOf({}, async () => undefined, index);
    for (const [at, msg] of ['it failed: TypeError: boom 3', 'TypeError: boom'].entries()) {
      const { err, ...line } = lines[at]!;
      deepStrictEqual([line['msg'], err!['type'], err!['message']], [msg, 'TypeError', 'boom']);
      match(err!['stack']!, /^TypeError: boom\n.*src\/index\.js:1:/);
    }
  });

  for (const level of ['warn', 'info', 'silent']) {
    it(`at level ${level} ${level === 'silent' ? 'has nothing of' : 'has the stack of'} an error whose caller sees a 500`, async () => {
      let id: string | null = null;
      const { lines, text } = await logOf({ LOG_LEVEL: level }, async ({ url }, file) => {
        const database = new Sqlite(file);
        database.exec('drop table countries');
        database.exec(`insert into up_permissions (action, document_id) values ('api::country.country.find', 'x')`);
        database.exec(
          `insert into up_permissions_role_lnk (permission_id, role_id) select max(p.id), (select id from up_roles where type = 'public') from up_permissions p`,
        );
        database.close();
        const answer = await fetch(`${url}/api/countries`);
        const { error } = (await answer.json()) as { error: unknown };
        deepStrictEqual(error, {
          status: 500,
          name: 'InternalServerError',
          message: 'Internal Server Error',
          details: {},
        });
        id = answer.headers.get('x-request-id');
      });
      if (level === 'silent') return strictEqual(text, '');
      const failure = lines.find(({ msg }) => msg === 'failure')!;
      deepStrictEqual([failure['level'], failure['reqId'], failure['path']], ['error', id, '/api/countries']);
      match(failure.err!['message']!, /no such table/);
      match(failure.err!['stack']!, /\n {4}at /);
    });
  }
});
