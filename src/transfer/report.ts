/** What a transfer found, and what it did: for people at a terminal. */
import { counted } from '../counted.ts';
import type { Finding, FindingKind } from './rows.ts';

/** Findings of one kind, type and attribute that are shown; the others are counted. */
const SHOWN = 5;
/** The most characters of a text of a finding: a source may name its types and attributes in any way. */
const LONGEST = 300;
/** The most groups of findings, by kind, type and attribute. */
const GROUPS = 2000;

interface Group {
  readonly first: Finding;
  /** Of values, rows or links. */
  count: number;
  rows: number;
  readonly shown: Finding[];
}

/** Collects any number of findings in little memory, with exact numbers. */
export class Findings {
  readonly #groups = new Map<string, Group>();

  readonly add = (found: Finding): void => {
    const finding = isLong(found) ? shortened(found) : found;
    const { kind, type = '', attribute = '', count = 1, rows = 0 } = finding;
    const own = `${kind}\n${type}\n${attribute}`;
    const key = this.#groups.has(own) || this.#groups.size < GROUPS ? own : kind;
    const group = this.#groups.get(key) ?? { first: finding, count: 0, rows: 0, shown: [] };
    this.#groups.set(key, group);
    group.count += count;
    group.rows += rows;
    if (group.shown.length < SHOWN) group.shown.push(finding);
  };

  /** The kinds that occur, with their numbers. */
  get kinds(): ReadonlyMap<FindingKind, number> {
    const kinds = new Map<FindingKind, number>();
    for (const { first, count } of this.#groups.values()) {
      kinds.set(first.kind, (kinds.get(first.kind) ?? 0) + count);
    }
    return kinds;
  }

  /** The rows and links that are not written. Links are those of an attribute. */
  get refused(): { readonly type: string; readonly isLink: boolean; readonly rows: number }[] {
    return [...this.#groups.values()]
      .filter(({ rows }) => rows > 0)
      .map(({ first, rows }) => ({ type: first.type ?? '', isLink: first.attribute !== undefined, rows }));
  }

  /** The lines of the list, the groups in the order of their first findings. */
  lines(): string[] {
    return [...this.#groups.values()].flatMap(({ first, count, shown }) => {
      const name = [first.type, first.attribute].filter((part) => part !== undefined && part !== '').join('.');
      const times = count > 1 ? ` (${count} times)` : '';
      const rest = count - shown.reduce((sum, one) => sum + (one.count ?? 1), 0);
      return [
        `${first.kind}${name === '' ? '' : `  ${name}`}${times}`,
        ...shown.map(({ place, message }) => `  ${place}  ${message}`),
        ...(rest > 0 ? [`  and ${rest} more`] : []),
      ];
    });
  }
}

const isLong = ({ type = '', attribute = '', message }: Finding): boolean =>
  Math.max(type.length, attribute.length, message.length) > LONGEST;

function shortened({ type, attribute, message, ...finding }: Finding): Finding {
  // copies, since a part of a text keeps all of it in memory
  const cut = (text: string): string => (text.length > LONGEST ? `${Buffer.from(text.slice(0, LONGEST))}…` : text);
  return {
    ...finding,
    ...(type !== undefined && { type: cut(type) }),
    ...(attribute !== undefined && { attribute: cut(attribute) }),
    message: cut(message),
  };
}

/** Numbers of rows of a type and of its links. */
export interface TypeCounts {
  readonly type: string;
  /** Rows that the source has, refused ones included. */
  readonly read: number;
  readonly written: number;
  readonly links: number;
  readonly writtenLinks: number;
  /** Rows and links that are not written. */
  readonly refused: number;
}

/** A table of the counts, with a line of totals. */
export function countLines(counts: readonly TypeCounts[]): string[] {
  const total = (pick: (one: TypeCounts) => number) => counts.reduce((sum, one) => sum + pick(one), 0);
  const sums = {
    type: 'total',
    read: total((one) => one.read),
    written: total((one) => one.written),
    links: total((one) => one.links),
    writtenLinks: total((one) => one.writtenLinks),
    refused: total((one) => one.refused),
  };
  const rows = [...counts, sums].map((one) => [
    one.type,
    ...[one.read, one.written, one.links, one.writtenLinks, one.refused].map(String),
  ]);
  const header = ['type', 'rows read', 'written', 'links read', 'written', 'refused'];
  const widths = header.map((name, n) => Math.max(name.length, ...rows.map((row) => row[n]!.length)));
  return [header, ...rows].map((row) =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!))).join('  '),
  );
}

/** `3 dangling-link, 1 missing-file`. */
export const kindsText = (kinds: ReadonlyMap<FindingKind, number>): string =>
  [...kinds].map(([kind, count]) => `${kind} ${counted(count, 'time')}`).join(', ');
