/** The first start and the first sign-in. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import {
  ADMINISTRATOR,
  type Administration,
  makeFirstAdministrator,
  serveAdministration,
  signIn,
} from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

for (const engine of engines) {
  describe(`a first start in the browser (${engine.name})`, () => {
    let server: Administration;
    before(async () => {
      server = await serveAdministration(engine);
    });
    after(() => server[Symbol.asyncDispose]());

    it('explains without the printed address how the first administrator is created', async () => {
      await using visitor = await visit(browser, server.url);
      await visitor.page.goto('/admin');
      await visitor.page.getByRole('heading', { name: 'No one can sign in yet' }).waitFor();
      await visitor.page
        .getByText(/^npm run -s galley -- admin create --email you@example\.org path\/to\/\S+$/)
        .waitFor();
      deepStrictEqual(visitor.complaints, []);
    });

    it('creates the first administrator at the printed address, which works only once', async () => {
      await using visitor = await visit(browser, server.url);
      const { page } = visitor;
      const assertContract = watchContract(visitor.context);
      await page.goto(`${server.firstAddress}0`);
      await page.getByRole('heading', { name: 'This address is no longer valid' }).waitFor();
      // Only the part after the # differs.
      await page.goto(server.firstAddress);
      await page.getByRole('button', { name: 'Create account' }).click();
      for (const what of ['your first name', 'your e-mail address']) await page.getByText(`Enter ${what}.`).waitFor();
      await page.getByText(/^npm run -s galley -- admin create/).waitFor();
      await page.getByLabel('First name').fill('Mara');
      await page.getByLabel('E-mail').fill(ADMINISTRATOR.email);
      await page.getByLabel('Password', { exact: true }).fill('weak and long');
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.locator('input[name=password][aria-invalid]').waitFor();

      await using late = await visit(browser, server.url);
      await late.page.goto(server.firstAddress);
      await late.page.getByLabel('First name').fill('Eve');
      await late.page.getByLabel('E-mail').fill('eve@example.org');
      await late.page.getByLabel('Password', { exact: true }).fill('Harbour1910');
      await makeFirstAdministrator(page, server);
      await late.page.getByRole('button', { name: 'Create account' }).click();
      await late.page.getByRole('heading', { name: 'This address is no longer valid' }).waitFor();
      strictEqual(new URL(page.url()).hash, '', 'the token has left the address');
      await assertContract();
      deepStrictEqual(visitor.complaints, []);

      await using other = await visit(browser, server.url);
      await other.page.goto(server.firstAddress);
      await other.page.getByRole('heading', { name: 'This address is no longer valid' }).waitFor();
      strictEqual(await other.page.getByLabel('First name').count(), 0);
      await other.page.getByRole('link', { name: 'Sign in' }).click();
      await other.page.getByLabel('E-mail').waitFor();
    });

    it('signs in with the password, and reports a wrong one in the language of the app', async () => {
      await using visitor = await visit(browser, server.url);
      const { page } = visitor;
      await page.goto('/admin');
      await signIn(page, 'Harbour1908');
      await page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
      strictEqual(await page.getByLabel('E-mail').inputValue(), ADMINISTRATOR.email, 'what was written is still there');
      await signIn(page);
      await page.getByRole('heading', { name: 'Good to see you, Mara' }).waitFor();
      const cookie = (await visitor.context.cookies(`${server.url}/admin/`)).find(
        ({ name }) => name === 'galley_admin',
      );
      ok(cookie?.httpOnly);
      strictEqual(cookie.sameSite, 'Strict');
      deepStrictEqual(visitor.complaints, []);
    });
  });
}
