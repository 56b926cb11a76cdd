/** The behaviour of a blocks document: its allowed structure, and the keys for editing. */
import { Editor, Element, Node, type NodeEntry, Path, Point, Range, Text, Transforms } from 'slate';
import { HistoryEditor } from 'slate-history';
import {
  currentBlock,
  elementAround,
  indent,
  isEmptyBlock,
  outdent,
  setBlocks,
  setLink,
  toggleList,
} from './commands.ts';
import { applyInlineSign, endsSign } from './inline-signs.ts';
import { ADDRESS, type BlocksEditor, cleaned, type ElementNode, MARKS, paragraph } from './nodes.ts';

/** Kinds in which Enter inserts a line break. */
const LINES: ReadonlySet<ElementNode['type']> = new Set(['code', 'quote']);

/** @param take takes formatted text from the clipboard. Returns whether it did. */
export function withBlocks(editor: BlocksEditor, take: (data: DataTransfer) => boolean = () => false): BlocksEditor {
  const { isInline, isVoid, normalizeNode, insertBreak, deleteBackward, insertText, insertData, deleteFragment } =
    editor;
  const { insertFragment } = editor;

  editor.isInline = (element) => element.type === 'link' || isInline(element);
  editor.isVoid = (element) => element.type === 'image' || isVoid(element);
  editor.normalizeNode = (entry, options) => {
    if (!correct(editor, entry)) normalizeNode(entry, options);
  };
  editor.insertBreak = () => {
    if (!breakBlock(editor)) insertBreak();
  };
  editor.insertSoftBreak = () => editor.insertText('\n');
  editor.deleteBackward = (unit) => {
    if (!becomePlain(editor)) deleteBackward(unit);
  };
  editor.deleteFragment = (options) => {
    keepingCaret(editor, () => deleteFragment(options));
    const [only] = editor.children;
    // An emptied document has no format left.
    if (editor.children.length === 1 && Element.isElement(only) && !editor.isVoid(only) && isEmptyBlock([only, [0]])) {
      setBlocks(editor, { type: 'paragraph' });
      for (const mark of MARKS) editor.removeMark(mark);
    }
  };
  const { undo, redo } = editor;
  editor.undo = () => replay(editor, editor.history.undos.at(-1), undo);
  editor.redo = () => replay(editor, editor.history.redos.at(-1), redo);
  editor.insertText = (words, options) => {
    insertText(words, options);
    // A step of its own, so that undo restores the signs.
    if (words === ' ') HistoryEditor.withNewBatch(editor, () => applySign(editor));
    else if (endsSign(words)) HistoryEditor.withNewBatch(editor, () => applyInlineSign(editor));
  };
  editor.insertData = (data) => {
    const block = currentBlock(editor);
    const plain = data.getData('text/plain');
    const isUrl = /^\S+$/.test(plain.trim()) && ADDRESS.test(plain.trim()) && !plain.trim().startsWith('/');
    if (block && LINES.has(block[0].type)) {
      editor.insertText(plain.replaceAll(/\r\n?/g, '\n'));
    } else if (isUrl && editor.selection && Range.isExpanded(editor.selection)) {
      setLink(editor, plain.trim(), '');
    } else if (data.getData('application/x-slate-fragment') !== '' || !take(data)) {
      insertData(data);
    }
  };
  // Blocks on the clipboard may come from another editor.
  editor.insertFragment = (fragment, options) =>
    insertFragment(cleaned(Node.isNode(fragment) ? [fragment] : fragment), options);
  return editor;
}

/**
 * Runs a function and makes sure that there is a caret afterwards if there was one. Slate loses it with the only block,
 * or with pictures at both ends.
 */
function keepingCaret(editor: BlocksEditor, act: () => void): void {
  const hadCaret = editor.selection !== null;
  act();
  if (hadCaret && !editor.selection) Transforms.select(editor, Editor.start(editor, [0]));
}

/**
 * Undoes or redoes a step without a selection. Otherwise, a step with many blocks would move the selection through the
 * whole document.
 */
