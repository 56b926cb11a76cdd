/** Commands that list things: a table with columns as wide as their widest cell, or with `--json` an object per line. */
import type { App } from '../app.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { type Command, readArguments } from './command.ts';
import { inProject } from './in-project.ts';

/** Lines of a table: the heads, then the rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** The columns of a table of items. */
export interface Columns<T> {
  readonly heads: readonly string[];
  readonly cells: (item: T) => readonly string[];
}

/** Lines of a list: a table, or JSON with an object per line. */
export function listing<T extends object>(
  items: readonly T[],
  asJson: boolean,
  { heads, cells }: Columns<T>,
): string[] {
  return asJson ? items.map((item) => JSON.stringify(item)) : table(heads, items.map(cells));
}

interface ListCommand<T> extends Columns<T> {
  readonly name: string;
  readonly summary: string;
  /** The help between the usage and `--json`. */
  readonly about: string;
  /** Reads the items as `--json` prints them. */
  readonly read: (app: App, db: Queryable) => Promise<readonly T[]>;
  /** The line for an empty list; without it an empty table is printed. */
  readonly empty?: string;
}

/** A command that takes `--json` and DIR, and prints a list. */
export function listCommand<T extends object>(command: ListCommand<T>): Command {
  const { name, summary, about, read, empty } = command;
  return {
    name,
    summary,
    help: `galley ${name} [--json] [DIR]

${about}

  --json  prints one JSON object per line`,
    async run(args, { env, print, warn }) {
      const { switched, positionals } = readArguments(name, args, { json: { type: 'boolean' } }, ['DIR']);
      const items = await inProject(positionals[0], { env, warn }, read);
      if (items.length === 0 && empty !== undefined && !switched('json')) print(empty);
      else for (const line of listing(items, switched('json'), command)) print(line);
      return 0;
    },
  };
}

/** A time for a person, in UTC: `2026-05-06 07:08:09`. */
export const second = (milliseconds: number): string => iso(milliseconds).slice(0, 19).replace('T', ' ');

/** A time for a program, in ISO 8601. */
export function iso(milliseconds: number): string;
export function iso(milliseconds: number | undefined): string | undefined;
export function iso(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}
