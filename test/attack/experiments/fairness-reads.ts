/** A cheap reader beside many connections of another caller with expensive reads or writes. */
import { EXPENSIVE_READS, type Expensive, measureFairness } from '../../../bench/fairness.ts';
import { askJson } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import type { Attacked, Trial } from '../trial.ts';

/** Milliseconds that 99 of 100 cheap reads may take. */
const AIM = { sqlite: 50, postgres: 150 } as const;
const SECONDS = 3;
const DEEP = 'populate[author][populate][articles][populate]=tags&populate[tags]=*';

interface Listed {
  readonly data: readonly { readonly documentId: string }[];
}

async function documentIds({ url, tokens }: Attacked, plural: string): Promise<string[]> {
  const { data } = await askJson<Listed>(url, {
    path: `/api/${plural}?fields=documentId&pagination[pageSize]=100`,
    token: tokens.writer,
  });
  return data.map(({ documentId }) => documentId);
}

/** Long lists of relations, answers that are long to read, and many components. */
async function expensiveWrites(attacked: Attacked): Promise<Expensive[]> {
  const articles = await documentIds(attacked, 'articles');
  const tags = await documentIds(attacked, 'tags');
  const path = (n: number): string => `/api/articles/${articles[n]}`;
  const many = Array.from({ length: 2000 }, (_, n) => tags[n % tags.length]);
  const links = Array.from({ length: 300 }, (_, n) => ({ label: `l${n}`, url: 'https://example.com' }));
  return [
    { method: 'PUT', path: `${path(0)}?${DEEP}`, body: { data: { title: 'deep' } } },
    { method: 'PUT', path: path(1), body: { data: { tags: { set: tags }, related: { set: articles } } } },
    { method: 'PUT', path: path(2), body: { data: { tags: { connect: many } } } },
    { method: 'PUT', path: path(3), body: { data: { links } } },
    { method: 'POST', path: `/api/articles?${DEEP}`, body: { data: { title: 'new', tags, related: articles } } },
  ];
}

async function measure(trial: Trial, expensive: 'reads' | 'writes'): Promise<void> {
  const attacked = await trial.serveGrown();
  const { tokens } = attacked;
  const writes = expensive === 'writes';
  const lines: string[] = [];
  const problems = await measureFairness({
    // the watcher looks at the memory
    target: { url: attacked.url, memoryOfAll: () => 0 },
    tokens: { cheap: tokens.other, expensive: writes ? tokens.writer : tokens.reader },
    seconds: SECONDS,
    aim: AIM[trial.engine],
    expensive: writes ? await expensiveWrites(attacked) : EXPENSIVE_READS,
    print: (line) => void lines.push(line.replace(/; memory.*$/, '')),
  });
  // of its own process, which the attacker keeps busy; the watcher's counts
  const counted = problems.filter((problem) => !problem.includes('/_health'));
  const told = lines.filter((line) => line.startsWith('beside')).join('; ');
  trial.figure(counted.length === 0, `${expensive}: ${told}${counted.map((problem) => `; ${problem}`).join('')}`);
}

/** Crowds who read, and crowds who write. */
export const fairness = (expensive: 'reads' | 'writes'): Experiment => ({
  name: `fairness-${expensive}`,
  run: (trial) => measure(trial, expensive),
});

export const experiment = fairness('reads');
