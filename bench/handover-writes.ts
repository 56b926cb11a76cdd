/** What Galley writes before it hands the fixture's database over: every operation that the content API has. */
import { openAsBlob } from 'node:fs';
import path from 'node:path';
import type { Target } from './processes.ts';

/** An image with sizes, and one without. */
const IMAGES = ['landscape.jpg', 'small.webp'].map((name) =>
  path.join(import.meta.dirname, '../test/conformance/files', name),
);

type Body = Readonly<Record<string, unknown>>;

/** A writer that remembers document ids by a name of the script's own. */
export class Script {
  readonly ids = new Map<string, string>();
  readonly #target: Target;
  #count = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** How many requests were sent. */
  get count(): number {
    return this.#count;
  }

  id(name: string): string {
    const id = this.ids.get(name);
    if (id === undefined) throw new Error(`the script knows no ${name}`);
    return id;
  }

  async send(method: string, path: string, data?: Body): Promise<{ documentId: string } & Body> {
    this.#count += 1;
    const response = await fetch(`${this.#target.url}/api${path}`, {
      method,
      headers: { ...this.#target.headers, 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 400)}`);
    return text === '' ? { documentId: '' } : (JSON.parse(text) as { data: { documentId: string } }).data;
  }

  /** Sends a body that is none of the content API's: a form, or an object as it is. */
  async sendBare(method: string, path: string, body: FormData | Body): Promise<unknown> {
    this.#count += 1;
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.#target.url}/api${path}`, {
      method,
      headers: { ...this.#target.headers, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 400)}`);
    return JSON.parse(text);
  }

  async make(name: string, path: string, data: Body): Promise<void> {
    this.ids.set(name, (await this.send('POST', path, data)).documentId);
  }
}

/** Runs the script. It leans on nothing of the fixture but its types, two of its articles, tags and authors. */
export async function writeEverything(
  script: Script,
  known: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const article = (name: string, query = ''): string => `/articles/${script.id(name)}${query}`;
  const [ann, bob] = known['authors']!;
  const [red, blue] = known['tags']!;
  const [first, second] = known['articles']!;

  // documents of types without drafts, with relations from both sides
  await script.make('FR', '/countries', { name: 'Francia', code: 'FX' });
  await script.make('cleo', '/authors', { name: 'Cleo', email: 'cleo@example.org', age: 40, country: script.id('FR') });
  await script.make('dan', '/authors', { name: 'Dan', articles: [first!] });
  await script.make('@cleo', '/profiles', { handle: '@cleo', author: script.id('cleo') });
  await script.send('PUT', `/profiles/${script.id('@cleo')}`, { author: script.id('dan') });
  await script.send('PUT', `/countries/${script.id('FR')}?locale=fr`, { name: 'France' });

  // drafts, publications, and links to what is published later
  await script.make('green', '/tags?status=draft', { name: 'green', weight: 5 });
  await script.make('amber', '/tags', { name: 'amber', weight: 8, articles: [first!, second!] });
  const seo = { metaTitle: 'A title', metaDescription: 'A description' };
  await script.make('one', '/articles', {
    title: 'Handed over one',
    slug: 'handed-over-one',
    views: 3,
    big: '9007199254740991',
    rating: 2.5,
    price: 12.34,
    featured: true,
    kind: 'news',
    day: '2026-05-06',
    at: '2026-05-06T07:08:09.010Z',
    hour: '10:11:12.000',
    contact: 'one@example.org',
    secret: 'geheimnis',
    meta: { a: [1, 'two', null] },
    blocks: [{ type: 'paragraph', children: [{ type: 'text', text: 'block' }] }],
    author: script.id('cleo'),
    tags: [red!, script.id('green'), script.id('amber')],
    related: [first!],
    seo,
    links: [{ label: 'self', url: 'https://example.org', target: first! }, { label: 'none' }],
    zone: [
      { __component: 'blocks.quote', text: 'A quote', by: script.id('cleo') },
      { __component: 'shared.link', label: 'zone', target: second! },
      { __component: 'shared.seo', ...seo },
    ],
  });
  await script.make('two', '/articles?status=draft', {
    title: 'Handed over two',
    author: bob!,
    tags: { connect: [blue!, red!] },
    related: [script.id('one')],
    links: [{ label: 'to one', target: script.id('one') }],
  });
  await script.make('three', '/articles', {
    title: 'Handed over three',
    related: [script.id('two'), script.id('one')],
  });
  await script.send('PUT', `/tags/${script.id('green')}`, {});
  await script.send('PUT', article('two'), {});

  // updates: positions, disconnections, sets, components kept, reordered, removed
  await script.send('PUT', article('one'), {
    tags: { disconnect: [red!], connect: [{ documentId: blue!, position: { before: script.id('amber') } }] },
  });
  await script.send('PUT', article('three'), { related: { set: [script.id('one'), first!, script.id('two')] } });
  await script.send('PUT', article('one', '?status=draft'), {
    title: 'Handed over one, changed',
    author: ann!,
    views: 4,
  });
  const drafted = await script.send('PUT', article('two', '?populate=*'), {
    seo,
    links: [{ label: 'new first' }, { label: 'second' }],
  });
  const [a, b] = drafted['links'] as { id: number }[];
  await script.send('PUT', article('two', '?status=draft'), { title: 'two, a draft' });
  const draft = await script.send('PUT', article('two', '?status=draft&populate=*'), { views: 9 });
  const kept = (draft['links'] as { id: number }[]).map(({ id }) => id);
  if (a && b)
    await script.send('PUT', article('two'), {
      links: [{ id: kept[1], label: 'kept' }, { label: 'between' }, { id: kept[0] }],
    });
  await script.send('PUT', article('three'), { related: [], links: [{ label: 'x' }], seo: null, author: bob! });
  await script.send('PUT', `/authors/${script.id('cleo')}`, { articles: { connect: [script.id('three')] }, age: 41 });
  await script.send('PUT', `/tags/${script.id('amber')}`, {
    articles: { disconnect: [second!], connect: [script.id('two')] },
  });

  // locales: versions made by PUT and POST, shared attributes that spread
  await script.send('PUT', article('one', '?locale=fr'), { title: 'Un', slug: 'un', links: [{ label: 'lien' }] });
  await script.send('PUT', article('one', '?locale=fr'), { views: 77, related: [] });
  await script.send('PUT', article('two', '?locale=fr&status=draft'), { title: 'Deux' });
  await script.make('fr', '/articles?locale=fr', { title: 'Seulement', views: 1, tags: [red!] });
  await script.make('gone', '/articles', { title: 'Gone', tags: [red!], links: [{ label: 'gone' }], seo });
  await script.send('PUT', article('gone', '?locale=fr'), { title: 'Parti' });
  await script.send('PUT', `/countries/${script.id('FR')}`, { code: 'FY' });

  // polymorphic relations, required components, one-way relations
  const venue = { name: 'Hall' };
  await script.make('event', '/events', {
    title: 'Event',
    starts: '2027-01-02T03:04:05.000Z',
    fee: 1.5,
    venue,
    host: script.id('cleo'),
    speakers: [script.id('dan'), script.id('cleo')],
    topics: [script.id('green'), red!],
    subject: { __type: 'api::article.article', documentId: script.id('one') },
    mentions: [
      { __type: 'api::tag.tag', documentId: script.id('amber') },
      { __type: 'api::article.article', documentId: script.id('two') },
    ],
  });
  await script.send('PUT', `/events/${script.id('event')}`, {
    speakers: [script.id('cleo'), ann!],
    topics: [script.id('amber')],
  });

  // single types
  await script.send('PUT', '/homepage', {
    headline: 'Welcome',
    hero: { title: 'Hero' },
    picks: [script.id('one'), first!],
  });
  await script.send('PUT', '/homepage?locale=fr', { headline: 'Bienvenue' });
  await script.send('PUT', '/setting', { siteName: 'Handed over' });

  // files: uploaded, described, replaced, linked by content and by the upload itself
  const form = new FormData();
  for (const image of IMAGES) form.append('files', await openAsBlob(image), path.basename(image));
  form.append('fileInfo', JSON.stringify([{ name: 'Landscape', caption: 'Hills' }, { alternativeText: 'small' }]));
  const files = (await script.sendBare('POST', '/upload', form)) as { id: number }[];
  const [landscape, small] = files.map(({ id }) => id);
  const linked = new FormData();
  linked.append('files', await openAsBlob(IMAGES[1]!), 'linked.webp');
  const { id: rowId } = await script.send('GET', article('one', '?status=draft'));
  for (const [key, value] of [
    ['ref', 'api::article.article'],
    ['refId', rowId],
    ['field', 'cover'],
  ]) {
    linked.append(String(key), String(value));
  }
  await script.sendBare('POST', '/upload', linked);
  const replacement = new FormData();
  replacement.append('files', await openAsBlob(IMAGES[0]!), 'other.jpg');
  await script.sendBare('POST', `/upload?id=${landscape}`, replacement);
  await script.send('PUT', article('three'), { gallery: [small!, landscape!], cover: landscape! });

  // accounts
  const user = { username: 'handed', email: 'handed@example.org', password: 'handed over' };
  await script.sendBare('POST', '/auth/local/register', user);

  // deletions: a version, a document, targets of links
  await script.send('DELETE', article('gone', '?locale=fr'));
  await script.send('DELETE', article('gone'));
  await script.send('DELETE', `/tags/${script.id('green')}`);
  await script.send('DELETE', `/authors/${script.id('dan')}`);
  await script.send('PUT', article('three', '?status=draft'), { title: 'three, changed and not published' });
}
