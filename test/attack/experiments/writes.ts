/** Writes of as much as a body may hold: lists of relations with places, components, JSON, batches, publications. */
import { type Asked, ask, askJson, besiege, longest, type Reply, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { type Attacked, ms, size } from '../trial.ts';

/** Milliseconds that a write of as much as a body may hold may take: nobody else waits for it. */
const MOST_TIME = 60_000;
const LINKS = 10_000;

interface Listed {
  readonly data: readonly { readonly documentId: string }[];
}

async function ids({ url, tokens }: Attacked, plural: string, pages: number): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; page <= pages; page++) {
    const path = `/api/${plural}?fields=documentId&pagination[pageSize]=100&pagination[page]=${page}&pagination[withCount]=false`;
    const { data } = await askJson<Listed>(url, { path, token: tokens.writer });
    found.push(...data.map(({ documentId }) => documentId));
  }
  return found;
}

const repeat = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** Writes by what they hold. */
function writesOf(
  articles: readonly string[],
  tags: readonly string[],
): Readonly<Record<string, Omit<Asked, 'token'>>> {
  const path = (n: number): string => `/api/articles/${articles[n]}`;
  const put = (n: number, data: unknown): Omit<Asked, 'token'> => ({ method: 'PUT', path: path(n), body: { data } });
  const article = (n: number): string => articles[n % articles.length]!;
  return {
    '10,000 links set': put(0, { related: { set: repeat(LINKS, article) } }),
    'the same in the other order': put(0, { related: { set: repeat(LINKS, article).reverse() } }),
    'links with places': put(1, {
      related: {
        connect: repeat(8000, (n) => ({
          documentId: article(n + 1),
          position: n ? { before: article(n) } : { start: true },
        })),
      },
    }),
    'one link 10,000 times': put(2, {
      tags: { connect: repeat(LINKS, (n) => ({ documentId: tags[n % 2]!, position: { start: true } })) },
    }),
    '10,000 links from both sides': {
      method: 'PUT',
      path: `/api/tags/${tags[0]}`,
      body: { data: { articles: { set: repeat(LINKS, article) } } },
    },
    'thousands of components': put(3, {
      links: repeat(9000, (n) => ({ label: `l${n}`, url: 'x', target: article(n) })),
    }),
    'a long zone': put(4, {
      zone: repeat(4000, (n) => ({ __component: 'blocks.hero', title: `t${n}`, buttons: [{ label: 'l', url: 'x' }] })),
    }),
    'them published': { method: 'PUT', path: `${path(3)}?status=published`, body: { data: {} } },
    'JSON of a megabyte': put(5, { meta: repeat(100_000, (n) => n) }),
    'a text of a megabyte': put(6, { body: 'x'.repeat(1_000_000), slug: 'y'.repeat(200) }),
    'a batch of a hundred': {
      method: 'POST',
      path: '/api/articles/actions/batch',
      body: {
        operations: repeat(100, (n) => ({
          action: 'update',
          documentId: article(n + 10),
          data: { related: { set: repeat(100, (m) => article(n + m)) } },
        })),
      },
    },
    'their removal': { method: 'DELETE', path: path(3) },
  };
}

export const experiment: Experiment = {
  name: 'writes',
  // bodies of up to a megabyte, and twenty writes of them at a time
  mostMemory: 500,
  mostTime: 240_000,
  async run(trial) {
    const attacked = await trial.serveGrown();
    const { url, tokens } = attacked;
    const [articles, tags] = [await ids(attacked, 'articles', 100), await ids(attacked, 'tags', 1)];
    const all: Reply[] = [];
    const slow: string[] = [];
    let largest = 0;
    for (const [what, write] of Object.entries(writesOf(articles, tags))) {
      const reply = await ask(url, { ...write, token: tokens.writer, patience: MOST_TIME });
      all.push(reply);
      largest = Math.max(largest, reply.bytes);
      if (reply.status === 0 || reply.status >= 500 || reply.ms > 3000) {
        slow.push(`${what}: ${reply.status || 'none'} in ${ms(reply.ms)}`);
      }
      if (reply.status >= 400 && reply.status < 500) slow.push(`${what}: ${reply.status} ${reply.text.slice(0, 160)}`);
    }
    trial.figure(
      longest(all) < MOST_TIME && all.every(({ status }) => status !== 0 && status !== 500),
      `${all.length} large writes: ${statuses(all)}, longest ${ms(longest(all))}, largest answer ${size(largest)}${slow.map((text) => `, ${text}`).join('')}`,
    );
    const links = repeat(1500, (n) => articles[n + 200]!);
    const crowd = await besiege(url, 20, 8, (n) => ({
      method: 'PUT',
      path: `/api/articles/${articles[100 + (n % 50)]}`,
      token: tokens.writer,
      body: { data: { related: { set: links } } },
    }));
    trial.figure(
      crowd.every(({ status }) => (status > 0 && status < 300) || status === 503),
      `1,500 links on 20 connections: ${statuses(crowd)}, longest ${ms(longest(crowd))}`,
    );
  },
};
