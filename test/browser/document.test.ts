/** Writing and publishing a document. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Request, Route } from 'playwright-core';
import { openBrowser } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { ARTICLE, idOf, NEW, panel, saved, saveNow, summary, title } from '../support/browser/document-page.ts';
import { type Newsroom, openNewsroom } from '../support/browser/newsroom.ts';
import { hasFocus } from '../support/browser/one-page.ts';
import { engines } from '../support/databases/databases.ts';
import { until } from '../support/wait.ts';
import { keptKeys } from './kept.ts';

const ANY = { 'if-match': '*' };

let browser: Browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

for (const engine of engines) {
  describe(`a document in the browser (${engine.name})`, () => {
    let room: Newsroom;
    before(async () => {
      room = await openNewsroom(engine, browser);
    });
    after(() => room[Symbol.asyncDispose]());

    /** The document as the server has it. */
    const stored = async (documentId: string, locale = 'en') =>
      (await room.ask('mara', 'GET', `${ARTICLE}/${documentId}?locale=${locale}`)).body.data;

    it('grows from the first word of a draft to two published locales', async () => {
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      const assertContract = watchContract(visitor.context);
      await page.goto(NEW);
      await until('one begins at its first field', () => hasFocus(title(page)));
      await page.keyboard.type('Smoke');
      await page.waitForURL((url) => !url.pathname.endsWith('/new'));
      await saved(page);
      // The page keeps its state and the caret when its address changes.
      await title(page).press('End');
      await page.keyboard.type(' and patience');
      const id = idOf(page);
      await until('the draft is saved', async () => (await stored(id)).draft.title === 'Smoke and patience');
      // The uid follows the title as long as the document is new.
      await until('so is its address', async () => (await stored(id)).draft.slug === 'smoke-and-patience');
      await panel(page).getByRole('button', { name: 'Publish', exact: true }).click();
      await panel(page).getByRole('heading', { name: 'Published', exact: true }).waitFor();

      await title(page).fill('Smoke, patience, honey');
      await summary(page).fill('A morning with the beekeeper.');
      await panel(page).getByRole('button', { name: 'Publish 2 changes' }).waitFor();
      await panel(page).getByRole('button', { name: 'Compare side by side' }).click();
      const dialog = page.getByRole('dialog', { name: 'Changes on the site' });
      await dialog.getByText('Smoke and patience').waitFor();
      await page.keyboard.press('Escape');
      await title(page).fill('');
      await page.keyboard.press('Control+Shift+p');
      await dialog.getByText('Smoke and patience').waitFor();
      // Holding the keys down does not repeat the action.
      await page.keyboard.press('Control+Shift+p');
      await until('one key is left to press', () =>
        hasFocus(dialog.getByRole('button', { name: 'Publish 2 changes' })),
      );
      await page.keyboard.press('Enter');
      await panel(page).getByRole('alert').getByRole('button', { name: 'Title' }).click();
      await until('the field has the focus', () => title(page).evaluate((field) => field === document.activeElement));
      strictEqual((await stored(id)).published.title, 'Smoke and patience');
      await page.keyboard.type('Smoke, patience, honey');
      const publish = panel(page).getByRole('button', { name: /^Publish/ });
      await publish.click();
      await dialog.getByText('Smoke, patience, honey').waitFor();
      await page.keyboard.press('Escape');
      await until('the focus is back', () => hasFocus(publish));
      strictEqual((await stored(id)).published.title, 'Smoke and patience');
      await publish.press('Enter');
      await dialog.getByText('A morning with the beekeeper.').waitFor();
      await page.keyboard.press('Enter');
      await panel(page).getByRole('heading', { name: 'Published', exact: true }).waitFor();
      await until('the button that says so has the focus', () =>
        hasFocus(panel(page).getByRole('button', { name: 'Up to date', exact: true })),
      );
      await page.keyboard.press('Enter');
      strictEqual(await page.getByRole('dialog').count(), 0);
      const { published } = await stored(id);
      deepStrictEqual([published.summary, published.slug], ['A morning with the beekeeper.', 'smoke-and-patience']);

      await panel(page)
        .getByRole('link', { name: /^French/ })
        .click();
      await page.getByRole('heading', { name: 'There is no version in French yet' }).waitFor();
      await page.getByRole('button', { name: 'Start from English' }).click();
      await until('it is filled in', async () => (await title(page).inputValue()) === 'Smoke, patience, honey');
      await title(page).fill('Fumée, patience, miel');
      await panel(page).getByRole('button', { name: 'Publish', exact: true }).click();
      await panel(page).getByRole('heading', { name: 'Published', exact: true }).waitFor();
      const french = await stored(id, 'fr');
      deepStrictEqual(
        [french.states, french.published.title],
        [{ en: 'published', fr: 'published' }, 'Fumée, patience, miel'],
      );
      await panel(page).getByRole('button', { name: 'Show English alongside' }).click();
      await until(
        'English is beside',
        async () =>
          (await page.getByRole('region', { name: 'English' }).getByRole('textbox', { name: 'Title' }).inputValue()) ===
          'Smoke, patience, honey',
      );
      await until('each field stands level with its other one', () =>
        page.locator('[data-field]').evaluateAll((fields) => {
          const pairs = Map.groupBy(fields as HTMLElement[], ({ dataset }) => dataset['field']);
          const tops = [...pairs.values()].map((pair) => pair.map((field) => field.getBoundingClientRect().top));
          return tops.length >= 5 && tops.every(([a, b, ...more]) => a === b && more.length === 0);
        }),
      );
      await assertContract();
      deepStrictEqual(visitor.complaints, []);
    });

    if (engine !== engines[0]) return;

    const write = async (data: object, name = 'mara'): Promise<string> =>
      (await room.ask(name, 'POST', ARTICLE, { data })).body.data.documentId;

    it('fills empty fields from another locale, keeps others, and undoes it', async () => {
      const id = await write({ title: 'Pier', summary: 'Of wood', seo: { head: 'Planks' } });
      await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: { title: 'Jetée' }, locale: 'fr' });
      const french = async () => {
        const { title: name, summary: about, seo } = (await stored(id, 'fr')).draft;
        return [name, about, seo?.head];
      };
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}/${id}?locale=fr`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Jetée');
      const fill = async (): Promise<void> => {
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Fill empty fields from English' }).click();
      };
      await fill();
      await page.getByText('2 fields filled in from English').waitFor();
      await until('it is saved', async () => (await french()).join() === 'Jetée,Of wood,Planks');
      await page.getByRole('button', { name: 'Undo' }).click();
      await until('it is as it was', async () => (await french()).join() === 'Jetée,,');
      await summary(page).fill('De bois');
      await fill();
      await page.getByText('1 field filled in from English').waitFor();
      await until('the rest is saved', async () => (await french()).join() === 'Jetée,De bois,Planks');
      await fill();
      await page.getByText('No empty field has a value in English.').waitFor();
      deepStrictEqual(visitor.complaints, []);
    });

    it('shows both versions if two editors save one document, and keeps the selected values', async () => {
      const id = await write({ title: 'Tide', summary: 'Before' });
      await room.ask('eve', 'POST', `${ARTICLE}/${id}/presence`, { locale: 'en' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Tide');
      await page.getByRole('status').getByText('eve also has this open').waitFor();
      // Editing before the page has refetched the document.
      const isDocument = ({ pathname }: URL): boolean => decodeURIComponent(pathname).endsWith(`${ARTICLE}/${id}`);
      await page.route(isDocument, (route) => (route.request().method() === 'GET' ? undefined : route.fallback()));
      await room.ask('eve', 'PUT', `${ARTICLE}/${id}`, { data: { title: 'Tide, by Eve', summary: 'By Eve' } }, ANY);
      await title(page).fill('Tide, by Mara');
      await saveNow(page);
      const dialog = page.getByRole('dialog', { name: 'Someone else has saved this in the meantime' });
      await page.getByText('eve has saved this in the meantime').waitFor();
      strictEqual((await stored(id)).draft.title, 'Tide, by Eve', 'nothing was written over');
      // Editing continues, and the conflict is shown on publishing.
      await title(page).press('End');
      await page.keyboard.type(' again');
      strictEqual(await dialog.count(), 0);
      await panel(page)
        .getByRole('button', { name: /^Publish/ })
        .click();
      await dialog.getByText('Tide, by Eve').waitFor();
      match(await dialog.innerText(), /Saved by eve/);
      await dialog.getByRole('button', { name: 'Decide later' }).click();
      await page.getByRole('button', { name: 'Compare versions' }).click();
      // Fields that only one editor has changed are selected by default.
      strictEqual(await dialog.getByRole('radio', { name: 'Keep mine Title' }).isChecked(), true);
      strictEqual(await dialog.getByRole('radio', { name: 'Take theirs Summary' }).isChecked(), true);
      await dialog.getByRole('button', { name: 'Save choices' }).click();
      await until('both are there', async () => {
        const { draft } = await stored(id);
        return draft.title === 'Tide, by Mara again' && draft.summary === 'By Eve';
      });
      strictEqual(await summary(page).inputValue(), 'By Eve');
      await saved(page);
      deepStrictEqual(visitor.complaints, []);
    });

    it('names the API in a conflict with a program', async () => {
      const articles = room.server.app.documents('api::article.article');
      const documentId = await write({ title: 'Ebb' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}/${documentId}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Ebb');
      const isDocument = ({ pathname }: URL): boolean =>
        decodeURIComponent(pathname).endsWith(`${ARTICLE}/${documentId}`);
      await page.route(isDocument, (route) => (route.request().method() === 'GET' ? undefined : route.fallback()));
      await articles.update({ documentId, data: { title: 'Ebb, by a program' } });
      await title(page).fill('Ebb, by Mara');
      await saveNow(page);
      await page.getByText('This was changed through the API in the meantime').waitFor();
      await page.getByRole('button', { name: 'Compare versions' }).click();
      const dialog = page.getByRole('dialog', { name: 'Someone else has saved this in the meantime' });
      await dialog.getByText('Ebb, by a program').waitFor();
      match(await dialog.innerText(), /field by field\. Saved through the API (just now|\d+ \w+ ago)\./);
      deepStrictEqual(visitor.complaints, []);
    });

    it('shows readers the changes of others, and their own from elsewhere', async () => {
      const author = (await room.ask('mara', 'POST', 'content/api::author.author', { data: { name: 'Ina' } })).body
        .data;
      const id = await write({ title: 'Wind', author: author.documentId });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.clock.install();
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Wind');
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (request.method() === 'GET' && pathname.endsWith(id)) asked.push(pathname);
      });
      /** Waits until the page reports its presence again. */
      const look = async () => {
        const looks = page.waitForResponse((response) => response.url().endsWith('/presence'));
        await page.clock.fastForward(10_000);
        await looks;
      };
      for (let n = 0; n < 3; n++) await look();
      deepStrictEqual(asked, [], 'what nobody has saved is not asked for');
      for (const [who, text, said] of [
        ['eve', 'Wind, by Eve', 'eve just saved this.'],
        ['mara', 'Wind, by Mara', 'You just saved this in another tab or on another device.'],
      ] as const) {
        await room.ask(who, 'PUT', `${ARTICLE}/${id}`, { data: { title: text } }, ANY);
        await look();
        await page.getByRole('status').getByText(said).waitFor();
        await until('it is shown', async () => (await title(page).inputValue()) === text);
      }
      strictEqual(asked.length, 2);
      // And continues in the latest version.
      await title(page).fill('Wind, at last');
      await saveNow(page);
      await until('it is saved', async () => (await stored(id)).draft.title === 'Wind, at last');
      await saved(page);

      // A slow request is neither cancelled nor repeated.
      asked.length = 0;
      let answer = (): void => {};
      const isAnswered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route(`**/${id}*`, async (route) => {
        if (route.request().method() === 'GET') await isAnswered;
        return route.fallback();
      });
      await room.ask('eve', 'PUT', `${ARTICLE}/${id}`, { data: { title: 'Wind, after all' } }, ANY);
      for (let n = 0; n < 2; n++) await look();
      answer();
      await until('it is shown', async () => (await title(page).inputValue()) === 'Wind, after all');
      strictEqual(asked.length, 1);
      // Changing the name of a linked document does not save the document.
      await page.getByText('Ina', { exact: true }).first().waitFor();
      await room.ask('eve', 'PUT', `content/api::author.author/${author.documentId}`, { data: { name: 'Ines' } }, ANY);
      for (let n = 0; n < 6; n++) await look();
      await page.getByText('Ines', { exact: true }).first().waitFor();
      strictEqual(asked.length, 2);
      await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: { title: 'Vent' }, locale: 'fr' });
      // The page reports its presence when it opens, so the test waits for that first.
      const looked = page.waitForResponse((response) => response.url().endsWith('/presence'));
      await page.goto(`/admin/${ARTICLE}/${id}?locale=fr`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Vent');
      await looked;
      await room.ask('eve', 'DELETE', `${ARTICLE}/${id}?locale=fr`, undefined, ANY);
      await look();
      await page.getByText('This version was just deleted.').waitFor();
      await page.getByRole('heading', { name: 'There is no version in French yet' }).waitFor();
      deepStrictEqual(visitor.complaints, []);
    });

    it('appears at once on the next visit, even if it was saved only once, as a new one', async () => {
      await using visitor = await room.visit('mara');
      const { page, context } = visitor;
      await page.goto(NEW);
      await title(page).fill('Kelp');
      await page.waitForURL((url) => !url.pathname.endsWith('/new'));
      await saved(page);
      const id = idOf(page);
      await until('it is kept on the device', async () => (await keptKeys(page)).some((key) => key.includes(id)));
      const next = await context.newPage();
      const held = Promise.withResolvers<void>();
      await next.route(`**/${id}?*`, async (route) => held.promise.then(() => route.fallback()));
      await next.goto(page.url());
      await until('it is shown', async () => (await title(next).inputValue()) === 'Kelp');
      held.resolve();
    });

    it('stores offline changes on the device, restores them after the tab was closed, and sends them', async () => {
      const id = await write({ title: 'Fog' });
      await using visitor = await room.visit('mara');
      const { context } = visitor;
      const first = visitor.page;
      await first.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(first).inputValue()) === 'Fog');
      await context.setOffline(true);
      await title(first).fill('How fog is');
      await saveNow(first);
      await first.getByText('Offline: saved on this device').waitFor();
      const unreachable = first.getByText('The server is not responding. Nothing was changed there,');
      // An action that fails offline is reported.
      for (const ask of [() => saveNow(first), () => panel(first).getByRole('button', { name: 'Publish' }).click()]) {
        await first.getByRole('status').getByRole('button', { name: 'Close' }).last().click();
        await unreachable.waitFor({ state: 'detached' });
        await ask();
        await unreachable.waitFor();
      }
      await title(first).fill('How fog is measured');
      await context.setOffline(false);
      await until('it is sent', async () => (await stored(id)).draft.title === 'How fog is measured');
      await saved(first);

      // Requests of a closing page no longer see that the browser is offline.
      const hold = (route: Route) =>
        route.request().method() === 'GET' ? route.fallback() : route.abort('internetdisconnected');
      await context.route('**/admin/api/content/**', hold);
      await context.setOffline(true);
      await summary(first).fill('With a lamp');
      await saveNow(first);
      await first.getByText('Offline: saved on this device').waitFor();
      // A closing page would notice the connection again.
      await first.goto('about:blank');
      await first.close();
      await context.setOffline(false);
      strictEqual((await stored(id)).draft.summary, null);
      const second = await context.newPage();
      await second.goto(`/admin/${ARTICLE}/${id}`);
      await second.getByRole('button', { name: 'Discard' }).waitFor();
      await context.unroute('**/admin/api/content/**', hold);
      // A password without an answer is sent again.
      await second.reload();
      await second.getByRole('button', { name: 'Restore' }).click();
      strictEqual(await summary(second).inputValue(), 'With a lamp');
      await until('it is sent', async () => (await stored(id)).draft.summary === 'With a lamp');
      await saved(second);
      strictEqual(await second.getByRole('button', { name: 'Restore' }).count(), 0);
      const kept = () =>
        second.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('unsaved')).length);
      strictEqual(await kept(), 0);
    });

    it('keeps changes for their writer when the session has ended', async () => {
      const id = await write({ title: 'Ebb' });
      await using visitor = await room.visit('mara');
      const { page, context } = visitor;
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Ebb');
      const cookies = await context.cookies(`${room.server.url}/admin`);
      await context.clearCookies();
      await title(page).fill('Ebb and flow');
      await page.getByText('Sign in to continue where you left off').waitFor();
      strictEqual((await stored(id)).draft.title, 'Ebb');
      await context.addCookies(cookies);
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await page.getByRole('button', { name: 'Restore' }).click();
      await until('it is saved', async () => (await stored(id)).draft.title === 'Ebb and flow');
      deepStrictEqual(visitor.complaints, []);
    });

    it('reports nothing as unsaved if the page was reloaded before the answer', async () => {
      const id = await write({ title: 'Quay' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Quay');
      const kept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('unsaved')).length);
      // The server receives the request, but the page no answer.
      const reached = new Promise<void>((resolve) => {
        void page.route(`**/${id}*`, async (route) => {
          if (route.request().method() !== 'PUT') return route.fallback();
          await route.fetch();
          resolve();
        });
      });
      await title(page).fill('Quay by night');
      await reached;
      strictEqual(await kept(), 1, 'for all that the page knows');
      await page.reload();
      await until('it is as it was written', async () => (await title(page).inputValue()) === 'Quay by night');
      await until('nothing of it is kept', async () => (await kept()) === 0);
      strictEqual(await page.getByRole('button', { name: 'Restore' }).count(), 0);
      strictEqual((await stored(id)).draft.title, 'Quay by night');
    });

    it('ignores an older answer that arrives after a save', async () => {
      const id = await write({ title: 'Slack' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.clock.install();
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Slack');
      await page.getByRole('main').getByRole('link', { name: 'Article' }).click();
      await page.getByRole('grid').getByText('Slack', { exact: true }).waitFor();
      // Long enough to refetch the document on the next visit.
      await page.clock.fastForward(15_000);
      const known = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const over = Promise.withResolvers<void>();
      const isRead = (request: Request): boolean =>
        request.method() === 'GET' &&
        decodeURIComponent(new URL(request.url()).pathname).endsWith(`api/${ARTICLE}/${id}`);
      for (const event of ['requestfinished', 'requestfailed'] as const) {
        page.on(event as 'requestfinished', (request) => isRead(request) && over.resolve());
      }
      await page.route('**/api/content/**', async (route) => {
        if (!isRead(route.request())) return route.fallback();
        const response = await route.fetch();
        asked.resolve();
        await known.promise;
        // The page may have cancelled the request.
        await route.fulfill({ response }).catch(() => undefined);
      });
      await page.getByRole('grid').getByText('Slack', { exact: true }).click();
      await asked.promise;
      await title(page).fill('Slack and flood');
      await saveNow(page);
      await until('it is saved', async () => (await stored(id)).draft.title === 'Slack and flood');
      await saved(page);
      known.resolve();
      await over.promise;
      await title(page).press('End');
      await page.keyboard.type(' again');
      await saveNow(page);
      await until('it goes on', async () => (await stored(id)).draft.title === 'Slack and flood again');
      deepStrictEqual(visitor.complaints, []);
    });

    it('lists obstacles to publishing discreetly, at the fields and in the panel', async () => {
      const id = await write({ summary: 'Nameless' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await page.locator('[data-field="title"]').getByText('This field is required.').waitFor();
      const said = panel(page).getByText('1 field needs attention before this can be published');
      await said.waitFor();
      strictEqual(await page.getByRole('alert').count(), 0);
      strictEqual(await title(page).getAttribute('aria-invalid'), null);
      await panel(page)
        .getByRole('button', { name: /^Title This field/ })
        .click();
      await until('the field has the focus', () => hasFocus(title(page)));
      await page.keyboard.type('Named');
      await said.waitFor({ state: 'detached' });
      strictEqual(await page.locator('[data-field="title"]').getByText('This field is required.').count(), 0);
      deepStrictEqual(visitor.complaints, []);
    });

    it('saves the rest if the server refuses a field, and shows which field waits', async () => {
      const author = (await room.ask('mara', 'POST', 'content/api::author.author', { data: { name: 'Ute' } })).body
        .data;
      const id = await write({ title: 'Luv' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}/${id}`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Luv');
      await page.getByRole('combobox', { name: /^Author/ }).fill('Ute');
      // She is among the first options before the search.
      const options = page.getByRole('listbox').getByRole('option');
      await until('she alone is found', async () => (await options.allInnerTexts()).join().match(/^Ute\b[^,]*$/));
      await room.ask('mara', 'DELETE', `content/api::author.author/${author.documentId}`, undefined, ANY);
      await page.keyboard.press('Enter');
      await summary(page).fill('Where the wind is');
      await page.getByText('Saved except for 1 field').waitFor();
      strictEqual((await stored(id)).draft.summary, 'Where the wind is');
      await page
        .locator('[data-field="author"]')
        .getByText('Something that is linked here no longer exists.')
        .waitFor();
      await page.getByRole('button', { name: 'Unlink Ute' }).click();
      await saved(page);
      deepStrictEqual(visitor.complaints, []);
    });

    it('creates an empty document when it is published, and shows missing values', async () => {
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(NEW);
      await panel(page).getByRole('button', { name: 'Publish', exact: true }).click();
      await page.waitForURL((url) => !url.pathname.endsWith('/new'));
      const line = panel(page)
        .getByRole('alert')
        .getByRole('button', { name: /^Title This field is required/ });
      await until('what needs attention has the focus', () => hasFocus(line));
      await line.press('Enter');
      await until('its field has the focus', () => hasFocus(title(page)));
      const id = idOf(page);
      strictEqual((await stored(id)).draft.title, null);

      // Values that no draft can have wait, with errors at their fields and in the panel. Other values are saved.
      await title(page).fill('x'.repeat(256));
      await summary(page).fill('y'.repeat(161));
      const seo = page.getByRole('group', { name: 'Seo', exact: true });
      await seo.getByRole('button', { name: /^Add/ }).click();
      await seo.getByLabel('Head').fill('z'.repeat(61));
      await page.getByRole('status').getByText('Saved except for 3 fields').waitFor();
      const alert = panel(page).getByRole('alert');
      await alert.getByText('3 fields need attention').waitFor();
      deepStrictEqual(await alert.getByRole('button').allInnerTexts(), [
        'Title At most 255 characters.',
        'Summary At most 160 characters.',
        'Seo › Head At most 60 characters.',
      ]);
      await alert.getByRole('button', { name: 'Seo › Head' }).click();
      await until('the field has the focus', () => hasFocus(seo.getByLabel('Head')));
      await seo.getByLabel('Head').fill('Found');
      await until('it is saved', async () => (await stored(id)).draft.seo?.head === 'Found');
      await alert.getByText('2 fields need attention').waitFor();
      strictEqual((await stored(id)).draft.title, null);
      await panel(page).getByRole('button', { name: 'Publish', exact: true }).click();
      await title(page).fill('Slack water');
      await summary(page).fill('Between two tides');
      await panel(page).getByRole('button', { name: 'Publish', exact: true }).click();
      await panel(page).getByRole('heading', { name: 'Published', exact: true }).waitFor();
      const { published } = await stored(id);
      deepStrictEqual(
        [published.title, published.summary, published.seo.head],
        ['Slack water', 'Between two tides', 'Found'],
      );
      strictEqual(await alert.count(), 0);
      deepStrictEqual(visitor.complaints, []);
    });

    it('publishes a new document with the uid of its title, however soon', async () => {
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(NEW);
      await title(page).fill('Neap tide');
      await page.keyboard.press('Control+Shift+p');
      await panel(page).getByRole('heading', { name: 'Published', exact: true }).waitFor();
      const { published } = await stored(idOf(page));
      deepStrictEqual([published.title, published.slug], ['Neap tide', 'neap-tide']);

      // Unsaved values were not in the comparison, so publishing shows them first.
      const isSaved = ({ pathname }: URL): boolean => pathname.endsWith(idOf(page));
      let isAway = true;
      await page.route(isSaved, (route) => {
        if (route.request().method() !== 'PUT' || !isAway) return route.fallback();
        isAway = false;
        return route.abort('connectionrefused');
      });
      await title(page).fill('Neap tides');
      await page.keyboard.press('Control+Shift+p');
      await until('it was to be saved', () => !isAway);
      await panel(page).getByRole('button', { name: 'Publish 1 change', disabled: false }).click();
      await page.getByRole('dialog', { name: 'Changes on the site' }).getByText('Neap tides').waitFor();
      strictEqual((await stored(idOf(page))).published.title, 'Neap tide');
      deepStrictEqual(
        visitor.complaints.filter((text) => !text.includes('ERR_CONNECTION_REFUSED')),
        [],
      );
    });

    it('generates the uid of a document created offline when there is a connection', async () => {
      await using visitor = await room.visit('mara');
      const { page, context } = visitor;
      await page.goto(NEW);
      await title(page).waitFor();
      const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/uid'));
      await context.setOffline(true);
      await title(page).fill('Spring tide');
      await failed;
      await context.setOffline(false);
      await page.waitForURL(({ pathname }) => !pathname.endsWith('/new'));
      await until('it has its address', async () => (await stored(idOf(page))).draft.slug === 'spring-tide');
    });

    it('keeps the palette open while a new document gets its address, and closes it with a command', async () => {
      const other = await write({ title: 'Ebb and flood' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(NEW);
      const wanted = new URL(page.url()).pathname;
      await title(page).fill('Neap tide');
      await page.keyboard.press('Control+k');
      const sought = page.getByRole('dialog').getByRole('combobox');
      await sought.fill('Ebb');
      await page.waitForURL(({ pathname }) => pathname !== wanted);
      await page.getByRole('option', { name: /^Ebb and flood/ }).waitFor();
      strictEqual(await sought.inputValue(), 'Ebb');
      await sought.press('Enter');
      await page.waitForURL(({ pathname }) => pathname.endsWith(other));
      await until('it is there', async () => (await title(page).inputValue()) === 'Ebb and flood');
      strictEqual(await page.getByRole('dialog').count(), 0);
      deepStrictEqual(visitor.complaints, []);
    });

    it('moves from one document of a list to the next, and back to the same place in the list', async () => {
      for (const name of ['Lamp one', 'Lamp two']) await write({ title: name });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}?sort=title%3Aasc&q=Lamp`);
      await page.getByText('Lamp one').click();
      await until('the first is there', async () => (await title(page).inputValue()) === 'Lamp one');
      await page.locator('main').focus();
      await page.keyboard.press(']');
      await until('the second is there', async () => (await title(page).inputValue()) === 'Lamp two');
      await page.locator('main').focus();
      await page.keyboard.press('[');
      await until('the first is there', async () => (await title(page).inputValue()) === 'Lamp one');
      await page.getByRole('main').getByRole('link', { name: 'Article' }).click();
      await page.getByText('Lamp two').waitFor();
      match(page.url(), /q=Lamp/);
      deepStrictEqual(visitor.complaints, []);
    });

    it('reverts changes, duplicates, unpublishes and deletes, and lists links to the document', async () => {
      const author = (await room.ask('mara', 'POST', 'content/api::author.author', { data: { name: 'Ines' } })).body
        .data;
      const id = await write({ title: 'Rope', slug: 'rope', author: author.documentId });
      await room.ask('mara', 'POST', `${ARTICLE}/${id}/publish`, {});
      await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: { title: 'Ropes' } }, ANY);
      await using visitor = await room.visit('mara', { width: 390 });
      const { page } = visitor;
      await page.goto(`/admin/${ARTICLE}/${id}`);
      const choose = async (name: string): Promise<void> => {
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      await page.getByRole('button', { name: 'Publish 1 change' }).waitFor();
      // A focused control is between the sticky parts of the page.
      await page.setViewportSize({ width: 390, height: 420 });
      const covered = await page.locator('#page').evaluate((sheet) => {
        const rectOf = (selector: string) => sheet.querySelector(selector)!.getBoundingClientRect();
        const publish = [...sheet.querySelectorAll('button')].at(-1)!;
        const controls = [
          ...sheet.querySelectorAll<HTMLElement>(
            'form input, form textarea, form button, [data-field] input, [data-field] textarea, [data-field] button',
          ),
        ];
        const under = (element: HTMLElement): boolean => {
          element.focus();
          const { top, bottom, width } = element.getBoundingClientRect();
          // Of a long text, the caret is visible.
          const end = Math.min(bottom, top + 40);
          return width > 1 && (end > publish.getBoundingClientRect().top || top < rectOf('header').bottom);
        };
        const names = [...controls, ...controls.toReversed()].filter(under).map((element) => element.outerHTML);
        return { names, count: controls.length };
      });
      deepStrictEqual([covered.names, covered.count > 4], [[], true]);
      await page.setViewportSize({ width: 390, height: 844 });
      const undo = page.getByRole('button', { name: 'Undo' });
      await choose('Revert changes');
      await until('it is as before', async () => (await title(page).inputValue()) === 'Rope');
      await undo.tap();
      await until('it is as it was written', async () => (await stored(id)).draft.title === 'Ropes');
      await saved(page);
      await page.getByRole('button', { name: 'Publish 1 change' }).waitFor();
      await choose('Revert changes');
      const published = page.getByRole('button', { name: /^Published/ }).first();
      await published.waitFor();
      const bar = page.getByRole('button', { name: /^Draft/ });
      await choose('Unpublish');
      await bar.waitFor();
      // The notice does not claim that a published version has left the site.
      strictEqual(await page.getByText('No longer on the site').count(), 0);
      await undo.last().tap();
      await published.waitFor();
      strictEqual((await stored(id)).published.title, 'Rope', 'it has not left the site');
      await choose('Unpublish');
      await bar.waitFor();
      await page.getByRole('status').getByRole('button', { name: 'Close' }).last().tap();
      await page.getByText('No longer on the site').waitFor();
      strictEqual((await stored(id)).published, null);
      await choose('Duplicate');
      await page.waitForURL((url) => !url.pathname.endsWith(id));
      await until('it is there', async () => (await title(page).inputValue()) === 'Rope');
      strictEqual((await stored(idOf(page))).draft.slug, 'rope-1');
      strictEqual(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);

      await page.goto(`/admin/content/api::author.author/${author.documentId}`);
      await choose('Delete');
      const dialog = page.getByRole('dialog', { name: 'Delete “Ines”' });
      await dialog.getByText('2 documents link to it:').waitFor();
      await dialog.getByRole('button', { name: 'Delete', exact: true }).tap();
      await page.getByText('“Ines” deleted').waitFor();
      strictEqual((await room.ask('mara', 'GET', `content/api::author.author/${author.documentId}`)).status, 404);
      deepStrictEqual(visitor.complaints, []);
    });

    it('shows what remains of a document when its version in one locale is deleted', async () => {
      const id = await write({ title: 'Rope' });
      await room.ask('mara', 'PUT', `${ARTICLE}/${id}`, { data: { title: 'Corde' }, locale: 'fr' });
      await using visitor = await room.visit('mara');
      const { page } = visitor;
      await page.clock.install();
      await page.goto(`/admin/${ARTICLE}/${id}?locale=fr`);
      await until('it is there', async () => (await title(page).inputValue()) === 'Corde');
      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('Nothing links to it.').waitFor();
      await page.getByRole('button', { name: 'Delete the French version only' }).click();
      await until('the other one is there', async () => (await title(page).inputValue()) === 'Rope');
      await panel(page)
        .getByRole('link', { name: /^French/ })
        .getByText('create')
        .waitFor();
      await page.getByText('“Corde” (fr) deleted').waitFor();
      deepStrictEqual((await stored(id)).states, { en: 'draft' });

      const nobody = await room.ask('mara', 'POST', 'content/api::author.author', {
        data: { name: 'Nobody any more' },
      });
      // Changes to a document that someone else deletes can be saved as a new one.
      await room.ask('eve', 'DELETE', `${ARTICLE}/${id}`, undefined, ANY);
      await title(page).fill('Rope and tar');
      await page.getByText('Someone has deleted this in the meantime.').waitFor();
      await summary(page).fill('Of hemp');
      // The linked document is deleted as well.
      const find = page.getByRole('combobox', { name: 'Author' });
      await find.fill('Nobody');
      await page.getByRole('option', { name: 'Nobody any more' }).click();
      await page.getByRole('button', { name: 'Unlink Nobody any more' }).waitFor();
      await room.ask('mara', 'DELETE', `content/api::author.author/${nobody.body.data.documentId}`, undefined, ANY);
      // After a while, the page refetches the document when it becomes visible.
      await page.clock.fastForward(11_000);
      const isRead = page.waitForResponse(
        (response) => response.request().method() === 'GET' && new URL(response.url()).pathname.endsWith(id),
      );
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
      await isRead;
      // Closing the page in between keeps all values.
      await page.reload();
      await page.getByText('Someone has deleted this in the meantime.').waitFor();
      deepStrictEqual([await title(page).inputValue(), await summary(page).inputValue()], ['Rope and tar', 'Of hemp']);
      await page.getByRole('button', { name: 'Save as a new document' }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(id));
      await page.getByText('Saved except for 1 field').waitFor();
      await panel(page).getByText('Author').waitFor();
      await page.getByRole('button', { name: 'Unlink Nobody any more' }).click();
      await saved(page);
      strictEqual(await summary(page).inputValue(), 'Of hemp');
      const { draft } = await stored(idOf(page));
      deepStrictEqual([draft.title, draft.summary], ['Rope and tar', 'Of hemp']);

      // Linked documents that are unpublished are named before publishing.
      const pick = { __component: 'shared.pick', article: { documentId: idOf(page) } };
      const author = await room.ask('mara', 'POST', 'content/api::author.author', {
        data: { name: 'Ina', shelf: [pick] },
      });
      await page.goto(`/admin/content/api::author.author/${author.body.data.documentId}`);
      await panel(page)
        .getByText(/Rope and tar.? is linked here but not published/)
        .waitFor();
      strictEqual(await panel(page).getByRole('button', { name: 'Compare side by side' }).count(), 0);
      deepStrictEqual(
        visitor.complaints.filter((text) => !text.includes('404')),
        [],
      );
    });
  });
}
