/** The editor of blocks documents. */

import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { createEditor, Editor, Path, Range, Transforms } from 'slate';
import { withHistory } from 'slate-history';
import { Editable, ReactEditor, type RenderPlaceholderProps, Slate, useSlate, withReact } from 'slate-react';
import { IS_MAC } from '../../keys/keys.ts';
import { useText } from '../../language/language.tsx';
import { useMayFiles } from '../../media/data.ts';
import { MediaPicker } from '../../media/picker.tsx';
import { useField } from '../../ui/field.tsx';
import unseen from '../../ui/unseen.module.css';
import type { ControlProps } from '../host.ts';
import { PasteNotices } from '../pasted/paste-notices.tsx';
import { PICTURES } from '../pasted/use-pasting.ts';
import { AlternativeDialog } from '../pictures/alternative-dialog.tsx';
import { MissingAlternatives, useMissingAlternatives } from '../pictures/missing-alternatives.tsx';
import { reveal } from '../text/reveal.ts';
import { useTextDirection } from '../text-direction.ts';
import type { MediaFile } from '../values/links.ts';
import { same } from '../values/same.ts';
import { BlockHandle, blockAt } from './block-handle.tsx';
import styles from './blocks.module.css';
import { BlocksToolbar } from './blocks-toolbar.tsx';
import { currentBlock, insertPictures, toggleMark } from './commands.ts';
import { BlockElement, DescribeContext, Leaf } from './elements.tsx';
import { withCarets, withSteps } from './history.ts';
import { type Moved, moveByOne } from './move-blocks.ts';
import { type BlocksEditor, editable, type Mark, stored } from './nodes.ts';
import { pictureOfFile } from './pictures.ts';
import { missingAlternatives } from './placed-picture.ts';
import { useSlashMenu } from './slash-menu.tsx';
import { useBlocksPasting } from './use-blocks-pasting.ts';
import { leaveLines, tab, withBlocks } from './with-blocks.ts';

export function BlocksControl(props: ControlProps): ReactNode {
  const { value } = props;
  // A value from elsewhere, such as a change that was taken back, replaces the editor and its history.
  const last = useRef(value);
  const version = useRef(0);
  if (value !== last.current && !same(value ?? null, last.current ?? null)) version.current += 1;
  last.current = value;
  return (
    <Writing
      key={version.current}
      {...props}
      onValue={(next) => {
        last.current = next;
        props.onValue(next);
      }}
    />
  );
}

const KEYS: Readonly<Record<string, Mark>> = { b: 'bold', i: 'italic', u: 'underline', e: 'code' };

function Writing({ attribute, path, value, readOnly, onValue }: ControlProps): ReactNode {
  const may = useMayFiles();
  // The callbacks of the latest render.
  const latest = useRef<{ take: (data: DataTransfer) => boolean; slash: () => void }>({
    take: () => false,
    slash: () => {},
  });
  const editor = useMemo(() => {
    const base = withBlocks(withCarets(withHistory(withReact(createEditor()))), (data) => latest.current.take(data));
    return withSteps(withSlash(base, () => latest.current.slash()));
  }, []);
  const [initial] = useState(() => editable(value));
  const asking = useMissingAlternatives();
  const { takeText, handlers, notices } = useBlocksPasting(editor, path, asking.ask);
  latest.current.take = takeText;
  const [choosing, setChoosing] = useState<{ readonly at: Range | null }>();
  const choosePicture = may.read ? () => setChoosing({ at: editor.selection }) : undefined;
  const [announcement, announce] = useState('');
  const goOn = (at: Range | null): void => {
    Transforms.select(editor, at ?? Editor.end(editor, []));
    ReactEditor.focus(editor);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only sees the focus leave the text
    <div
      className={styles['page']}
      onBlur={({ relatedTarget }) => {
        // Slate ignores losing the focus while it updates the selection, and would take the focus back later.
        if (relatedTarget && !relatedTarget.closest('[data-slate-editor]')) ReactEditor.blur(editor);
      }}
    >
      <DescribeContext value={asking.describe}>
        <Slate editor={editor} initialValue={initial} onValueChange={(nodes) => onValue(stored(nodes))}>
          {!readOnly && <BlocksToolbar name={attribute.label} onPicture={choosePicture} />}
          <Sheet
            attribute={attribute}
            readOnly={readOnly}
            handlers={handlers}
            latest={latest}
            onPicture={choosePicture}
            say={announce}
          />
        </Slate>
      </DescribeContext>
      {!readOnly && (
        <>
          <p role="status" className={unseen['unseen']}>
            {announcement}
          </p>
          <div className={styles['below']}>
            <PasteNotices {...notices} />
            <MissingAlternatives pictures={asking.missing} onAnswer={asking.answer} onLeave={asking.leave} />
          </div>
        </>
      )}
      {asking.describing && (
        <AlternativeDialog
          url={asking.describing.url}
          text={asking.describing.text}
          onClose={() => {
            asking.closed();
            ReactEditor.focus(editor);
          }}
          onSet={(words) => {
            asking.describing!.describe(words);
            asking.closed();
            ReactEditor.focus(editor);
          }}
        />
      )}
      {choosing && (
        <MediaPicker
          open
          multiple
          allowedTypes={PICTURES}
          chosen={NONE}
          onClose={() => setChoosing(undefined)}
          onChoose={(files) => {
            setChoosing(undefined);
            goOn(choosing.at);
            asking.ask(missingAlternatives(editor, insertPictures(editor, files.map(pictureOfFile))));
          }}
        />
      )}
    </div>
  );
}

