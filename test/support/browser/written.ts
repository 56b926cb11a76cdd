/** A server in this process with articles, for pages that need content. */
import type { BrowserContext } from 'playwright-core';
import { SAMPLE_AUTHORS, SAMPLE_TITLES } from '../../../admin/src/samples/sample-names.ts';
import { Browser as Client, makeAdministrator } from '../accounts/administrators.ts';
import type { Engine } from '../databases/databases.ts';
import { contentType, makeProject } from '../servers/project.ts';
import { type SeededServer, serveSeeded } from '../servers/seeded.ts';
import { PREVIEWED } from './preview-site.ts';

export const ARTICLE = 'api::article.article';
export const AUTHOR = 'api::author.author';

const localized = { pluginOptions: { i18n: { localized: true } } };

export interface Written extends SeededServer {
  /** The document ids of the articles, in the order of creation. */
  readonly articles: readonly string[];
  /** Signs a user in without the sign-in page. */
  readonly admit: (context: BrowserContext, name?: string) => Promise<void>;
}

/**
 * Starts the server. Of four articles, one is a draft, one is changed and two are published; every fifth also has a
 * French version.
 *
 * @param count the number of articles.
 * @param more further members of the schema of articles, and another fixture.
 */
export async function serveWritten(
  engine: Engine,
  count: number,
  more: { readonly schema?: object; readonly fixture?: object } = {},
): Promise<Written> {
  const project = await makeProject({
    contentTypes: {
      article: contentType(
        'article',
        {
          title: { type: 'string', required: true, ...localized },
          slug: { type: 'uid', targetField: 'title' },
          kind: { type: 'enumeration', enum: ['story', 'notice'], ...localized },
          views: { type: 'integer', ...localized },
          day: { type: 'date', ...localized },
          author: { type: 'relation', relation: 'manyToOne', target: AUTHOR },
        },
        { info: { displayName: 'Articles' }, options: { draftAndPublish: true }, ...localized, ...more.schema },
      ),
      author: contentType('author', { name: { type: 'string' } }, { info: { displayName: 'Authors' } }),
      about: contentType(
        'about',
        { title: { type: 'string' } },
        { kind: 'singleType', info: { displayName: 'About' } },
      ),
      event: contentType(
        'event',
        {
          name: { type: 'string' },
          starts: { type: 'datetime' },
          hour: { type: 'time' },
          notes: { type: 'richtext' },
          program: { type: 'blocks' },
        },
        { info: { displayName: 'Events' } },
      ),
    },
    files: { 'config/admin.json': PREVIEWED },
  });
  const server = await serveSeeded(engine, project, more.fixture);
  const administrators = { mara: 'strapi-super-admin', ede: 'strapi-editor', aino: 'strapi-author' };
  for (const [name, role] of Object.entries(administrators)) await makeAdministrator(server, name, role);
  const authors: string[] = [];
  for (const name of SAMPLE_AUTHORS) authors.push(await made(server, AUTHOR, { name }));
  const articles: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const title = `${SAMPLE_TITLES[n % SAMPLE_TITLES.length]}${n < SAMPLE_TITLES.length ? '' : ` ${n}`}`;
    const data = {
      title,
      slug: title.toLowerCase().replace(/\W+/g, '-'),
      kind: n % 3 === 0 ? 'notice' : 'story',
      views: n * 7,
      day: `2026-0${1 + (n % 9)}-1${n % 10}`,
      author: authors[n % authors.length],
    };
    const documentId = await made(server, ARTICLE, data, n % 4 === 0 ? 'draft' : 'published');
    const documents = server.app.documents(ARTICLE);
    if (n % 4 === 1) await documents.update({ documentId, data: { views: n } });
    if (n % 5 === 0) await documents.update({ documentId, locale: 'fr', data: { title: `${title} (fr)` } });
    articles.push(documentId);
  }
  // Signing in takes as long as a hundred requests.
  const cookies = new Map<string, Promise<string>>();
  const signedIn = async (name: string): Promise<string> => {
    const client = new Client(server);
    const { status, text } = await client.signIn(name);
    if (client.cookie === undefined) throw new Error(`${name} is not let in: ${status} ${text}`);
    return client.cookie;
  };
  const admit = async (context: BrowserContext, name = 'mara'): Promise<void> => {
    const cookie = cookies.get(name) ?? signedIn(name);
    cookies.set(name, cookie);
    const [key, value] = (await cookie).split('=') as [string, string];
    const { hostname: domain } = new URL(server.url);
    await context.addCookies([{ name: key, value, domain, path: '/admin', httpOnly: true, sameSite: 'Strict' }]);
  };
  return { ...server, articles, admit };
}

async function made(server: SeededServer, uid: string, data: object, status?: 'draft' | 'published'): Promise<string> {
  const documents = server.app.documents(uid);
  const document = (await documents.create({ data, ...(status ? { status } : {}) })) as { documentId: string };
  return document.documentId;
}
