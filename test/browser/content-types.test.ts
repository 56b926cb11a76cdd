/** Content types in development: creating them by clicking, keeping content, and files that others change. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Cookie } from 'playwright-core';
import { type Administration, makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { addAttribute, createType } from '../support/browser/content-types-page.ts';
import { watchContract } from '../support/browser/contract.ts';
import { panel, saved } from '../support/browser/document-page.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType, makeProject } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';

const ARTICLE = 'api::article.article';
const FILE = 'src/api/article/content-types/article/schema.json';

const project = () =>
  makeProject({
    contentTypes: {
      article: contentType(
        'article',
        { title: { type: 'string' }, views: { type: 'integer' } },
        { info: { displayName: 'Article' }, options: { draftAndPublish: true } },
      ),
    },
  });

describe('content types in the administration app', () => {
  let browser: Browser;
  let server: Administration;
  let cookies: Cookie[];
  before(async () => {
    [browser, server] = await Promise.all([
      openBrowser(),
      serveAdministration(engines[0]!, project, ['dev', '--host', '127.0.0.1']),
    ]);
    await using visitor = await visit(browser, server.url);
    await makeFirstAdministrator(visitor.page, server);
    cookies = await visitor.context.cookies(`${server.url}/admin/`);
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const schemaIn = async (file: string) => JSON.parse(await readFile(path.join(server.dir, file), 'utf8'));

  it('creates related types, a component and a zone by clicking, and a document of the new type', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto('/admin/types');
    await createType(page, 'Component', { 'Display name': 'Quote', Category: 'shared' });
    await addAttribute(page, /^Long text/, 'Spoken words');
    await page.getByRole('button', { name: 'spokenWords', exact: true }).waitFor();

    await page.getByRole('link', { name: 'Content types' }).last().click();
    await createType(page, 'Collection type', { 'Display name': 'Writer' });
    await addAttribute(page, /^Short text/, 'Name');

    await page.getByRole('link', { name: 'Content types' }).last().click();
    await createType(page, 'Collection type', { 'Display name': 'Story' });
    await page.getByRole('heading', { name: 'Story', level: 1 }).waitFor();
    await addAttribute(page, /^Short text/, 'Title', async (side) => {
      await side.getByLabel('Regular expression').fill('^[A-Z]');
      await side.getByLabel('Test a text').fill('waves');
      await side.getByText('Does not match').waitFor();
      await side.getByLabel('Test a text').fill('Waves');
      await side.getByText('Matches').waitFor();
    });
    await addAttribute(page, /^Relation/, 'Writer', async (side) => {
      await side.getByLabel('Target').selectOption('api::writer.writer');
      await side.getByLabel('Show it in Writer too').check();
      strictEqual(await side.getByLabel('Name in Writer').inputValue(), 'stories');
    });
    await addAttribute(page, /^Dynamic zone/, 'Parts', (side) => side.getByLabel('Quote').check());
    // Steps of the unsaved work can be undone and redone.
    await page.getByRole('button', { name: 'Undo the last step' }).click();
    await page.getByRole('button', { name: 'parts', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Redo the step' }).click();
    // The form stands beside the attributes before anything is written.
    const form = page.getByRole('complementary', { name: 'Form' });
    await form.getByLabel('Title').fill('Tides');
    const parts = page.getByRole('button', { name: 'Move parts', exact: true });
    await parts.focus();
    await page.keyboard.press('Space');
    await until('it is at the first place', async () => {
      await page.keyboard.press('ArrowUp');
      return (await page.getByText('at place 1 of').count()) > 0;
    });
    await page.keyboard.press('Space');

    await page.getByRole('button', { name: 'Review and apply' }).click();
    const review = page.getByRole('dialog', { name: 'Review the changes' });
    await review.getByText('Story is created.').waitFor();
    await review.getByText('src/components/shared/quote.json').waitFor();
    await review.getByRole('button', { name: 'Apply' }).and(page.locator(':enabled')).click();
    await page.getByText('Applied. The new schema is live.').waitFor();
    const { attributes } = await schemaIn('src/api/story/content-types/story/schema.json');
    deepStrictEqual(Object.keys(attributes), ['parts', 'title', 'writer']);
    const writer = await schemaIn('src/api/writer/content-types/writer/schema.json');
    strictEqual(writer.attributes.stories.mappedBy, 'writer');

    await page.getByRole('link', { name: 'New document' }).click();
    await panel(page).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Waves');
    await saved(page);
    await page.getByRole('link', { name: 'Content types' }).click();
    await page.getByRole('tab', { name: 'Diagram' }).click();
    await page.getByText('The diagram as a list').click();
    await page.getByText('writer leads to one document of Writer').waitFor();
    await page.getByText('parts contains Quote').waitFor();
    await page
      .getByRole('region', { name: 'Diagram of the content types' })
      .getByRole('link', { name: 'Story' })
      .click();
    await page.getByRole('heading', { name: 'Story', level: 1 }).waitFor();

    // A type can get another API id, which its relations follow.
    await page.goto('/admin/types/api::writer.writer');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('API id, singular').fill('author');
    await page.getByLabel('API id, plural').fill('authors');
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.waitForURL(/\/types\/api::writer\.author$/);
    await page.getByRole('button', { name: 'Review and apply' }).click();
    await review.getByText('gets another API id').waitFor();
    await review.getByRole('button', { name: 'Apply' }).and(page.locator(':enabled')).click();
    await review.waitFor({ state: 'detached' });
    const story = await schemaIn('src/api/story/content-types/story/schema.json');
    strictEqual(story.attributes.writer.target, 'api::writer.author');
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('refuses to lose content, keeps it in the database, and brings it back with undo', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto(`/admin/types/${ARTICLE}`);
    const documentId = await page.evaluate(async (uid) => {
      const response = await fetch(`/admin/api/content/${uid}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data: { title: 'Fog', views: 7 } }),
      });
      return (await response.json()).data.documentId as string;
    }, ARTICLE);
    await page.getByRole('button', { name: 'Remove views' }).click();
    await page.getByRole('button', { name: 'Review and apply' }).click();
    const review = page.getByRole('dialog', { name: 'Review the changes' });
    await review.getByText('views of Article is removed. Affects 1 content item.').waitFor();
    await review.getByText('This content would be lost').waitFor();
    strictEqual(await review.getByRole('button', { name: 'Apply' }).getAttribute('aria-disabled'), 'true');
    await review.getByLabel('Keep the content in the database').check();
    await review.getByRole('button', { name: 'Apply' }).and(page.locator(':enabled')).click();
    await page.getByText('Applied. The new schema is live.').waitFor();
    deepStrictEqual(Object.keys((await schemaIn(FILE)).attributes), ['title']);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('button', { name: 'views', exact: true }).click();
    // A new name keeps the content too.
    await page.getByLabel('Name in the API').fill('readers');
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Review and apply' }).click();
    await review.getByText('is renamed: views becomes readers').waitFor();
    await review.getByRole('button', { name: 'Apply' }).and(page.locator(':enabled')).click();
    await review.waitFor({ state: 'detached' });
    await page.goto(`/admin/content/${ARTICLE}/${documentId}`);
    await until('the value is there', async () => (await page.getByLabel('Readers').inputValue()) === '7');
    await page.goto('/admin/types');
    await page.getByRole('button', { name: /^Undo the last change: Article, / }).waitFor();
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('says that a file was changed elsewhere, and overwrites nothing', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await context.addCookies(cookies);
    await page.goto(`/admin/types/${ARTICLE}`);
    await page.getByRole('button', { name: 'title', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Longest length').fill('80');
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByText('1 type changed').waitFor();
    const schema = await schemaIn(FILE);
    schema.attributes.title.maxLength = 120;
    const text = JSON.stringify(schema, null, 2);
    await writeFile(path.join(server.dir, FILE), text);
    await page.getByText('The file of Article has changed since you started editing').waitFor();
    await page.getByRole('button', { name: 'Review and apply' }).click();
    const review = page.getByRole('dialog', { name: 'Review the changes' });
    await review.getByText('so nothing can be applied: Article').waitFor();
    strictEqual(await review.getByRole('button', { name: 'Apply' }).getAttribute('aria-disabled'), 'true');
    strictEqual(await readFile(path.join(server.dir, FILE), 'utf8'), text);
    // Both versions of what differs are shown before one is chosen.
    const versions = review.getByRole('table').getByRole('cell');
    deepStrictEqual(
      (await versions.allTextContents()).map((text) => JSON.parse(text).maxLength),
      [80, 120],
    );
    await review.getByRole('button', { name: 'Take the version in the file' }).click();
    await review.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'title', exact: true }).click();
    const length = page.getByRole('dialog').getByLabel('Longest length');
    strictEqual(await length.inputValue(), '120');

    // An expression that takes forever ends without freezing the page.
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Regular expression').fill('^(a|a)+$');
    await dialog.getByLabel('Test a text').fill('aaa');
    await dialog.getByText('Matches', { exact: true }).waitFor();
    await dialog.getByLabel('Test a text').fill(`${'a'.repeat(60)}!`);
    await dialog.getByText('Takes too long: simplify the expression').waitFor();
    await dialog.getByLabel('Regular expression').fill('');

    // Another tab sees what this one applies.
    const other = await context.newPage();
    await other.goto(`/admin/types/${ARTICLE}`);
    await length.fill('100');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review and apply' }).click();
    await review.getByText('title of Article').waitFor();
    await review.getByRole('button', { name: 'Apply' }).and(page.locator(':enabled')).click();
    await page.getByText('Applied. The new schema is live.').waitFor();
    await other.getByRole('button', { name: 'title', exact: true }).click();
    await until('the other tab shows the new length', async () => {
      await other.keyboard.press('Escape');
      await other.getByRole('button', { name: 'title', exact: true }).click();
      return (await other.getByRole('dialog').getByLabel('Longest length').inputValue()) === '100';
    });
    strictEqual((await schemaIn(FILE)).attributes.title.maxLength, 100);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });
});