function replay(
  editor: BlocksEditor,
  step: { readonly selectionBefore: Range | null } | undefined,
  act: () => void,
): void {
  if (!step) return;
  keepingCaret(editor, () => {
    const hadSelection = editor.selection !== null;
    Transforms.deselect(editor);
    act();
    const { selectionBefore: range } = step;
    const isThere = range && Node.has(editor, range.anchor.path) && Node.has(editor, range.focus.path);
    // Redo may have restored the caret.
    if (hadSelection && !editor.selection && isThere) Transforms.select(editor, range);
  });
}

/** Corrects one violation of the structure. Returns whether there was one. */
function correct(editor: BlocksEditor, [node, path]: NodeEntry): boolean {
  if (Editor.isEditor(node)) {
    if (node.children.length > 0) return correctTop(editor);
    Transforms.insertNodes(editor, paragraph(), { at: [0] });
    return true;
  }
  if (!Element.isElement(node)) return false;
  switch (node.type) {
    // Slate leaves this when the only block is removed.
    case undefined:
      Transforms.setNodes(editor, { type: 'paragraph' }, { at: path });
      return true;
    case 'list':
      return correctList(editor, node, path);
    case 'list-item':
      return correctItem(editor, node, path);
    case 'link':
      return correctLink(editor, node, path);
    case 'code':
      return unwrapWithin(editor, node, path);
    default:
      return false;
  }
}

/** Wraps texts and links at the top in paragraphs. */
function correctTop(editor: BlocksEditor): boolean {
  const at = editor.children.findIndex((node) => Text.isText(node) || editor.isInline(node));
  if (at < 0) return false;
  Transforms.wrapNodes(editor, paragraph([]), { at: [at] });
  return true;
}

function correctList(editor: BlocksEditor, node: ElementNode, path: Path): boolean {
  const wrong = node.children.findIndex(
    (child) => !Element.isElement(child) || (child.type !== 'list-item' && child.type !== 'list'),
  );
  if (wrong >= 0) {
    const child = node.children[wrong]!;
    const at = [...path, wrong];
    if (Text.isText(child) && node.children.length === 1 && child.text === '')
      Transforms.removeNodes(editor, { at: path });
    else if (Element.isElement(child) && !editor.isInline(child) && !editor.isVoid(child)) {
      Transforms.setNodes(editor, { type: 'list-item' }, { at });
    } else if (Element.isElement(child) && editor.isVoid(child)) Transforms.liftNodes(editor, { at });
    else Transforms.wrapNodes(editor, { type: 'list-item', children: [] }, { at });
    return true;
  }
  const [parent] = Editor.parent(editor, path);
  const level = Element.isElement(parent) && parent.type === 'list' ? (parent.indentLevel ?? 0) + 1 : 0;
  if ((node.indentLevel ?? 0) === level) return false;
  if (level === 0) Transforms.unsetNodes(editor, 'indentLevel', { at: path });
  else Transforms.setNodes(editor, { indentLevel: level }, { at: path });
  return true;
}

function correctItem(editor: BlocksEditor, node: ElementNode, path: Path): boolean {
  const [parent] = Editor.parent(editor, path);
  if (!Element.isElement(parent) || parent.type !== 'list') {
    Transforms.setNodes(editor, { type: 'paragraph' }, { at: path });
    return true;
  }
  const block = node.children.findIndex((child) => Element.isElement(child) && !editor.isInline(child));
  if (block < 0) return false;
  const child = node.children[block] as ElementNode;
  // A list within an item moves behind the item.
  if (child.type === 'list') Transforms.moveNodes(editor, { at: [...path, block], to: Path.next(path) });
  else Transforms.unwrapNodes(editor, { at: [...path, block] });
  return true;
}

function correctLink(editor: BlocksEditor, node: ElementNode, path: Path): boolean {
  if (Node.string(node) === '') {
    Transforms.removeNodes(editor, { at: path });
    return true;
  }
  return unwrapWithin(editor, node, path);
}

/** Unwraps the elements of a node that may only contain texts. */
function unwrapWithin(editor: BlocksEditor, node: ElementNode, path: Path): boolean {
  const inner = node.children.findIndex((child) => Element.isElement(child));
  if (inner < 0) return false;
  Transforms.unwrapNodes(editor, { at: [...path, inner] });
  return true;
}

