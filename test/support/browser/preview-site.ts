/** A site that shows drafts, for previews. The browser answers its requests. */
import type { Page } from 'playwright-core';

/** Only pages in the browser request it. */
export const SITE = 'https://site.example';

/** The `config/admin` of a project with previews of articles. */
export const PREVIEWED = {
  rateLimit: { enabled: false },
  preview: { urls: { 'api::article.article': `${SITE}/{locale}/{slug}` } },
};

/** Opens the preview beside the form of an article. */
export async function showPreview(page: Page): Promise<void> {
  const title = await page.getByRole('textbox', { name: 'Title', exact: true }).inputValue();
  await page.route(`${SITE}/**`, (route) => route.fulfill({ contentType: 'text/html', body: pageOf(title) }));
  await page.getByRole('button', { name: 'Preview', exact: true }).first().click();
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: title }).waitFor();
  await page.unroute(`${SITE}/**`);
}

const pageOf = (title: string): string => `<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>
  body { margin: 0 auto; max-width: 34em; padding: 2.5em 1.5em; font: 17px/1.6 Georgia, serif; color: #26221c; background: #fbf8f2; }
  header { font-size: 14px; letter-spacing: .04em; color: #6f665a; }
  h1 { font-size: 2em; line-height: 1.15; margin: .8em 0 .4em; }
</style>
<body><header>Notes from a small kitchen</header><main><h1>${title}</h1>
<p>Begun on Wednesday, eaten on Tuesday, better every day.</p>
<p>Flour, water, salt, and the patience of somebody who has to leave the house anyway.</p></main></body></html>`;
