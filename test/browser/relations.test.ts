/** Relations in a form: searching among many documents, distinguishing, sorting and counting them. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { saved, saveNow } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { hasFocus } from '../support/browser/one-page.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType } from '../support/servers/project.ts';
import { settled, until } from '../support/wait.ts';

const TEAM = 'api::team.team';
const PERSON = 'api::person.person';
const drafts = { options: { draftAndPublish: true } };
const contentTypes = {
  team: contentType(
    'team',
    {
      name: { type: 'string' },
      people: { type: 'relation', relation: 'manyToMany', target: PERSON },
      lead: { type: 'relation', relation: 'manyToOne', target: PERSON },
    },
    { info: { displayName: 'Team' }, ...drafts },
  ),
  person: contentType(
    'person',
    { name: { type: 'string' }, slug: { type: 'uid', targetField: 'name' } },
    { info: { displayName: 'Person' }, ...drafts },
  ),
};
const PEOPLE = 120;

describe('relations in the form', () => {
  let browser: Browser;
  let room: Newsroom;
  let page: Page;
  let complaints: readonly string[];
  let isHeld: () => Promise<void>;
  /** The ids of people by their number. */
  const people: string[] = [];
  before(async () => {
    browser = await openBrowser();
    room = await openNewsroom(engines[0]!, browser, { contentTypes, components: {} });
    const made = room.server.app.documents(PERSON);
    for (let n = 0; n < PEOPLE; n += 1) {
      const data = { name: `Plain ${n}`, slug: `plain-${n}` };
      const { documentId } = (await made.create({ data, status: n < 4 ? 'published' : 'draft' } as never)) as {
        documentId: string;
      };
      people.push(documentId);
    }
    const visitor = await room.visit('mara');
    ({ page, complaints } = visitor);
    isHeld = watchContract(visitor.context);
  });
  after(async () => {
    await browser?.close();
    await room?.[Symbol.asyncDispose]();
  });

  const field = (name: string) => page.getByRole('group', { name });
  const finder = (name: string) => page.getByRole('combobox', { name: `${name}: Find a document to link` });
  const options = () => page.getByRole('option');
  const links = (name: string) => field(name).getByRole('listitem');
  const open = async (data: object): Promise<string> => {
    const made = (await room.server.app.documents(TEAM).create({ data } as never)) as { documentId: string };
    await page.goto(`/admin/content/${TEAM}/${made.documentId}`);
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    return made.documentId;
  };
  const linkedBy = async (documentId: string): Promise<readonly string[]> => {
    const team = (await room.server.app
      .documents(TEAM)
      .findOne({ documentId, status: 'draft', populate: { people: { fields: ['name'] } } } as never)) as unknown as {
      people: { name: string }[];
    };
    return team.people.map(({ name }) => name);
  };

  it('load more options while scrolling and with keys', async () => {
    await open({ name: 'Empty' });
    await finder('Lead').click();
    await options().nth(24).waitFor();
    await page.getByText('95 more').waitFor();
    await page.getByRole('listbox').hover();
    await until('all are there', async () => {
      await page.mouse.wheel(0, 2000);
      return (await options().count()) === PEOPLE;
    });
    strictEqual(await page.getByText(/^\d+ more$/).count(), 0);
    await page.keyboard.press('Escape');
    await finder('People').click();
    await options().nth(24).waitFor();
    const marked = page.locator('[role=option][data-highlighted]');
    for (let n = 1; n < 60; n += 1) {
      await page.keyboard.press('ArrowDown');
      await until(`it is at ${n}`, async () => (await marked.getAttribute('aria-posinset')) === String(n + 1));
    }
    ok(await marked.evaluate((one) => one.getBoundingClientRect().bottom <= innerHeight), 'it is in sight');
    const name = await marked.innerText();
    await page.keyboard.press('Enter');
    await links('People').getByText(name).waitFor();
    await saveNow(page);
    await saved(page);
  });

  it('restart after a search, and select from its results, an exact match first', async () => {
    const documentId = await open({ name: 'Sought' });
    await finder('People').fill('nobody is called so');
    await page.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await options().nth(24).waitFor();
    strictEqual(await page.getByText('No results').count(), 0);
    await page.keyboard.press('Escape');
    // Enter waits for the results of the complete text.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/relations\/.*q=Plain(\+|%20)3&/, async (route) => {
      await held;
      await route.continue();
    });
    await finder('People').fill('Plain 3');
    await page.keyboard.press('Enter');
    strictEqual(await links('People').count(), 0);
    // Creating a person is not offered before the search has returned no match.
    strictEqual(await options().filter({ hasText: 'Create' }).count(), 0);
    release();
    await links('People').first().waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await saveNow(page);
    await saved(page);
    deepStrictEqual(await linkedBy(documentId), ['Plain 3']);
  });

  it('are distinguished by details if they have the same name', async () => {
    const made = room.server.app.documents(PERSON);
    for (const slug of ['monday', 'tuesday']) await made.create({ data: { name: 'Weekly meeting', slug } } as never);
    for (let n = 0; n < 2; n += 1) await made.create({ data: { name: 'Copy' } } as never);
    await open({ name: 'Alike' });
    await finder('Lead').fill('weekly');
    await options().nth(1).waitFor();
    const told = async () => (await options().allInnerTexts()).map((text) => text.replace(/\s*\n\s*/g, ' | ')).sort();
    const [offered, ...meetings] = await told();
    strictEqual(offered, 'Create “weekly”');
    match(meetings[0]!, /^Weekly meeting \| monday · changed /);
    match(meetings[1]!, /^Weekly meeting \| tuesday · changed /);
    await finder('Lead').fill('copy');
    await until(
      'both copies are there',
      async () => (await options().count()) === 2 && /Copy/.test((await told())[0]!),
    );
    ok((await told()).every((text) => /^Copy \| [a-z0-9]{6} · changed /.test(text)));
    ok(new Set(await told()).size === 2);
    await finder('Lead').fill('plain 11');
    await until('others are there', async () => /^Plain 11$/.test((await told())[0] ?? ''));
  });

  it('are added at the end if not all are loaded, visibly, and counted among all', async () => {
    const documentId = await open({ name: 'Many', people: people.slice(0, 80) });
    await field('People').getByRole('button', { name: '55 more' }).waitFor();
    strictEqual(await links('People').count(), 26);
    await page.getByText('76 linked documents are not published, so the site does not show them.').waitFor();
    await finder('People').fill('Plain 119');
    await options().first().waitFor();
    await page.keyboard.press('Enter');
    const last = () => links('People').last();
    await last().getByText('Plain 119').waitFor();
    await saveNow(page);
    await saved(page);
    deepStrictEqual((await linkedBy(documentId)).slice(-2), ['Plain 79', 'Plain 119']);
    // It stays visible, and the unloaded links before it as well.
    await last().getByText('Plain 119').waitFor();
    await field('People').getByRole('button', { name: '55 more' }).waitFor();
    await page.getByText('77 linked documents are not published').waitFor();
    // Across the unloaded links, with keys.
    const isSaid = (text: string) => page.getByText(text).waitFor({ state: 'attached' });
    const grip = (name: string) => field('People').getByRole('button', { name: `Move ${name}`, exact: true });
    await grip('Plain 24').press('Space');
    await isSaid('Plain 24 at place 25 of 81.');
    await page.keyboard.press('ArrowDown');
    await isSaid('Plain 24 at place 81 of 81.');
    await page.keyboard.press('Space');
    await isSaid('Plain 24 put down at place 81 of 81.');
    await saveNow(page);
    await saved(page);
    deepStrictEqual((await linkedBy(documentId)).slice(-3), ['Plain 79', 'Plain 119', 'Plain 24']);
    // And back.
    await until('the grip has the focus', () => hasFocus(grip('Plain 24')));
    await grip('Plain 24').press('Space');
    await isSaid('Plain 24 at place 81 of 81.');
    // The links that are loaded next follow.
    for (const place of [80, 25]) {
      await page.keyboard.press('ArrowUp');
      await isSaid(`Plain 24 at place ${place} of 81.`);
    }
    await page.keyboard.press('Space');
    await saveNow(page);
    await saved(page);
    deepStrictEqual((await linkedBy(documentId)).slice(22, 26), ['Plain 22', 'Plain 23', 'Plain 24', 'Plain 25']);
  });

  it('stay loaded, and are saved in order', async () => {
    const documentId = await open({ name: 'Read', people: people.slice(0, 60) });
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataJSON().data);
    });
    await field('People').getByRole('button', { name: '35 more' }).click();
    await links('People').nth(59).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Read and written');
    await saveNow(page);
    await saved(page);
    strictEqual(await settled('the number of links', () => links('People').count()), 60);
    deepStrictEqual(sent, [{ name: 'Read and written' }], 'looking is no writing');
    await field('People').getByRole('button', { name: 'Unlink Plain 40' }).click();
    await saveNow(page);
    await saved(page);
    const left = people.slice(0, 60).map((_, n) => `Plain ${n}`);
    deepStrictEqual(await linkedBy(documentId), left.toSpliced(40, 1));
    await isHeld();
    deepStrictEqual(complaints, []);
  });
});
