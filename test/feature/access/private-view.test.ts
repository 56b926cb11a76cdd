/** An administration's View is one more View: it shows private attributes through the ordinary Reader. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CatalogFields } from '../../../src/access/fields.ts';
import { FULL_ACCESS } from '../../../src/access/grants.ts';
import { View, type Viewer } from '../../../src/access/view.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import { parseParams } from '../../../src/query/params.ts';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

for (const engine of engines) {
  describe(`a view that shows private attributes on ${engine.name}`, () => {
    let library: Library;
    let reader: Reader;
    let administration: Viewer;

    before(async () => {
      library = await serveLibrary(engine);
      const { catalog, layout, database, config } = library.app;
      reader = new Reader({ catalog, layout, database, locales: new LocaleStore(database), limits: config.rest });
      const fields = new CatalogFields(catalog);
      administration = { view: new View({ fields, grants: FULL_ACCESS, showsPrivate: true }), values: {} };
    });
    after(() => library?.stop());

    const articles = () => library.app.catalog.contentTypes.get('api::article.article')!;
    async function list(query: string, viewer = administration): Promise<Record<string, unknown>[]> {
      return JSON.parse((await reader.list(articles(), viewer, parseParams(query))).data);
    }

    it('reads, filters, sorts and searches by them, drafts included', async () => {
      for (const status of ['published', 'draft']) {
        const [alpha] = await list(`status=${status}&filters[hidden][$notNull]=true&sort=hidden&fields=title,hidden`);
        deepStrictEqual([alpha!['title'], alpha!['hidden']], ['Alpha', 'treasure']);
        strictEqual((await list(`status=${status}&_q=treasure`)).length, 1);
      }
      strictEqual((await list('filters[title]=Alpha'))[0]!['hidden'], 'treasure');
    });

    it('never shows a password', async () => {
      for (const query of ['fields=secret', 'filters[secret]=a', 'sort=secret']) {
        await rejects(list(query), /Invalid key secret/);
      }
      strictEqual('secret' in (await list('filters[title]=Alpha'))[0]!, false);
    });

    it('shares no cached answer with another view of the same rights', async () => {
      const { full } = library.app.views;
      const read = async (viewer: Viewer) => String((await reader.queryList(articles(), viewer, 'sort=title')).data);
      for (let round = 0; round < 3; round++) {
        strictEqual((await read(administration)).includes('treasure'), true);
        strictEqual((await read(full)).includes('treasure'), false);
        strictEqual((await list('_q=treasure', full)).length, 0);
        await rejects(list('fields=hidden', full), /Invalid key hidden/);
      }
    });
  });
}
