/** Open tabs follow changes of the schema and of roles, without losing what is being typed. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { makeRole } from '../support/accounts/administrators.ts';
import { makeFirstAdministrator, serveAdministration } from '../support/browser/administration.ts';
import { openBrowser, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, NEW, saved, summary, title } from '../support/browser/document-page.ts';
import { openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType, makeProject } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';

const FILE = 'src/api/article/content-types/article/schema.json';
const text = { type: 'string' };
/** The reads of versions that never match, and the milliseconds of the longest wait between two of them. */
const READS = 5;
const LONGEST_WAIT = 8_000;

const project = () =>
  makeProject({
    contentTypes: {
      article: contentType(
        'article',
        { title: text, summary: text },
        { info: { displayName: 'Article' }, options: { draftAndPublish: true } },
      ),
    },
  });

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

const notice = (page: Page, words: RegExp) => page.getByRole('status').getByText(words);

for (const engine of engines) {
  describe(`changes elsewhere (${engine.name})`, () => {
    it('a form follows an edited file, keeps what is typed, and shows the text of a removed field', async () => {
      await using server = await serveAdministration(engine, project, ['dev', '--host', '127.0.0.1']);
      await using visitor = await visit(browser, server.url);
      const { page, context } = visitor;
      const assertContract = watchContract(context);
      await makeFirstAdministrator(page, server);
      await page.goto(NEW);
      await title(page).fill('Tides');
      await saved(page);

      // A save is under way when the file changes, and the next text has not been sent.
      const held = Promise.withResolvers<void>();
      const sends: string[] = [];
      const hold = async (route: Route): Promise<void> => {
        if (route.request().method() !== 'PUT') return route.continue();
        sends.push(route.request().postData()!);
        await held.promise;
        await route.continue();
      };
      await page.route('**/admin/api/content/**', hold);
      await summary(page).fill('Water that comes and goes');
      await until('a save is under way', () => sends.length > 0);
      await title(page).fill('Tides and tables');

      const file = path.join(server.dir, FILE);
      const schema = JSON.parse(await readFile(file, 'utf8'));
      schema.attributes = { title: text, teaser: text };
      await writeFile(file, JSON.stringify(schema, null, 2));
      await page.getByRole('textbox', { name: 'Teaser' }).waitFor();
      await summary(page).waitFor({ state: 'detached' });
      strictEqual(await title(page).inputValue(), 'Tides and tables');
      await notice(page, /The field Summary is no longer here/).waitFor();
      await page.getByRole('blockquote').getByText('Water that comes and goes').waitFor();
      held.resolve();
      await saved(page);
      await page.getByRole('textbox', { name: 'Teaser' }).fill('Low and high');
      await until('all of it is sent', () => sends.some((body) => body.includes('Low and high')));
      await saved(page);
      await page.getByRole('status').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('blockquote').waitFor({ state: 'detached' });
      await page.reload();
      await until('it was stored', async () => (await title(page).inputValue()) === 'Tides and tables');
      await assertContract();
      deepStrictEqual(visitor.complaints, []);
    });

    it('a form follows a changed role of its user', async () => {
      await using room = await openNewsroom(engine, browser);
      const subject = 'api::article.article';
      const all = { fields: ['title', 'slug', 'summary'], locales: ['en', 'fr'] };
      await makeRole(room.server, 'writer', [
        { operation: 'create', subject, properties: all },
        { operation: 'read', subject, properties: all },
        { operation: 'update', subject, properties: all },
      ]);
      await room.admit('fran', 'writer');
      await using visitor = await room.visit('fran');
      const { page, context } = visitor;
      const assertContract = watchContract(context);
      await page.goto(NEW);
      await title(page).fill('Rope');
      await saved(page);
      await summary(page).waitFor();
      const { data: roles } = (await room.ask('mara', 'GET', 'roles')).body;
      const { id } = roles.find(({ code }: { readonly code: string }) => code === 'writer');
      const permissions = ['create', 'read', 'update'].map((operation) => ({
        action: `plugin::content-manager.explorer.${operation}`,
        subject,
        permission: { ...all, fields: ['title', 'slug'], conditions: [] },
      }));
      strictEqual((await room.ask('mara', 'PUT', `roles/${id}`, { permissions })).status, 200);
      await summary(page).waitFor({ state: 'detached' });
      await notice(page, /The field Summary is no longer here/).waitFor();
      strictEqual(await title(page).inputValue(), 'Rope');

      // Without any right on the type, nothing of it is offered.
      const none = permissions.map((one) => ({ ...one, permission: null }));
      strictEqual((await room.ask('mara', 'PUT', `roles/${id}`, { permissions: none })).status, 200);
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      strictEqual(await page.locator(`a[href="/admin/${ARTICLE}"]`).count(), 0);
      await assertContract();
      deepStrictEqual(visitor.complaints, []);
    });

    it('a tab stops reading a schema that never matches, until the next change', async () => {
      await using room = await openNewsroom(engine, browser);
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.clock.install();
      await page.goto(NEW);
      await title(page).waitFor();
      let [reads, answers] = [0, 0];
      await page.route('**/admin/api/schema', async (route) => {
        reads += 1;
        const response = await route.fetch();
        const { data } = await response.json();
        await route.fulfill({ response, json: { data: { ...data, version: 'of other files' } } });
        answers += 1;
      });
      for (const round of [1, 2]) {
        strictEqual((await room.ask('mara', 'PUT', 'site', { name: `Harbour ${round}` })).status, 200);
        await until('the schema is read', async () => {
          await page.clock.runFor(LONGEST_WAIT);
          return answers >= round * READS;
        });
        for (let wait = 0; wait < READS; wait++) await page.clock.runFor(LONGEST_WAIT);
        strictEqual(reads, round * READS);
      }
      deepStrictEqual(visitor.complaints, []);
    });
  });
}
