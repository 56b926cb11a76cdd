/** Scenes of the example project, as a newcomer sees it. */
import { cp } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeProject, type ProjectFolder } from '../servers/project.ts';
import { until } from '../wait.ts';
import { showBeside } from './list-scenes.ts';
import { PREVIEWED, showPreview } from './preview-site.ts';
import type { Scene } from './scenes.ts';

const EXAMPLE = path.join(import.meta.dirname, '../../../examples/blog');
const ARTICLES = 'content/api::article.article';

/** A copy of the project without a database. */
export async function copyExample(): Promise<ProjectFolder> {
  const project = await makeProject({ files: { 'config/admin.json': PREVIEWED } });
  for (const part of ['src', 'config', 'seed', 'seed.json']) {
    await cp(path.join(EXAMPLE, part), path.join(project.dir, part), { recursive: true });
  }
  return project;
}

const grid = (page: Page) => page.getByRole('grid');
const listed = (page: Page) => grid(page).getByText('Coffee without a machine').waitFor();
/** Pictures out of view are not loaded. */
const pictures = (page: Page) =>
  until('the pictures are there', () =>
    page.evaluate(`[...document.images]
      .filter((image) => image.getBoundingClientRect().top < innerHeight)
      .every(({ complete, naturalWidth }) => complete && naturalWidth > 0)`),
  );

export const EXAMPLE_SCENES: readonly Scene[] = [
  {
    name: 'document',
    path: ARTICLES,
    show: async (page) => {
      await grid(page).getByText('Bread for a very long weekend').click();
      await page.getByRole('button', { name: /^Publish 3 changes/ }).waitFor();
      await page.getByRole('textbox', { name: 'Body' }).waitFor();
      await pictures(page);
    },
  },
  {
    name: 'document-preview',
    path: ARTICLES,
    show: async (page) => {
      await grid(page).getByText('Bread for a very long weekend').click();
      await page.getByRole('textbox', { name: 'Body' }).waitFor();
      await showPreview(page);
      await pictures(page);
    },
  },
  {
    name: 'document-compare',
    path: ARTICLES,
    within: '[role=dialog]',
    show: async (page, isPhone) => {
      await grid(page).getByText('Bread for a very long weekend').click();
      await page.getByRole('button', { name: /^Publish 3 changes/ }).waitFor();
      if (isPhone) await page.getByRole('button', { name: 'Changed', exact: true }).tap();
      await page.getByRole('button', { name: 'Compare side by side' }).click();
      await page.getByText('After publishing').first().waitFor();
    },
  },
  {
    name: 'document-beside',
    path: ARTICLES,
    show: async (page, isPhone) => {
      await grid(page).getByText('Smoke, patience, honey').click();
      await page.getByRole('textbox', { name: 'Body' }).waitFor();
      await showBeside(page, isPhone, 'German (de)');
      await pictures(page);
    },
  },
  {
    name: 'home-written',
    path: '',
    show: (page) => page.getByRole('img', { name: /documents last changed/ }).waitFor(),
  },
  { name: 'list', path: ARTICLES, show: listed },
  {
    name: 'list-plain',
    path: 'content/api::author.author',
    show: (page) => grid(page).getByText('Ines Ferro').waitFor(),
  },
  {
    name: 'library',
    path: 'media',
    show: async (page) => {
      await page.getByText('Covers').first().click();
      await page.getByText('lighthouse.webp').first().waitFor();
      await pictures(page);
    },
  },
  {
    name: 'library-file',
    path: 'media',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByText('Covers').first().click();
      await page.getByText('lighthouse.webp').first().click();
      await page.getByRole('slider', { name: 'Focal point' }).waitFor();
      await pictures(page);
    },
  },
  {
    name: 'palette-documents',
    path: 'account',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByText('this device').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('ka');
      await page.getByRole('option', { name: /Kaffee/ }).waitFor();
    },
  },
];
