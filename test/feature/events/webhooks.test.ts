/** Webhooks: recipients, format and order of deliveries, and receivers that do not answer. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { Subscriptions } from '../../../src/events/subscriptions.ts';
import { isPrivate } from '../../../src/events/webhooks/addresses.ts';
import {
  addDeliveries,
  type Delivery,
  duePage,
  listDeliveries,
  type NewDelivery,
  tidyDeliveries,
} from '../../../src/events/webhooks/deliveries.ts';
import { addWebhook, listWebhooks, removeWebhook } from '../../../src/events/webhooks/webhook.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { serveConfigured } from '../../support/servers/configured.ts';
import { serve } from '../../support/servers/project.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import type { SeededServer } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const ARTICLE = 'api::article.article';

for (const engine of engines) {
  describe(`webhooks on ${engine.name}`, () => {
    let server: SeededServer;
    let receiver: Receiver;
    const made: number[] = [];
    const articles = () => server.app.documents(ARTICLE);
    const add = async (events: readonly string[], more: { url?: string; headers?: Record<string, string> } = {}) => {
      const webhook = { name: 'site', url: `${receiver.url}/hook`, headers: {}, ...more, events };
      const added = await server.app.database.transaction((tx) => addWebhook(tx, webhook));
      made.push(added.id);
      return added;
    };
    const create = async (title: string) => {
      const { documentId } = await articles().create({ data: { title } });
      return { documentId: documentId as string };
    };
    const events = () => receiver.received.map(({ body }) => body['event']);
    const arrived = (count: number) =>
      until(`${count} requests have arrived`, () => receiver.received.length >= count && receiver.received);
    const deliveries = () => listDeliveries(server.app.database, { most: 100 });
    const settled = () =>
      until('nothing waits', async () => (await deliveries()).every(({ state }) => state !== 'waiting'));
    const tried = (is: (delivery: Delivery) => boolean) =>
      until('it was attempted', async () => (await deliveries()).find((one) => one.attempts > 0 && is(one)));
    const galley = async (...args: string[]) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const code = await runCommandLine(['webhook', ...args, server.app.config.dir], { env, print, warn: print });
      return { code, lines, text: lines.join('\n') };
    };
    let env: Record<string, string> = {};

    before(async () => {
      receiver = await startReceiver();
      server = await serveConfigured(engine, {
        server: { webhooks: { timeout: 800, defaultHeaders: { 'X-From': 'galley', 'X-Both': 'default' } } },
      });
      env = environmentOf(server);
    });
    after(async () => {
      await server?.stop();
      await receiver?.close();
    });
    afterEach(async () => {
      // a transaction that meets a deadlock is begun again
      const ids = made.splice(0);
      await server.app.database.transaction(async (tx) => {
        for (const id of ids) await removeWebhook(tx, id);
      });
      receiver.answer = () => ({ status: 200 });
      receiver.received.length = 0;
    });

    it('receive each change under its name in Strapi, in order for each document', async () => {
      await add([
        'entry.create',
        'entry.update',
        'entry.publish',
        'entry.unpublish',
        'entry.draft-discard',
        'entry.delete',
      ]);
      const one = await create('first');
      await articles().update({ ...one, data: { title: 'second' }, status: 'published' });
      await articles().update({ ...one, data: { title: 'third' } });
      await articles().discardDraft(one);
      await articles().unpublish(one);
      await articles().delete(one);
      await arrived(7);
      deepStrictEqual(events(), [
        ...['entry.create', 'entry.update', 'entry.publish', 'entry.update', 'entry.draft-discard'],
        ...['entry.unpublish', 'entry.delete'],
      ]);
    });

    it('show the document with its relations and without private attributes', async () => {
      await add(['entry.create', 'entry.publish']);
      const { documentId: author } = await server.app.documents('api::author.author').create({ data: { name: 'Ann' } });
      const zone = [{ __component: 'blocks.hero', title: 'h', buttons: [{ label: 'l', url: 'u' }] }];
      await articles().create({ data: { title: 'shown', author, zone } });
      // different documents do not wait for one another
      const request = (await arrived(2)).find(({ body }) => body['model'] === 'article');
      const { event, model, uid, createdAt, entry } = request!.body as Record<string, Record<string, unknown>>;
      deepStrictEqual([event, model, uid], ['entry.create', 'article', ARTICLE]);
      match(String(createdAt), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      strictEqual(entry!['title'], 'shown');
      strictEqual((entry!['author'] as { name: string }).name, 'Ann');
      deepStrictEqual((entry!['zone'] as { buttons: { label: string }[] }[])[0]!.buttons[0]!.label, 'l');
      ok(!('createdBy' in entry!) && !('localizations' in entry!));
    });

    it('carry the headers of Strapi, those of the configuration and their own, and a signature', async () => {
      const { secret, id } = await add(['entry.create'], { headers: { Authorization: 'Bearer x', 'X-Both': 'own' } });
      await create('signed');
      const [request] = await arrived(1);
      const { headers, text } = request!;
      strictEqual(headers['x-strapi-event'], 'entry.create');
      strictEqual(headers['content-type'], 'application/json');
      deepStrictEqual([headers['authorization'], headers['x-from'], headers['x-both']], ['Bearer x', 'galley', 'own']);
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      strictEqual(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
      ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 60);
      match(String(headers['webhook-id']), new RegExp(`^${id}-`));
    });

    it('receive uploads, changes and deletions of files', async () => {
      await add(['media.create', 'media.update', 'media.delete']);
      const token = server.secrets['full']!;
      const [file] = (await upload(server, token, [note()])).body as unknown as { id: number }[];
      const form = new FormData();
      form.append('fileInfo', JSON.stringify({ name: 'other.txt' }));
      await server.request('POST', `/api/upload?id=${file!.id}`, { token, body: form });
      await server.request('DELETE', `/api/upload/files/${file!.id}`, { token });
      await until('the removal is told', () => events().includes('media.delete'));
      deepStrictEqual(events(), ['media.create', 'media.update', 'media.delete']);
      strictEqual((receiver.received.at(-1)!.body['media'] as { id: number }).id, file!.id);
    });

    it('report neither changes that were rolled back nor accounts', async () => {
      await add(['entry.create', 'entry.update', 'entry.delete']);
      const stop = server.app.database.subscribe({
        beforeCommit: () => Promise.reject(new Error('given up')),
      });
      await rejects(create('given up'), /given up/);
      stop();
      await rejects(articles().create({ data: { title: 5 as never } }));
      const account = { username: 'ann', email: 'ann@example.org', password: 'secret123', role: 1 };
      strictEqual(
        (await server.request('POST', '/api/users', { token: server.secrets['full']!, body: account })).status,
        201,
      );
      await create('told');
      await settled();
      deepStrictEqual(events(), ['entry.create']);
    });

    it('receive failed deliveries again, before later ones of the same document', async () => {
      await add(['entry.create', 'entry.update']);
      receiver.answer = () => ({ status: 503, body: 'later' });
      const one = await create('first');
      const failed = await tried(({ event }) => event === 'entry.create');
      deepStrictEqual([failed.state, failed.answerStatus, failed.answer], ['waiting', 503, 'later']);
      ok(failed.nextAt! > failed.triedAt! + 9000);
      await articles().update({ ...one, data: { title: 'second' } });
      receiver.answer = () => ({ status: 204 });
      await create('another');
      await until('the other document is told', async () =>
        (await deliveries()).some(({ documentId, state }) => documentId !== one.documentId && state === 'sent'),
      );
      strictEqual((await deliveries()).filter(({ state }) => state === 'waiting').length, 2);
      const { code, text } = await galley('retry', String(failed.id));
      strictEqual(code, 0, text);
      await settled();
      const own = receiver.received.filter(
        ({ body }) => (body['entry'] as { documentId: string }).documentId === one.documentId,
      );
      deepStrictEqual(own.map(({ body }) => body['event']).slice(-2), ['entry.create', 'entry.update']);
      strictEqual(own[0]!.headers['webhook-id'], own.at(-2)!.headers['webhook-id']);
      strictEqual(own[0]!.text, own.at(-2)!.text);
    });

    it('have a limited number of deliveries, without delaying others', async () => {
      const { database } = server.app;
      const { id } = await add(['entry.create']);
      await galley('disable', String(id));
      const many = Array.from({ length: 12_500 }, (_, n) => waiting(id, `d${n}`, {}));
      await database.transaction((tx) => addDeliveries(tx, many));
      const pieces: number[] = [];
      const givenUp = await tidyDeliveries({
        dialect: database.dialect,
        rows: database.rows.bind(database),
        transaction: async (work, options) => {
          const found = await database.transaction(work, options);
          pieces.push(Array.isArray(found) ? found.length : 0);
          return found;
        },
      });
      strictEqual(givenUp, 2500);
      strictEqual(Math.max(...pieces), 1000);
      const states = await database.rows(
        `select "state", count(*), min("id") from "galley_webhook_deliveries" where "webhook_id" = ${id} group by "state" order by "state"`,
        [],
      );
      const [[, failed, oldest], [, waits, next]] = states.map((row) => row.map(Number)) as number[][] as [
        number[],
        number[],
      ];
      deepStrictEqual([failed, waits, next! - oldest!], [1000, 10_000, 1000]);
    });

    it('stop after the last attempt, as the log and the list of deliveries show', async () => {
      await add(['entry.create']);
      receiver.answer = () => ({ status: 500 });
      await create('lost');
      const { id } = await tried(() => true);
      await server.app.database.transaction(async (tx) => {
        await tx.rows('update "galley_webhook_deliveries" set "attempts" = 8, "next_at" = 0', []);
      });
      await until('it is given up', async () => (await deliveries())[0]!.state === 'failed');
      const { text } = await galley('deliveries', '--state', 'failed');
      match(text, new RegExp(`^${id} .* entry\\.create .* failed +9 +500$`, 'm'));
      const { webhook, changedAt } = (await deliveries())[0]!;
      strictEqual((await galley('deliveries', String(webhook), '--state', 'failed')).text, text);
      const [name] = (await listWebhooks(server.app.database)).flatMap((one) => (one.id === webhook ? [one.name] : []));
      match(text, new RegExp(`^\\d+ +${webhook} ${name} +\\d`, 'm'));
      const asJson = await galley('deliveries', String(webhook), '--state', 'failed', '--json');
      const told = JSON.parse(asJson.text.split('\n')[0]!) as Record<string, unknown>;
      const { triedAt } = told;
      deepStrictEqual(
        [told['webhook'], told['webhookName'], told['changedAt']],
        [webhook, name, new Date(changedAt).toISOString()],
      );
      match(String(triedAt), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      match((await galley('deliveries', 'nobody')).text, /no webhook nobody/);
    });

    it('wait no longer than the time limit, follow no redirect, and keep a bounded part of an answer', async () => {
      await add(['entry.create']);
      receiver.answer = () => undefined;
      await create('slow');
      strictEqual((await tried(() => true)).answer, 'no answer within 800 ms');
      receiver.answer = ({ path }) =>
        path === '/hook'
          ? { status: 302, headers: { location: '/elsewhere' }, body: 'x'.repeat(100_000) }
          : { status: 200 };
      await create('redirected');
      const { answer, answerStatus } = await tried((one) => one.answerStatus === 302);
      deepStrictEqual([answerStatus, answer!.length], [302, 2048]);
      ok(receiver.received.every(({ path }) => path === '/hook'));
    });

    it('are not held up by one document that changes often, and keep its order', async () => {
      const { id } = await add([]);
      const { database } = server.app;
      // more than are looked at together
      const many = Array.from({ length: 210 }, (_, n) => waiting(id, 'often', { n }));
      receiver.answer = () => ({ status: 500 });
      await database.transaction((tx) => addDeliveries(tx, [...many, waiting(id, 'once', {})]));
      const page = await duePage(database, id, Date.now());
      deepStrictEqual([page.free.length, page.behind.length, page.isLast], [1, 199, false]);
      await galley('enable', String(id));
      await until('the other document is told of', () => receiver.received.some(({ body }) => body['of'] === 'once'));
      deepStrictEqual(
        receiver.received.filter(({ body }) => body['of'] === 'often').every(({ body }) => body['n'] === 0),
        true,
      );
      receiver.answer = () => ({ status: 200 });
      await galley('retry', '--webhook', String(id));
      await until('many have arrived', () => receiver.received.filter(({ body }) => body['n'] === 30).length > 0);
      const order = receiver.received.filter(({ body }) => (body['n'] as number) > 0).map(({ body }) => body['n']);
      deepStrictEqual(
        order,
        Array.from({ length: order.length }, (_, n) => n + 1),
      );
    });

    it('continue after a body that cannot be built, which is sent with ids or tried again', async () => {
      const { id } = await add(['entry.create']);
      const { database } = server.app;
      const gone = { ...waiting(id, 'gone', {}), uid: ARTICLE, body: undefined };
      const wrong = { ...gone, documentId: 'wrong' };
      const read = database.read.bind(database);
      database.read = (one) => {
        if (one.values.includes('wrong')) throw new Error('a page of the file is damaged');
        return read(one);
      };
      try {
        await database.transaction((tx) => addDeliveries(tx, [wrong, gone]));
        const { documentId } = await create('behind them');
        await until('those behind have arrived', () =>
          ['gone', documentId].every((name) =>
            receiver.received.some(
              ({ body }) => (body['entry'] as { documentId: string } | undefined)?.documentId === name,
            ),
          ),
        );
        const { state, answer } = await tried((one) => one.documentId === 'wrong');
        deepStrictEqual([state, answer], ['waiting', 'the entry could not be read']);
      } finally {
        database.read = read;
      }
    });

    it('are sent once where several processes serve the database', async () => {
      const { id } = await add(['entry.create']);
      const other = await serve({ dir: server.app.config.dir, remove: async () => {} }, { env, drop: async () => {} });
      try {
        for (let n = 0; n < 5; n++) await create(`one ${n}`);
        for (let n = 0; n < 5; n++) await other.app.documents(ARTICLE).create({ data: { title: `two ${n}` } });
        await settled();
      } finally {
        await other.app.close();
      }
      const sent = receiver.received
        .map(({ headers }) => String(headers['webhook-id']))
        .filter((one) => one.startsWith(`${id}-`));
      deepStrictEqual([sent.length, new Set(sent).size], [10, 10]);
    });

    it('receive changes of a process that answers no requests, also if they were created after its start', async () => {
      const writing = await openProject(server.app.config.dir, { env });
      try {
        await add(['entry.create']);
        await until('it is told', async () => {
          await writing.documents(ARTICLE).create({ data: { title: 'by a script' } });
          return receiver.received.length > 0;
        });
      } finally {
        await writing.close();
      }
      await settled();
    });

    it('are read as soon as another process notifies of a change, without polling', async () => {
      const { database } = server.app;
      const needs = new Subscriptions(database, () => {});
      try {
        await needs.read();
        needs.start(2 ** 31 - 1);
        const known = (names: readonly string[]) =>
          until(`known are ${names.join(', ') || 'none'}`, async () => {
            if (database.bell) return String(needs.webhooks.map(({ name }) => name)) === String(names);
            const now = needs.mayHaveWebhooks ? await database.transaction((tx) => needs.webhooksWithin(tx)) : [];
            deepStrictEqual(
              now.map(({ name }) => name),
              names,
            );
            return true;
          });
        await known([]);
        strictEqual((await galley('add', `${receiver.url}/hook`, '--name', 'new', '--event', 'entry.*')).code, 0);
        await known(['new']);
        strictEqual((await galley('disable', 'new')).code, 0);
        await known([]);
        strictEqual((await galley('enable', 'new')).code, 0);
        await known(['new']);
        strictEqual((await galley('remove', 'new')).code, 0);
        await known([]);
      } finally {
        needs.close();
      }
    });

    it('receive a write right after the command, on engines that see foreign commits at once', async (t) => {
      if (server.app.database.bell) return t.skip('others are told by a notification');
      strictEqual((await galley('add', `${receiver.url}/hook`, '--name', 'new', '--event', 'entry.create')).code, 0);
      await create('at once');
      strictEqual((await galley('disable', 'new')).code, 0);
      await create('switched off');
      strictEqual((await galley('enable', 'new')).code, 0);
      await create('once more');
      await arrived(2);
      await settled();
      const titles = receiver.received.map(({ body }) => (body['entry'] as Record<string, unknown>)['title']);
      deepStrictEqual(titles.sort(), ['at once', 'once more']);
      strictEqual((await galley('remove', 'new')).code, 0);
    });

    it('add no cost to writes after a commit of another process if there are none', async (t) => {
      const { database } = server.app;
      if (database.bell) return t.skip('writers do not share commits');
      strictEqual((await galley('add', `${receiver.url}/hook`, '--name', 'gone', '--event', 'entry.create')).code, 0);
      strictEqual((await galley('remove', 'gone')).code, 0);
      const runs = { one: 0, wrong: 0 };
      const write = (name: keyof typeof runs) =>
        database.transaction(async (tx) => {
          runs[name]++;
          await tx.rows(`update "strapi_webhooks" set "name" = '${name}'`, []);
          if (name === 'wrong') throw new Error(name);
        });
      await Promise.allSettled([write('one'), write('wrong')]);
      // without savepoints, which they would have while somebody was to be told, both are run again
      deepStrictEqual(runs, { one: 2, wrong: 2 });
    });

    it('are created, listed, tested, disabled and removed by commands', async () => {
      const added = await galley(
        'add',
        `${receiver.url}/made`,
        '--name',
        'made',
        '--event',
        'entry.*',
        '--header',
        'X-A: b',
      );
      strictEqual(added.code, 0, added.text);
      match(added.lines[0]!, /^whsec_[\w+/=]{44}$/);
      const { text } = await galley('list');
      match(text, /^\d+ +made +on +http:\/\/127\.0\.0\.1:\d+\/made +entry\.create entry\.update entry\.delete/m);
      doesNotMatch(text, /whsec_/);
      strictEqual((await galley('test', 'made')).code, 0);
      deepStrictEqual(
        [receiver.received[0]!.body['event'], receiver.received[0]!.headers['x-a']],
        ['trigger-test', 'b'],
      );
      receiver.answer = () => ({ status: 404, body: 'no such hook' });
      const refused = await galley('test', 'made');
      deepStrictEqual([refused.code, /^404 after \d+ ms: no such hook$/.test(refused.text)], [1, true]);
      strictEqual((await galley('disable', 'made')).code, 0);
      match((await galley('list')).text, / made +off /);
      strictEqual((await galley('remove', 'made')).code, 0);
      match((await galley('remove', 'made')).text, /no webhook made/);
      match((await galley('add', receiver.url, '--event', 'entry.publsh')).text, /did you mean entry\.publish\?/);
      match((await galley('add', 'ftp://x', '--event', 'entry.*')).text, /must begin with https:\/\//);
    });

    it('created by Strapi receive requests without a signature', async () => {
      const { database } = server.app;
      const events = JSON.stringify(['entry.create']);
      const marks = [1, 2, 3, 4, 5].map((n) => database.dialect.placeholder(n)).join(', ');
      await database.transaction(async (tx) => {
        const values = ['panel', `${receiver.url}/panel`, '{}', events, database.dialect.encode(true, 'boolean')];
        await tx.rows(
          `insert into "strapi_webhooks" ("name", "url", "headers", "events", "enabled") values (${marks})`,
          values,
        );
      });
      await galley('secret', 'panel');
      await database.transaction((tx) => tx.rows('delete from "galley_webhook_secrets"', []) as Promise<unknown>);
      await galley('enable', 'panel');
      // another process has changed the table: the server learns of it a moment later
      const told = await until('it is told without a signature', async () => {
        await create('panel');
        return receiver.received.find(({ headers }) => headers['webhook-signature'] === undefined);
      });
      strictEqual(told.headers['webhook-signature'], undefined);
      strictEqual((await galley('remove', 'panel')).code, 0);
    });
  });

  describe(`webhooks in production on ${engine.name}`, () => {
    it('are not sent to private networks, by address or by name, unless that is allowed', async () => {
      const receiver = await startReceiver();
      const { port } = new URL(receiver.url);
      const server = await serveConfigured(engine, { server: {} }, { NODE_ENV: 'production' });
      try {
        await server.app.database.transaction(async (tx) => {
          for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
            await addWebhook(tx, { name: host, url: `http://${host}:${port}/`, headers: {}, events: ['entry.create'] });
          }
        });
        await server.app.documents(ARTICLE).create({ data: { title: 'secret' } });
        const tried = await until('all were attempted', async () => {
          const all = await listDeliveries(server.app.database, { most: 10 });
          return all.length === 3 && all.every(({ attempts }) => attempts > 0) && all;
        });
        for (const { answer } of tried) match(answer!, /is in a private network/);
        strictEqual(receiver.received.length, 0);
        const told: string[] = [];
        const env = { ...environmentOf(server), NODE_ENV: 'production' };
        const surroundings = { env, print: () => {}, warn: (line: string) => void told.push(line) };
        const add = ['webhook', 'add', receiver.url, '--event', 'entry.*', server.app.config.dir];
        strictEqual(await runCommandLine(add, surroundings), 2);
        match(told.join('\n'), /127\.0\.0\.1 is in a private network/);
        // names that always mean this machine as well, and no others, which are looked up when something is sent
        for (const host of ['localhost', 'LocalHost.', 'app.localhost']) {
          strictEqual(await runCommandLine(['webhook', 'add', `http://${host}:1/`, ...add.slice(3)], surroundings), 2);
          match(told.at(-1)!, /localhost\.? is in a private network/i);
        }
        const own = ['webhook', 'add', 'http://localhost.example/', ...add.slice(3)];
        strictEqual(await runCommandLine(own, surroundings), 0);
      } finally {
        await server.stop();
        await receiver.close();
      }
    });
  });
}

for (const engine of engines) {
  describe(`webhooks about long documents on ${engine.name}`, () => {
    it('receive their ids, and the next event', async () => {
      const receiver = await startReceiver();
      const server = await serveConfigured(engine, { server: { webhooks: { maxEntrySize: 4096 } } });
      try {
        const events = ['entry.create', 'entry.delete'];
        const webhook = { name: 'site', url: receiver.url, headers: {}, events };
        await server.app.database.transaction((tx) => addWebhook(tx, webhook));
        const { documentId } = await server.app
          .documents(ARTICLE)
          .create({ data: { title: 'long', body: 'x'.repeat(9000) } });
        await server.app.documents(ARTICLE).create({ data: { title: 'short' } });
        const entries = await until('both have arrived', () => {
          const all = receiver.received.map(({ body }) => body['entry'] as Record<string, unknown>);
          return all.length === 2 && all;
        });
        const [long, short] = entries[0]!['title'] === 'short' ? entries.toReversed() : entries;
        deepStrictEqual([long!['documentId'], long!['title'], short!['title']], [documentId, undefined, 'short']);
        const flags = receiver.received.map(({ body }) => [
          (body['entry'] as { title?: string }).title,
          body['shortened'],
        ]);
        deepStrictEqual(
          new Map(flags as [string, true][]),
          new Map([
            [undefined, true],
            ['short', undefined],
          ] as never),
        );
        await server.app.documents(ARTICLE).delete({ documentId: documentId as string });
        const [, , removal] = await until(
          'the removal is told',
          () => receiver.received.length === 3 && receiver.received,
        );
        deepStrictEqual((removal!.body['entry'] as { documentId: string }).documentId, documentId);
        strictEqual(removal!.body['shortened'], true);
        const kept = await server.app.database.rows('select max(length("body")) from "galley_webhook_deliveries"', []);
        ok(Number(kept[0]![0]) < 4500);
      } finally {
        await server.stop();
        await receiver.close();
      }
    });
  });
}

describe('addresses of private networks', () => {
  it('are recognised in each of their forms', () => {
    const closed = ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0', '100.64.0.1'];
    const six = ['::1', '::', '::7f00:1', 'fd00::1', 'fe80::1%eth0', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2001::1'];
    for (const address of [...closed, ...six, 'localhost']) {
      ok(isPrivate(address), address);
    }
    for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1'])
      ok(!isPrivate(address), address);
  });
});

/** A delivery that waits, with a body of its own. */
const waiting = (webhook: number, documentId: string, more: object): NewDelivery => ({
  ...{ webhook, documentId, uid: 'api::hot.hot', locale: null, status: 'published', row: 1, event: 'entry.update' },
  changedAt: Date.now(),
  body: JSON.stringify({ of: documentId, ...more }),
});

/** What opens the project of a server once more. */
function environmentOf(server: SeededServer): Record<string, string> {
  const { database } = server.app.config;
  if (database.client === 'sqlite') return { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: database.filename };
  return { DATABASE_CLIENT: 'postgres', DATABASE_URL: database.connectionString! };
}
