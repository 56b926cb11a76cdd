/** Short queries on well-linked documents end quickly: with an answer, or with a clear refusal. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../support/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../support/project.ts';

const COUNT = 20;

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
      server = await serve(folder, await engine.emptyDatabase(), { GALLEY_STATEMENT_TIMEOUT: '3000' });
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

    it('are populated to a depth whose rows can be told, and refused beyond it', async () => {
      const near = await server.get('/api/docs?fields=name&populate=tags');
      deepStrictEqual([near.status, near.body.data[0].tags.length], [200, COUNT]);
      const far = await server.get(`/api/docs?populate=${'tags.docs.'.repeat(3)}tags`);
      ok(far.status === 400 || far.status === 503, `${far.status}`);
      match(far.body.error.message, /populate fewer levels|too long/);
    });
  });
}
