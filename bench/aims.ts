/** What the figures of a run are measured by. */
import type { RateLine } from './tables.ts';

/** The hand-written handlers: the one that does nothing else, and the one that sends headers and entity tags as well. */
export const BY_HAND = 'by hand';
export const WITH_HEADERS = 'with headers';

/** How many times as fast as Strapi, and what share of the hand-written handler's pace, by the engine. */
const AIMS = {
  sqlite: { byHand: 0.9, median: 25, least: 15, create: 40 },
  postgres: { byHand: 0.9, median: 10, least: 8, create: 15 },
} as const;

export interface Rates {
  /** The servers of the columns; Galley is the first. */
  readonly names: readonly string[];
  readonly reads: readonly RateLine[];
  readonly writes: readonly RateLine[];
}

/** The first server's rate divided by another's, on each line on which both have one. */
function ratios(lines: readonly RateLine[], column: number): { name: string; ratio: number }[] {
  if (column < 0) return [];
  return lines.flatMap(({ name, rates }) => {
    const [own, other] = [rates[0], rates[column]];
    return own && other ? [{ name, ratio: own / other }] : [];
  });
}

/** A line for each aim that the run says something about: the figure, the aim, and whether it is met. */
export function aimLines({ names, reads, writes }: Rates, engine: keyof typeof AIMS): string[] {
  const aims = AIMS[engine];
  const lines: string[] = [];
  const tell = (what: string, figure: number, aim: number, where = ''): void => {
    const mark = figure >= aim ? 'met' : 'MISSED';
    lines.push(`${what}: ${figure.toFixed(2)}${where}, aim at least ${aim}: ${mark}`);
  };
  const worst = (found: readonly { name: string; ratio: number }[]) => found.toSorted((a, b) => a.ratio - b.ratio)[0];

  for (const [name, told] of [
    [BY_HAND, 'by hand'],
    [WITH_HEADERS, 'by hand with headers'],
  ] as const) {
    const least = worst(ratios(reads, names.indexOf(name)));
    if (least) tell(`reads, of the pace ${told}, at the least`, least.ratio, aims.byHand, ` (${least.name})`);
  }
  const strapi = ratios(reads, names.indexOf('Strapi')).toSorted((a, b) => a.ratio - b.ratio);
  if (strapi.length > 0) {
    const middle =
      (strapi[Math.floor((strapi.length - 1) / 2)]!.ratio + strapi[Math.floor(strapi.length / 2)]!.ratio) / 2;
    tell('reads, times Strapi, in the median', middle, aims.median);
    tell('reads, times Strapi, at the least', strapi[0]!.ratio, aims.least, ` (${strapi[0]!.name})`);
  }
  const create = ratios(writes, names.indexOf('Strapi')).find(({ name }) => name === 'create');
  if (create) tell('creates, times Strapi', create.ratio, aims.create);
  return lines;
}
