/** How many statements a write takes follows from the schema, not from how much is written. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type RecordedTransactions, recordTransactions } from '../../support/recording/recorded-transactions.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';

for (const engine of engines) {
  describe(`statements of a write on ${engine.name}`, () => {
    let server: SeededServer;
    let recorded: RecordedTransactions;
    const documents = (uid: string) => server.app.documents(uid);
    const make = async (uid: string, count: number, data: (n: number) => Record<string, unknown>) => {
      const ids: string[] = [];
      for (let n = 0; n < count; n++) ids.push((await documents(uid).create({ data: data(n) })).documentId as string);
      return ids;
    };
    const statements = async (write: () => Promise<unknown>): Promise<number> => {
      recorded.reset();
      await write();
      return recorded.statements.length;
    };

    /** Drafts of tags, copied in the database: as many one by one would take longer than the test. */
    const manyTags = async (count: number): Promise<string[]> => {
      const [first] = await make(TAG, 1, () => ({ name: 'first of many' }));
      const { database } = server.app;
      const [one, two] = [1, 2].map((n) => database.dialect.placeholder(n));
      const copied = '"name", "created_at", "updated_at", "published_at", "locale"';
      const text = `insert into "tags" ("document_id", ${copied}) select ${one}, ${copied} from "tags" where "document_id" = ${two}`;
      const ids = Array.from({ length: count }, (_, n) => `many${String(n).padStart(20, '0')}`);
      await database.transaction(async (tx) => {
        for (const id of ids) await tx.rows(text, [id, first!]);
      });
      return ids;
    };

    before(async () => {
      // what is looked up again now and then is not among the statements of a write
      server = await serveScenarioProject(engine, { GALLEY_RECHECK_INTERVAL: '3600000' });
      recorded = recordTransactions(server.app.database);
    });
    after(() => server?.stop());

    for (const [attribute, uid, label] of [
      ['tags', TAG, 'name'],
      ['related', ARTICLE, 'title'],
    ] as const) {
      it(`of links in ${attribute} is within its budget, and the same for ten links as for sixty`, async () => {
        const counts: number[][] = [];
        for (const links of [10, 60]) {
          const linked = await make(uid, links, (n) => ({ [label]: `${label} ${links} ${n}` }));
          let documentId = '';
          const update = (data: object, status?: 'published') => () =>
            documents(ARTICLE).update({ documentId, data: { ...data }, ...(status ? { status } : {}) });
          counts.push([
            await statements(async () => {
              ({ documentId } = (await documents(ARTICLE).create({ data: { title: 'a', [attribute]: linked } })) as {
                documentId: string;
              });
            }),
            await statements(() => documents(ARTICLE).publish({ documentId })),
            await statements(update({ title: 'b' }, 'published')),
            await statements(
              update({ [attribute]: { connect: [{ documentId: linked.at(-1), position: { start: true } }] } }),
            ),
            await statements(update({ [attribute]: linked }, 'published')),
            await statements(() => documents(ARTICLE).unpublish({ documentId })),
          ]);
        }
        strictEqual(JSON.stringify(counts[0]), JSON.stringify(counts[1]));
        for (const [n, most] of [10, 20, 20, 14, 26, 26].entries()) {
          ok(counts[1]![n]! <= most, `${counts[1]} against ${most} at ${n}`);
        }
      });
    }

    it('of components and zones is within its budget, and nearly the same for twenty entries as for forty', async () => {
      const counts: number[] = [];
      for (const pairs of [10, 20]) {
        const zone = Array.from({ length: pairs }, (_, n) => [
          { __component: 'blocks.quote', text: `q${n}` },
          { __component: 'blocks.hero', title: `h${n}`, buttons: [{ label: 'l', url: 'u' }] },
        ]).flat();
        counts.push(
          await statements(() => documents(ARTICLE).create({ data: { title: 'z', zone }, status: 'published' })),
        );
      }
      // some rows are inserted at a time
      ok(counts[1]! - counts[0]! <= 6, `${counts}`);
      ok(counts[1]! <= 30, `${counts}`);
    });

    it('of components that are updated is the same for twenty as for forty', async () => {
      const counts: number[] = [];
      for (const count of [20, 40]) {
        const zone = Array.from({ length: count }, (_, n) => ({ __component: 'blocks.quote', text: `q${n}` }));
        const made = await documents(ARTICLE).create({ data: { title: 'z', zone }, populate: { zone: true } });
        const { documentId } = made as { documentId: string };
        const kept = (made['zone'] as { id: number }[]).map(({ id }, n) => ({ ...zone[n], id, text: `changed ${n}` }));
        counts.push(await statements(() => documents(ARTICLE).update({ documentId, data: { zone: kept } })));
        const read = await documents(ARTICLE).findOne({ documentId, populate: { zone: true } });
        deepStrictEqual(
          (read!['zone'] as { id: number; text: string }[]).map(({ id, text }) => ({ id, text })),
          kept.map(({ id, text }) => ({ id, text })),
        );
      }
      // some rows are updated at a time
      ok(counts[1]! - counts[0]! <= 2, `${counts}`);
    });

    it('of components with relations and files that are updated is the same for twenty as for forty', async () => {
      const [author, other] = await make('api::author.author', 2, (n) => ({ name: `a${n}` }));
      const counts: number[] = [];
      for (const count of [20, 40]) {
        const zone = Array.from({ length: count }, () => ({ __component: 'blocks.quote', text: 'q', by: author }));
        const made = await documents(ARTICLE).create({ data: { title: 'z', zone }, populate: { zone: true } });
        const { documentId } = made as { documentId: string };
        const kept = (made['zone'] as { id: number }[]).map(({ id }) => ({ ...zone[0], id, by: other }));
        counts.push(await statements(() => documents(ARTICLE).update({ documentId, data: { zone: kept } })));
      }
      ok(counts[1]! - counts[0]! <= 2, `${counts}`);
    });

    it('of a stored draft with a zone is within its budget, and the same for twenty entries as for forty', async () => {
      const counts: number[][] = [];
      for (const pairs of [10, 20]) {
        const zone = Array.from({ length: pairs }, (_, n) => [
          { __component: 'blocks.quote', text: `q${n}` },
          { __component: 'blocks.hero', title: `h${n}`, buttons: [{ label: 'l', url: 'u' }] },
        ]).flat();
        const { documentId } = (await documents(ARTICLE).create({ data: { title: 'z', zone } })) as {
          documentId: string;
        };
        counts.push([
          await statements(() => documents(ARTICLE).publish({ documentId })),
          await statements(() => documents(ARTICLE).update({ documentId, data: { title: 'y' }, status: 'published' })),
          await statements(() => documents(ARTICLE).discardDraft({ documentId })),
          await statements(() => documents(ARTICLE).delete({ documentId })),
        ]);
      }
      deepStrictEqual(counts[1], counts[0]);
      for (const count of counts[1]!) ok(count <= 45, `${counts[1]}`);
    });

    it('that links one document from a draft and its published row numbers both in its list', async () => {
      const [author] = await make('api::author.author', 1, () => ({ name: 'numbered' }));
      for (const title of ['first', 'second']) {
        await documents(ARTICLE).create({ data: { title, author }, status: 'published' });
      }
      const { database } = server.app;
      const own = `select "id" from "authors" where "document_id" = ${database.dialect.placeholder(1)}`;
      const text = `select "article_ord" from "articles_author_lnk" where "author_id" in (${own}) order by "id"`;
      const rows = await database.rows(text, [author!]);
      deepStrictEqual(
        rows.map(([place]) => Number(place)),
        [1, 2, 3, 4],
      );
    });

    it('of ten thousand links is within its budget, and that of sixty', async () => {
      const tags = await manyTags(10_000);
      const create = (count: number) => () =>
        documents(ARTICLE).create({ data: { title: 'm', tags: tags.slice(0, count) } });
      strictEqual(await statements(create(2000)), await statements(create(65)));
      const { documentId } = (await documents(ARTICLE).create({ data: { title: 'big' } })) as { documentId: string };
      const connect = () => documents(ARTICLE).update({ documentId, data: { tags: { connect: tags } } });
      const count = await statements(connect);
      ok(count <= 30, `${count}`);
    });
  });
}
