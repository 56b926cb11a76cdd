/** Releases: filled from documents and lists, examined, planned, previewed, run and reverted. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Browser as Client, makeAdministrator } from '../support/accounts/administrators.ts';
import { signedIn } from '../support/accounts/held-answers.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType, makeProject } from '../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../support/servers/seeded.ts';
import { reflowFindings } from './reflow.ts';

const AXE = readFileSync(path.join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');
const [ARTICLE, AUTHOR] = ['api::article.article', 'api::author.author'] as const;
const drafts = { options: { draftAndPublish: true } };
const contentTypes = {
  article: contentType(
    'article',
    {
      title: { type: 'string' },
      text: { type: 'string', required: true },
      author: { type: 'relation', relation: 'manyToOne', target: AUTHOR },
    },
    { ...drafts, info: { displayName: 'Articles' } },
  ),
  author: contentType('author', { name: { type: 'string' } }, { ...drafts, info: { displayName: 'Authors' } }),
};
/** A folder for pictures of the pages, for people. */
const PICTURES = process.env['RELEASE_PICTURES'];

describe('releases in the administration app', () => {
  let browser: Browser;
  let server: SeededServer;
  let sue: Client;
  let article: string;
  before(async () => {
    browser = await openBrowser();
    server = await serveSeeded(engines[0]!, await makeProject({ contentTypes }));
    await makeAdministrator(server, 'sue', 'strapi-super-admin');
    sue = await signedIn(server, 'sue');
    const author = await made(AUTHOR, { name: 'Mara' });
    article = await made(ARTICLE, { title: 'Smoke and patience', author });
    for (const title of ['Bread', 'Salt']) await made(ARTICLE, { title, text: 'Long' });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const made = async (uid: typeof ARTICLE | typeof AUTHOR, data: object): Promise<string> =>
    ((await server.app.documents(uid).create({ data })) as { documentId: string }).documentId;
  const admit = async (context: BrowserContext): Promise<void> => {
    const [name, value] = sue.cookie!.split('=') as [string, string];
    const { hostname: domain } = new URL(server.url);
    await context.addCookies([{ name, value, domain, path: '/admin', httpOnly: true, sameSite: 'Strict' }]);
  };
  let look = '';
  const checked = async (page: Page, name: string): Promise<void> => {
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${look}.png`, fullPage: true });
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
    const findings = await page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        resultTypes: ['violations'],
      });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    });
    deepStrictEqual(findings, [], name);
    if (look.includes('390')) deepStrictEqual(await reflowFindings(page), [], name);
  };

  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    it(`are filled, examined, planned and run, in the ${theme} theme, ${width} wide`, async () => {
      look = `${theme}-${width}`;
      await using visitor = await visit(browser, server.url, { theme, width });
      const { page, context } = visitor;
      const isHeld = watchContract(context);
      await admit(context);
      await page.goto('/admin/releases');
      await page.getByText('No releases yet').waitFor();
      await checked(page, 'none');
      await page.getByRole('button', { name: 'New release' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByText('Enter a name.').waitFor();
      await dialog.getByLabel('Name').fill('Spring');
      await dialog.getByLabel('Runs at').fill('2001-01-01T10:00');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.locator('dialog [aria-invalid], [role=dialog] [aria-invalid]').waitFor();
      await checked(page, 'new');
      await dialog.getByLabel('Runs at').fill(`${new Date().getUTCFullYear() + 2}-01-01T10:00`);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Spring', level: 1 }).waitFor();
      await page.getByText('Add documents from their page or from a list.').waitFor();

      await page.goto(`/admin/content/${ARTICLE}/${article}`);
      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Add to a release' }).click();
      await dialog.getByRole('radio', { name: /Spring.*0 documents · Runs .*, January 1, \d{4}.*Empty/ }).waitFor();
      await checked(page, 'add');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('Added 1 document to the release').waitFor();

      await page.goto('/admin/releases');
      await page.getByRole('link', { name: 'Spring' }).waitFor();
      await checked(page, 'list');
      await page.getByRole('link', { name: 'Spring' }).click();
      await page.getByText('Blocked').waitFor();
      await page.getByRole('button', { name: 'Add them' }).waitFor();
      await checked(page, 'detail');
      await page.getByRole('button', { name: 'Add them' }).click();
      await page.getByRole('link', { name: 'Mara' }).waitFor();
      await page.getByRole('button', { name: 'Actions for Mara' }).click();
      await page.getByRole('menuitem', { name: 'Move up' }).click();
      await page.locator('ol li').first().getByRole('link', { name: 'Mara' }).waitFor();
      await page.getByRole('button', { name: 'Change' }).click();
      await dialog.getByLabel('Runs at').fill('');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('1 document prevents the release.').waitFor();
      strictEqual(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true);
      await checked(page, 'blocked');
      await page.getByRole('button', { name: 'Actions for Smoke and patience' }).click();
      await page.getByRole('menuitem', { name: 'Remove from the release' }).click();
      await page.getByText('Ready').waitFor();
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await dialog.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('“Spring” has run').waitFor();
      await page.getByText('Done').first().waitFor();
      await checked(page, 'done');
      await isHeld();
      deepStrictEqual(visitor.complaints, []);
      await server.app.documents(AUTHOR).unpublish({ documentId: await only(AUTHOR) });
    });
  }

  it('of thirty documents are previewed, run and reverted', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) ids.push(await made(ARTICLE, { title: `Issue ${n}`, text: 'Long' }));
    const { id } = ((await sue.send('POST', 'releases', { name: 'Autumn' })).body as { data: { id: number } }).data;
    const actions = ids.map((documentId) => ({ type: 'publish', contentType: ARTICLE, documentId }));
    strictEqual((await sue.send('POST', `releases/${id}/actions`, { actions })).status, 201);
    const shown = async (query: string): Promise<number> =>
      (await server.get(`/api/articles?pagination[pageSize]=1${query}`, server.secrets['full'])).body.meta.pagination
        .total;
    const before = await shown('');
    strictEqual(await shown('&release=Autumn'), before + 30);
    look = 'light-1440';
    await using visitor = await visit(browser, server.url, { theme: 'light', width: 1440 });
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await admit(context);
    await page.goto(`/admin/releases/${id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('“Autumn” has run').waitFor();
    strictEqual(await shown(''), before + 30);
    await page.getByRole('button', { name: 'Revert…' }).click();
    await dialog.getByText('30 versions were first published by the release and are unpublished.').waitFor();
    await checked(page, 'revert');
    await dialog.getByRole('button', { name: 'Revert', exact: true }).click();
    await page.getByText('“Autumn” was reverted').waitFor();
    strictEqual(await shown(''), before);
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  const only = async (uid: typeof AUTHOR): Promise<string> => {
    const all = (await server.app.documents(uid).findMany({})) as { documentId: string }[];
    strictEqual(all.length, 1);
    return all[0]!.documentId;
  };
});
