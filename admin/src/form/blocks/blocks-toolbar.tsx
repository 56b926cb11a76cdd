/** The toolbar of a blocks document, which also shows the formats of the selection. */
import { type ReactNode, useState } from 'react';
import { Editor, type Range, Transforms } from 'slate';
import { ReactEditor, useSlate } from 'slate-react';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import type { Icon } from '../../ui/icon.tsx';
import { icon } from '../../ui/icon.tsx';
import { Bold, Code, Image, Italic, Link, List, ListOrdered } from '../../ui/icons.ts';
import { Toolbar } from '../text/toolbar.tsx';
import styles from './blocks.module.css';
import {
  currentBlock,
  currentLink,
  elementAround,
  hasMark,
  removeLink,
  setBlocks,
  setLink,
  toggleList,
  toggleMark,
} from './commands.ts';
import { LinkDialog } from './link-dialog.tsx';
import type { ElementNode, Mark } from './nodes.ts';

const Underline = icon([
  ['path', { d: 'M6 4v6a6 6 0 0 0 12 0V4' }],
  ['path', { d: 'M4 20h16' }],
]);
const Strikethrough = icon([
  ['path', { d: 'M16 5.5A5 3.6 0 0 0 12 4c-3 0-5 1.6-5 3.8 0 1.7 1.2 2.9 3 3.6' }],
  ['path', { d: 'M14.5 13.5c1.600.6 2.500 1.600 2.500 2.900C17 18.500 15 20 12 20c-2 0-3.800-.700-5-2' }],
  ['path', { d: 'M4 12h16' }],
]);

const MARK_TOOLS: readonly { readonly mark: Mark; readonly icon: Icon }[] = [
  { mark: 'bold', icon: Bold },
  { mark: 'italic', icon: Italic },
  { mark: 'underline', icon: Underline },
  { mark: 'strikethrough', icon: Strikethrough },
  { mark: 'code', icon: Code },
];

const LANGUAGES = (
  'plaintext bash c cpp csharp css diff go graphql html java javascript json jsx kotlin markdown php python ruby rust ' +
  'scss sql swift tsx typescript xml yaml'
).split(' ');

const LEVELS = [1, 2, 3, 4, 5, 6] as const;

/** The value of a block in the select of kinds: `heading-2`. */
function kindOf({ type, level }: Pick<ElementNode, 'type' | 'level'>): string {
  if (type === 'heading') return `heading-${level ?? 1}`;
  return type === 'quote' || type === 'code' ? type : 'paragraph';
}

function blockOf(kind: string): Omit<ElementNode, 'children'> {
  const level = /^heading-(\d)$/.exec(kind)?.[1];
  if (level !== undefined) return { type: 'heading', level: Number(level) };
  if (kind === 'code') return { type: 'code', language: 'plaintext' };
  return { type: kind === 'quote' ? 'quote' : 'paragraph' };
}

interface Props {
  readonly name: string;
  /** Opens the picker; undefined if the administrator may not use files. */
  readonly onPicture: (() => void) | undefined;
}

export function BlocksToolbar({ name, onPicture }: Props): ReactNode {
  const t = useText();
  const editor = useSlate();
  const block = currentBlock(editor)?.[0];
  const format = elementAround(editor, 'list')?.[0].format;
  const [linking, setLinking] = useState<Range>();
  const link = currentLink(editor)?.[0];
  // A command applies to the selection, and the focus returns to the text.
  const act = (action: () => void): void => {
    if (!editor.selection) Transforms.select(editor, Editor.end(editor, []));
    action();
    ReactEditor.focus(editor);
  };
  const backTo = (at: Range | null): void => {
    Transforms.select(editor, at ?? Editor.end(editor, []));
    ReactEditor.focus(editor);
  };
  const language = block?.type === 'code' ? (block.language ?? 'plaintext') : undefined;
  return (
    <Toolbar label={t('text.tools', { name })}>
      <select
        className={styles['kind']}
        aria-label={t('blocks.kind')}
        value={kindOf(block ?? { type: 'paragraph' })}
        onChange={({ target }) => act(() => setBlocks(editor, blockOf(target.value)))}
      >
        <option value="paragraph">{t('blocks.paragraph')}</option>
        {LEVELS.map((level) => (
          <option key={level} value={`heading-${level}`}>
            {t('blocks.heading', { level })}
          </option>
        ))}
        <option value="quote">{t('blocks.quote')}</option>
        <option value="code">{t('blocks.code')}</option>
      </select>
      {language !== undefined && (
        <select
          className={styles['kind']}
          aria-label={t('blocks.language')}
          value={language}
          onChange={({ target }) => act(() => Transforms.setNodes(editor, { language: target.value }))}
        >
          {(LANGUAGES.includes(language) ? LANGUAGES : [...LANGUAGES, language]).map((one) => (
            <option key={one} value={one}>
              {one === 'plaintext' ? t('blocks.language.none') : one}
            </option>
          ))}
        </select>
      )}
      {MARK_TOOLS.map(({ mark, icon: Sign }) => (
        <IconButton
          key={mark}
          icon={Sign}
          label={t(`text.${mark}`)}
          aria-pressed={hasMark(editor, mark)}
          onMouseDown={keepSelection}
          onClick={() => act(() => toggleMark(editor, mark))}
        />
      ))}
      <IconButton
        icon={List}
        label={t('text.list')}
        aria-pressed={format === 'unordered'}
        onMouseDown={keepSelection}
        onClick={() => act(() => toggleList(editor, 'unordered'))}
      />
      <IconButton
        icon={ListOrdered}
        label={t('text.numbered')}
        aria-pressed={format === 'ordered'}
        onMouseDown={keepSelection}
        onClick={() => act(() => toggleList(editor, 'ordered'))}
      />
      <IconButton
        icon={Link}
        label={t(link ? 'blocks.link.edit' : 'text.link')}
        aria-pressed={link !== undefined}
        onMouseDown={keepSelection}
        onClick={() => setLinking(editor.selection ?? Editor.range(editor, Editor.end(editor, [])))}
      />
      {onPicture && <IconButton icon={Image} label={t('text.image')} onMouseDown={keepSelection} onClick={onPicture} />}
      {linking && (
        <LinkDialog
          url={link?.url ?? ''}
          words={Editor.string(editor, linking)}
          isNew={!link}
          onClose={() => {
            setLinking(undefined);
            backTo(linking);
          }}
          onSet={(url, words) => {
            setLinking(undefined);
            backTo(linking);
            setLink(editor, url, words);
          }}
          onRemove={() => {
            setLinking(undefined);
            backTo(linking);
            removeLink(editor);
          }}
        />
      )}
    </Toolbar>
  );
}

/** A mouse press on a button would take the focus and the selection from the text. */
function keepSelection(event: { preventDefault(): void }): void {
  event.preventDefault();
}
