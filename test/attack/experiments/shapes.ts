/** Query strings of up to 16 KB, each at the limit of a request, and no two of one shape. */
import { ask, besiege, longest, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

/** Milliseconds: the limit of a read, and as long for its turn. */
const MOST_TIME = 18_000;
const MOST_TARGET = 15_500;

const list = (count: number, part: (n: number) => string): string[] => Array.from({ length: count }, (_, n) => part(n));

/** Query strings by kind; `seed` makes each a shape of its own. */
const KINDS: Readonly<Record<string, (seed: number) => string[]>> = {
  'values in lists': (seed) => list(400, (n) => `filters[$or][${n % 4}][id][$in][${n >> 2}]=${seed + n}`),
  'a giant $or': (seed) =>
    list(
      380,
      (n) =>
        `filters[$or][${n % 90}][${['title', 'slug', 'body', 'contact', 'kind'][(n + seed) % 5]}][$containsi]=${n}`,
    ),
  'nested logic': (seed) =>
    list(
      60,
      (n) => `filters${['[$and][0]', '[$or][0]', '[$not]'][(n + seed) % 3]!.repeat(8)}[$or][${n}][title][$ne]=${n}`,
    ),
  'filters through relations': (seed) =>
    list(
      12,
      (n) =>
        `filters[$or][${n}]${'[tags][articles]'.repeat(2)}[${['title', 'slug', 'body', 'contact'][(n + seed) % 4]}][$contains]=${seed}`,
    ),
  'everything populated': (seed) => [
    'populate=*',
    ...list(
      9,
      (n) => `populate[author][populate][articles][populate][tags][fields][${n}]=${['name', 'weight'][(n + seed) % 2]}`,
    ),
    `populate[related][populate][related][populate][related][populate]=*`,
    `populate[tags][populate][articles][populate]=*&populate[tags][filters][id][$gt]=${seed % 7}`,
  ],
  'lists within lists': (seed) =>
    list(
      9,
      (n) => `populate[tags][populate][articles][filters][$or][${n}][tags][articles][title][$contains]=${seed + n}`,
    ).concat('populate[tags][populate][articles][sort]=author.name'),
  'many keys to sort by': (seed) =>
    list(
      90,
      (n) =>
        `sort[${n}]=${['title', 'slug', 'views', 'author.name', 'kind', 'day'][(n * 7 + seed) % 6]}:${(n + seed) % 2 ? 'asc' : 'desc'}`,
    ),
  'pages far away': (seed) => [
    `pagination[start]=${[19_900, 1e9, 2 ** 53][seed % 3]}`,
    'pagination[limit]=100',
    `sort=${['body', 'slug', 'contact'][seed % 3]}`,
    `fields[0]=${['title', 'slug', 'views', 'kind'][(seed >> 2) % 4]}`,
  ],
  'a search': (seed) => [`_q=${'x'.repeat(1000 + (seed % 5000))}`, `sort=${['title', 'body'][seed % 2]}`],
  'every locale and status': (seed) => [
    `locale=${['*', 'fr', 'xx', 'en'][seed % 4]}`,
    `status=${['draft', 'published'][seed % 2]}`,
    `filters[$not][title][$containsi]=${seed}`,
    'populate[localizations][populate]=*',
  ],
};

export const experiment: Experiment = {
  name: 'shapes',
  // on SQLite several processes make answers of 16 MB at a time
  mostMemory: 800,
  async run(trial) {
    const { url, tokens } = await trial.serveGrown();
    await ask(url, { path: '/api/articles' });
    const kinds = Object.entries(KINDS);
    const path = (n: number): string => {
      const [, make] = kinds[n % kinds.length]!;
      return `/api/articles?${make(n).join('&')}`.slice(0, MOST_TARGET);
    };
    const told: string[] = [];
    for (const [n, [name]] of kinds.entries()) {
      const reply = await ask(url, { path: path(n) });
      if (reply.status === 0 || reply.status === 500) trial.figure(false, `${name}: ${reply.status || 'none'}`);
      if (reply.ms > 1000) told.push(`${name} ${reply.status} in ${ms(reply.ms)}`);
    }
    const replies = await besiege(url, 30, 15, (n) => ({
      path: path(n + 1000),
      ...(n % 2 ? {} : { token: tokens.reader }),
    }));
    trial.figure(
      longest(replies) < MOST_TIME && replies.every(({ status }) => status !== 0 && status !== 500),
      `${kinds.length} kinds alone${told.length ? `, longest ${told.join(', ')}` : ''}; on 30 connections ${statuses(replies)}, longest ${ms(longest(replies))}`,
    );
  },
};
