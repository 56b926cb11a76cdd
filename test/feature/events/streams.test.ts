/** `GET /api/events`: recipients and order of changes, and listeners that reconnect. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { ContentError } from '../../../src/errors.ts';
import { addPause, changesAfter, tidyLog } from '../../../src/events/change-log.ts';
import { LogReader, type PositionedChange } from '../../../src/events/log-reader.ts';
import { engines } from '../../support/databases/databases.ts';
import { type OpenStream, openStream } from '../../support/servers/event-stream.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const NOTE = 'api::note.note';
const PAGE = 'api::page.page';
const HIDDEN = 'api::hidden.hidden';
const SIGN_IN = 'plugin::users-permissions.auth.callback';
const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true }, ...localized };

const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      title: { type: 'string' },
      text: { type: 'text' },
      secret: { type: 'string', private: true },
      open: { type: 'boolean', default: true },
    }),
    page: contentType('page', { title: { type: 'string', ...localized } }, drafts),
    hidden: contentType('hidden', { title: { type: 'string' } }),
  },
  files: { 'config/server.js': 'module.exports = { events: { perCaller: 4, listeners: 6, patience: 300 } };' },
};
const FIXTURE = {
  locales: [{ code: 'en', name: 'English', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'custom', type: 'custom', permissions: [`${NOTE}.find`] },
    { name: 'one', type: 'custom', permissions: [`${NOTE}.findOne`] },
    { name: 'nothing', type: 'custom', permissions: [`${NOTE}.create`] },
  ],
  roles: { public: [`${NOTE}.find`, `${PAGE}.find`, SIGN_IN] },
};

for (const engine of engines) {
  describe(`streams of changes on ${engine.name}`, () => {
    let server: SeededServer;
    let env: Record<string, string> = {};
    const open: OpenStream[] = [];
    const documents = (uid: string) => server.app.documents(uid);
    const listen = async (query = '', options: Parameters<typeof openStream>[1] = {}) => {
      const stream = await openStream(`${server.url}/api/events${query}`, options);
      open.push(stream);
      return stream;
    };
    const make = async (data: Record<string, unknown> = { title: 'n' }) =>
      (await documents(NOTE).create({ data })).documentId as string;
    /** Gives a role these actions and no others. */
    const grant = async (role: number, actions: readonly string[]) => {
      const permissions: Record<string, { controllers: Record<string, Record<string, { enabled: boolean }>> }> = {};
      for (const action of actions) {
        const [uid = '', controller = '', name = ''] = /^(.*)\.([^.]+)\.([^.]+)$/.exec(action)?.slice(1) ?? [];
        permissions[uid] ??= { controllers: {} };
        const { controllers } = permissions[uid];
        controllers[controller] = { ...controllers[controller], [name]: { enabled: true } };
      }
      const { status, text } = await server.request('PUT', `/api/users-permissions/roles/${role}`, {
        token: server.secrets['full']!,
        body: { permissions },
      });
      strictEqual(status, 200, text);
    };
    const kinds = (changes: readonly Record<string, unknown>[]) =>
      changes.map(({ kind, locale, status }) => [kind, locale, status].filter(Boolean).join(' '));

    before(async () => {
      const folder = await makeProject(PROJECT);
      const rowRules = ({ all }: { all: boolean }) => (all ? {} : { [NOTE]: { open: 'true' } });
      server = await serveSeeded(engine, folder, FIXTURE, {}, { rowRules });
      const { database } = server.app.config;
      env =
        database.client === 'sqlite'
          ? { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: database.filename }
          : { DATABASE_CLIENT: 'postgres', DATABASE_URL: database.connectionString! };
    });
    after(() => server?.stop());
    afterEach(async () => {
      for (const stream of open.splice(0)) stream.close();
      await until('all have gone', () => listening(server) === 0);
    });

    it('report readable changes only, and log nothing before the first listener', async () => {
      await make();
      deepStrictEqual(await changesAfter(server.app.database, 0, 10), []);
      const stream = await listen();
      await documents('api::hidden.hidden').create({ data: { title: 'h' } });
      const documentId = await make();
      await documents(NOTE).update({ documentId, data: { title: 'm' } });
      const [made, changed] = await stream.told(2);
      deepStrictEqual(
        [made!['kind'], made!['uid'], made!['model'], made!['documentId'], made!['status'], made!['locale']],
        ['created', NOTE, 'note', documentId, 'published', null],
      );
      strictEqual(changed!['kind'], 'updated');
      match(String(made!['at']), /^\d{4}-\d\d-\d\dT/);
      ok(!('document' in made!));
    });

    it('send the published version or the draft, in the requested locales', async () => {
      const published = await listen('?types=pages');
      const draft = await listen('?types=pages,notes&status=draft');
      const french = await listen(`?types=${PAGE}&status=draft&locale=fr`);
      const { documentId } = await documents(PAGE).create({ data: { title: 'a' } });
      const one = { documentId: documentId as string };
      await documents(PAGE).update({ ...one, locale: 'fr', data: { title: 'b' } });
      await documents(PAGE).publish(one);
      await documents(PAGE).delete({ ...one, locale: '*' });
      deepStrictEqual(kinds(await published.told(2)), ['published en published', 'deleted en published']);
      deepStrictEqual(kinds(await draft.told(4)).slice(0, 2), ['created en draft', 'created fr draft']);
      deepStrictEqual(kinds(await french.told(2)), ['created fr draft', 'deleted fr draft']);
    });

    it('send documents as their caller may read them, if requested', async () => {
      const own = await listen('?document=true&types=notes', { token: server.secrets['full'] });
      const documentId = await make({ title: 'shown', secret: 'kept' });
      const [change] = await own.told(1);
      const document = change!['document'] as Record<string, unknown>;
      deepStrictEqual([document['documentId'], document['title'], 'secret' in document], [documentId, 'shown', false]);
    });

    it('report no rows that a condition hides', async () => {
      const everybody = await listen('?types=notes');
      const all = await listen('?types=notes', { token: server.secrets['full'] });
      const closed = await make({ title: 'closed', open: false });
      await documents(NOTE).update({ documentId: closed, data: { title: 'still closed' } });
      const shown = await make({ title: 'open' });
      await everybody.told(1);
      await documents(NOTE).delete({ documentId: shown });
      await make({ title: 'last' });
      strictEqual((await all.told(5)).length, 5);
      const told = await everybody.told(2);
      ok(told.every(({ documentId }) => documentId !== closed));
    });

    it('go on behind the last event of a listener who comes back', async () => {
      const first = await listen('?types=notes');
      await make({ title: 'one' });
      await first.told(1);
      const { id } = first.events.at(-1)!;
      first.close();
      const [two, three] = [await make({ title: 'two' }), await make({ title: 'three' })];
      const again = await listen('?types=notes', { lastEventId: id });
      deepStrictEqual(
        (await again.told(2)).map(({ documentId }) => documentId),
        [two, three],
      );
      const four = await make({ title: 'four' });
      strictEqual((await again.told(3))[2]!['documentId'], four);
      strictEqual(again.events[0]!.event, 'ready');
    });

    it('cost no write where listeners come and go', async () => {
      (await listen()).close();
      await until('it has gone', () => listening(server) === 0);
      const { database } = server.app;
      const { transaction } = database;
      let count = 0;
      database.transaction = ((work, options) => {
        count += 1;
        return transaction.call(database, work, options);
      }) as typeof transaction;
      try {
        (await listen()).close();
      } finally {
        database.transaction = transaction;
      }
      strictEqual(count, 0);
    });

    it('send a reset if missed changes are no longer in the log', async () => {
      for (const lastEventId of ['999999', 'abc', '-1']) {
        const stream = await listen('', { lastEventId });
        strictEqual(stream.events[0]!.event, 'reset');
        await make();
        strictEqual((await stream.told(1)).length, 1);
      }
    });

    it('report writes and deletions of other processes', async () => {
      const stream = await listen('?types=notes');
      await withAnother(async (other) => {
        const { documentId } = await other.app.documents(NOTE).create({ data: { title: 'elsewhere' } });
        strictEqual((await stream.told(1))[0]!['documentId'], documentId);
        const theirs = await openStream(`${other.url}/api/events?types=notes`);
        const ours = await make({ title: 'here' });
        strictEqual((await theirs.told(1))[0]!['documentId'], ours);
        theirs.close();
      });
    });

    it('begin once nothing can be missed, in all processes that hear of their first listeners at a time', async () => {
      const remove = 'delete from "galley_event_listening"';
      for (const isLater of [false, true]) {
        await server.app.database.transaction(async (tx) => tx.rows(remove, []));
        await withAnother((one) =>
          withAnother(async (two) => {
            const streams: OpenStream[] = [];
            const listenTo = async ({ url }: RunningServer) => {
              streams.push(await openStream(`${url}/api/events?types=notes`));
            };
            const first = listenTo(one);
            if (isLater) {
              const begun = 'select count(*) from "galley_event_listening"';
              await until('the first has begun', async () =>
                (await server.app.database.rows(begun, [])).some(([count]) => Number(count) > 0),
              );
            }
            await Promise.all([first, listenTo(two), listenTo(two)]);
            await make();
            for (const stream of streams) {
              await stream.told(1);
              deepStrictEqual(
                stream.events.map(({ event }) => event),
                ['ready', 'change'],
              );
              stream.close();
            }
          }),
        );
      }
    });

    it('begin even if the process that started the log has ended', async () => {
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`delete from "galley_event_listening" where "name" = 'settling'`, []);
        const row = `insert into "galley_event_listening" ("name", "until") values ('settling', ${Date.now() + 200})`;
        await tx.rows(row, []);
      });
      await withAnother(async (other) => {
        const stream = await openStream(`${other.url}/api/events?types=notes`);
        await make();
        await stream.told(1);
        strictEqual(stream.events[0]!.event, 'ready');
        stream.close();
      });
    });

    it('are rung for across processes, where looking would take a statement', async () => {
      const { bell } = server.app.database;
      if (!bell) return;
      await withAnother(async (other) => {
        other.app.database.generation();
        await until('the other one hears', () => other.app.database.load?.()['listening'] === 1);
        let heard = 0;
        const stop = other.app.database.bell!.onRing(() => void heard++);
        await until('a ring is heard', () => {
          bell.ring();
          return heard > 0;
        });
        stop();
      });
    });

    it('report nothing that was rolled back', async () => {
      const stream = await listen('?types=notes');
      const stop = server.app.database.subscribe({ beforeCommit: () => Promise.reject(new Error('no')) });
      await rejects(make({ title: 'lost' }), /no/);
      stop();
      const kept = await make({ title: 'kept' });
      deepStrictEqual(
        (await stream.told(1)).map(({ documentId }) => documentId),
        [kept],
      );
    });

    it('end when the rights are revoked', async () => {
      const token = server.secrets['custom']!;
      const revoked = await listen('?types=notes', { token });
      const others = await listen('?types=notes');
      const lines: string[] = [];
      const code = await runCommandLine(['token', 'revoke', 'custom', server.app.config.dir], {
        env,
        print: (line) => void lines.push(line),
        warn: (line) => void lines.push(line),
      });
      strictEqual(code, 0, lines.join('\n'));
      await until('it has ended', async () => {
        await make();
        return revoked.isEnded();
      });
      ok(!others.isEnded());
      await rejects(listen('', { token }), /^Error: 401/);
    });

    it('end at once when the caller signs out, and when its role may read nothing any more', async () => {
      const account = { username: 'ann', email: 'ann@example.org', password: 'secret123' };
      const token = server.secrets['full']!;
      const roles = (await server.get('/api/users-permissions/roles', token)).body['roles'] as Role[];
      const role = roles.find(({ type }) => type === 'authenticated')!.id;
      await server.request('POST', '/api/users', { token, body: { ...account, role, confirmed: true } });
      const signedIn = await server.request('POST', '/api/auth/local', {
        body: { identifier: account.email, password: account.password },
      });
      const jwt = String(signedIn.body['jwt']);
      await grant(role, [`${NOTE}.find`, 'plugin::users-permissions.auth.logout']);
      const own = await listen('?types=notes', { token: jwt });
      const everybody = await listen('?types=notes');
      strictEqual(
        (await server.request('POST', '/api/auth/logout', { token: jwt, body: { scope: 'all' } })).status,
        200,
      );
      await make({ title: 'after the end' });
      await everybody.told(1);
      await until('the stream of who has signed out ends', () => own.isEnded());
      deepStrictEqual(own.changes(), []);
      const open = roles.find(({ type }) => type === 'public')!.id;
      await grant(open, [SIGN_IN]);
      await make({ title: 'closed to all' });
      await until('the streams of the public end', () => everybody.isEnded());
      strictEqual(everybody.changes().length, 1);
      await grant(open, [`${NOTE}.find`, `${PAGE}.find`, SIGN_IN]);
    });

    it('lose nothing when rights change', async () => {
      const stream = await listen();
      const roles = (await server.get('/api/users-permissions/roles', server.secrets['full'])).body['roles'] as Role[];
      const open = roles.find(({ type }) => type === 'public')!.id;
      const made: string[] = [];
      for (const more of [[HIDDEN], [], [HIDDEN], []]) {
        for (let n = 0; n < 5; n++) made.push(await make({ title: `${n}` }));
        await grant(open, [`${NOTE}.find`, `${PAGE}.find`, SIGN_IN, ...more.map((uid) => `${uid}.find`)]);
      }
      const told = await stream.told(made.length);
      deepStrictEqual(
        told.map(({ documentId }) => documentId),
        made,
      );
      ok(!stream.isEnded());
    });

    it('report nothing while the rights of listeners are read', async () => {
      const { callers } = server.app;
      const stream = await listen('?types=notes');
      const gate = Promise.withResolvers<void>();
      const identify = callers.identify.bind(callers);
      callers.identify = async () => {
        await gate.promise;
        throw new ContentError('UnauthorizedError', 'revoked');
      };
      try {
        callers.forget();
        await make({ title: 'meanwhile' });
        await make({ title: 'and after' });
        await new Promise((resolve) => setImmediate(resolve));
        gate.resolve();
        await until('it has ended', () => stream.isEnded());
        deepStrictEqual(stream.changes(), []);
      } finally {
        callers.identify = identify;
      }
    });

    it('send nothing that was read before the caller lost its rights', async () => {
      const { callers, database } = server.app;
      const documentId = await make({ title: 'read before' });
      const stream = await listen('?types=notes&document=true');
      const [begun, end, looked] = [0, 1, 2].map(() => Promise.withResolvers<void>());
      const read = database.read.bind(database);
      const identify = callers.identify.bind(callers);
      database.read = async (one) => {
        const rows = await read(one);
        begun!.resolve();
        await end!.promise;
        return rows;
      };
      try {
        await database.transaction(async (tx) => tx.record(changed(documentId)));
        await begun!.promise;
        callers.identify = async () => {
          await looked!.promise;
          throw new ContentError('UnauthorizedError', 'revoked');
        };
        callers.forget();
        end!.resolve();
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        looked!.resolve();
        await until('it has ended', () => stream.isEnded());
        deepStrictEqual(stream.changes(), []);
      } finally {
        database.read = read;
        callers.identify = identify;
      }
    });

    it('send changes later if the database does not answer for a moment', async () => {
      const { callers, database } = server.app;
      const stream = await listen('?types=notes', { token: server.secrets['full'] });
      const own = Object.getOwnPropertyDescriptor(database, 'generation');
      let asked = 0;
      Object.defineProperty(database, 'generation', {
        configurable: true,
        value: () => {
          asked += 1;
          throw new Error('the database is locked');
        },
      });
      try {
        await database.transaction(async (tx) => tx.record(changed('unsure')));
        callers.forget();
        await until('it was asked for', () => asked > 2);
        deepStrictEqual(stream.changes(), []);
      } finally {
        if (own) Object.defineProperty(database, 'generation', own);
        else Reflect.deleteProperty(database, 'generation');
      }
      strictEqual((await stream.told(1))[0]!['documentId'], 'unsure');
    });

    it('read documents once for all callers with the same rights', async () => {
      for (const query of ['', '&locale=en', '&locale=fr', '&status=draft']) {
        await listen(`?document=true&types=notes${query}`);
      }
      const reads: string[] = [];
      server.app.database.watch(({ table }) => void reads.push(table));
      await make({ title: 'once' });
      for (const stream of open) await stream.told(1);
      deepStrictEqual(reads, ['notes']);
      server.app.database.watch(() => {});
    });

    it('report one document to a caller who may not list documents', async () => {
      const token = server.secrets['one'];
      await rejects(listen('', { token }), /^Error: 403/);
      const [own, other] = [await make(), await make()];
      const stream = await listen(`?documentId=${own}`, { token });
      for (const documentId of [other, own]) await documents(NOTE).update({ documentId, data: { title: 'm' } });
      deepStrictEqual(
        (await stream.told(1)).map(({ documentId }) => documentId),
        [own],
      );
    });

    it('report long documents without ending other streams, and mark those that are too long', async () => {
      const stream = await listen('?types=notes&document=true');
      const [text, body] = ['x'.repeat(200 * 1024), 'x'.repeat(300 * 1024)];
      for (let n = 0; n < 4; n++) await make({ title: 'long', text });
      await make({ title: 'too long', text: body });
      const told = await stream.told(5);
      deepStrictEqual(
        told.map((change) => [typeof change['document'], change['documentTooLong']]),
        [...Array.from({ length: 4 }, () => ['object', undefined]), ['undefined', true]],
      );
      ok(!stream.isEnded());
    });

    it('take no event from the content of a text', async () => {
      const stream = await listen('?types=notes&document=true');
      const title = 'a\n\nevent: change\ndata: {"uid":"forged"}\n\n\u2028';
      await make({ title });
      await make({ title: 'end' });
      const told = await stream.told(2);
      deepStrictEqual([told.length, (told[0]!['document'] as { title: string }).title], [2, title]);
    });

    it('say so where changes may be missing', async () => {
      const stream = await listen('?types=notes');
      await server.app.database.transaction(addPause);
      await make();
      await stream.told(1);
      deepStrictEqual(
        stream.events.map(({ event }) => event),
        ['ready', 'reset', 'change'],
      );
    });

    it('leave no old changes behind, which are forgotten in pieces, however many there are', async () => {
      const { database } = server.app;
      const old = `insert into "galley_events" ("uid", "document_id", "status", "kind", "changed_at")
        select '${NOTE}', 'd', 'published', 'created', 1 from n`;
      await database.transaction(async (tx) => {
        await tx.rows('delete from "galley_events"', []);
        await tx.rows(`with recursive n (n) as (select 1 union all select n + 1 from n where n < 2500) ${old}`, []);
        await addPause(tx);
      });
      let transactions = 0;
      const forgotten = await tidyLog({
        dialect: database.dialect,
        rows: database.rows.bind(database),
        transaction: (work, options) => {
          transactions++;
          return database.transaction(work, options);
        },
      });
      deepStrictEqual([forgotten, transactions], [2500, 3]);
      deepStrictEqual(
        (await changesAfter(database, 0, 10)).map(({ kind }) => kind),
        ['pause'],
      );
    });

    it('are refused to callers who may read nothing, for wrong parameters, and beyond their number', async () => {
      await rejects(listen('', { token: server.secrets['nothing'] }), /^Error: 403/);
      await rejects(listen('?type=notes'), /^Error: 400.*did you mean types/);
      await rejects(listen('?types=note'), /^Error: 400.*did you mean notes/);
      await rejects(listen('?status=both'), /^Error: 400/);
      await rejects(
        listen('?types=hiddenn'),
        (error: Error) => /^400/.test(error.message) && !/hiddens/.test(error.message),
      );
      for (let n = 0; n < 4; n++) await listen();
      await rejects(listen(), /^Error: 429/);
      for (let n = 0; n < 2; n++) await listen('', { token: server.secrets['full'] });
      await rejects(listen('', { token: server.secrets['full'] }), /^Error: 503/);
    });

    it('answer HEAD without opening a stream, and have a path that no type can take', async () => {
      const { hostname, port } = new URL(server.url);
      const asked = httpRequest({ agent: false, hostname, port, method: 'HEAD', path: '/api/_events' }).end();
      const [{ statusCode, headers }] = (await once(asked, 'response')) as [{ statusCode: number; headers: object }];
      deepStrictEqual(
        [statusCode, (headers as Record<string, string>)['content-type']],
        [200, 'text/event-stream; charset=utf-8'],
      );
      strictEqual(listening(server), 0);
    });

    it('cut a listener off who does not read', async () => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET /api/events?document=true&types=notes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.secrets['full']}\r\n\r\n`,
      );
      await once(socket, 'data');
      socket.pause();
      const title = 'x'.repeat(250);
      await until('it is cut off', async () => {
        await server.app.database.transaction(async (tx) => {
          // as many changes as a busy site makes in a minute
          for (let n = 0; n < 300; n++) {
            tx.record(changed(`${title}${n}`));
          }
        });
        return listening(server) === 0;
      });
      socket.destroy();
    });

    it('end when the project is replaced, and their listeners go on with the next', async () => {
      const before = await listen('?types=notes');
      await make({ title: 'before' });
      await before.told(1);
      await server.app.reload();
      await until('it has ended', () => before.isEnded());
      const missed = await make({ title: 'between' });
      const next = await listen('?types=notes', { lastEventId: before.events.at(-1)!.id });
      strictEqual((await next.told(1))[0]!['documentId'], missed);
    });

    it('send late commits, and keep their position before them', async () => {
      const { database } = server.app;
      // elsewhere one transaction is over before the next one begins
      if (!database.dialect.writers) return;
      await listen('?types=notes');
      const told: PositionedChange[] = [];
      const tail = new LogReader({ database, publish: (changes) => void told.push(...changes) });
      await tail.start();
      const base = tail.last;
      /** Writes a change down, and commits it when the gate opens. Gives what waits for that. */
      const write = async (gate: Promise<unknown>) => {
        const written = Promise.withResolvers<void>();
        const done = database.transaction(async (tx) => {
          await tx.rows(
            `insert into "galley_events" ("uid", "document_id", "status", "kind", "changed_at")
             values ($1, 'd', 'published', 'updated', 1)`,
            [NOTE],
          );
          written.resolve();
          await gate;
        });
        await written.promise;
        return { done };
      };
      const seen = (count: number) =>
        until(`${count} are told`, () => {
          tail.call();
          return told.length === count;
        });
      const [late, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = await write(late.promise);
      const second = await write(lost.promise);
      await (await write(Promise.resolve())).done;
      await seen(1);
      late.resolve();
      await first.done;
      await seen(2);
      strictEqual(tail.position, base + 1);
      lost.reject(new Error('rolled back'));
      await rejects(second.done, /rolled back/);
      await until('what is rolled back is missed no longer', () => {
        tail.call();
        return tail.position === tail.last;
      });
      tail.stop();
      deepStrictEqual(
        told.map(({ id, position }) => [id - base, position - base]),
        [
          [3, 0],
          [1, 1],
        ],
      );
    });

    const withAnother = async (work: (other: RunningServer) => Promise<unknown>) => {
      const folder = { dir: server.app.config.dir, remove: async () => {} };
      const other = await serve(folder, { env, drop: async () => {} });
      try {
        await work(other);
      } finally {
        await other.app.close();
      }
    };
  });
}

/** A change of a document that need not be there. */
const changed = (documentId: string) =>
  ({ uid: NOTE, documentId, locale: null, status: 'published', kind: 'updated', before: 1, after: 1 }) as const;

interface Role {
  readonly id: number;
  readonly type: string;
}

/** How many listen at a server. */
function listening(server: SeededServer): number {
  return server.app.openStreams;
}
