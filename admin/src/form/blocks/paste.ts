/** Blocks of what is pasted from elsewhere. What has no counterpart leaves its text. */
import type { Descendant } from 'slate';
import { ADDRESS, type ElementNode, type ListFormat, type Mark, paragraph, type TextNode, text } from './nodes.ts';

type Marks = Readonly<Partial<Record<Mark, true | undefined>>>;

const MARK_TAGS: Readonly<Record<string, Mark>> = {
  B: 'bold',
  STRONG: 'bold',
  I: 'italic',
  EM: 'italic',
  U: 'underline',
  INS: 'underline',
  S: 'strikethrough',
  DEL: 'strikethrough',
  STRIKE: 'strikethrough',
  CODE: 'code',
  KBD: 'code',
  SAMP: 'code',
};

/** Nothing in these is to be read. */
const UNREAD = /^(?:SCRIPT|STYLE|HEAD|META|LINK|TITLE|NOSCRIPT|TEMPLATE|IFRAME|OBJECT|SVG|MATH)$/i;
const BLOCK =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BODY|DD|DIV|DL|DT|FIGCAPTION|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HR|HTML|LI|MAIN|NAV|OL|P|PRE|SECTION|TABLE|TBODY|TD|TFOOT|TH|THEAD|TR|UL)$/;

const STYLE = 'data-style';

/** Reads HTML into blocks. The parser of the browser makes a document of it that runs nothing. */
export function blocksOfHtml(html: string): ElementNode[] {
  // the policy of the page forbids style attributes, and the browser complains of each that it meets
  const unstyled = html.replace(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/(\s)style(?=\s*=)/gi, `$1${STYLE}`));
  const { body } = new DOMParser().parseFromString(unstyled, 'text/html');
  return blocksOf(body, {});
}

function blocksOf(parent: Element, marks: Marks): ElementNode[] {
  const blocks: ElementNode[] = [];
  let line: Descendant[] = [];
  const endLine = (): void => {
    if (hasText(line)) blocks.push(paragraph(trimmed(line)));
    line = [];
  };
  /** Entries of a list as Word writes them: paragraphs, one after the other. */
  let entries: WordEntry[] = [];
  const endList = (): void => {
    blocks.push(...listOfWord(entries));
    entries = [];
  };
  for (const child of parent.childNodes) {
    if (child instanceof Element && UNREAD.test(child.tagName)) continue;
    const entry = child instanceof Element ? wordEntryOf(child, marks) : undefined;
    if (entry) {
      endLine();
      entries.push(entry);
      continue;
    }
    if (child.nodeType === Node.ELEMENT_NODE) endList();
    if (child instanceof Element && (BLOCK.test(child.tagName) || holdsBlocks(child))) {
      endLine();
      blocks.push(...blockOf(child, marks));
    } else line.push(...inlineOf(child, marks));
  }
  endLine();
  endList();
  return blocks;
}

/** Some wrap everything that is copied into an inline element. */
function holdsBlocks(element: Element): boolean {
  return [...element.children].some((child) => BLOCK.test(child.tagName) || holdsBlocks(child));
}

function blockOf(element: Element, marks: Marks): ElementNode[] {
  const { tagName } = element;
  const level = /^H([1-6])$/.exec(tagName)?.[1];
  if (level !== undefined) return ofLine(element, marks, { type: 'heading', level: Number(level) });
  switch (tagName) {
    case 'BLOCKQUOTE': {
      const lines = blocksOf(element, marks).flatMap(({ children }, index) =>
        index === 0 ? children : [text('\n'), ...children],
      );
      return lines.length > 0
        ? [{ type: 'quote', children: lines.filter((node) => 'text' in node || node.type === 'link') }]
        : [];
    }
    case 'PRE':
      return [
        { type: 'code', language: 'plaintext', children: [text((element.textContent ?? '').replace(/\n$/, ''))] },
      ];
    case 'UL':
    case 'OL':
      return listOf(element, marks, 0);
    case 'TR': {
      const cells = [...element.children].map((cell) =>
        trimmed([...cell.childNodes].flatMap((child) => inlineOf(child, marksOf(cell, marks)))),
      );
      return [paragraph(cells.flatMap((cell, index) => (index === 0 ? cell : [text('\t'), ...cell])))];
    }
    default:
      return blocksOf(element, marks);
  }
}

function ofLine(element: Element, marks: Marks, block: Omit<ElementNode, 'children'>): ElementNode[] {
  const line = trimmed([...element.childNodes].flatMap((child) => inlineOf(child, marks)));
  return hasText(line) ? [{ ...block, children: line }] : [];
}

