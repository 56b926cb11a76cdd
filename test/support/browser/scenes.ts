/** All pages of the administration app, and what can lie above them: to be held to the rules, and to be pictured. */
import type { Page } from 'playwright-core';

export interface Scene {
  /** Also the name of its picture. */
  readonly name: string;
  readonly path: string;
  /** Brings up what is to be looked at. */
  readonly show: (page: Page, isPhone: boolean) => Promise<unknown>;
  /** Where it lies above a page that is a scene of its own: what is to be looked at there. */
  readonly within?: string;
  /** Seen by those who have not signed in. */
  readonly outside?: boolean;
  readonly phoneOnly?: boolean;
}

const dialog = (page: Page) => page.getByRole('dialog').waitFor();

/** In the order in which somebody meets them. */
export const SCENES: readonly Scene[] = [
  { name: 'sign-in', path: 'sign-in', outside: true, show: (page) => page.getByLabel('E-mail').waitFor() },
  {
    name: 'sign-in-refused',
    path: 'sign-in',
    outside: true,
    show: async (page) => {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Write something here.').first().waitFor();
    },
  },
  {
    name: 'first',
    path: 'first#token',
    outside: true,
    show: (page) => page.getByLabel('First name').waitFor(),
  },
  { name: 'home', path: '', show: (page) => page.getByRole('heading', { level: 1 }).waitFor() },
  { name: 'account', path: 'account', show: (page) => page.getByText('this device').waitFor() },
  {
    name: 'second-step',
    path: 'account',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('button', { name: 'Set up' }).click();
      await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    },
  },
  { name: 'components', path: 'components', show: (page) => page.getByRole('grid').waitFor() },
  {
    name: 'combobox',
    path: 'components',
    within: '[role=combobox], [role=listbox]',
    show: async (page) => {
      await page.getByRole('combobox', { name: 'Tag' }).click();
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'menu',
    path: 'components',
    within: '[role=menu]',
    show: async (page) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'dialogue',
    path: 'components',
    within: '[role=dialog], [role=status]',
    show: async (page) => {
      await page.getByRole('button', { name: 'Notice' }).click();
      await page.getByRole('button', { name: 'Dialogue' }).click();
      await dialog(page);
    },
  },
  {
    name: 'form',
    path: 'components/form',
    show: async (page) => {
      await page.getByRole('textbox', { name: 'Body' }).waitFor();
      await page.getByRole('textbox', { name: 'Notes' }).waitFor();
      await page.getByRole('textbox', { name: 'Data' }).waitFor();
      await page.getByRole('button', { name: 'Expand all' }).click();
      await page.getByLabel('Who said it').first().waitFor();
    },
  },
  {
    name: 'mark',
    path: 'components/form',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('button', { name: 'was “Smoke and patience”' }).first().click();
      await dialog(page);
    },
  },
  {
    name: 'palette',
    path: 'account',
    within: '[role=dialog]',
    show: async (page, isPhone) => {
      if (isPhone) await page.getByRole('button', { name: 'Find or do anything' }).tap();
      else await page.getByRole('button', { name: /^Find or do anything/ }).click();
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'keys',
    path: '',
    within: '[role=dialog]',
    show: async (page) => {
      await page.keyboard.press('?');
      await dialog(page);
    },
  },
  {
    name: 'rail',
    path: '',
    within: '[role=dialog]',
    phoneOnly: true,
    show: async (page) => {
      await page.getByRole('button', { name: 'Open the menu' }).tap();
      await dialog(page);
    },
  },
  { name: 'missing', path: 'nothing', show: (page) => page.getByText('There is nothing here').waitFor() },
];
