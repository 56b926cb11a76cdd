/**
 * Writes JSON as a person would change it: unchanged parts of an existing text stay as they are, and new parts follow
 * its indentation and its habits.
 */
import { isObject } from '../../plain-values.ts';

/** A value of a text, with its place. */
interface Node {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Of an object. */
  readonly members?: ReadonlyMap<string, Node>;
}

/** Columns that an object or a list may take in one line. */
const WIDTH = 100;
const SPACE = new Set([' ', '\t', '\n', '\r']);

export interface TextRules {
  /**
   * The usual order of keys at a path; undefined: new keys follow the others. Existing keys keep their order, except
   * where `isOrdered`.
   */
  readonly usual: (path: readonly string[]) => readonly string[] | undefined;
  /** Whether the order of keys at a path has a meaning, so that it is the one of the new value. */
  readonly isOrdered: (path: readonly string[]) => boolean;
  /** The former name of a key at a path. */
  readonly formerly: (path: readonly string[], key: string) => string;
}

/**
 * The text of a value.
 *
 * @param before the existing text, which is correct JSON; undefined for a new one with two spaces.
 */
export function jsonText(value: unknown, before: string | undefined, rules: TextRules): string {
  const text = before ?? '';
  return new Writer(text, rules).whole(value, before === undefined ? undefined : new Reader(text).whole());
}

/** Whether two JSON values are equal. The order of keys has no meaning where `isOrdered` is false. */
export function isSameJson(
  one: unknown,
  other: unknown,
  isOrdered: (path: readonly string[]) => boolean = () => false,
  path: readonly string[] = [],
): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return (
      one.length === other.length && one.every((item, i) => isSameJson(item, other[i], isOrdered, [...path, `${i}`]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  if (keys.length !== others.length) return false;
  if (isOrdered(path) && keys.some((key, i) => key !== others[i])) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key], isOrdered, [...path, key]));
}

