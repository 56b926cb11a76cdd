/** The health of the server: its requests over time, failures, and the examination of the project. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeEntry } from '../../../src/db/interface/core-store.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import { deleteRows, insertRow } from '../../../src/db/interface/statements.ts';
import { repairProject } from '../../../src/doctor.ts';
import type { DoctorProgress } from '../../../src/http/monitoring/diagnosis.ts';
import { HealthHistory } from '../../../src/http/monitoring/health-history.ts';
import { KnownNames } from '../../../src/http/monitoring/request-shape.ts';
import { Traffic } from '../../../src/http/monitoring/traffic.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const POST = 'api::post.post';
const CONTROLLER = 'src/api/post/controllers/post.js';
const CODE = {
  'src/api/post/routes/post.js': `const { createCoreRouter } = require('@strapi/strapi').factories;
    module.exports = createCoreRouter('api::post.post', { config: { find: { auth: false } } });`,
  'src/api/post/routes/own.js': `module.exports = { routes: [
    { method: 'GET', path: '/posts/of/:name', handler: 'post.of', config: { auth: false } } ] };`,
  [CONTROLLER]: `const { createCoreController } = require('@strapi/strapi').factories;
    module.exports = createCoreController('api::post.post', { async of(ctx) {
      if (ctx.query.fail) throw new Error('private');
      if (ctx.query.missing) strapi.db.queryBuilder('private');
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { data: null };
    } });`,
  'src/galley.js': `exports.jobs = { report: { cron: '0 3 * * *', async run() {} } };`,
  'src/index.js': `module.exports = { register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      if (context.params.filters?.title === 'fail') throw new Error('a private title');
      if (context.action === 'findMany') await new Promise((resolve) => setTimeout(resolve, 60));
      return next();
    });
  } };`,
};

const names = new KnownNames();
names.replace({ contentTypes: new Map(), components: new Map() }, ['/api/posts', '/api/posts/:id'], '/admin');

/** A response as the counts of requests look at it. */
const response = (statusCode = 200, more: object = {}): Any => ({
  statusCode,
  writableFinished: true,
  getHeader: () => 'application/json',
  ...more,
});

