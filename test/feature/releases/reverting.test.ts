/** Releases that have run are reverted as a whole, from the history. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { selectRows } from '../../../src/db/interface/statements.ts';
import { RELEASES_TABLE } from '../../../src/sql/releases.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const [POST, TAG, LOG] = ['api::post.post', 'api::tag.tag', 'api::log.log'];
const drafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };

for (const engine of engines) {
  describe(`reverting releases on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let eva: Browser;

    before(async () => {
      const folder = await makeProject({
        contentTypes: {
          post: contentType(
            'post',
            {
              title: { type: 'string', required: true, ...localized },
              slug: { type: 'string', unique: true, ...localized },
              tags: { type: 'relation', relation: 'manyToMany', target: TAG, inversedBy: 'posts' },
              parts: { type: 'component', component: 'shared.part', repeatable: true, ...localized },
            },
            { ...drafts, ...localized },
          ),
          tag: contentType(
            'tag',
            {
              name: { type: 'string', required: true },
              posts: { type: 'relation', relation: 'manyToMany', target: POST, mappedBy: 'tags' },
            },
            drafts,
          ),
          log: contentType('log', { text: { type: 'string' } }, drafts),
        },
        components: {
          'shared.part': {
            collectionName: 'components_shared_parts',
            info: { displayName: 'part' },
            attributes: { text: { type: 'string' }, about: { type: 'relation', relation: 'oneToOne', target: TAG } },
          },
        },
        files: { 'config/galley.json': `{ "history": { "interval": 0, "types": { "${LOG}": { "versions": 0 } } } }` },
      });
      server = await serveSeeded(engine, folder);
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeRole(
        server,
        'planner',
        (['read', 'publish'] as const).map((name) => ({
          ...{ operation: `plugin::content-releases.${name}` as const, subject: null, properties: {} },
        })),
      );
      await makeAdministrator(server, 'eva', 'planner');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const documents = (uid: string): Any => server.app.documents(uid as Any);
    const make = async (uid: string, data: object, status = 'published', locale?: string): Promise<string> =>
      (await documents(uid).create({ data, status, locale })).documentId;
    const edit = (uid: string, documentId: string, data: object, status = 'draft', locale?: string) =>
      documents(uid).update({ documentId, data, status, locale });
    const run = async (actions: readonly object[]): Promise<number> => {
      const { id } = (await ask('POST', 'releases', { name: `release ${Math.random()}` })).body.data;
      strictEqual((await ask('POST', `releases/${id}/actions`, { actions })).status, 201);
      const { status, text } = await ask('POST', `releases/${id}/run`);
      strictEqual(status, 200, text);
      return id;
    };
    const one = (contentType: string, documentId: string, type = 'publish', locale: string | null = null) => {
      return { type, contentType, documentId, locale: locale ?? (contentType === POST ? 'en' : null) };
    };
    const reversal = async (id: number): Promise<Any> => (await ask('GET', `releases/${id}/reversal`)).body.data;
    const revert = (id: number, body?: object, as = sue) => ask('POST', `releases/${id}/revert`, body, as);
    /** What a site and an editor see of documents, apart from ids of rows and times. */
    const stateOf = async (status: string, locale = 'en'): Promise<unknown> => {
      const populate = { tags: { fields: ['name'] }, parts: { populate: { about: { fields: ['name'] } } } };
      const posts = await documents(POST).findMany({ status, locale, populate, sort: 'documentId' });
      const tags = await documents(TAG).findMany({
        status,
        populate: { posts: { fields: ['title'] } },
        sort: 'documentId',
      });
      return JSON.parse(
        JSON.stringify([posts, tags], (key, value) =>
          ['id', 'createdAt', 'updatedAt', 'publishedAt'].includes(key) ? undefined : value,
        ),
      );
    };

    it('gives all documents their published state before the run, and leaves drafts as they are', async () => {
      const [red, blue] = [await make(TAG, { name: 'red' }), await make(TAG, { name: 'blue' })];
      const changed = await make(POST, {
        ...{ title: 'before', slug: 'a', tags: [red, blue], parts: [{ text: 'first', about: red }] },
      });
      const french = await edit(POST, changed, { title: 'avant', slug: 'b' }, 'published', 'fr');
      ok(french);
      const gone = await make(POST, { title: 'gone', slug: 'gone', tags: [blue] });
      const fresh = await make(POST, { title: 'fresh', slug: 'fresh', tags: [red] }, 'draft');
      const green = await make(TAG, { name: 'green' }, 'draft');
      await edit(POST, changed, {
        title: 'after',
        slug: 'c',
        tags: [green, red],
        parts: [{ text: 'new', about: green }],
      });
      await edit(POST, changed, { title: 'après', slug: 'd' }, 'draft', 'fr');
      const [before, ofFrench] = [await stateOf('published'), await stateOf('published', 'fr')];
      const [draft, draftOfFrench] = [await stateOf('draft'), await stateOf('draft', 'fr')];
      const id = await run([
        ...[one(POST, changed), one(POST, changed, 'publish', 'fr'), one(POST, gone, 'unpublish'), one(POST, fresh)],
        one(TAG, green),
      ]);
      const { documents: noted, ...foreseen } = await reversal(id);
      deepStrictEqual([noted, foreseen], [[], { restore: 3, unpublish: 2, changed: 0, problems: [], count: 0 }]);
      const reverted = await revert(id);
      strictEqual(reverted.status, 200, reverted.text);
      deepStrictEqual([await stateOf('published'), await stateOf('published', 'fr')], [before, ofFrench]);
      deepStrictEqual([await stateOf('draft'), await stateOf('draft', 'fr')], [draft, draftOfFrench]);
      const { data } = (await ask('GET', 'audit?action=release.revert')).body;
      strictEqual(data.length, 1);
    });

    it('refuses documents that have changed since, all together, unless they are confirmed', async () => {
      const [first, second] = [await make(TAG, { name: 'one' }), await make(TAG, { name: 'two' })];
      await edit(TAG, first, { name: 'one of the release' });
      await edit(TAG, second, { name: 'two of the release' });
      const id = await run([one(TAG, first), one(TAG, second)]);
      await edit(TAG, second, { name: 'two of later' }, 'published');
      const names = async () =>
        (
          await documents(TAG).findMany({
            filters: { documentId: { $in: [first, second] } },
            status: 'published',
            sort: 'name',
          })
        ).map(({ name }: Any) => name);
      const { documents: noted, changed } = await reversal(id);
      deepStrictEqual(
        [noted.map(({ action, isChanged }: Any) => [action.documentId, isChanged]), changed],
        [[[second, true]], 1],
      );
      const refused = await revert(id);
      deepStrictEqual(
        [refused.status, refused.body.error.details.documents[0].reason],
        [400, { code: 'changedSince' }],
      );
      deepStrictEqual(await names(), ['one of the release', 'two of later']);
      strictEqual((await revert(id, { confirmed: 'yes' })).status, 400);
      strictEqual((await revert(id, { confirmed: true })).status, 200);
      deepStrictEqual(await names(), ['one', 'two']);
    });

    it('names what cannot come back, and leaves deleted documents out', async () => {
      const tag = await make(TAG, { name: 'linked' });
      const post = await make(POST, { title: 'linking', tags: [tag] });
      const deleted = await make(POST, { title: 'deleted' });
      await edit(POST, post, { title: 'linking nothing', tags: [] });
      await edit(POST, deleted, { title: 'soon deleted' });
      const id = await run([one(POST, post), one(POST, deleted)]);
      await documents(TAG).delete({ documentId: tag });
      await documents(POST).delete({ documentId: deleted });
      const { documents: noted, restore } = await reversal(id);
      strictEqual(restore, 1);
      deepStrictEqual(
        noted.map(({ effect, isChanged, losses }: Any) => [effect, isChanged, losses]),
        [
          ['restore', false, [{ path: 'tags', reason: 'deletedDocument', target: { type: TAG, documentId: tag } }]],
          ['none', true, []],
        ],
      );
      strictEqual((await revert(id)).status, 400);
      strictEqual((await revert(id, { confirmed: true })).status, 200);
      strictEqual((await documents(POST).findOne({ documentId: post, status: 'published' })).title, 'linking');
    });

    it('happens once: the release is reverted then, and done for Strapi', async () => {
      const tag = await make(TAG, { name: 'once' });
      await edit(TAG, tag, { name: 'twice' });
      const id = await run([one(TAG, tag)]);
      const stateNow = async () => {
        const { status, revertedAt } = (await ask('GET', `releases/${id}`)).body.data;
        return [status, revertedAt !== null];
      };
      deepStrictEqual(await stateNow(), ['done', false]);
      const answers = await Promise.all([revert(id), revert(id)]);
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      const refused = answers.find(({ status }) => status === 400);
      deepStrictEqual(refused.body.error.details.reason, { code: 'releaseReverted' });
      deepStrictEqual(await stateNow(), ['reverted', true]);
      const [first] = (await ask('GET', 'releases?state=done')).body.data;
      deepStrictEqual([first.id, first.status], [id, 'reverted']);
      for (const [method, path] of [
        ['GET', 'reversal'],
        ['POST', 'revert'],
        ['POST', 'run'],
      ] as const) {
        strictEqual((await ask(method, `releases/${id}/${path}`)).status, 400, path);
      }
      const stored = await selectRows(server.app.database, RELEASES_TABLE, ['status'], { id });
      deepStrictEqual(stored, [['done']]);
    });

    it('is for releases that have run, of types with a history, and of people who may run them', async () => {
      const { id: pending } = (await ask('POST', 'releases', { name: 'pending' })).body.data;
      strictEqual((await revert(pending)).status, 400);
      strictEqual((await revert(999_999)).status, 404);
      const unrecorded = await run([one(LOG, await make(LOG, { text: 'a' }, 'draft'))]);
      const problems = (await reversal(unrecorded)).problems.map(({ reason }: Any) => reason.code);
      deepStrictEqual(problems, ['notRecorded']);
      strictEqual((await revert(unrecorded)).status, 400);
      const id = await run([one(TAG, await make(TAG, { name: 'of sue' }, 'draft'))]);
      const refused = await revert(id, {}, eva);
      deepStrictEqual([refused.status, refused.body.error.details.documents[0].status], [400, 403]);
      strictEqual((await revert(id)).status, 200);
    });
  });
}
