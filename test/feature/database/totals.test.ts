/** Triggers maintain totals: they match the rows for all writers, and after rollbacks. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { openPlain, type PlainDatabase } from '../../support/databases/plain-database.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const WRITERS = 6;
const ROUNDS = 6;

for (const engine of engines) {
  describe(`stored totals on ${engine.name}`, () => {
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
      await until('the totals are known to be kept', () => keeps('articles'));
    });
    after(async () => {
      await other?.database.close();
      await server?.stop();
    });

    const keeps = (table: string) => server.app.database.keepsTotals(table);
    const call = (method: string, target: string, data?: unknown) =>
      server.request(method, `/api${target}`, { token: server.secrets['full'], ...(data ? { body: { data } } : {}) });
    const rows = (text: string) => server.app.database.rows(text, []);
    const write = (...texts: string[]) =>
      other.database.transaction(async (tx) => {
        for (const text of texts) await tx.rows(text, []);
      });
    const counted = async (table = 'articles') =>
      comparable(
        await rows(`select coalesce(locale, ''), published_at is not null, count(*) from ${table} group by 1, 2`),
      );
    const kept = async (table = 'articles') =>
      comparable(
        await rows(
          `select locale, published, sum(n) from galley_totals where name = '${table}' group by 1, 2 having sum(n) <> 0`,
        ),
      );
    const comparable = (found: readonly (readonly unknown[])[]) =>
      found.map(([locale, published, n]) => `${locale} ${Boolean(published)} ${n}`).sort();
    const totalOf = async (query: string) => {
      const { body, status } = await call('GET', `/articles?${query}`);
      strictEqual(status, 200);
      return body.meta.pagination.total as number;
    };
    /** The totals that answers tell are those of the rows. */
    const agree = async () => {
      deepStrictEqual(await kept(), await counted());
      for (const status of ['published', 'draft'])
        for (const locale of ['en', 'fr', '*']) {
          const where = `published_at is ${status === 'draft' ? '' : 'not '}null${locale === '*' ? '' : ` and locale = '${locale}'`}`;
          const [[n]] = (await rows(`select count(*) from articles where ${where}`)) as [[unknown]];
          strictEqual(await totalOf(`status=${status}&locale=${locale}`), Number(n), `${status} ${locale}`);
        }
    };
    /** SQL of a row that another program inserts. */
    const insert = (documentId: string, locale: string, published: boolean) => {
      const time = isSqlite ? '1700000000000' : `'2024-01-01'`;
      return `insert into articles (document_id, title, locale, published_at) values ('${documentId}', 'x', '${locale}', ${published ? time : 'null'})`;
    };

    it('follow every operation on documents', async () => {
      await agree();
      const { body } = await call('POST', '/articles?status=draft', { title: 'One' });
      const id = body.data.documentId as string;
      await agree();
      strictEqual((await call('PUT', `/articles/${id}`, { title: 'Two' })).status, 200);
      await agree();
      strictEqual((await call('PUT', `/articles/${id}?locale=fr`, { title: 'Deux' })).status, 200);
      await agree();
      strictEqual((await call('POST', `/articles/${id}/actions/unpublish`)).status, 200);
      await agree();
      strictEqual((await call('DELETE', `/articles/${id}?locale=fr`)).status, 204);
      await agree();
      strictEqual((await call('DELETE', `/articles/${id}`)).status, 204);
      await agree();
      strictEqual((await call('POST', '/articles', { title: 7 })).status, 400);
      await agree();
    });

    it('follow writes of other programs, and not their rollbacks', async () => {
      await write(insert('other-1', 'en', false), insert('other-2', 'en', true), insert('other-3', 'fr', true));
      await agree();
      await rejects(write(insert('other-4', 'en', true), `insert into no_such_table values (1)`));
      await agree();
      const published = isSqlite ? '1700000000000' : `'2024-01-01'`;
      await write(`update articles set locale = 'de' where document_id = 'other-3'`);
      await agree();
      await write(`update articles set published_at = ${published} where document_id = 'other-1'`);
      await agree();
      await write(`update articles set published_at = null, locale = null where document_id in ('other-1', 'other-2')`);
      await agree();
      await write(`delete from articles where document_id like 'other-%'`);
      await agree();
    });

    it('lead to the pages of a locale that few rows have', async () => {
      const few = Array.from({ length: 8 }, (_, n) => `few-${n}`);
      for (const documentId of few) {
        const others = Array.from({ length: 60 }, (_, n) => insert(`many-${documentId}-${n}`, 'en', true));
        await write(insert(documentId, 'de', true), insert(`${documentId}-draft`, 'de', false), ...others);
      }
      const idsOf = async (query: string) => {
        const { body } = await call('GET', `/articles?fields=title&${query}`);
        return (body.data as { documentId: string }[]).map(({ documentId }) => documentId);
      };
      for (const count of ['', '&pagination[withCount]=false']) {
        deepStrictEqual(await idsOf(`locale=de${count}`), few);
        deepStrictEqual(await idsOf(`locale=de&pagination[start]=2&pagination[limit]=3${count}`), few.slice(2, 5));
        deepStrictEqual(await idsOf(`locale=de&pagination[start]=6${count}`), few.slice(6));
        deepStrictEqual(await idsOf(`locale=de&pagination[start]=8${count}`), []);
        deepStrictEqual(
          await idsOf(`locale=de&status=draft${count}`),
          few.map((documentId) => `${documentId}-draft`),
        );
        deepStrictEqual(await idsOf(`locale=fr-CA${count}`), []);
        const walked: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { body } = await call(
            'GET',
            `/articles?locale=de&pagination[pageSize]=3&pagination[cursor]=${cursor}${count}`,
          );
          walked.push(...body.data.map(({ documentId }: { documentId: string }) => documentId));
          cursor = body.meta.pagination.next;
        }
        deepStrictEqual(walked, few);
      }
      await write(`delete from articles where document_id like 'few-%' or document_id like 'many-%'`);
      await agree();
    });

    it('are right after many have written at once, in several processes', async () => {
      const work = async (writer: number) => {
        for (let round = 0; round < ROUNDS; round++) {
          const { body } = await call('POST', `/articles?status=${round % 2 ? 'draft' : 'published'}`, {
            title: `${writer}`,
          });
          await write(insert(`many-${writer}-${round}`, 'en', round % 2 === 0));
          // a body that is refused late: the rows of the transaction are rolled back
          await call('POST', '/articles', { title: 'x', tags: { connect: ['nowhere'] } });
          if (round % 3 === 0) await call('DELETE', `/articles/${body.data.documentId}`);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
      await agree();
      await write(`delete from articles where document_id like 'many-%'`);
      await agree();
      await server.app.engine.gatherTotals?.(server.app.database);
      await agree();
    });

    it('are right after several processes have begun to keep them, while they are gathered', async () => {
      const trigger = isSqlite
        ? 'drop trigger galley_articles_total_insert'
        : 'drop trigger galley_articles_total_insert on articles';
      for (let round = 0; round < 5; round++) {
        await write(insert(`begun-${round}`, 'en', true), trigger);
        const { app } = server;
        const programs = [app, { ...other, engine: other.engine }];
        const failures = await Promise.all([
          ...programs.map(({ engine, database }) => engine.keepTotals(database, 'articles')),
          app.engine.gatherTotals?.(app.database),
        ]);
        deepStrictEqual(
          failures,
          failures.map(() => undefined),
        );
        await app.database.refresh?.();
        await agree();
      }
      await write(`delete from articles where document_id like 'begun-%'`);
      await agree();
    });

    it('are not used where a condition narrows the list', async () => {
      strictEqual(await totalOf('filters[title][$eq]=there is none'), 0);
      strictEqual(await totalOf('publicationFilter=never-published'), 0);
      strictEqual(await totalOf('_q=there is none'), 0);
    });

    it('belong to a table, also after a renaming', async () => {
      const { engine, database } = server.app;
      const time = isSqlite ? 'integer' : 'timestamp';
      const columns = `(id integer primary key, locale text, published_at ${time})`;
      const keep = async (...tables: string[]) => {
        for (const table of tables) strictEqual(await engine.keepTotals(database, table), undefined);
      };
      const areKept = async (...tables: string[]) => {
        const found = await engine.introspect(database);
        return tables.map((table) => found.get(table)?.keepsTotals);
      };
      await write(`create table probes ${columns}`, `insert into probes (id, locale) values (1, 'en')`);
      await keep('probes');
      deepStrictEqual(await areKept('probes'), [true]);
      await write('alter table probes rename to old_probes', `create table probes ${columns}`);
      deepStrictEqual(await areKept('probes', 'old_probes'), [false, false]);
      await keep('probes', 'old_probes');
      deepStrictEqual(await areKept('probes', 'old_probes'), [true, true]);
      await write(
        `insert into probes (id, locale) values (2, 'fr'), (3, 'fr')`,
        `insert into old_probes (id, locale) values (4, 'en')`,
      );
      deepStrictEqual([await kept('probes'), await kept('old_probes')], [['fr false 2'], ['en false 2']]);
      await write('drop table probes', 'drop table old_probes');
    });

    if (isSqlite) {
      it('are counted while triggers are missing, and stored again by the next start', async () => {
        ok(keeps('articles'));
        const [[sql]] = (await rows(`select sql from sqlite_schema where name = 'galley_articles_total_insert'`)) as [
          [string],
        ];
        await write('drop trigger galley_articles_total_insert', insert('lost-1', 'en', true));
        ok(!keeps('articles'));
        const [[n]] = (await rows(
          `select count(*) from articles where published_at is not null and locale = 'en'`,
        )) as [[number]];
        strictEqual(await totalOf('locale=en'), n);
        ok(sql.startsWith('CREATE TRIGGER'));
        strictEqual(await server.app.engine.keepTotals(server.app.database, 'articles'), undefined);
        ok(keeps('articles'));
        await write(`delete from articles where document_id = 'lost-1'`);
        await agree();
      });
    } else {
      it('are few rows after they have been gathered', async () => {
        for (let n = 0; n < 120; n++) await write(insert(`gathered-${n}`, 'en', n % 2 === 0));
        await server.app.engine.gatherTotals!(server.app.database);
        const [[pieces]] = (await rows(`select count(*) from galley_totals where name = 'articles'`)) as [[unknown]];
        ok(Number(pieces) <= 6, `${pieces} rows`);
        await agree();
        await write(`delete from articles where document_id like 'gathered-%'`);
        await agree();
      });

      it('are nothing after a table was emptied', async () => {
        await write('truncate articles cascade');
        deepStrictEqual(await kept(), []);
        await agree();
      });
    }
  });
}
