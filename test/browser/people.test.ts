/** People and roles: inviting, roles with conditions, and a second factor that a role requires. */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Cookie, Page } from 'playwright-core';
import { stepOf, totpCode } from '../../src/users/administrators/totp.ts';
import {
  ADMINISTRATOR,
  type Administration,
  makeFirstAdministrator,
  serveAdministration,
} from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';

/** Whether the current place of the main navigation is in view. */
function isCurrentVisible(): boolean {
  const place = document.querySelector('nav [aria-current]')!;
  const { left, top, width, height } = place.getBoundingClientRect();
  return place.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

describe('people and roles in the administration app', () => {
  let browser: Browser;
  let server: Administration;
  let cookies: Cookie[];
  let link: string;
  before(async () => {
    [browser, server] = await Promise.all([openBrowser(), serveAdministration(engines[0]!)]);
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
    cookies = await visitor.context.cookies(`${server.url}/admin/`);
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const dialog = (page: Page) => page.getByRole('dialog');

  it('creates a role with the keyboard, reviews its permissions and copies it', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/roles');
    await page.getByRole('link', { name: 'Editor' }).waitFor();
    await page.getByText(/^Rights of the people who edit/).waitFor();
    const iconOf = (name: string) => page.getByRole('link', { name, exact: true }).locator('svg').innerHTML();
    notStrictEqual(await iconOf('Roles'), await iconOf('Site permissions'));
    // The list of places has scrolled to the current one.
    strictEqual(await page.evaluate(isCurrentVisible), true);
    await page.getByRole('button', { name: 'New role' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('editor');
    await page.keyboard.press('Enter');
    await page.getByText('Another role already has this name.').waitFor();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Press');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Press', level: 1 }).waitFor();

    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    await box('Read: Articles').check();
    await box('Change: Articles').check();
    await page.getByRole('button', { name: 'Articles' }).press('Enter');
    await page.getByRole('rowheader', { name: 'Title title' }).waitFor();
    strictEqual(await box('Read: Title of Articles').isChecked(), true);
    await box('Change: Their own of Articles').focus();
    await page.keyboard.press('Space');
    await box('Read: Fields added later of Articles').uncheck();
    await page.getByRole('group', { name: 'Files' }).getByLabel('Upload').check();
    await page.getByText('3 changes').waitFor();
    await page.getByRole('link', { name: 'People' }).click();
    await dialog(page).getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    deepStrictEqual(await dialog(page).getByRole('heading', { level: 3 }).allInnerTexts(), [
      'Articles · Read',
      'Articles · Change',
      'Files · Upload',
    ]);
    match(await dialog(page).innerText(), /Articles · Read\s+Added:\s+Permitted\s+Added:\s+Only these fields: Title/);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('3 changes').waitFor({ state: 'detached' });
    await box('Change: Their own of Articles').uncheck();
    await page.getByRole('button', { name: 'Review and save' }).click();
    match(await dialog(page).innerText(), /Articles · Change\s+Added:\s+All documents/);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();

    await page.getByRole('button', { name: 'Copy' }).click();
    await dialog(page).getByRole('button', { name: 'Create role' }).click();
    await page.getByRole('heading', { name: 'Copy of Press', level: 1 }).waitFor();
    strictEqual(await box('Change: Articles').isChecked(), false);
    await page.getByRole('button', { name: 'Articles' }).click();
    strictEqual(await box('Change: Their own of Articles').isChecked(), true);
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Press' }).waitFor();
    strictEqual(await page.getByRole('link', { name: 'Copy of Press' }).count(), 0);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('invites a person by a link that is shown once, and changes the roles', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/');
    await page.getByRole('link', { name: 'People' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog(page).getByLabel('E-mail').fill(ADMINISTRATOR.email);
    await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('Select at least one role.').waitFor();
    await dialog(page).getByLabel('Press').check();
    await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('This address is already taken.').waitFor();
    await dialog(page).getByLabel('E-mail').fill('nell@example.org');
    await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
    match(await dialog(page).locator('code').innerText(), /\/admin\/invitation#\d+-/);
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'nell@example.org' }).click();
    await page.getByText(/^Invited/).waitFor();
    await page.getByRole('button', { name: 'New invitation link' }).click();
    link = await dialog(page).locator('code').innerText();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByLabel('First name').fill('Nell');
    await page.getByLabel('Editor').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Nell', level: 1 }).waitFor();

    await page.goto('/admin/people');
    await page.getByRole('link', { name: 'Mara Kovač', exact: true }).click();
    strictEqual(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    await page.getByLabel('Super Admin').uncheck();
    await page.getByLabel('Author').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Give up' }).click();
    await page.getByText(/^This is the last super admin/).waitFor();
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('leads to the set-up of a second factor that a role requires, also in the middle of work', async () => {
    await using admin = await visit(browser, server.url);
    await admin.context.addCookies(cookies);
    await using visitor = await visit(browser, server.url, { width: 390 });
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await page.goto(link);
    await page.getByLabel('Password', { exact: true }).fill('Harbour1909');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Good to see you, Nell' }).waitFor();

    await admin.page.goto('/admin/roles');
    await admin.page.getByRole('link', { name: 'Press' }).click();
    await admin.page.getByRole('switch', { name: 'Require two-step sign-in' }).click();
    await dialog(admin.page).getByRole('button', { name: 'Require' }).click();
    await admin.page.getByRole('switch', { name: 'Require two-step sign-in', checked: true }).waitFor();

    // the open page follows the changed role
    await page.getByRole('heading', { name: 'Set up two-step sign-in' }).waitFor();
    await page.goto('/admin/account');
    await page.getByRole('heading', { name: 'Set up two-step sign-in' }).waitFor();

    // an ended session leads from there to the sign-in page and back
    await admin.page.goto('/admin/people');
    await admin.page.getByRole('link', { name: 'Nell' }).click();
    await admin.page.getByText('Two-step sign-in is required but not set up.').waitFor();
    await admin.page.getByRole('button', { name: /^Sign out / }).click();
    await admin.page.getByText('Signed out', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('E-mail').fill('nell@example.org');
    await page.getByLabel('Password', { exact: true }).fill('Harbour1909');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Set up two-step sign-in' }).waitFor();
    await page.getByRole('button', { name: 'Set up' }).click();
    const secret = (await dialog(page).locator('code').innerText()).replaceAll(' ', '');
    await dialog(page)
      .getByLabel('Six-digit code')
      .fill(totpCode(secret, stepOf(Date.now())));
    await dialog(page).getByRole('button', { name: 'Turn on' }).click();
    await dialog(page).getByText('Recovery codes').waitFor();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    await isHeld();
    deepStrictEqual(visitor.complaints, []);

    await admin.page.goto('/admin/people');
    await admin.page.getByRole('link', { name: 'Nell' }).click();
    await admin.page.getByRole('button', { name: 'Block' }).click();
    await dialog(admin.page).getByRole('button', { name: 'Block' }).click();
    await admin.page.getByText('Blocked', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    deepStrictEqual(admin.complaints, []);
  });
});
