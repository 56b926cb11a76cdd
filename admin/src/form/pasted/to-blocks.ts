/** Turns pasted content into blocks. Blocks have no tables: a row becomes a paragraph, with | between its cells. */
import type { Descendant } from 'slate';
import { type ElementNode, paragraph, type TextNode, text } from '../blocks/nodes.ts';
import {
  type Line,
  MARKS,
  type PastedBlock,
  type PastedList,
  type PastedPicture,
  trimmed,
  type Words,
} from './pasted.ts';

const BETWEEN_CELLS = ' | ';

export interface WrittenBlocks {
  readonly nodes: readonly ElementNode[];
  /** The indexes of empty paragraphs that pictures will replace. */
  readonly places: readonly { readonly at: number; readonly picture: PastedPicture }[];
  /** Whether there was a table. */
  readonly hasTable: boolean;
}

/** The sources of the pictures to keep. */
type Sources = ReadonlySet<string>;

/**
 * Creates blocks, without pictures.
 *
 * @param sources of the pictures that will be inserted. Others are left out.
 */
export function toBlocks(blocks: readonly PastedBlock[], sources: Sources): WrittenBlocks {
  const nodes = blocks.flatMap((block) => nodesOf(block, sources));
  return {
    nodes: nodes.map((node) => (node.type === 'image' ? paragraph() : node)),
    places: nodes.flatMap(({ image }, at) => (image ? [{ at, picture: image['pasted'] as PastedPicture }] : [])),
    hasTable: JSON.stringify(blocks).includes('"type":"table"'),
  };
}

function nodesOf(block: PastedBlock, sources: Sources): readonly ElementNode[] {
  switch (block.type) {
    case 'paragraph':
      return ofLine(block.line, { type: 'paragraph' }, sources);
    case 'heading':
      return ofLine(block.line, { type: 'heading', level: block.level }, sources);
    case 'quote': {
      const inner = block.blocks.flatMap((one) => nodesOf(one, sources));
      const lines = inner.filter(({ type }) => type !== 'image');
      const quoted = joined(lines.map((line) => texts(line.children)));
      return [
        ...(quoted.length > 0 ? [{ type: 'quote', children: quoted } as const] : []),
        ...inner.filter(({ type }) => type === 'image'),
      ];
    }
    case 'code':
      return [{ type: 'code', language: block.language || 'plaintext', children: [text(block.text)] }];
    case 'list': {
      const { list, found } = listOf(block, 0, sources);
      return [...(list ? [list] : []), ...found];
    }
    case 'table':
      return block.rows.flatMap((row) => {
        const cells = row.map((cell) => inline(cell));
        const line = cells.flatMap((cell, index) => (index === 0 ? cell : [text(BETWEEN_CELLS), ...cell]));
        return [paragraph(merged(line)), ...row.flatMap((cell) => picturesOf(cell, sources))];
      });
    case 'rule':
      return [];
  }
}

/** Splits a line at its pictures, which are blocks of their own. */
function ofLine(line: Line, block: Omit<ElementNode, 'children'>, sources: Sources): readonly ElementNode[] {
  const nodes: ElementNode[] = [];
  let part: Line = [];
  const end = (): void => {
    const children = inline(trimmed(part));
    if (children.length > 0) nodes.push({ ...block, children });
    part = [];
  };
  for (const one of line) {
    if (one.type !== 'picture') part = [...part, one];
    else if (sources.has(one.source)) {
      end();
      nodes.push(...picturesOf([one], sources));
    }
  }
  end();
  return nodes;
}

function picturesOf(line: Line, sources: Sources): readonly ElementNode[] {
  return line.flatMap((one): readonly ElementNode[] =>
    one.type === 'picture' && sources.has(one.source)
      ? [{ type: 'image', image: { pasted: one }, children: [text()] }]
      : [],
  );
}

/** A nested list follows its item, as in Strapi; pictures follow the whole list. */
function listOf(
  { format, items }: PastedList,
  level: number,
  sources: Sources,
): { readonly list: ElementNode | undefined; readonly found: readonly ElementNode[] } {
  const children: Descendant[] = [];
  const found: ElementNode[] = [];
  for (const { line, isDone, blocks } of items) {
    const own = blocks.filter(({ type }) => type !== 'list').flatMap((block) => nodesOf(block, sources));
    found.push(...picturesOf(line, sources), ...own.filter(({ type }) => type === 'image'));
    const task = isDone === undefined ? [] : [text(isDone ? '[x] ' : '[ ] ')];
    const lines = own.filter(({ type }) => type !== 'image').map((one) => texts(one.children));
    const words = joined([[...task, ...inline(line)], ...lines].filter((one) => one.length > 0));
    if (words.length > 0) children.push({ type: 'list-item', children: merged(words) });
    for (const block of blocks) {
      if (block.type !== 'list') continue;
      const inner = listOf(block, level + 1, sources);
      if (inner.list) children.push(inner.list);
      found.push(...inner.found);
    }
  }
  const list: ElementNode = { type: 'list', format, ...(level > 0 && { indentLevel: level }), children };
  return { list: children.length > 0 ? list : undefined, found };
}

function inline(line: Line): Descendant[] {
  return line.flatMap((one): Descendant[] => {
    if (one.type === 'words') return [marked(one)];
    return one.type === 'link' ? [{ type: 'link', url: one.url, children: one.words.map(marked) }] : [];
  });
}

function marked({ text: words, marks }: Words): TextNode {
  const set = MARKS.filter((mark) => marks[mark]).map((mark) => [mark, true] as const);
  return { ...text(words), ...Object.fromEntries(set) };
}

/** The texts and links of nodes, including nested ones. */
function texts(nodes: readonly Descendant[]): readonly Descendant[] {
  return nodes.flatMap((node) => ('text' in node || node.type === 'link' ? [node] : texts(node.children)));
}

/** Joins lines in one block. */
function joined(lines: readonly (readonly Descendant[])[]): Descendant[] {
  return lines.flatMap((line, index) => (index === 0 ? line : [text('\n'), ...line]));
}

/** Merges texts with the same marks. */
function merged(line: readonly Descendant[]): Descendant[] {
  const result: Descendant[] = [];
  for (const one of line) {
    const last = result.at(-1);
    if (last && 'text' in one && 'text' in last && MARKS.every((mark) => one[mark] === last[mark])) {
      result[result.length - 1] = { ...last, text: last.text + one.text };
    } else result.push(one);
  }
  return result;
}
