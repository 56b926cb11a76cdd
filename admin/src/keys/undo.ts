/**
 * Undo and redo in the focused text field only, in steps of words.
 *
 * A browser keeps one history for a whole page: when there is nothing to undo in the focused field, it changes another
 * one out of sight, and the draft would be saved like that. Its steps are single characters in fields that the page
 * renders itself, and everything that was typed in others. The editors of Markdown, blocks and JSON have histories of
 * their own.
 */
import { IS_MAC } from './keys.ts';
import { type Caret, type Change, TextHistory } from './text-history.ts';

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** The `inputType` of undo and redo, for example from the menu of the browser. */
const TAKES_BACK: Readonly<Record<string, 'undo' | 'redo'>> = { historyUndo: 'undo', historyRedo: 'redo' };

/** Starts handling undo and redo. Returns a function that stops it. */
export function keepUndoInPlace(): () => void {
  const histories = new WeakMap<TextField, TextHistory>();
  /** The field that is being edited, with its text before the edit. */
  let writing: { readonly field: TextField; readonly before: string; readonly caretBefore: Caret } | undefined;
  /** Whether a step is being applied, which the browser reports like typing. */
  let isTravelling = false;

  const historyOf = (field: TextField): TextHistory => {
    const known = histories.get(field);
    if (known) return known;
    const history = new TextHistory(field.value);
    histories.set(field, history);
    return history;
  };
  const travel = (field: TextField, which: 'undo' | 'redo'): void => {
    const history = historyOf(field);
    history.meet(field.value);
    const change = history[which]();
    if (!change) return;
    isTravelling = true;
    put(field, change);
    isTravelling = false;
    // The field may have changed the text that was put into it.
    history.meet(field.value);
  };
  const onBefore = (event: InputEvent): void => {
    const which = TAKES_BACK[event.inputType];
    const field = textField(event.target);
    if (which) {
      const isElsewhere = event.target instanceof Node && !event.target.contains(document.activeElement);
      if (!field && !isElsewhere) return;
      event.preventDefault();
      if (field && !isElsewhere) travel(field, which);
    } else if (field && !isTravelling) writing = { field, before: field.value, caretBefore: caretOf(field) };
  };
  const onInput = (event: Event): void => {
    const field = textField(event.target);
    if (isTravelling || !field || writing?.field !== field) return;
    const { before, caretBefore } = writing;
    writing = undefined;
    const kind = event instanceof InputEvent ? event.inputType : '';
    const written = { before, caretBefore, text: field.value, caret: caretOf(field), kind, time: event.timeStamp };
    historyOf(field).write(written);
  };
  const onKey = (event: KeyboardEvent): void => {
    const which = event.defaultPrevented || event.isComposing ? undefined : stepOf(event);
    const field = which && textField(event.target);
    if (!field) return;
    event.preventDefault();
    travel(field, which);
  };
  // Leaving a field and starting a composition both start a new step.
  const onPause = ({ target }: Event): void => {
    const field = textField(target);
    if (field) histories.get(field)?.pause();
  };
  addEventListener('beforeinput', onBefore, { capture: true });
  // Runs after the page has rendered the result of the event.
  addEventListener('input', onInput);
  addEventListener('keydown', onKey);
  addEventListener('focusout', onPause);
  addEventListener('compositionstart', onPause);
  return () => {
    removeEventListener('beforeinput', onBefore, { capture: true });
    removeEventListener('input', onInput);
    removeEventListener('keydown', onKey);
    removeEventListener('focusout', onPause);
    removeEventListener('compositionstart', onPause);
  };
}

/** The text field of an event, if it can be edited. Passwords are excluded, so that no copy of them is kept. */
function textField(target: unknown): TextField | undefined {
  const isText =
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && /^(?:text|search|url|tel|email)$/.test(target.type));
  return isText && !target.readOnly && !target.disabled ? target : undefined;
}

/** Mod+Z, Mod+Shift+Z and Ctrl+Y, which means something else on a Mac. */
function stepOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): 'undo' | 'redo' | undefined {
  const isMod = IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  if (!isMod || altKey) return undefined;
  const pressed = key.toLowerCase();
  if (pressed === 'z') return shiftKey ? 'redo' : 'undo';
  return pressed === 'y' && !shiftKey && !IS_MAC ? 'redo' : undefined;
}

/** Fields for e-mail addresses do not report a caret. */
function caretOf({ selectionStart, selectionEnd, value }: TextField): Caret {
  return { start: selectionStart ?? value.length, end: selectionEnd ?? value.length };
}

/** Applies a step as if it were typed: the page receives the event, and the browser scrolls to the caret. */
function put(field: TextField, { from, to, insert, caret }: Change): void {
  const { value } = field;
  if (field.selectionStart === null) {
    field.select();
    document.execCommand('insertText', false, value.slice(0, from) + insert + value.slice(to));
    return;
  }
  field.setSelectionRange(from, to);
  // Without a selection, `delete` would remove the character before the caret.
  if (insert === '' && from < to) document.execCommand('delete');
  else if (insert !== '') document.execCommand('insertText', false, insert);
  field.setSelectionRange(caret.start, caret.end);
}
