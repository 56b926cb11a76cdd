/**
 * Reads HTML from the clipboard: from Word, Google Docs and web pages. The browser parses it into a document that
 * executes and fetches nothing. Only texts, marks and addresses are read, so no markup is passed on.
 */
import { ADDRESS } from '../blocks/nodes.ts';
import {
  hasText,
  type Inline,
  type Line,
  type Mark,
  type Marks,
  type PastedBlock,
  type PastedItem,
  type PastedList,
  trimmed,
  type Words,
} from './pasted.ts';

/** The maximum number of characters and elements. More would block the page. */
const MOST_LETTERS = 30_000_000;
const MOST_ELEMENTS = 50_000;
/** The maximum depth of elements. Parsers flatten elements below a depth of about 500, which changes their meaning. */
const MOST_DEPTH = 300;
const TOO_DEEP = `${'*>'.repeat(MOST_DEPTH)}*`;
/** The maximum number of rows or columns of one cell, and of columns of a table. */
const MOST_SPAN = 50;
const MOST_COLUMNS = 100;

const MARK_TAGS: Readonly<Record<string, Mark>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  CITE: 'italic',
  U: 'underline',
  INS: 'underline',
  S: 'strikethrough',
  DEL: 'strikethrough',
  STRIKE: 'strikethrough',
  CODE: 'code',
  KBD: 'code',
  SAMP: 'code',
  TT: 'code',
};

/** Elements whose content is ignored. */
const UNREAD =
  /^(?:SCRIPT|STYLE|HEAD|META|LINK|TITLE|NOSCRIPT|TEMPLATE|IFRAME|OBJECT|EMBED|SVG|MATH|BUTTON|SELECT|TEXTAREA|AUDIO|VIDEO|CANVAS)$/i;
const BLOCKS =
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR HTML ' +
  'LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL';
const BLOCK = new Set(BLOCKS.split(' '));
const BLOCK_SELECTOR = BLOCKS.replaceAll(' ', ',');
const KEEPS_LINES = /^(?:pre|pre-wrap|pre-line|break-spaces|preserve|preserve-breaks)$/;
const MONOSPACED = /^["']?(?:courier|consolas|menlo|monaco|roboto mono|source code|sf ?mono|ui-monospace|monospace)/;

const STYLE = 'data-style';

/** What elements inherit: marks, and whether line breaks in the source count. */
interface Inherited extends Marks {
  readonly keepsLines?: boolean;
}

/**
 * Reads HTML from the clipboard into blocks.
 *
 * @returns undefined if it is too large or too deep. Then its plain text has to be pasted.
 */
export function readHtml(html: string): readonly PastedBlock[] | undefined {
  if (html.length > MOST_LETTERS) return undefined;
  // The policy of the page forbids inline styles, and the browser reports each of them.
  const unstyled = html
    .replace(/<(\/?)style\b/gi, '<$1template')
    .replace(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/(\s)style(?=\s*=)/gi, `$1${STYLE}`));
  const { body } = new DOMParser().parseFromString(unstyled, 'text/html');
  if (body.getElementsByTagName('*').length > MOST_ELEMENTS || body.querySelector(TOO_DEEP)) return undefined;
  try {
    return withCode(blocksOf(body, {}));
  } catch {
    return undefined;
  }
}

function blocksOf(parent: Element, around: Inherited): PastedBlock[] {
  const marks = { ...around, keepsLines: keepsLines(parent, around) };
  const blocks: PastedBlock[] = [];
  let line: Inline[] = [];
  const endLine = (): void => {
    for (const part of paragraphsOf(line)) if (hasText(part)) blocks.push({ type: 'paragraph', line: trimmed(part) });
    line = [];
  };
  /** List items as Word writes them: consecutive paragraphs. */
  let entries: WordEntry[] = [];
  const endList = (): void => {
    blocks.push(...listsOfWord(entries));
    entries = [];
  };
  for (const child of parent.childNodes) {
    if (child instanceof Element && isUnread(child)) continue;
    const entry = child instanceof Element ? wordEntryOf(child, marks) : undefined;
    if (entry) {
      endLine();
      entries.push(entry);
      continue;
    }
    if (child.nodeType === Node.ELEMENT_NODE) endList();
    if (child instanceof Element && isBlock(child)) {
      endLine();
      blocks.push(...blockOf(child, marks));
    } else line.push(...inlineOf(child, marks));
  }
  endLine();
  endList();
  return blocks;
}

/**
 * Whether an element is a block, or an inline element that contains blocks: some programs wrap everything they copy.
 */
function isBlock(element: Element): boolean {
  return BLOCK.has(element.tagName) || element.querySelector(BLOCK_SELECTOR) !== null;
}

