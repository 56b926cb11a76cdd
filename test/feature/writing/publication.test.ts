/** Publication of documents that are linked (docs/differences.md, "Publication and relations"). */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const relation = (kind: string, target: string | undefined, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  ...(target ? { target: `api::${target}.${target}` } : {}),
  ...more,
});
const name = { type: 'string' };
const column = { useJoinTable: false };
/** Between a holder, with drafts and locales, and a seat, without: one link of each, whichever side keeps it. */
const MATES = ['columnMate', 'tableMate'];

/** Every relation by which a page links a topic. */
const KINDS: Readonly<Record<string, (topic: string) => object>> = {
  both: (topic) => ({ both: [topic] }),
  oneWay: (topic) => ({ oneWay: [topic] }),
  single: (topic) => ({ single: topic }),
  column: (topic) => ({ column: topic }),
  any: (topic) => ({ any: [{ __type: 'api::topic.topic', documentId: topic }] }),
  subject: (topic) => ({ subject: { __type: 'api::topic.topic', documentId: topic } }),
  part: (topic) => ({ part: { topics: [topic] } }),
  parts: (topic) => ({ parts: [{}, { topics: [topic] }] }),
};

function project() {
  const drafts = { options: { draftAndPublish: true } };
  const localized = { pluginOptions: { i18n: { localized: true } } };
  return makeProject({
    contentTypes: {
      holder: contentType(
        'holder',
        {
          name: { ...name, ...localized },
          columnMate: relation('oneToOne', 'seat', { inversedBy: 'columnHolder', ...column }),
          tableMate: relation('oneToOne', 'seat', { inversedBy: 'tableHolder' }),
        },
        { ...drafts, ...localized },
      ),
      seat: contentType('seat', {
        name,
        columnHolder: relation('oneToOne', 'holder', { mappedBy: 'columnMate', ...column }),
        tableHolder: relation('oneToOne', 'holder', { mappedBy: 'tableMate' }),
        topic: relation('oneToOne', 'topic', { inversedBy: 'seat', ...column }),
        shared: relation('manyToOne', 'topic', { inversedBy: 'seats', ...column }),
        tableTopic: relation('oneToOne', 'topic', { inversedBy: 'tableSeat' }),
        tableShared: relation('manyToOne', 'topic', { inversedBy: 'tableSeats' }),
      }),
      topic: contentType(
        'topic',
        {
          name,
          pages: relation('manyToMany', 'page', { mappedBy: 'both' }),
          seat: relation('oneToOne', 'seat', { mappedBy: 'topic', ...column }),
          seats: relation('oneToMany', 'seat', { mappedBy: 'shared', ...column }),
          tableSeat: relation('oneToOne', 'seat', { mappedBy: 'tableTopic' }),
          tableSeats: relation('oneToMany', 'seat', { mappedBy: 'tableShared' }),
        },
        drafts,
      ),
      page: contentType(
        'page',
        {
          name: { ...name, required: true },
          code: { ...name, unique: true },
          both: relation('manyToMany', 'topic', { inversedBy: 'pages' }),
          oneWay: relation('oneToMany', 'topic'),
          single: relation('oneToOne', 'topic'),
          column: relation('manyToOne', 'topic', column),
          any: relation('morphToMany', undefined),
          subject: relation('morphToOne', undefined),
          part: { type: 'component', component: 'parts.part' },
          parts: { type: 'component', component: 'parts.part', repeatable: true },
        },
        drafts,
      ),
    },
    components: {
      'parts.part': {
        collectionName: 'components_parts',
        info: { displayName: 'part' },
        attributes: { name, topics: relation('oneToMany', 'topic') },
      },
    },
  });
}