const NONE: readonly MediaFile[] = [];

interface SheetProps extends Pick<ControlProps, 'attribute' | 'readOnly'> {
  readonly handlers: object;
  readonly latest: RefObject<{ slash: () => void }>;
  readonly onPicture: (() => void) | undefined;
  /** Announces a text to screen readers. */
  readonly say: (text: string) => void;
}

/** The editable text with its handles and menus. */
function Sheet({ attribute, readOnly, handlers, latest, onPicture, say }: SheetProps): ReactNode {
  const t = useText();
  const ties = useField();
  const { dir, lang } = useTextDirection();
  const editor = useSlate();
  const helpId = useId();
  const [hovered, setHovered] = useState<number>();
  const slash = useSlashMenu(editor, onPicture);
  latest.current.slash = slash.onSlash;
  const sayMoved = (moved: Moved | undefined, step: -1 | 1 = 1): void =>
    say(
      moved
        ? t('blocks.moved', { place: moved.place, count: moved.count })
        : t(step < 0 ? 'blocks.moved.first' : 'blocks.moved.last'),
    );
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    const isMove = step !== undefined && event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (slash.onKey(event)) return;
    if (isMove && !readOnly) {
      event.preventDefault();
      sayMoved(moveByOne(editor, step), step);
    } else onKeyDown(editor, event);
  };
  const describedBy = [ties?.['aria-describedby'], !readOnly && helpId].filter(Boolean).join(' ');
  return (
    // The handle follows the mouse; the keyboard does not need it.
    <div
      className={styles['sheet']}
      onPointerMove={({ pointerType, clientY }) => pointerType === 'mouse' && setHovered(blockAt(editor, clientY))}
      onPointerLeave={() => setHovered(undefined)}
    >
      <Editable
        id={ties?.id}
        // If the locale does not determine the direction, each block has its own.
        dir={dir === 'auto' ? undefined : dir}
        lang={lang}
        className={styles['text']}
        readOnly={readOnly}
        renderElement={BlockElement}
        renderLeaf={Leaf}
        renderPlaceholder={Placeholder}
        placeholder={readOnly ? '' : (attribute.placeholder ?? t('blocks.write'))}
        aria-labelledby={`${ties?.id}-label`}
        aria-describedby={describedBy || undefined}
        aria-invalid={ties?.['aria-invalid']}
        spellCheck
        scrollSelectionIntoView={(_, selected) => revealSelection(editor, selected)}
        onKeyDown={onKey}
        {...slash.ties}
        {...(!readOnly && handlers)}
      />
      {!readOnly && (
        <>
          <p id={helpId} hidden>
            {t('blocks.help')}
          </p>
          <BlockHandle hovered={hovered} onMoved={sayMoved} />
          {slash.menu}
        </>
      )}
    </div>
  );
}

/** Calls onSlash after `/` was typed. */
function withSlash(editor: BlocksEditor, onSlash: () => void): BlocksEditor {
  const { insertText } = editor;
  editor.insertText = (words, options) => {
    insertText(words, options);
    if (words === '/') onSlash();
  };
  return editor;
}

/** Scrolls to the end of the selection that is being moved. */
function revealSelection(editor: BlocksEditor, selected: globalThis.Range): void {
  const end = selected.cloneRange();
  end.collapse(editor.selection !== null && Range.isBackward(editor.selection));
  const { startContainer } = end;
  const element = startContainer instanceof HTMLElement ? startContainer : startContainer.parentElement;
  // A caret in an empty line has no rectangle.
  const [rect = element?.getBoundingClientRect()] = end.getClientRects();
  if (rect) reveal(ReactEditor.toDOMNode(editor, editor), rect);
}

function onKeyDown(editor: BlocksEditor, event: KeyboardEvent): void {
  if (event.nativeEvent.isComposing) return;
  const isMod = (IS_MAC ? event.metaKey : event.ctrlKey) && !event.altKey;
  const key = event.key.toLowerCase();
  const mark = isMod && (event.shiftKey ? (key === 'x' ? 'strikethrough' : undefined) : KEYS[key]);
  if (mark) {
    event.preventDefault();
    toggleMark(editor, mark);
    return;
  }
  if (isMod && key === 'a' && !event.shiftKey) {
    // On a busy page, the next key arrives before the browser reports a selection of its own.
    event.preventDefault();
    Transforms.select(editor, Editor.range(editor, []));
  }
  if (event.key === 'Tab' && !isMod && tab(editor, event.shiftKey)) event.preventDefault();
  if (isMod && event.key === 'Enter') {
    const block = currentBlock(editor);
    if (!block || Path.equals(block[1], [])) return;
    event.preventDefault();
    leaveLines(editor, [block[1][0]!]);
  }
}

/** Slate's own placeholder has too little contrast. */
function Placeholder({ attributes, children }: RenderPlaceholderProps): ReactElement {
  const { style, ...rest } = attributes;
  return (
    <span {...rest} style={{ ...style, opacity: 1 }} className={styles['placeholder']}>
      {children}
    </span>
  );
}
