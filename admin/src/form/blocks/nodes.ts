/**
 * The nodes of blocks documents: Slate's tree in the stored format, in which texts have a `type` as well. Unknown
 * properties are kept.
 */
import type { BaseEditor, Descendant } from 'slate';
import type { HistoryEditor } from 'slate-history';
import type { ReactEditor } from 'slate-react';
import { isValues, type Values } from '../values/model.ts';
import { mendedPicture } from './pictures.ts';

export const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'] as const;
export type Mark = (typeof MARKS)[number];

export interface TextNode extends Partial<Record<Mark, boolean>> {
  readonly type?: 'text';
  readonly text: string;
}

export type ListFormat = 'ordered' | 'unordered';

export interface ElementNode {
  readonly type: 'paragraph' | 'heading' | 'quote' | 'code' | 'list' | 'list-item' | 'link' | 'image';
  /** Mutable because Slate's types require it; Slate itself changes copies. */
  children: Descendant[];
  /** Of headings: 1 to 6. */
  readonly level?: number;
  /** Of lists. */
  readonly format?: ListFormat;
  /** Of nested lists: the number of lists around them. */
  readonly indentLevel?: number;
  /** Of code. */
  readonly language?: string | null;
  /** Of links. */
  readonly url?: string;
  /** Of pictures: the file. */
  readonly image?: Values;
}

export type BlocksEditor = BaseEditor & ReactEditor & HistoryEditor;

declare module 'slate' {
  interface CustomTypes {
    Editor: BlocksEditor;
    Element: ElementNode;
    Text: TextNode;
  }
}

export const text = (words = ''): TextNode => ({ type: 'text', text: words });
export const paragraph = (children: Descendant[] = [text()]): ElementNode => ({ type: 'paragraph', children });

/** The addresses that a link may have. The server applies the same rule. */
export const ADDRESS = /^(\/|(https?|ftp):\/\/\S|mailto:\S|tel:\S)/i;

/** The initial value of the editor, which needs at least one block, and a text in each element. */
export function editable(value: unknown): Descendant[] {
  const nodes = Array.isArray(value) ? value.filter(isValues).map(withTexts) : [];
  return nodes.length > 0 ? nodes : [paragraph()];
}

function withTexts(node: Values): Descendant {
  if (typeof node['text'] === 'string') return node as unknown as TextNode;
  const children = Array.isArray(node['children']) ? node['children'].filter(isValues) : [];
  const { image } = node;
  return {
    ...(node as unknown as ElementNode),
    ...(isValues(image) && { image: mendedPicture(image) }),
    children: children.length > 0 ? children.map(withTexts) : [text()],
  };
}

const KINDS: ReadonlySet<unknown> = new Set<ElementNode['type']>([
  ...(['paragraph', 'heading', 'quote', 'code', 'list', 'list-item', 'link', 'image'] as const),
]);

/** Nodes of the clipboard, which may come from another editor, without what is not allowed. */
export function cleaned(nodes: readonly unknown[]): Descendant[] {
  return nodes.filter(isValues).flatMap((node): Descendant[] => {
    if (typeof node['text'] === 'string') {
      const marks = MARKS.filter((mark) => node[mark] === true).map((mark) => [mark, true] as const);
      return [{ ...text(node['text']), ...Object.fromEntries(marks) }];
    }
    const children = Array.isArray(node['children']) ? cleaned(node['children']) : [];
    const { type, url, image, level, format, indentLevel, language } = node;
    if (type === 'link' && !ADDRESS.test(String(url))) return children;
    if (type === 'image' && !(isValues(image) && typeof image['url'] === 'string')) return [];
    return [
      {
        type: KINDS.has(type) ? (type as ElementNode['type']) : 'paragraph',
        ...(type === 'link' && { url: String(url) }),
        ...(type === 'image' && isValues(image) && { image: mendedPicture(image) }),
        ...(type === 'heading' && { level: Math.min(6, Math.max(1, Math.trunc(Number(level)) || 1)) }),
        ...(type === 'list' && { format: format === 'ordered' ? ('ordered' as const) : ('unordered' as const) }),
        ...(type === 'list' && Number(indentLevel) > 0 && { indentLevel: Number(indentLevel) }),
        ...(type === 'code' && { language: typeof language === 'string' ? language : 'plaintext' }),
        children: children.length > 0 ? children : [text()],
      },
    ];
  });
}

/** The stored form of a node. Most nodes stay the same during editing. */
const storedNodes = new WeakMap<Descendant, Descendant>();

/** The stored form of the editor's nodes; null for an empty document. */
export function stored(nodes: readonly Descendant[]): readonly Descendant[] | null {
  const [only] = nodes;
  if (nodes.length === 1 && only && 'children' in only && only.type === 'paragraph') {
    const [words] = only.children;
    if (only.children.length === 1 && words && 'text' in words && words.text === '') return null;
  }
  return nodes.map(storedNode);
}

function storedNode(node: Descendant): Descendant {
  const known = storedNodes.get(node);
  if (known) return known;
  const result = 'text' in node ? storedText(node) : { ...node, children: node.children.map(storedNode) };
  storedNodes.set(node, result);
  return result;
}

/** Texts that Slate inserts have no type. */
function storedText(node: TextNode): TextNode {
  return node.type === 'text' ? node : { ...node, type: 'text' };
}
