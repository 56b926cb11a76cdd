/** Markdown around words: `**bold**`, `*italic*`, `~~struck~~`, `` `code` `` and `[text](address)`. */
import { Editor, Node, type Path, type Point, Range, Text, Transforms } from 'slate';
import { currentBlock } from './commands.ts';
import { ADDRESS, type BlocksEditor, type Mark } from './nodes.ts';

/** The characters before the caret that are searched. */
const FAR = 500;

interface Sign {
  /** Matches text that ends at the caret. The first group holds the words. */
  readonly pattern: RegExp;
  /** The length of the sign before the words. */
  readonly before: number;
  readonly mark: Mark;
}

const SIGNS: readonly Sign[] = [
  { pattern: /(?<!\*)\*\*(?![\s*])([^*\n]+)(?<!\s)\*\*$/, before: 2, mark: 'bold' },
  { pattern: /(?<![\p{L}\p{N}_])__(?![\s_])([^_\n]+)(?<!\s)__$/u, before: 2, mark: 'bold' },
  { pattern: /(?<!\*)\*(?![\s*])([^*\n]+)(?<!\s)\*$/, before: 1, mark: 'italic' },
  { pattern: /(?<![\p{L}\p{N}_])_(?![\s_])([^_\n]+)(?<!\s)_$/u, before: 1, mark: 'italic' },
  { pattern: /(?<!~)~~(?![\s~])([^~\n]+)(?<!\s)~~$/, before: 2, mark: 'strikethrough' },
  { pattern: /(?<!`)`([^`\n]+)`$/, before: 1, mark: 'code' },
];

const LINK = /\[([^[\]\n]+)\]\(([^\s()]+)\)$/;

/** Whether a character may end a sign. */
export const endsSign = (written: string): boolean => /^[*_~`)]$/.test(written);

/** Makes marks of the signs that end at the caret, and takes them away. Whether there were some. */
export function applyInlineSign(editor: BlocksEditor): boolean {
  const entry = currentBlock(editor);
  const { selection } = editor;
  if (!entry || entry[0].type === 'code' || !selection || Range.isExpanded(selection)) return false;
  if (Editor.marks(editor)?.code) return false;
  const [, path] = entry;
  const end = lengthTo(editor, path, selection.anchor);
  const written = Node.string(entry[0]).slice(Math.max(0, end - FAR), end);
  const link = LINK.exec(written);
  if (link && ADDRESS.test(link[2]!)) {
    const words = spot(editor, path, end - link[0].length, 1, link[1]!.length, end);
    if (!words) return false;
    Transforms.wrapNodes(editor, { type: 'link', url: link[2]!, children: [] }, { at: words, split: true });
    // text that is typed next follows the link
    Transforms.move(editor, { unit: 'offset' });
    return true;
  }
  for (const { pattern, before, mark } of SIGNS) {
    const match = pattern.exec(written);
    // text that may become code is skipped
    const isOpen = mark !== 'code' && (written.slice(0, match?.index).match(/`/g)?.length ?? 0) % 2 === 1;
    if (!match || isOpen) continue;
    const words = spot(editor, path, end - match[0].length, before, match[1]!.length, end);
    if (!words) return false;
    Transforms.setNodes(editor, { [mark]: true }, { at: words, match: Text.isText, split: true });
    Transforms.collapse(editor, { edge: 'end' });
    editor.removeMark(mark);
    return true;
  }
  return false;
}

/** Removes the signs around words. Returns the range of the words; the caret is at its end. */
function spot(
  editor: BlocksEditor,
  path: Path,
  start: number,
  before: number,
  length: number,
  end: number,
): Range | undefined {
  const at = (offset: number, isEnd: boolean): Point => pointAt(editor, path, offset, isEnd);
  const [from, to] = [start + before, start + before + length];
  const words = Editor.rangeRef(editor, { anchor: at(from, false), focus: at(to, true) }, { affinity: 'inward' });
  Transforms.delete(editor, { at: { anchor: at(to, true), focus: at(end, true) } });
  Transforms.delete(editor, { at: { anchor: at(start, false), focus: at(from, false) } });
  const range = words.unref();
  if (range) Transforms.select(editor, Range.end(range));
  return range ?? undefined;
}

/** The number of characters of a block before a point. */
function lengthTo(editor: BlocksEditor, path: Path, point: Point): number {
  return Editor.string(editor, { anchor: Editor.start(editor, path), focus: point }).length;
}

/** The point at an offset of a block. Between two texts, it is the end of the first or the start of the second. */
function pointAt(editor: BlocksEditor, path: Path, offset: number, isEnd: boolean): Point {
  let remaining = offset;
  for (const [node, inner] of Node.texts(Node.get(editor, path))) {
    const { length } = node.text;
    if (remaining < length || (isEnd && remaining === length)) return { path: [...path, ...inner], offset: remaining };
    remaining -= length;
  }
  return Editor.end(editor, path);
}
