/** Webhooks and jobs in the administration: by rights, without showing secrets, and counting at once. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertRow } from '../../../src/db/interface/statements.ts';
import { listDeliveries } from '../../../src/events/webhooks/deliveries.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const POST = 'api::post.post';
const CODE = {
  'src/galley.js': `exports.jobs = {
    report: { cron: '0 3 * * *', timezone: 'Europe/Berlin', async run() { await globalThis.goOn; throw new Error('no paper'); } },
  };`,
  'config/server.js': `module.exports = { webhooks: { defaultHeaders: { 'X-All': 'sent-to-all' } }, cron: { enabled: true, tasks: {
    tidy: { task: ({ strapi }) => strapi.documents('${POST}').create({ data: { title: 'tidied' } }), options: '0 4 * * 0' },
  } } };`,
  'src/index.js': `module.exports = { bootstrap({ strapi }) {
    strapi.cron.add({ later: { task() {}, options: new Date('2099-01-01T00:00:00Z') } });
  } };`,
};

for (const engine of engines) {
  describe(`webhooks and jobs in the administration on ${engine.name}`, () => {
    let server: RunningServer;
    let receiver: Receiver;
    let sue: Browser;
    let eva: Browser;

    before(async () => {
      receiver = await startReceiver();
      const folder = await makeProject({
        contentTypes: { post: contentType('post', { title: { type: 'string' } }) },
        files: CODE,
      });
      server = await serve(folder, await engine.databaseFor(folder));
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'strapi-editor');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
    });
    after(async () => {
      await server?.stop();
      await receiver?.close();
    });

    const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const make = async (more: object = {}) => {
      const webhook = { name: 'site', url: `${receiver.url}/hook`, events: ['entry.create'], ...more };
      return (await ask('POST', 'webhooks', webhook)).body.data;
    };
    const remove = (id: number) => ask('DELETE', `webhooks/${id}`);
    const create = (title: string) => server.app.documents(POST).create({ data: { title } });
    /** Gives the editors' role a right that Strapi's panel would give it. */
    const grant = async (action: string, conditions = '[]') => {
      const { database } = server.app;
      const [[role]] = (await database.rows(`select id from admin_roles where code = 'strapi-editor'`, [])) as [
        [number],
      ];
      await database.transaction(async (tx) => {
        const values = { action, conditions: tx.dialect.encode(conditions, 'json') };
        const permission = await insertRow(tx, 'admin_permissions', values);
        await insertRow(tx, 'admin_permissions_role_lnk', { permission_id: permission, role_id: Number(role) });
      });
    };

    it('are created, changed, tested and removed, with effect at once', async () => {
      const made = await make({ headers: { Authorization: 'Bearer hidden-token' }, events: ['entry.*'] });
      match(made.secret, /^whsec_/);
      deepStrictEqual([made.headers, made.signed, made.events.length], [['Authorization'], true, 6]);
      await create('first');
      await until('it is told', () => receiver.received.length === 1);
      strictEqual(receiver.received[0]!.headers['authorization'], 'Bearer hidden-token');
      // what is not touched stays
      const changed = await ask('PUT', `webhooks/${made.id}`, { name: 'renamed', headers: { Authorization: null } });
      strictEqual(changed.body.data.name, 'renamed');
      receiver.answer = ({ headers }) => ({ status: 418, body: `you said ${headers['authorization']}` });
      const { data } = (await ask('POST', `webhooks/${made.id}/test`)).body;
      deepStrictEqual([data.ok, data.status, data.answer], [false, 418, 'you said …']);
      receiver.answer = () => ({ status: 200 });
      await ask('PUT', `webhooks/${made.id}`, { enabled: false });
      await create('not told');
      const [listed] = (await ask('GET', 'webhooks')).body.data;
      deepStrictEqual([listed.enabled, listed.last.state, listed.waiting], [false, 'sent', 0]);
      const renewed = (await ask('POST', `webhooks/${made.id}/secret`)).body.data.secret;
      ok(renewed !== made.secret);
      const all = JSON.stringify([listed, changed.body, (await ask('GET', `webhooks/${made.id}`)).body]);
      doesNotMatch(all, /hidden-token|whsec_/);
      strictEqual((await remove(made.id)).status, 204);
      deepStrictEqual((await ask('GET', `webhooks/${made.id}`)).status, 404);
      receiver.received.length = 0;
    });

    it('have no value of theirs sent to another host, and no password shown', async () => {
      const url = receiver.url.replace('//', '//me:pass-word@');
      const { id, url: shown } = await make({ url, headers: { 'X-Key': 'hidden-token' } });
      match(shown, /\/\/me:…@127/);
      const put = async (body: object) => {
        const { body: answer } = await ask('PUT', `webhooks/${id}`, body);
        return answer.error?.details.errors.map(({ path, message }: Any) => [path.join('.'), message]) ?? [];
      };
      const again = ['headers.X-Key', 'give the value again: the address leads to another host'];
      deepStrictEqual(await put({ url: 'https://example.com/' }), [again]);
      deepStrictEqual(await put({ url: 'https://example.com/', headers: { 'X-Key': null } }), [again]);
      deepStrictEqual(await put({ url: shown.replace('127.0.0.1', 'localhost'), headers: {} }), [
        ['url', 'give the password again, or leave it out'],
      ]);
      // an address that is none leads nowhere else
      deepStrictEqual(
        (await put({ url: 'ftp://x' })).map(([path]: [string]) => path),
        ['url'],
      );
      deepStrictEqual(await put({ url: shown, headers: { 'x-key': null } }), []);
      receiver.answer = ({ headers }) => ({ status: 401, body: `${headers['authorization']} is not pass-word` });
      const { data } = (await ask('POST', `webhooks/${id}/test`)).body;
      strictEqual(data.answer, 'Basic … is not …');
      receiver.answer = () => ({ status: 200 });
      const { headers } = receiver.received.pop()!;
      deepStrictEqual([headers['x-key'], headers['authorization']?.slice(0, 6)], ['hidden-token', 'Basic ']);
      deepStrictEqual(await put({ url: 'https://example.com/', headers: { 'X-Key': 'other' } }), []);
      await remove(id);
    });

    it('show no token that was sent in an address or in a header that all are sent', async () => {
      const { id } = await make({ url: `${receiver.url}?key=to%2Bken-1&page=1`, headers: {} });
      receiver.answer = ({ headers, path }) => ({ status: 401, body: `${path} ${headers['x-all']}, to+ken-1` });
      const { data } = (await ask('POST', `webhooks/${id}/test`)).body;
      strictEqual(data.answer, '/?key=…&page=1 …, …');
      receiver.answer = () => ({ status: 200 });
      receiver.received.length = 0;
      await remove(id);
    });

    it('are refused with all that is wrong, in the words of the command', async () => {
      const body = {
        name: ' ',
        url: 'ftp://x',
        events: ['entry.publsh'],
        headers: { 'a b': 'hidden', c: 5 },
        enabled: 1,
      };
      const { status, body: answer } = await ask('POST', 'webhooks', body);
      strictEqual(status, 400);
      deepStrictEqual(
        answer.error.details.errors.map(({ path, message }: Any) => `${path.join('.')}: ${message}`),
        [
          'name: name is a required field',
          'url: ftp://x is not an address: it must begin with https:// or http://',
          'events: unknown event entry.publsh: did you mean entry.publish?',
          'enabled: enabled must be true or false',
          "headers.a b: a header must be such as 'Authorization: Bearer …'",
          'headers.c: a header needs a value',
        ],
      );
      doesNotMatch(JSON.stringify(answer), /hidden/);
      for (const wrong of [{}, [], { name: 'a', url: 'https://a.b', events: [] }]) {
        strictEqual((await ask('POST', 'webhooks', wrong)).status, 400);
      }
    });

    it('show deliveries page by page without content, and send them again', async () => {
      receiver.answer = () => ({ status: 500, body: 'the press is down' });
      const { id } = await make();
      const other = await make();
      for (let n = 0; n < 3; n++) await create(`a secret draft ${n}`);
      const list = async (query = '', as = sue) => ask('GET', `webhooks/${id}/deliveries${query}`, undefined, as);
      const failed = await until('it was attempted', async () =>
        (await list()).body.data.find(({ attempts }: Any) => attempts > 0),
      );
      deepStrictEqual(
        [failed.state, failed.status, failed.answer, failed.uid],
        ['waiting', 500, 'the press is down', POST],
      );
      ok(failed.nextAt > failed.triedAt);
      doesNotMatch(JSON.stringify((await list()).body), /secret draft/);
      // nor is it read where nobody asks for it: it may be long
      const { database } = server.app;
      const bodyOf = async (withBodies: boolean) => {
        const listed = await listDeliveries(database, { webhook: id, most: 3, withBodies });
        return typeof listed.find((one) => one.id === failed.id)!.body;
      };
      deepStrictEqual([await bodyOf(true), await bodyOf(false)], ['string', 'undefined']);
      deepStrictEqual((await list('?state=sent')).body.data, []);
      strictEqual((await list('?state=lost')).status, 400);
      strictEqual((await list('?cursor=-1')).status, 400);
      strictEqual((await list('?cursor[a]=1')).status, 400);
      const [first] = (await list()).body.data;
      deepStrictEqual(
        (await list(`?cursor=${first.id}`)).body.data.map((one: Any) => one.id < first.id),
        [true, true],
      );
      strictEqual((await ask('POST', `webhooks/${other.id}/deliveries/${failed.id}/retry`)).status, 404);
      receiver.answer = () => ({ status: 200 });
      strictEqual((await ask('POST', `webhooks/${id}/deliveries/${failed.id}/retry`)).status, 204);
      await until('all have arrived', async () => {
        await ask('POST', `webhooks/${id}/deliveries/retry`);
        return (await list('?state=sent')).body.data.length === 3;
      });
      await remove(id);
      await remove(other.id);
    });

    it('are for those with the rights that Strapi has for them, without conditions', async () => {
      receiver.answer = () => ({ status: 500, body: 'for those who may change it' });
      const { id } = await make();
      const requests = [
        ['GET', 'webhooks', 'read'],
        ['GET', `webhooks/${id}`, 'read'],
        ['GET', `webhooks/${id}/deliveries`, 'read'],
        ['POST', `webhooks/${id}/test`, 'update'],
        ['POST', `webhooks/${id}/deliveries/retry`, 'update'],
        ['POST', `webhooks/${id}/deliveries/1/retry`, 'update'],
        ['POST', `webhooks/${id}/secret`, 'update'],
        ['PUT', `webhooks/${id}`, 'update'],
        ['POST', 'webhooks', 'create'],
        ['DELETE', `webhooks/${id}`, 'delete'],
      ] as const;
      const refused = async () => {
        const found: string[] = [];
        for (const [method, target, right] of requests) {
          if (right === 'read' && method !== 'GET') continue;
          const { status } = await ask(method, target, method === 'PUT' || method === 'POST' ? {} : undefined, eva);
          if (status === 403) found.push(`${method} ${target}`);
        }
        return found;
      };
      strictEqual((await refused()).length, requests.length);
      await grant('admin::webhooks.delete', '["admin::is-creator"]');
      await grant('admin::webhooks.read');
      const left = requests.filter(([, , right]) => right !== 'read').map(([method, target]) => `${method} ${target}`);
      deepStrictEqual(await refused(), left);
      await create('failing');
      const [seen] = await until('it was attempted', async () => {
        const { data } = (await ask('GET', `webhooks/${id}/deliveries`, undefined, eva)).body;
        return data[0]?.attempts > 0 && data;
      });
      deepStrictEqual([seen.status, seen.answer], [500, null]);
      const page = await eva.send('POST', `webhooks/${id}/test`, {}, { 'sec-fetch-site': 'cross-site' });
      strictEqual(page.status, 403);
      await remove(id);
    });

    it('lists jobs and cron tasks of every origin, and runs one at once', async () => {
      const jobs = async () => (await ask('GET', 'jobs')).body.data as Any[];
      const of = async (name: string) => (await jobs()).find((job) => job.name === name);
      deepStrictEqual(
        (await jobs()).map(({ name, origin, rule, timezone }) => [name, origin, rule, timezone]),
        [
          ['report', 'galley', '0 3 * * *', 'Europe/Berlin'],
          ['tidy', 'config', '0 4 * * 0', null],
          ['later', 'code', '2099-01-01T00:00:00.000Z', null],
        ],
      );
      deepStrictEqual([(await of('later')).next, (await of('tidy')).last], ['2099-01-01T00:00:00.000Z', null]);
      const run = (name: string, origin: string, as = sue) => ask('POST', 'jobs/run', { name, origin }, as);
      strictEqual((await run('tidy', 'galley')).status, 404);
      strictEqual((await run('tidy', 'config')).status, 204);
      const tidied = await until('it has run', async () => {
        const { last } = await of('tidy');
        return last?.outcome === 'done' && last;
      });
      ok(tidied.milliseconds >= 0 && tidied.error === null);
      const posts = await server.app.documents(POST).findMany({ filters: { title: 'tidied' } });
      strictEqual(posts.length, 1);
      const gate = Promise.withResolvers<void>();
      (globalThis as Any).goOn = gate.promise;
      strictEqual((await run('report', 'galley')).status, 204);
      const { error } = (await run('report', 'galley')).body;
      deepStrictEqual([error.status, error.message], [400, 'The job is running already']);
      strictEqual((await of('report')).last.outcome, 'running');
      gate.resolve();
      const failed = await until('it has failed', async () => {
        const { last } = await of('report');
        return last.outcome === 'failed' && last;
      });
      match(failed.error, /no paper/);
      strictEqual((await run('tidy', 'config', eva)).status, 403);
      strictEqual((await ask('GET', 'jobs', undefined, eva)).status, 403);
    });
  });
}