/** Handles Enter. Returns false if Slate's default applies, a new block of the same kind. */
function breakBlock(editor: BlocksEditor): boolean {
  const entry = currentBlock(editor);
  const { selection } = editor;
  if (!entry || !selection) return false;
  const [block, path] = entry;
  if (editor.isVoid(block)) {
    Transforms.insertNodes(editor, paragraph(), { at: Path.next(path), select: true });
    return true;
  }
  const isAtEnd = Range.isCollapsed(selection) && Editor.isEnd(editor, selection.anchor, path);
  if (block.type === 'list-item') return isEmptyBlock(entry) && outdent(editor, true);
  if (LINES.has(block.type)) {
    if (isAtEnd && /(?:^|\n)$/.test(Node.string(block))) return leaveLines(editor, path);
    editor.insertText('\n');
    return true;
  }
  if (block.type === 'paragraph' && isAtEnd && Node.string(block) === CODE) return applySign(editor);
  if (block.type !== 'heading' || !isAtEnd) return false;
  Transforms.insertNodes(editor, paragraph(), { at: Path.next(path), select: true });
  return true;
}

/** Inserts a paragraph after a block. An empty last line, with which the user leaves code or a quote, is removed. */
export function leaveLines(editor: BlocksEditor, path: Path): true {
  Editor.withoutNormalizing(editor, () => {
    const end = Editor.end(editor, path);
    const before = Editor.before(editor, end, { unit: 'character' });
    const last = before && Path.isAncestor(path, before.path) ? { anchor: before, focus: end } : undefined;
    if (last && Editor.string(editor, last) === '\n') Transforms.delete(editor, { at: last });
    Transforms.insertNodes(editor, paragraph(), { at: Path.next(path), select: true });
  });
  return true;
}

/** Turns a block into a paragraph when Backspace is pressed at its beginning. */
function becomePlain(editor: BlocksEditor): boolean {
  const entry = currentBlock(editor);
  const { selection } = editor;
  if (!entry || !selection || !Range.isCollapsed(selection)) return false;
  const [block, path] = entry;
  if (block.type === 'paragraph' || editor.isVoid(block)) return false;
  if (!Point.equals(selection.anchor, Editor.start(editor, path))) return false;
  if (block.type === 'list-item') return outdent(editor, true);
  setBlocks(editor, { type: 'paragraph' });
  return true;
}

type Sign = (editor: BlocksEditor) => void;

/** Starts code, before a space as well as before Enter. */
const CODE = '```';

/** The signs at the beginning of a paragraph, which apply with the following space. */
const SIGNS: readonly (readonly [RegExp, (match: RegExpExecArray) => Sign])[] = [
  [
    /^#{1,6}$/,
    ([signs]) =>
      (editor) =>
        setBlocks(editor, { type: 'heading', level: signs.length }),
  ],
  [/^[-*+]$/, () => (editor) => toggleList(editor, 'unordered')],
  [/^1[.)]$/, () => (editor) => toggleList(editor, 'ordered')],
  [/^>$/, () => (editor) => setBlocks(editor, { type: 'quote' })],
  [/^```$/, () => (editor) => setBlocks(editor, { type: 'code', language: 'plaintext' })],
];

function applySign(editor: BlocksEditor): boolean {
  const entry = currentBlock(editor);
  const { selection } = editor;
  if (entry?.[0].type !== 'paragraph' || !selection || !Range.isCollapsed(selection)) return false;
  const range = { anchor: Editor.start(editor, entry[1]), focus: selection.anchor };
  const written = Editor.string(editor, range).replace(/ $/, '');
  for (const [pattern, make] of SIGNS) {
    const matched = pattern.exec(written);
    if (!matched) continue;
    Transforms.delete(editor, { at: range });
    make(matched)(editor);
    return true;
  }
  return false;
}

/** Handles Tab within lists. Otherwise Tab moves the focus, so that the keyboard is never trapped. */
export function tab(editor: BlocksEditor, isBack: boolean): boolean {
  if (!elementAround(editor, 'list-item')) return false;
  return isBack ? outdent(editor) : indent(editor);
}
