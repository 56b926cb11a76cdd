/** A server with drafts, locales and links, and with editors who are signed in. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import type { OpenOptions } from '../../../src/app.ts';
import { Browser as ApiBrowser, makeAdministrator } from '../accounts/administrators.ts';
import type { Engine } from '../databases/databases.ts';
import { contentType, makeProject } from '../servers/project.ts';
import { type SeededServer, serveSeeded } from '../servers/seeded.ts';
import { type Look, type Visit, visit } from './browser.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };
const contentTypes = {
  article: contentType(
    'article',
    {
      title: { type: 'string', required: true, ...localized },
      slug: { type: 'uid', targetField: 'title' },
      summary: { type: 'text', maxLength: 160, ...localized },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      seo: { type: 'component', component: 'shared.seo', ...localized },
    },
    { ...drafts, ...localized, info: { displayName: 'Article' } },
  ),
  author: contentType(
    'author',
    { name: { type: 'string' }, shelf: { type: 'dynamiczone', components: ['shared.pick'] } },
    { info: { displayName: 'Author' } },
  ),
};
const components = {
  'shared.seo': { collectionName: 'components_seos', attributes: { head: { type: 'string', maxLength: 60 } } },
  'shared.pick': {
    collectionName: 'components_picks',
    attributes: { article: { type: 'relation', relation: 'oneToOne', target: 'api::article.article' } },
  },
};

const LOCALES = [
  { code: 'en', name: 'English', default: true },
  { code: 'fr', name: 'French' },
];

export interface Newsroom extends AsyncDisposable {
  readonly server: SeededServer;
  /** Sends a request to the administration API as a user. */
  readonly ask: (
    name: string,
    method: string,
    target: string,
    body?: object,
    headers?: Record<string, string>,
  ) => ReturnType<ApiBrowser['send']>;
  /** Creates a user with one role. */
  readonly admit: (name: string, role: string) => Promise<void>;
  /** Opens a browser in which a user is signed in. */
  readonly visit: (name: string, look?: Look) => Promise<Visit>;
}

/** The content of the newsroom. */
type Content = Pick<Parameters<typeof makeProject>[0], 'contentTypes' | 'components'>;

/** Starts the server with Mara, a super admin, and Jonas, an author, who may not publish. */
export async function openNewsroom(
  engine: Engine,
  browser: Browser,
  content: Content = { contentTypes, components },
  locales: readonly object[] = LOCALES,
  options: OpenOptions = {},
): Promise<Newsroom> {
  if (!existsSync(path.join(import.meta.dirname, '../../../admin/dist/index.html'))) {
    throw new Error('the administration app is not built: npm run build -w admin');
  }
  const files = { 'config/admin.js': 'module.exports = { rateLimit: { enabled: false } };' };
  const server = await serveSeeded(engine, await makeProject({ ...content, files }), { locales }, {}, options);
  const people = new Map<string, ApiBrowser>();
  const admit = async (name: string, role: string): Promise<void> => {
    await makeAdministrator(server, name, role);
    const person = new ApiBrowser(server);
    await person.signIn(name);
    people.set(name, person);
  };
  for (const [name, role] of [
    ['mara', 'strapi-super-admin'],
    ['eve', 'strapi-super-admin'],
    ['jonas', 'strapi-author'],
  ] as const) {
    await admit(name, role);
  }
  return {
    server,
    admit,
    ask: (name, ...asked) => people.get(name)!.send(...asked),
    visit: async (name, look) => {
      const person = new ApiBrowser(server);
      await person.signIn(name);
      const visitor = await visit(browser, server.url, look);
      const [cookie, value] = person.cookie!.split('=') as [string, string];
      await visitor.context.addCookies([{ name: cookie, value, url: `${server.url}/admin`, httpOnly: true }]);
      return visitor;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
