/** Webhooks and jobs: creating, testing, resending and running. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Cookie } from 'playwright-core';
import { type Administration, makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';
import { type Receiver, startReceiver } from '../support/servers/receiver.ts';

describe('webhooks and jobs in the administration app', () => {
  let browser: Browser;
  let server: Administration;
  let receiver: Receiver;
  let cookies: Cookie[];
  before(async () => {
    [browser, server, receiver] = await Promise.all([openBrowser(), serveAdministration(engines[0]!), startReceiver()]);
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
    cookies = await visitor.context.cookies(`${server.url}/admin/`);
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await receiver?.close();
  });

  it('creates a webhook with the keyboard, tests it, turns it off, resends a delivery and deletes it', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/');
    await page.getByRole('link', { name: 'Webhooks' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('link', { name: 'New webhook' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name', { exact: true }).fill('Site');
    await page.getByLabel('Address').fill('ftp://site');
    await page.getByRole('group', { name: 'Content' }).getByLabel('Created').check();
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByLabel('Name of header 1').fill('Authorization');
    await page.getByLabel('Value of header 1').fill('Bearer hidden-token');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('it must begin with https:// or http://').waitFor();
    await page.getByLabel('Address').fill(receiver.url);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    match(await dialog.locator('code').innerText(), /^whsec_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Site', level: 1 }).waitFor();

    receiver.answer = () => ({ status: 503, body: 'come back later' });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^Not accepted: 503 after/).waitFor();
    await page.getByText('come back later').first().waitFor();
    strictEqual(receiver.received[0]!.headers['authorization'], 'Bearer hidden-token');
    deepStrictEqual(await page.getByLabel('Value of header 1').inputValue(), '');
    await page.getByLabel('Name', { exact: true }).fill('The site');
    const [save, address] = [page.getByRole('button', { name: 'Save', exact: true }), page.getByLabel('Address')];
    await page.route('**/admin/api/webhooks/*', async (route) => {
      // Changes during a save stay in the form.
      if (route.request().method() === 'PUT') await address.fill(`${receiver.url}/later`);
      await route.fallback();
    });
    await save.click();
    await page.getByRole('heading', { name: 'The site', level: 1 }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await save.and(page.locator(':enabled')).click();
    await save.and(page.locator('[aria-disabled=true]')).waitFor();
    strictEqual(await address.inputValue(), `${receiver.url}/later`);

    await page.evaluate(() =>
      fetch('/admin/api/content/api::article.article', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data: { title: 'Fog' } }),
      }),
    );
    await page.getByText('Retrying').waitFor();
    receiver.answer = () => ({ status: 200 });
    await page.getByRole('button', { name: 'Resend Created of article' }).click();
    await page.getByRole('listitem').filter({ hasText: 'article' }).getByText('Delivered').waitFor();
    strictEqual(receiver.received.at(-1)!.headers['authorization'], 'Bearer hidden-token');

    await page.goto('/admin/webhooks');
    await page.getByRole('switch', { name: 'On: The site' }).click();
    await page.getByRole('switch', { name: 'Off: The site' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('switch', { name: 'On: The site' }).waitFor();
    await page.getByRole('link', { name: 'The site' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('describes the times of jobs in the language of the reader, and runs one', async () => {
    await using visitor = await visit(browser, server.url, { language: 'de', width: 390 });
    const { page, context } = visitor;
    await context.addCookies(cookies);
    await page.goto('/admin/jobs');
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    match(await row('send the newsletter').innerText(), /Montag um 08:00 · 0 8 \* \* 1 · Europe\/Berlin/);
    match(await row('count readers').innerText(), /Alle 15 Minuten/);
    await row('count readers').getByRole('button', { name: 'Jetzt starten: count readers' }).click();
    await row('count readers').getByText('the counter does not answer').waitFor();
    match(await row('count readers').innerText(), /Fehlgeschlagen .* in \d/);
    deepStrictEqual(visitor.complaints, []);
  });
});
