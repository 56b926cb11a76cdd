/** The trash: a deleted page comes back with its links, by the notice after deleting it and from the page of the trash. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, AUTHOR, serveWritten, type Written } from '../support/browser/written.ts';
import { engines } from '../support/databases/databases.ts';
import { uploadSamples } from '../support/media/media.ts';
import { until } from '../support/wait.ts';

describe('the trash in the administration app', () => {
  let browser: Browser;
  let server: Written;
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveWritten(engines[0]!, 6)]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** The name of the author of an article. */
  const authorOf = async (documentId: string): Promise<unknown> => {
    const article = await server.app.documents(ARTICLE).findOne({ documentId, populate: ['author'], status: 'draft' });
    return (article as { readonly author: { readonly name: string } | null } | null)?.author?.name;
  };

  it('restores a deleted document with its links', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await server.admit(context);
    const [article] = server.articles;
    const name = String(await authorOf(article!));
    const author = await server.app.documents(AUTHOR).findFirst({ filters: { name } });
    await server.app.documents(AUTHOR).delete({ documentId: String(author!.documentId) });
    strictEqual(await authorOf(article!), undefined);
    await page.goto('/admin/');
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('button', { name: `Restore ${name}` }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Restore “${name}”?` });
    await dialog.getByText('Everything comes back').waitFor();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText(`“${name}” was restored.`).waitFor();
    strictEqual(await authorOf(article!), name);
    await page.getByText('The trash is empty').waitFor();
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('takes a deletion back by the notice, and deletes for good after a confirmation', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    await server.admit(context);
    const { documentId } = await server.app.documents(AUTHOR).create({ data: { name: 'Ines' } });
    const remove = async (): Promise<void> => {
      await page.goto(`/admin/content/${AUTHOR}/${documentId}`);
      await page.getByRole('button', { name: 'More' }).first().click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('“Ines” deleted').waitFor();
    };
    const isThere = async () =>
      (await server.app.documents(AUTHOR).findOne({ documentId: String(documentId) })) !== null;
    await remove();
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('it is restored', isThere);
    await remove();
    await page.goto('/admin/trash');
    await page.getByRole('button', { name: 'Delete for good: Ines' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('“Ines” was deleted for good.').waitFor();
    strictEqual(await isThere(), false);
    deepStrictEqual(visitor.complaints, []);
  });

  it('restores a deleted file, which is then in the library again', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await server.admit(context);
    const [file] = await uploadSamples(server, ['note.txt']);
    const record = `/api/upload/files/${file.id}`;
    const token = server.secrets['full'];
    strictEqual((await server.request('DELETE', record, { token })).status, 200);
    await page.goto('/admin/trash');
    const row = page.getByRole('listitem').filter({ hasText: 'note.txt' });
    await row.getByText(/^File · /).waitFor();
    await row.getByRole('button', { name: 'Restore note.txt' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore “note.txt”?' });
    await dialog.getByText('Everything comes back: files').waitFor();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('“note.txt” was restored.').waitFor();
    strictEqual((await server.get(record, token)).status, 200);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });
});
