/** A Chromium browser, whose pages record everything that they should not do. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { SITE } from './preview-site.ts';

const MODULES = path.join(import.meta.dirname, '../../../node_modules');
const PACKAGE = path.join(MODULES, '@sparticuz/chromium/package.json');
const CACHE = path.join(MODULES, '.cache');
/** The milliseconds that a page may take, also on a busy machine. */
const PATIENCE = 30_000;
/** The browser itself reports every answer from 400 on. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4/;

/**
 * Starts the browser of the package, which is unpacked once for all runs.
 *
 * The package's own arguments are for functions that end with their first page, so only those are used that let it run
 * as any user and render the same everywhere.
 */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await unpacked();
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none'],
  });
}

/**
 * The executable. It is unpacked elsewhere and then renamed, because other test files may unpack it at the same time.
 */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { version: string };
  const folder = path.join(CACHE, `chromium-${version}`);
  const file = path.join(folder, 'chromium');
  if (existsSync(file)) return file;
  await mkdir(CACHE, { recursive: true });
  const aside = await mkdtemp(path.join(CACHE, 'chromium-'));
  // The package unpacks to the folder for temporary files, which this process has changed for its databases.
  const script = `import bundled from '@sparticuz/chromium'; await bundled.executablePath();`;
  const env = { ...process.env, TMPDIR: aside };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname, env });
  await rename(aside, folder).catch(() => rm(aside, { recursive: true }));
  return file;
}

export interface Look {
  readonly width?: 320 | 390 | 1440;
  readonly theme?: 'light' | 'dark';
  /** The language of the browser. */
  readonly language?: string;
  /** Settings of the app on this device. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Everything that the pages should not have done: errors, and requests to other sites. */
  readonly complaints: readonly string[];
}

/** A visitor with an empty browser. Addresses are relative to that of the server. */
export async function visit(browser: Browser, url: string, look: Look = {}): Promise<Visit> {
  const { width = 1440, theme = 'light', language = 'en', settings = {} } = look;
  const isPhone = width !== 1440;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: isPhone ? 844 : 900 },
    isMobile: isPhone,
    hasTouch: isPhone,
    colorScheme: theme,
    locale: language,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE);
  await context.addInitScript((chosen) => {
    // An empty page has no storage.
    if ((globalThis as { readonly origin?: string }).origin === 'null') return;
    for (const [name, value] of Object.entries(chosen)) localStorage.setItem(`galley-admin.${name}`, value);
  }, settings);
  const complaints: string[] = [];
  const { origin } = new URL(url);
  context.on('weberror', (error) => void complaints.push(String(error.error())));
  context.on('console', (message) => {
    const text = message.text();
    if (/^(?:error|warning)$/.test(message.type()) && !REFUSED.test(text)) complaints.push(text);
  });
  context.on('request', (request) => {
    const to = new URL(request.url());
    const isElsewhere = to.origin !== origin && to.origin !== SITE;
    if (/^https?:$/.test(to.protocol) && isElsewhere) complaints.push(`a request to ${to.origin}`);
  });
  return {
    page: await context.newPage(),
    context,
    complaints,
    [Symbol.asyncDispose]: () => context.close(),
  };
}