for (const engine of engines) {
  describe(`publication on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    before(async () => {
      server = await serveSeeded(engine, await project());
      api = documentsOf(server);
    });
    after(() => server?.stop());

    /** The topics of an attribute, whatever its kind. */
    const topicsOf = async (page: string, kind: string, status = 'published'): Promise<string[]> => {
      const inside = kind.startsWith('part');
      const query = inside ? `populate[${kind}][populate][topics]=true` : `populate[${kind}]=true`;
      const value = (await api.read('pages', page, `${query}&status=${status}`))[kind];
      const list = inside
        ? [value ?? []].flat().flatMap((part: { topics: unknown[] }) => part.topics)
        : [value ?? []].flat();
      return list.map((one: { name: string }) => one.name);
    };

    const discard = (plural: string, documentId: string) =>
      server.request('POST', `/api/${plural}/${documentId}/actions/discard-draft`, { token: server.secrets['full'] });

    for (const mate of MATES) {
      const back = mate.replace('Mate', 'Holder');
      /** What the two states of a document are linked to: its draft and what is published. */
      const matesOf = async (holder: string, locale = 'en'): Promise<unknown[]> => [
        await api.names('holders', holder, mate, `status=draft&locale=${locale}`),
        await api.names('holders', holder, mate, `locale=${locale}`),
      ];
      const seat = async (data: object = {}): Promise<string> =>
        (await api.create('seats', { name: 's', ...data })).documentId;

      it(`a draft keeps its one-to-one link to a document without drafts when it is published: ${mate}`, async () => {
        const linked = await seat();
        const { documentId } = await api.create('holders', { name: 'h', [mate]: linked }, 'status=draft');
        for (const called of ['first', 'again']) {
          await api.update('holders', documentId, { name: called });
          deepStrictEqual(await matesOf(documentId), ['s', 's'], called);
          deepStrictEqual(await api.names('seats', linked, back, 'status=draft'), called);
        }
        const { documentId: atOnce } = await api.create('holders', { name: 'at once', [mate]: await seat() });
        deepStrictEqual(await matesOf(atOnce), ['s', 's']);
        await seat({ [back]: atOnce });
        await api.update('holders', atOnce, {});
        deepStrictEqual(await matesOf(atOnce), ['s', 's'], 'linked from the other side');
      });

      it(`an exclusive link moves to another document and back in each state separately: ${mate}`, async () => {
        const linked = await seat();
        const { documentId: former } = await api.create('holders', { name: 'former', [mate]: linked });
        const { documentId: taker } = await api.create('holders', { name: 'taker' });
        await api.update('holders', taker, { [mate]: linked }, 'status=draft');
        deepStrictEqual(
          [await matesOf(former), await matesOf(taker)],
          [
            [null, 's'],
            ['s', null],
          ],
        );
        await discard('holders', taker);
        deepStrictEqual(
          [await matesOf(former), await matesOf(taker)],
          [
            ['s', 's'],
            [null, null],
          ],
        );
        await api.update('holders', former, { name: 'fr', [mate]: linked }, 'locale=fr');
        deepStrictEqual(
          [await matesOf(former), await matesOf(former, 'fr')],
          [
            ['s', 's'],
            ['s', 's'],
          ],
        );
        await api.update('holders', taker, { [mate]: linked });
        deepStrictEqual(
          [await matesOf(former), await matesOf(former, 'fr')],
          [
            [null, null],
            [null, null],
          ],
        );
        deepStrictEqual(await matesOf(taker), ['s', 's']);
      });
    }

    it('a column of a document without drafts keeps its link to a published document, whichever side wrote it', async () => {
      for (const [own, back] of [
        ['topic', 'seat'],
        ['shared', 'seats'],
      ] as const) {
        const { documentId: early } = await api.create('topics', { name: 't' });
        const { documentId: linked } = await api.create('seats', { name: 's', [own]: early });
        const linkedTo = () => api.names('seats', linked, own);
        await api.update('topics', early, { name: 'u' });
        deepStrictEqual(await linkedTo(), 'u', 'published again');
        await api.update('topics', early, { name: 'v' }, 'status=draft');
        await discard('topics', early);
        deepStrictEqual(await linkedTo(), 'u', 'discarded');
        const { documentId: topic } = await api.create('topics', { name: 'w', [back]: [linked] });
        deepStrictEqual(await linkedTo(), 'w', 'made with its publication');
        await api.update('topics', topic, { name: 'x', [back]: { disconnect: [] } });
        deepStrictEqual(await linkedTo(), 'x', 'nothing disconnected');
        for (const edit of [{ disconnect: [linked] }, { set: [] }])
          await api.update('topics', topic, { [back]: edit }, 'status=draft');
        deepStrictEqual(await linkedTo(), 'x', 'taken back in a draft alone');
        await api.update('topics', early, { [back]: { connect: [linked] } }, 'status=draft');
        await api.update('topics', early, {});
        deepStrictEqual(await linkedTo(), 'u', 'connected in a draft');
        await api.update('topics', early, { [back]: { disconnect: [linked] } });
        deepStrictEqual(await linkedTo(), null, 'disconnected');
        const { documentId: other } = await api.create('seats', { name: 'other', [own]: early });
        await api.update('topics', early, { [back]: [linked] });
        deepStrictEqual([await linkedTo(), await api.names('seats', other, own)], ['u', null], 'replaced');
      }
    });

    it('discarding a draft returns the link of a document without drafts that it took from another draft', async () => {
      for (const [own, back] of [
        ['tableTopic', 'tableSeat'],
        ['tableShared', 'tableSeats'],
      ] as const) {
        const { documentId: former } = await api.create('topics', { name: 'former' });
        const { documentId: taker } = await api.create('topics', { name: 'taker' });
        const { documentId: linked } = await api.create('seats', { name: 's', [own]: former });
        const linkedTo = async () => [
          await api.names('seats', linked, own, 'status=draft'),
          await api.names('seats', linked, own),
        ];
        await api.update('topics', taker, { [back]: [linked] }, 'status=draft');
        deepStrictEqual(await linkedTo(), ['taker', 'former']);
        await discard('topics', taker);
        deepStrictEqual(await linkedTo(), ['former', 'former']);
        await api.update('topics', former, { name: 'again' });
        deepStrictEqual(await linkedTo(), ['again', 'again'], 'published');
      }
    });

    for (const [kind, data] of Object.entries(KINDS)) {
      it(`the order in which related documents are published does not matter: ${kind}`, async () => {
        const { documentId: topic } = await api.create('topics', { name: 't' }, 'status=draft');
        const { documentId: first } = await api.create('pages', { name: 'first', ...data(topic) });
        const { documentId: second } = await api.create('pages', { name: 'second', ...data(topic) }, 'status=draft');
        deepStrictEqual(await topicsOf(first, kind), []);
        await api.update('topics', topic, {});
        deepStrictEqual(await topicsOf(first, kind), ['t'], 'the source was published before its target');
        await api.update('pages', second, {});
        deepStrictEqual(await topicsOf(second, kind), ['t'], 'the target was published before its source');
        await api.update('topics', topic, { name: 't again' });
        deepStrictEqual(await topicsOf(first, kind), ['t again'], 'the target was published again');
      });

      it(`a link of an unpublished draft waits for its source: ${kind}`, async () => {
        const { documentId: topic } = await api.create('topics', { name: 't' }, 'status=draft');
        const { documentId: page } = await api.create('pages', { name: 'page' });
        await api.update('pages', page, data(topic), 'status=draft');
        await api.update('topics', topic, {});
        await api.update('topics', topic, { name: 'u' });
        deepStrictEqual(await topicsOf(page, kind), []);
        deepStrictEqual(await topicsOf(page, kind, 'draft'), ['u']);
        await api.update('pages', page, {});
        deepStrictEqual(await topicsOf(page, kind), ['u']);
      });

      it(`a link that only a draft has removed stays published until the draft is published: ${kind}`, async () => {
        const { documentId: topic } = await api.create('topics', { name: 't' });
        const { documentId: page } = await api.create('pages', { name: 'page', ...data(topic) });
        const cleared = kind === 'part' ? null : kind === 'single' || kind === 'column' ? null : [];
        await api.update('pages', page, { [kind]: cleared }, 'status=draft');
        await api.update('topics', topic, { name: 'u' });
        deepStrictEqual(await topicsOf(page, kind), ['u']);
        await api.update('pages', page, {});
        deepStrictEqual(await topicsOf(page, kind), []);
      });
    }

    it('a publishing write changes the other side at once, and a draft write changes it on publication', async () => {
      const { documentId: page } = await api.create('pages', { name: 'other side' });
      const { documentId: topic } = await api.create('topics', { name: 'o', pages: [page] });
      deepStrictEqual(await topicsOf(page, 'both'), ['o']);
      await api.update('topics', topic, { pages: [] }, 'status=draft');
      deepStrictEqual(await topicsOf(page, 'both'), ['o']);
      await api.update('topics', topic, {});
      deepStrictEqual(await topicsOf(page, 'both'), []);
    });

    it('rows and components keep their ids through publications', async () => {
      const made = await api.create('pages', { name: 'ids', parts: [{ name: 'a' }, { name: 'b' }] });
      const before = await api.read('pages', made.documentId, 'populate=parts');
      const after = await api.update('pages', made.documentId, { name: 'ids 2' }, 'populate=parts');
      deepStrictEqual(after.id, made.id);
      deepStrictEqual(after.parts, before.parts);
    });

    it('a refused publication leaves the draft as it was', async () => {
      await api.create('pages', { name: 'has code', code: 'taken' });
      const { documentId } = await api.create('pages', { name: 'has none' });
      const before = await api.read('pages', documentId, 'status=draft');
      await api.refused('PUT', `/api/pages/${documentId}`, { name: 'changed', code: 'taken' });
      await api.refused('PUT', `/api/pages/${documentId}`, { name: null });
      deepStrictEqual(await api.read('pages', documentId, 'status=draft'), before);
      // drafts are spared uniqueness, and so the publication of one is refused
      await api.update('pages', documentId, { code: 'taken' }, 'status=draft');
      await api.refused('PUT', `/api/pages/${documentId}`, {});
    });

    it('a published row without a draft, as other programs leave it, gets one with everything when it is written', async () => {
      const { documentId: topic } = await api.create('topics', { name: 'kept' });
      const data = Object.assign({}, ...Object.values(KINDS).map((make) => make(topic))) as object;
      const { documentId } = await api.create('pages', { name: 'lone', ...data });
      const times = await api.read('pages', documentId);
      const draft = await api.read('pages', documentId, 'status=draft');
      await server.seeder.sql(`delete from pages where id = ${draft.id}`);
      const written = await api.update('pages', documentId, { name: 'drafted' }, 'status=draft');
      deepStrictEqual(written.createdAt, times.createdAt);
      for (const kind of Object.keys(KINDS)) {
        deepStrictEqual(await topicsOf(documentId, kind, 'draft'), ['kept'], kind);
        deepStrictEqual(await topicsOf(documentId, kind), ['kept'], kind);
      }
      deepStrictEqual((await api.read('pages', documentId)).name, 'lone');
      ok(written.updatedAt > times.updatedAt);
    });
  });
}
