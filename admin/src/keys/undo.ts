/**
 * Taking back and doing again in what has the focus alone, in steps of words. A browser keeps one list of what was written
 * for a whole page: asked where nothing is left to take back, such as after the field with the focus has gone, it changes
 * another field, out of sight, and the draft would be saved like that. Its steps are single letters where a page draws its
 * fields itself, and all that was written where it does not. Editors of Markdown, blocks and JSON have a history of their
 * own.
 */
import { IS_MAC } from './keys.ts';
import { type Caret, type Change, TextHistory } from './text-history.ts';

type TextField = HTMLInputElement | HTMLTextAreaElement;

/** What a browser says of an input event when it takes back or does again, as from its menu. */
const TAKES_BACK: Readonly<Record<string, 'undo' | 'redo'>> = { historyUndo: 'undo', historyRedo: 'redo' };

/** Begins to do so. Gives what ends that. */
export function keepUndoInPlace(): () => void {
  const histories = new WeakMap<TextField, TextHistory>();
  /** The field that is written into, as it was before. */
  let writing: { readonly field: TextField; readonly before: string; readonly caretBefore: Caret } | undefined;
  /** Whether a step is put into a field: the browser tells of that as of anything written. */
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
    // a field that makes something else of it has the last word
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
  // a field that is left and entered again, or what is composed next, such as a word on a phone, begins a step
  const onPause = ({ target }: Event): void => {
    const field = textField(target);
    if (field) histories.get(field)?.pause();
  };
  addEventListener('beforeinput', onBefore, { capture: true });
  // after the page has drawn what it makes of it
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

/** A field of text that may be written into; a password is none, of which no copy is kept. */
function textField(target: unknown): TextField | undefined {
  const isText =
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && /^(?:text|search|url|tel|email)$/.test(target.type));
  return isText && !target.readOnly && !target.disabled ? target : undefined;
}

/** Mod+Z, Mod+Shift+Z, and Ctrl+Y, which is something else on a Mac. */
function stepOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): 'undo' | 'redo' | undefined {
  const isMod = IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  if (!isMod || altKey) return undefined;
  const pressed = key.toLowerCase();
  if (pressed === 'z') return shiftKey ? 'redo' : 'undo';
  return pressed === 'y' && !shiftKey && !IS_MAC ? 'redo' : undefined;
}

/** A field of an address tells of no caret. */
function caretOf({ selectionStart, selectionEnd, value }: TextField): Caret {
  return { start: selectionStart ?? value.length, end: selectionEnd ?? value.length };
}

/** Puts a step into a field as if it were written: the page takes it in, and the browser brings it into sight. */
function put(field: TextField, { from, to, insert, caret }: Change): void {
  const { value } = field;
  if (field.selectionStart === null) {
    field.select();
    document.execCommand('insertText', false, value.slice(0, from) + insert + value.slice(to));
    return;
  }
  field.setSelectionRange(from, to);
  // without a selection it would take the letter before the caret
  if (insert === '' && from < to) document.execCommand('delete');
  else if (insert !== '') document.execCommand('insertText', false, insert);
  field.setSelectionRange(caret.start, caret.end);
}
