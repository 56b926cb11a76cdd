/** Content that is deleted with a document. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brokenInvariants, leftovers } from '../../model/invariants.ts';
import { makeModelProject } from '../../model/project.ts';
import { readSchema, type Schema } from '../../model/schema.ts';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

for (const engine of engines) {
  describe(`deleting on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    let schema: Schema;
    before(async () => {
      const folder = await makeModelProject();
      schema = readSchema(folder.dir);
      server = await serveSeeded(engine, folder);
      api = documentsOf(server);
    });
    after(() => server?.stop());

    /** A document that is linked and links in every way. */
    const web = async () => {
      const { documentId: beta } = await api.create('betas', { name: 'beta' }, 'status=draft');
      const any = { __type: 'api::beta.beta', documentId: beta };
      const box = { label: 'box', target: beta, cards: [{ label: 'card', target: [beta] }] };
      const links = { mm: [beta], mo: beta, oo: beta, list: [beta], one: beta, column: beta, columnMate: beta };
      const parts = { box, boxes: [box, box], zone: [{ __component: 'model.box', ...box }] };
      const made = await api.create('alphas', { name: 'alpha', ...links, subject: any, mentions: [any], ...parts });
      const alpha = made.documentId as string;
      await api.update('alphas', alpha, { kin: [alpha], mate: alpha });
      const of = { alphas: [alpha], ofPlain: [alpha], alphaMate: alpha, one: alpha, column: alpha, subject: any };
      const made2 = await api.create('gammas', {
        name: 'gamma',
        ...of,
        betas: [beta],
        list: [beta],
        mentions: [any],
        box,
      });
      return { alpha, beta, gamma: made2.documentId as string };
    };

    it('removes components, orders and links on both sides, pending links included', async () => {
      for (const publish of [false, true]) {
        for (const order of [
          ['alpha', 'beta', 'gamma'],
          ['beta', 'gamma', 'alpha'],
          ['gamma', 'alpha', 'beta'],
        ] as const) {
          const ids = await web();
          if (publish) await api.update('betas', ids.beta, {});
          for (const [index, name] of order.entries()) {
            await api.remove(`${name}s`, ids[name]);
            deepStrictEqual(await brokenInvariants(server.app, schema), [], `${order.slice(0, index + 1)}`);
          }
          deepStrictEqual(await leftovers(server.app, schema), [], `${order}`);
        }
      }
    });

    it('leaves the order of the others', async () => {
      const betas = [];
      for (const name of ['a', 'b', 'c']) betas.push((await api.create('betas', { name })).documentId);
      const { documentId: alpha } = await api.create('alphas', { mm: betas, list: betas.toReversed() });
      await api.remove('betas', betas[1]);
      deepStrictEqual(await api.names('alphas', alpha, 'mm'), ['a', 'c']);
      deepStrictEqual(await api.names('alphas', alpha, 'list'), ['c', 'a']);
    });

    it('of one locale leaves the others and the links to them', async () => {
      const { documentId: target } = await api.create('pages', { title: 'target', number: 'shared' });
      await api.update('pages', target, { title: 'cible' }, 'locale=fr');
      const { documentId: source } = await api.create('pages', { title: 'source', pages: [target] });
      await api.update('pages', source, { title: 'origine', pages: [target] }, 'locale=fr');
      await api.remove('pages', target, 'locale=en');
      const titles = async (query: string) =>
        (await api.read('pages', source, `populate=pages&${query}`)).pages.map((one: { title: string }) => one.title);
      deepStrictEqual(await titles(''), []);
      deepStrictEqual(await titles('locale=fr'), ['cible']);
      deepStrictEqual((await api.read('pages', target, 'locale=fr')).number, 'shared');
      deepStrictEqual(await api.read('pages', target), undefined);
      await api.remove('pages', target);
      deepStrictEqual(await api.read('pages', target, 'locale=fr'), undefined);
    });

    it('of a missing document is no error, and a deleted document cannot be linked', async () => {
      const { documentId } = await api.create('betas', { name: 'gone' });
      await api.remove('betas', documentId);
      await api.remove('betas', documentId);
      await api.refused('POST', '/api/alphas', { mm: [documentId] });
    });
  });
}
