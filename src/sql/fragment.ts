/**
 * SQL text with its parameters. The only place that quotes: identifiers through `id`, labels of the Catalog through
 * `literal`; values become parameters and nothing else.
 */

/** The values that a statement accepts. Engines bind each natively. */
export type SqlValue = string | number | bigint | boolean | null;

/** A piece of SQL: text chunks with holes between them. A hole is a slot: an index into the statement's values. */
export class Sql {
  readonly chunks: readonly string[];
  readonly slots: readonly number[];
  constructor(chunks: readonly string[], slots: readonly number[]) {
    this.chunks = chunks;
    this.slots = slots;
  }
}

const NUL = '\0';

/** A quoted identifier. Identifiers come only from the Catalog. */
export function id(name: string): Sql {
  if (name.includes(NUL)) throw new Error('an identifier cannot contain U+0000');
  return new Sql([`"${name.replaceAll('"', '""')}"`], []);
}

/**
 * A quoted text literal for labels of the Catalog (JSON keys, uids) and the configuration. Never for values of a
 * request.
 */
export function literal(text: string): Sql {
  if (text.includes(NUL)) throw new Error('a literal cannot contain U+0000');
  return new Sql([`'${text.replaceAll("'", "''")}'`], []);
}

/** The hole of a value: slot `index` of the statement's values. */
export function slot(index: number): Sql {
  return new Sql(['', ''], [index]);
}

/** Holes for `count` consecutive slots from `first` on, separated by commas. */
export function slots(first: number, count: number): Sql {
  const all = Array.from({ length: count }, (_, index) => slot(first + index));
  return list(all);
}

/** SQL keywords of the compiler itself. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/** Template tag: `sql\`select ${id('a')} from ${table}\``. Numbers are inlined; they come only from the compiler. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | number)[]): Sql {
  const chunks: string[] = [strings[0]!];
  const slots: number[] = [];
  parts.forEach((part, i) => {
    if (typeof part === 'number') chunks[chunks.length - 1] += String(part);
    else append(chunks, slots, part);
    chunks[chunks.length - 1] += strings[i + 1]!;
  });
  return new Sql(chunks, slots);
}

/** Joins pieces with a separator. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const chunks: string[] = [''];
  const slots: number[] = [];
  parts.forEach((part, i) => {
    if (i > 0) chunks[chunks.length - 1] += separator;
    append(chunks, slots, part);
  });
  return new Sql(chunks, slots);
}

/** Joins pieces with commas. */
export const list = (parts: readonly Sql[]): Sql => join(parts, ', ');

function append(chunks: string[], slots: number[], part: Sql): void {
  chunks[chunks.length - 1] += part.chunks[0]!;
  for (let i = 0; i < part.slots.length; i++) {
    slots.push(part.slots[i]!);
    chunks.push(part.chunks[i + 1]!);
  }
}

/**
 * The text with placeholders; `placeholder` returns the n-th, from 1. `order` contains the slot of each placeholder: a
 * slot that appears twice has two placeholders, because not every engine can number them.
 */
export function render(fragment: Sql, placeholder: (n: number) => string): { text: string; order: readonly number[] } {
  let text = fragment.chunks[0]!;
  fragment.slots.forEach((_, i) => {
    text += placeholder(i + 1) + fragment.chunks[i + 1]!;
  });
  return { text, order: fragment.slots };
}
