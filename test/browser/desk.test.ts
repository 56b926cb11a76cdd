/** Work around a document: palette, other locales, related documents, and offline. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { makeRole } from '../support/accounts/administrators.ts';
import { openBrowser } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, idOf, NEW, saved, title } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const content = {
  contentTypes: {
    article: contentType(
      'article',
      {
        title: { type: 'string', ...localized },
        slug: { type: 'uid', targetField: 'title', ...localized },
        author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      },
      { options: { draftAndPublish: true }, ...localized, info: { displayName: 'Article' } },
    ),
    author: contentType(
      'author',
      {
        name: { type: 'string', required: true },
        home: { type: 'relation', relation: 'manyToOne', target: 'api::city.city' },
      },
      { options: { draftAndPublish: true }, info: { displayName: 'Author' } },
    ),
    city: contentType('city', { name: { type: 'string' } }, { info: { displayName: 'City', pluralName: 'cities' } }),
  },
};

describe('the work of an editor', () => {
  let browser: Browser;
  let room: Newsroom;
  before(async () => {
    browser = await openBrowser();
    room = await openNewsroom(engines[0]!, browser, content);
  });
  after(async () => {
    await browser?.close();
    await room?.[Symbol.asyncDispose]();
  });

  const write = async (data: object, uid = 'api::article.article'): Promise<string> =>
    (await room.ask('mara', 'POST', `content/${uid}`, { data })).body.data.documentId;
  const stored = async (id: string, locale = 'en') =>
    (await room.ask('mara', 'GET', `${ARTICLE}/${id}?locale=${locale}`)).body.data;
  const palette = async (page: Page): Promise<string[]> => {
    await page.keyboard.press('Control+k');
    const list = page.getByRole('listbox', { name: 'Search or run a command' });
    await list
      .getByRole('option', { name: 'Go to French' })
      .or(list.getByRole('option', { name: 'Home' }))
      .first()
      .waitFor();
    return list.getByRole('option').locator('span:first-of-type').allInnerTexts();
  };

  it('lists the possible and permitted actions on the open document in the palette', async () => {
    const id = await write({ title: 'Rope' });
    await using visitor = await room.visit('mara');
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await page.goto(`/admin/${ARTICLE}/${id}`);
    await until('it is there', async () => (await title(page).inputValue()) === 'Rope');
    const offered = async (...names: string[]): Promise<void> => {
      await page.keyboard.press('Control+k');
      const list = page.getByRole('listbox', { name: 'Search or run a command' });
      await list.getByRole('option', { name: names.at(-1)! }).waitFor();
      const texts = await list.getByRole('option').allInnerTexts();
      const own = texts.map((text) => text.split('\n')[0]!.trim());
      deepStrictEqual(own.slice(0, own.indexOf('Home')), names);
      await page.keyboard.press('Escape');
    };
    await offered('Publish', 'Schedule…', 'History', 'Duplicate', 'Go to French', 'Delete');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('publ');
    await page.getByRole('option', { name: 'Publish' }).waitFor();
    await page.keyboard.press('Enter');
    await until('it is published', async () => (await stored(id)).states.en === 'published');
    await offered('Schedule…', 'Unpublish', 'History', 'Duplicate', 'Go to French', 'Delete');
    await title(page).fill('Ropes');
    await until('it is saved', async () => (await stored(id)).draft.title === 'Ropes');
    await offered(
      'Publish',
      'Schedule…',
      'Unpublish',
      'Revert changes',
      'History',
      'Duplicate',
      'Go to French',
      'Delete',
    );
    await page.keyboard.press('Control+k');
    await page.keyboard.type('french');
    await page.keyboard.press('Enter');
    await page
      .getByRole('heading', { name: 'There is no French version' })
      .or(page.getByText('French').first())
      .waitFor();
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
    // An author may not publish, nor delete documents of others.
    const own = (await room.ask('jonas', 'POST', ARTICLE, { data: { title: 'Of Jonas' } })).body.data.documentId;
    await using other = await room.visit('jonas');
    await other.page.goto(`/admin/${ARTICLE}/${own}`);
    await until('it is there', async () => (await title(other.page).inputValue()) === 'Of Jonas');
    const theirs = await palette(other.page);
    strictEqual(theirs.includes('Publish'), false);
    strictEqual(theirs.includes('Delete'), true);
  });

  it('shows the names of types in the plural above lists', async () => {
    await using visitor = await room.visit('mara', { width: 390, theme: 'dark' });
    const { page } = visitor;
    for (const [uid, name] of [
      ['api::article.article', 'Articles'],
      ['api::city.city', 'Cities'],
    ]) {
      await page.goto(`/admin/content/${uid}`);
      await page.getByRole('heading', { name: name!, level: 1 }).waitFor();
    }
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Articles' }).waitFor();
    deepStrictEqual(visitor.complaints, []);
  });

  it('regenerates a uid that was copied from another locale, until an editor enters another one', async () => {
    const id = await write({ title: 'Smoke and patience', slug: 'my-smoke' });
    await using visitor = await room.visit('mara');
    const { page } = visitor;
    await page.goto(`/admin/${ARTICLE}/${id}?locale=fr`);
    await page.getByRole('button', { name: 'English' }).first().click();
    const slug = page.getByRole('textbox', { name: 'Slug' });
    await until('it is copied', async () => (await slug.inputValue()) === 'my-smoke');
    await page.reload();
    await until('it is there', async () => (await slug.inputValue()) === 'my-smoke');
    await title(page).fill('Fumée et patience');
    await until('it follows', async () => (await slug.inputValue()) === 'fumee-et-patience');
    await until('it is saved', async () => (await stored(id, 'fr')).draft.slug === 'fumee-et-patience');
    await title(page).fill('Fumée');
    await until('it still follows', async () => (await slug.inputValue()) === 'fumee');
    await slug.fill('fume');
    await title(page).fill('Fumée noire');
    await until('it is saved', async () => (await stored(id, 'fr')).draft.title === 'Fumée noire');
    strictEqual((await stored(id, 'fr')).draft.slug, 'fume');
    strictEqual((await stored(id)).draft.slug, 'my-smoke');
    strictEqual(idOf(page), id);
    deepStrictEqual(visitor.complaints, []);
  });

  it('lists a document created offline on the home page and in its list, only for its writer, until it is saved or discarded', async () => {
    await using visitor = await room.visit('mara');
    const { context } = visitor;
    const hold = (route: Route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort('internetdisconnected');
    await context.route('**/admin/api/content/**', hold);
    for (const name of ['Fog', 'Rain']) {
      const page = await context.newPage();
      await page.goto(NEW);
      await title(page).fill(name);
      await page.getByText('Offline: saved on this device').waitFor();
      // Requests that outlive a closing tab would arrive.
      await page.goto('about:blank');
      await page.close();
    }
    const { page } = visitor;
    await page.goto('/admin/');
    const begun = page.getByRole('region', { name: 'Not saved yet, on this device only' });
    await begun.getByRole('link', { name: 'Fog' }).waitFor();
    await begun.getByRole('link', { name: 'Rain' }).waitFor();
    await begun.getByRole('button', { name: 'Discard “Rain”' }).click();
    await begun.getByRole('link', { name: 'Rain' }).waitFor({ state: 'detached' });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await begun.getByRole('link', { name: 'Rain' }).waitFor();
    await page.goto(`/admin/content/api::author.author`);
    await page.getByRole('heading', { name: 'Authors' }).waitFor();
    strictEqual(await begun.count(), 0);
    await page.goto(`/admin/${ARTICLE}`);
    await begun.getByRole('link', { name: 'Fog' }).waitFor();
    await context.unroute('**/admin/api/content/**', hold);
    await begun.getByRole('link', { name: 'Fog' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/new'));
    await saved(page);
    strictEqual((await stored(idOf(page))).draft.title, 'Fog');
    strictEqual(new URL(page.url()).searchParams.has('kept'), false);
    await page.goto(`/admin/${ARTICLE}`);
    await begun.getByRole('link', { name: 'Rain' }).waitFor();
    strictEqual(await begun.getByRole('listitem').count(), 1);
    await begun.getByRole('button', { name: 'Discard “Rain”' }).click();
    await begun.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('gridcell', { name: 'Fog', exact: true }).waitFor();
    strictEqual(await begun.count(), 0);
  });

  it('creates a related document beside the form, links it when it is saved, and creates another one beside that', async () => {
    const id = await write({ title: 'Nets' });
    await write({ name: 'Ines' }, 'api::author.author');
    for (const look of [{}, { width: 390, theme: 'dark' }] as const) {
      await using visitor = await room.visit('mara', look);
      const { page, context } = visitor;
      const isHeld = watchContract(context);
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Nets');
      const picker = page.getByRole('combobox', { name: 'Author: Find a document to link' });
      const name = look.width === 390 ? 'Ilka' : 'Mae';
      await picker.fill(name);
      await page.getByRole('option', { name: `Create “${name}”` }).waitFor();
      await page.keyboard.press('Enter');
      const panel = page.getByRole('dialog', { name: 'New: Author' });
      const field = panel.getByRole('textbox', { name: 'Name' });
      strictEqual(await field.inputValue(), name);
      await until('the panel has the focus', () => panel.evaluate((dialog) => dialog.contains(document.activeElement)));
      await panel.getByRole('combobox', { name: 'Home: Find a document to link' }).fill('Lisbon');
      const option = page
        .getByRole('option', { name: 'Create “Lisbon”' })
        .or(page.getByRole('option', { name: 'Lisbon' }));
      await option.first().waitFor();
      if (look.width !== 390) {
        await page.keyboard.press('Enter');
        const nested = page.getByRole('dialog', { name: 'New: City' });
        await nested.getByText('It will be on the site as soon as it is saved.').waitFor();
        await nested.getByRole('button', { name: 'Save and link' }).click();
        await nested.waitFor({ state: 'detached' });
      } else await option.first().click();
      await panel.getByRole('link', { name: 'Lisbon' }).waitFor();
      await panel.getByRole('button', { name: 'Save and link' }).click();
      await panel.waitFor({ state: 'detached' });
      await page.getByRole('link', { name }).first().waitFor();
      await until('it is linked', async () => (await stored(id)).draft.author[0]?.label === name);
      strictEqual((await stored(id)).draft.author[0].state, 'draft');
      strictEqual(new URL(page.url()).pathname.endsWith(id), true);
      // The only match is already linked.
      await picker.fill(name);
      await page.getByText(`The only match, “${name}”, is already linked.`).waitFor();
      strictEqual(await page.getByRole('option').count(), 0);
      await isHeld();
      deepStrictEqual(visitor.complaints, []);
    }
  });

  it('asks before discarding a related document, and offers only types that may be created', async () => {
    const id = await write({ title: 'Sails' });
    await using visitor = await room.visit('mara');
    const { page } = visitor;
    await page.goto(`/admin/${ARTICLE}/${id}`);
    const picker = page.getByRole('combobox', { name: 'Author: Find a document to link' });
    await picker.fill('Nobody');
    await page.getByRole('option', { name: 'Create “Nobody”' }).click();
    const panel = page.getByRole('dialog', { name: 'New: Author' });
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await until('the field has the focus', () => picker.evaluate((field) => field === document.activeElement));
    await picker.fill('Nobody');
    await page.getByRole('option', { name: 'Create “Nobody”' }).click();
    const field = panel.getByRole('textbox', { name: 'Name' });
    await field.fill('Someone');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await until('writing goes on by Enter', () =>
      question.getByRole('button', { name: 'Keep editing' }).evaluate((button) => button === document.activeElement),
    );
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    strictEqual(await field.inputValue(), 'Someone');
    // The error of a required field is shown at the field.
    await field.fill('');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await panel.waitFor({ state: 'detached' });
    strictEqual((await stored(id)).draft.author.length, 0);
    await page.goto('/admin/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    strictEqual(await page.getByRole('region', { name: 'Not saved yet, on this device only' }).count(), 0);

    const properties = { fields: ['title', 'slug', 'author', 'name', 'home'], locales: ['en', 'fr'] };
    await makeRole(room.server, 'linker', [
      { operation: 'read', subject: 'api::article.article', properties },
      { operation: 'update', subject: 'api::article.article', properties },
      { operation: 'read', subject: 'api::author.author', properties: { fields: ['name', 'home'] } },
    ]);
    await room.admit('lin', 'linker');
    await using other = await room.visit('lin');
    await other.page.goto(`/admin/${ARTICLE}/${id}`);
    await other.page.getByRole('combobox', { name: 'Author: Find a document to link' }).fill('Nobody');
    await other.page.getByText('No results').waitFor();
    strictEqual(await other.page.getByRole('option').count(), 0);
    deepStrictEqual([...visitor.complaints, ...other.complaints], []);
  });

  it('disables the shortcuts and actions of a document that a panel or a dialog covers', async () => {
    const id = await write({ title: 'Halyard' });
    await using visitor = await room.visit('mara');
    const { page } = visitor;
    await page.goto(`/admin/${ARTICLE}/${id}`);
    await until('it is there', async () => (await title(page).inputValue()) === 'Halyard');
    const posts: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && posts.push(new URL(request.url()).pathname));
    const publishes = page.getByRole('option', { name: 'Publish' });
    const palette = page.getByRole('dialog', { name: 'Search or run a command' });
    await page.keyboard.press('Control+k');
    await publishes.waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });

    await page.getByRole('combobox', { name: 'Author: Find a document to link' }).fill('Rigger');
    await page.getByRole('option', { name: 'Create “Rigger”' }).click();
    const panel = page.getByRole('dialog', { name: 'New: Author' });
    await panel.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.press('Control+Shift+p');
    await page.keyboard.press('Control+k');
    await palette.getByRole('option', { name: 'Light' }).waitFor();
    strictEqual(await publishes.count(), 0);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    deepStrictEqual(posts, []);
    await panel.getByRole('textbox', { name: 'Name' }).focus();
    await page.keyboard.press('Control+s');
    await panel.waitFor({ state: 'detached' });
    await saved(page);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Cancel' }).waitFor();
    posts.length = 0;
    await page.keyboard.press('Control+Shift+p');
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    deepStrictEqual(posts, []);
    const { states } = await stored(id);
    deepStrictEqual(states, { en: 'draft' });
    await page.keyboard.press('Control+Shift+p');
    await until('it is published', async () => (await stored(id)).states.en === 'published');
    deepStrictEqual(visitor.complaints, []);
  });
});
