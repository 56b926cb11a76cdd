/** The first page of administrators, finding documents by name, and settings of administrators. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { askHeld, signedIn } from '../../support/accounts/held-answers.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const POST = 'api::post.post';
const TAG = 'api::tag.tag';
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  post: contentType(
    'post',
    { title: { type: 'string', ...localized } },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', { name: { type: 'string' } }),
  number: contentType('number', { value: { type: 'integer' } }),
};

for (const engine of engines) {
  describe(`the first page of administrators on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let author: Browser;
    let both: Browser;
    let english: Browser;
    const numbers: Record<string, number> = {};

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes }));
      for (const role of ['super-admin', 'author']) {
        numbers[role] = await makeAdministrator(server, role, `strapi-${role}`);
      }
      const reads = (...locales: string[]) => ({
        operation: 'read' as const,
        subject: POST,
        properties: { fields: ['title'], locales },
      });
      await makeRole(server, 'both', [reads('en'), reads('en', 'fr', 'de')]);
      await makeRole(server, 'english', [reads('en')]);
      for (const role of ['both', 'english']) await makeAdministrator(server, role, role);
      const names = ['super-admin', 'author', 'both', 'english'];
      [sue, author, both, english] = (await Promise.all(names.map((name) => signedIn(server, name)))) as [
        Browser,
        Browser,
        Browser,
        Browser,
      ];
    });
    after(() => server?.stop());

    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    const ask = (method: string, target: string, body?: unknown, as = sue): Promise<any> =>
      askHeld(as, method, target, body);
    const home = async (as = sue) => (await ask('GET', 'home', undefined, as)).body.data;
    const labels = (list: readonly { label: string | null }[]) => list.map(({ label }) => label);
    const change = (text: string) => server.app.database.transaction(async (tx) => void (await tx.rows(text, [])));

    it('is empty where there is nothing', async () => {
      const { weeks, ...lists } = await home();
      deepStrictEqual(lists, { mine: [], waiting: [], changed: [] });
      strictEqual(weeks.changed.length, 56);
      deepStrictEqual([...weeks.changed, ...weeks.published].some(Boolean), false);
    });

    it('shows changes, their authors, unpublished drafts and the activity, as far as they are visible', async () => {
      const posts = server.app.documents(POST);
      /** What was written before is older then, by a millisecond at least. */
      const later = (now = Date.now()) => until('the clock moves on', () => (Date.now() > now ? true : undefined));
      const make = async (title: string, status: 'draft' | 'published' = 'draft') => {
        await later();
        return ((await posts.create({ data: { title }, status })) as { documentId: string }).documentId;
      };
      const published = await make('published', 'published');
      const modified = await make('modified', 'published');
      await later();
      await posts.update({ documentId: modified, data: { title: 'newer' } });
      await later();
      await posts.update({ documentId: published, locale: 'fr', data: { title: 'brouillon' } });
      await make('draft');
      await later();
      await server.app.documents(TAG).create({ data: { name: 'tag' } });
      await change(`update posts set updated_by_id = ${numbers['super-admin']} where title in ('newer', 'draft')`);
      await change(`update posts set updated_by_id = ${numbers['author']}, created_by_id = ${numbers['author']}
        where title = 'draft'`);
      const page = await home();
      deepStrictEqual(labels(page.changed), ['tag', 'draft', 'brouillon', 'newer', 'published']);
      deepStrictEqual(labels(page.waiting), ['draft', 'brouillon', 'newer']);
      deepStrictEqual(labels(page.mine), ['newer']);
      const [tag, draft, french, newer] = page.changed;
      deepStrictEqual([tag.type, tag.locale, tag.state, tag.by], [TAG, null, 'published', null]);
      deepStrictEqual([draft.locale, draft.state, draft.by.name], ['en', 'draft', 'author']);
      deepStrictEqual([french.locale, french.state], ['fr', 'draft']);
      deepStrictEqual([newer.state, newer.by], ['modified', { id: numbers['super-admin'], name: 'super-admin' }]);
      // clocks may turn to the next day meanwhile
      const { weeks } = page;
      deepStrictEqual(
        [weeks.changed, weeks.published].map((days) => days.slice(-2).reduce((a: number, b: number) => a + b)),
        [5, 2],
      );
      strictEqual(weeks.complete, true);
      match(weeks.from, /^\d{4}-\d\d-\d\d$/);
      // who may read in some of the locales is told of these
      const sums = async (as: Browser) => {
        const { weeks: seen } = await home(as);
        return [seen.changed, seen.published].map((days: number[]) => days.reduce((a, b) => a + b));
      };
      deepStrictEqual(await sums(both), [4, 2]);
      deepStrictEqual(await sums(english), [3, 2]);
      const own = await home(author);
      deepStrictEqual([labels(own.changed), labels(own.mine)], [['draft'], ['draft']]);
      strictEqual(own.weeks.changed.some(Boolean), false);
    });

    it('counts no day further than eight weeks back', async () => {
      const before = (await home()).weeks.changed.reduce((a: number, b: number) => a + b);
      const tags = server.app.documents(TAG);
      const { documentId } = (await tags.create({ data: { name: 'old' } })) as { documentId: string };
      const old = server.app.database.dialect.encodeTime(Date.now() - 57 * 86_400_000);
      await server.app.database.transaction(async (tx) => {
        const { placeholder } = tx.dialect;
        const text = `update tags set updated_at = ${placeholder(1)} where document_id = ${placeholder(2)}`;
        await tx.rows(text, [old, documentId]);
      });
      const page = await home();
      strictEqual(
        page.weeks.changed.reduce((a: number, b: number) => a + b),
        before,
      );
      strictEqual(labels(page.changed).at(-1), 'old');
      await tags.update({ documentId, data: { name: '' } });
      strictEqual(labels((await home()).changed)[0], null, 'what has no name is not called by its id');
      await tags.delete({ documentId });
    });

    it('finds documents of all types by their names, as far as they may be seen', async () => {
      const search = async (q: string, as = sue) => {
        const { body } = await ask('GET', `search?q=${encodeURIComponent(q)}`, undefined, as);
        strictEqual(body.meta.complete, true);
        return body.data;
      };
      deepStrictEqual(labels(await search('RA')), ['draft']);
      const [newer] = await search('newer');
      deepStrictEqual([newer.type, newer.locale, newer.state], [POST, 'en', 'modified']);
      const [french] = await search('brouillon');
      deepStrictEqual([french.type, french.locale, french.state], [POST, 'fr', 'draft']);
      const both = server.app.documents(POST);
      const { documentId } = (await both.create({ data: { title: 'Ursa minor' } })) as { documentId: string };
      await both.update({ documentId, locale: 'fr', data: { title: 'Ursa minor' } });
      const ursa = await search('ursa');
      deepStrictEqual(
        ursa.map(({ locale }: { locale: string }) => locale),
        ['en'],
      );
      await both.delete({ documentId });
      const [tag] = await search('ta');
      deepStrictEqual([tag.type, tag.locale, tag.state, tag.label], [TAG, null, null, 'tag']);
      deepStrictEqual(await search('newer', author), []);
      for (const q of ['', ' ', 'x'.repeat(201)]) strictEqual((await ask('GET', `search?q=${q}`)).status, 400);
      strictEqual((await ask('GET', 'search')).status, 400);
    });

    it('stores settings for one administrator only, and deletes them', async () => {
      const settings = async (as = sue) => (await ask('GET', 'me/settings', undefined, as)).body.data;
      const put = async (name: string, value: unknown) =>
        (await ask('PUT', `me/settings/${encodeURIComponent(name)}`, { value })).status;
      deepStrictEqual(await settings(), {});
      strictEqual(await put(`list ${POST}`, { columns: ['title'] }), 204);
      strictEqual(await put(`list ${POST}`, { columns: ['title', 'updatedAt'] }), 204);
      strictEqual(await put('other', true), 204);
      deepStrictEqual(await settings(), { [`list ${POST}`]: { columns: ['title', 'updatedAt'] }, other: true });
      deepStrictEqual(await settings(author), {});
      strictEqual(await put('other', null), 204);
      deepStrictEqual(Object.keys(await settings()), [`list ${POST}`]);
      strictEqual(await put('long', 'x'.repeat(20_000)), 400);
      strictEqual(await put('n'.repeat(151), 1), 400);
      await change(`insert into galley_admin_settings (user_id, name, value)
        select ${numbers['super-admin']}, 'n' || n, '1' from (
          with recursive r(n) as (select 1 union all select n + 1 from r where n < 199) select n from r) x`);
      strictEqual(await put('one more', 1), 400);
      strictEqual(await put('n7', 2), 204);
    });
  });
}