/** Lists within entries stand beside them, as the reference has them. */
function listOf(element: Element, marks: Marks, level: number): ElementNode[] {
  const children: Descendant[] = [];
  for (const item of element.children) {
    if (/^[OU]L$/.test(item.tagName)) {
      children.push(...listOf(item, marks, level + 1));
      continue;
    }
    const inner = [...item.querySelectorAll('ol, ul')].filter(
      (list) => list.parentElement?.closest('li, ol, ul') === item,
    );
    const own = item.cloneNode(true) as Element;
    for (const list of own.querySelectorAll('ol, ul')) list.remove();
    const line = trimmed([...own.childNodes].flatMap((child) => inlineOf(child, marks)));
    if (hasText(line)) children.push({ type: 'list-item', children: line });
    for (const list of inner) children.push(...listOf(list, marks, level + 1));
  }
  if (children.length === 0) return [];
  const format = element.tagName === 'OL' ? 'ordered' : 'unordered';
  return [{ type: 'list', format, ...(level > 0 && { indentLevel: level }), children }];
}

interface WordEntry {
  readonly level: number;
  readonly format: ListFormat;
  readonly children: Descendant[];
}

/** What Word writes of an entry of a list: its level as a style, and its sign as a text of its own. */
function wordEntryOf(element: Element, marks: Marks): WordEntry | undefined {
  const level = /level(\d)/.exec(declaredOf(element).get('mso-list') ?? '')?.[1];
  if (level === undefined) return undefined;
  const own = element.cloneNode(true) as Element;
  const signs = [...own.querySelectorAll(`[${STYLE}]`)].filter((one) => declaredOf(one).get('mso-list') === 'ignore');
  const sign = signs.map(({ textContent }) => textContent).join('');
  for (const one of signs) one.remove();
  return {
    level: Number(level) - 1,
    format: /^\s*\(?(?:\d+|[a-z]|[ivxlc]+)[.)]/i.test(sign) ? 'ordered' : 'unordered',
    children: trimmed([...own.childNodes].flatMap((child) => inlineOf(child, marks))),
  };
}

/** Entries of a level make lists, within which those of deeper levels stand, as the reference has them. */
function listOfWord(entries: readonly WordEntry[], level = 0): ElementNode[] {
  const lists: { format: ListFormat; children: Descendant[] }[] = [];
  for (let at = 0; at < entries.length; ) {
    const entry = entries[at]!;
    let end = at;
    while (end < entries.length && entries[end]!.level > level) end += 1;
    const last = lists.at(-1);
    if (end > at) {
      const inner = listOfWord(entries.slice(at, end), level + 1);
      if (last) last.children.push(...inner);
      else lists.push({ format: entry.format, children: inner });
      at = end;
      continue;
    }
    const list = last?.format === entry.format ? last : { format: entry.format, children: [] };
    if (list !== last) lists.push(list);
    list.children.push({ type: 'list-item', children: hasText(entry.children) ? entry.children : [text()] });
    at += 1;
  }
  return lists.map((list) => ({ type: 'list', ...list, ...(level > 0 && { indentLevel: level }) }));
}

function inlineOf(node: ChildNode, marks: Marks): Descendant[] {
  if (node.nodeType === Node.TEXT_NODE) {
    const words = (node.textContent ?? '').replace(/[\t\n\r ]+/g, ' ');
    return words === '' ? [] : [marked(words, marks)];
  }
  if (!(node instanceof Element) || UNREAD.test(node.tagName)) return [];
  if (node.tagName === 'BR') return [marked('\n', marks)];
  const inside = [...node.childNodes].flatMap((child) => inlineOf(child, marksOf(node, marks)));
  const url = node.tagName === 'A' ? (node.getAttribute('href') ?? '') : '';
  const words = inside.filter((one): one is TextNode => 'text' in one);
  return ADDRESS.test(url) && words.length > 0 ? [{ type: 'link', url, children: words }] : inside;
}

function marked(words: string, marks: Marks): TextNode {
  const set = Object.entries(marks).filter(([, isSet]) => isSet);
  return { ...text(words), ...Object.fromEntries(set) };
}

function marksOf(element: Element, marks: Marks): Marks {
  const style = declaredOf(element);
  const mark = MARK_TAGS[element.tagName];
  const weight = style.get('font-weight');
  const slant = style.get('font-style');
  const lines = style.get('text-decoration-line') ?? style.get('text-decoration') ?? '';
  return {
    ...marks,
    ...(mark && { [mark]: true }),
    // what is copied from some editors lies in a `b` that is not bold
    ...(weight !== undefined && { bold: /^bold/.test(weight) || Number(weight) >= 600 || undefined }),
    ...(slant !== undefined && { italic: slant !== 'normal' || undefined }),
    // that of a link belongs to it
    ...(lines.includes('underline') && !element.closest('a') && { underline: true }),
    ...(lines.includes('line-through') && { strikethrough: true }),
  };
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

const hasText = (line: readonly Descendant[]): boolean =>
  line.some((node) => ('text' in node ? node.text.trim() !== '' : hasText(node.children)));

/** Without the spaces around it. */
function trimmed(line: Descendant[]): Descendant[] {
  const result = [...line];
  const [first, last] = [result[0], result.at(-1)];
  if (first && 'text' in first) result[0] = { ...first, text: first.text.trimStart() };
  const end = result.at(-1);
  if (last && end && 'text' in end) result[result.length - 1] = { ...end, text: end.text.trimEnd() };
  return result;
}
