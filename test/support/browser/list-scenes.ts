/** Pages that are nothing without content, on the server of `serveWritten`: to be held to the rules, and to be pictured. */
import type { Page } from 'playwright-core';
import type { Scene } from './scenes.ts';
import { ARTICLE } from './written.ts';

const LIST = `content/${ARTICLE}`;
const TIDES = `${LIST}?q=tide`;
const grid = (page: Page) => page.getByRole('grid');
const rows = (page: Page) => grid(page).getByText('Charts nobody drew').first().waitFor();
const opened = async (page: Page, name: string): Promise<void> => {
  await rows(page);
  await page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('dialog').waitFor();
};
/** An article that differs from what is published, opened from the list. */
const changed = async (page: Page): Promise<void> => {
  await grid(page).getByText('What the tide leaves', { exact: true }).click();
  await page.getByRole('button', { name: 'Publish 1 change' }).waitFor();
};
const where = encodeURIComponent(
  JSON.stringify([
    { field: 'views', operator: '$gt', value: '20' },
    { field: 'day', operator: '$gt', value: 'soon' },
  ]),
);

export const LIST_SCENES: readonly Scene[] = [
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
      await page.getByText('1 chosen').waitFor();
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
    within: '[role=dialog]',
    show: (page) => opened(page, 'Views'),
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
      await page.getByRole('button', { name: 'See them side by side' }).click();
      await page.getByText('What will change on the site').waitFor();
      await page.getByText('In the draft').first().waitFor();
    },
  },
  {
    name: 'document-new',
    path: `${LIST}/new`,
    show: (page) => page.getByRole('textbox', { name: 'Slug' }).waitFor(),
  },
  { name: 'list-none', path: `${LIST}?q=zzzz`, show: (page) => page.getByText('Nothing matches').waitFor() },
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
