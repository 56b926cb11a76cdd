/** The results as tables of Markdown. */
import { type EngineResult, meets, slowdown } from './results.ts';

/** A size as people say it. */
export function spoken(size: number): string {
  if (size >= 1_000_000 && size % 100_000 === 0) return `${size / 1_000_000} million`;
  return size >= 1000 && size % 1000 === 0 ? `${size / 1000} thousand` : String(size);
}

const number = (value: number, digits = value < 10 ? 1 : 0): string =>
  value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const milliseconds = (value: number): string => (value < 10 ? value.toFixed(1) : number(value));
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(heads), row(heads.map((_, n) => (n === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

/** Rates and times of all requests, a line each. */
export function requestTable(result: EngineResult): string {
  const heads = ['requests a second (p50 / p99 ms)', ...result.sizes.map(spoken), 'times slower', 'aim', ''];
  const rows = result.lines.map((line) => {
    const cells = line.figures.map((figures) => {
      if (!figures) return 'not known to the server';
      if (figures.rate === 0) return figures.refused > 0 ? `none, ${number(figures.refused, 0)} refused` : 'none';
      const refused = figures.refused > 0 ? `, ${number(figures.refused, 0)} refused` : '';
      return `${number(figures.rate)} (${milliseconds(figures.p50)} / ${milliseconds(figures.p99)}${refused})`;
    });
    const isMet = meets(line);
    const unknown = line.aim === undefined ? '' : 'not measured';
    const mark = isMet === undefined ? unknown : isMet ? 'met' : '**missed**';
    const times = slowdown(line);
    return [line.name, ...cells, times === undefined ? '' : number(times, 1), line.aim ? `${line.aim}` : '', mark];
  });
  return table(heads, rows);
}

/** What the servers took around the requests. */
export function serverTable({ sizes, servers }: EngineResult): string {
  const each = (of: (server: EngineResult['servers'][number]) => string): string[] => servers.map(of);
  return table(
    ['', ...sizes.map(spoken)],
    [
      ['first start until the first answer, ms', ...each(({ firstStart }) => number(firstStart, 0))],
      [
        'work in the background after it, until nothing was left, s',
        ...each(({ settledIn }) => (settledIn === undefined ? 'not within the limit' : number(settledIn, 0))),
      ],
      ['indexes, tables and triggers made in all', ...each(({ made }) => number(made.length, 0))],
      ['start afterwards, ms', ...each(({ nextStart }) => number(nextStart, 0))],
      ['resident memory of all its processes at the end, MB', ...each(({ memory }) => number(memory, 0))],
      ['database before, MB', ...each(({ before }) => number(before, 0))],
      ['database at the end, MB', ...each(({ after }) => number(after, 0))],
    ],
  );
}
