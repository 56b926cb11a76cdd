/** Writes whose answers may take long to read: they are read once the transaction is over, and say the same. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const TAGS = 30;
const DOCS = 30;
/** Rows multiply: nothing is known of such a read before it was seen. */
const DEEP = { tags: { populate: { docs: { populate: { tags: { fields: ['name'] } } } } } } as const;

for (const engine of engines) {
  describe(`writes with large answers on ${engine.name}`, () => {
    let server: RunningServer;
    let tags: string[];
    const documents = () => server.app.documents('api::doc.doc');

    before(async () => {
      const link = (target: string, side: object) => ({ type: 'relation', relation: 'manyToMany', target, ...side });
      const folder = await makeProject({
        contentTypes: {
          doc: contentType('doc', {
            name: { type: 'string' },
            tags: link('api::tag.tag', { inversedBy: 'docs' }),
          }),
          tag: contentType('tag', { name: { type: 'string' }, docs: link('api::doc.doc', { mappedBy: 'tags' }) }),
        },
      });
      server = await serve(folder, await engine.databaseFor(folder));
      tags = [];
      for (let n = 0; n < TAGS; n++) {
        const tag = await server.app.documents('api::tag.tag').create({ data: { name: `t${n}` } });
        tags.push(String(tag['documentId']));
      }
      for (let n = 0; n < DOCS; n++) await documents().create({ data: { name: `d${n}`, tags } });
    });
    after(() => server?.stop());

    it('show created and changed documents', async () => {
      const made = await documents().create({ data: { name: 'new', tags }, populate: DEEP });
      const documentId = String(made['documentId']);
      deepStrictEqual(made, await documents().findOne({ documentId, populate: DEEP }));
      strictEqual((made['tags'] as unknown[]).length, TAGS);
      const changed = await documents().update({ documentId, data: { name: 'newer', tags: [] }, populate: DEEP });
      deepStrictEqual([changed?.['name'], changed?.['tags']], ['newer', []]);
    });
  });
}
