/** How texts look in editors: by the tokens of the app, in both themes. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

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

/** For texts that are read as such, and for code. */
export const editorStyle: Extension = [frame, syntaxHighlighting(words)];