function isUnread(element: Element): boolean {
  const style = declaredOf(element);
  return (
    UNREAD.test(element.tagName) ||
    element.hasAttribute('hidden') ||
    style.get('display') === 'none' ||
    style.get('mso-hide') === 'all'
  );
}

function blockOf(element: Element, around: Inherited): readonly PastedBlock[] {
  const { tagName } = element;
  const marks = { ...around, keepsLines: keepsLines(element, around) };
  const level = headingLevel(element);
  if (level !== undefined) {
    // A heading is bold anyway.
    const line = trimmed(within(element, marks).map(withoutBold));
    return hasText(line) ? [{ type: 'heading', level, line }] : [];
  }
  switch (tagName) {
    case 'BLOCKQUOTE': {
      const blocks = blocksOf(element, marks);
      return blocks.length > 0 ? [{ type: 'quote', blocks }] : [];
    }
    case 'PRE':
      return [{ type: 'code', text: textOfCode(element).replace(/\n$/, ''), language: languageOf(element) }];
    case 'HR':
      return [{ type: 'rule' }];
    case 'UL':
    case 'OL':
      return listOf(element, marks);
    case 'TABLE':
      return tableOf(element, marks);
    default:
      return blocksOf(element, marks);
  }
}

function headingLevel(element: Element): number | undefined {
  const level = /^H([1-6])$/.exec(element.tagName)?.[1];
  if (level !== undefined) return Number(level);
  if (element.getAttribute('role') === 'heading') {
    return Math.min(6, Math.max(1, Number(element.getAttribute('aria-level')) || 2));
  }
  return /^MsoTitle/.test(element.className) ? 1 : undefined;
}

const within = (element: Element, marks: Inherited): Inline[] =>
  [...element.childNodes].flatMap((child) => inlineOf(child, marksOf(element, marks)));

function withoutBold(one: Inline): Inline {
  if (one.type === 'words') return { ...one, marks: { ...one.marks, bold: undefined } };
  return one.type === 'link' ? { ...one, words: one.words.map((words) => withoutBold(words) as Words) } : one;
}

function textOfCode(element: Element): string {
  return [...element.childNodes]
    .map((child) => {
      if (child instanceof Element && child.tagName === 'BR') return '\n';
      return child instanceof Element ? textOfCode(child) : (child.textContent ?? '');
    })
    .join('');
}

