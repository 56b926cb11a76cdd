/** `GET /api/events`: who is told of which changes, in which order, and what happens when a listener comes back. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { changesAfter } from '../../../src/events/change-log.ts';
import { Tail, type TailChange } from '../../../src/events/tail.ts';
import { engines } from '../../support/databases/databases.ts';
import { type OpenStream, openStream } from '../../support/servers/event-stream.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const NOTE = 'api::note.note';
const PAGE = 'api::page.page';
const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true }, ...localized };

const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      title: { type: 'string' },
      secret: { type: 'string', private: true },
      open: { type: 'boolean', default: true },
    }),
    page: contentType('page', { title: { type: 'string', ...localized } }, drafts),
    hidden: contentType('hidden', { title: { type: 'string' } }),
  },
  files: { 'config/server.js': 'module.exports = { events: { perCaller: 4, listeners: 6 } };' },
};
const FIXTURE = {
  locales: [{ code: 'en', name: 'English', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'custom', type: 'custom', permissions: [`${NOTE}.find`] },
    { name: 'nothing', type: 'custom', permissions: [`${NOTE}.create`] },
  ],
  roles: { public: [`${NOTE}.find`, `${PAGE}.findOne`] },
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

    it('tell of what the caller may read, and of nothing else; before anybody listens nothing is written', async () => {
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

    it('tell of the published version or of the draft, in the locales that are asked for', async () => {
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

    it('tell documents as their caller may read them, where they are asked for', async () => {
      const own = await listen('?document=true&types=notes', { token: server.secrets['full'] });
      const documentId = await make({ title: 'shown', secret: 'kept' });
      const [change] = await own.told(1);
      const document = change!['document'] as Record<string, unknown>;
      deepStrictEqual([document['documentId'], document['title'], 'secret' in document], [documentId, 'shown', false]);
    });

    it('tell nothing of rows that a condition does not show', async () => {
      const everybody = await listen('?types=notes');
      const all = await listen('?types=notes', { token: server.secrets['full'] });
      const closed = await make({ title: 'closed', open: false });
      await documents(NOTE).update({ documentId: closed, data: { title: 'still closed' } });
      const shown = await make({ title: 'open' });
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

    it('say so where what a listener has missed is no longer known', async () => {
      const stream = await listen('', { lastEventId: '999999' });
      strictEqual(stream.events[0]!.event, 'reset');
      await make();
      strictEqual((await stream.told(1)).length, 1);
    });

    it('tell of what other processes write, and of what they delete', async () => {
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

    it('are rung for across processes, where looking would take a statement', async () => {
      const { bell } = server.app.database;
      if (!bell) return;
      await withAnother(async (other) => {
        other.app.database.generation();
        await until('the other one hears', () => other.app.database.load?.()['listening'] === 1);
        let heard = 0;
        const stop = other.app.database.bell!.heard(() => void heard++);
        await until('a ring is heard', () => {
          bell.ring();
          return heard > 0;
        });
        stop();
      });
    });

    it('tell nothing that was rolled back', async () => {
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

    it('are refused to callers who may read nothing, for wrong parameters, and beyond their number', async () => {
      await rejects(listen('', { token: server.secrets['nothing'] }), /^Error: 403/);
      await rejects(listen('?type=notes'), /^Error: 400.*did you mean types/);
      await rejects(listen('?types=note'), /^Error: 400.*did you mean notes/);
      await rejects(listen('?status=both'), /^Error: 400/);
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
            tx.record({
              uid: NOTE,
              documentId: `${title}${n}`,
              locale: null,
              status: 'published',
              kind: 'updated',
              before: 1,
              after: 1,
            });
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

    it('tell what comes late all the same, and keep their position before it', async () => {
      const { database } = server.app;
      await listen('?types=notes');
      await make({ title: 'first' });
      const told: TailChange[] = [];
      const tail = new Tail({ database, tell: async (changes) => void told.push(...changes) });
      await tail.start();
      const last = tail.last;
      const insert = (id: number) =>
        database.transaction(async (tx) => {
          const marks = [1, 2].map((n) => tx.dialect.placeholder(n)).join(', ');
          await tx.rows(
            `insert into "galley_events" ("id", "uid", "document_id", "status", "kind", "changed_at")
             values (${marks}, 'd', 'published', 'updated', 1)`,
            [id, NOTE],
          );
        });
      // transactions take their numbers before they are committed
      await insert(last + 3);
      tail.call();
      await until('the early one is told', () => told.length === 1);
      await insert(last + 1);
      tail.call();
      await until('a late one is told', () => told.length === 2);
      await insert(last + 2);
      tail.call();
      await until('the last one is told', () => told.length === 3);
      tail.stop();
      deepStrictEqual(
        told.map(({ id, position }) => [id - last, position - last]),
        [
          [3, 0],
          [1, 1],
          [2, 3],
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

/** How many listen at a server. */
function listening(server: SeededServer): number {
  return server.app.openStreams;
}
