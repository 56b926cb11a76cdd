/** Scenes that need content, on the server of `serveWritten`, for screenshots and accessibility checks. */
import { type Page, request } from 'playwright-core';
import { SAMPLE_AUTHORS, SAMPLE_TITLES } from '../../../admin/src/samples/sample-names.ts';
import { PASSWORD } from '../accounts/administrators.ts';
import { showPreview } from './preview-site.ts';
import type { Scene } from './scenes.ts';
import { ARTICLE, AUTHOR } from './written.ts';

const LIST = `content/${ARTICLE}`;
const TIDES = `${LIST}?q=tide`;
const grid = (page: Page) => page.getByRole('grid');
const rows = (page: Page) => grid(page).getByText('Charts nobody drew').first().waitFor();
const opened = async (page: Page, name: string): Promise<void> => {
  await rows(page);
  await page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('dialog').waitFor();
};
/** Opens an article with unpublished changes from the list. */
const changed = async (page: Page): Promise<void> => {
  await grid(page).getByText('What the tide leaves', { exact: true }).click();
  await page.getByRole('button', { name: 'Publish 1 change' }).waitFor();
};
/** Puts a document in the trash, if it is empty. */
const fillTrash = async (page: Page): Promise<void> => {
  const { origin } = new URL(page.url());
  const headers = { origin, 'sec-fetch-site': 'same-origin', 'if-match': '*' };
  const ask = (method: string, path: string, data?: object) =>
    page.request.fetch(`${origin}/admin/api/${path}`, { method, headers, ...(data && { data }) });
  const { data: deleted } = await (await ask('GET', 'trash')).json();
  if (deleted.length === 0) {
    const event = 'content/api::event.event';
    const { data } = await (await ask('POST', event, { data: { name: 'Summer party' } })).json();
    await ask('DELETE', `${event}/${data.documentId}`);
    await page.reload();
  }
  await page.getByRole('button', { name: 'Restore Summer party' }).waitFor();
};
/** The title of an article with a French version. */
const TRANSLATED = SAMPLE_TITLES[5]!;
/** Changes the open article as another user. */
const writeElsewhere = async (page: Page): Promise<void> => {
  const { origin, pathname } = new URL(page.url());
  const other = await request.newContext({ baseURL: origin, extraHTTPHeaders: { origin } });
  const data = { email: 'ede@example.com', password: PASSWORD };
  await other.post('/admin/api/session', { data });
  const written = await other.put(pathname.replace('/admin/', '/admin/api/'), {
    headers: { 'if-match': '*' },
    // A new number each time, because an unchanged document is not saved.
    data: { data: { title: 'Bread for forty, before sunrise', views: Date.now() % 10_000 }, locale: 'en' },
  });
  if (!written.ok()) throw new Error(`nothing is written: ${written.status()} ${await written.text()}`);
  await other.dispose();
};
/** Shows another locale beside the form; on a phone, which has no room for it, the list of locales. */
export const showBeside = async (page: Page, isPhone: boolean, name: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Title', exact: true }).waitFor();
  if (isPhone) {
    await page
      .getByRole('button', { name: /^(?:Draft|Published|Changed)$/ })
      .first()
      .tap();
    await page.getByRole('heading', { name: 'Locales', exact: true }).waitFor();
    return;
  }
  await page.getByRole('button', { name: `Show ${name} alongside` }).click();
  await page.getByRole('region', { name }).getByRole('textbox', { name: 'Title', exact: true }).waitFor();
};
/** Opens the import of articles with a file that has mistakes. */
const previewed = async (page: Page): Promise<void> => {
  const rows = [
    'title;slug;Written by;views;day',
    'Salt roads;salt-roads;Mara;1.204;24.12.2026',
    ';;Nobody;many;31.02.2026',
  ];
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'articles.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\r\n')) });
  await page.getByLabel('Field for the column Written by').selectOption('author');
};
const where = encodeURIComponent(
  JSON.stringify([
    { field: 'views', operator: '$gt', value: '20' },
    { field: 'day', operator: '$gt', value: 'soon' },
  ]),
);

