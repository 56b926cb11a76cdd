/** What administrators with restricted permissions can see and do with documents. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { makeRole } from '../support/accounts/administrators.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, idOf, NEW, panel, saved, saveNow, summary, title } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { until } from '../support/wait.ts';

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

for (const engine of engines) {
  describe(`a document with restricted permissions (${engine.name})`, () => {
    let room: Newsroom;
    before(async () => {
      room = await openNewsroom(engine, browser);
    });
    after(() => room[Symbol.asyncDispose]());

    /** The document as the server has it. */
    const stored = async (documentId: string, locale = 'en') =>
      (await room.ask('mara', 'GET', `${ARTICLE}/${documentId}?locale=${locale}`)).body.data;
    const write = async (data: object): Promise<string> =>
      (await room.ask('mara', 'POST', ARTICLE, { data })).body.data.documentId;

    it('offers no publishing without that permission, and hides documents of others', async () => {
      const others = await write({ title: 'By Mara' });
      await using visitor = await room.visit('jonas');
      const { page } = visitor;
      await page.goto(NEW);
      await title(page).fill('By Jonas');
      await saveNow(page);
      await saved(page);
      const id = idOf(page);
      deepStrictEqual((await stored(id)).createdBy.name, 'jonas');
      await panel(page).getByText('Your roles do not let you publish this').waitFor();
      strictEqual(await page.getByRole('button', { name: /Publish/ }).count(), 0);
      await page.keyboard.press('Control+Shift+p');
      await room.ask('mara', 'POST', `${ARTICLE}/${id}/publish`, {});
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
      strictEqual(await page.getByRole('menuitem', { name: 'Unpublish' }).count(), 0);
      await page.goto(`/admin/${ARTICLE}/${others}`);
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      deepStrictEqual(visitor.complaints, []);
    });

    it('shows only the permitted locale, and which fields are read-only', async () => {
      const subject = 'api::article.article';
      const fields = ['title', 'slug', 'summary', 'author'];
      await makeRole(room.server, 'translator', [
        { operation: 'read', subject, properties: { fields, locales: ['fr'] } },
        { operation: 'update', subject, properties: { fields: ['title'], locales: ['fr'] } },
      ]);
      await room.admit('fran', 'translator');
      const id = await write({ title: 'Rope' });
      await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: { title: 'Corde' }, locale: 'fr' });
      await using visitor = await room.visit('fran');
      const { page } = visitor;
      const assertContract = watchContract(visitor.context);
      await page.goto(`/admin/${ARTICLE}`);
      await page.getByRole('grid').getByText('Corde').click();
      await until('it is there', async () => (await title(page).inputValue()) === 'Corde');
      strictEqual(await page.getByRole('combobox', { name: 'Locale' }).count(), 0);
      strictEqual(await panel(page).getByText('English').count(), 0);
      strictEqual(await summary(page).getAttribute('readonly'), '');
      // There may be a linked document all the same.
      await page.getByText('Your roles do not let you see the linked documents.').waitFor();
      await panel(page).getByText('Your roles do not let you publish this').waitFor();
      await title(page).fill('Cordage');
      await saveNow(page);
      await until('it is saved', async () => (await stored(id, 'fr')).draft.title === 'Cordage');
      strictEqual((await stored(id)).draft.title, 'Rope');
      await page.goto(NEW);
      await title(page).waitFor();
      strictEqual(await title(page).getAttribute('readonly'), '', 'none may be made');
      await panel(page).getByText('Your roles do not let you create documents here.').waitFor();
      await assertContract();
      deepStrictEqual(visitor.complaints, []);
    });

    it('offers to delete only the permitted locale, on the page and in the list', async () => {
      const subject = 'api::article.article';
      const fields = ['title', 'slug', 'summary'];
      const both = { fields, locales: ['en', 'fr'] };
      const french = { fields, locales: ['fr'] };
      await makeRole(room.server, 'cutter', [
        { operation: 'read', subject, properties: both },
        { operation: 'delete', subject, properties: french },
        { operation: 'publish', subject, properties: french },
      ]);
      await room.admit('cleo', 'cutter');
      const ids: string[] = [];
      for (const name of ['Keel', 'Keelson']) {
        const id = await write({ title: name });
        await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: { title: `${name} (fr)` }, locale: 'fr' });
        ids.push(id);
      }
      // More links than are checked. An administrator who may not see authors learns of none.
      const shelf = ids.flatMap((article) => Array(101).fill({ __component: 'shared.pick', article }));
      await room.ask('mara', 'POST', 'content/api::author.author', { data: { name: 'Collector', shelf } });
      await using visitor = await room.visit('cleo');
      const { page } = visitor;
      const assertContract = watchContract(visitor.context);
      await page.goto(`/admin/${ARTICLE}/${ids[0]}?locale=en`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Keel');
      await page.getByRole('button', { name: 'More', exact: true }).click();
      deepStrictEqual(await page.getByRole('menuitem').allInnerTexts(), ['History']);
      await page.keyboard.press('Escape');
      await page.goto(`/admin/${ARTICLE}/${ids[0]}?locale=fr`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Keel (fr)');
      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Other documents may link to it.').waitFor();
      deepStrictEqual(await dialog.getByRole('button').allInnerTexts(), ['Cancel', 'Delete the French version']);
      await dialog.getByRole('button', { name: 'Delete the French version' }).click();
      await until('the other one is there', async () => (await title(page).inputValue()) === 'Keel');
      deepStrictEqual((await stored(ids[0]!)).states, { en: 'draft' });

      const choose = async (locale: string, name: string): Promise<readonly string[]> => {
        await page.goto(`/admin/${ARTICLE}?locale=${locale}&q=Keelson`);
        await page.getByRole('grid').getByRole('row').filter({ hasText: name }).getByRole('checkbox').check();
        const names = await page.getByRole('toolbar').getByRole('button').allInnerTexts();
        return names.filter((text) => text !== '');
      };
      deepStrictEqual(await choose('en', 'Keelson'), []);
      deepStrictEqual(await choose('fr', 'Keelson (fr)'), [
        'Publish',
        'Unpublish',
        'Schedule…',
        'Delete the French version',
      ]);
      await page.getByRole('button', { name: 'Delete the French version' }).click();
      await dialog.getByText('There may be other documents that link to it.').waitFor();
      strictEqual(await dialog.getByRole('heading').innerText(), 'Delete the French version of 1 document');
      await dialog.getByRole('button', { name: 'Delete the French version' }).click();
      await page.getByText('The French version of 1 document deleted').waitFor();
      await page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
      await until('it is gone', async () => !('fr' in (await stored(ids[1]!)).states));
      deepStrictEqual((await stored(ids[1]!)).states, { en: 'draft' });
      await assertContract();
      deepStrictEqual(visitor.complaints, []);
      // An administrator who may not see other locales only learns that there are some.
      await makeRole(room.server, 'French cutter', [
        { operation: 'read', subject, properties: french },
        { operation: 'delete', subject, properties: french },
      ]);
      await room.admit('fleur', 'French cutter');
      await room.ask('mara', 'PUT', `${ARTICLE}/${ids[1]}`, { data: { title: 'Keelson (fr)' }, locale: 'fr' });
      const { may } = (await room.ask('fleur', 'GET', `${ARTICLE}/${ids[1]}?locale=fr`)).body.data;
      deepStrictEqual(may, { update: false, delete: true, deleteAll: false, publish: false });
      await using other = await room.visit('fleur');
      await other.page.goto(`/admin/${ARTICLE}`);
      await other.page.getByRole('checkbox', { name: 'Select Keelson (fr)' }).check();
      await other.page.getByRole('button', { name: 'Delete the French version' }).waitFor();
      deepStrictEqual(other.complaints, []);
      // A hidden version is not deleted with a visible one, even if its locale may be deleted.
      await makeRole(room.server, 'English cutter', [
        { operation: 'read', subject, properties: { fields, locales: ['en'] } },
        { operation: 'delete', subject, properties: both },
      ]);
      await room.admit('enid', 'English cutter');
      const alone = await write({ title: 'Kelson' });
      await using third = await room.visit('enid');
      const remove = async (name: string): Promise<void> => {
        await third.page.goto(`/admin/${ARTICLE}`);
        await third.page.getByRole('checkbox', { name: `Select ${name}` }).check();
        await third.page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      };
      const asked = third.page.getByRole('dialog', { name: 'Delete the English version of 1 document' });
      await remove('Keelson');
      await asked.getByText(/^There are versions in other locales that your roles do not let you delete/).waitFor();
      deepStrictEqual(await asked.getByRole('button').allInnerTexts(), ['Cancel', 'Delete the English version']);
      await asked.getByRole('button', { name: 'Delete the English version' }).click();
      await third.page.getByText('The English version of 1 document deleted').waitFor();
      await third.page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
      await until('it is gone', async () => !('en' in (await stored(ids[1]!)).states));
      deepStrictEqual((await stored(ids[1]!, 'fr')).states, { fr: 'draft' });
      await remove('Kelson');
      await third.page.getByText('1 document deleted').waitFor();
      await third.page.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
      await until('it is gone', async () => (await room.ask('mara', 'GET', `${ARTICLE}/${alone}`)).status === 404);
      deepStrictEqual(third.complaints, []);
    });

    it('warns before deleting documents without locales that some, or the only one, may not be deleted', async () => {
      const subject = 'api::author.author';
      const properties = { fields: ['name'] };
      await makeRole(room.server, 'librarian', [
        { operation: 'read', subject, properties },
        { operation: 'create', subject, properties },
        { operation: 'delete', subject, properties, conditions: ['admin::is-creator'] },
      ]);
      await room.admit('lena', 'librarian');
      for (const who of ['mara', 'lena']) {
        await room.ask(who, 'POST', `content/${subject}`, { data: { name: `By ${who}` } });
      }
      await using visitor = await room.visit('lena');
      const { page } = visitor;
      await page.goto(`/admin/content/${subject}`);
      await page.getByRole('checkbox', { name: 'Select By mara' }).check();
      const remove = page.getByRole('toolbar').getByRole('button', { name: 'Delete' });
      await remove.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Your roles do not let you delete this document.').waitFor();
      deepStrictEqual(await dialog.getByRole('button').allInnerTexts(), ['Cancel']);
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: 'Select By lena' }).check();
      await remove.click();
      await dialog.getByText('You may not delete some of these 2 documents. They will be kept.').waitFor();
      deepStrictEqual(await dialog.getByRole('button').allInnerTexts(), ['Cancel', 'Delete']);
      deepStrictEqual(visitor.complaints, []);
    });

    it('shows documents of others read-only to editors who may change only their own', async () => {
      const subject = 'api::article.article';
      const properties = { fields: ['title', 'slug', 'summary'], locales: ['en', 'fr'] };
      const conditions = ['admin::is-creator'];
      await makeRole(room.server, 'columnist', [
        { operation: 'read', subject, properties },
        { operation: 'create', subject, properties },
        { operation: 'update', subject, properties, conditions },
        { operation: 'delete', subject, properties, conditions },
      ]);
      await room.admit('cara', 'columnist');
      await makeRole(room.server, 'English columnist', [
        { operation: 'read', subject, properties },
        { operation: 'create', subject, properties: { ...properties, locales: ['en'] } },
      ]);
      await room.admit('edna', 'English columnist');
      const others = await write({ title: 'By Mara' });
      await using visitor = await room.visit('cara');
      const { page } = visitor;
      const choices = async (): Promise<readonly string[]> => {
        await page.getByRole('button', { name: 'More', exact: true }).first().click();
        const names = await page.getByRole('menuitem').allInnerTexts();
        await page.keyboard.press('Escape');
        return names;
      };
      await page.goto(`/admin/${ARTICLE}/${others}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'By Mara');
      strictEqual(await title(page).getAttribute('readonly'), '');
      deepStrictEqual(await choices(), ['History', 'Duplicate']);
      await panel(page).getByText('Your roles let you read this, but not change it.').waitFor();
      const several = await write({ title: 'In two locales' });
      await room.ask('mara', 'PUT', `${ARTICLE}/${several}`, { data: { title: 'En deux langues' }, locale: 'fr' });
      await using english = await room.visit('edna');
      for (const [id, offered] of [
        [others, ['History', 'Duplicate']],
        [several, ['History']],
      ] as const) {
        await english.page.goto(`/admin/${ARTICLE}/${id}`);
        await panel(english.page).getByText('Your roles let you read this, but not change it.').waitFor();
        await english.page.getByRole('button', { name: 'More', exact: true }).click();
        deepStrictEqual(await english.page.getByRole('menuitem').allInnerTexts(), offered);
      }
      await page.goto(NEW);
      await title(page).fill('By Cara');
      await saveNow(page);
      await saved(page);
      strictEqual((await stored(idOf(page))).createdBy.name, 'cara');
      strictEqual(await title(page).getAttribute('readonly'), null);
      deepStrictEqual(await choices(), ['History', 'Duplicate', 'Revert changes', 'Delete']);
      // A published version of someone else may not be deleted, so the whole version stays.
      const id = idOf(page);
      await room.ask('mara', 'POST', `${ARTICLE}/${id}/publish`, {});
      await room.server.app.database.transaction(async (tx) => {
        const own = `select id from admin_users where firstname = 'mara'`;
        const text = `update articles set created_by_id = (${own}) where document_id = '${id}' and published_at is not null`;
        await tx.rows(text, []);
      });
      await page.reload();
      await until('it is there', async () => (await title(page).inputValue()) === 'By Cara');
      // at first the page shows the rights that it has stored
      await until('the rights are current', async () => !(await choices()).includes('Delete'));
      deepStrictEqual(await choices(), ['History', 'Duplicate', 'Revert changes']);
      deepStrictEqual(visitor.complaints, []);
    });
  });
}