/** The `language-js` class of the element, of its content, or of an ancestor, as most pages have it. */
function languageOf(element: Element): string {
  const named = [element, element.querySelector('code'), element.parentElement];
  const classes = named.map((one) => one?.className ?? '').join(' ');
  return /(?:^|\s)(?:lang(?:uage)?-|highlight-source-)([\w+#-]{1,30})/.exec(classes)?.[1] ?? '';
}

function listOf(element: Element, marks: Inherited): readonly PastedList[] {
  const items: PastedItem[] = [];
  const add = (blocks: readonly PastedBlock[], isDone?: boolean): void => {
    const [first, ...rest] = blocks;
    const isLine = first?.type === 'paragraph';
    if (first)
      items.push({
        line: isLine ? first.line : [],
        blocks: isLine ? rest : blocks,
        ...(isDone !== undefined && { isDone }),
      });
  };
  for (const child of element.children) {
    if (isUnread(child)) continue;
    // A list directly within a list belongs to the item before it, as Google Docs writes it.
    const last = /^[OU]L$/.test(child.tagName) ? items.pop() : undefined;
    if (last) items.push({ ...last, blocks: [...last.blocks, ...listOf(child, marks)] });
    else if (/^[OU]L$/.test(child.tagName)) for (const list of listOf(child, marks)) items.push(...list.items);
    else {
      const box = child.querySelector('input[type="checkbox"]');
      add(blocksOf(child, marksOf(child, marks)), box ? box.hasAttribute('checked') : undefined);
    }
  }
  if (items.length === 0) return [];
  const start = Number(element.getAttribute('start') ?? 1);
  const isOrdered = element.tagName === 'OL';
  return [
    {
      type: 'list',
      format: isOrdered ? 'ordered' : 'unordered',
      ...(isOrdered && Number.isSafeInteger(start) && start > 1 && start < 1e6 && { start }),
      items,
    },
  ];
}

/** A table with one column, or with a nested table, is only layout: its blocks are read. */
function tableOf(element: Element, marks: Inherited): readonly PastedBlock[] {
  // Without the rows of nested tables.
  const rows = [...(element as HTMLTableElement).rows];
  const cells = rows.map((row) => [...row.children].filter(({ tagName }) => /^T[DH]$/.test(tagName)));
  if (element.querySelector('table') !== null || cells.every((row) => row.length <= 1)) {
    return cells.flat().flatMap((cell) => blocksOf(cell, marksOf(cell, marks)));
  }
  const grid: Line[][] = rows.map(() => []);
  for (const [at, row] of cells.entries()) {
    let column = 0;
    for (const cell of row) {
      // The cell is covered by one of a row above.
      while (grid[at]![column] !== undefined) column += 1;
      if (column >= MOST_COLUMNS) break;
      const line = lineOfCell(cell, marks);
      const [wide, high] = [spanOf(cell, 'colspan'), spanOf(cell, 'rowspan')];
      for (let down = 0; down < high && at + down < grid.length; down += 1) {
        for (let across = 0; across < wide; across += 1) {
          grid[at + down]![column + across] = down === 0 && across === 0 ? line : [];
        }
      }
      column += wide;
    }
  }
  const width = Math.max(...grid.map((row) => row.length));
  const whole = grid
    .map((row) => Array.from({ length: width }, (_, column) => row[column] ?? []))
    .filter((row) => row.some(hasText));
  return whole.length > 0 ? [{ type: 'table', rows: whole }] : [];
}

const spanOf = (cell: Element, name: 'colspan' | 'rowspan'): number =>
  Math.min(MOST_SPAN, Math.max(1, Math.trunc(Number(cell.getAttribute(name))) || 1));

/** The blocks of a cell as one line. */
function lineOfCell(cell: Element, marks: Inherited): Line {
  // A column name is bold anyway.
  const inner = marksOf(cell, cell.tagName === 'TH' ? { ...marks, bold: undefined } : marks);
  const lines = flatLines(blocksOf(cell, inner));
  const line = lines.flatMap((one, index) => (index === 0 ? one : [words(' ', {}), ...one]));
  return trimmed(line.map((one) => (one.type === 'words' ? { ...one, text: one.text.replaceAll('\n', ' ') } : one)));
}

function flatLines(blocks: readonly PastedBlock[]): readonly Line[] {
  return blocks.flatMap((block): readonly Line[] => {
    if (block.type === 'paragraph' || block.type === 'heading') return [block.line];
    if (block.type === 'code') return [[words(block.text, { code: true })]];
    if (block.type === 'quote') return flatLines(block.blocks);
    return block.type === 'list' ? block.items.flatMap(({ line, blocks: inner }) => [line, ...flatLines(inner)]) : [];
  });
}

interface WordEntry {
  readonly level: number;
  readonly format: PastedList['format'];
  readonly line: Line;
}

/** A list item as Word writes it: its level is in a style, and its marker is text. */
function wordEntryOf(element: Element, marks: Inherited): WordEntry | undefined {
  const level = /level(\d)/.exec(declaredOf(element).get('mso-list') ?? '')?.[1];
  // Headings may be numbered.
  if (level === undefined || headingLevel(element) !== undefined) return undefined;
  const own = element.cloneNode(true) as Element;
  const signs = [...own.querySelectorAll(`[${STYLE}]`)].filter((one) => declaredOf(one).get('mso-list') === 'ignore');
  const sign = signs.map(({ textContent }) => textContent).join('');
  for (const one of signs) one.remove();
  return {
    level: Number(level) - 1,
    format: /^\s*\(?(?:\d+|[a-z]|[ivxlc]+)[.)]/i.test(sign) ? 'ordered' : 'unordered',
    line: trimmed(within(own, marks)),
  };
}

/** Turns the items of a level into lists, with deeper items nested in them. */
function listsOfWord(entries: readonly WordEntry[], level = 0): PastedList[] {
  const lists: { readonly format: PastedList['format']; readonly items: PastedItem[] }[] = [];
  for (let at = 0; at < entries.length; ) {
    const { format, line, level: own } = entries[at]!;
    let end = at;
    while (end < entries.length && entries[end]!.level > level) end += 1;
    const last = lists.at(-1);
    if (end > at) {
      const inner = listsOfWord(entries.slice(at, end), level + 1);
      const entry = last?.items.pop();
      if (last && entry) last.items.push({ ...entry, blocks: [...entry.blocks, ...inner] });
      else lists.push(...inner.map((list) => ({ format: list.format, items: [...list.items] })));
      at = end;
      continue;
    }
    const list = last?.format === format && own === level ? last : { format, items: [] };
    if (list !== last) lists.push(list);
    list.items.push({ line, blocks: [] });
    at += 1;
  }
  return lists.map((list) => ({ type: 'list', ...list }));
}

const words = (text: string, { keepsLines: _, ...marks }: Inherited): Words => ({ type: 'words', text, marks });

/** The text of a node, with the line breaks that a browser would show. */
function textOf(node: ChildNode, keepsLines: boolean | undefined): string {
  const text = node.textContent ?? '';
  if (!keepsLines) return text.replace(/[\t\n\r ]+/g, ' ');
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\t ]+/g, ' ')
    .replace(/ ?\n ?/g, '\n');
}

