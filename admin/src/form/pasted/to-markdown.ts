/** Turns pasted content into Markdown: CommonMark with GitHub's tables, tasks and strikethrough. */
import {
  type Inline,
  isPlain,
  type Line,
  type Mark,
  type Marks,
  type PastedBlock,
  type PastedList,
  type PastedPicture,
  type Words,
} from './pasted.ts';

export interface MarkdownPicture {
  readonly url: string;
  readonly alternative: string;
}

/** The signs of marks, from the outermost to the innermost. Markdown has none for underlined text. */
const SIGNS: readonly (readonly [Mark, string])[] = [
  ['bold', '**'],
  ['strikethrough', '~~'],
  ['italic', '*'],
];

export interface MarkdownText {
  readonly text: string;
  /** The offsets at which pictures belong, in order. */
  readonly places: readonly { readonly at: number; readonly picture: PastedPicture }[];
}

/** Stands for a picture in the text. It is not a valid character of any text. */
const PLACE = '\uFDD0';

/**
 * Writes blocks as Markdown, without pictures. Content without any format is written unescaped, because it may be
 * Markdown.
 *
 * @param sources of the pictures that will be inserted. Others are left out.
 */
export function toMarkdown(blocks: readonly PastedBlock[], sources: ReadonlySet<string>): MarkdownText {
  const writer = new Writer(sources, isPlain(blocks));
  const [first = '', ...rest] = writer.blocks(blocks).join('\n').split(PLACE);
  let text = first;
  const places = rest.flatMap((part, index) => {
    const at = text.length;
    text += part;
    const picture = writer.pictures[index];
    return picture ? [{ at, picture }] : [];
  });
  return { text, places };
}

class Writer {
  /** The pictures to insert, in order. */
  readonly pictures: PastedPicture[] = [];
  readonly #sources: ReadonlySet<string>;
  readonly #isPlain: boolean;

  constructor(sources: ReadonlySet<string>, plain: boolean) {
    this.#sources = sources;
    this.#isPlain = plain;
  }

  /** The lines of blocks, with an empty line between blocks. */
  blocks(blocks: readonly PastedBlock[]): readonly string[] {
    const written: string[] = [];
    for (const [index, block] of blocks.entries()) {
      const lines = this.#block(block);
      if (lines.length === 0) continue;
      if (written.length > 0) written.push('');
      // Two adjacent lists of the same kind would be read as one.
      const before = blocks[index - 1];
      if (block.type === 'list' && before?.type === 'list' && before.format === block.format) {
        written.push('<!-- -->', '');
      }
      written.push(...lines);
    }
    return written;
  }

  #block(block: PastedBlock): readonly string[] {
    switch (block.type) {
      case 'paragraph':
        return this.#lines(block.line);
      case 'heading': {
        const text = this.#line(block.line).replaceAll(/\\?\n/g, ' ').trim();
        return text === '' ? [] : [`${'#'.repeat(block.level)} ${text}`];
      }
      case 'quote':
        return this.blocks(block.blocks).map((line) => (line === '' ? '>' : `> ${line}`));
      case 'code': {
        const longest = Math.max(2, ...[...block.text.matchAll(/`+/g)].map(([run]) => run.length));
        const fence = '`'.repeat(longest + 1);
        return [`${fence}${block.language}`, ...block.text.split('\n'), fence];
      }
      case 'list':
        return this.#list(block);
      case 'table': {
        const [head, ...rest] = block.rows.map((row) => `| ${row.map((cell) => this.#cell(cell)).join(' | ')} |`);
        return [head!, `|${' --- |'.repeat(block.rows[0]!.length)}`, ...rest];
      }
      case 'rule':
        return ['---'];
    }
  }

  #list({ format, start = 1, items }: PastedList): readonly string[] {
    return items.flatMap(({ line, isDone, blocks }, index) => {
      const sign = format === 'ordered' ? `${start + index}. ` : '- ';
      const task = isDone === undefined ? '' : isDone ? '[x] ' : '[ ] ';
      const [first = '', ...more] = this.#lines(line);
      const inner = blocks.flatMap((block) => {
        const lines = this.#block(block);
        // A nested list follows directly; any other block needs an empty line.
        return block.type === 'list' || lines.length === 0 ? lines : ['', ...lines];
      });
      const indent = ' '.repeat(sign.length);
      const below = [...more, ...inner].map((one) => (one === '' ? '' : `${indent}${one}`));
      return [`${sign}${task}${first}`.trimEnd(), ...below];
    });
  }

  #cell(line: Line): string {
    return this.#line(line).replaceAll(/\\?\n/g, ' ').replaceAll('|', '\\|');
  }

  #lines(line: Line): readonly string[] {
    const text = this.#line(line).trim();
    if (text === '') return [];
    return text.split('\n').map((one) => (this.#isPlain ? one : withoutSign(one)));
  }

  #line(line: Line): string {
    let written = '';
    let run: Words[] = [];
    const end = (): void => {
      written += this.#words(run);
      run = [];
    };
    for (const one of line) {
      if (one.type === 'words') run.push(one);
      else {
        end();
        // Directly before a link, it would turn the link into a picture.
        if (one.type === 'link') written = written.replace(/!$/, '\\!');
        written += this.#linked(one);
      }
    }
    end();
    return written;
  }

