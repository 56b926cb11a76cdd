/**
 * Path patterns of routes as the reference's router has them (path-to-regexp 6): parameters with patterns and modifiers,
 * groups without a name, and parts in braces.
 */
import { UsageError } from '../../../errors.ts';

export interface PathPattern {
  /** The text that every path it takes begins with, in lower case. */
  readonly beginning: string;
  /** With each parameter in braces, whatever it takes, and all that may be left out: `/a/{b}`. */
  readonly template: string;
  /** Whether it takes all paths that another pattern takes, as far as that can be told. */
  covers(other: PathPattern): boolean;
  /** The same for patterns that differ in the names of their parameters alone. */
  readonly shape: string;
  /** The path that it takes, where that is one, but for letter case and a slash at its end. */
  readonly only: string | undefined;
  /** The parameters of a path, those alone that have a value; undefined for a path that it does not take. */
  match(path: string): Record<string, string> | undefined;
}

/** What a pattern is made of beside text. */
interface Part {
  /** Undefined for text in braces, which is no parameter. */
  readonly name: string | undefined;
  /** A regular expression without groups that capture. */
  readonly pattern: string;
  /** Texts around it, which are repeated and left out with it. */
  readonly prefix: string;
  readonly suffix: string;
  readonly modifier: '' | '?' | '*' | '+';
}

