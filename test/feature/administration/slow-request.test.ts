/** The way from a slow request under Health to the index that makes it fast, on a large table and with two servers. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { applyFixture } from '../../../src/cli/apply.ts';
import { actionContext, checkFixture } from '../../../src/cli/fixture-file.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const UID = 'api::reading.reading';
const ROWS = 100_000;
const PROJECT = {
  contentTypes: {
    reading: contentType('reading', { note: { type: 'string' }, level: { type: 'integer' } }),
  },
  files: { 'config/database.js': `module.exports = { indexes: 'off' };` },
};
const RIGHTS = { roles: { public: [`${UID}.find`] } };
const TARGET = '/api/readings?sort=level:desc&pagination[pageSize]=100';

for (const engine of engines) {
  describe(`a slow request on ${engine.name}`, () => {
    let server: RunningServer;
    /** Another server on the same database. */
    let other: RunningServer;
    let sue: Browser;
    let eva: Browser;

    before(async () => {
      const folder = await makeProject(PROJECT);
      const database = await engine.databaseFor(folder);
      server = await serve(folder, database, {}, {}, (app) =>
        applyFixture(app, checkFixture('fixture of the test', RIGHTS, actionContext(app)), new Map()),
      );
      const time = engine.name === 'sqlite' ? '1700000000000' : 'now()';
      await server.app.database.transaction(async (tx) =>
        tx.rows(
          `insert into readings (document_id, note, level, created_at, published_at)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
           select 'document' || i, 'reading ' || i, (i * 7919) % ${ROWS}, ${time}, ${time} from n`,
          [],
        ),
      );
      other = await serve(folder, database);
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'strapi-super-admin');
      [sue, eva] = [new Browser(server), new Browser(other)];
      await sue.signIn('sue');
      await eva.signIn('eva');
    });
    after(() => server?.stop());

    const ask = async (as: Browser, method: string, target: string, body?: unknown): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const slowIn = async (as: Browser) => {
      const { slow } = (await ask(as, 'GET', 'health')).body.data;
      return slow.find(({ uid }: Any) => uid === UID);
    };
    const explained = async (as: Browser) => {
      const body = { as: 'public', method: 'GET', target: TARGET, body: null, confirmed: false, explain: true };
      const { status, reads } = (await ask(as, 'POST', 'explore/requests', body)).body.data;
      strictEqual(status, 200);
      return reads.find(({ sql }: Any) => /order by/i.test(sql.join('\n')));
    };

    it('is among the slowest, its explanation names an index, and the index is used by all servers', async () => {
      const shown = await until('the request is among the slowest', async () => {
        strictEqual((await other.request('GET', TARGET)).status, 200);
        return slowIn(eva);
      });
      deepStrictEqual(
        [shown.method, shown.path, shown.query, shown.status],
        ['GET', '/api/readings', 'sort=level:desc&pagination[pageSize]=100', 200],
      );

      const slow = await explained(sue);
      const { index, names } = slow.findings.find((finding: Any) => finding.index !== null);
      deepStrictEqual([names, index.columns.at(-1)], [['level'], 'id']);
      ok(!slow.uses.some((use: Any) => use.index === index.name));
      ok(slow.sorts.some(({ table }: Any) => table === 'readings'));

      // Both servers offer the button at the same time.
      const { name, text: _text, ...wanted } = index;
      const both = await Promise.all([sue, eva].map((as) => ask(as, 'POST', 'explore/indexes', wanted)));
      deepStrictEqual(both.map(({ status }) => status).toSorted(), [200, 201]);
      deepStrictEqual(
        both.map(({ body }) => body.data.name),
        [name, name],
      );
      for (const as of [sue, eva]) {
        const fast = await explained(as);
        deepStrictEqual(
          fast.uses.filter(({ table }: Any) => table === 'readings'),
          [{ table: 'readings', index: name }],
        );
        deepStrictEqual([fast.sorts, fast.findings.filter((finding: Any) => finding.kind !== 'total')], [[], []]);
        const { indexes } = (await ask(as, 'GET', 'health')).body.data;
        deepStrictEqual(
          indexes.map((one: Any) => [one.name, one.table, one.origin]),
          [[name, 'readings', 'command']],
        );
      }
    });

    it('stays among the slowest of the site when the server that answered it has stopped', async () => {
      await other.app.close();
      strictEqual((await slowIn(sue))?.path, '/api/readings');
    });
  });
}
