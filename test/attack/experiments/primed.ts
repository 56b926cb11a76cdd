/**
 * Reads that are quick with one value and slow with another: measurements of the quick ones must not move the slow ones
 * to the lane of quick reads.
 */
import { type Asked, ask, askJson, atOnce, longest, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

/** Times that a shape is shown to be quick before it is slow. */
const PRIMED = 12;
const DEEP = 'populate[author][populate][articles][populate]=*';

interface Listed {
  readonly data: readonly { readonly documentId: string; readonly title?: string; readonly name?: string }[];
}

/** Paths of one shape each: first with a value that finds nothing or little, then with one that finds much. */
const PAIRS = (article: string, author: string): readonly (readonly [string, string])[] => [
  [`/api/articles/none?${DEEP}`, `/api/articles/${article}?${DEEP}`],
  [
    '/api/authors/none?populate[articles][populate][tags][populate]=articles',
    `/api/authors/${author}?populate[articles][populate][tags][populate]=articles`,
  ],
  [
    `/api/articles?filters[featured]=true&filters[kind]=none&${DEEP}&pagination[pageSize]=20`,
    `/api/articles?filters[featured]=true&filters[kind]=news&${DEEP}&pagination[pageSize]=20`,
  ],
  [
    '/api/articles?filters[slug]=none&sort=body,title&populate=*&pagination[pageSize]=100',
    '/api/articles?filters[slug][$notNull]=true&sort=body,title&populate=*&pagination[pageSize]=100',
  ],
  [
    '/api/tags?filters[name]=none&populate[articles][populate][author][populate]=articles',
    '/api/tags?filters[name]=TAG&populate[articles][populate][author][populate]=articles',
  ],
  [
    `/api/articles?locale=none&sort=author.name&${DEEP}&pagination[pageSize]=10`,
    `/api/articles?locale=en&sort=author.name&${DEEP}&pagination[pageSize]=10`,
  ],
];

export const experiment: Experiment = {
  name: 'primed',
  // on SQLite several processes make answers of 16 MB at a time
  mostMemory: 800,
  async run(trial) {
    const { url, tokens } = await trial.serveGrown();
    const first = async (path: string) => (await askJson<Listed>(url, { path, token: tokens.writer })).data[0]!;
    const article = await first(
      '/api/articles?filters[author][name][$notNull]=true&fields=title&pagination[pageSize]=1',
    );
    const author = await first(
      '/api/authors?filters[articles][title][$notNull]=true&fields=name&pagination[pageSize]=1',
    );
    const tag = await first('/api/tags?fields=name&pagination[pageSize]=1');
    const told: string[] = [];
    const all = [];
    for (const [quick, slow] of PAIRS(article.documentId, author.documentId)) {
      for (let n = 0; n < PRIMED; n++) await ask(url, { path: quick });
      const path = slow.replace('TAG', encodeURIComponent(tag.name ?? ''));
      // each caller has its first surprise: the public, and holders of tokens
      const callers: Asked[] = [{ path }, { path, token: tokens.reader }, { path, token: tokens.writer }];
      const replies = await atOnce(callers.length, (n) => ask(url, callers[n]!));
      all.push(...replies);
      told.push(`${statuses(replies)} in ${ms(longest(replies))}`);
    }
    trial.figure(
      all.every(({ status }) => status !== 0 && status !== 500),
      `primed ${PRIMED} times each, then ${told.join('; ')}`,
    );
  },
};
