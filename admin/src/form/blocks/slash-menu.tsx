/** The menu that `/` opens: kinds of blocks, filtered by the text after it. The focus stays in the text. */

import * as Radix from '@radix-ui/react-popover';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { Editor, type PointRef, Range, Transforms } from 'slate';
import { HistoryEditor } from 'slate-history';
import { ReactEditor } from 'slate-react';
import { useText } from '../../language/language.tsx';
import floating from '../../ui/floating.module.css';
import type { Icon } from '../../ui/icon.tsx';
import { Code, Heading, Image, List, ListOrdered, Quote, Type } from '../../ui/icons.ts';
import { SuggestionList, useSuggestions } from '../../ui/suggestions.tsx';
import unseen from '../../ui/unseen.module.css';
import styles from './blocks.module.css';
import { currentBlock, setBlocks, setList } from './commands.ts';
import type { BlocksEditor } from './nodes.ts';

interface Choice {
  readonly key: string;
  readonly label: string;
  /** The Markdown sign of the same kind. */
  readonly sign: string;
  readonly icon: Icon;
  readonly run: () => void;
}

export interface SlashMenu {
  /** Called when `/` was typed. */
  readonly onSlash: () => void;
  /** Returns whether the menu has handled the key. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  /** Attributes for the text element. */
  readonly ties: object;
  readonly menu: ReactNode;
}

/** The maximum length of the filter. */
const MOST = 30;
const LEVELS = [1, 2, 3, 4, 5, 6] as const;

/** @param onPicture opens the picker; undefined if the administrator may not use files. */
export function useSlashMenu(editor: BlocksEditor, onPicture: (() => void) | undefined): SlashMenu {
  const t = useText();
  /** The point of the slash that opened the menu. */
  const place = useRef<PointRef>(undefined);
  const [, draw] = useState(0);
  const choices: readonly Choice[] = [
    {
      key: 'paragraph',
      label: t('blocks.paragraph'),
      sign: '',
      icon: Type,
      run: () => setBlocks(editor, { type: 'paragraph' }),
    },
    ...LEVELS.map((level) => ({
      key: `heading-${level}`,
      label: t('blocks.heading', { level }),
      sign: '#'.repeat(level),
      icon: Heading,
      run: () => setBlocks(editor, { type: 'heading', level }),
    })),
    { key: 'list', label: t('text.list'), sign: '-', icon: List, run: () => setList(editor, 'unordered') },
    {
      key: 'numbered',
      label: t('text.numbered'),
      sign: '1.',
      icon: ListOrdered,
      run: () => setList(editor, 'ordered'),
    },
    { key: 'quote', label: t('blocks.quote'), sign: '>', icon: Quote, run: () => setBlocks(editor, { type: 'quote' }) },
    {
      key: 'code',
      label: t('blocks.code'),
      sign: '```',
      icon: Code,
      run: () => setBlocks(editor, { type: 'code', language: 'plaintext' }),
    },
    ...(onPicture ? [{ key: 'picture', label: t('text.image'), sign: '', icon: Image, run: onPicture }] : []),
  ];
  const close = (): void => {
    place.current?.unref();
    place.current = undefined;
    draw((count) => count + 1);
  };
  const filter = textSinceSlash(editor, place.current?.current);
  const needle = filter?.range && filter.text.slice(1).toLocaleLowerCase();
  const found =
    needle === undefined
      ? []
      : choices.filter(
          ({ label, sign }) => label.toLocaleLowerCase().includes(needle) || (needle !== '' && sign === needle),
        );
  const choose = ({ run }: Choice): void => {
    if (!filter) return;
    const { range } = filter;
    close();
    HistoryEditor.withNewBatch(editor, () => {
      Transforms.select(editor, range);
      Transforms.delete(editor);
      run();
    });
  };
  const anchor = useMemo(
    () => ({
      current: {
        getBoundingClientRect: () => {
          const point = place.current?.current;
          const range =
            point &&
            ReactEditor.resolveDOMRange(editor, { anchor: point, focus: { ...point, offset: point.offset + 1 } });
          return range ? range.getBoundingClientRect() : new DOMRect();
        },
        get contextElement() {
          return ReactEditor.toDOMNode(editor, editor);
        },
      },
    }),
    [editor],
  );
  const suggestions = useSuggestions({ found, keyOf: ({ key }) => key, onChoose: choose, onClose: close });
  return {
    onSlash: () => {
      place.current?.unref();
      const { selection } = editor;
      const block = currentBlock(editor)?.[0];
      place.current = undefined;
      if (!selection || !block || block.type === 'code' || Editor.marks(editor)?.code) return;
      const point = { ...selection.anchor, offset: selection.anchor.offset - 1 };
      const before = Editor.before(editor, point);
      const letter = before && Editor.string(editor, { anchor: before, focus: point });
      // Within a word, it is an ordinary character.
      if (letter && !/\s/.test(letter) && !Editor.isStart(editor, point, selection.anchor.path.slice(0, -1))) return;
      place.current = Editor.pointRef(editor, point, { affinity: 'backward' });
      suggestions.goTo(0);
      draw((count) => count + 1);
    },
    onKey: suggestions.onKey,
    ties: suggestions.ties,
    menu: (
      <>
        <p role="status" className={unseen['unseen']}>
          {suggestions.isOpen && t('slash.count', { count: found.length })}
        </p>
        <SuggestionList
          of={suggestions}
          label={t('blocks.kind')}
          className={styles['choices']}
          anchor={<Radix.Anchor virtualRef={anchor} />}
        >
          {({ label, sign, icon: Sign }) => (
            <>
              <Sign size={15} />
              <span className={floating['grow']}>{label}</span>
              {sign !== '' && (
                <span aria-hidden="true" className={styles['sign']}>
                  {sign}
                </span>
              )}
            </>
          )}
        </SuggestionList>
      </>
    ),
  };
}

/** The text from the slash to the caret; undefined if the caret has left it. */
function textSinceSlash(
  editor: BlocksEditor,
  start: PointRef['current'] | undefined,
): { readonly range: Range; readonly text: string } | undefined {
  const { selection } = editor;
  if (!start || !selection || Range.isExpanded(selection)) return undefined;
  const { anchor } = selection;
  if (start.path.join() !== anchor.path.join() || anchor.offset <= start.offset) return undefined;
  const range = { anchor: start, focus: anchor };
  const text = Editor.string(editor, range);
  return text.startsWith('/') && text.length <= MOST ? { range, text } : undefined;
}