export const LIST_SCENES: readonly Scene[] = [
  { name: 'trash', path: 'trash', show: fillTrash },
  {
    name: 'trash-restore',
    path: 'trash',
    within: '[role=dialog]',
    follows: true,
    show: async (page) => {
      await fillTrash(page);
      await page.getByRole('button', { name: 'Restore Summer party' }).click();
      await page.getByText('Everything comes back').waitFor();
    },
  },
  {
    name: 'home-written',
    path: '',
    show: (page) => page.getByRole('img', { name: /documents last changed/ }).waitFor(),
  },
  { name: 'list', path: LIST, show: rows },
  {
    name: 'list-chosen',
    path: `${LIST}?where=${where}`,
    show: async (page) => {
      await rows(page);
      await grid(page).getByRole('row').getByRole('checkbox').nth(2).click();
      await page.getByText('1 selected').waitFor();
    },
  },
  {
    name: 'list-filter',
    path: LIST,
    within: '[role=dialog]',
    show: (page) => opened(page, '+ Filter'),
  },
  {
    name: 'list-views',
    path: LIST,
    follows: true,
    within: '[role=dialog]',
    show: (page) => opened(page, 'Views'),
  },
  {
    name: 'rows-file',
    path: `import/${ARTICLE}`,
    show: (page) => page.getByRole('button', { name: 'Choose a file' }).waitFor(),
  },
  {
    name: 'rows-checked',
    path: `import/${ARTICLE}`,
    follows: true,
    show: async (page) => {
      await previewed(page);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('have mistakes').first().waitFor();
    },
  },
  {
    name: 'layout',
    path: `layout/${ARTICLE}`,
    show: (page) => page.getByRole('region', { name: 'Form' }).waitFor(),
  },
  { name: 'document', path: TIDES, show: changed },
  {
    name: 'document-compare',
    path: TIDES,
    within: '[role=dialog]',
    show: async (page, isPhone) => {
      await changed(page);
      if (isPhone) await page.getByRole('button', { name: 'Changed' }).tap();
      await page.getByRole('button', { name: 'Compare side by side' }).click();
      await page.getByText('Changes on the site').waitFor();
      await page.getByText('After publishing').first().waitFor();
    },
  },
  {
    name: 'history',
    path: TIDES,
    show: async (page, isPhone) => {
      await changed(page);
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'History' }).click();
      const published = page.getByRole('link', { name: /^Published now/ });
      await published.waitFor();
      // On a phone, the comparison takes the place of the timeline.
      if (isPhone) return;
      await published.click();
      await page.getByRole('combobox', { name: 'Compared with' }).waitFor();
      await page.getByRole('heading', { level: 3 }).first().waitFor();
    },
  },
  {
    name: 'document-beside',
    path: `${LIST}?q=${encodeURIComponent(TRANSLATED)}`,
    show: async (page, isPhone) => {
      await grid(page).getByText(TRANSLATED, { exact: true }).click();
      await showBeside(page, isPhone, 'French (fr)');
    },
  },
  { name: 'document-preview', path: TIDES, show: (page) => changed(page).then(() => showPreview(page)) },
  {
    name: 'calendar',
    path: 'calendar',
    show: async (page) => {
      await page.getByRole('table').waitFor();
      const isNew = await page.evaluate(async (type) => {
        const ask = async (path: string, body?: object) => {
          const headers = { 'content-type': 'application/json' };
          const init = body && { method: 'POST', headers, body: JSON.stringify(body) };
          return (await fetch(`/admin/api/${path}`, init)).json() as Promise<{ data: { documentId: string }[] }>;
        };
        if ((await ask('schedule')).data.length > 0) return false;
        const { data } = await ask(`content/${type}?pagination[pageSize]=5`);
        for (const [days, { documentId }] of data.entries()) {
          const at = new Date(Date.now() + days * 86_400_000 + 3_600_000).toISOString();
          await ask(`content/${type}/${documentId}/schedule`, { action: 'publish', at });
        }
        return true;
      }, ARTICLE);
      if (isNew) await page.reload();
      await page
        .getByRole('button', { name: /, 1 action$/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'document-schedule',
    path: TIDES,
    within: '[role=dialog]',
    show: async (page, isPhone) => {
      await changed(page);
      if (isPhone) await page.getByRole('button', { name: /^Changed/ }).click();
      await page.getByRole('button', { name: 'Schedule…' }).last().click();
      await page.getByRole('dialog', { name: 'Schedule' }).waitFor();
    },
  },
  {
    name: 'document-delete',
    path: `content/${AUTHOR}`,
    within: '[role=dialog]',
    show: async (page) => {
      await grid(page).getByText(SAMPLE_AUTHORS[0]!, { exact: true }).click();
      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText(/documents link to it:$/).waitFor();
    },
  },
  {
    name: 'document-conflict',
    path: `${LIST}?q=bread`,
    within: '[role=dialog]',
    show: async (page) => {
      await grid(page)
        .getByText(/^Bread for forty, (?:every morning|before sunrise)$/)
        .click();
      const title = page.getByRole('textbox', { name: 'Title' });
      await title.waitFor();
      await writeElsewhere(page);
      await title.fill('Bread for fifty, every morning');
      await page.keyboard.press('Control+s');
      await page.getByRole('button', { name: 'Compare versions' }).click();
      await page
        .getByRole('radio', { name: /^Take theirs/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'document-new',
    path: `${LIST}/new`,
    show: (page) => page.getByRole('textbox', { name: 'Slug' }).waitFor(),
  },
  { name: 'list-none', path: `${LIST}?q=zzzz`, show: (page) => page.getByText('No results').waitFor() },
  { name: 'list-empty', path: 'content/api::event.event', show: (page) => page.getByText(/^Nothing in/).waitFor() },
  {
    name: 'palette-documents',
    path: 'account',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByText('this device').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('harbour');
      await page
        .getByRole('option', { name: /Letters/ })
        .first()
        .waitFor();
    },
  },
];
