/** Markdown: written as text, with tools for those who do not know its signs, and a preview. */
import { EditorSelection } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../../language/language.tsx';
import type { PlainKey } from '../../language/messages.ts';
import { useMayFiles } from '../../media/data.ts';
import { MediaPicker } from '../../media/picker.tsx';
import { IconButton } from '../../ui/button.tsx';
import type { Icon } from '../../ui/icon.tsx';
import { Bold, Code, Eye, Heading, Image, Italic, Link, List, ListOrdered, Pencil, Quote } from '../../ui/icons.ts';
import type { ControlProps } from '../host.ts';
import type { MediaFile } from '../values/links.ts';
import { useWriting } from '../writing.ts';
import { CodeMirror } from './code-mirror.tsx';
import { continueList } from './list-lines.ts';
import { markdownLanguage } from './markdown.ts';
import { MarkdownPreview } from './markdown-preview.tsx';
import styles from './text.module.css';
import { Toolbar } from './toolbar.tsx';

type Command = (view: EditorView) => boolean;

/** Puts signs around what is chosen, or takes them away. */
function around(before: string, after = before): Command {
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

/** Begins each chosen line with a sign, or takes it away where all have it. */
function atLines(sign: (place: number) => string, is: RegExp): Command {
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

const bold = around('**');
const italic = around('*');

const TOOLS: readonly { readonly icon: Icon; readonly name: PlainKey; readonly run: Command }[] = [
  { icon: Bold, name: 'text.bold', run: bold },
  { icon: Italic, name: 'text.italic', run: italic },
  { icon: Code, name: 'text.code', run: around('`') },
  { icon: Link, name: 'text.link', run: around('[', '](https://)') },
  { icon: Heading, name: 'text.heading', run: atLines(() => '## ', /^#{1,6}\s+/) },
  { icon: Quote, name: 'text.quote', run: atLines(() => '> ', /^>\s?/) },
  { icon: List, name: 'text.list', run: atLines(() => '- ', /^[-*+]\s+/) },
  { icon: ListOrdered, name: 'text.numbered', run: atLines((place) => `${place}. `, /^\d+[.)]\s+/) },
];

const EXTENSIONS = [
  markdownLanguage.extension,
  keymap.of([
    { key: 'Mod-b', run: bold },
    { key: 'Mod-i', run: italic },
    { key: 'Enter', run: continueList },
  ]),
];

export function MarkdownControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const writing = useWriting();
  const view = useRef<EditorView>(null);
  const [isShown, setShown] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const may = useMayFiles();
  const text = typeof value === 'string' ? value : '';
  // writing goes on behind the picture, once nothing lies above the text
  const [isInserted, setInserted] = useState(false);
  useEffect(() => {
    if (!isInserted || choosing) return;
    setInserted(false);
    view.current?.focus();
  }, [isInserted, choosing]);
  const insert = (files: readonly MediaFile[]): void => {
    setChoosing(false);
    setInserted(true);
    const pictures = files.map(({ alternativeText, name, url }) => `![${alternativeText ?? name}](${url})`);
    view.current?.dispatch(view.current.state.replaceSelection(pictures.join('\n')));
  };
  return (
    <div className={styles['frame']}>
      <Toolbar label={t('text.tools', { name: attribute.label })}>
        {!readOnly &&
          !isShown &&
          TOOLS.map(({ icon, name, run }) => (
            <IconButton key={name} icon={icon} label={t(name)} onClick={() => view.current && run(view.current)} />
          ))}
        {!readOnly && !isShown && may.read && (
          <IconButton icon={Image} label={t('text.image')} onClick={() => setChoosing(true)} />
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
          extensions={EXTENSIONS}
          view={view}
          onText={(next) => onValue(next === '' ? null : next)}
        />
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

const PICTURES = ['images'];
const NONE: readonly MediaFile[] = [];
