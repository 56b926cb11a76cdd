/** Short queries on well-linked documents end quickly: with an answer, or with a clear refusal. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const COUNT = 20;

/** Enough for a query that reads every link a few times to end at once, and for one that multiplies them never to. */
const DOCS = 4000;
const TAGS = 100;
const TAGS_OF_A_DOC = 15;
/** Milliseconds that no read may take here, on a slow machine with others at work. */
const HANGS = 15_000;

const relation = (target: string, side: Readonly<Record<string, string>>) => ({
  type: 'relation',
  relation: 'manyToMany',
  target,
  ...side,
});

for (const engine of engines) {
  describe(`documents that are all linked to one another on ${engine.name}`, () => {
    let server: RunningServer;
    const token = () => server.get('/api/docs');

    before(async () => {
      const folder = await makeProject({
        contentTypes: {
          doc: contentType('doc', {
            name: { type: 'string' },
            // one letter: a name that an alias of the compiler could have
            r: { type: 'richtext' },
            tags: relation('api::tag.tag', { inversedBy: 'docs' }),
          }),
          tag: contentType('tag', {
            name: { type: 'string' },
            docs: relation('api::doc.doc', { mappedBy: 'tags' }),
          }),
        },
        files: { 'seed.json': {} },
      });
      // short, so that an engine that can only be stopped by time is stopped soon
      server = await serve(folder, await engine.databaseFor(folder), { GALLEY_STATEMENT_TIMEOUT: '3000' });
      const tags: string[] = [];
      for (let i = 0; i < COUNT; i++) {
        const tag = await server.app.documents('api::tag.tag').create({ data: { name: `t${i}` } });
        tags.push(String(tag['documentId']));
      }
      for (let i = 0; i < COUNT; i++) {
        await server.app.documents('api::doc.doc').create({ data: { name: `d${i}`, r: 'text', tags } });
      }
      await server.app.database.transaction(async (tx) => {
        for (const action of ['api::doc.doc.find', 'api::tag.tag.find']) {
          await tx.rows(
            `insert into galley_permissions (role_id, action) select id, '${action}' from up_roles where type = 'public'`,
            [],
          );
        }
      });
    });
    after(() => server?.stop());

    it('are read with every field', async () => {
      const { status, body } = await token();
      strictEqual(status, 200, JSON.stringify(body));
      strictEqual(body.data[0].r, 'text');
    });

    it('are filtered through a long chain that also matches missing relations', async () => {
      const chain = '[tags][docs]'.repeat(7);
      const { status, body } = await server.get(`/api/docs?filters${chain}[name][$null]=true`);
      deepStrictEqual([status, body.data], [200, []]);
    });

    it('are filtered through a long chain of negations', async () => {
      const chains = [
        '[$not][tags][$not][docs]'.repeat(4),
        '[tags][$not][docs][$not]'.repeat(4),
        '[$or][0][$not][tags][docs]'.repeat(3),
      ];
      for (const chain of chains) {
        const { status, body } = await server.get(`/api/docs?fields=name&filters${chain}[name]=d1`);
        strictEqual(status, 200, JSON.stringify(body));
      }
    });

    it('are sorted through a long chain', async () => {
      const path = `${'tags.docs.'.repeat(4)}name`;
      const { status, body } = await server.get(`/api/docs?fields=name&sort=${path}`);
      deepStrictEqual([status, body.data.length], [200, COUNT]);
    });

    it('are populated to a depth with a bounded number of rows, and refused beyond it', async () => {
      const near = await server.get('/api/docs?fields=name&populate=tags');
      deepStrictEqual([near.status, near.body.data[0].tags.length], [200, COUNT]);
      const far = await server.get(`/api/docs?populate=${'tags.docs.'.repeat(3)}tags`);
      ok(far.status === 400 || far.status === 503, `${far.status}`);
      match(far.body.error.message, /populate fewer levels|too long/);
    });
  });
  describe(`thousands of well-linked documents on ${engine.name}`, () => {
    let server: RunningServer;

    before(async () => {
      const folder = await makeProject({
        contentTypes: {
          doc: contentType('doc', {
            name: { type: 'string' },
            tags: relation('api::tag.tag', { inversedBy: 'docs' }),
          }),
          tag: contentType('tag', {
            name: { type: 'string' },
            docs: relation('api::doc.doc', { mappedBy: 'tags' }),
          }),
        },
      });
      server = await serve(folder, await engine.databaseFor(folder), { GALLEY_STATEMENT_TIMEOUT: '10000' });
      const numbers = (count: number) =>
        `(with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${count}) select i from n)`;
      await server.app.database.transaction(async (tx) => {
        for (const [table, count] of [
          ['docs', DOCS],
          ['tags', TAGS],
        ] as const) {
          await tx.rows(
            `insert into ${table} (id, document_id, name) select i + 1, '${table}' || i, 'name ' || ((i * 7919) % 104729) from ${numbers(count)} n`,
            [],
          );
        }
        await tx.rows(
          `insert into docs_tags_lnk (doc_id, tag_id, tag_ord, doc_ord) select d.i + 1, (d.i * 7 + t.i * 3) % ${TAGS} + 1, t.i, d.i from ${numbers(DOCS)} d cross join ${numbers(TAGS_OF_A_DOC)} t`,
          [],
        );
        for (const action of ['api::doc.doc.find', 'api::tag.tag.find']) {
          await tx.rows(
            `insert into galley_permissions (role_id, action) select id, '${action}' from up_roles where type = 'public'`,
            [],
          );
        }
      });
    });
    after(() => server?.stop());

    async function ends(target: string): Promise<void> {
      const start = performance.now();
      const { status, text } = await server.get(target);
      strictEqual(status, 200, text);
      ok(performance.now() - start < HANGS, target);
    }

    it('are sorted through as many lists as a path may have', async () => {
      await ends(`/api/docs?fields=name&sort=${'tags.docs.'.repeat(7)}name`);
      await ends(`/api/docs?fields=name&sort=${'tags.docs.'.repeat(7)}name:desc&filters[id][$gt]=0`);
    });

    it('are sorted through lists where they are populated', async () => {
      await ends(
        `/api/tags?fields=name&populate[docs][fields]=name&populate[docs][sort]=${'tags.docs.'.repeat(3)}name`,
      );
    });
  });
}
