/** The history of a document: comparing versions, and restoring one field or a whole version. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, title } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { until } from '../support/wait.ts';

const ANY = { 'if-match': '*' };

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

for (const engine of engines) {
  describe(`the history in the browser (${engine.name})`, () => {
    let room: Newsroom;
    before(async () => {
      room = await openNewsroom(engine, browser);
    });
    after(() => room[Symbol.asyncDispose]());

    const make = async (uid: string, data: object): Promise<string> =>
      (await room.ask('mara', 'POST', `content/${uid}`, { data })).body.data.documentId;
    const save = (who: string, id: string, data: object) => room.ask(who, 'PUT', `${ARTICLE}/${id}`, { data }, ANY);
    const move = (who: string, id: string, action: string) =>
      room.ask(who, 'POST', `${ARTICLE}/${id}/${action}`, {}, ANY);
    const draftOf = async (id: string) => (await room.ask('mara', 'GET', `${ARTICLE}/${id}`)).body.data.draft;
    const versions = (page: Page) => page.getByRole('navigation', { name: 'Versions' });
    const comparison = (page: Page) => page.getByRole('region', { name: 'Comparison' });

    /** An article that two people have edited, with a link to an author that is deleted since. */
    const written = async (): Promise<string> => {
      const author = await make('api::author.author', { name: 'Ada' });
      const id = await make('api::article.article', {
        ...{ title: 'Smoke', summary: 'One hive.', seo: { head: 'Bees' }, author: { set: [{ documentId: author }] } },
      });
      await move('mara', id, 'publish');
      await save('eve', id, { title: 'Honey', summary: 'Two hives.', seo: { head: 'Wax' }, author: { set: [] } });
      await move('eve', id, 'publish');
      strictEqual(
        (await room.ask('mara', 'DELETE', `content/api::author.author/${author}`, undefined, ANY)).status,
        204,
      );
      return id;
    };

    it('is opened from the menu of the document, restores one field, and then a whole version', async () => {
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      const assertContract = watchContract(visitor.context);
      const id = await written();
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await title(page).waitFor();
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'History' }).click();
      await page.getByRole('heading', { name: 'History', exact: true }).waitFor();
      await versions(page).getByRole('heading', { name: 'Eve' }).waitFor();
      const publication = versions(page).getByRole('link', { name: /Replaced by a publication/ });
      strictEqual(await publication.count(), 1);
      await publication.focus();
      await page.keyboard.press('Enter');
      await comparison(page)
        .getByRole('heading', { name: /^Publication from / })
        .waitFor();
      await comparison(page).getByRole('heading', { level: 3 }).first().waitFor();
      deepStrictEqual(await comparison(page).getByRole('heading', { level: 3 }).allTextContents(), [
        'Title',
        'Summary',
        'Seo › Head',
      ]);

      await comparison(page).getByRole('button', { name: 'Restore this field: Summary' }).click();
      const dialog = page.getByRole('dialog', { name: 'Restore “Summary”?' });
      await dialog.waitFor();
      strictEqual(await dialog.getByText('This cannot come back:').count(), 0);
      await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
      await page.getByText('“Summary” restored').waitFor();
      await until('the comparison follows', async () => !(await comparison(page).getByText('Two hives.').count()));
      const { title: name, summary: text } = await draftOf(id);
      deepStrictEqual([name, text], ['Honey', 'One hive.']);
      await versions(page)
        .getByRole('link', { name: /Replaced by an earlier version/ })
        .waitFor();

      await comparison(page).getByRole('button', { name: 'Restore this version' }).click();
      const whole = page.getByRole('dialog', { name: 'Restore this version?' });
      await whole.getByText('Author: 1 linked document was deleted').waitFor();
      await whole.getByRole('button', { name: 'Restore', exact: true }).click();
      await page.waitForURL((url) => url.pathname.endsWith(`/${id}`));
      await until('the form shows it', async () => (await title(page).inputValue()) === 'Smoke');
      const draft = await draftOf(id);
      deepStrictEqual([draft.title, draft.seo.head, draft.author], ['Smoke', 'Bees', []]);
      assertContract();
      deepStrictEqual(visitor.complaints, []);
    });

    it('compares a version with another one, and with the published one', async () => {
      await using visitor = await room.visit('mara', { width: 390 });
      const { page } = visitor;
      const id = await written();
      await save('eve', id, { title: 'Wax' });
      await save('mara', id, { title: 'Comb' });
      await page.goto(`/admin/${ARTICLE}/${id}/history`);
      await versions(page)
        .getByRole('link', { name: /Published now/ })
        .click();
      await comparison(page).getByText('Comb').waitFor();
      // On a phone, the comparison takes the place of the timeline.
      strictEqual(await versions(page).isVisible(), false);
      await comparison(page).getByRole('link', { name: 'All versions' }).click();
      await versions(page)
        .getByRole('link', { name: /Replaced by a publication/ })
        .click();
      await comparison(page).getByRole('combobox', { name: 'Compared with' }).selectOption('Published now');
      await comparison(page).getByText('Honey').first().waitFor();
      strictEqual(await comparison(page).getByText('Comb').count(), 0);
      strictEqual(
        await comparison(page)
          .getByRole('button', { name: /^Restore this field/ })
          .count(),
        0,
      );
      deepStrictEqual(visitor.complaints, []);
    });

    it('restores nothing for those who may not change the document', async () => {
      const id = await written();
      await room.admit('rita', 'strapi-author');
      const [{ id: version }] = (await room.ask('mara', 'GET', `${ARTICLE}/${id}/versions`)).body.data;
      const url = `${ARTICLE}/${id}/versions/${version}/restore`;
      const refused = await room.ask('rita', 'POST', url, {}, ANY);
      strictEqual(refused.status, 404);
      strictEqual((await room.ask('mara', 'POST', url, {}, { 'if-match': '"old"' })).status, 412);
    });
  });
}
