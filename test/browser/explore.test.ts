/** The page of the API: building, sending, explaining, saving and sharing requests. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { Browser as Client, makeAdministrator } from '../support/accounts/administrators.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType, makeProject } from '../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../support/servers/seeded.ts';

const UID = 'api::article.article';
/** Rows of a table that is large enough to matter. */
const ROWS = 12_000;

describe('the page of the API', () => {
  let browser: Browser;
  let server: SeededServer;
  let admit: (context: BrowserContext) => Promise<void>;
  before(async () => {
    const project = await makeProject({
      contentTypes: {
        article: contentType(
          'article',
          {
            title: { type: 'string', required: true },
            kind: { type: 'enumeration', enum: ['story', 'notice'] },
            views: { type: 'integer' },
            author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
          },
          { info: { displayName: 'Articles' } },
        ),
        author: contentType('author', { name: { type: 'string' } }, { info: { displayName: 'Authors' } }),
      },
      files: { 'config/database.js': `module.exports = { indexes: 'off' };` },
    });
    const rights = {
      roles: { public: [`${UID}.find`], authenticated: [`${UID}.find`, `${UID}.findOne`] },
      tokens: [{ name: 'Site', type: 'full-access' }],
    };
    [browser, server] = await Promise.all([openBrowser(), serveSeeded(engines[0]!, project, rights)]);
    await server.app.database.transaction(async (tx) => {
      await tx.rows(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})
         insert into articles (document_id, title, kind, views, published_at)
         select 'document' || i, 'Title ' || i, 'story', (i * 7919) % ${ROWS}, 1700000000000 from n`,
        [],
      );
    });
    await makeAdministrator(server, 'sue', 'strapi-super-admin');
    const client = new Client(server);
    await client.signIn('sue');
    const [name = '', value = ''] = client.cookie!.split('=');
    admit = (context) => context.addCookies([{ name, value, url: `${server.url}/admin/` }]);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('builds a request, sends it, explains why it is slow, and creates the missing index', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    const isHeld = watchContract(context);
    await admit(context);
    await page.goto(`/admin/explore?uid=${UID}&as=public`);
    await page.getByRole('button', { name: /^GET \/api\/articles Permitted to Authenticated, Public$/ }).waitFor();
    await page.getByText('Not permitted for this caller').first().waitFor();

    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByLabel('Field of filter 1').selectOption('kind');
    await page.getByLabel('Value of filter 1').selectOption('story');
    await page.getByRole('button', { name: 'Add sort key' }).click();
    await page.getByLabel('Field of sort key 1').selectOption('views');
    await page.getByLabel('Direction of sort key 1').selectOption('desc');
    await page.getByRole('group', { name: 'Fields' }).getByLabel('title').check();
    await page.getByLabel('Page size').fill('2');
    const query = 'filters[kind][$eq]=story&sort=views:desc&fields=title&pagination[pageSize]=2';
    strictEqual(await page.getByLabel('Query').inputValue(), query);
    await page
      .getByLabel('Query')
      .fill("filters[title][$ne]=It's&sort=views&pagination[withCount]=false&pagination[pageSize]=2");
    strictEqual(await page.getByLabel('Value of filter 1').inputValue(), "It's");
    ok(!(await page.getByLabel('Count the total').isChecked()));

    const code = page.getByRole('region', { name: 'Code' });
    await code.getByRole('tab', { name: 'curl' }).click();
    match(await code.locator('pre').innerText(), /^curl --globoff 'http:.*\[\$ne\]=It'\\''s/);
    await code.getByRole('tab', { name: '@strapi/client' }).click();
    match(await code.locator('pre').innerText(), /client\.collection\('articles'\)\.find\(\{/);
    await code.getByRole('tab', { name: 'TypeScript' }).click();
    match(await code.locator('pre').innerText(), /import type \{ ArticleDocument \} from '\.\/galley'/);

    const answer = page.getByRole('region', { name: 'Answer' });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await answer.getByText('200', { exact: true }).waitFor();
    match(await answer.locator('pre').innerText(), /"pageSize": 2/);
    await answer.getByRole('tab', { name: 'Headers' }).click();
    await answer.getByText('application/json').first().waitFor();
    await answer.getByRole('tab', { name: 'Explain' }).click();
    await answer.getByText('No index provides the order by views, so 12,000 rows of articles are sorted.').waitFor();
    const name = await answer.locator('code').innerText();
    await answer.getByRole('button', { name: 'Create index' }).click();
    await answer.getByText(`The index ${name} finds the rows of articles.`).waitFor();
    await answer.getByText(/^Before the index was created, it needed/).waitFor();
    await answer.getByText('No index is missing.').waitFor();

    await page.getByRole('button', { name: 'Saved requests' }).click();
    await page.getByLabel('Name of this request').fill('Most read');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    const shared = page.url();
    await page.getByLabel('Content type').selectOption('Authors');
    await page.waitForURL(/author\.author/);
    strictEqual(await page.getByLabel('Query').inputValue(), '');
    await page.getByRole('button', { name: 'Saved requests' }).click();
    await page.getByRole('button', { name: 'Most read', exact: true }).click();
    await page.getByLabel('Field of sort key 1').waitFor();
    await page.goto(shared);
    strictEqual(await page.getByLabel('Field of sort key 1').inputValue(), 'views');
    await page.goto('/admin/explore?uid=api::author.author&as=public');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await answer.getByRole('tab', { name: 'Explain' }).click();
    await answer.getByText('This caller may not send the request, so there is nothing to explain.').waitFor();
    await isHeld();
    deepStrictEqual(visitor.complaints, []);
  });

  it('writes as a token after a confirmation, and is linked with the description of the API', async () => {
    await using visitor = await visit(browser, server.url, { language: 'de', width: 390 });
    const { page, context } = visitor;
    await admit(context);
    await page.goto('/admin/explore?uid=api::author.author&action=create');
    await page.getByLabel('Senden als').selectOption('Token: Site');
    await page.getByRole('button', { name: 'Vorlage einfügen' }).click();
    await page.getByLabel('Inhalt (JSON)').fill('{"data": {"name": ');
    await page.getByText('Das ist kein gültiges JSON.').waitFor();
    await page.getByLabel('Inhalt (JSON)').fill('{"data": {"name": "Ann"}}');
    // It stays in view while the page scrolls.
    const box = await page.getByRole('button', { name: 'Senden', exact: true }).boundingBox();
    ok(box && box.y + box.height < 844);
    await page.getByRole('button', { name: 'Senden', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Anfrage senden' }).click();
    await page.getByRole('region', { name: 'Antwort' }).locator('pre').filter({ hasText: '"Ann"' }).waitFor();
    const answer = await page.getByRole('region', { name: 'Antwort' }).boundingBox();
    ok(answer && answer.y < 844);
    const [docs] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Beschreibung der API' }).click(),
    ]);
    await docs.getByRole('link', { name: 'administration app' }).click();
    await docs.getByRole('heading', { name: 'API', level: 1 }).waitFor();
    deepStrictEqual(visitor.complaints, []);
  });

  it('is left for another page, also right after a change and while that page is still loading', async () => {
    await using visitor = await visit(browser, server.url);
    const { page, context } = visitor;
    await admit(context);
    await page.goto(`/admin/explore?uid=${UID}&as=public`);
    const loading = Promise.withResolvers<void>();
    await page.route('**/assets/locales-*.js', async (route) => {
      await loading.promise;
      await route.continue();
    });
    const query = page.getByLabel('Query');
    await query.waitFor();
    await page.clock.install();
    await query.fill('sort=views');
    const requested = page.waitForRequest('**/assets/locales-*.js');
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Locales' }).click();
    await requested;
    await page.clock.runFor(1000);
    loading.resolve();
    await page.getByRole('heading', { name: 'Locales', level: 1 }).waitFor();
    deepStrictEqual(visitor.complaints, []);
  });
});
