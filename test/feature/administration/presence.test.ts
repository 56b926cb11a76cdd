/** Administrators with the same document open see each other, in all processes, and no others. */
import { deepStrictEqual, notDeepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { applyFixture } from '../../../src/cli/apply.ts';
import { actionContext, checkFixture } from '../../../src/cli/fixture-file.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';

const POST = 'api::post.post';
const NOTICE = 'api::notice.notice';
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  post: contentType(
    'post',
    { title: { type: 'string', ...localized } },
    { options: { draftAndPublish: true }, ...localized },
  ),
  notice: contentType('notice', { text: { type: 'text' } }, { kind: 'singleType' }),
};
const LOCALES = { locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }] };

for (const engine of engines) {
  describe(`who has a document open on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let server: RunningServer;
    /** Another server on the same database. */
    let other: RunningServer;
    let sue: Browser;
    let author: Browser;
    /** Signed in at the other server. */
    let eva: Browser;
    const ids: Record<string, number> = {};

    before(async () => {
      folder = await makeProject({ contentTypes });
      database = await engine.databaseFor(folder);
      server = await serve(folder, database, {}, {}, (app) =>
        applyFixture(app, checkFixture('fixture of the test', LOCALES, actionContext(app)), new Map()),
      );
      other = await serve(folder, database);
      for (const name of ['sue', 'eva']) ids[name] = await makeAdministrator(server, name, 'strapi-super-admin');
      await makeAdministrator(server, 'author', 'strapi-author');
      const english = { fields: ['title'], locales: ['en'] };
      await makeRole(server, 'english', [{ operation: 'read', subject: POST, properties: english }]);
      await makeAdministrator(server, 'editor', 'english');
      [sue, eva, author] = [new Browser(server), new Browser(other), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
      await author.signIn('author');
    });
    after(async () => {
      await other?.app.close();
      await server?.stop();
    });

    const make = async (as: Browser): Promise<string> =>
      (await as.send('POST', `content/${POST}`, { data: { title: 'one' } })).body.data.documentId;
    const tell = async (as: Browser, document: string, body: object = {}) => {
      const path = `content/${document}/presence`;
      const answer = await as.send('POST', path, body);
      deepStrictEqual(breaches('POST', path, answer.status, answer.body), []);
      return answer;
    };
    const others = async (as: Browser, document: string, body: object = {}): Promise<string[]> =>
      (await tell(as, document, body)).body.data.others.map(({ name }: { name: string }) => name);
    const rows = async (): Promise<number> =>
      Number((await server.app.database.rows('select count(*) from galley_admin_presence', []))[0]![0]);
    /** Makes what was said so far that much older. */
    const age = (milliseconds: number) =>
      server.app.database.transaction(async (tx) => {
        const { encodeTime, placeholder } = tx.dialect;
        const text = `update galley_admin_presence set seen_at = ${placeholder(1)}`;
        await tx.rows(text, [encodeTime(Date.now() - milliseconds)]);
      });

    it('is shown to the others in any process until 45 seconds after the last sign', async () => {
      const post = `${POST}/${await make(sue)}`;
      deepStrictEqual(await others(sue, post), []);
      const { body } = await tell(eva, post);
      deepStrictEqual(body.data.others, [{ id: ids['sue'], name: 'sue' }]);
      deepStrictEqual(await others(sue, post), ['eva']);
      deepStrictEqual(await others(sue, `${POST}/${await make(sue)}`), [], 'somebody is at another document');
      await age(44_000);
      deepStrictEqual(await others(sue, post), ['eva']);
      await age(46_000);
      deepStrictEqual(await others(eva, post), []);
      strictEqual(await rows(), 1, 'what is old is still there');
      deepStrictEqual(await others(sue, post), ['eva']);
    });

    it('is written down again only when it has grown old', async () => {
      const post = `${POST}/${await make(sue)}`;
      const seenAt = async () =>
        Number(
          (
            await server.app.database.rows(
              'select max(seen_at) from galley_admin_presence where document_id is not null',
              [],
            )
          )[0]![0],
        );
      await age(60_000);
      await tell(sue, post);
      await age(14_000);
      const before = await seenAt();
      await tell(sue, post);
      strictEqual(await seenAt(), before);
      await age(16_000);
      const old = await seenAt();
      await tell(sue, post);
      strictEqual((await seenAt()) > old, true);
    });

    it('comes with the version of the document, which shows whether it has changed', async () => {
      const post = `${POST}/${await make(sue)}`;
      const seen = async (locale = 'en') => {
        const { draft, published, states } = (await eva.get(`content/${post}?locale=${locale}`)).body.data;
        return { states, savedAt: draft && { draft: draft.updatedAt, published: published?.updatedAt ?? null } };
      };
      const told = async (locale = 'en') => {
        const { states, savedAt } = (await tell(eva, post, { locale })).body.data;
        return { states, savedAt };
      };
      const changed = async (
        method: string,
        path: string,
        body: object,
        headers: Record<string, string> = { 'if-match': '*' },
      ) => {
        const before = await told();
        strictEqual((await sue.send(method, `content/${post}${path}`, body, headers)).status < 300, true);
        const after = await told();
        notDeepStrictEqual(after, before);
        deepStrictEqual(after, await seen());
      };
      await changed('PUT', '', { data: { title: 'two' } });
      await changed('POST', '/publish', {});
      await changed('PUT', '', { data: { title: 'three' } });
      await changed('POST', '/discard', {});
      await changed('POST', '/unpublish', {});
      await changed('PUT', '', { data: { title: 'un' }, locale: 'fr' }, {});
      deepStrictEqual(await told('fr'), await seen('fr'));
      await sue.send('DELETE', `content/${post}?locale=fr`);
      deepStrictEqual(await told('fr'), { states: {}, savedAt: null });
      await sue.send('PUT', `content/${NOTICE}/single`, { data: { text: 'here' } });
      const { draft } = (await sue.get(`content/${NOTICE}/single`)).body.data;
      deepStrictEqual((await tell(eva, `${NOTICE}/single`)).body.data.savedAt, {
        draft: draft.updatedAt,
        published: null,
      });
      await sue.send('DELETE', `content/${NOTICE}/single`);
    });

    it('is of one locale', async () => {
      const id = await make(sue);
      const post = `${POST}/${id}`;
      await sue.send('PUT', `content/${post}`, { data: { title: 'un' }, locale: 'fr' });
      await others(sue, post, { locale: 'fr' });
      deepStrictEqual(await others(eva, post, { locale: 'fr' }), ['sue']);
      deepStrictEqual(await others(eva, post, { locale: 'en' }), []);
      deepStrictEqual(await others(sue, post), ['eva'], 'no locale is not the default one');
      // who has no right to a locale is told nothing of it
      const editor = new Browser(server);
      await editor.signIn('editor');
      deepStrictEqual(await others(editor, post, { locale: 'fr' }), []);
      deepStrictEqual(await others(editor, post), ['eva', 'sue']);
      strictEqual((await tell(sue, post, { locale: 'xx' })).status, 400);
    });

    it('is hidden from administrators who may not read the document, and for a missing version', async () => {
      const post = `${POST}/${await make(sue)}`;
      await others(sue, post);
      strictEqual((await tell(author, post)).status, 404);
      deepStrictEqual(await others(sue, post), []);
      await others(sue, post, { locale: 'fr' });
      deepStrictEqual(await others(eva, post, { locale: 'fr' }), []);
      strictEqual((await tell(sue, `${POST}/${'x'.repeat(24)}`)).status, 404);
      strictEqual((await tell(new Browser(server), post)).status, 401);
    });

    it('works for single types once they exist', async () => {
      const notice = `${NOTICE}/single`;
      deepStrictEqual(await others(sue, notice), []);
      deepStrictEqual(await others(eva, notice), []);
      await sue.send('PUT', `content/${notice}`, { data: { text: 'one' } });
      await others(sue, notice);
      deepStrictEqual(await others(eva, notice), ['sue']);
    });

    it('grows to no more than 50 documents of one administrator', async () => {
      await age(60_000);
      for (let made = 0; made < 52; made += 1) await tell(author, `${POST}/${await make(author)}`);
      strictEqual(await rows(), 50);
    });
  });
}
