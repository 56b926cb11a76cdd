/** The commands of the blocks editor. */
import { Editor, Element, Node, type NodeEntry, Path, type PathRef, Range, Transforms } from 'slate';
import type { Values } from '../values/model.ts';
import { type BlocksEditor, type ElementNode, type ListFormat, type Mark, paragraph, text } from './nodes.ts';

type Kind = ElementNode['type'];

/** The nearest element of a kind around the selection, or around `at`. */
export function elementAround(editor: BlocksEditor, kind: Kind, at?: Path): NodeEntry<ElementNode> | undefined {
  if (!editor.selection && !at) return undefined;
  const match = (node: Node): node is ElementNode => Element.isElement(node) && node.type === kind;
  return Editor.above(editor, at ? { match, at } : { match });
}

/** The block that contains the selected text: a paragraph, a heading, a list item. */
export function currentBlock(editor: BlocksEditor): NodeEntry<ElementNode> | undefined {
  if (!editor.selection) return undefined;
  return Editor.above(editor, {
    match: (node): node is ElementNode => Element.isElement(node) && Editor.isBlock(editor, node),
  });
}

export function hasMark(editor: BlocksEditor, mark: Mark): boolean {
  return Editor.marks(editor)?.[mark] === true;
}

export function toggleMark(editor: BlocksEditor, mark: Mark): void {
  if (hasMark(editor, mark)) Editor.removeMark(editor, mark);
  else Editor.addMark(editor, mark, true);
}

/** The properties of a block that depend on its type, and that are removed when the type changes. */
const OWN_KEYS = ['level', 'language', 'format', 'indentLevel'] as const;

/** Turns the selected blocks into paragraphs, headings, quotes or code. */
export function setBlocks(editor: BlocksEditor, props: Omit<ElementNode, 'children'>): void {
  if (!editor.selection) return;
  Editor.withoutNormalizing(editor, () => {
    leaveLists(editor);
    const isBlock = (node: Node) => Element.isElement(node) && Editor.isBlock(editor, node) && node.type !== 'image';
    Transforms.unsetNodes(editor, [...OWN_KEYS], { match: isBlock, mode: 'lowest' });
    Transforms.setNodes(editor, props, { match: isBlock, mode: 'lowest' });
  });
}

/** Moves the selected blocks out of all lists. */
function leaveLists(editor: BlocksEditor): void {
  const match = (node: Node): boolean => Element.isElement(node) && node.type === 'list';
  while (!Editor.nodes(editor, { match }).next().done) Transforms.unwrapNodes(editor, { match, split: true });
}

/**
 * Turns the selected blocks into a list, lists of the same format into paragraphs, and other lists into this format.
 */
export function toggleList(editor: BlocksEditor, format: ListFormat): void {
  const lists = chosenLists(editor);
  if (lists.length > 0 && lists.every(([list]) => list.format === format)) setBlocks(editor, { type: 'paragraph' });
  else setList(editor, format);
}

/** Turns the selected blocks into a list, and lists into this format. */
export function setList(editor: BlocksEditor, format: ListFormat): void {
  const lists = chosenLists(editor);
  if (lists.length > 0) {
    for (const [, at] of lists) Transforms.setNodes(editor, { format }, { at });
  } else {
    Editor.withoutNormalizing(editor, () => {
      setBlocks(editor, { type: 'list-item' });
      const match = (node: Node): boolean => Element.isElement(node) && node.type === 'list-item';
      Transforms.wrapNodes(editor, { type: 'list', format, children: [] }, { match });
    });
  }
}

/** The lists whose items are selected, without the lists around them. */
function chosenLists(editor: BlocksEditor): readonly NodeEntry<ElementNode>[] {
  const match = (node: Node): boolean => Element.isElement(node) && node.type === 'list-item';
  const items = [...Editor.nodes(editor, { match })];
  const lists = items.map(([, path]) => Editor.parent(editor, path) as NodeEntry<ElementNode>);
  return lists.filter(([list], index) => lists.findIndex(([other]) => other === list) === index);
}

/** Indents the item below the previous one. Returns whether there is one. */
export function indent(editor: BlocksEditor): boolean {
  const item = elementAround(editor, 'list-item');
  if (!item || item[1].at(-1) === 0) return false;
  const [, path] = item;
  const [list] = Editor.parent(editor, path) as NodeEntry<ElementNode>;
  const [before, beforePath] = Editor.node(editor, Path.previous(path));
  if (Element.isElement(before) && before.type === 'list') {
    Transforms.moveNodes(editor, { at: path, to: [...beforePath, before.children.length] });
    return true;
  }
  const level = (list.indentLevel ?? 0) + 1;
  Transforms.wrapNodes(
    editor,
    { type: 'list', format: list.format ?? 'unordered', indentLevel: level, children: [] },
    { at: path },
  );
  return true;
}

/**
 * Outdents the item. Items of the outermost list become paragraphs if `out` is set. Returns whether anything has
 * changed.
 */
export function outdent(editor: BlocksEditor, out = false): boolean {
  const item = elementAround(editor, 'list-item');
  if (!item) return false;
  const [, listPath] = Editor.parent(editor, item[1]);
  const isNested = elementAround(editor, 'list', listPath) !== undefined;
  if (!isNested && !out) return false;
  Editor.withoutNormalizing(editor, () => {
    const ref = Editor.pathRef(editor, item[1]);
    Transforms.liftNodes(editor, { at: item[1] });
    if (!isNested && ref.current) Transforms.setNodes(editor, { type: 'paragraph' }, { at: ref.current });
    ref.unref();
  });
  return true;
}

