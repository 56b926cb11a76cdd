/**
 * How often a write waits for an answer of the server. The number depends on the operations, not on the amount of data.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { type DistantServer, startDistance } from '../../support/databases/distant-server.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';
const AUTHOR = 'api::author.author';

/** A removal of an article by somebody who may do everything. */
const REMOVAL = ({ catalog, views }: App) => ({
  type: catalog.contentTypes.get(ARTICLE)!,
  viewer: views.full,
  locales: undefined,
});

/** On SQLite statements do not travel. */
const engine = engines.find(({ name }) => name === 'postgres')!;

describe('round trips of a write on postgres', () => {
  let storage: TestDatabase;
  let network: DistantServer;
  let app: App;
  let author: string;
  let tags: string[];
  const made = async (uid: string, data: Record<string, unknown>, status: 'draft' | 'published' = 'published') =>
    String((await app.documents(uid).create({ data, status })).documentId);
  /** With relations, components and a zone. */
  const rich = (count: number) => ({
    title: 'Rich',
    author,
    tags: tags.slice(0, count),
    seo: { metaTitle: 'A title' },
    links: [{ label: 'one' }, { label: 'two' }],
    zone: [
      { __component: 'blocks.quote', text: 'Said', by: author },
      { __component: 'blocks.hero', title: 'Hero', buttons: [{ label: 'go' }] },
    ],
  });
  const trips = async (write: () => Promise<unknown>): Promise<number[]> => {
    network.take();
    await write();
    return network.take();
  };

  before(async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    storage = await engine.databaseFor(folder);
    network = await startDistance(storage);
    app = await openProject(folder.dir, { env: network.env });
    author = await made(AUTHOR, { name: 'Ann' });
    tags = await Promise.all(Array.from({ length: 12 }, (_, n) => made(TAG, { name: `tag ${n}` })));
  });
  after(async () => {
    await app?.close();
    network?.stop();
    await storage?.drop();
  });

  it('is two for a document of scalars: one for its ids, one for its rows, the answer and the commit', async () => {
    deepStrictEqual(await trips(() => made(TAG, { name: 'draft' }, 'draft')), [2]);
    deepStrictEqual(await trips(() => made(TAG, { name: 'published' })), [2]);
  });

  it('is two for a document with relations, components and a zone, drafted or published', async () => {
    for (const count of [2, 12]) {
      deepStrictEqual(await trips(() => made(ARTICLE, rich(count), 'draft')), [2]);
      deepStrictEqual(await trips(() => made(ARTICLE, rich(count))), [2]);
    }
  });

  it('is one more where a value must be unique', async () => {
    deepStrictEqual(await trips(() => made(ARTICLE, { title: 'Slug', slug: 'only-one' })), [3]);
  });

  it('is two for an update of scalars of a draft', async () => {
    const documentId = await made(ARTICLE, rich(2), 'draft');
    const update = () => app.documents(ARTICLE).update({ documentId, data: { title: 'b' } });
    deepStrictEqual(await trips(update), [2]);
  });

  it('is seven for a publication that reads components level by level, with few or many links', async () => {
    for (const count of [2, 12]) {
      const documentId = await made(ARTICLE, rich(count));
      const update = () => app.documents(ARTICLE).update({ documentId, data: { title: 'b' }, status: 'published' });
      deepStrictEqual(await trips(update), [7]);
    }
  });

  it('is four for a removal, with components within components', async () => {
    const documentId = await made(ARTICLE, rich(2));
    const remove = () => app.writer.delete({ ...REMOVAL(app), documentId });
    deepStrictEqual(await trips(remove), [4]);
  });
});
