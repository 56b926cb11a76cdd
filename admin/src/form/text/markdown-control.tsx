/** The editor of Markdown, with a toolbar and a preview. */
import { EditorSelection } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../../language/language.tsx';
import type { PlainKey } from '../../language/messages.ts';
import { useMayFiles } from '../../media/data.ts';
import { MediaPicker } from '../../media/picker.tsx';
import { IconButton } from '../../ui/button.tsx';
import type { Icon } from '../../ui/icon.tsx';
import { Bold, Code, Eye, Heading, Image, Italic, Link, List, ListOrdered, Pencil, Quote } from '../../ui/icons.ts';
import type { ControlProps } from '../host.ts';
import { PasteNotices } from '../pasted/paste-notices.tsx';
import { PICTURES } from '../pasted/use-pasting.ts';
import { AlternativeDialog } from '../pictures/alternative-dialog.tsx';
import { MissingAlternatives, useMissingAlternatives } from '../pictures/missing-alternatives.tsx';
import { useTextDirection } from '../text-direction.ts';
import type { MediaFile } from '../values/links.ts';
import { CodeMirror } from './code-mirror.tsx';
import { continueList } from './edit-markdown.ts';
import { markdownLanguage } from './markdown.ts';
import { MarkdownPreview } from './markdown-preview.tsx';
import { pictureAt, placedPicture } from './pictures.ts';
import styles from './text.module.css';
import { Toolbar } from './toolbar.tsx';
import { useMarkdownPasting } from './use-markdown-pasting.ts';

type Command = (view: EditorView) => boolean;

/** Adds signs around the selection, or removes them. */
function surround(before: string, after = before): Command {
  return (view) => {
    view.dispatch(
      view.state.changeByRange(({ from, to }) => {
        const { doc } = view.state;
        const [start, end] = [from - before.length, to + after.length];
        const isAround = start >= 0 && doc.sliceString(start, from) === before && doc.sliceString(to, end) === after;
        if (isAround) {
          return {
            changes: [
              { from: start, to: from },
              { from: to, to: end },
            ],
            range: EditorSelection.range(start, to - before.length),
          };
        }
        return {
          changes: [
            { from, insert: before },
            { from: to, insert: after },
          ],
          range: EditorSelection.range(from + before.length, to + before.length),
        };
      }),
    );
    view.focus();
    return true;
  };
}

/** Adds a sign at the beginning of each selected line, or removes it if all lines have it. */
function prefixLines(sign: (place: number) => string, is: RegExp): Command {
  return (view) => {
    const { doc, selection } = view.state;
    const { from, to } = selection.main;
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    const lines = Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index));
    const isSigned = lines.every(({ text }) => is.test(text));
    view.dispatch({
      changes: lines.map(({ from: start, text }, index) => {
        const old = is.exec(text)?.[0].length ?? 0;
        return { from: start, to: start + old, insert: isSigned ? '' : sign(index + 1) };
      }),
    });
    view.focus();
    return true;
  };
}

const bold = surround('**');
const italic = surround('*');