/** Reads a correct JSON text with the places of its values. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\uFEFF')) this.#at = 1;
  }

  whole(): Node {
    return this.#value();
  }

  #skip(): void {
    while (SPACE.has(this.#text[this.#at]!)) this.#at++;
  }

  #value(): Node {
    this.#skip();
    const start = this.#at;
    const first = this.#text[start];
    if (first === '{') return this.#object(start);
    if (first === '[') return this.#list(start);
    this.#at = first === '"' ? this.#endOfString() : this.#endOfWord();
    return { start, end: this.#at, value: JSON.parse(this.#text.slice(start, this.#at)) };
  }

  #object(start: number): Node {
    const members = new Map<string, Node>();
    this.#at++;
    for (this.#skip(); this.#text[this.#at] !== '}'; this.#skip()) {
      const from = this.#at;
      this.#at = this.#endOfString();
      const key = JSON.parse(this.#text.slice(from, this.#at)) as string;
      this.#skip();
      this.#at++;
      members.set(key, this.#value());
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at++;
    }
    this.#at++;
    const value = Object.fromEntries(Array.from(members, ([key, node]) => [key, node.value]));
    return { start, end: this.#at, value, members };
  }

  #list(start: number): Node {
    const items: unknown[] = [];
    this.#at++;
    for (this.#skip(); this.#text[this.#at] !== ']'; this.#skip()) {
      items.push(this.#value().value);
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at++;
    }
    this.#at++;
    return { start, end: this.#at, value: items };
  }

  #endOfString(): number {
    let at = this.#at + 1;
    while (this.#text[at] !== '"') at += this.#text[at] === '\\' ? 2 : 1;
    return at + 1;
  }

  #endOfWord(): number {
    let at = this.#at;
    while (at < this.#text.length && /[-+.\w]/.test(this.#text[at]!)) at++;
    return at;
  }
}

class Writer {
  readonly #text: string;
  readonly #rules: TextRules;
  readonly #indent: string;
  readonly #line: string;
  /** Whether lists of the text stand in one line. */
  readonly #hasFlatLists: boolean;

  constructor(text: string, rules: TextRules) {
    this.#text = text;
    this.#rules = rules;
    this.#line = /\r\n/.test(text) ? '\r\n' : '\n';
    this.#indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
    this.#hasFlatLists = /\[[^\][{}\n]+\]/.test(text) && !/\[\s*\n\s*["\d]/.test(text);
  }

  whole(value: unknown, node: Node | undefined): string {
    const mark = this.#text.startsWith('\uFEFF') ? '\uFEFF' : '';
    return `${mark}${this.#print(value, node, [], false)}${this.#line}`;
  }

  /** @param isFlat whether a new object stands in one line. */
  #print(value: unknown, node: Node | undefined, path: readonly string[], isFlat: boolean): string {
    const before = node && this.#text.slice(node.start, node.end);
    if (node && isSameJson(node.value, value, this.#rules.isOrdered, path)) return before!;
    const wasFlat = before === undefined ? undefined : !before.includes('\n');
    if (Array.isArray(value)) return this.#list(value, path, wasFlat ?? this.#hasFlatLists);
    if (isObject(value)) return this.#object(value, node, path, wasFlat ?? isFlat);
    return JSON.stringify(value);
  }

  #object(
    value: Readonly<Record<string, unknown>>,
    node: Node | undefined,
    path: readonly string[],
    isFlat: boolean,
  ): string {
    const keys = this.#keys(value, node, path);
    if (keys.length === 0) return '{}';
    const others = [...(node?.members?.values() ?? [])].filter((member) => isObject(member.value));
    const areFlat = others.length > 0 && others.every(({ start, end }) => !this.#text.slice(start, end).includes('\n'));
    const members = keys.map((key) => {
      const former = node?.members?.get(this.#rules.formerly(path, key));
      return `${JSON.stringify(key)}: ${this.#print(value[key], former, [...path, key], isFlat || areFlat)}`;
    });
    const flat = `{ ${members.join(', ')} }`;
    if (isFlat && path.length > 0 && !flat.includes('\n') && flat.length <= WIDTH) return flat;
    return this.#block('{', members, '}', path.length);
  }

  #list(items: readonly unknown[], path: readonly string[], isFlat: boolean): string {
    if (items.length === 0) return '[]';
    const printed = items.map((item, i) => this.#print(item, undefined, [...path, `${i}`], isFlat));
    const flat = `[${printed.join(', ')}]`;
    if (isFlat && !flat.includes('\n') && flat.length <= WIDTH) return flat;
    return this.#block('[', printed, ']', path.length);
  }

  #block(open: string, parts: readonly string[], close: string, depth: number): string {
    const [inner, outer] = [this.#indent.repeat(depth + 1), this.#indent.repeat(depth)];
    const lines = parts.map((part) => inner + part).join(`,${this.#line}`);
    return `${open}${this.#line}${lines}${this.#line}${outer}${close}`;
  }

  /** The keys of an object in the order in which they are written. */
  #keys(value: Readonly<Record<string, unknown>>, node: Node | undefined, path: readonly string[]): string[] {
    const all = Object.keys(value);
    if (this.#rules.isOrdered(path)) return all;
    const usual = this.#rules.usual(path);
    const rank = (key: string): number => {
      const at = usual?.indexOf(key) ?? -1;
      return at < 0 ? Number.POSITIVE_INFINITY : at;
    };
    if (!node?.members) return usual ? all.toSorted((a, b) => compared(rank(a), rank(b))) : all;
    const keys = [...node.members.keys()].filter((key) => Object.hasOwn(value, key));
    for (const key of all) {
      if (keys.includes(key)) continue;
      const next = keys.findIndex((other) => rank(other) > rank(key));
      keys.splice(next < 0 ? keys.length : next, 0, key);
    }
    return keys;
  }
}

/** Also of two infinite numbers, whose difference is none. */
const compared = (one: number, other: number): number => (one === other ? 0 : one - other);
