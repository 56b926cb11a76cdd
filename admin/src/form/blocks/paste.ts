/** Blocks of what is pasted from elsewhere. What has no counterpart leaves its text. */
import type { Descendant } from 'slate';
import { ADDRESS, type ElementNode, type Mark, paragraph, type TextNode, text } from './nodes.ts';

type Marks = Readonly<Partial<Record<Mark, true>>>;

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

/** Reads HTML into blocks. The parser of the browser makes a document of it that runs nothing. */
export function blocksOfHtml(html: string): ElementNode[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return blocksOf(body, {});
}

function blocksOf(parent: Element, marks: Marks): ElementNode[] {
  const blocks: ElementNode[] = [];
  let line: Descendant[] = [];
  const endLine = (): void => {
    if (hasText(line)) blocks.push(paragraph(trimmed(line)));
    line = [];
  };
  for (const child of parent.childNodes) {
    if (child instanceof Element && UNREAD.test(child.tagName)) continue;
    if (child instanceof Element && (BLOCK.test(child.tagName) || holdsBlocks(child))) {
      endLine();
      blocks.push(...blockOf(child, marks));
    } else line.push(...inlineOf(child, marks));
  }
  endLine();
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
      const cells = [...element.children].map((cell) => (cell.textContent ?? '').replace(/\s+/g, ' ').trim());
      return [paragraph([text(cells.join('\t'))])];
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

function inlineOf(node: ChildNode, marks: Marks): Descendant[] {
  if (node.nodeType === Node.TEXT_NODE) {
    const words = (node.textContent ?? '').replace(/[\t\n\r ]+/g, ' ');
    return words === '' ? [] : [{ ...text(words), ...marks }];
  }
  if (!(node instanceof Element) || UNREAD.test(node.tagName)) return [];
  if (node.tagName === 'BR') return [{ ...text('\n'), ...marks }];
  const inside = [...node.childNodes].flatMap((child) => inlineOf(child, marksOf(node, marks)));
  const url = node.tagName === 'A' ? (node.getAttribute('href') ?? '') : '';
  const words = inside.filter((one): one is TextNode => 'text' in one);
  return ADDRESS.test(url) && words.length > 0 ? [{ type: 'link', url, children: words }] : inside;
}

function marksOf(element: Element, marks: Marks): Marks {
  const { tagName } = element;
  const style = element instanceof HTMLElement ? element.style : undefined;
  const weight = style?.fontWeight ?? '';
  const mark = MARK_TAGS[tagName];
  // what is copied from some editors lies in a `b` that is not bold
  const isBold = weight === 'bold' || Number(weight) >= 600 || (mark === 'bold' && weight !== 'normal');
  return {
    ...marks,
    ...(isBold && { bold: true }),
    ...(mark !== undefined && mark !== 'bold' && { [mark]: true }),
    ...(style?.fontStyle === 'italic' && { italic: true }),
  };
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
