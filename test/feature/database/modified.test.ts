/** Triggers note which drafts are newer than what is published: lists of them are right, whoever writes. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { openPlain, type PlainDatabase } from '../../support/databases/plain-database.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const WRITERS = 6;
const ROUNDS = 6;

for (const engine of engines) {
  describe(`modified drafts on ${engine.name}`, () => {
    let server: SeededServer;
    /** Another program on the same database. */
    let other: PlainDatabase;
    const isSqlite = engine.name === 'sqlite';

    before(async () => {
      server = await serveScenarioProject(engine);
      const config = server.app.config.database;
      const env = config.client === 'sqlite' ? { DATABASE_FILENAME: config.filename } : {};
      other = await openPlain({
        env: { ...env, ...('connectionString' in config ? { DATABASE_URL: config.connectionString! } : {}) },
      });
      await until('modified drafts are known to be noted', async () => {
        await server.app.database.search!.refresh();
        return notes('articles', 'locale');
      });
    });
    after(async () => {
      await other?.database.close();
      await server?.stop();
    });

    const notes = (table: string, pairing: 'locale' | 'document') =>
      server.app.database.search!.notesModified(table, pairing);
    const call = (method: string, target: string, data?: unknown) =>
      server.request(method, `/api${target}`, { token: server.secrets['full'], ...(data ? { body: { data } } : {}) });
    const rows = (text: string) => server.app.database.rows(text, []);
    const write = (...texts: string[]) =>
      other.database.transaction(async (tx) => {
        for (const text of texts) await tx.rows(text, []);
      });
    const idsOf = async (target: string) => {
      const { body, status } = await call('GET', target);
      strictEqual(status, 200, JSON.stringify(body));
      return {
        ids: body.data.map(({ id }: { id: number }) => id) as number[],
        total: body.meta.pagination.total as number,
      };
    };
    const pair = (one: string, two: string, localized: boolean) =>
      `${one}.document_id = ${two}.document_id${localized ? ` and ${one}.locale = ${two}.locale` : ''}`;
    /** Ids of the rows of a status that are modified, by looking at all of them. */
    const modified = async (table: string, status: string, localized: boolean, where: string) => {
      const [row, sibling] = status === 'draft' ? ['d', 'p'] : ['p', 'd'];
      const newer = `exists (select 1 from ${table} ${sibling} where ${pair('d', 'p', localized)}
        and ${sibling}.published_at is ${status === 'draft' ? 'not ' : ''}null and d.updated_at > p.updated_at)`;
      const found = await rows(`select id from ${table} ${row} where ${row}.published_at is
        ${status === 'draft' ? '' : 'not '}null and ${newer} and ${where} order by id`);
      return found.map(([id]) => Number(id));
    };
    /** Lists are those that looking at every row gives. */
    const agree = async () => {
      for (const status of ['draft', 'published']) {
        for (const locale of ['en', 'fr', '*']) {
          const wanted = await modified('articles', status, true, locale === '*' ? '1 = 1' : `locale = '${locale}'`);
          const query = `/articles?status=${status}&locale=${locale}&publicationFilter=modified&fields=title`;
          const all = await idsOf(`${query}&pagination[limit]=100`);
          deepStrictEqual(all, { ids: wanted.slice(0, 100), total: wanted.length }, `${status} ${locale}`);
          const page = await idsOf(`${query}&sort=id:desc&pagination[limit]=2&pagination[withCount]=false`);
          deepStrictEqual(page.ids, wanted.toReversed().slice(0, 2));
        }
        const tags = await idsOf(`/tags?status=${status}&publicationFilter=modified&fields=name&pagination[limit]=100`);
        const wanted = await modified('tags', status, false, '1 = 1');
        deepStrictEqual(tags, { ids: wanted.slice(0, 100), total: wanted.length }, status);
      }
    };
    const time = (n: number) => (isSqlite ? `${1_700_000_000_000 + n}` : `to_timestamp(1700000000 + ${n})`);
    /** SQL of a row that another program inserts, changed at a time. */
    const insert = (documentId: string, at: number, published: boolean, locale = 'en') =>
      `insert into articles (document_id, title, locale, updated_at, published_at)
        values ('${documentId}', 'x', '${locale}', ${time(at)}, ${published ? time(at) : 'null'})`;

    it('are listed after whatever is done to documents', async () => {
      const { body } = await call('POST', '/articles', { title: 'One' });
      const id = body.data.documentId as string;
      await agree();
      strictEqual((await call('PUT', `/articles/${id}?status=draft`, { title: 'Two' })).status, 200);
      strictEqual((await idsOf('/articles?status=draft&publicationFilter=modified')).total, 1);
      await agree();
      strictEqual((await call('PUT', `/articles/${id}?locale=fr&status=draft`, { title: 'Deux' })).status, 200);
      await agree();
      strictEqual((await call('PUT', `/articles/${id}?locale=fr`, { title: 'Trois' })).status, 200);
      await agree();
      strictEqual((await call('PUT', `/articles/${id}?status=draft&locale=fr`, { title: 'Quatre' })).status, 200);
      strictEqual((await idsOf('/articles?locale=*&publicationFilter=modified')).total, 2);
      await agree();
      strictEqual((await call('POST', `/articles/${id}/actions/discard-draft?locale=fr`)).status, 200);
      await agree();
      strictEqual((await call('POST', `/articles/${id}/actions/publish`)).status, 200);
      strictEqual((await idsOf('/articles?locale=*&publicationFilter=modified')).total, 0);
      await agree();
      strictEqual((await call('PUT', `/articles/${id}?status=draft`, { title: 'Five' })).status, 200);
      strictEqual((await call('POST', `/articles/${id}/actions/unpublish`)).status, 200);
      await agree();
      strictEqual((await call('PUT', `/articles/${id}`, { title: 'Six' })).status, 200);
      strictEqual((await call('PUT', `/articles/${id}?status=draft`, { title: 'Seven' })).status, 200);
      await agree();
      strictEqual((await call('DELETE', `/articles/${id}`)).status, 204);
      await agree();
    });

    it('are listed of types without locales, by any version of the document', async () => {
      const { body } = await call('POST', '/tags', { name: 'One' });
      const id = body.data.documentId as string;
      await agree();
      strictEqual((await call('PUT', `/tags/${id}?status=draft`, { name: 'Two' })).status, 200);
      strictEqual((await idsOf('/tags?publicationFilter=modified')).total, 1);
      await agree();
      // what a type leaves behind that had locales before
      await write(`update tags set locale = 'fr' where document_id = '${id}' and published_at is null`);
      strictEqual((await idsOf('/tags?publicationFilter=modified')).total, 1);
      await agree();
      strictEqual((await call('DELETE', `/tags/${id}`)).status, 204);
      await agree();
    });

    it('are listed whatever other programs write, and not what they roll back', async () => {
      await write(insert('a', 1, false), insert('a', 2, true), insert('b', 2, false), insert('b', 1, true));
      await agree();
      await write(insert('c', 5, true), insert('c', 6, false), insert('c', 7, false, 'fr'), insert('d', 1, false));
      await agree();
      await rejects(write(insert('e', 3, false), insert('e', 1, true), 'insert into no_such_table values (1)'));
      await agree();
      await write(`update articles set updated_at = ${time(9)} where document_id = 'a' and published_at is null`);
      await agree();
      await write(`update articles set updated_at = ${time(0)} where document_id = 'a' and published_at is not null`);
      await agree();
      await write(`update articles set locale = 'en' where document_id = 'c' and locale = 'fr'`);
      await agree();
      await write(`update articles set document_id = 'c' where document_id = 'd'`);
      await agree();
      await write(`update articles set published_at = null where document_id = 'b'`);
      await agree();
      await write(`update articles set published_at = ${time(1)} where document_id = 'a' and published_at is null`);
      await agree();
      await write(`delete from articles where document_id = 'c' and published_at is not null`);
      await agree();
      await write(`delete from articles where document_id in ('a', 'b', 'c', 'd')`);
      await agree();
    });

    it('are listed in pages, with filters and by cursor', async () => {
      const many = Array.from({ length: 40 }, (_, n) => `many-${n}`);
      for (const [n, id] of many.entries()) await write(insert(id, 1, true), insert(id, n % 2 ? 2 : 1, false));
      await agree();
      const query = '/articles?status=draft&publicationFilter=modified&fields=title&sort=updatedAt:desc';
      const walked: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await call('GET', `${query}&pagination[pageSize]=7&pagination[cursor]=${cursor}`);
        walked.push(...body.data.map(({ id }: { id: number }) => id));
        cursor = body.meta.pagination.next;
      }
      deepStrictEqual(walked, (await idsOf(`${query}&pagination[limit]=100`)).ids);
      strictEqual(walked.length, 20);
      strictEqual((await idsOf(`${query}&filters[title]=x`)).total, 20);
      strictEqual((await idsOf(`${query}&filters[title]=y`)).total, 0);
      await write(`delete from articles where document_id like 'many-%'`);
      await agree();
    });

    it('are right after many have written at once, in several processes', async () => {
      const { body } = await call('POST', '/articles', { title: 'shared' });
      const shared = body.data.documentId as string;
      const work = async (writer: number) => {
        const own = (await call('POST', `/articles?status=${writer % 2 ? 'draft' : 'published'}`, { title: 'own' }))
          .body.data.documentId as string;
        for (let round = 0; round < ROUNDS; round++) {
          const [id, status] = [round % 2 ? own : shared, (writer + round) % 3 ? 'draft' : 'published'];
          await call('PUT', `/articles/${id}?status=${status}`, { title: `${writer} ${round}` });
          // in place, as another program does it, whoever holds the document
          const which = round % 2 ? 'is' : 'is not';
          const now = isSqlite ? `${Date.now()}` : 'now()';
          await write(
            `update articles set updated_at = ${now} where document_id = '${own}' and published_at ${which} null`,
          );
          // a body that is refused late: the rows of the transaction are rolled back
          await call('PUT', `/articles/${own}?status=draft`, { title: 'x', tags: { connect: ['nowhere'] } });
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
      await agree();
    });

    it('are noted anew where triggers were missing', async () => {
      const trigger = `drop trigger galley_articles_modified_insert${isSqlite ? '' : ' on articles'}`;
      await write(trigger, insert('lost', 1, true), insert('lost', 2, false));
      const { app } = server;
      await app.database.search!.refresh();
      ok(!notes('articles', 'locale'));
      await agree();
      const unnoted = { table: 'articles', pairing: 'locale' } as const;
      const programs = [app, other];
      const failures = await Promise.all(
        programs.map(({ engine, database }) => engine.keepModified(database, unnoted)),
      );
      deepStrictEqual(failures, [undefined, undefined]);
      await app.database.search!.refresh();
      ok(notes('articles', 'locale'));
      await agree();
      // the type has lost its locales
      strictEqual(await app.engine.keepModified(app.database, { table: 'articles', pairing: 'document' }), undefined);
      await app.database.search!.refresh();
      ok(!notes('articles', 'locale') && notes('articles', 'document'));
      strictEqual(await app.engine.keepModified(app.database, unnoted), undefined);
      await app.database.search!.refresh();
      await agree();
      await write(`delete from articles where document_id = 'lost'`);
      await agree();
    });

    if (!isSqlite) {
      it('are noted where one transaction changes the draft while another publishes it', async () => {
        const { database } = other;
        /** Begins a transaction, which ends when what is given is called. */
        const begin = async (text: string, isolation: string, isReached: () => Promise<unknown> | undefined) => {
          const gate = Promise.withResolvers<void>();
          const written = Promise.withResolvers<unknown>();
          const done = database.transaction(async (tx) => {
            await tx.rows(`set transaction isolation level ${isolation}`, []);
            await tx.rows(text, []);
            written.resolve(undefined);
            await gate.promise;
          });
          await Promise.race([written.promise, done, isReached()].filter((one) => one !== undefined));
          return async () => {
            gate.resolve();
            await done;
          };
        };
        const waiting = () =>
          until('the edit waits for the draft', async () => {
            const found = await rows(`select 1 from pg_stat_activity where wait_event_type = 'Lock'
              and datname = current_database() and query like '%raced%'`);
            return found.length > 0;
          });
        const edit = (at: number) =>
          `update articles set updated_at = ${time(at)} where document_id = 'raced' and published_at is null`;
        const edited = 11;
        for (const isolation of ['read committed', 'repeatable read']) {
          const own = (text: string) => begin(text, isolation, () => undefined);
          for (const published of [10, 12]) {
            for (const order of ['edit, publish', 'publish, edit', 'publish before the edit goes on']) {
              await write(insert('raced', 1, false));
              if (order.startsWith('publish before')) {
                const publish = await own(insert('raced', published, true));
                // a transaction that sees the database as it was does not wait
                const change =
                  isolation === 'read committed'
                    ? await begin(edit(edited), isolation, waiting)
                    : await own(edit(edited));
                await publish();
                await change();
              } else {
                const change = await own(edit(edited));
                const publish = await own(insert('raced', published, true));
                for (const end of order === 'edit, publish' ? [change, publish] : [publish, change]) await end();
              }
              const { total } = await idsOf('/articles?status=draft&publicationFilter=modified&fields=title');
              const wanted = await modified('articles', 'draft', true, `locale = 'en'`);
              strictEqual(total, wanted.length, `${isolation}, published at ${published}: ${order}`);
              await agree();
              await write(`delete from articles where document_id = 'raced'`);
            }
          }
        }
      });
    } else {
      it('are looked for among all drafts by a statement made before the triggers were dropped', async () => {
        const query = '/articles?status=draft&publicationFilter=modified&fields=title';
        const { ids } = await idsOf(query);
        const noted = `select sql from sqlite_schema where name glob 'galley_articles_modified_*'`;
        const texts = (await rows(noted)).map(([text]) => String(text));
        await write(
          ...['insert', 'update', 'delete'].map((event) => `drop trigger galley_articles_modified_${event}`),
          insert('unseen', 1, true),
          insert('unseen', 2, false),
        );
        strictEqual((await idsOf(query)).total, ids.length + 1);
        await write(`delete from articles where document_id = 'unseen'`, ...texts);
        await agree();
      });
    }
  });
}
