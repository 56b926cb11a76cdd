/** Ids of rows in conditions of code on links to documents with drafts: docs/reference/project-code.md, "strapi". */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const text = { type: 'string' };
const drafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };
const place = { type: 'relation', relation: 'manyToOne', target: 'api::place.place' };
const places = { type: 'relation', relation: 'manyToMany', target: 'api::place.place' };

const PROJECT: ProjectFiles = {
  contentTypes: {
    place: contentType('place', { name: { ...text, ...localized } }, { ...drafts, ...localized }),
    like: contentType('like', {
      name: text,
      place,
      places,
      spot: { type: 'component', component: 'shared.spot' },
      visit: { type: 'relation', relation: 'manyToOne', target: 'api::visit.visit' },
    }),
    visit: contentType('visit', { name: text, place }, drafts),
  },
  components: { 'shared.spot': { collectionName: 'components_spots', attributes: { place } } },
  files: {
    'src/api/ask/routes/ask.js':
      "module.exports = { routes: [{ method: 'POST', path: '/ask', handler: 'ask.it', config: { auth: false } }] };",
    'src/api/ask/controllers/ask.js': `module.exports = {
  async it(ctx) {
    const { by, uid, method, params } = ctx.request.body;
    if (by === 'entity') return { found: await strapi.entityService[method](uid, params) };
    const target = by === 'query' ? strapi.db.query(uid) : strapi.documents(uid);
    return { found: await target[method](params) };
  },
};`,
  },
};

/** A document that was made, with what it links to. */
type Like = Record<'id' | 'documentId', string> & {
  place?: { documentId: string };
  places: { documentId: string }[];
};

type Ask = (by: string, name: string, method: string, params: unknown) => Promise<unknown>;

