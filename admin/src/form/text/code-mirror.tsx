/** A text editor (CodeMirror) as a React control. */

import { defaultKeymap, history, historyKeymap, redo } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension, RangeSetBuilder, Transaction } from '@codemirror/state';
import { Decoration, EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { beginsWord, difference, PAUSE } from '../../keys/text-history.ts';
import { classes } from '../../ui/classes.ts';
import { useField } from '../../ui/field.tsx';
import type { TextDirection } from '../text-direction.ts';
import { marginsOf } from './reveal.ts';
import styles from './text.module.css';

interface Props {
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly readOnly: boolean;
  /** The language and its keys. It must not change while the editor exists. */
  readonly extensions: Extension;
  readonly look: 'prose' | 'code';
  /** The direction of prose; code runs from left to right. */
  readonly writing?: TextDirection;
  readonly hint?: string | undefined;
  /** Receives the editor, for a toolbar beside it. */
  readonly view?: RefObject<EditorView | null>;
}

/** Whether an edit continues the previous undo step. */
function continuesStep({ startState, changes }: Transaction, isAdjacent: boolean): boolean {
  let isOneWord = true;
  changes.iterChanges((from, _to, _fromNow, _toNow, inserted) => {
    if (beginsWord(startState.sliceDoc(Math.max(0, from - 1), from), inserted.toString())) isOneWord = false;
  });
  return isAdjacent && isOneWord;
}

/** Tab leaves the editor, as any other field. */
export function CodeMirror({
  value,
  onText,
  readOnly,
  extensions,
  look,
  writing,
  hint,
  view: viewRef,
}: Props): ReactNode {
  const ties = useField();
  const place = useRef<HTMLDivElement>(null);
  const own = useRef<EditorView>(null);
  const latest = useRef(onText);
  latest.current = onText;
  const changing = useRef(new Compartment());

  const describedBy = ties?.['aria-describedby'];
  const attributes = EditorView.contentAttributes.of({
    ...(ties && { id: ties.id, 'aria-labelledby': `${ties.id}-label` }),
    ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
    ...(ties?.['aria-invalid'] && { 'aria-invalid': 'true' }),
    ...(readOnly && { 'aria-readonly': 'true' }),
    spellcheck: look === 'prose' ? 'true' : 'false',
    ...(writing?.dir === 'auto' ? {} : { dir: writing?.dir ?? 'ltr' }),
    ...(writing?.lang !== undefined && { lang: writing.lang }),
  });
  const current: Extension = [
    EditorState.readOnly.of(readOnly),
    attributes,
    writing?.dir === 'auto' ? eachLineByItself : [],
  ];
  const first = useRef({ value, current, extensions, hint, given: viewRef });

  useEffect(() => {
    const { value: text, current: atFirst, extensions: more, hint: words, given: out } = first.current;
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          more,
          history({ newGroupDelay: PAUSE, joinToEvent: continuesStep }),
          keymap.of([...defaultKeymap, ...historyKeymap, { key: 'Mod-Shift-z', run: redo, preventDefault: true }]),
          EditorView.lineWrapping,
          EditorView.scrollMargins.of(() => place.current && marginsOf(place.current)),
          editorStyle,
          words === undefined ? [] : placeholder(words),
          changing.current.of(atFirst),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.isUserEvent('outside'))) {
              latest.current(update.state.doc.toString());
            }
          }),
        ],
      }),
    });
    own.current = view;
    if (out) out.current = view;
    return () => {
      view.destroy();
      own.current = null;
      if (out) out.current = null;
    };
  }, []);

  const key = `${readOnly} ${ties?.id} ${describedBy} ${ties?.['aria-invalid']} ${writing?.dir} ${writing?.lang}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes with the inputs
  useEffect(() => {
    own.current?.dispatch({ effects: changing.current.reconfigure(current) });
  }, [key]);

  useEffect(() => {
    const view = own.current;
    if (!view || view.state.doc.toString() === value) return;
    const { at, removed, inserted } = difference(view.state.doc.toString(), value);
    view.dispatch({
      changes: { from: at, to: at + removed.length, insert: inserted },
      userEvent: 'outside',
      // Changes from elsewhere cannot be undone here.
      annotations: Transaction.addToHistory.of(false),
    });
  }, [value]);

  return <div ref={place} className={classes(styles['editor'], styles[look], readOnly && styles['fixed'])} />;
}

const byItself = Decoration.line({ attributes: { dir: 'auto' } });

const eachLineByItself: Extension = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of(({ state: { doc }, visibleRanges }) => {
    const lines = new RangeSetBuilder<Decoration>();
    let next = 0;
    for (const { from, to } of visibleRanges) {
      for (let at = Math.max(from, next); at <= to; at = next) {
        const line = doc.lineAt(at);
        lines.add(line.from, line.from, byItself);
        next = line.to + 1;
      }
    }
    return lines.finish();
  }),
];

const frame = EditorView.theme({
  '&': { fontSize: 'inherit', color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { lineHeight: 'inherit', fontFamily: 'inherit' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
});

const words = HighlightStyle.define([
  { tag: tags.heading, fontFamily: 'var(--sans)', fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.processingInstruction, tags.meta, tags.contentSeparator], color: 'var(--ink-3)' },
  { tag: [tags.link, tags.url, tags.labelName], color: 'var(--accent)' },
  { tag: [tags.monospace, tags.propertyName], fontFamily: 'var(--mono)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--changed-ink)' },
  { tag: tags.string, color: 'var(--live-ink)' },
  { tag: tags.quote, color: 'var(--ink-2)' },
]);

/** The style of prose and code. */
const editorStyle: Extension = [frame, syntaxHighlighting(words)];
