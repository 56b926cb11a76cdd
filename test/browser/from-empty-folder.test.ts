/** A site from an empty folder by clicking alone: types, content, permissions, a token, a request and an editor. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { runCommandLine } from '../../src/cli/run.ts';
import { openPanel, shownByApp, shownByPanel } from '../side-by-side/panel.ts';
import {
  ADMINISTRATOR,
  type Administration,
  makeFirstAdministrator,
  serveAdministration,
} from '../support/browser/administration.ts';
import { openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { addAttribute, applyChanges, createType, openReview, review } from '../support/browser/content-types-page.ts';
import { watchContract } from '../support/browser/contract.ts';
import { idOf, panel, saved, saveNow } from '../support/browser/document-page.ts';
import { engines } from '../support/databases/databases.ts';
import { makeProject } from '../support/servers/project.ts';
import { until } from '../support/wait.ts';

const STORY = 'content/api::story.story';
const WRITER = 'content/api::writer.writer';

/** Prints what a command that fails has written. */
async function run(...words: readonly string[]): Promise<void> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  strictEqual(await runCommandLine(words, { env: {}, print, warn: print }), 0, lines.join('\n'));
}

/** A project that `galley init` has created in an empty folder. */
async function initialised() {
  const folder = await makeProject({});
  await run('init', folder.dir);
  return folder;
}

/** The documents of an answer over HTTP, or its status. */
async function titlesAt(url: string, token?: string): Promise<readonly string[] | number> {
  const response = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  const { data } = (await response.json()) as { data: { title: string; name: string }[] | null };
  return data ? data.map(({ title, name }) => title ?? name) : response.status;
}

/** Sends a request to the administration API with the session of a page. Returns the status of the answer. */
const asPage = (page: Page, method: string, path: string, data?: object, precondition: object = {}): Promise<number> =>
  page.evaluate(
    async ([method, path, body, precondition]) => {
      const headers = { 'content-type': 'application/json', ...precondition };
      const response = await fetch(`/admin/api/${path}`, { method, headers, ...(body && { body }) });
      // an answer that is not read does not end, and its comparison with the contract waits for it
      await response.text();
      return response.status;
    },
    [method, path, data && JSON.stringify(data), precondition] as const,
  );

