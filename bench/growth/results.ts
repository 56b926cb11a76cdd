/** What a run has found, and which of it is not as it should be. */
import type { Figures } from './load.ts';

/** A line of the table: the figures of each size, undefined where the server cannot do it. */
export interface Line {
  readonly name: string;
  readonly aim?: number | undefined;
  /** Why the aim is not to be expected. */
  readonly why?: string | undefined;
  readonly figures: readonly (Figures | undefined)[];
}

/** What is measured of a server once. */
export interface ServerFigures {
  /** Milliseconds until the first answer on a database that this server has never opened, and on one that it has. */
  readonly firstStart: number;
  readonly nextStart: number;
  /** Seconds until nothing was left to do in the background before anything was measured; undefined: more than allowed. */
  readonly settledIn: number | undefined;
  /** Indexes and tables made since before the first start. */
  readonly made: readonly string[];
  /** Megabytes of all processes of the server at the end, and of the database before and after. */
  readonly memory: number;
  readonly before: number;
  readonly after: number;
}

export interface EngineResult {
  readonly engine: string;
  /** The engine's version. */
  readonly version: string;
  readonly sizes: readonly number[];
  readonly lines: readonly Line[];
  readonly servers: readonly ServerFigures[];
}

/** How many times slower a line is at the largest size than at the smallest; undefined where one of them is missing. */
export function slowdown({ figures }: Line): number | undefined {
  const [first, last] = [figures[0], figures.at(-1)];
  if (!first || !last || figures.length < 2 || first.rate === 0 || last.rate === 0) return undefined;
  return first.rate / last.rate;
}

/** Whether a line keeps to its aim; undefined where it has none, or was not measured. */
export function meets(line: Line): boolean | undefined {
  if (line.aim === undefined) return undefined;
  if (line.figures.some((figures) => figures !== undefined && figures.refused > 0)) return false;
  const times = slowdown(line);
  return times === undefined ? undefined : times <= line.aim;
}

/** The aims that are missed, one text each. */
export function missed({ engine, lines }: EngineResult): string[] {
  return lines
    .filter((line) => meets(line) === false)
    .map((line) => {
      const refused = line.figures.reduce((sum, figures) => sum + (figures?.refused ?? 0), 0);
      const refusals = refused > 0 ? `, ${refused} requests refused` : '';
      const why = line.why === undefined ? '' : ` (${line.why})`;
      const times = slowdown(line);
      const found = times === undefined ? 'is not answered at every size' : `is ${times.toFixed(1)} times slower`;
      return `${engine}: ${line.name} ${found}, aim ${line.aim}${refusals}${why}`;
    });
}
