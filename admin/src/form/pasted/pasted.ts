/** Pasted content, before it becomes Markdown or blocks. */

export const MARKS = ['bold', 'strikethrough', 'italic', 'underline', 'code'] as const;
export type Mark = (typeof MARKS)[number];
export type Marks = Readonly<Partial<Record<Mark, true | undefined>>>;

export interface Words {
  readonly type: 'words';
  /** With `\n` for line breaks. */
  readonly text: string;
  readonly marks: Marks;
}

export interface PastedLink {
  readonly type: 'link';
  /** An address that the server accepts and that executes nothing. */
  readonly url: string;
  readonly words: readonly Words[];
}

export interface PastedPicture {
  readonly type: 'picture';
  /** The address of the picture, as it was pasted. */
  readonly source: string;
  readonly alternative: string;
}

export type Inline = Words | PastedLink | PastedPicture;
export type Line = readonly Inline[];

export interface PastedItem {
  readonly line: Line;
  /** In task lists: whether the task is done. */
  readonly isDone?: boolean;
  readonly blocks: readonly PastedBlock[];
}

export interface PastedList {
  readonly type: 'list';
  readonly format: 'ordered' | 'unordered';
  /** The first number of an ordered list. */
  readonly start?: number;
  readonly items: readonly PastedItem[];
}

export type PastedBlock =
  | { readonly type: 'paragraph'; readonly line: Line }
  | { readonly type: 'heading'; readonly level: number; readonly line: Line }
  | { readonly type: 'quote'; readonly blocks: readonly PastedBlock[] }
  | { readonly type: 'code'; readonly text: string; readonly language: string }
  | PastedList
  /** The first row has the column names. All rows have the same number of cells. */
  | { readonly type: 'table'; readonly rows: readonly (readonly Line[])[] }
  | { readonly type: 'rule' };

/** All lines of blocks, including nested ones. */
export function linesOf(blocks: readonly PastedBlock[]): readonly Line[] {
  return blocks.flatMap((block): readonly Line[] => {
    switch (block.type) {
      case 'paragraph':
      case 'heading':
        return [block.line];
      case 'quote':
        return linesOf(block.blocks);
      case 'list':
        return block.items.flatMap(({ line, blocks: inner }) => [line, ...linesOf(inner)]);
      case 'table':
        return block.rows.flat();
      default:
        return [];
    }
  });
}

/** Whether blocks have no format. Such text may contain Markdown signs that its author typed. */
export function isPlain(blocks: readonly PastedBlock[]): boolean {
  return (
    blocks.every(({ type }) => type === 'paragraph') &&
    linesOf(blocks).every((line) =>
      line.every((one) => one.type === 'words' && Object.values(one.marks).every((isSet) => !isSet)),
    )
  );
}

export const hasText = (line: Line): boolean =>
  line.some((one) =>
    one.type === 'picture' ? true : one.type === 'link' ? hasText(one.words) : one.text.trim() !== '',
  );

/** Removes surrounding white space and merges texts with the same marks. */
export function trimmed(line: Line): Line {
  const merged: Inline[] = [];
  for (const one of line) {
    const last = merged.at(-1);
    if (one.type === 'words' && last?.type === 'words' && haveSameMarks(one.marks, last.marks)) {
      merged[merged.length - 1] = { ...last, text: last.text + one.text };
    } else merged.push(one);
  }
  const [first] = merged;
  if (first?.type === 'words') merged[0] = { ...first, text: first.text.trimStart() };
  const last = merged.at(-1);
  if (last?.type === 'words') merged[merged.length - 1] = { ...last, text: last.text.trimEnd() };
  return merged.filter((one) => one.type !== 'words' || one.text !== '');
}

const haveSameMarks = (a: Marks, b: Marks): boolean => MARKS.every((mark) => Boolean(a[mark]) === Boolean(b[mark]));
