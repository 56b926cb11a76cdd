/** The results of an engine as an SVG chart: requests a second over the number of documents, both logarithmic. */
import { type EngineResult, type Line, slowdown } from './results.ts';
import { spoken } from './tables.ts';

const PANEL = { width: 620, height: 420, left: 64, right: 210, top: 48, bottom: 44 };
const COLOURS = ['#4269d0', '#efb118', '#ff725c', '#6cc5b0', '#3ca951', '#ff8ab7', '#a463f2', '#97bbf5', '#9c6b4e'];
/** Lines that tell the most; all of them would cover each other. */
const SHOWN = [
  'single by document id',
  'first page, no total',
  'first page with total',
  'newest first',
  'title $eq',
  'range of 1 % with total',
  'two relations',
  '_q, rare word',
  'create',
];

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** Where labels stand, so that none covers another: at least so far apart, near to where they belong. */
function apart(wanted: readonly number[], distance: number): number[] {
  const order = wanted.map((_, n) => n).sort((a, b) => wanted[a]! - wanted[b]!);
  const placed = [...wanted];
  for (let n = 1; n < order.length; n++) {
    placed[order[n]!] = Math.max(placed[order[n]!]!, placed[order[n - 1]!]! + distance);
  }
  return placed;
}

/** Draws the results of an engine. */
export function chart(result: EngineResult): string {
  const { width, height, left, right, top, bottom } = PANEL;
  const lines = result.lines.filter(({ name }) => SHOWN.includes(name));
  const rates = lines.flatMap(({ figures }) => figures.map((each) => each?.rate ?? 0));
  const highest = Math.max(1, Math.ceil(Math.log10(Math.max(...rates, 1))));
  const [first, last] = [Math.log10(result.sizes[0]!), Math.log10(result.sizes.at(-1)!)];
  const x = (size: number): number =>
    left + ((Math.log10(size) - first) / Math.max(last - first, 1e-9)) * (width - left - right);
  const y = (rate: number): number =>
    top + (1 - (Math.log10(Math.max(rate, 0.1)) + 1) / (highest + 1)) * (height - top - bottom);
  const parts: string[] = [
    `<text x="${left}" y="24" font-weight="bold">${escaped(result.version)}: requests a second</text>`,
  ];
  for (let power = -1; power <= highest; power++) {
    const at = y(10 ** power).toFixed(1);
    parts.push(
      `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#ddd"/>`,
      `<text x="${left - 8}" y="${at}" dy="4" text-anchor="end">${10 ** power}</text>`,
    );
  }
  for (const size of result.sizes) {
    parts.push(
      `<text x="${x(size).toFixed(1)}" y="${height - bottom + 20}" text-anchor="middle">${spoken(size)}</text>`,
    );
  }
  const ends = lines.map((line) => y(line.figures.at(-1)?.rate ?? 0));
  const labels = apart(ends, 15);
  lines.forEach((line: Line, n) => {
    const colour = COLOURS[SHOWN.indexOf(line.name) % COLOURS.length];
    const points = line.figures.flatMap((figures, at) =>
      figures ? [`${x(result.sizes[at]!).toFixed(1)},${y(figures.rate).toFixed(1)}`] : [],
    );
    const times = slowdown(line);
    const told = times === undefined ? '' : ` (÷ ${times.toFixed(1)})`;
    parts.push(
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...points.map((point) => {
        const [cx, cy] = point.split(',');
        return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
      }),
      `<text x="${width - right + 10}" y="${labels[n]!.toFixed(1)}" dy="4" fill="${colour}">${escaped(line.name)}${told}</text>`,
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Requests a second over the number of documents</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
}
