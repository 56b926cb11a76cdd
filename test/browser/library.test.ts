/** The library: uploading, describing, moving and selecting files, their uses, and deleting them. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { Browser as ApiBrowser, makeAdministrator, makeRole, PASSWORD } from '../support/accounts/administrators.ts';
import { openBrowser, type Visit, visit } from '../support/browser/browser.ts';
import { watchContract } from '../support/browser/contract.ts';
import { whenOver } from '../support/browser/requests.ts';
import { engines } from '../support/databases/databases.ts';
import { contentType, makeProject } from '../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../support/servers/seeded.ts';
import { until } from '../support/wait.ts';
import { give } from './pasted.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60"/></svg>';

/** Drops files on the page. */
async function drop(page: Page, files: readonly (readonly [name: string, type: string, text: string])[]) {
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const [name, type, text] of list) transfer.items.add(new File([text], name, { type }));
    return transfer;
  }, files);
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('body', event, { dataTransfer: data });
}

describe('the library of the administration app', () => {
  let browser: Browser;
  let server: SeededServer;
  let visitor: Visit;
  let page: Page;
  let keepsToContract: () => Promise<void>;
  before(async () => {
    browser = await openBrowser();
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const article = contentType(
      'article',
      {
        title: { type: 'string', ...localized },
        text: { type: 'richtext' },
        body: { type: 'blocks' },
        cover: { type: 'media', multiple: false },
      },
      localized,
    );
    const badge = contentType(
      'badge',
      { name: { type: 'string' } },
      { info: { displayName: 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen' } },
    );
    server = await serveSeeded(engines[0]!, await makeProject({ contentTypes: { article, badge } }));
    await makeAdministrator(server, 'mara', 'strapi-super-admin');
    visitor = await visit(browser, server.url);
    page = visitor.page;
    keepsToContract = watchContract(visitor.context);
    await page.goto('/admin/sign-in?to=%2Fmedia');
    await page.getByLabel('E-mail').fill('mara@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  const cell = (name: string, within: Page | Locator = page) => within.getByRole('gridcell').filter({ hasText: name });
  const button = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog').last();
  const ask = (method: string, target: string, body?: unknown) =>
    page.evaluate(
      async ({ method, target, body }) => {
        const answer = await fetch(`/admin/api/${target}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return answer.status === 204 ? undefined : ((await answer.json()) as { data: unknown }).data;
      },
      { method, target, body },
    );

  it('accepts files that are dropped anywhere, and asks for alternative texts', async () => {
    await page.getByText('Nothing here yet').waitFor();
    await drop(page, [
      ['fog.svg', 'image/svg+xml', SVG],
      ['tides.txt', 'text/plain', 'six hours'],
    ]);
    await page.getByText('2 files uploaded').waitFor();
    await page.getByText('1 picture has no alternative text').waitFor();
    await button('Write it now').click();
    await dialog().getByLabel('fog.svg').fill('Fog above the pier');
    await dialog().getByText('Saved', { exact: true }).waitFor();
    // The last change is saved however the dialog is closed.
    await dialog().getByLabel('fog.svg').fill('Fog above the pier, and gulls');
    await page.keyboard.press('Escape');
    await page.getByText('1 picture has no alternative text').waitFor({ state: 'hidden' });
    await until('it is saved', async () =>
      ((await ask('GET', 'files?folder=none&_q=fog')) as readonly { readonly alternativeText: string | null }[]).some(
        ({ alternativeText }) => alternativeText === 'Fog above the pier, and gulls',
      ),
    );
    await cell('fog.svg').waitFor();
    strictEqual(await cell('fog.svg').getByTitle('No alternative text').count(), 0);
  });

  it('reports why a file was refused, and stores the others', async () => {
    await drop(page, [
      ['empty.txt', 'text/plain', ''],
      ['ebb.txt', 'text/plain', 'and flow'],
    ]);
    await page.getByText('This file is empty.').waitFor();
    await cell('ebb.txt').waitFor();
    await button('Close', page.getByRole('region', { name: 'Uploads' })).click();
  });

  it('cancels an upload without leaving a file', async () => {
    // The request never gets an answer.
    await page.route('**/admin/api/files', () => {});
    await drop(page, [['endless.txt', 'text/plain', 'waves']]);
    // A held request reaches the server when the route is removed.
    const isGone = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/admin/api/files'));
    await button('Cancel endless.txt').click();
    await page.getByRole('region', { name: 'Uploads' }).getByRole('status').getByText('Cancelled').waitFor();
    await isGone;
    await page.unroute('**/admin/api/files');
    deepStrictEqual(await ask('GET', 'files?folder=none&_q=endless'), []);
    await button('Close', page.getByRole('region', { name: 'Uploads' })).click();
  });

  it('opens a file, saves its texts, and sets the focal point with keys', async () => {
    await cell('fog.svg').click();
    const text = dialog().getByLabel('Alternative text');
    strictEqual(await text.inputValue(), 'Fog above the pier, and gulls');
    await text.fill('Fog above the old pier');
    await dialog().getByText('Saved').waitFor();
    await dialog().getByRole('slider', { name: 'Focal point' }).focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await dialog().getByText('40 % from the left, 50 % from the top').waitFor();
    // The address keeps its ending, and with it the type of the file.
    const other = { name: 'tides.png', mimeType: 'image/png', buffer: Buffer.from('six hours') };
    await dialog().locator('input[type=file]').setInputFiles(other);
    await page.getByText(/“tides\.png” cannot replace this file, because the address ends in \.svg/).waitFor();
    await page.reload();
    await dialog().getByText('40 % from the left').waitFor();
    // The picture is visible beside its details, however long these are.
    const picture = dialog().getByRole('slider', { name: 'Focal point' });
    await dialog()
      .getByLabel('Alternative text')
      .evaluate((field) => {
        const beside = field.closest<HTMLElement>('[class*="side"]')!;
        beside.style.minBlockSize = '4000px';
      });
    const { y, height } = (await picture.boundingBox())!;
    strictEqual(y > 0 && y + height < page.viewportSize()!.height, true);
    strictEqual(await dialog().getByLabel('Alternative text').inputValue(), 'Fog above the old pier');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    // A closing tab saves the last change as well.
    const closing = await visitor.context.newPage();
    await closing.goto(page.url());
    await cell('fog.svg', closing).click();
    await closing.getByRole('dialog').getByLabel('Caption').fill('At dawn');
    await closing.close({ runBeforeUnload: true });
    const captions = () => server.app.database.rows("select caption from files where name = 'fog.svg'", []);
    await until('it is saved', async () => (await captions())[0]?.[0] === 'At dawn');
  });

  it('refreshes a replaced picture wherever it is shown, in other tabs as well', async () => {
    const svg = (colour: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="${colour}"/></svg>`;
    await drop(page, [['buoy.svg', 'image/svg+xml', svg('#ff0000')]]);
    await cell('buoy.svg').waitFor();
    await button('Close', page.getByRole('region', { name: 'Uploads' })).click();
    const [buoy] = (await ask('GET', 'files?folder=none&_q=buoy')) as { id: number; url: string }[];
    const data = {
      title: 'At sea',
      cover: buoy!.id,
      text: `![Buoy](${buoy!.url})`,
    };
    const made = (await ask('POST', 'content/api::article.article', { data })) as { documentId: string };
    const document = `/admin/content/api::article.article/${made.documentId}`;
    /** The colours of all copies of the picture on a page, in order. */
    const colours = (shown: Page) =>
      shown.evaluate(async () => {
        const images = [...globalThis.document.images].filter(({ src }) => src.includes('buoy'));
        // A picture that is loading has no colour yet.
        const isThere = await Promise.all(
          images.map((image) =>
            image
              .decode()
              .then(() => true)
              .catch(() => false),
          ),
        );
        return images.map((image, index) => {
          if (!isThere[index] || !image.complete || image.naturalWidth === 0) return '';
          const canvas = globalThis.document.createElement('canvas');
          const paint = canvas.getContext('2d')!;
          paint.drawImage(image, 0, 0, 1, 1);
          return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
        });
      });
    const show = async (shown: Page, count: number, colour: string) => {
      const isSo = async () => {
        const seen = await colours(shown);
        return seen.length === count && seen.every((one) => one === colour);
      };
      await until(`${count} pictures are ${colour}`, isSo);
    };
    const tab = await visitor.context.newPage();
    await tab.goto(document);
    await tab.getByRole('button', { name: 'Preview', exact: true }).click();
    await show(tab, 2, '255,0,0');
    await show(page, 1, '255,0,0');
    await cell('buoy.svg').click();
    await show(page, 2, '255,0,0');
    const green = { name: 'buoy.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg('#00ff00')) };
    await dialog().locator('input[type=file]').setInputFiles(green);
    await show(page, 2, '0,255,0');
    await show(tab, 2, '0,255,0');
    // Changing its texts does not change the file.
    const shown = () => dialog().locator('img').getAttribute('src');
    const address = await shown();
    await dialog().getByLabel('Alternative text').fill('A buoy');
    await dialog().getByText('Saved').waitFor();
    strictEqual(await shown(), address);
    await tab.close();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    // The stored document of this browser has the old picture.
    const other = await visitor.context.newPage();
    await other.goto(document);
    await show(other, 1, '0,255,0');
    await other.close();
  });

  it('creates a folder, and moves files into it by dragging and by dialog', async () => {
    await button('New folder').click();
    await dialog().getByLabel('Name').fill('Weather');
    await button('Create folder').click();
    const folder = cell('Weather');
    await cell('fog.svg').dragTo(folder);
    await page.getByRole('status').getByText('1 file moved to Weather').waitFor();
    await cell('fog.svg').waitFor({ state: 'hidden' });
    await button('Undo').click();
    await cell('fog.svg').dragTo(folder);
    await cell('fog.svg').waitFor({ state: 'hidden' });
    await cell('tides.txt').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('m');
    await dialog().getByRole('treeitem', { name: 'Weather' }).click();
    await button('Move here').click();
    await cell('tides.txt').waitFor({ state: 'hidden' });
    await folder.click();
    await cell('tides.txt').waitFor();
    ok(/folder=\d+/.test(page.url()), 'the folder is in the address');
    await page.goBack();
    await folder.waitFor();
  });

  it('searches all folders below the top', async () => {
    await page.getByRole('searchbox').fill('old pier');
    await cell('fog.svg').waitFor();
    await cell('ebb.txt').waitFor({ state: 'hidden' });
    ok(new URL(page.url()).searchParams.get('q') === 'old pier');
    await page.getByRole('searchbox').press('Escape');
    await cell('ebb.txt').waitFor();
  });

  it('runs a command of the menu of a row without opening the row', async () => {
    await page.goto('/admin/media?view=list');
    const grid = page.getByRole('grid');
    const row = (name: string) => grid.getByRole('row').filter({ hasText: name });
    const choose = async (name: string, item: string, key?: string) => {
      const menu = row(name).getByRole('button', { name: new RegExp(name) });
      if (key === undefined) await menu.click();
      else await menu.press(key);
      await page.getByRole('menuitem', { name: item }).click();
      await dialog().waitFor();
    };
    await choose('Weather', 'Rename');
    await dialog().getByLabel('Name').fill('');
    // In a list, this key would select a row.
    await dialog().getByLabel('Name').press('x');
    strictEqual(await dialog().getByLabel('Name').inputValue(), 'x');
    await button('Cancel', dialog()).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await choose('ebb.txt', 'Delete', 'Enter');
    await dialog().getByText('Not used anywhere.').waitFor();
    strictEqual(await page.getByRole('dialog').count(), 1);
    await button('Cancel', dialog()).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    strictEqual(new URL(page.url()).search, '?view=list');
    strictEqual(await grid.getByRole('row', { selected: true }).count(), 0);
    // The same for a picture.
    await page.goto('/admin/media');
    const more = cell('ebb.txt').getByRole('button', { name: /ebb\.txt/ });
    await cell('ebb.txt').hover();
    await more.click();
    await page.getByRole('menuitem', { name: 'Move' }).waitFor();
    for (const key of ['x', 'Control+a', 'ArrowDown']) await page.keyboard.press(key);
    strictEqual(await page.getByRole('menu').count(), 1, 'the menu is open');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    strictEqual(await grid.getByRole('gridcell', { selected: true }).count(), 0);
    const before = page.url();
    await cell('Weather').hover();
    const folder = cell('Weather').getByRole('button', { name: /Weather/ });
    await folder.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
    await dialog().getByLabel('Name').press('Control+a');
    await dialog().getByLabel('Name').press('x');
    strictEqual(await dialog().getByLabel('Name').inputValue(), 'x');
    await button('Cancel', dialog()).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    deepStrictEqual([page.url(), await grid.getByRole('gridcell', { selected: true }).count()], [before, 0]);
  });

  it('selects a range with Shift, all visible entries, and all entries, and counts the content of folders', async () => {
    const weather = (await ask('GET', 'folders')) as { id: number }[];
    await ask('POST', 'folders', { name: 'Fog', parent: weather[0]!.id });
    const names = ['shoal 1.txt', 'shoal 2.txt', 'shoal 3.txt', 'shoal 4.txt'];
    await drop(
      page,
      names.map((name) => [name, 'text/plain', 'tide'] as const),
    );
    await page.getByText('4 files uploaded').waitFor();
    await page.getByRole('region', { name: 'Uploads' }).getByRole('button', { name: 'Close' }).click();
    const uploads = page.getByRole('status').filter({ hasText: /Cancelled|uploaded/ });
    strictEqual(await uploads.count(), 0, 'nothing is told of uploads that there are not');
    await page.goto('/admin/media?sort=name');
    await cell('shoal 4.txt').waitFor();
    const all = (await page.getByRole('gridcell').count()) as number;
    const selected = () => page.getByRole('gridcell', { selected: true }).count();
    await cell('shoal 1.txt').hover();
    await cell('shoal 1.txt').getByRole('checkbox').click();
    await cell('shoal 4.txt').hover();
    await cell('shoal 4.txt')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    await cell('shoal 3.txt').click({ modifiers: ['Shift'] });
    await page.getByText('2 selected').waitFor();
    const box = page.getByRole('checkbox', { name: 'Select all' });
    await box.click();
    await page.getByText(`${all} selected`).waitFor();
    deepStrictEqual([await selected(), await box.isChecked()], [all, true]);
    strictEqual(await button(/^Select all \d/).count(), 0);
    await box.click();
    strictEqual(await selected(), 0);
    // Not all entries are loaded.
    await page.route(/files\?/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { meta: { pagination: { total: number } } };
      body.meta.pagination.total += 300;
      await route.fulfill({ response: answer, json: body });
    });
    await page.goto('/admin/media?view=list&sort=name');
    await page.getByRole('checkbox', { name: 'Select shoal 1.txt' }).click();
    await button(`Select all ${all + 300}`).click();
    await page.getByText(`${all} selected`).waitFor();
    await page.unroute(/files\?/);
    await page.keyboard.press('Escape');
    await page.goto('/admin/media');
    await cell('Weather').hover();
    await cell('Weather').getByRole('checkbox').click();
    await button('Delete').click();
    await dialog().getByText('This also deletes what is inside: 2 files and 1 folder.').waitFor();
    await button('Cancel', dialog()).click();
    await page.keyboard.press('Escape');
    const shoals = (await ask('GET', 'files?folder=none&_q=shoal')) as { id: number }[];
    const fog = ((await ask('GET', 'folders')) as { id: number; name: string }[]).find(({ name }) => name === 'Fog')!;
    await ask('POST', 'files/delete', { files: shoals.map(({ id }) => id), folders: [fog.id] });
  });

  it('keeps the selection to one list, however late an answer arrives', async () => {
    const folderOf = async (name: string): Promise<number> =>
      ((await ask('POST', 'folders', { name, parent: null })) as { id: number }).id;
    const [alpha, beta, gamma] = [await folderOf('Alpha'), await folderOf('Beta'), await folderOf('Gamma')];
    const put = (name: string, folder: number) =>
      page.evaluate(
        async ([file, place]) => {
          const form = new FormData();
          form.append('files', new Blob(['sand'], { type: 'text/plain' }), file);
          form.append('folder', place);
          await fetch('/admin/api/files', { method: 'POST', body: form });
        },
        [name, String(folder)] as const,
      );
    const names = ['alpha 0.txt', 'alpha 1.txt', 'alpha 2.txt'];
    for (const name of names) await put(name, alpha);
    await put('beta.txt', beta);
    const tick = async (name: string): Promise<void> => {
      await cell(name).hover();
      await cell(name).getByRole('checkbox').click();
    };
    const none = async (): Promise<void> => strictEqual(await page.getByText(/^\d+ selected$/).count(), 0);
    const released = Promise.withResolvers<void>();
    await page.route(/files\/ids/, async (route) => {
      await released.promise;
      // The page may have cancelled the request.
      await route.continue().catch(() => {});
    });
    await page.goto(`/admin/media?folder=${alpha}`);
    await tick('alpha 0.txt');
    const over = whenOver(page, /files\/ids/);
    await button('Select all 3').click();
    await button('Library').click();
    await cell('Beta').click();
    await cell('beta.txt').waitFor();
    await none();
    released.resolve();
    await over;
    await page.unroute(/files\/ids/);
    await tick('beta.txt');
    await page.getByText('1 selected').waitFor();
    await button('Delete').click();
    await page.getByRole('dialog', { name: 'beta.txt' }).waitFor();
    await button('Cancel', dialog()).click();
    await page.goBack();
    await cell('Beta').waitFor();
    await none();
    await page.goForward();
    await cell('beta.txt').waitFor();
    await none();
    // Rows of the previous list are not selected either.
    const coming = Promise.withResolvers<void>();
    await page.goBack();
    await cell('ebb.txt').waitFor();
    await page.route(new RegExp(`files\\?.*folder=${gamma}\\b`), async (route) => {
      await coming.promise;
      await route.continue();
    });
    await cell('Gamma').click();
    await button('Gamma').waitFor();
    await tick('ebb.txt');
    await page.getByText('1 selected').waitFor();
    coming.resolve();
    await page.getByText('Nothing here yet').waitFor();
    await none();
    // The checkbox for all depends on the entries, not on their number.
    await page.goto(`/admin/media?folder=${alpha}`);
    await cell('alpha 2.txt').waitFor();
    const box = page.getByRole('checkbox', { name: 'Select all' });
    await box.click();
    await page.getByText('3 selected').waitFor();
    strictEqual(await button(/^Select all \d/).count(), 0);
    const [first] = (await ask('GET', `files?folder=${alpha}&_q=alpha%200`)) as { id: number }[];
    await ask('POST', 'files/delete', { files: [first!.id], folders: [] });
    await drop(page, [['alpha 3.txt', 'text/plain', 'sand']]);
    await cell('alpha 3.txt').waitFor();
    await cell('alpha 0.txt').waitFor({ state: 'detached' });
    strictEqual(await box.evaluate((element) => (element as HTMLInputElement).indeterminate), true);
    await button('Select all 3').click();
    await until('all are selected', () => box.isChecked());
    await page.getByRole('searchbox').fill('alpha 1');
    await cell('alpha 2.txt').waitFor({ state: 'detached' });
    await none();
    await button('Close', page.getByRole('region', { name: 'Uploads' })).click();
    // For many files, texts are no longer searched once it takes too long.
    await page.getByRole('searchbox').fill('');
    await tick('alpha 2.txt');
    const many = Array.from({ length: 1200 }, (_, n) => 1_000_000 + n);
    await page.route(/files\/ids/, (route) => route.fulfill({ json: { data: many } }));
    const searched: (string | null)[] = [];
    await page.route(/files\/uses/, async (route) => {
      searched.push(new URL(route.request().url()).searchParams.get('texts'));
      const meta = { hidden: 0, more: false, texts: false, files: 0, folders: 0, deletable: true, days: 30 };
      await route.fulfill({ json: { data: [], meta } });
    });
    await button('Select all 3').click();
    await page.getByText('1,200 selected').waitFor();
    await button('Delete').click();
    await dialog().getByText('Texts were not searched').waitFor();
    deepStrictEqual(searched, [null, 'false', 'false']);
    await button('Cancel', dialog()).click();
    await page.unroute(/files\/ids/);
    await page.unroute(/files\/uses/);
    await ask('POST', 'files/delete', { files: [], folders: [alpha, beta, gamma] });
    await page.goto('/admin/media');
    await cell('ebb.txt').waitFor();
  });

  it('opens as a picker: only with allowed kinds, several files in order', async () => {
    await page.goto('/admin/samples.html');
    await button('Choose pictures').click();
    await cell('ebb.txt', dialog()).waitFor({ state: 'hidden' });
    await cell('Weather', dialog()).waitFor();
    await drop(page, [['pier.svg', 'image/svg+xml', SVG]]);
    await button('Use 1 file', dialog()).waitFor();
    const shown = dialog().getByRole('gridcell');
    await cell('Weather', dialog()).click();
    await cell('fog.svg', dialog()).waitFor();
    deepStrictEqual(await shown.count(), 1, 'no text is offered');
    await cell('fog.svg', dialog()).click();
    await button('fog.svg', dialog()).click();
    await page.getByRole('menuitem', { name: 'Move fog.svg earlier' }).click();
    await button('Use 2 files', dialog()).click();
    const chosen = page.getByRole('list', { name: 'Pictures' }).getByRole('listitem');
    deepStrictEqual(await chosen.allTextContents(), ['fog.svg', 'pier.svg']);
  });

  it('offers only permitted actions', async () => {
    const subject = 'api::article.article';
    const properties = { fields: ['title', 'text', 'body', 'cover'], locales: ['en'] };
    const writes = (['read', 'create'] as const).map((operation) => ({ operation, subject, properties }));
    const file = { subject: null, properties: {} };
    await makeRole(server, 'writer', writes);
    await makeRole(server, 'archivist', [
      { operation: 'plugin::upload.read', ...file },
      { operation: 'plugin::upload.assets.update', ...file, conditions: ['admin::is-creator'] },
    ]);
    const enter = async (name: string, role: string): Promise<Visit> => {
      await makeAdministrator(server, name, role);
      const person = new ApiBrowser(server);
      await person.signIn(name);
      const entered = await visit(browser, server.url);
      const [cookie, value] = person.cookie!.split('=') as [string, string];
      await entered.context.addCookies([{ name: cookie, value, url: `${server.url}/admin`, httpOnly: true }]);
      return entered;
    };
    await using nora = await enter('nora', 'writer');
    await nora.page.goto('/admin/media');
    await nora.page.getByText('You have no access to the library').waitFor();
    for (const role of ['button', 'searchbox', 'combobox'] as const) {
      strictEqual(await nora.page.getByRole('main').getByRole(role).count(), 0, role);
    }
    await nora.page.goto(`/admin/content/${subject}/new`);
    const cover = nora.page.getByRole('group', { name: 'Cover' });
    await cover.getByText('Your roles do not let you choose or upload files.').waitFor();
    strictEqual(await cover.getByRole('button').count(), 0);
    await nora.page.getByRole('button', { name: 'Bold' }).nth(1).waitFor();
    strictEqual(await nora.page.getByRole('button', { name: 'Picture' }).count(), 0);
    await give(nora.page.getByRole('textbox', { name: 'Body' }), 'paste', [['fog.svg', 'image/svg+xml', SVG]]);
    await nora.page.getByText('Your roles do not let you upload pictures.').waitFor();
    await nora.page.goto('/admin/');
    await nora.page.getByRole('main').getByRole('link', { name: 'articles', exact: true }).waitFor();
    strictEqual(await nora.page.getByRole('link', { name: 'Library' }).count(), 0);
    await using otto = await enter('otto', 'archivist');
    // An administrator without content still has a place to go to.
    await otto.page.goto('/admin/');
    await otto.page.getByRole('main').getByRole('link', { name: 'Library' }).click();
    await otto.page.waitForURL('**/admin/media');
    await otto.page.goto('/admin/media');
    // He sees files and folders of others, but cannot select them.
    const tile = cell('ebb.txt', otto.page);
    await tile.hover();
    strictEqual(await tile.getByRole('checkbox').count(), 0);
    strictEqual(await tile.locator('[draggable=true]').count(), 0);
    await otto.page.getByRole('checkbox', { name: 'Select all' }).click();
    await otto.page.getByText(/^\d selected$/).waitFor();
    strictEqual(await tile.getAttribute('aria-selected'), 'false');
    await button('Delete', otto.page).click();
    await otto.page.getByRole('dialog').getByText('Your roles do not let you delete all of this.').waitFor();
    strictEqual(await button('Delete', otto.page.getByRole('dialog')).count(), 0);
    await button('Cancel', otto.page).click();
    await otto.page.getByRole('checkbox', { name: 'Select all' }).click();
    await tile.click();
    const panel = otto.page.getByRole('dialog');
    await panel.getByText('Where it is used').waitFor();
    strictEqual(await panel.getByLabel('Caption').getAttribute('readonly'), '');
    for (const name of ['Replace', 'Move', 'Delete', 'Save']) {
      strictEqual(await panel.getByRole('button', { name, exact: true }).count(), 0, name);
    }
    deepStrictEqual([...nora.complaints, ...otto.complaints], []);
  });

  it('is linked from the home page, where names fit into their cards', async () => {
    for (const width of [1440, 700, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('/admin/');
      const cards = page.getByRole('main').getByRole('listitem').getByRole('link');
      await cards.filter({ hasText: 'Library' }).waitFor();
      const wide = await cards.evaluateAll((links) =>
        links.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
      );
      deepStrictEqual(wide, [], `${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('shows the uses of a file, and the effects of deleting it', async () => {
    const [fog] = (await ask('GET', 'files?folder=none&_q=fog')) as { id: number; url: string }[];
    const data = { title: 'Smoke, patience, honey', cover: fog!.id };
    const made = await server.request('POST', '/api/articles', { token: server.secrets['full'], body: { data } });
    ok(made.status < 300, made.text);
    const { documentId } = JSON.parse(made.text).data;
    const french = { token: server.secrets['full'], body: { data: { title: 'Fumée, patience, miel' } } };
    strictEqual((await server.request('PUT', `/api/articles/${documentId}?locale=fr`, french)).status, 200);
    // As the button of the editor inserts it.
    const told = {
      token: server.secrets['full'],
      body: { data: { title: 'Weather report', text: `![Fog](${fog!.url})` } },
    };
    strictEqual((await server.request('POST', '/api/articles', told)).status, 200);
    await page.goto(`/admin/media?file=${fog!.id}`);
    for (const name of [/Smoke, patience, honey/, /Fumée, patience, miel/, /Weather report/]) {
      await dialog().getByRole('link', { name }).waitFor();
    }
    await button('Delete', dialog()).click();
    await dialog()
      .getByText(
        'Used in 3 versions of 2 documents. Fields will be empty, and texts will have a broken picture or link:',
      )
      .waitFor();
    await dialog().getByText('In the trash, it can be restored for 30 days.').waitFor();
    await button('Delete', dialog().last()).click();
    await page.getByRole('status').getByText('1 file deleted').waitFor();
    await until('nothing lies above the page', async () => (await page.getByRole('dialog').count()) === 0);
    deepStrictEqual(await ask('GET', 'files?folder=none&_q=fog'), []);
    // As if there were too much text to search in time.
    await page.route('**/admin/api/files/uses?*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { meta: object };
      await route.fulfill({ response: answer, json: { ...body, meta: { ...body.meta, texts: false } } });
    });
    await cell('ebb.txt').click();
    await dialog().getByText('Texts were not searched.').waitFor();
    strictEqual(await dialog().getByText('Nowhere').count(), 0);
    await button('Delete', dialog()).click();
    await dialog().getByText('Texts were not searched. Any that show it').waitFor();
    strictEqual(await dialog().getByText('Nothing shows it.').count(), 0);
    await button('Cancel', dialog()).click();
    await page.unroute('**/admin/api/files/uses?*');
    await keepsToContract();
    deepStrictEqual(visitor.complaints, []);
  });
});
