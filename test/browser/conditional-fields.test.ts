/**
 * Fields with conditions: the form hides and shows them during typing, keeps their values, and reports no errors of
 * hidden ones.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';

const PAGE = 'content/api::page.page';
const is = (name: string, value: unknown) => ({ conditions: { visible: { '==': [{ var: name }, value] } } });
const content = {
  contentTypes: {
    page: contentType(
      'page',
      {
        title: { type: 'string' },
        open: { type: 'boolean' },
        note: { type: 'string', required: true, minLength: 3, ...is('open', true) },
        word: { type: 'uid', regex: '^[a-z]+$', targetField: 'title' },
        // Some texts take exponential time.
        code: { type: 'string', regex: '^(a+)+$' },
        links: { type: 'component', component: 'shared.link', repeatable: true },
      },
      { options: { draftAndPublish: true }, info: { displayName: 'Page' } },
    ),
  },
  components: {
    'shared.link': {
      collectionName: 'components_links',
      info: { displayName: 'Link' },
      attributes: {
        kind: { type: 'enumeration', enum: ['page', 'external'] },
        href: { type: 'string', required: true, ...is('kind', 'external') },
        path: { type: 'string', required: true, ...is('kind', 'page') },
      },
    },
  },
};

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

for (const engine of engines) {
  describe(`fields with conditions in the browser (${engine.name})`, () => {
    let room: Newsroom;
    before(async () => {
      room = await openNewsroom(engine, browser, content);
    });
    after(() => room[Symbol.asyncDispose]());

    const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
    const choose = (page: Page, answer: string) =>
      page.getByRole('group', { name: 'Open', exact: true }).getByRole('radio', { name: answer, exact: true }).check();
    const draftOf = async (id: string) => (await room.ask('mara', 'GET', `${PAGE}/${id}`)).body.data.draft;
    const make = async (data: object): Promise<string> =>
      (await room.ask('mara', 'POST', PAGE, { data })).body.data.documentId;

    it('appear and disappear as other fields change, and keep their values', async () => {
      const id = await make({ title: 'Harbour' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${PAGE}/${id}`);
      await field(page, 'Title').waitFor();
      strictEqual(await field(page, 'Note').count(), 0);
      await choose(page, 'Yes');
      await field(page, 'Note').fill('ab');
      await field(page, 'Title').focus();
      await page.getByText('At least 3 characters').first().waitFor();
      await choose(page, 'No');
      await field(page, 'Note').waitFor({ state: 'detached' });
      strictEqual(await page.getByText('At least 3 characters').count(), 0);
      await choose(page, 'Yes');
      strictEqual(await field(page, 'Note').inputValue(), 'ab');
      await choose(page, 'No');
      await until('the hidden value is stored', async () => {
        const { open, note } = await draftOf(id);
        return open === false && note === 'ab';
      });
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByText('Published', { exact: true }).first().waitFor();
      deepStrictEqual((await room.ask('mara', 'GET', `${PAGE}/${id}`)).body.data.published.note, 'ab');
    });

    it('depend on the other fields of the same row', async () => {
      const links = [{ kind: 'page', path: '/a' }, { kind: 'external' }];
      const id = await make({ title: 'Links', links });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${PAGE}/${id}`);
      const row = (index: number) => page.locator('[data-row]').nth(index);
      await row(0).waitFor();
      for (const index of [0, 1]) {
        const toggle = row(index).getByRole('button', { expanded: false });
        if ((await toggle.count()) > 0) await toggle.first().click();
      }
      const shown = async (index: number) => [
        await row(index).getByLabel('Href', { exact: true }).count(),
        await row(index).getByLabel('Path', { exact: true }).count(),
      ];
      await row(1).getByLabel('Href', { exact: true }).waitFor();
      deepStrictEqual(
        [await shown(0), await shown(1)],
        [
          [0, 1],
          [1, 0],
        ],
      );
      await row(1).getByLabel('Kind', { exact: true }).selectOption('page');
      await row(1).getByLabel('Path', { exact: true }).fill('/b');
      deepStrictEqual(await shown(1), [0, 1]);
      await until('the row is stored', async () => (await draftOf(id)).links[1].path === '/b');
    });

    it('ask for a uid if no generated value matches its pattern', async () => {
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${PAGE}/new`);
      await field(page, 'Title').fill('Two words');
      await page.getByText('No generated value has the expected format. Enter one yourself.').waitFor();
      strictEqual(await field(page, 'Word').inputValue(), '');
      await field(page, 'Title').fill('Words');
      await until('it is generated', async () => (await field(page, 'Word').inputValue()) === 'words');
      await field(page, 'Title').fill('Words again');
      await until('it is taken away', async () => (await field(page, 'Word').inputValue()) === '');
      await field(page, 'Word').fill('Own');
      await field(page, 'Title').focus();
      await page.getByText('This does not have the expected format.').first().waitFor();
    });

    it('test patterns apart from the page, which stays usable with those that take long', async () => {
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${PAGE}/new`);
      const ofCode = page.locator('[data-field=code]');
      await field(page, 'Code').fill('ab');
      await field(page, 'Title').focus();
      await ofCode.getByText('This does not have the expected format.').waitFor();
      await field(page, 'Code').fill(`${'a'.repeat(60)}b`);
      await field(page, 'Title').fill('Still usable');
      strictEqual(await field(page, 'Title').inputValue(), 'Still usable');
      await field(page, 'Code').fill('aa');
      await ofCode.getByText('This does not have the expected format.').waitFor({ state: 'detached' });
    });
  });
}
