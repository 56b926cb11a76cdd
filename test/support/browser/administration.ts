/** A server with the administration app, started like a new project. */
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Engine } from '../databases/databases.ts';
import { SECRETS, startProcess } from '../servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from '../servers/project.ts';
import { until } from '../wait.ts';

export const ADMINISTRATOR = {
  firstname: 'Mara',
  lastname: 'Kovač',
  email: 'mara@example.org',
  password: 'Harbour1909',
};

export interface Administration extends AsyncDisposable {
  readonly url: string;
  /** The folder of the project. */
  readonly dir: string;
  /** The variables that name its database, and its secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** The printed address at which the first administrator is created. */
  readonly firstAddress: string;
}

/**
 * Starts a project on an empty database, by default with two content types.
 *
 * @param words the command with its flags; by default `galley start`.
 */
export async function serveAdministration(
  engine: Engine,
  project: () => Promise<ProjectFolder> = twoTypes,
  words?: readonly string[],
): Promise<Administration> {
  if (!existsSync(path.join(import.meta.dirname, '../../../admin/dist/index.html'))) {
    throw new Error('the administration app is not built: npm run build -w admin');
  }
  const folder = await project();
  const database = await engine.databaseFor(folder);
  const started = await startProcess(folder.dir, database.env, undefined, words);
  const firstAddress = await until(
    'the first address is printed',
    () => /http\S+\/first#\S+/.exec(started.lines())?.[0],
  );
  return {
    url: started.url,
    dir: folder.dir,
    env: { ...SECRETS, ...database.env },
    firstAddress,
    async [Symbol.asyncDispose]() {
      started.child.kill('SIGTERM');
      await started.ended;
      await database.drop();
      await folder.remove();
    },
  };
}

const JOBS = `exports.jobs = {
  'send the newsletter': { cron: '0 8 * * 1', timezone: 'Europe/Berlin', run() {} },
  'count readers': { cron: '*/15 * * * *', run() { throw new Error('the counter does not answer'); } },
  // it runs for as long as the server does
  'tidy up': { cron: '30 3 * * *', run: () => new Promise(() => {}) },
};`;

function twoTypes(): Promise<ProjectFolder> {
  return makeProject({
    contentTypes: {
      article: contentType('article', { title: { type: 'string' } }, { info: { displayName: 'Articles' } }),
      author: contentType('author', { name: { type: 'string' } }, { info: { displayName: 'Authors' } }),
    },
    // Tests sign in more often than people do.
    files: {
      'config/admin.js': 'module.exports = { rateLimit: { enabled: false } };',
      'src/galley.js': JOBS,
    },
  });
}

/** Creates the first administrator in the browser, and ends on the home page. */
export async function makeFirstAdministrator(page: Page, { firstAddress }: Administration): Promise<void> {
  await page.goto(firstAddress);
  await page.getByLabel('First name').fill(ADMINISTRATOR.firstname);
  await page.getByLabel('Last name').fill(ADMINISTRATOR.lastname);
  await page.getByLabel('E-mail').fill(ADMINISTRATOR.email);
  await page.getByLabel('Password', { exact: true }).fill(ADMINISTRATOR.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Good to see you, Mara' }).waitFor();
}

/** Signs in on the sign-in page. */
export async function signIn(
  page: Page,
  password = ADMINISTRATOR.password,
  email = ADMINISTRATOR.email,
): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The code of an authenticator app for a secret in base32: RFC 6238, six digits every half minute. */
export function codeOf(secret: string, steps = 0): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const bytes = bits
    .join('')
    .match(/.{8}/g)!
    .map((byte) => Number.parseInt(byte, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const hash = createHmac('sha1', Buffer.from(bytes)).update(counter).digest();
  const number = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
