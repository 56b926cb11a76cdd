/** Changes of transactions: their content, listeners and time. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { recordRowChange } from '../../../src/content/rows/changes.ts';
import { currentAccount, onAccount } from '../../../src/db/interface/account.ts';
import { codeActor, SERVER } from '../../../src/db/interface/actor.ts';
import type { Change } from '../../../src/db/interface/change.ts';
import { type ChangeListener, type Transaction, TransactionConflict } from '../../../src/db/interface/transaction.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveScenarioProject, serveSeeded } from '../../support/servers/seeded.ts';

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';

for (const engine of engines) {
  describe(`changes on ${engine.name}`, () => {
    let server: SeededServer;
    let told: Change[] = [];
    const documents = (uid: string) => server.app.documents(uid);
    /** The changes told since the last call, in short. */
    const changes = (): string[] => {
      const lines = told.map(({ uid, locale, status, kind }) =>
        [kind, uid.split('.').at(-1), ...(locale === null ? [] : [locale]), status].join(' '),
      );
      told = [];
      return lines.sort();
    };
    const create = async (data: Record<string, unknown>, more: Record<string, unknown> = {}) => {
      const { documentId } = await documents(ARTICLE).create({ data: { title: 't', ...data }, ...more });
      return { documentId: documentId as string };
    };
    /** Runs work with one more listener. */
    const listening = async (listener: ChangeListener, work: () => Promise<unknown>) => {
      const stop = server.app.database.subscribe(listener);
      try {
        return await work();
      } finally {
        stop();
      }
    };
    const titles = async () => (await documents(ARTICLE).findMany({ fields: ['title'] })).map(({ title }) => title);

    before(async () => {
      server = await serveScenarioProject(engine);
      server.app.database.subscribe({ afterCommit: (news) => void told.push(...news) });
    });
    after(() => server?.stop());
    beforeEach(() => {
      told = [];
    });

    it('name each version that a write makes, changes, publishes or removes', async () => {
      const one = await create({});
      deepStrictEqual(changes(), ['created article en draft']);
      await documents(ARTICLE).update({ ...one, data: { body: 'b' } });
      deepStrictEqual(changes(), ['updated article en draft']);
      await documents(ARTICLE).publish(one);
      deepStrictEqual(changes(), ['published article en published']);
      await documents(ARTICLE).update({ ...one, data: { title: 'u' }, status: 'published' });
      deepStrictEqual(changes(), ['published article en published', 'updated article en draft']);
      await documents(ARTICLE).update({ ...one, data: { title: 'v' } });
      changes();
      await documents(ARTICLE).discardDraft(one);
      deepStrictEqual(changes(), ['discarded article en draft']);
      await documents(ARTICLE).discardDraft(one);
      deepStrictEqual(changes(), [], 'there was nothing to discard');
      await documents(ARTICLE).unpublish(one);
      deepStrictEqual(changes(), ['unpublished article en published']);
      await documents(ARTICLE).publish(one);
      changes();
      await documents(ARTICLE).delete(one);
      deepStrictEqual(changes(), ['deleted article en draft', 'deleted article en published']);
    });

    it('report a draft as created and published if one write does both', async () => {
      await create({}, { status: 'published' });
      deepStrictEqual(changes(), ['created article en draft', 'published article en published']);
    });

    it('are recorded once each in their transaction, and undone with it', async () => {
      const one = await create({});
      const recorded: string[] = [];
      const record = async (tx: Transaction, news: readonly Change[]) => {
        recorded.push(...news.map(({ kind }) => kind));
        await tx.send(`update tags set name = 'recorded' where document_id = '${tag}'`, []);
      };
      const { documentId: tag } = await documents(TAG).create({ data: { name: 'before' } });
      const name = async () => (await documents(TAG).findOne({ documentId: tag as string }))!['name'];
      const former = await name();
      await listening({ record }, () =>
        rejects(
          server.app.database.transaction(async (tx) => {
            recordRowChange(tx, TAG, 't', 'updated', 1);
            await tx.writeRecords();
            throw new Error('refused');
          }),
        ),
      );
      strictEqual(await name(), former);
      await listening({ record }, () =>
        documents(ARTICLE).update({ ...one, data: { body: 'b' }, status: 'published' }),
      );
      deepStrictEqual(recorded, ['updated', 'updated', 'published']);
      strictEqual(await name(), 'recorded');
    });

    it('contain the author, the time and the row ids', async () => {
      const one = await create({});
      const [made] = told;
      strictEqual(made!.before, undefined);
      ok(made!.after! > 0 && Math.abs(Date.now() - made!.at) < 60_000);
      told = [];
      const secret = server.secrets['full']!;
      await server.request('PUT', `/api/articles/${one.documentId}`, { token: secret, body: { data: { body: 'x' } } });
      strictEqual(told[0]!.before, made!.after);
      strictEqual(told[0]!.after, made!.after);
      deepStrictEqual(made!.by, SERVER);
      const { id: _id, ...by } = told[0]!.by;
      deepStrictEqual(by, { kind: 'token', name: 'full', address: '127.0.0.1' });
    });

    it('name other locales where a shared attribute becomes another there, and only then', async () => {
      const one = await create({ views: 1 });
      await documents(ARTICLE).update({ ...one, locale: 'fr', data: { title: 'f' } });
      deepStrictEqual(changes(), ['created article en draft', 'created article fr draft']);
      await documents(ARTICLE).update({ ...one, data: { views: 2 } });
      deepStrictEqual(changes(), ['updated article en draft', 'updated article fr draft']);
      await documents(ARTICLE).update({ ...one, data: { views: 2 } });
      deepStrictEqual(changes(), ['updated article en draft']);
      await documents(ARTICLE).publish({ ...one, locale: 'fr' });
      changes();
      await documents(ARTICLE).publish(one);
      deepStrictEqual(changes(), ['published article en published']);
    });

    it('leave out the document at the other end of a link', async () => {
      const { documentId } = await documents(TAG).create({ data: { name: 'linked' } });
      changes();
      await create({ tags: [documentId] });
      deepStrictEqual(changes(), ['created article en draft']);
    });

    it('include a document that loses an exclusive link to another document', async () => {
      const authors = documents('api::author.author');
      const profiles = documents('api::profile.profile');
      const { documentId: profile } = await profiles.create({ data: { handle: 'h' } });
      const { documentId: first } = await authors.create({ data: { name: 'first', profile } });
      told = [];
      const { documentId: second } = await authors.create({ data: { name: 'second', profile } });
      deepStrictEqual(
        told.map(({ documentId, kind }) => [documentId, kind]).sort(),
        [
          [first, 'updated'],
          [second, 'created'],
        ].sort(),
      );
      told = [];
    });

    it('name a draft that loses a link at its other side by being discarded', async () => {
      const tag = { documentId: (await documents(TAG).create({ data: { name: 'linked' } })).documentId as string };
      await documents(TAG).publish(tag);
      const one = await create({}, { status: 'published' });
      await documents(ARTICLE).update({ ...one, data: { tags: [tag.documentId] } });
      told = [];
      await documents(TAG).discardDraft(tag);
      const { articles } = (await documents(TAG).findOne({ ...tag, populate: { articles: true } })) as {
        articles: unknown[];
      };
      deepStrictEqual(articles, []);
      deepStrictEqual(changes(), ['discarded tag draft']);
    });

    it('report a copy once, with the data written into it', async () => {
      const one = await create({ body: 'b' });
      changes();
      const copy = await documents(ARTICLE).clone({ ...one, data: { title: 'copy' } });
      deepStrictEqual(changes(), ['created article en draft']);
      ok(copy.documentId !== one.documentId);
    });

    it('come from files, roles, locales and API tokens as well', async () => {
      const token = server.secrets['full']!;
      const { body } = await upload(server, token, [note()]);
      deepStrictEqual(changes(), ['created file published']);
      await server.request('DELETE', `/api/upload/files/${body[0].id}`, { token });
      deepStrictEqual(changes(), ['deleted file published']);
      await server.request('POST', '/api/i18n/locales', { token, body: { code: 'eo' } });
      deepStrictEqual(changes(), ['created locale published']);
    });

    it('are reported together for all operations of a batch, and not at all if one is refused', async () => {
      const token = server.secrets['full']!;
      const send = (operations: object[]) =>
        server.request('POST', '/api/articles/actions/batch', { token, body: { operations } });
      const good = { action: 'create', data: { title: 'batch' } };
      const refused = await send([good, { action: 'create', data: {} }]);
      strictEqual(refused.status, 400, refused.text);
      deepStrictEqual(changes(), []);
      const done = await send([good, good]);
      strictEqual(done.status, 200, done.text);
      const each = ['created article en draft', 'published article en published'];
      deepStrictEqual(changes(), [each[0], each[0], each[1], each[1]]);
    });

    it('may lead to further writes in the same transaction, whose changes are reported as well', async () => {
      const heard: string[][] = [];
      const listener: ChangeListener = {
        async beforeCommit(tx, news) {
          heard.push(news.map(({ kind, uid }) => `${kind} ${uid.split('.').at(-1)}`));
          if (news.some(({ uid }) => uid === ARTICLE)) {
            const [role] = await tx.rows('select "document_id", "id" from "up_roles" order by "id" limit 1', []);
            await tx.rows(
              'update "up_roles" set "description" = \'told\' where "id" = (select min("id") from "up_roles")',
              [],
            );
            recordRowChange(tx, 'plugin::users-permissions.role', String(role![0]), 'updated', Number(role![1]));
          }
        },
      };
      await listening(listener, () => create({ title: 'answered' }));
      deepStrictEqual(heard, [['created article'], ['updated role']]);
      deepStrictEqual(changes(), ['created article en draft', 'updated role published']);
    });

    it('are rolled back if a listener refuses them, and no listener hears of them afterwards', async () => {
      const refusal: ChangeListener = { beforeCommit: () => Promise.reject(new Error('not today')) };
      await rejects(
        listening(refusal, () => create({ title: 'refused' })),
        /not today/,
      );
      ok(!(await titles()).includes('refused'));
      deepStrictEqual(changes(), []);
    });

    it('are the same for every listener, despite changes by other listeners', async () => {
      const heard: string[][] = [];
      const removing: ChangeListener = {
        async beforeCommit(tx, news) {
          heard.push(news.map(({ kind }) => `one ${kind}`));
          const [made] = news;
          if (made?.kind === 'created') tx.record({ ...made, kind: 'deleted', before: made.after, after: undefined });
        },
      };
      const last: ChangeListener = {
        beforeCommit: async (_, news) => void heard.push(news.map(({ kind }) => `two ${kind}`)),
      };
      await listening(removing, () => listening(last, () => create({ title: 'heard' })));
      deepStrictEqual(heard.flat().sort(), ['one created', 'one deleted', 'two created', 'two deleted']);
      changes();
    });

    it('of a failed statement are not reported', async () => {
      const heard: Change[] = [];
      const listener: ChangeListener = { beforeCommit: async (_, news) => void heard.push(...news) };
      const write = () =>
        server.app.database.transaction(async (tx) => {
          recordRowChange(tx, TAG, 'failing', 'created', 1);
          await tx.rows('select 1', []);
          await tx.send('insert into "no_such_table" ("id") values (1)', []);
        });
      // on PostgreSQL it is the cause of the error that a caller receives
      await rejects(listening(listener, write), (error: Error) => /no_such_table/.test(String(error.cause ?? error)));
      deepStrictEqual(heard, []);
    });

    it('are aborted when listeners keep producing changes', async () => {
      const endless: ChangeListener = {
        beforeCommit: async (tx) => recordRowChange(tx, TAG, `${Math.random()}`, 'created', 1),
      };
      await rejects(
        listening(endless, () => create({ title: 'endless' })),
        /gave up after 16 rounds/,
      );
      ok(!(await titles()).includes('endless'));
    });

    it('are reported for each write next to a refused one', async () => {
      const results = await Promise.allSettled([
        create({ title: 'beside one' }),
        create({ title: 'x'.repeat(121) }, { status: 'published' }),
        create({ title: 'beside two' }, { status: 'published' }),
      ]);
      deepStrictEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      deepStrictEqual(changes(), [
        'created article en draft',
        'created article en draft',
        'published article en published',
      ]);
    });

    it('of an attempt that gave way to another are forgotten', async () => {
      if (!server.app.database.dialect.lock) return;
      let attempts = 0;
      await server.app.database.transaction(async (tx) => {
        recordRowChange(tx, TAG, `attempt ${++attempts}`, 'created', attempts);
        tx.afterCommit(() => told.push({ ...tx.changes[0]!, kind: 'deleted' }));
        if (attempts < 3) throw new TransactionConflict('another one was first');
      });
      deepStrictEqual(
        told.map(({ documentId }) => documentId),
        ['attempt 3', 'attempt 3'],
      );
    });

    it('are reported before the caller gets an answer, and a listener that fails then does no harm', async () => {
      let isHeard = false;
      const failing: ChangeListener = {
        afterCommit: () => {
          isHeard = true;
          throw new Error('this one is logged');
        },
      };
      await listening(failing, () => create({ title: 'kept' }));
      ok(isHeard);
      ok((await titles()).includes('kept'));
      strictEqual(changes().length, 1);
    });

    it('do no harm if a listener fails later, and are reported on the account of their author', async () => {
      const accounts: string[] = [];
      const failing: ChangeListener = {
        afterCommit: (async (news: readonly Change[]) => {
          accounts.push(`${currentAccount()} ${news[0]!.by.name}`);
          throw new Error('this one is logged as well');
        }) as unknown as () => void,
      };
      await listening(failing, () =>
        Promise.all(
          ['a', 'b', 'c'].map((who) => onAccount({ key: who, actor: codeActor(who) }, () => create({ title: who }))),
        ),
      );
      deepStrictEqual(accounts.sort(), ['a a', 'b b', 'c c']);
      changes();
    });

    it('cannot be recorded after the end of the transaction', async () => {
      const tx = await server.app.database.transaction(async (own) => own);
      await rejects(async () => tx.rows('select 1', []), /has ended/);
      await rejects(async () => recordRowChange(tx, TAG, 'late', 'created', 1), /has ended/);
      await rejects(async () => tx.afterCommit(() => {}), /has ended/);
    });
  });
  describe(`changes within one type on ${engine.name}`, () => {
    const PERSON = 'api::person.person';
    let server: SeededServer;
    before(async () => {
      const relation = (kind: string, more: object) => ({ type: 'relation', relation: kind, target: PERSON, ...more });
      const pair = (names: readonly [string, string], kinds: readonly [string, string], more: object) => ({
        [names[0]]: relation(kinds[0], { inversedBy: names[1], ...more }),
        [names[1]]: relation(kinds[1], { mappedBy: names[0], ...more }),
      });
      const inColumn = { useJoinTable: false };
      const folder = await makeProject({
        contentTypes: {
          person: contentType('person', {
            ...pair(['mate', 'mateOf'], ['oneToOne', 'oneToOne'], {}),
            ...pair(['heir', 'heirOf'], ['oneToOne', 'oneToOne'], inColumn),
            ...pair(['boss', 'team'], ['manyToOne', 'oneToMany'], inColumn),
          }),
        },
      });
      server = await serveSeeded(engine, folder);
    });
    after(() => server?.stop());

    it('leave out a document whose link the write has made and taken back', async () => {
      const people = server.app.documents(PERSON);
      const make = async (data: object) => String((await people.create({ data: data as never })).documentId);
      for (const [own, inverse] of [
        ['mate', 'mateOf'],
        ['heir', 'heirOf'],
        ['boss', 'team'],
      ] as const) {
        const [other, former] = [await make({}), await make({})];
        const documentId = await make({ [own]: former });
        const told: string[] = [];
        const stop = server.app.database.subscribe({
          afterCommit: (news) => void told.push(...news.map((change) => change.documentId)),
        });
        await people.update({ documentId, data: { [own]: other, [inverse]: [documentId] } as never });
        deepStrictEqual(told, [documentId], own);
        told.length = 0;
        const taker = await make({ [inverse]: [documentId] });
        stop();
        deepStrictEqual(told.toSorted(), [taker, documentId].toSorted(), `${own} is lost`);
      }
    });
  });
}
