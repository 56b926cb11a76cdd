/**
 * Writes `docs/admin/*.png`: every page of the app on a real server, wide and narrow, light and dark.
 *
 * `npm run screenshots -w admin -- account palette` writes only these.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import sharp from 'sharp';
import { makeFirstAdministrator, serveAdministration } from '../../test/support/browser/administration.ts';
import { openBrowser, visit } from '../../test/support/browser/browser.ts';
import { EDITORIAL_SCENES, serveEditorial } from '../../test/support/browser/editorial-scenes.ts';
import { copyExample, EXAMPLE_SCENES } from '../../test/support/browser/example-scenes.ts';
import { LIST_SCENES } from '../../test/support/browser/list-scenes.ts';
import { firstScene, SCENES, type Scene } from '../../test/support/browser/scenes.ts';
import { serveWritten } from '../../test/support/browser/written.ts';
import { engines } from '../../test/support/databases/databases.ts';

const OUT = path.join(import.meta.dirname, '../../docs/admin');
/** The number of articles of the server with content. */
const ARTICLES = 40;
const WIDTHS = [1440, 390] as const;
const THEMES = ['light', 'dark'] as const;
/** A palette of few colours suffices, and small files matter more than a fast program. */
const SMALL = { palette: true, colours: 128, effort: 10, compressionLevel: 9 } as const;

const wanted = process.argv.slice(2);
/** Scenes with a server of their own, where they show more. */
const ofOwn = new Set([...EXAMPLE_SCENES, ...EDITORIAL_SCENES].map(({ name }) => name));
await mkdir(OUT, { recursive: true });
await using server = await serveAdministration(engines[0]!);
await using example = await serveAdministration(engines[0]!, copyExample);
const written = await serveWritten(engines[0]!, ARTICLES);
const editorial = await serveEditorial(engines[0]!, ARTICLES);
const browser = await openBrowser();
try {
  await picture(server.url, [firstScene(server.firstAddress)], async () => {});
  await using first = await visit(browser, server.url);
  await makeFirstAdministrator(first.page, server);
  const cookies = await first.context.cookies(`${server.url}/admin/`);
  const others = (scenes: readonly Scene[]) => scenes.filter(({ name }) => !ofOwn.has(name));
  await picture(server.url, others(SCENES), (context) => context.addCookies(cookies));
  await picture(written.url, others(LIST_SCENES), (context) => written.admit(context));
  await picture(editorial.url, EDITORIAL_SCENES, (context) => editorial.admit(context));
  await using newcomer = await visit(browser, example.url);
  await makeFirstAdministrator(newcomer.page, example);
  const own = await newcomer.context.cookies(`${example.url}/admin/`);
  await picture(example.url, EXAMPLE_SCENES, (context) => context.addCookies(own));
} finally {
  await browser.close();
  await written.stop();
  await editorial.stop();
}

/** Takes the pictures of scenes. @param admit signs the visitor in. */
async function picture(
  url: string,
  scenes: readonly Scene[],
  admit: (context: BrowserContext) => Promise<void>,
): Promise<void> {
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      await using visitor = await visit(browser, url, { width, theme });
      const { page, context } = visitor;
      for (const { name, path: place, show, outside, phoneOnly } of scenes) {
        if ((phoneOnly && width !== 390) || (wanted.length > 0 && !wanted.includes(name))) continue;
        if (!outside) await admit(context);
        await page.goto('about:blank');
        await page.goto(`${url}/admin/${place}`);
        if (!outside) await page.locator('#page h1').waitFor();
        await show(page, width === 390);
        await page.evaluate('document.fonts.ready');
        const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' });
        await sharp(taken)
          .png(SMALL)
          .toFile(path.join(OUT, `${name}-${width}-${theme}.png`));
      }
    }
  }
}
