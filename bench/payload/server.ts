/**
 * Payload's REST interface, without Next.js around it, on a database of its own that is filled when it is new.
 *
 *     node server.ts INSTALLED DATABASE PORT ROWS
 *
 * `INSTALLED` is the folder with its packages, `DATABASE` a file or a URL of PostgreSQL, `ROWS` a file of JSON.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PayloadRows } from './rows.ts';

const [installed = '', database = '', port = '', rowsFile = ''] = process.argv.slice(2);
const require = createRequire(path.join(installed, 'package.json'));
const packageOf = (name: string) => import(pathToFileURL(require.resolve(name)).href);

/** As much of Payload as is used here: its types are where it is installed, not here. */
interface Payload {
  create(options: { collection: string; data: object; depth?: number }): Promise<{ id: number }>;
  count(options: { collection: string }): Promise<{ totalDocs: number }>;
  readonly db: { create(options: { collection: string; data: object }): Promise<{ id: number }> };
}

const { buildConfig, getPayload, handleEndpoints } = (await packageOf('payload')) as {
  buildConfig(config: object): Promise<object>;
  getPayload(options: object): Promise<Payload>;
  handleEndpoints(options: { config: object; request: Request }): Promise<Response>;
};

/** The database's adapter. It makes the tables that the collections want (`push`). */
async function adapter(): Promise<unknown> {
  if (database.startsWith('postgres:')) {
    const { postgresAdapter } = await packageOf('@payloadcms/db-postgres');
    // an update that holds a connection waits for a second one: with fewer than twice the writers, all wait for ever
    return postgresAdapter({ pool: { connectionString: database, max: 40 }, push: true });
  }
  const { sqliteAdapter } = await packageOf('@payloadcms/db-sqlite');
  return sqliteAdapter({ client: { url: `file:${database}` }, push: true, wal: true });
}

const everybody = { read: () => true, create: () => true, update: () => true };
const text = (name: string) => ({ name, type: 'text' });
const number = (name: string) => ({ name, type: 'number' });
const date = (name: string) => ({ name, type: 'date' });
const json = (name: string) => ({ name, type: 'json' });

const collections = [
  {
    slug: 'authors',
    access: everybody,
    fields: [text('name'), text('email'), { name: 'bio', type: 'textarea' }, number('age')],
  },
  { slug: 'tags', access: everybody, fields: [text('name'), number('weight')] },
  {
    slug: 'articles',
    access: { ...everybody, read: () => ({ _status: { equals: 'published' } }) },
    versions: { drafts: true },
    fields: [
      { name: 'title', type: 'text', required: true, maxLength: 120 },
      text('slug'),
      { name: 'body', type: 'textarea' },
      json('blocks'),
      { name: 'views', type: 'number', defaultValue: 0 },
      text('big'),
      number('rating'),
      number('price'),
      { name: 'featured', type: 'checkbox', defaultValue: false },
      { name: 'kind', type: 'select', options: ['news', 'review', 'opinion'] },
      date('day'),
      date('at'),
      text('hour'),
      text('contact'),
      json('meta'),
      { name: 'author', type: 'relationship', relationTo: 'authors' },
      { name: 'tags', type: 'relationship', relationTo: 'tags', hasMany: true },
      { name: 'seo', type: 'group', fields: [text('metaTitle'), text('metaDescription')] },
      { name: 'links', type: 'array', fields: [text('label'), text('url')] },
      {
        name: 'zone',
        type: 'blocks',
        blocks: [
          { slug: 'quote', fields: [text('text')] },
          { slug: 'hero', fields: [text('title')] },
        ],
      },
    ],
  },
];

async function fill(payload: Payload): Promise<void> {
  const rows = JSON.parse(readFileSync(rowsFile, 'utf8')) as PayloadRows;
  const ids = async (collection: string, given: readonly { id: number }[]): Promise<Map<number, number>> => {
    const made = new Map<number, number>();
    for (const { id, ...data } of given) made.set(id, (await payload.create({ collection, data })).id);
    return made;
  };
  const authors = await ids('authors', rows.authors);
  const tags = await ids('tags', rows.tags);
  // entries of lists have ids, which `create` would give them; but that would take minutes
  const numbered = (entries: readonly object[]) =>
    entries.map((entry) => ({ ...entry, id: randomBytes(12).toString('hex') }));
  for (const { author, tags: tagged, links, zone, ...row } of rows.articles) {
    const data = {
      ...row,
      author: author === null ? null : authors.get(author),
      tags: tagged.map((id) => tags.get(id)),
      links: numbered(links),
      zone: numbered(zone),
      _status: 'published',
    };
    await payload.db.create({ collection: 'articles', data });
  }
}

async function bodyOf(request: http.IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : Buffer.concat(chunks);
}

const config = await buildConfig({
  secret: 'bench',
  telemetry: false,
  collections: [...collections, { slug: 'users', auth: true, fields: [] }],
  db: await adapter(),
  typescript: { autoGenerate: false },
});
const payload = await getPayload({ config });
if ((await payload.count({ collection: 'articles' })).totalDocs === 0) await fill(payload);

http
  .createServer(async (incoming, outgoing) => {
    try {
      const body = await bodyOf(incoming);
      const request = new Request(`http://127.0.0.1:${port}${incoming.url}`, {
        method: incoming.method!,
        headers: incoming.headers as Record<string, string>,
        ...(body ? { body: new Uint8Array(body) } : {}),
      });
      const response = await handleEndpoints({ config, request });
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    } catch (error) {
      outgoing.writeHead(500).end(String(error));
    }
  })
  .listen(Number(port), '127.0.0.1');