/** Several consecutive line breaks end a paragraph. */
function paragraphsOf(line: Line): readonly Line[] {
  const lines: Inline[][] = [[]];
  for (const one of line) {
    const [first, ...more] = one.type === 'words' ? one.text.split(/\n{2,}/).map((text) => ({ ...one, text })) : [one];
    lines.at(-1)!.push(first!);
    for (const part of more) lines.push([part]);
  }
  return lines;
}

function inlineOf(node: ChildNode, marks: Inherited): Inline[] {
  if (node.nodeType === Node.TEXT_NODE) {
    const text = textOf(node, marks.keepsLines);
    return text === '' ? [] : [words(text, marks)];
  }
  if (!(node instanceof Element) || isUnread(node)) return [];
  if (node.tagName === 'BR') return node.className === 'Apple-interchange-newline' ? [] : [words('\n', marks)];
  if (node.tagName === 'IMG') return pictureOf(node);
  if (node.className === 'Apple-converted-space') return [words(' ', marks)];
  const inside = within(node, marks);
  const url = node.tagName === 'A' ? (node.getAttribute('href') ?? '').trim() : '';
  return ADDRESS.test(url) ? linked(inside, url) : inside;
}

/** A line as a link. Pictures in it stay pictures. */
function linked(line: Line, url: string): Inline[] {
  const result: Inline[] = [];
  let run: Words[] = [];
  const end = (): void => {
    if (hasText(run)) result.push({ type: 'link', url, words: run });
    else result.push(...run);
    run = [];
  };
  for (const one of line) {
    if (one.type === 'words') run.push(one);
    else {
      end();
      result.push(one);
    }
  }
  end();
  return result;
}

/** A picture of a single pixel is a tracker. */
function pictureOf(element: Element): Inline[] {
  const source = (element.getAttribute('src') ?? '').trim();
  const isPoint = ['width', 'height'].some((name) => /^[012](?:px)?$/.test(element.getAttribute(name) ?? ''));
  if (source === '' || isPoint) return [];
  const alternative = (element.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim().slice(0, 1000);
  return [{ type: 'picture', source, alternative }];
}

function marksOf(element: Element, marks: Inherited): Inherited {
  const style = declaredOf(element);
  const mark = MARK_TAGS[element.tagName];
  const weight = style.get('font-weight');
  const slant = style.get('font-style');
  const lines = style.get('text-decoration-line') ?? style.get('text-decoration') ?? '';
  return {
    ...marks,
    keepsLines: keepsLines(element, marks),
    ...(mark && { [mark]: true }),
    // Some editors wrap copied content in a `b` element that is not bold.
    ...(weight !== undefined && { bold: /^bold/.test(weight) || Number(weight) >= 600 || undefined }),
    ...(slant !== undefined && { italic: slant !== 'normal' || undefined }),
    // The underline of a link belongs to the link.
    ...(lines.includes('underline') && !element.closest('a') && { underline: true }),
    ...(lines.includes('line-through') && { strikethrough: true }),
    ...(MONOSPACED.test(style.get('font-family') ?? '') && { code: true }),
  };
}

/** Whether line breaks in the source of an element count, by its style or an inherited one. */
function keepsLines(element: Element, around: Inherited): boolean {
  const style = declaredOf(element);
  const value = style.get('white-space-collapse') ?? style.get('white-space');
  return value === undefined || value === 'inherit' ? around.keepsLines === true : KEEPS_LINES.test(value);
}

/** The declarations of a style attribute. */
function declaredOf(element: Element): ReadonlyMap<string, string> {
  const declarations = (element.getAttribute(STYLE) ?? '').toLowerCase().split(';');
  return new Map(
    declarations.flatMap((one): (readonly [string, string])[] => {
      const colon = one.indexOf(':');
      return colon < 0 ? [] : [[one.slice(0, colon).trim(), one.slice(colon + 1).trim()]];
    }),
  );
}

/** Turns consecutive paragraphs in a monospaced font into code: word processors have no other format for it. */
function withCode(blocks: readonly PastedBlock[]): readonly PastedBlock[] {
  const result: PastedBlock[] = [];
  let code: string[] = [];
  let before: PastedBlock[] = [];
  const end = (): void => {
    if (code.length > 1) result.push({ type: 'code', text: code.join('\n'), language: '' });
    else result.push(...before);
    code = [];
    before = [];
  };
  for (const block of blocks) {
    const line = block.type === 'paragraph' ? block.line : [];
    if (line.length > 0 && line.every((one) => one.type === 'words' && one.marks.code)) {
      code.push(
        line
          .map((one) => (one.type === 'words' ? one.text : ''))
          .join('')
          .replaceAll('\u00A0', ' '),
      );
      before.push(block);
      continue;
    }
    end();
    result.push(block);
  }
  end();
  return result;
}
