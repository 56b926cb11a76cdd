/** Scheduling in the administration app: the dialog, the mark on the document, lists, the calendar and failures. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/wait.ts';

const ARTICLE = 'api::article.article';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('scheduling in the administration app', () => {
  // the browser has its own clock, which is the real one
  const clock = new FakeClock(Date.now());
  let browser: Browser;
  let newsroom: Newsroom;
  before(async () => {
    browser = await openBrowser();
    newsroom = await openNewsroom(engines[0]!, browser, undefined, undefined, { clock });
    strictEqual((await newsroom.ask('mara', 'PUT', 'site', { timeZone: 'Europe/Berlin' })).status, 200);
  });
  after(async () => {
    await newsroom?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const write = async (title: string): Promise<string> =>
    (await newsroom.ask('mara', 'POST', `content/${ARTICLE}`, { data: { title } })).body.data.documentId;
  const scheduled = async (documentId: string) =>
    (await newsroom.ask('mara', 'GET', `content/${ARTICLE}/${documentId}/schedule`)).body.data as {
      at: string;
      state: string;
      action: string;
      locale: unknown;
    }[];
  const open = (page: Page, documentId: string) => page.goto(`/admin/content/${ARTICLE}/${documentId}`);

  it('schedules across a change of clocks, and says what happens then', async () => {
    const documentId = await write('Clocks');
    await using visitor = await newsroom.visit('mara');
    const { page, context, complaints } = visitor;
    const isHeld = watchContract(context);
    await open(page, documentId);
    await page.getByRole('button', { name: 'Schedule…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Schedule' });
    match(await dialog.getByRole('status').innerText(), /9:00.* in .?Berlin.?, .?(tomorrow|in \d+ hours)/);
    await dialog.getByLabel('Day').fill('2027-03-28');
    await dialog.getByLabel('Time', { exact: true }).fill('02:30');
    await dialog.getByText(/skip .?2:30.AM.?\. It happens at .?3:30/).waitFor();
    await dialog.getByLabel('Day').fill('2027-10-31');
    await dialog.getByLabel('Which one?').selectOption('1');
    match(await dialog.getByLabel('Which one?').innerText(), /The second .?2:30.AM.? \(.?GMT\+1/);
    match(
      await dialog.getByRole('status').innerText(),
      /October 31, 2027.*2:30.AM.*in .?Berlin \(.?GMT\+1.?\).?, .?(in 11 months|next year)/,
    );
    await dialog.getByLabel('Locale').selectOption('All locales');
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Will be published').first().waitFor();
    const [item] = await scheduled(documentId);
    deepStrictEqual([item!.at, item!.locale], ['2027-10-31T01:30:00.000Z', '*']);
    await page.getByRole('list', { name: 'Scheduled' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('No longer scheduled').waitFor();
    await page.getByText('Will be published').first().waitFor({ state: 'hidden' });
    await isHeld();
    deepStrictEqual(complaints, []);
  });

  it('publishes with the keyboard at a time, and the page shows it', async () => {
    const documentId = await write('On time');
    await using visitor = await newsroom.visit('mara');
    const { page } = visitor;
    await open(page, documentId);
    await page.getByRole('button', { name: 'Schedule…' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Schedule' }).getByLabel('Day').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Will be published').first().waitFor();
    const [before] = await scheduled(documentId);
    await page.getByRole('list', { name: 'Scheduled' }).getByRole('button', { name: 'Change time' }).focus();
    await page.keyboard.press('Enter');
    const change = page.getByRole('dialog', { name: 'Change the time' });
    strictEqual(await change.getByLabel('Time', { exact: true }).inputValue(), '09:00');
    strictEqual(await change.getByLabel('Action').count(), 0);
    await change.getByLabel('Time', { exact: true }).fill('10:30');
    await page.keyboard.press('Enter');
    await page.getByText('Time changed').waitFor();
    await change.waitFor({ state: 'detached' });
    const [item] = await scheduled(documentId);
    strictEqual(Date.parse(item!.at) - Date.parse(before!.at), 1.5 * HOUR);
    clock.set(Date.parse(item!.at));
    await until('it is published', async () => (await scheduled(documentId))[0]!.state === 'done');
    await page.reload();
    await page.getByRole('button', { name: 'Up to date' }).first().waitFor();
    strictEqual(await page.getByText('Will be published').count(), 0);
  });

  it('refuses a draft that cannot be published, and names its fields', async () => {
    const documentId = await write('x');
    await newsroom.server.app.documents(ARTICLE).update({ documentId, data: { title: null } });
    await using visitor = await newsroom.visit('mara');
    const { page } = visitor;
    await open(page, documentId);
    await page.getByRole('button', { name: 'Schedule…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Schedule' });
    await dialog.getByLabel('Day').fill('2099-09-01');
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await dialog.getByText('This is more than five years ahead.').waitFor();
    strictEqual(await dialog.getByText('This is more than five years ahead.').count(), 1);
    strictEqual(await dialog.getByRole('alert').count(), 0);
    await dialog.getByLabel('Day').fill('2027-09-01');
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    match(await dialog.innerText(), /1 field needs attention before this can be published\s+title/i);
    deepStrictEqual(await scheduled(documentId), []);
  });

  it('schedules several documents of a list, and the calendar shows them by day', async () => {
    const ids = [await write('First of two'), await write('Second of two')];
    await using visitor = await newsroom.visit('mara');
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await page.goto(`/admin/content/${ARTICLE}?q=of two`);
    for (const name of ['First of two', 'Second of two'])
      await page
        .getByRole('row', { name: new RegExp(name) })
        .getByRole('checkbox')
        .check();
    await page.getByRole('button', { name: 'Schedule…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Schedule 2 documents' });
    const day = new Date(Date.now() + 40 * DAY).toISOString().slice(0, 10);
    await dialog.getByLabel('Day').fill(day);
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('2 documents scheduled').waitFor();
    for (const id of ids) strictEqual((await scheduled(id)).length, 1);
    const mark = page.getByRole('row', { name: /First of two/ }).getByRole('img', { name: /^Will be published / });
    await mark.hover();
    await page.getByRole('tooltip', { name: /^Will be published .*9:00/ }).waitFor();

    await page.goto('/admin/');
    await page.getByRole('link', { name: 'Calendar' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    const today = page.locator('[data-day][aria-current=date]');
    await today.focus();
    for (let n = 0; n < 40; n++) await page.keyboard.press('ArrowRight');
    await page.locator(`[data-day="${day}"][aria-pressed=true]`).waitFor();
    const rows = page.getByRole('list').filter({ hasText: 'First of two' }).getByRole('listitem');
    await rows.filter({ hasText: 'Second of two' }).waitFor();
    await page.getByRole('button', { name: 'Cancel what is scheduled for First of two' }).click();
    await page.getByText('No longer scheduled').waitFor();
    await page.getByRole('tab', { name: 'List' }).click();
    await page.getByRole('link', { name: 'Second of two' }).waitFor();
    strictEqual(await page.getByRole('link', { name: 'First of two' }).count(), 0);
    await isHeld();
  });

  it('shows a failure on the first page, where it is tried again by hand', async () => {
    const documentId = await write('Late edition');
    const at = new Date(clock.now() + HOUR).toISOString();
    const made = await newsroom.ask('mara', 'POST', `content/${ARTICLE}/${documentId}/schedule`, {
      ...{ action: 'publish', at, locale: 'en' },
    });
    strictEqual(made.status, 201);
    const articles = newsroom.server.app.documents(ARTICLE);
    await articles.update({ documentId, data: { title: null } });
    clock.set(Date.parse(at));
    await until('it has failed', async () => (await scheduled(documentId))[0]!.state === 'failed');
    await articles.update({ documentId, data: { title: 'Late edition' } });
    await using visitor = await newsroom.visit('mara');
    const { page } = visitor;
    await page.goto('/admin/');
    const failures = page.getByRole('list', { name: 'Failed at the scheduled time' });
    await failures.getByText('Could not be published').waitFor();
    await failures.getByText('Correct the document and try again, or dismiss this.').waitFor();
    match((await failures.getByRole('link', { name: 'Open Late edition' }).getAttribute('href'))!, /locale=en/);
    await failures.getByRole('button', { name: 'Try again: Late edition' }).click();
    await failures.waitFor({ state: 'hidden' });
    await until('it is published', async () => (await scheduled(documentId))[0]!.state === 'done');
  });

  it('is not offered to editors who may not publish', async () => {
    const documentId = await write('Not yours');
    await using visitor = await newsroom.visit('jonas');
    const { page } = visitor;
    await page.goto('/admin/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    strictEqual(await page.getByRole('link', { name: 'Calendar' }).count(), 0);
    strictEqual((await newsroom.ask('jonas', 'GET', 'schedule')).status, 200);
    strictEqual(
      (
        await newsroom.ask('jonas', 'POST', `content/${ARTICLE}/${documentId}/schedule`, {
          action: 'publish',
          at: new Date(clock.now() + DAY).toISOString(),
        })
      ).status >= 400,
      true,
    );
  });
});
