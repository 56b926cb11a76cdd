/**
 * Measures how long pages take: the first visit of a new browser, and scrolling and searching a long list. It prints
 * figures and checks nothing.
 *
 * `npm run measure -w admin -- 100000` sets the number of articles; without it, the list is skipped.
 */
import type { Browser, Page } from 'playwright-core';
import { makeFirstAdministrator, serveAdministration, signIn } from '../../test/support/browser/administration.ts';
import { openBrowser, visit } from '../../test/support/browser/browser.ts';
import { copyExample } from '../../test/support/browser/example-scenes.ts';
import { ARTICLE, serveWritten, type Written } from '../../test/support/browser/written.ts';
import { engines } from '../../test/support/databases/databases.ts';
import { until } from '../../test/support/wait.ts';

const count = Number(process.argv[2] ?? 100_000);
/** The number of visits of each page, whose median is printed. */
const VISITS = 7;
/** The number of articles that are written; others are copies. */
const WRITTEN = 40;
/** The milliseconds from which a browser calls a task long. */
const LONG = 50;

const browser = await openBrowser();
try {
  await measurePages(browser);
  if (count > 0) await measureList(browser);
} finally {
  await browser.close();
}

async function measurePages(browser: Browser): Promise<void> {
  await using server = await serveAdministration(engines[0]!, copyExample);
  await using first = await visit(browser, server.url);
  await makeFirstAdministrator(first.page, server);
  const cookies = await first.context.cookies(`${server.url}/admin/`);
  const pages = { 'sign-in': ['sign-in', 'E-mail'], home: ['', 'Not on the site yet'] } as const;
  for (const [name, [place, text]] of Object.entries(pages)) {
    const visits: Paints[] = [];
    for (let n = 0; n < VISITS; n += 1) {
      await using visitor = await visit(browser, server.url);
      if (name === 'home') await visitor.context.addCookies(cookies);
      visits.push(await paintsOf(visitor.page, `${server.url}/admin/${place}`, text));
    }
    const told = (['first', 'largest', 'useful'] as const).map(
      (kind) => `${kind} paint ${Math.round(median(visits.map((one) => one[kind])))} ms`,
    );
    console.log(`${name}: ${told.join(', ')}, ${Math.round(visits[0]!.bytes / 1000)} kB, nothing cached`);
  }
  await using visitor = await visit(browser, server.url);
  await visitor.page.goto('/admin/sign-in');
  await signIn(visitor.page);
  await visitor.page.getByText('Not on the site yet').waitFor();
}

interface Paints {
  readonly first: number;
  readonly largest: number;
  /** When the main content is visible. */
  readonly useful: number;
  /** The compressed size of everything that was sent. */
  readonly bytes: number;
}

async function paintsOf(page: Page, address: string, text: string): Promise<Paints> {
  await page.addInitScript(`
    new PerformanceObserver((list) => { globalThis.largest = list.getEntries().at(-1).startTime; })
      .observe({ type: 'largest-contentful-paint', buffered: true });
    new MutationObserver(() => {
      if (globalThis.useful !== undefined || !document.body?.innerText.includes(${JSON.stringify(text)})) return;
      globalThis.useful = -1;
      requestAnimationFrame(() => setTimeout(() => { globalThis.useful = performance.now(); }));
    }).observe(document, { childList: true, subtree: true, characterData: true });`);
  await page.goto(address);
  await until('it is painted', () => page.evaluate('globalThis.useful > 0 && globalThis.largest > 0'));
  await page.waitForLoadState('networkidle');
  return page.evaluate(`({
    first: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    largest: globalThis.largest,
    useful: globalThis.useful,
    bytes: performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0),
  })`);
}

async function measureList(browser: Browser): Promise<void> {
  const server = await serveWritten(engines[0]!, WRITTEN);
  try {
    await grow(server, count);
    await using visitor = await visit(browser, server.url);
    await server.admit(visitor.context);
    const { page } = visitor;
    await page.goto(`/admin/content/${ARTICLE}`);
    const grid = page.getByRole('grid');
    await grid.getByText('Charts nobody drew').first().waitFor();
    console.log(`a list of ${Number(await grid.getAttribute('aria-rowcount')) - 1} articles:`);
    await page.evaluate(`
      globalThis.tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: 'longtask' });`);
    await told(page, 'scrolled by the wheel, 200 turns', async () => {
      await grid.hover();
      for (let n = 0; n < 200; n += 1) await page.mouse.wheel(0, 400);
    });
    await told(page, 'dragged through to its end in 60 steps', () =>
      page.evaluate(`new Promise((done) => {
        const grid = document.querySelector('[role=grid]');
        let step = 0;
        const go = () => {
          grid.scrollTop = (grid.scrollHeight * (step += 1)) / 60;
          if (step < 60) requestAnimationFrame(go); else done();
        };
        go();
      })`),
    );
    await told(page, 'gone through by keys, 100 rows', async () => {
      await page.keyboard.press('Home');
      await grid.locator('[tabindex="0"]').focus();
      for (let n = 0; n < 100; n += 1) await page.keyboard.press('j');
    });
    const search = page.getByRole('searchbox', { name: 'Search' });
    await told(page, 'searched for 12 letters', async () => {
      await search.pressSequentially('harbour mast', { delay: 70 });
      await page.getByRole('status').filter({ hasText: 'found' }).waitFor();
    });
    await told(page, 'narrowed to a state', async () => {
      await search.fill('');
      await page.getByRole('tab', { name: /^Drafts/ }).click();
      await grid.getByText('How fog is measured').first().waitFor();
    });
  } finally {
    await server.stop();
  }
}

/** Runs an action and prints the long tasks that it caused. */
async function told(page: Page, what: string, act: () => Promise<unknown>): Promise<void> {
  await page.evaluate('globalThis.tasks.length = 0');
  const began = performance.now();
  await act();
  const took = performance.now() - began;
  // Long tasks are reported some frames later.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))');
  const tasks = (await page.evaluate('globalThis.tasks')) as readonly number[];
  const long = tasks.map((task) => Math.round(task));
  const pauses = long.length === 0 ? `no task over ${LONG} ms` : `tasks over ${LONG} ms: ${long.join(', ')}`;
  console.log(`  ${what}: ${pauses} (${Math.round(took)} ms in all)`);
}

/** Copies articles with all their versions until there are `many`. */
async function grow({ app }: Written, many: number): Promise<void> {
  const copies = Math.ceil(many / WRITTEN) - 1;
  await app.database.transaction(async (tx) => {
    const columns = (await tx.rows("select name from pragma_table_info('articles')", [])).map(([name]) => String(name));
    const made: Readonly<Record<string, string>> = {
      document_id: "substr(o.document_id, 1, 18) || printf('%06d', c)",
      title: "o.title || ' ' || c",
      slug: "o.slug || '-' || c",
      updated_at: 'o.updated_at - c * 60000',
    };
    const names = columns.filter((name) => name !== 'id');
    await tx.rows(
      `with recursive copies (c) as (select 1 union all select c + 1 from copies where c < ${copies})
      insert into articles (${names.map((name) => `"${name}"`).join()})
      select ${names.map((name) => made[name] ?? `o."${name}"`).join()}
      from copies cross join (select * from articles) o`,
      [],
    );
  });
  // Updates the counts of articles.
  await app.documents(ARTICLE).create({ data: { title: 'Charts nobody drew at all' } });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
