/** Sending the log of actions to other programs, its command, its limits, and failed sign-ins in great number. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import type { Entry } from '../../../src/audit/entry.ts';
import { FailedSignIns } from '../../../src/audit/failed-sign-ins.ts';
import { entriesOf, forgetEntries } from '../../../src/audit/stored-entries.ts';
import { onAccount } from '../../../src/db/interface/account.ts';
import { signatureOf } from '../../../src/events/webhooks/sender.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/wait.ts';

const TAG = 'api::tag.tag';

for (const engine of engines) {
  describe(`sending the log of actions on ${engine.name}`, () => {
    let server: RunningServer | undefined;
    const closing: (() => unknown)[] = [];
    afterEach(async () => {
      await server?.stop();
      server = undefined;
      for (const close of closing.splice(0)) await close();
    });
    after(() => server?.stop());

    const start = async (audit: object | false): Promise<RunningServer> => {
      const folder = await makeProject({
        contentTypes: { tag: contentType('tag', { name: { type: 'string' } }) },
        files: { 'config/galley.json': { audit } },
      });
      server = await serve(folder, await engine.databaseFor(folder));
      return server;
    };
    const create = (name: string) => server!.app.documents(TAG).create({ data: { name } });
    const stored = async (query = {}) =>
      (await entriesOf(server!.app.database, query, { order: 'oldest first', after: undefined, most: 1000 })).entries;
    const webhook = async (): Promise<Receiver> => {
      const receiver = await startReceiver();
      closing.push(() => receiver.close());
      return receiver;
    };
    const entriesIn = (receiver: Receiver) => receiver.received.flatMap(({ body }) => body['entries'] as Entry[]);

    it('reaches a webhook in signed batches, in order', async () => {
      const receiver = await webhook();
      const secret = `whsec_${Buffer.from('key').toString('base64')}`;
      await start({ webhook: { url: `${receiver.url}/log?key=1`, headers: { 'x-own': 'yes' }, secret } });
      await create('before');
      await until('it arrives', () => receiver.received.length > 0);
      for (let n = 0; n < 5; n++) await create(String(n));
      await until('all arrive', () => entriesIn(receiver).length >= 6);
      const { headers, body } = receiver.received[0]!;
      deepStrictEqual([headers['x-own'], headers['x-strapi-event']], ['yes', 'audit.entries']);
      const signed = signatureOf(
        { id: String(headers['webhook-id']), body: JSON.stringify(body) },
        secret,
        Number(headers['webhook-timestamp']),
      );
      strictEqual(headers['webhook-signature'], signed['webhook-signature']);
      const sent = entriesIn(receiver);
      deepStrictEqual(
        sent,
        (await stored()).filter(({ id }) => id >= sent[0]!.id),
      );
    });

    it('continues with the same entries when a webhook has failed', async () => {
      const receiver = await webhook();
      receiver.answer = () => ({ status: 503, body: '' });
      await start({ webhook: { url: receiver.url } });
      await create('first');
      await until('it is tried', () => receiver.received.length > 0);
      receiver.received.length = 0;
      receiver.answer = () => ({ status: 200, body: '' });
      await until('it arrives', () => entriesIn(receiver).some(({ action }) => action === 'entry.create'));
      strictEqual(new Set(entriesIn(receiver).map(({ id }) => id)).size, entriesIn(receiver).length);
    });

    it('reaches a syslog server over UDP as messages of RFC 5424', async () => {
      const socket = createSocket('udp4');
      const messages: string[] = [];
      socket.on('message', (message) => messages.push(message.toString()));
      await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
      closing.push(() => socket.close());
      await start({ syslog: { host: '127.0.0.1', port: socket.address().port } });
      await create('a');
      await until('it arrives', () => messages.some((message) => message.includes('entry.create')));
      const message = messages.find((one) => one.includes('entry.create'))!;
      const [, json] = /^<110>1 \S+Z \S+ galley \d+ entry\.create - (\{.*\})$/.exec(message)!;
      strictEqual(JSON.parse(json!).subject.type, TAG);
    });

    it('reaches a syslog server over TCP, which counts the bytes of each message', async () => {
      const sockets: Socket[] = [];
      let bytes = Buffer.alloc(0);
      const listener = createServer((socket) => {
        sockets.push(socket);
        socket.on('data', (chunk) => {
          bytes = Buffer.concat([bytes, chunk]);
        });
      });
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      closing.push(() => {
        for (const socket of sockets) socket.destroy();
        listener.close();
      });
      const { port } = listener.address() as { port: number };
      await start({ syslog: { host: '127.0.0.1', port, protocol: 'tcp' } });
      await create('ä');
      await until('it arrives', () => bytes.includes('entry.create'));
      const messages: string[] = [];
      for (let rest = bytes; rest.length > 0; ) {
        const [count] = /^\d+/.exec(rest.toString())!;
        const end = count.length + 1 + Number(count);
        messages.push(rest.subarray(count.length + 1, end).toString());
        rest = rest.subarray(end);
      }
      for (const message of messages) match(message, /^<1\d\d>1 \S+ \S+ galley \d+ [\w.-]+ - \{.*\}$/);
      // the connection is opened again when it was closed
      for (const socket of sockets) socket.destroy();
      bytes = Buffer.alloc(0);
      await until('it arrives again', async () => {
        await create('again');
        return bytes.includes('entry.create');
      });
    });

    it('reaches a syslog server over TLS with a trusted certificate, and no other', async () => {
      const [key, cert] = ['key', 'certificate'].map((name) =>
        readFileSync(path.join(import.meta.dirname, `../../fixtures/tls/${name}.pem`), 'utf8'),
      ) as [string, string];
      let text = '';
      let ended = 0;
      const listener = createTlsServer({ key, cert }, (socket) => {
        socket
          .on('error', () => {})
          .on('data', (chunk) => (text += String(chunk)))
          .on('close', () => (ended += 1));
      });
      listener.on('tlsClientError', () => (ended += 1));
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      closing.push(() => void listener.close());
      const { port } = listener.address() as { port: number };
      const syslog = { host: '127.0.0.1', port, protocol: 'tls' };
      await start({ syslog });
      await create('not trusted');
      await until('the certificate is refused', () => ended > 0);
      strictEqual(text, '');
      await server?.stop();
      await start({ syslog: { ...syslog, ca: cert } });
      await create('trusted');
      await until('it arrives', () => text.includes('entry.create'));
      match(text, /^\d+ <1\d\d>1 /);
    });

    it('is not written where it is switched off', async () => {
      await start(false);
      await create('a');
      deepStrictEqual(await stored(), []);
    });

    it('loses its oldest entries after the days and beyond the number of the configuration', async () => {
      const { app } = await start({});
      await app.database.transaction(async (tx) => {
        for (let n = 0; n < 30; n++) tx.recordAction({ action: 'job.run', type: null, id: String(n) });
      });
      strictEqual(await forgetEntries(app.database, { days: 1, entries: 1000 }), 0);
      // a database leaves out ids, for example those of transactions that were rolled back
      await app.database.transaction(async (tx) => {
        await tx.rows('update galley_audit set id = id + 5000 where id > (select min(id) from galley_audit)', []);
      });
      strictEqual(await forgetEntries(app.database, { days: 1, entries: 1000 }), 0);
      await forgetEntries(app.database, { days: 1, entries: 10 });
      deepStrictEqual(
        (await stored()).map(({ subject, details }) => subject ?? details),
        (await stored()).slice(-10).map(({ subject, details }) => subject ?? details),
      );
      strictEqual((await stored()).length, 10);
      await forgetEntries(app.database, { days: -1, entries: 1000 });
      deepStrictEqual(await stored(), []);
    });

    it('has two entries for any number of failed sign-ins of one network, and few for many networks', async () => {
      const { app } = await start({});
      const { database } = app;
      const failed = new FailedSignIns({ database, log: () => {} });
      const from = (network: string, times: number) =>
        onAccount({ key: `ip ${network}`, actor: { kind: 'public', id: null, name: null, address: network } }, () => {
          for (let n = 0; n < times; n++) {
            const account = { type: 'admin::user', id: String(n % 20), name: `${n % 20}@example.com` };
            failed.note({ action: 'admin.auth.error', reason: 'credentials', account });
          }
        });
      from('203.0.113.1', 10_000);
      for (let n = 0; n < 1000; n++) from(`198.51.${n >> 8}.${n & 255}`, 2);
      await failed.close();
      const entries = await stored({ action: 'admin.auth.error' });
      const own = entries.filter(({ address }) => address === '203.0.113.1');
      deepStrictEqual(
        own.map(({ details }) => details['count'] ?? 1),
        [1, 9999],
      );
      strictEqual((own[1]!.details['accounts'] as string[]).length, 10);
      ok(entries.length <= 601, `${entries.length} entries`);
      const counts = entries.map(({ details }) => Number(details['count'] ?? 1));
      strictEqual(
        counts.reduce((sum, count) => sum + count),
        12_000,
      );
    });
  });
}