const TOOLS: readonly { readonly icon: Icon; readonly name: PlainKey; readonly run: Command }[] = [
  { icon: Bold, name: 'text.bold', run: bold },
  { icon: Italic, name: 'text.italic', run: italic },
  { icon: Code, name: 'text.code', run: surround('`') },
  { icon: Link, name: 'text.link', run: surround('[', '](https://)') },
  { icon: Heading, name: 'text.heading', run: prefixLines(() => '## ', /^#{1,6}\s+/) },
  { icon: Quote, name: 'text.quote', run: prefixLines(() => '> ', /^>\s?/) },
  { icon: List, name: 'text.list', run: prefixLines(() => '- ', /^[-*+]\s+/) },
  { icon: ListOrdered, name: 'text.numbered', run: prefixLines((place) => `${place}. `, /^\d+[.)]\s+/) },
];

const EXTENSIONS = [
  markdownLanguage.extension,
  keymap.of([
    { key: 'Mod-b', run: bold },
    { key: 'Mod-i', run: italic },
    { key: 'Enter', run: continueList },
  ]),
];

export function MarkdownControl({ attribute, path, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const writing = useTextDirection();
  const view = useRef<EditorView>(null);
  const [isShown, setShown] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const may = useMayFiles();
  const text = typeof value === 'string' ? value : '';
  // The focus returns to the text after a picture was inserted and its dialogs have closed.
  const [isInserted, setInserted] = useState(false);
  const { describing, missing, ask, answer, leave, describe, closed } = useMissingAlternatives();
  useEffect(() => {
    if (!isInserted || choosing || describing) return;
    setInserted(false);
    view.current?.focus();
  }, [isInserted, choosing, describing]);
  const [isInPicture, setIsInPicture] = useState(false);
  const pasting = useMarkdownPasting(view, path, ask);
  const latest = useRef(pasting);
  latest.current = pasting;
  const [extensions] = useState(() => [
    EXTENSIONS,
    pasting.places.extension,
    EditorView.updateListener.of(({ state }) =>
      setIsInPicture(pictureAt(state, state.selection.main.head) !== undefined),
    ),
    EditorView.domEventHandlers({
      paste: (event) => latest.current.onPaste(event),
      dragover: (event) => latest.current.onDragOver(event),
      drop: (event) => latest.current.onDrop(event),
    }),
  ]);
  const insert = (files: readonly MediaFile[]): void => {
    setChoosing(false);
    setInserted(true);
    pasting.insert(files);
  };
  const describeHere = (): void => {
    const { state } = view.current!;
    const picture = pictureAt(state, state.selection.main.head);
    if (!picture) return;
    describe({ ...placedPicture(() => view.current, pasting.places, picture), text: picture.text });
  };
  const setDescription = (words: string): void => {
    describing?.describe(words);
    closed();
    setInserted(true);
  };
  return (
    <div className={styles['frame']}>
      <Toolbar label={t('text.tools', { name: attribute.label })}>
        {!readOnly &&
          !isShown &&
          TOOLS.map(({ icon, name, run }) => (
            <IconButton key={name} icon={icon} label={t(name)} onClick={() => view.current && run(view.current)} />
          ))}
        {!readOnly && !isShown && (isInPicture || may.read) && (
          <IconButton
            icon={Image}
            label={t(isInPicture ? 'picture.edit' : 'text.image')}
            aria-pressed={isInPicture}
            onClick={() => (isInPicture ? describeHere() : setChoosing(true))}
          />
        )}
        <span className={styles['end']}>
          <IconButton
            icon={isShown ? Pencil : Eye}
            label={t(isShown ? 'text.write' : 'text.preview')}
            onClick={() => setShown(!isShown)}
          />
        </span>
      </Toolbar>
      {isShown ? (
        <div className={styles['preview']}>
          {text.trim() === '' ? <p>{t('text.nothing')}</p> : <MarkdownPreview text={text} />}
        </div>
      ) : (
        <CodeMirror
          look="prose"
          writing={writing}
          value={text}
          readOnly={readOnly}
          hint={attribute.placeholder ?? undefined}
          extensions={extensions}
          view={view}
          onText={(next) => onValue(next === '' ? null : next)}
        />
      )}
      {!readOnly && (
        <div className={styles['below']}>
          <PasteNotices {...pasting.notices} />
          <MissingAlternatives
            pictures={missing}
            onAnswer={(picture) => {
              // The dialog needs the editor.
              setShown(false);
              answer(picture);
            }}
            onLeave={leave}
          />
        </div>
      )}
      {describing && (
        <AlternativeDialog url={describing.url} text={describing.text} onClose={closed} onSet={setDescription} />
      )}
      {choosing && (
        <MediaPicker
          open
          multiple
          allowedTypes={PICTURES}
          chosen={NONE}
          onClose={() => setChoosing(false)}
          onChoose={insert}
        />
      )}
    </div>
  );
}

const NONE: readonly MediaFile[] = [];