/** An escaped character, a name, the beginning of a pattern, a brace, a modifier, or any other character. */
const TOKEN = /\\([\s\S])|:(\w+)|(\()|([{}])|([*+?])|([\s\S])/y;
const MODIFIER = /[*+?]?/y;

/**
 * A pattern such as `/articles/:slug`, `/files/:name(.*)`, `/a/:b?`, `/a/:b+` or `/a{-:b}?`. Letter case and a slash at
 * the end of a path do not matter.
 *
 * @throws UsageError for what is no pattern.
 */
export function pathPattern(text: string): PathPattern {
  const pieces = new Parser(text).pieces();
  const pattern = compiled(`^${pieces.map(sourceOf).join('')}\\/?$`, text);
  const names = pieces.flatMap((piece) => (typeof piece === 'string' || piece.name === undefined ? [] : [piece.name]));
  const match = (path: string) => {
    const found = pattern.exec(path);
    if (!found) return undefined;
    const values = names.map((name, index) => [name, found[index + 1]] as const);
    return Object.fromEntries(values.flatMap(([name, value]) => (value ? [[name, decoded(value)]] : [])));
  };
  const shape = pieces.map(folded).map(sourceOf).join('');
  return {
    beginning: beginningOf(pieces).toLowerCase(),
    template: pieces.map(templateOf).join(''),
    shape,
    only: pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : undefined,
    covers: (other) =>
      [shape, `${shape}${quoted('/')}`].includes(other.shape) ||
      (other.only !== undefined && match(other.only) !== undefined),
    match,
  };
}

class Parser {
  readonly #text: string;
  readonly #pieces: (string | Part)[] = [];
  #at = 0;
  #unnamed = 0;

  constructor(text: string) {
    this.#text = text;
  }

  pieces(): readonly (string | Part)[] {
    while (this.#at < this.#text.length) {
      const start = this.#at;
      const { escaped, name, opens, brace, modifier, other } = this.#next();
      if (brace === '}' || modifier) this.#refuse(`${brace ?? modifier} in it follows nothing that it could belong to`);
      if (brace) this.#addPart(this.#braced());
      else if (name || opens) {
        this.#at = start;
        this.#addPart(this.#parameter(this.#takePrefix()));
      } else this.#addText(escaped ?? other!);
    }
    return this.#pieces;
  }

  #next() {
    TOKEN.lastIndex = this.#at;
    const [, escaped, name, opens, brace, modifier, other] = TOKEN.exec(this.#text)!;
    this.#at = TOKEN.lastIndex;
    if (other === ':' || other === '\\') this.#refuse(`${other} in it is followed by nothing`);
    return { escaped, name, opens, brace, modifier, other };
  }

  /** A slash or a dot in front of a parameter belongs to it, unless it is escaped. */
  #takePrefix(): string {
    const last = this.#pieces.at(-1);
    const isPlain = this.#text[this.#at - 2] !== '\\';
    if (typeof last !== 'string' || !isPlain || !/[./]$/.test(last)) return '';
    this.#pieces.pop();
    if (last.length > 1) this.#pieces.push(last.slice(0, -1));
    return last.at(-1)!;
  }

  /** A name, a pattern, or both, with what stands behind them. */
  #parameter(prefix: string): Part {
    const { name, pattern } = this.#nameAndPattern();
    return {
      name: name ?? String(this.#unnamed++),
      pattern: pattern ?? this.#anything(prefix),
      ...{ prefix, suffix: '', modifier: this.#modifier() },
    };
  }

  /** What is in braces, the first of which was read. */
  #braced(): Part {
    const prefix = this.#plainText();
    const { name, pattern } = this.#nameAndPattern();
    const suffix = this.#plainText();
    if (this.#text[this.#at++] !== '}') this.#refuse('{ in it has no } that ends it');
    const isParameter = name !== undefined || pattern !== undefined;
    return {
      name: name ?? (isParameter ? String(this.#unnamed++) : undefined),
      pattern: pattern ?? (isParameter ? this.#anything(prefix) : ''),
      ...{ prefix, suffix, modifier: this.#modifier() },
    };
  }

  #nameAndPattern(): { readonly name: string | undefined; readonly pattern: string | undefined } {
    const [, name] = /^:(\w+)/.exec(this.#text.slice(this.#at)) ?? [];
    if (name !== undefined) this.#at += name.length + 1;
    return { name, pattern: this.#text[this.#at] === '(' ? this.#inBrackets() : undefined };
  }

  /** A regular expression in brackets. Its own groups count for nothing. */
  #inBrackets(): string {
    const start = this.#at + 1;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const letter = this.#text[this.#at];
      if (letter === '\\') this.#at++;
      else if (letter === '(') depth++;
      else if (letter === ')' && --depth === 0) {
        const pattern = this.#text.slice(start, this.#at++);
        if (pattern === '') this.#refuse('there is nothing between ( and ) in it');
        return pattern.replaceAll(/(\\[\s\S])|\((?!\?)/g, (_whole, escaped?: string) => escaped ?? '(?:');
      }
    }
    return this.#refuse('( in it has no ) that ends it');
  }

  #plainText(): string {
    const [text] = /^(?:\\[\s\S]|[^\\:(){}*+?])*/.exec(this.#text.slice(this.#at))!;
    this.#at += text.length;
    return text.replaceAll(/\\([\s\S])/g, '$1');
  }

  /** What a parameter without a pattern takes: nothing that would belong to what stands in front of it. */
  #anything(prefix: string): string {
    const last = this.#pieces.at(-1);
    const before = prefix || (typeof last === 'string' ? last : '');
    if (before === '' && last !== undefined) this.#refuse('two parameters in it have no text between them');
    return before === '' || before.includes('/') ? '[^\\/]+?' : `(?:(?!${quoted(before)})[^\\/])+?`;
  }

  #modifier(): Part['modifier'] {
    MODIFIER.lastIndex = this.#at;
    const [modifier] = MODIFIER.exec(this.#text)!;
    this.#at += modifier.length;
    return modifier as Part['modifier'];
  }

  #addText(text: string): void {
    const last = this.#pieces.at(-1);
    if (typeof last === 'string') this.#pieces[this.#pieces.length - 1] = last + text;
    else this.#pieces.push(text);
  }

  #addPart(part: Part): void {
    if (/[*+]/.test(part.modifier) && part.name !== undefined && part.prefix + part.suffix === '')
      this.#refuse(`what is repeated in it (${part.name}) has no text in front of it`);
    this.#pieces.push(part);
  }

  #refuse(why: string): never {
    throw new UsageError(`the path ${this.#text} of a route is no pattern: ${why}`, 1);
  }
}

const quoted = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function sourceOf(piece: string | Part): string {
  if (typeof piece === 'string') return quoted(piece);
  const { name, pattern, modifier } = piece;
  const [prefix, suffix] = [quoted(piece.prefix), quoted(piece.suffix)];
  if (name === undefined) return `(?:${prefix}${suffix})${modifier}`;
  if (modifier === '' || modifier === '?') return `(?:${prefix}(${pattern})${suffix})${modifier}`;
  const many = `(?:${pattern})(?:${suffix}${prefix}(?:${pattern}))*`;
  return `(?:${prefix}(${many})${suffix})${modifier === '*' ? '?' : ''}`;
}

/** A piece whose text is in lower case, as that of paths counts for nothing. */
function folded(piece: string | Part): string | Part {
  if (typeof piece === 'string') return piece.toLowerCase();
  return { ...piece, prefix: piece.prefix.toLowerCase(), suffix: piece.suffix.toLowerCase() };
}

function templateOf(piece: string | Part): string {
  if (typeof piece === 'string') return piece;
  const { name, prefix, suffix } = piece;
  return prefix + (name === undefined ? '' : `{${name}}`) + suffix;
}

/** The text in front of all that may be different or left out. */
function beginningOf(pieces: readonly (string | Part)[]): string {
  const at = pieces.findIndex((piece) => typeof piece !== 'string');
  const first = pieces[at];
  const text = (at < 0 ? pieces : pieces.slice(0, at)).join('');
  return typeof first === 'object' && /^\+?$/.test(first.modifier) ? text + first.prefix : text;
}

function compiled(source: string, text: string): RegExp {
  try {
    return new RegExp(source, 'i');
  } catch (error) {
    throw new UsageError(`the path ${text} of a route: ${(error as Error).message}`, 1);
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
