/** The account page: names, password, second factor and sessions. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import {
  ADMINISTRATOR,
  type Administration,
  codeOf,
  makeFirstAdministrator,
  serveAdministration,
  signIn,
} from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';

describe('the account page', () => {
  let browser: Browser;
  let server: Administration;
  before(async () => {
    browser = await openBrowser();
    server = await serveAdministration(engines[0]!);
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  it('lists sessions and ends them', async () => {
    await using here = await visit(browser, server.url);
    await using there = await visit(browser, server.url, { width: 390 });
    for (const { page } of [there, here]) {
      await page.goto('/admin/account');
      await signIn(page);
      await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
    }
    const assertContract = watchContract(here.context);
    const list = here.page.getByRole('region', { name: 'Where you are signed in' });
    await list.getByText('this device').waitFor();
    await list.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await here.page
      .getByRole('status')
      .getByText(/^Signed out on \d+ devices$/)
      .waitFor();
    strictEqual(await list.getByRole('listitem').count(), 1);
    // An open tab learns of it without a request of its user.
    await there.page.getByText('Sign in to continue where you left off.').waitFor();
    await assertContract();
  });

  it('shows a changed name at once, saves it, and undoes it', async () => {
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    const assertContract = watchContract(visitor.context);
    await page.goto('/admin/account');
    await signIn(page);
    await page.getByLabel('Last name').fill('Kovač-Abt');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Mara Kovač-Abt' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').getByText('Undone').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Mara Kovač', exact: true }).waitFor();
    await assertContract();
    deepStrictEqual(visitor.complaints, []);
  });

  it('turns on a second factor, requires it at sign-in, and accepts a recovery code once', async () => {
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    const assertContract = watchContract(visitor.context);
    await page.goto('/admin/account');
    await signIn(page);
    const places = page.getByRole('region', { name: 'Where you are signed in' });
    const others = places.getByRole('button', { name: /^Sign out / });
    await others.first().waitFor();
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Two-step sign-in' });
    await dialog.getByRole('img', { name: 'QR code of the key' }).waitFor();
    const secret = (await dialog.locator('code').innerText()).replaceAll(/\s/g, '');
    match(secret, /^[A-Z2-7]{16,}$/);
    await dialog.getByLabel('Six-digit code from the app').fill(codeOf(secret));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const recovery = page.getByRole('dialog', { name: 'Recovery codes', exact: true });
    await recovery.waitFor();
    const codes = await recovery.getByRole('listitem').allInnerTexts();
    strictEqual(codes.length, 10);
    // Only the button closes a value that is shown once.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    strictEqual(await recovery.isVisible(), true);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Signing in also requires a code').waitFor();
    await others.first().waitFor({ state: 'detached' });
    strictEqual(await places.getByRole('listitem').count(), 1, 'nobody stays signed in who gave no code');

    const enter = async (code: string): Promise<void> => {
      await visitor.context.clearCookies();
      await page.goto('/admin');
      await signIn(page);
      await page.getByRole('heading', { name: 'Two-step sign-in' }).waitFor();
      await page.getByLabel('Code').fill(code);
      await page.getByRole('button', { name: 'Continue' }).click();
    };
    await enter(codeOf(secret, 1)); // The current code has been used.
    await page.getByRole('heading', { name: 'Good to see you, Mara' }).waitFor();
    await enter(codes[0]!);
    await page.getByRole('heading', { name: 'Good to see you, Mara' }).waitFor();
    await enter(codes[0]!);
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code').fill(codes[1]!);
    await page.getByRole('button', { name: 'Continue' }).click();

    await page.getByRole('heading', { name: 'Good to see you, Mara' }).waitFor();
    await page.goto('/admin/account');
    await page.getByText('8 of 10 recovery codes are left.').waitFor();
    await page.getByRole('button', { name: 'Create new recovery codes' }).click();
    const renewal = page.getByRole('dialog', { name: 'Create new recovery codes' });
    await renewal.getByLabel('Current password').fill(ADMINISTRATOR.password);
    await renewal.getByRole('button', { name: 'Create new codes' }).click();
    await renewal.getByText('Enter the code.').waitFor();
    await renewal.getByLabel('Code from your authenticator app').fill('ABCD-EFGH-IJKL-MNOP');
    await renewal.getByRole('button', { name: 'Create new codes' }).click();
    await renewal.getByRole('alert').waitFor();
    await renewal.getByLabel('Code from your authenticator app').fill(codes[9]!.toLowerCase());
    await renewal.getByRole('button', { name: 'Create new codes' }).click();
    await recovery.waitFor();
    const renewed = await recovery.locator('li').allInnerTexts();
    deepStrictEqual([renewed.length, renewed.some((code) => codes.includes(code))], [10, false]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('10 of 10 recovery codes are left.').waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('dialog').getByLabel('Current password').fill(ADMINISTRATOR.password);
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Your password is enough to sign in.').waitFor();
    await assertContract();
    deepStrictEqual(visitor.complaints, []);
  });

  it('changes the password, and shows an error for a wrong current password', async () => {
    await using visitor = await visit(browser, server.url);
    const { page } = visitor;
    const assertContract = watchContract(visitor.context);
    await page.goto('/admin/account');
    await signIn(page);
    const part = page.getByRole('region', { name: 'Password', exact: true });
    await part.getByRole('button', { name: 'Change password' }).click();
    await part.getByText('Enter your password.').waitFor();
    await part.getByLabel('Current password').fill('Harbour1908');
    await part.getByLabel('New password').fill('Harbour1911');
    await part.getByRole('button', { name: 'Change password' }).click();
    await part.locator('[name=currentPassword][aria-invalid], [role=alert]').first().waitFor();
    await part.getByLabel('Current password').fill(ADMINISTRATOR.password);
    await part.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('status').getByText('Password changed.').waitFor();
    strictEqual(await part.getByLabel('New password').inputValue(), '');
    await assertContract();

    await page.getByRole('button', { name: 'Mara Kovač', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn(page, 'Harbour1911');
    await page.getByRole('heading', { level: 1, name: /Account|Good to see you/ }).waitFor();
    deepStrictEqual(visitor.complaints, []);
  });
});
