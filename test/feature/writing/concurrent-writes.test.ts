/** Writers that come at the same time: each is whole or not there, whichever of them share a commit. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { currentAccount, onAccountOf } from '../../../src/db/interface/account.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const contentTypes = {
  note: contentType(
    'note',
    {
      title: { type: 'string', required: true, maxLength: 20 },
      code: { type: 'string', unique: true },
      parts: { type: 'component', component: 'base.part', repeatable: true },
    },
    { options: { draftAndPublish: true } },
  ),
};
const components = {
  'base.part': { collectionName: 'parts', attributes: { text: { type: 'string', required: true } } },
};

for (const engine of engines) {
  describe(`concurrent writes on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, components }));
    });
    after(() => server?.stop());

    const send = (method: string, path: string, data?: unknown) =>
      server.request(method, `/api${path}`, { token: server.secrets['full'], ...(data ? { body: { data } } : {}) });
    const count = async (table: string): Promise<number> =>
      Number((await server.app.database.rows(`select count(*) from "${table}"`, []))[0]![0]);

    it('the refused ones leave nothing, the others are whole', async () => {
      const bodies = Array.from({ length: 60 }, (_, index) => ({
        title: `note ${index}`,
        // refused only once the row and its first component are stored as a draft
        parts: [{ text: 'a' }, index % 3 === 0 ? {} : { text: 'b' }],
      }));
      const answers = await Promise.all(bodies.map((body) => send('POST', '/notes', body)));
      deepStrictEqual(
        answers.map(({ status }) => status),
        bodies.map((_, index) => (index % 3 === 0 ? 400 : 200)),
      );
      deepStrictEqual([await count('notes'), await count('parts'), await count('notes_cmps')], [80, 160, 160]);
      for (const { body, status } of answers) {
        if (status !== 200) continue;
        const read = await send('GET', `/notes/${body.data.documentId}?populate=*`);
        strictEqual(read.body.data.parts.length, 2);
      }
    });

    it('updates of one document follow one another', async () => {
      const { documentId } = (await send('POST', '/notes', { title: 'one' })).body.data;
      const titles = Array.from({ length: 20 }, (_, index) => `version ${index}`);
      const answers = await Promise.all(titles.map((title) => send('PUT', `/notes/${documentId}`, { title })));
      ok(answers.every(({ status }) => status === 200));
      const times = answers.map(({ body }) => body.data.updatedAt);
      strictEqual(new Set(times).size, times.length, 'each has a time of its own');
      strictEqual((await send('GET', `/notes?filters[documentId]=${documentId}`)).body.data.length, 1);
    });

    it('a transaction sees its own writes and no failed ones beside it', async () => {
      const { database } = server.app;
      const insert = (title: string) => `insert into "notes" ("title", "code") values ('${title}', 'beside')`;
      const seen = `select "title" from "notes" where "code" = 'beside' order by 1`;
      const failing = (title: string) =>
        database.transaction(async (tx) => {
          await tx.rows(insert(title), []);
          throw new Error(`no ${title}`);
        });
      const working = (title: string) =>
        database.transaction(async (tx) => {
          await tx.rows(insert(title), []);
          const rows = await tx.rows(seen, []);
          ok(rows.some(([own]) => own === title));
          ok(rows.every(([other]) => !String(other).startsWith('bad')));
          return rows.length;
        });
      const all = [working('good 1'), failing('bad 1'), working('good 2'), failing('bad 2')] as const;
      const outcomes = await Promise.allSettled(all);
      deepStrictEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
      );
      deepStrictEqual(await database.rows(seen, []), [['good 1'], ['good 2']]);
    });

    it('each runs on the account of its own caller', async () => {
      const { database } = server.app;
      const accounts = await Promise.all(
        ['a', 'b', 'c'].map((caller) => onAccountOf(caller, () => database.transaction(async () => currentAccount()))),
      );
      deepStrictEqual(accounts, ['a', 'b', 'c']);
    });

    it('a failing statement affects only its own transaction', async () => {
      const { database } = server.app;
      const wrong = database.transaction(async (tx) => tx.rows('select * from "no_such_table"', []));
      const right = database.transaction(async (tx) => tx.rows('select 1', []));
      await Promise.all([rejects(wrong), right.then((rows) => deepStrictEqual(rows, [[1]]))]);
    });
  });
}
