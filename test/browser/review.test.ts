/** Stages of review in the app: the document page, the board, comments, and the settings of workflows. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type axe from 'axe-core';
import type { Browser as Chromium, Page } from 'playwright-core';
import { Browser, makeAdministrator, makeRole, PASSWORD } from '../support/accounts/administrators.ts';
import { signIn } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../support/servers/project.ts';

const ARTICLE = 'api::article.article';
const AXE = readFileSync(path.join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const drafts = { options: { draftAndPublish: true } };

describe('review in the administration app', () => {
  let chromium: Chromium;
  let server: RunningServer;
  let sue: Browser;
  const documents: string[] = [];
  before(async () => {
    const reviewStages = {
      stages: [
        { name: 'To do', from: ['writers'], to: ['writers'] },
        { name: 'In review', color: '#9736E8', from: ['editors'], to: ['writers'] },
        { name: 'Approved', color: '#328048', from: ['editors'], to: ['editors'] },
      ],
      requiredToPublish: 'Approved',
    };
    const attributes = { title: { type: 'string' }, body: { type: 'text' } };
    const folder = await makeProject({
      contentTypes: {
        article: contentType('article', attributes, { ...drafts, reviewStages, info: { displayName: 'Article' } }),
        note: contentType('note', { title: { type: 'string' } }, { ...drafts, info: { displayName: 'Note' } }),
      },
    });
    const database = await engines[0]!.databaseFor(folder);
    [chromium, server] = await Promise.all([openBrowser(), serve(folder, database, {}, {}, async () => {})]);
    const fields = { fields: ['title', 'body'] };
    await makeRole(server, 'writers', [
      { operation: 'read', subject: ARTICLE, properties: fields },
      { operation: 'update', subject: ARTICLE, properties: fields },
    ]);
    await makeRole(server, 'editors', [{ operation: 'read', subject: ARTICLE, properties: fields }]);
    await makeAdministrator(server, 'sue', 'strapi-super-admin');
    await makeAdministrator(server, 'will', 'writers');
    await server.app.reload();
    sue = new Browser(server);
    await sue.signIn('sue');
    for (const title of ['Tides', 'Fog', 'Piers']) {
      documents.push((await sue.send('POST', `content/${ARTICLE}`, { data: { title } })).body.data.documentId);
    }
  });
  after(async () => {
    await chromium?.close();
    await server?.stop();
  });

  const enter = async (page: Page, name: string, to: string): Promise<void> => {
    await page.goto('/admin/');
    await signIn(page, PASSWORD, `${name}@example.com`);
    await page.waitForURL('**/admin/');
    await page.goto(`/admin/${to}`);
  };
  const stageOf = async (documentId: string): Promise<string> => {
    const { body: state } = await sue.get(`content/${ARTICLE}/${documentId}/review`);
    const { body: workflow } = await sue.get(`review/${ARTICLE}`);
    return workflow.data.stages.find(({ id }: { id: number }) => id === state.data.stage).name;
  };
  const findings = async (page: Page): Promise<readonly string[]> => {
    await page.evaluate(AXE);
    const found = await page.evaluate(async (rules) => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      const { violations } = await checker.run(document, { runOnly: { type: 'tag', values: rules } });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    }, RULES);
    return found;
  };

  it('refuses to publish in another stage, and moves the document beside Publish', async () => {
    await using visitor = await visit(chromium, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await enter(page, 'sue', `content/${ARTICLE}/${documents[0]}`);
    const side = page.getByRole('complementary');
    await side.getByText('It is published in the stage “Approved”.').waitFor();
    await side.getByRole('button', { name: 'Publish', exact: true }).click();
    await side.getByText('It can be published in the stage “Approved”. It is in the stage “To do”.').waitFor();
    await side.getByRole('button', { name: 'Stage: To do. Move to another one' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Approved' }).press('Enter');
    await page.getByText('Moved to “Approved”').waitFor();
    await side.getByRole('button', { name: 'Stage: Approved. Move to another one' }).waitFor();
    await side.getByRole('button', { name: 'Assign' }).click();
    await side.getByRole('combobox', { name: 'Person in charge' }).fill('wi');
    await page.getByRole('option', { name: 'will' }).click();
    await side.getByText('will is in charge').waitFor();
    await side.getByRole('button', { name: 'Publish', exact: true }).click();
    await side.getByRole('heading', { name: 'Published' }).waitFor();
    strictEqual(await stageOf(documents[0]!), 'Approved');
    await isHeld();
  });

  it('shows a move that the server refuses, and the stage that the document has', async () => {
    await using visitor = await visit(chromium, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await enter(page, 'will', `content/${ARTICLE}/${documents[1]}`);
    const side = page.getByRole('complementary');
    const button = side.getByRole('button', { name: 'Stage: To do. Move to another one' });
    await button.waitFor();
    // another administrator moves it meanwhile
    const { body } = await sue.get(`review/${ARTICLE}`);
    const approved = body.data.stages[2].id;
    strictEqual((await sue.send('PUT', `content/${ARTICLE}/${documents[1]}/stage`, { stage: approved })).status, 200);
    await button.click();
    await page.getByRole('menuitem', { name: 'In review' }).click();
    await page.getByText('It has been moved meanwhile. It is in the stage “Approved”.').waitFor();
    await side.getByText('Approved', { exact: true }).waitFor();
    strictEqual(await side.getByRole('button', { name: /^Stage:/ }).count(), 0, 'a writer moves it no further');
    strictEqual(await stageOf(documents[1]!), 'Approved');
    await isHeld();
  });

  it('moves documents on the board with the mouse, the keyboard and a menu, and takes a move back', async () => {
    await using visitor = await visit(chromium, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await enter(page, 'sue', `content/${ARTICLE}`);
    await page.getByRole('link', { name: 'Board' }).click();
    const column = (name: string) => page.getByRole('list', { name, exact: true });
    const card = (stage: string, name: string) => column(stage).getByRole('listitem').filter({ hasText: name });
    await card('To do', 'Piers').dragTo(page.getByRole('heading', { name: 'In review' }));
    await card('In review', 'Piers').waitFor();
    await page.getByText('Piers is in the stage “In review” now').waitFor();
    strictEqual(await stageOf(documents[2]!), 'In review');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await card('To do', 'Piers').waitFor();
    await card('To do', 'Piers').getByRole('link').focus();
    await page.keyboard.press('Alt+ArrowRight');
    await card('In review', 'Piers').waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === 'Piers');
    await page.keyboard.press('Alt+ArrowRight');
    await card('Approved', 'Piers').waitFor();
    await card('Approved', 'Piers').getByRole('button', { name: 'Move Piers' }).press('Enter');
    await page.getByRole('menuitem', { name: 'To do' }).press('Enter');
    await card('To do', 'Piers').waitFor();
    await page.getByRole('button', { name: 'Only mine' }).click();
    await page.getByText('No documents').first().waitFor();
    await isHeld();
  });

  it('gives writers only the moves of their roles', async () => {
    await using visitor = await visit(chromium, server.url, { width: 390 });
    const { page } = visitor;
    await enter(page, 'will', `board/${ARTICLE}`);
    await page.getByRole('button', { name: 'Move Piers' }).click();
    deepStrictEqual(await page.getByRole('menuitem').allInnerTexts(), ['In review']);
    await page.keyboard.press('Escape');
    strictEqual(await page.getByRole('button', { name: 'Move Tides' }).count(), 0);
  });

  it('comments on a field with a mention, answers and resolves', async () => {
    await using visitor = await visit(chromium, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await enter(page, 'sue', `content/${ARTICLE}/${documents[2]}`);
    const field = page.locator('[data-field="body"]');
    await field.getByLabel('Body').focus();
    await field.getByRole('button', { name: 'Comment' }).click();
    const panel = page.getByRole('dialog', { name: 'Comments' });
    const text = panel.getByLabel('New comment');
    await text.pressSequentially('Is this finished, @wi');
    await page.getByRole('option', { name: 'will' }).waitFor();
    deepStrictEqual(await findings(page), []);
    await page.keyboard.press('Escape');
    await page.getByRole('option', { name: 'will' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await text.pressSequentially('@wi');
    await page.getByRole('option', { name: 'will', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    strictEqual(await text.inputValue(), 'Is this finished, @will ');
    await panel.getByRole('button', { name: 'Comment', exact: true }).click();
    await panel
      .locator('p')
      .filter({ hasText: 'Is this finished, @will' })
      .locator('span', { hasText: '@will' })
      .waitFor();
    deepStrictEqual(await findings(page), []);
    await panel.getByRole('button', { name: 'Close' }).click();
    await field.getByRole('button', { name: '1 open comment' }).waitFor();
    await page.getByRole('button', { name: '1 open comment' }).first().click();
    await panel.getByRole('button', { name: 'Answer' }).click();
    await panel.getByLabel('Answer').fill('Yes');
    await panel.getByRole('button', { name: 'Comment', exact: true }).first().click();
    await panel.getByText('Yes', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Resolve' }).click();
    await panel.getByText('No open comments').waitFor();
    await panel.getByLabel('Show 1 resolved comment').check();
    await panel.getByText('Resolved by sue').waitFor();
    await isHeld();
  });

  it('shows a mention on the first page, which leads to the comments, until it is read', async () => {
    const { body } = await sue.get(`content/${ARTICLE}/${documents[2]}/people?q=will`);
    const mentions = [body.data[0].id];
    const comment = { body: '@will, please look', mentions };
    strictEqual((await sue.send('POST', `content/${ARTICLE}/${documents[2]}/comments`, comment)).status, 201);
    await using visitor = await visit(chromium, server.url, { width: 390, theme: 'dark' });
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await enter(page, 'will', '');
    const section = page.getByRole('region', { name: 'You were mentioned' });
    await section.waitFor();
    deepStrictEqual(await findings(page), []);
    await section.getByRole('link', { name: /sue in Piers.*@will, please look/ }).click();
    const panel = page.getByRole('dialog', { name: 'Comments' });
    await panel.getByText(', please look').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    strictEqual(new URL(page.url()).searchParams.has('comments'), false);
    await page.goto('/admin/');
    await section.getByRole('button', { name: 'Mark as read' }).click();
    await section.waitFor({ state: 'detached' });
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('creates and changes a workflow, and shows that of a schema file with its name', async () => {
    await using visitor = await visit(chromium, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await enter(page, 'sue', 'workflows');
    const file = page.getByRole('region', { name: `Article (${ARTICLE})` });
    match(await file.innerText(), /src\/api\/article\/content-types\/article\/schema\.json/);
    strictEqual(await file.getByRole('button').count(), 0);
    await page.getByRole('button', { name: 'New workflow' }).click();
    const form = page.getByRole('form', { name: 'New workflow' });
    await form.getByRole('button', { name: 'Save' }).click();
    await form
      .getByText('This field is required')
      .first()
      .or(form.getByText(/required/i).first())
      .waitFor();
    await form.getByLabel('Name', { exact: true }).fill('Notes');
    await form.getByLabel('Stage 1', { exact: true }).fill('Open');
    await form.getByRole('button', { name: 'Add stage' }).click();
    await form.getByLabel('Stage 2', { exact: true }).fill('Done');
    await form.getByLabel('Required for publishing').selectOption({ label: 'Done' });
    await form.getByRole('checkbox', { name: 'Note' }).check();
    await form.getByRole('button', { name: 'Save' }).click();
    const notes = page.getByRole('region', { name: 'Notes' });
    await notes.getByText('Done').waitFor();
    await notes.getByRole('button', { name: 'Edit Notes' }).click();
    await page.getByRole('button', { name: 'Remove stage 1' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await notes.waitFor();
    strictEqual(await notes.getByRole('listitem').count(), 1);
    await notes.getByRole('button', { name: 'Delete Notes' }).click();
    await page.getByRole('button', { name: 'Delete workflow' }).click();
    await notes.waitFor({ state: 'detached' });
    await isHeld();
  });

  for (const look of [
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 390 },
  ] as const) {
    it(`is accessible in the ${look.theme} theme, ${look.width} wide`, async () => {
      await using visitor = await visit(chromium, server.url, look);
      const { page } = visitor;
      await enter(page, 'sue', `board/${ARTICLE}`);
      await page.getByRole('button', { name: 'Move Piers' }).waitFor();
      deepStrictEqual(await findings(page), []);
      await page.goto(`/admin/content/${ARTICLE}/${documents[2]}`);
      await page
        .getByRole('button', { name: /open comments?$/ })
        .first()
        .click();
      await page.getByRole('dialog', { name: 'Comments' }).getByLabel('New comment').waitFor();
      deepStrictEqual(await findings(page), []);
      await page.goto('/admin/workflows');
      await page.getByRole('button', { name: 'New workflow' }).click();
      await page.getByLabel('Stage 1', { exact: true }).waitFor();
      deepStrictEqual(await findings(page), []);
      deepStrictEqual(visitor.complaints, []);
    });
  }
});