export function isEmptyBlock([node]: NodeEntry<ElementNode>): boolean {
  return Node.string(node) === '';
}

/** The link around the selection. */
export const currentLink = (editor: BlocksEditor): NodeEntry<ElementNode> | undefined => elementAround(editor, 'link');

/** Turns the selected text into a link, or changes the link around it. Without a selection, `words` are inserted. */
export function setLink(editor: BlocksEditor, url: string, words: string): void {
  const link = currentLink(editor);
  if (link) {
    Transforms.setNodes(editor, { url }, { at: link[1] });
    return;
  }
  const { selection } = editor;
  if (!selection) return;
  if (Range.isCollapsed(selection)) {
    Transforms.insertNodes(editor, { type: 'link', url, children: [text(words || url)] });
    Transforms.move(editor, { unit: 'offset' });
    return;
  }
  Transforms.unwrapNodes(editor, { match: isLink, split: true });
  Transforms.wrapNodes(editor, { type: 'link', url, children: [] }, { split: true });
  Transforms.collapse(editor, { edge: 'end' });
}

export function removeLink(editor: BlocksEditor): void {
  Transforms.unwrapNodes(editor, { match: isLink });
}

const isLink = (node: Node): boolean => Element.isElement(node) && node.type === 'link';

/**
 * Inserts pictures after the current block, and a paragraph after them.
 *
 * @returns the paths of the pictures.
 */
export function insertPictures(editor: BlocksEditor, files: readonly Values[]): readonly Path[] {
  const top = editor.selection?.anchor.path[0] ?? editor.children.length - 1;
  const pictures = files.map(imageOf);
  const isLast = top === editor.children.length - 1;
  const here = editor.children[top];
  const replaces =
    here !== undefined && Element.isElement(here) && here.type === 'paragraph' && isEmptyBlock([here, [top]]);
  Editor.withoutNormalizing(editor, () => {
    if (replaces) Transforms.removeNodes(editor, { at: [top] });
    const at = replaces ? top : top + 1;
    Transforms.insertNodes(editor, isLast ? [...pictures, paragraph()] : pictures, { at: [at] });
    Transforms.select(editor, Editor.start(editor, [Math.min(at + pictures.length, editor.children.length - 1)]));
  });
  return pictures.map((_, index) => [(replaces ? top : top + 1) + index]);
}

export const imageOf = (image: Values): ElementNode => ({ type: 'image', image, children: [text()] });

/**
 * Puts a picture in place of an empty paragraph, or before it if it has text by now.
 *
 * @param image undefined if there is none: the empty paragraph is then removed.
 * @returns the path of the picture.
 */
export function fillPlace(editor: BlocksEditor, path: Path, image: Values | undefined): Path | undefined {
  const block = Node.get(editor, path);
  const isEmpty = Element.isElement(block) && block.type === 'paragraph' && isEmptyBlock([block, path]);
  const isLast = path[0] === editor.children.length - 1;
  // A picture needs a paragraph after it.
  const stays = !isEmpty || path.length > 1 || (image ? isLast : editor.children.length === 1);
  if (!stays) Transforms.removeNodes(editor, { at: path });
  if (!image) return undefined;
  const at = path.slice(0, 1);
  Transforms.insertNodes(editor, imageOf(image), { at });
  return at;
}

/**
 * Inserts blocks at the caret. The words of a single paragraph are added to the text; other blocks split it.
 *
 * @param held the indexes of the nodes to track.
 * @returns references to their paths.
 */
export function insertBlocks(
  editor: BlocksEditor,
  nodes: readonly ElementNode[],
  held: readonly number[] = [],
): readonly PathRef[] {
  const { selection } = editor;
  if (!selection) return [];
  let refs: readonly PathRef[] = [];
  Editor.withoutNormalizing(editor, () => {
    if (Range.isExpanded(selection)) Transforms.delete(editor);
    const entry = currentBlock(editor);
    const isWords = nodes.length === 1 && nodes[0]!.type === 'paragraph' && held.length === 0;
    if (isWords || !entry || !editor.selection) {
      Transforms.insertFragment(editor, [...nodes]);
      return;
    }
    const [block, path] = entry;
    const top = path[0]!;
    const isEmpty = block.type === 'paragraph' && isEmptyBlock(entry);
    const { anchor } = editor.selection;
    const [isStart, isEnd] = [Editor.isStart(editor, anchor, [top]), Editor.isEnd(editor, anchor, [top])];
    if (isEmpty) Transforms.removeNodes(editor, { at: [top] });
    else if (!isStart && !isEnd && path.length === 1 && !editor.isVoid(block))
      Transforms.splitNodes(editor, { always: true });
    const at = isEmpty || (isStart && !isEnd) ? top : top + 1;
    // Otherwise, each of many blocks would move the selection.
    Transforms.deselect(editor);
    Transforms.insertNodes(editor, [...nodes], { at: [at] });
    refs = held.map((index) => Editor.pathRef(editor, [at + index]));
    Transforms.select(editor, Editor.end(editor, [at + nodes.length - 1]));
  });
  return refs;
}

/** Sets the alternative text of a picture. */
export function describePicture(editor: BlocksEditor, at: Path, words: string): void {
  const node = Node.get(editor, at);
  if (!Element.isElement(node) || node.type !== 'image') return;
  const image = { ...node.image, alternativeText: words === '' ? null : words };
  Transforms.setNodes(editor, { image }, { at, voids: true });
}