  #linked(one: Exclude<Inline, Words>): string {
    if (one.type === 'picture') {
      if (!this.#sources.has(one.source)) return '';
      this.pictures.push(one);
      return PLACE;
    }
    return `[${this.#words(one.words).replaceAll('\n', ' ').trim()}](${addressText(one.url)})`;
  }

  /**
   * Writes texts with marks. A sign next to white space, or between punctuation and a letter, would not be recognised,
   * so it is moved to the next letter.
   */
  #words(run: readonly Words[]): string {
    const pieces = run.flatMap(({ text, marks }, index) =>
      split(text, marks, run[index - 1]?.text, run[index + 1]?.text),
    );
    let written = '';
    let open: readonly (readonly [Mark, string])[] = [];
    for (const [index, { text, marks }] of pieces.entries()) {
      const between = text.trim() === '' ? both(open, pieces[index + 1]?.marks ?? {}) : undefined;
      const wanted = between ?? SIGNS.filter(([mark]) => marks[mark]);
      let same = 0;
      while (same < open.length && same < wanted.length && open[same]![0] === wanted[same]![0]) same += 1;
      written += open
        .slice(same)
        .map(([, sign]) => sign)
        .reverse()
        .join('');
      written += wanted
        .slice(same)
        .map(([, sign]) => sign)
        .join('');
      open = wanted;
      written += this.#text(text, marks);
    }
    return (
      written +
      open
        .map(([, sign]) => sign)
        .reverse()
        .join('')
    );
  }

  #text(text: string, marks: Marks): string {
    if (marks.code && text.trim() !== '') return codeText(text);
    const breaks = (words: string): string => words.replaceAll('\n', this.#isPlain ? '\n' : '\\\n');
    return breaks(this.#isPlain ? text : escaped(text));
  }
}

interface Piece {
  readonly text: string;
  readonly marks: Marks;
}

const isLetter = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);

/** Splits off white space, and punctuation next to a letter, from the words with marks. */
function split(text: string, marks: Marks, before: string | undefined, after: string | undefined): readonly Piece[] {
  if (!SIGNS.some(([mark]) => marks[mark]) || marks.code) return [{ text, marks }];
  const isOutside = (letter: string | undefined, beside: string | undefined): boolean =>
    letter !== undefined && (isLetter(beside) ? /[\s\p{P}]/u : /\s/).test(letter);
  let [from, to] = [0, text.length];
  while (isOutside(text[from], before?.at(-1))) from += 1;
  while (to > from && isOutside(text[to - 1], after?.[0])) to -= 1;
  const [lead, core, trail] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  if (core === '') return [{ text, marks: {} }];
  return [
    { text: lead, marks: {} },
    { text: core, marks },
    { text: trail, marks: {} },
  ].filter((piece) => piece.text !== '');
}

/** The open marks that continue after white space. */
function both(open: readonly (readonly [Mark, string])[], next: Marks): readonly (readonly [Mark, string])[] {
  return open.filter(([mark]) => next[mark]);
}

function codeText(text: string): string {
  const inner = text.replaceAll('\n', ' ');
  const runs = new Set([...inner.matchAll(/`+/g)].map(([run]) => run.length));
  let length = 1;
  while (runs.has(length)) length += 1;
  const fence = '`'.repeat(length);
  return /^`|`$/.test(inner) ? `${fence} ${inner} ${fence}` : `${fence}${inner}${fence}`;
}

/** Escapes characters that would be Markdown. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*[\]]/g, '\\$&')
    .replaceAll(/_/g, (sign, at: number, all: string) =>
      isLetter(all[at - 1]) && isLetter(all[at + 1]) ? sign : `\\${sign}`,
    )
    .replaceAll(/~~/g, '\\~\\~')
    .replaceAll(/<(?=[a-z/!?])/gi, '\\<')
    .replaceAll(/&(?=#?\w{1,31};)/g, '\\&');
}

/** Removes characters that have a meaning at the beginning of a line. */
function withoutSign(line: string): string {
  return line
    .replace(/^(\s*)(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|(?:=+|-+)\s*$)/, '$1\\$2')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/** A picture as it stands in Markdown. */
export function pictureText({ url, alternative }: MarkdownPicture): string {
  return `![${escaped(alternative.replaceAll(/\s+/g, ' ').trim())}](${addressText(url)})`;
}

/** An address as it stands in brackets. */
function addressText(url: string): string {
  return url.replaceAll(/[\s<>()\\]/g, (letter) => {
    const code = letter.codePointAt(0)!;
    return code < 128 ? `%${code.toString(16).toUpperCase().padStart(2, '0')}` : encodeURIComponent(letter);
  });
}