for (const engine of engines) {
  describe(`a site from an empty folder (${engine.name})`, () => {
    let browser: Browser;
    let server: Administration;
    let owner: Visit;
    let isHeld: () => Promise<void>;
    let page: Page;
    /** The id of the first story. */
    let waves: string;
    /** The secret of the token. */
    let secret: string;
    before(async () => {
      const serving = serveAdministration(engine, initialised, ['dev', '--host', '127.0.0.1']);
      [browser, server] = await Promise.all([openBrowser(), serving]);
      owner = await visit(browser, server.url);
      isHeld = watchContract(owner.context);
      page = owner.page;
      await makeFirstAdministrator(page, server);
    });
    after(async () => {
      await browser?.close();
      await server?.[Symbol.asyncDispose]();
    });

    const dialog = () => page.getByRole('dialog');
    const goTo = async (place: string) => {
      const rail = page.getByRole('navigation', { name: 'Main navigation' });
      await rail.getByRole('link', { name: place, exact: true }).click();
      await page.getByRole('heading', { name: new RegExp(`^${place}`), level: 1 }).waitFor();
    };

    /** Two related types, a component and a zone, which are live beside their form. */
    const designTypes = async (): Promise<void> => {
      await goTo('Content types');
      const types = page.getByRole('link', { name: 'Content types' }).last();
      await createType(page, 'Component', { 'Display name': 'Quote', Category: 'shared' });
      await addAttribute(page, /^Long text/, 'Spoken words');
      await types.click();
      await createType(page, 'Collection type', { 'Display name': 'Writer' }, (side) =>
        side.getByLabel('Drafts').uncheck(),
      );
      await addAttribute(page, /^Short text/, 'Name');
      await types.click();
      await createType(page, 'Collection type', { 'Display name': 'Story' }, (side) =>
        side.getByLabel('Locales').check(),
      );
      await addAttribute(page, /^Short text/, 'Title');
      await addAttribute(page, /^Relation/, 'Writer', async (side) => {
        await side.getByLabel('Target').selectOption('api::writer.writer');
        await side.getByLabel('Show it in Writer too').check();
      });
      await addAttribute(page, /^Dynamic zone/, 'Parts', (side) => side.getByLabel('Quote').check());
      await openReview(page);
      for (const name of ['Story', 'Writer', 'Quote']) await review(page).getByText(`${name} is created.`).waitFor();
      await applyChanges(page);
      const form = page.getByRole('complementary', { name: 'Form' });
      await form.getByText('This is the form that people see now').waitFor();
      await form.getByLabel('Title').fill('Tried');
    };

    /** A second locale. */
    const addLocale = async (): Promise<void> => {
      await goTo('Locales');
      await page.getByRole('button', { name: 'Add a locale' }).click();
      await dialog().getByLabel('Code').fill('de');
      await dialog().getByRole('button', { name: 'Add a locale' }).click();
      await page.getByText('German (de) added').waitFor();
    };

    /** A published story with a writer and a part. */
    const publishStory = async (): Promise<void> => {
      await goTo('Writers');
      await page.getByRole('button', { name: 'New', exact: true }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Ida');
      await saveNow(page);
      await panel(page).getByRole('heading', { name: 'Saved' }).waitFor();
      await goTo('Stories');
      await page.getByRole('button', { name: 'New', exact: true }).click();
      await page.getByRole('textbox', { name: 'Title' }).fill('Waves');
      await page.getByRole('combobox', { name: 'Writer: Find a document to link' }).click();
      await page.getByRole('option', { name: 'Ida' }).click();
      const parts = page.getByRole('group', { name: 'Parts' });
      await parts.getByRole('button', { name: 'Add a part' }).click();
      await page.getByRole('menuitem', { name: 'Quote' }).click();
      await page.getByRole('textbox', { name: 'Spoken words' }).fill('The sea is patient.');
      await panel(page).getByRole('button', { name: 'Publish', exact: true }).click();
      await panel(page).getByRole('heading', { name: 'Published', exact: true }).waitFor();
      waves = idOf(page);
    };

    /** Reading is public once the site permissions allow it. */
    const openReading = async (): Promise<void> => {
      strictEqual(await titlesAt(`${server.url}/api/stories`), 403);
      await goTo('Site permissions');
      await page.getByRole('list', { name: 'Roles' }).getByRole('link', { name: 'Public' }).click();
      await page.getByRole('checkbox', { name: 'Anyone can list published “Stories”' }).check();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog().getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      deepStrictEqual(await titlesAt(`${server.url}/api/stories`), ['Waves']);
    };

    /** A token reads what is not public. */
    const createToken = async (): Promise<void> => {
      await goTo('API tokens');
      await page.getByRole('link', { name: 'New token' }).click();
      await page.getByLabel('Name').fill('Build');
      await page.getByLabel('Rights').selectOption('Custom');
      await page.getByRole('button', { name: 'Writers' }).click();
      await page.getByRole('checkbox', { name: 'Holders of this token can list “Writers”' }).check();
      await page.getByRole('button', { name: 'Create token' }).click();
      secret = await dialog().locator('code').innerText();
      await dialog().getByRole('button', { name: 'Done' }).click();
      strictEqual(await titlesAt(`${server.url}/api/writers`), 403);
      deepStrictEqual(await titlesAt(`${server.url}/api/writers`, secret), ['Ida']);
      strictEqual(await titlesAt(`${server.url}/api/stories`, secret), 403);
    };

    /** The address of a built request works elsewhere. */
    const buildRequest = async (): Promise<void> => {
      await goTo('API');
      await page.getByLabel('Content type').selectOption('Story');
      await page.getByRole('button', { name: 'Add filter' }).click();
      await page.getByLabel('Field of filter 1').selectOption('title');
      await page.getByLabel('Value of filter 1').fill('Waves');
      await page.getByRole('group', { name: 'Populate' }).getByLabel('parts').check();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      const answer = page.getByRole('region', { name: 'Answer' }).locator('pre');
      match(await answer.innerText(), /"spokenWords": "The sea is patient\."/);
      const url = await page.getByRole('region', { name: 'Code' }).locator('pre').innerText();
      const response = await fetch(url);
      deepStrictEqual(await response.json(), JSON.parse(await answer.innerText()));
    };

    /** An editor writes one type in one locale, and is refused elsewhere. */
    const inviteEditor = async (): Promise<void> => {
      await goTo('Roles');
      await page.getByRole('button', { name: 'New role' }).click();
      await dialog().getByLabel('Name', { exact: true }).fill('German desk');
      await dialog().getByRole('button', { name: 'Create role' }).click();
      await page.getByRole('heading', { name: 'German desk', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Stories' }).click();
      for (const verb of ['Read', 'Create', 'Change']) {
        const box = (name: string) => page.getByRole('checkbox', { name: `${verb}: ${name}`, exact: true });
        await box('Stories').check();
        await box('Locales added later of Stories').uncheck();
        await box('English (en) of Stories').uncheck();
      }
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog()
        .getByText(/Only these locales: .*de/)
        .first()
        .waitFor();
      await dialog().getByRole('button', { name: 'Save' }).click();
      await page.getByText('3 changes').waitFor({ state: 'detached' });
      await goTo('People');
      await page.getByRole('button', { name: 'Invite' }).click();
      await dialog().getByLabel('E-mail').fill('nell@example.org');
      await dialog().getByLabel('German desk').check();
      await dialog().getByRole('button', { name: 'Create invitation' }).click();
      const link = await dialog().locator('code').innerText();
      await dialog().getByRole('button', { name: 'Done' }).click();

      await using editor = await visit(browser, server.url);
      const isHeldToo = watchContract(editor.context);
      const desk = editor.page;
      await desk.goto(link);
      await desk.getByLabel('First name').fill('Nell');
      await desk.getByLabel('Password', { exact: true }).fill('Harbour1910');
      await desk.getByRole('button', { name: 'Create account' }).click();
      await desk.getByRole('heading', { name: 'Good to see you, Nell' }).waitFor();
      const rail = desk.getByRole('navigation', { name: 'Main navigation' });
      await rail.getByRole('link', { name: 'Stories' }).waitFor();
      deepStrictEqual(await rail.getByRole('link').allInnerTexts(), ['Home', 'Trash', 'Stories']);
      await rail.getByRole('link', { name: 'Stories' }).click();
      await desk.getByRole('button', { name: 'New', exact: true }).first().click();
      await desk.getByRole('textbox', { name: 'Title' }).fill('Wellen');
      await saveNow(desk);
      await desk.waitForURL((url) => !url.pathname.endsWith('/new'));
      await saved(desk);
      const id = idOf(desk);
      strictEqual(await desk.getByRole('button', { name: 'Publish' }).count(), 0);
      await panel(desk).getByText('Your roles do not let you publish this').waitFor();
      strictEqual(await panel(desk).getByText('English').count(), 0);
      for (const place of [WRITER, 'types', 'people', 'permissions']) {
        await desk.goto(`/admin/${place}`);
        await desk.getByRole('heading', { name: 'Not found' }).waitFor();
      }
      const inGerman = { data: { title: 'Wogen' }, locale: 'de' };
      strictEqual(await asPage(desk, 'PUT', `${STORY}/${id}`, inGerman, { 'if-match': '*' }), 200);
      const inEnglish = { data: { title: 'Eve' }, locale: 'en' };
      deepStrictEqual(
        [
          await asPage(desk, 'POST', STORY, inEnglish),
          await asPage(desk, 'PUT', `${STORY}/${id}`, inEnglish),
          // a document without a version that the editor sees
          await asPage(desk, 'PUT', `${STORY}/${waves}`, inEnglish),
          await asPage(desk, 'POST', `${STORY}/${id}/publish`, { locale: 'de' }),
          await asPage(desk, 'GET', WRITER),
          await asPage(desk, 'POST', WRITER, { data: { name: 'Eve' } }),
          await asPage(desk, 'GET', 'people'),
        ],
        [403, 403, 404, 403, 403, 403, 403],
      );
      await isHeldToo();
      deepStrictEqual(editor.complaints, []);

      await page.goto(`/admin/${STORY}/${id}?locale=de`);
      await until(
        'the owner sees it',
        async () => (await page.getByRole('textbox', { name: 'Title' }).inputValue()) === 'Wogen',
      );
    };

    /** Strapi on the same files and a copy of the database. */
    const openInStrapi = async (): Promise<void> => {
      await page.goto('/admin/');
      const shown = await shownByApp((place) =>
        page.evaluate(async (path) => (await (await fetch(`/admin/api/${path}`)).json()).data, place),
      );
      const panel = await openPanel(server.dir, server.env);
      try {
        deepStrictEqual(await shownByPanel(await panel.signIn(ADMINISTRATOR)), shown);
        deepStrictEqual(await titlesAt(`${panel.url}/api/stories`), ['Waves']);
        deepStrictEqual(
          [await titlesAt(`${panel.url}/api/writers`), await titlesAt(`${panel.url}/api/writers`, secret)],
          [403, ['Ida']],
        );
        const editor = await panel.signIn({ email: 'nell@example.org', password: 'Harbour1910' });
        const stories = (locale: string) =>
          editor(`content-manager/collection-types/api::story.story?locale=${locale}`);
        const { results } = (await stories('de')) as { results: { title: string }[] };
        deepStrictEqual(
          results.map(({ title }) => title),
          ['Wogen'],
        );
        await rejects(editor('content-manager/collection-types/api::writer.writer'), /^Error: 403/);
      } finally {
        await panel.stop();
      }
    };

    it('has types, public content, a token, a request and an editor by clicking alone', async () => {
      await designTypes();
      await addLocale();
      await publishStory();
      await openReading();
      await createToken();
      await buildRequest();
      await inviteEditor();
      await run('check', server.dir);
      if (process.env['BENCH_STRAPI_DIR']) await openInStrapi();
      await isHeld();
      deepStrictEqual(owner.complaints, []);
    });
  });
}