for (const engine of engines) {
  describe(`the id of a row in a condition of code on ${engine.name}`, () => {
    let server: SeededServer;
    let documentId: string;
    let draft: number;
    let published: number;
    let french: number;
    const ask: Ask = async (by, name, method, params) => {
      const body = { by, uid: `api::${name}.${name}`, method, params };
      const answer = await server.request('POST', '/api/ask', { body });
      deepStrictEqual([answer.status, answer.body.error], [200, undefined]);
      return answer.body.found;
    };
    const names = async (by: string, name: string, condition: unknown, more: object = {}): Promise<string[]> => {
      const found = await ask(by, name, 'findMany', { [by === 'query' ? 'where' : 'filters']: condition, ...more });
      return (found as { name: string }[]).map((one) => one.name).sort();
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      // ids of another document stand between those of its versions and those of the likes
      await ask('documents', 'place', 'create', { data: { name: 'elsewhere' }, status: 'published' });
      const here = { data: { name: 'here' }, status: 'published' };
      documentId = ((await ask('documents', 'place', 'create', here)) as { documentId: string }).documentId;
      await ask('documents', 'place', 'update', {
        documentId,
        locale: 'fr',
        data: { name: 'ici' },
        status: 'published',
      });
      const rows = (await ask('query', 'place', 'findMany', { where: { documentId } })) as {
        id: number;
        locale: string;
        publishedAt: string | null;
      }[];
      const idOf = (locale: string, isDraft: boolean) =>
        rows.find((row) => row.locale === locale && (row.publishedAt === null) === isDraft)!.id;
      [draft, published, french] = [idOf('en', true), idOf('en', false), idOf('fr', false)];
      await ask('documents', 'visit', 'create', { data: { name: 'only a draft', place: published } });
      const seen = { data: { name: 'published', place: published }, status: 'published' };
      const visit = (await ask('documents', 'visit', 'create', seen)) as { id: number };
      const other = (await ask('query', 'place', 'findOne', { where: { name: 'elsewhere' } })) as { id: number };
      const like = (name: string, id: number) => ({
        data: { name, place: id, places: [id], spot: { place: id }, visit: visit.id },
      });
      await ask('documents', 'like', 'create', like('by draft', draft));
      await ask('query', 'like', 'create', like('by published', published));
      await ask('documents', 'like', 'create', like('other', other.id));
    });
    after(() => server?.stop());

    const both = ['by draft', 'by published'];

    it('links documents that were read and passed on with all their attributes', async () => {
      const found = (await ask('documents', 'place', 'findOne', { documentId })) as object;
      // attributes of a document may have the names of what says how it is linked
      const read = { ...found, status: 'open', position: 3, locale: { of: 'the place' } };
      const populate = ['place', 'places'];
      for (const links of [read, [read], { set: [read] }, { connect: [read] }]) {
        for (const by of ['documents', 'entity']) {
          const made = await ask(by, 'like', 'create', {
            data: { name: 'read', place: links, places: links },
            populate,
          });
          const { place, places, id, documentId: own } = made as Like;
          deepStrictEqual([place?.documentId, places.map((one) => one.documentId)], [documentId, [documentId]]);
          if (by === 'entity') await ask('query', 'like', 'delete', { where: { id } });
          else await ask('documents', 'like', 'delete', { documentId: own });
        }
      }
    });

    it('finds documents that link to either row of the document, from a type without drafts', async () => {
      for (const id of [draft, published]) {
        for (const by of ['documents', 'query', 'entity']) {
          for (const condition of [
            { place: id },
            { place: String(id) },
            { place: { $eq: id } },
            { place: { $in: [id] } },
            { place: { id } },
            { place: { id: { $in: [id, 99_999] } } },
            { places: id },
            { places: { id: { $eq: id } } },
            { spot: { place: id } },
            { places: { id: { $in: [id], $notIn: [99_999] } } },
            { spot: { place: { $in: [id] } } },
            { $and: [{ place: id }, { name: { $startsWith: 'by' } }] },
            { $or: [{ place: { $or: [{ id }, { name: 'nowhere' }] } }] },
          ]) {
            // what is in a component of a row is not known to be of one kind or the other
            if (by === 'query' && 'spot' in condition) continue;
            deepStrictEqual(await names(by, 'like', condition), both, JSON.stringify({ by, condition }));
          }
        }
        deepStrictEqual(await names('documents', 'like', { place: id }, { status: 'published' }), both);
      }
    });

    it('stands for the document in conditions of populate as well', async () => {
      for (const id of [draft, published]) {
        for (const [name, filters] of [
          ['places', { id }],
          ['places', { $or: [{ id: { $in: [id] } }, { name: 'nowhere' }] }],
          ['visit', { place: id }],
          ['visit', { place: { id: { $eq: id } } }],
        ] as const) {
          for (const by of ['documents', 'entity', 'query']) {
            // between rows of two types with drafts the id tells one kind from the other
            if (by === 'query' && name === 'visit') continue;
            const inner = by === 'query' ? { where: filters } : { filters };
            const rows = (await ask(by, 'like', 'findMany', {
              [by === 'query' ? 'where' : 'filters']: { name: 'by draft' },
              populate: { [name]: inner },
            })) as Record<string, { name: string } | { name: string }[] | null>[];
            const found = [rows[0]![name] ?? []].flat().length;
            deepStrictEqual(found > 0, true, JSON.stringify({ by, name, filters }));
          }
        }
        const [like] = (await ask('documents', 'like', 'findMany', {
          filters: { name: 'by draft' },
          populate: { visit: { populate: { place: { filters: { id } } } } },
        })) as { visit: { place: { name: string } | null } }[];
        deepStrictEqual(like!.visit.place?.name, 'here');
        const [none] = (await ask('documents', 'like', 'findMany', {
          filters: { name: 'by draft' },
          populate: { places: { filters: { id: { $ne: id } } } },
        })) as { places: unknown[] }[];
        deepStrictEqual(none!.places, []);
      }
    });

    it('excludes documents that link to it in negated conditions', async () => {
      for (const id of [draft, published]) {
        for (const by of ['documents', 'query', 'entity']) {
          for (const condition of [
            { place: { $ne: id } },
            { place: { $not: id } },
            { place: { $notIn: [id] } },
            { place: { id: { $ne: id } } },
            { place: { id: { $not: { $eq: id } } } },
            { $not: { place: id } },
          ]) {
            deepStrictEqual(await names(by, 'like', condition), ['other'], JSON.stringify({ by, condition }));
          }
        }
      }
    });

    it('means the version in its own locale', async () => {
      deepStrictEqual(await names('documents', 'like', { place: french }), []);
      deepStrictEqual(await names('query', 'like', { place: french }), []);
    });

    it('finds drafts by the published row of the same document', async () => {
      deepStrictEqual(await names('documents', 'visit', { place: published }), ['only a draft', 'published']);
      deepStrictEqual(await names('documents', 'visit', { place: draft }, { status: 'published' }), ['published']);
    });

    it('distinguishes rows of types with drafts in a query, each of which links to a row of its own kind', async () => {
      deepStrictEqual(await names('query', 'visit', { place: published }), ['published']);
      deepStrictEqual(await names('query', 'visit', { place: draft }), ['only a draft', 'published']);
    });

    it('links the document as text as well, as it stands in an address', async () => {
      for (const [by, data] of [
        ['documents', { name: 'text', place: String(published) }],
        ['entity', { name: 'text', place: { id: String(published) } }],
        ['query', { name: 'text', places: { connect: [String(published)] }, place: [String(draft)] }],
      ] as const) {
        await ask(by, 'like', 'create', { data });
        deepStrictEqual(await names('documents', 'like', { place: published, name: 'text' }), ['text'], by);
        await ask('query', 'like', 'deleteMany', { where: { name: 'text' } });
      }
    });

    it('counts, changes and removes by it as well, and names nothing where there is no such row', async () => {
      deepStrictEqual(await ask('query', 'like', 'count', { where: { place: published } }), 2);
      deepStrictEqual(await ask('documents', 'like', 'count', { filters: { place: published } }), 2);
      for (const id of [99_999, 2 ** 40]) deepStrictEqual(await names('documents', 'like', { place: id }), []);
      await ask('query', 'like', 'update', {
        where: { place: published, name: 'by draft' },
        data: { name: 'rolled back' },
      });
      await ask('query', 'like', 'delete', { where: { place: published, name: 'rolled back' } });
      deepStrictEqual(await names('documents', 'like', { place: published }), ['by published']);
    });
  });
}
