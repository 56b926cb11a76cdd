/** Lists: tables of text for a person, columns as wide as their widest cell, two blanks apart, or JSON for programs. */

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

/** How a list is shown: to a person, or to a program, with whatever else it can use. */
export interface Listed<T> {
  readonly heads: readonly string[];
  readonly cells: (item: T) => readonly string[];
}

/** Lines of a list: a table, or with `--json` an object a line. */
export function listing<T extends object>(items: readonly T[], asJson: boolean, { heads, cells }: Listed<T>): string[] {
  return asJson ? items.map((item) => JSON.stringify(item)) : table(heads, items.map(cells));
}

/** A time for a person, in UTC: `2026-05-06 07:08:09`. */
export const second = (milliseconds: number): string => iso(milliseconds).slice(0, 19).replace('T', ' ');

/** A time for a program. */
export function iso(milliseconds: number): string;
export function iso(milliseconds: number | undefined): string | undefined;
export function iso(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}