for (const engine of engines) {
  describe(`health in the administration on ${engine.name}`, () => {
    let server: RunningServer;
    let database: Database;
    let sue: Browser;
    let eva: Browser;

    before(async () => {
      const folder = await makeProject({
        contentTypes: {
          post: contentType('post', {
            title: { type: 'string' },
            tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
          }),
          tag: contentType('tag', { name: { type: 'string' } }),
        },
        files: CODE,
      });
      server = await serve(folder, await engine.databaseFor(folder));
      ({ database } = server.app);
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'strapi-editor');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, as = sue): Promise<Any> => {
      const answer = await as.send(method, target);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const health = async (range = 'hour') => (await ask('GET', `health?range=${range}`)).body.data;
    const run = (text: string) => database.transaction(async (tx) => tx.rows(text, []));

    it('is for super administrators alone, and for known ranges', async () => {
      for (const [method, target] of [
        ['GET', 'health'],
        ['GET', 'health/examination'],
        ['POST', 'health/examination'],
        ['POST', 'health/repair'],
      ]) {
        strictEqual((await ask(method!, target!, eva)).status, 403);
        strictEqual((await ask(method!, target!, new Browser(server))).status, 401);
      }
      strictEqual((await ask('GET', 'health?range=year')).status, 400);
      strictEqual((await ask('GET', 'health?range[a]=hour')).status, 400);
    });

    it('shows slow requests with their type and without values', async () => {
      const query = 'filters[title][$contains]=private&sort=title&populate=tags';
      await server.app.documents(POST).create({ data: { title: 'first' } });
      await server.request('GET', `/api/posts?${query}`);
      const { slow, total, points, minutes } = await until('the request is counted', async () => {
        const shown = await health();
        return shown.slow.some(({ path }: Any) => path === '/api/posts') ? shown : undefined;
      });
      const { method, uid, query: shown, count, status } = slow.find(({ path }: Any) => path === '/api/posts');
      deepStrictEqual([method, uid, count, status], ['GET', POST, 1, 200]);
      strictEqual(shown, 'filters[title][$contains]=x&sort=title&populate=tags');
      doesNotMatch(JSON.stringify(slow), /private/);
      ok(total.requests >= 1 && total.p99 >= total.p50);
      deepStrictEqual([minutes, points.length], [1, 60]);
      ok(points.at(-1).perSecond > 0 && points.at(-1).memory > 1_000_000);
      ok(points.at(-1).database > 0);
      for (const range of ['day', 'week', 'month']) strictEqual((await health(range)).total.requests > 0, true);
    });

    it('counts failures, and lines of the log by kind without content', async () => {
      strictEqual((await server.request('DELETE', '/api/posts/none')).status, 403);
      strictEqual((await server.request('GET', '/api/posts?filters[title]=fail')).status, 500);
      const { logs, total } = await until('the failure is counted', async () => {
        const shown = await health();
        return shown.total.failed > 0 && shown;
      });
      ok(total.failed >= 1);
      const line = logs.find(({ kind }: Any) => kind === 'failure');
      deepStrictEqual(
        [line.level, line.count, line.text],
        ['error', 1, 'failure: Error in src/index.js:3 at GET /api/posts'],
      );
      const refused = logs.find(({ kind }: Any) => kind === 'refused request');
      match(refused.text, /the role public does not have api::post\.post\.delete\. npm run -s galley -- role grant/);
      doesNotMatch(JSON.stringify(logs), /private/);
    });

    it('has of an address no word that the project does not have', async () => {
      strictEqual((await server.request('GET', '/api/posts/of/jane-doe')).status, 200);
      await server.request('GET', '/api/posts?sort=my secret words&populate=jane doe&fields[token]=abcdef');
      strictEqual((await server.request('GET', '/api/posts/of/jane-doe?fail=1')).status, 500);
      const { slow, logs } = await until('the requests are counted', async () => {
        const shown = await health();
        return shown.slow.some(({ path }: Any) => path.startsWith('/api/posts/of')) && shown;
      });
      doesNotMatch(JSON.stringify([slow, logs]), /jane|\bdoe\b|secret|token|abcdef/);
      ok(slow.some(({ path }: Any) => path === '/api/posts/of/:id'));
      ok(
        logs.some(({ text }: Any) => text === `failure: Error in ${CONTROLLER}:3 at GET /api/posts/of/:id`),
        JSON.stringify(logs),
      );
    });

    it('names the missing member and the line of project code that a failed request has read', async () => {
      strictEqual((await server.request('GET', '/api/posts/of/jane?missing=1')).status, 500);
      const text = `failure: Unsupported strapi.db.queryBuilder in ${CONTROLLER}:4 at GET /api/posts/of/:id`;
      await until('the failure is listed', async () => (await health()).logs.some((line: Any) => line.text === text));
    });

    it('lists webhooks that fail and jobs that are late', async () => {
      const [webhook] = await database.transaction(async (tx) => {
        const id = await insertRow(tx, 'strapi_webhooks', {
          name: 'site',
          url: 'http://127.0.0.1:1/',
          headers: tx.dialect.encode('{}', 'json'),
          events: tx.dialect.encode('[]', 'json'),
          enabled: true,
        });
        const delivery = { webhook_id: id, event: 'entry.create', uid: POST, document_id: 'a', status: 'draft' };
        const outcome = { row_id: 1, changed_at: 1, state: 'failed', attempts: 9, next_at: 1, tried_at: 2 };
        await insertRow(tx, 'galley_webhook_deliveries', { ...delivery, ...outcome });
        await deleteRows(tx, 'strapi_core_store_settings', { key: 'galley_job_report' });
        const state = JSON.stringify({ at: Date.now() - 3 * DAY, until: 0 });
        await insertRow(tx, 'strapi_core_store_settings', {
          key: 'galley_job_report',
          type: 'galley_job',
          value: state,
        });
        return [id];
      });
      const { webhooks, jobs, queues } = await health();
      deepStrictEqual(webhooks, [{ id: webhook, name: 'site', waiting: 0, failed: 1 }]);
      deepStrictEqual(
        jobs.map(({ name, failed }: Any) => [name, failed]),
        [['report', false]],
      );
      match(jobs[0].late, /T03:00:00/);
      deepStrictEqual(
        queues.map(({ name }: Any) => name),
        ['requests', 'database', 'webhooks'],
      );
    });

    const DOCTOR = 'galley_doctor_project';
    const doctorRun = async () => (await ask('GET', 'health/examination')).body.data;
    const ended = () =>
      until('the run has ended', async () => {
        const last = await doctorRun();
        return last.outcome !== 'running' && last;
      });

    it('examines the project, one request at a time, and repairs it', async () => {
      strictEqual(await doctorRun(), null);
      await run('insert into posts_tags_lnk (post_id, tag_ord) select min(id), 1 from posts');
      const both = await Promise.all([ask('POST', 'health/examination'), ask('POST', 'health/repair')]);
      // the second one is refused, or begins after the end of the first one
      ok(both.some(({ status }) => status === 202));
      await ended();
      await run('delete from posts_tags_lnk');
      await run('insert into posts_tags_lnk (post_id, tag_ord) select min(id), 1 from posts');
      strictEqual((await ask('POST', 'health/examination')).body.data.work, 'examination');
      const { work, outcome, problems, error } = await ended();
      deepStrictEqual([work, outcome, error], ['examination', 'done', null]);
      const found = problems.map(({ kind, place, count, isRepairable }: Any) => [kind, place, count, isRepairable]);
      deepStrictEqual(found, [['link', 'posts_tags_lnk', 1, true]]);
      strictEqual((await ask('POST', 'health/repair')).status, 202);
      const repaired = await ended();
      deepStrictEqual([repaired.work, repaired.outcome, repaired.problems], ['repair', 'done', []]);
      strictEqual((await database.rows('select id from posts_tags_lnk', [])).length, 0);
    });

    it('begins no repair while another process has one, and another one after that has ended in the middle', async () => {
      const progress = { step: 'rows', repaired: 200, of: 450 };
      const store = (until: number) =>
        database.transaction((tx) => {
          const state = { at: 1, began: 1, until, report: { work: 'repair', progress, problems: null } };
          return storeEntry(tx, DOCTOR, JSON.stringify(state), 'galley_doctor');
        });
      await store(Date.now() + MINUTE);
      deepStrictEqual([(await doctorRun()).outcome, (await doctorRun()).progress], ['running', progress]);
      for (const work of ['examination', 'repair']) strictEqual((await ask('POST', `health/${work}`)).status, 400);
      await store(Date.now() - 1);
      strictEqual((await doctorRun()).outcome, 'given up');
      strictEqual((await ask('POST', 'health/repair')).status, 202);
      strictEqual((await ended()).outcome, 'done');
    });

    it('ends a repair between two batches when its schema is no longer served', async () => {
      await run(`insert into posts_tags_lnk (post_id, tag_ord)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)
        select (select min(id) from posts), i from n`);
      const { catalog, layout, writer, stores, engine: schema } = server.app;
      const end = new AbortController();
      const seen: DoctorProgress[] = [];
      const follow = async (progress: DoctorProgress) => {
        seen.push(progress);
        if (progress.repaired > 0) end.abort(new Error('ended'));
      };
      const project = { catalog, layout, writer, stores, engine: schema, database };
      await rejects(repairProject(project, follow, end.signal), /ended/);
      deepStrictEqual(seen.slice(0, 3), [
        { step: 'tables', repaired: 0, of: 0 },
        { step: 'rows', repaired: 0, of: 450 },
        { step: 'rows', repaired: 200, of: 450 },
      ]);
      strictEqual((await database.rows('select id from posts_tags_lnk', [])).length, 250);
      await run('delete from posts_tags_lnk');
    });

    it('repairs many rows in several transactions, between which other writes have their turn', async () => {
      await run(`insert into posts_tags_lnk (post_id, tag_ord)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)
        select (select min(id) from posts), i from n`);
      let transactions = 0;
      const counted = new Proxy(database, {
        get: (target, name) => {
          if (name === 'transaction') transactions++;
          const value = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const { catalog, layout, writer, stores, engine: schema } = server.app;
      deepStrictEqual(await repairProject({ catalog, layout, writer, stores, engine: schema, database: counted }), []);
      ok(transactions >= 4, `${transactions} transactions`);
      strictEqual((await database.rows('select id from posts_tags_lnk', [])).length, 0);
    });

    it('adds up what several processes have stored to few rows of 30 days', async () => {
      await run('delete from galley_health');
      const now = Math.floor(Date.now() / (120 * MINUTE)) * 120 * MINUTE;
      const processes = [new Traffic(names), new Traffic(names)].map((traffic) => ({
        traffic,
        history: new HealthHistory({ database, traffic, waiting: () => 2 }),
      }));
      const ages = [0, 5, 300, 299, 12 * 1440, 12 * 1440 - 30, 40 * 1440].map((minutes) => minutes * MINUTE);
      for (const age of ages) {
        for (const [n, { traffic, history }] of processes.entries()) {
          traffic.note('GET', '/api/posts', response(n === 0 ? 200 : 503), 100);
          traffic.note('GET', `/api/posts/${age}`, response(), 30 + n);
          await history.record(now - age);
        }
      }
      const [{ history }] = processes as [(typeof processes)[0]];
      await Promise.all(processes.map((one) => one.history.tidy(now)));
      await Promise.all(processes.map((one) => one.history.tidy(now)));
      const rows = await database.rows(`select minutes, process from galley_health where at <= ${now} order by at`, []);
      deepStrictEqual(
        rows.map(([minutes, process]) => [Number(minutes), process === '']),
        [[120, true], [15, true], ...Array.from({ length: 4 }, () => [1, false])],
      );
      const periods = (await history.since(now - 31 * DAY, now)).filter(({ at }) => at <= now);
      const sums = periods.map(({ minutes, sample: { requests, failed } }) => [minutes, requests, failed]);
      deepStrictEqual(sums.slice(0, 3), [
        [120, 8, 2],
        [15, 8, 2],
        [1, 4, 1],
      ]);
      const [{ sample }] = periods as [(typeof periods)[0]];
      deepStrictEqual(
        sample.slow.map(({ path, count, ms }) => [path, count, ms]),
        [
          ['/api/posts', 4, 100],
          ['/api/posts/:id', 4, 31],
        ],
      );
      // memory of processes is added up, and the highest of a period counts
      strictEqual(sample.gauges.waiting, 4);
    });

    it('reads a long range now and then, and of very many samples the latest', async () => {
      const last = Date.now() - (Date.now() % MINUTE) - 5 * MINUTE;
      const sample = JSON.stringify({
        ...{ seconds: 60, requests: 1, failed: 0, refused: 0, durations: [] },
        ...{ slow: [], logs: [], gauges: {} },
      });
      await run('delete from galley_health');
      await run(`insert into galley_health ("minutes", "at", "process", "sample")
        with recursive n(i) as (select 0 union all select i + 1 from n where i < 10100)
        select 1, ${last} - i * cast(${MINUTE} as bigint), 'one', '${sample}' from n`);
      const history = new HealthHistory({ database, traffic: new Traffic(names), waiting: () => 0 });
      const periods = await history.since(0);
      deepStrictEqual([periods.length, periods.at(-2)!.at], [10_001, last]);
      await run('delete from galley_health');
      const month = await health('month');
      await server.request('GET', '/api/posts');
      deepStrictEqual((await health('month')).total, month.total);
    });

    it('drops a sample that the database does not take', async () => {
      const traffic = new Traffic(names);
      const broken = {
        dialect: database.dialect,
        rows: () => [],
        transaction: () => Promise.reject(new Error('gone')),
      };
      const history = new HealthHistory({ database: broken as Any, traffic, waiting: () => 0 });
      traffic.note('GET', '/', response(), 1);
      await rejects(history.record(), /gone/);
      strictEqual(traffic.counts(false).requests, 0);
      history.open();
      await history.close();
    });

    it('has no requests of the administration app among the slowest', () => {
      const traffic = new Traffic(names);
      traffic.note('PUT', `/admin/api/content/${POST}/42`, response(), 900);
      traffic.note('GET', '/Admin/API/health', response(), 900);
      traffic.note('GET', '/admin/tokens/2', response(), 900);
      traffic.note('GET', '/admin/assets/main-abc.js', response(), 900);
      deepStrictEqual([traffic.counts(false).requests, traffic.counts(false).slow], [4, []]);
    });

    it('counts neither streams nor answers without a reader as durations, and few shapes', () => {
      const traffic = new Traffic(names);
      traffic.note('GET', '/api/events', response(200, { getHeader: () => 'text/event-stream; charset=utf-8' }), 9e6);
      traffic.note('GET', '/api/posts', response(200, { writableFinished: false }), 9e6);
      deepStrictEqual(traffic.counts(false).durations, []);
      for (let n = 0; n < 500; n++) {
        traffic.note('GET', `/api/posts${'/x'.repeat(n % 30)}`, response(), 30 + n);
      }
      const { slow, requests } = traffic.counts(true);
      deepStrictEqual([slow.length, requests], [10, 502]);
      ok(slow.some(({ ms }) => ms === 529));
      deepStrictEqual(traffic.counts(false).slow, []);
    });
  });
}
