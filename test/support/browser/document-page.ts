/** The page of an article in the newsroom. */
import type { Page } from 'playwright-core';

export const ARTICLE = 'content/api::article.article';
/** The address of a new article. */
export const NEW = `/admin/${ARTICLE}/new`;

export const title = (page: Page) => page.getByRole('textbox', { name: 'Title' }).first();
export const summary = (page: Page) => page.getByRole('textbox', { name: 'Summary' }).first();
/** Saves without waiting for a pause. */
export const saveNow = (page: Page) => page.keyboard.press('Control+s');
export const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
export const panel = (page: Page) => page.getByRole('complementary', { name: 'State and locales' });
export const idOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1)!;
