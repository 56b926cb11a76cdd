/**
 * The undo history of one text field. A step is a word, or what was typed without a pause. The module uses neither the
 * DOM nor a clock.
 */

export interface Caret {
  readonly start: number;
  readonly end: number;
}

/** A replacement of `removed` by `inserted` at `at`. */
interface Step {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  readonly before: Caret;
  readonly after: Caret;
}

export interface Written {
  /** The text and the selection, before and after the edit. */
  readonly before: string;
  readonly caretBefore: Caret;
  readonly text: string;
  readonly caret: Caret;
  /** The `inputType` of the event. */
  readonly kind: string;
  /** Milliseconds of a monotonic clock. */
  readonly time: number;
}

/** A replacement in a text, and the selection after it. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly caret: Caret;
}

/** The pause in milliseconds after which typing starts a new step. */
export const PAUSE = 1000;
const MOST_STEPS = 200;
/** The maximum number of characters of all steps. */
const MOST_LETTERS = 2_000_000;

/** The kinds of input that can continue a step. All others, such as pasting, are steps of their own. */
const GOES_ON =
  /^(?:insertText|insertCompositionText|insertReplacementText|deleteContentBackward|deleteContentForward)$/;

/** Whether a typed character starts a word: a step is a word with the space after it. */
export const beginsWord = (before: string, written: string): boolean => /\s$/.test(before) && /^\S/.test(written);

export class TextHistory {
  #past: Step[] = [];
  #future: Step[] = [];
  #text: string;
  #last: { readonly kind: string; readonly time: number; readonly caret: Caret } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Clears the history if the field has another text, which then comes from elsewhere. */
  meet(text: string): void {
    if (text === this.#text) return;
    this.#past = [];
    this.#future = [];
    this.#last = undefined;
    this.#text = text;
  }

  /** Adds an edit. */
  write({ before, caretBefore, text, caret, kind, time }: Written): void {
    this.meet(before);
    if (text === before) return;
    const last = this.#past.at(-1);
    const goesOn = last !== undefined && this.#goesOn(before, caretBefore, text, kind, time);
    const from = goesOn ? undone(before, last) : before;
    const step = { ...difference(from, text), before: goesOn ? last.before : caretBefore, after: caret };
    if (goesOn) this.#past.pop();
    this.#past.push(step);
    this.#future = [];
    this.#text = text;
    this.#last = { kind, time, caret };
    this.#forgetOldest();
  }

  /** Makes the next edit start a new step. */
  pause(): void {
    this.#last = undefined;
  }

  undo(): Change | undefined {
    const step = this.#past.pop();
    if (!step) return undefined;
    this.#future.push(step);
    this.#last = undefined;
    this.#text = undone(this.#text, step);
    const { at, inserted, removed, before } = step;
    return { from: at, to: at + inserted.length, insert: removed, caret: before };
  }

  redo(): Change | undefined {
    const step = this.#future.pop();
    if (!step) return undefined;
    this.#past.push(step);
    this.#last = undefined;
    const { at, removed, inserted, after } = step;
    this.#text = this.#text.slice(0, at) + inserted + this.#text.slice(at + removed.length);
    return { from: at, to: at + removed.length, insert: inserted, caret: after };
  }

  #goesOn(before: string, caret: Caret, text: string, kind: string, time: number): boolean {
    const last = this.#last;
    if (!last || last.kind !== kind || !GOES_ON.test(kind) || time - last.time > PAUSE) return false;
    // Composed text is part of the field, and is selected during composition.
    if (kind === 'insertCompositionText') return true;
    if (caret.start !== caret.end || caret.start !== last.caret.end) return false;
    const { at, inserted } = difference(before, text);
    return !kind.startsWith('insert') || !beginsWord(before.slice(0, at), inserted);
  }

  #forgetOldest(): void {
    let letters = 0;
    const first = this.#past.findLastIndex(({ removed, inserted }, index) => {
      letters += removed.length + inserted.length;
      return letters > MOST_LETTERS || this.#past.length - index > MOST_STEPS;
    });
    this.#past.splice(0, first + 1);
  }
}

function undone(text: string, { at, removed, inserted }: Step): string {
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}

/**
 * The smallest replacement that turns one text into the other. It never splits a code point: half an emoji is not text.
 */
export function difference(
  before: string,
  after: string,
): { readonly at: number; readonly removed: string; readonly inserted: string } {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before[at] === after[at]) at += 1;
  if (isWithinPair(before, at) || isWithinPair(after, at)) at -= 1;
  let end = 0;
  while (end < shorter - at && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  if (isWithinPair(before, before.length - end) || isWithinPair(after, after.length - end)) end -= 1;
  return { at, removed: before.slice(at, before.length - end), inserted: after.slice(at, after.length - end) };
}

/** Whether an offset lies between the two halves of a code point. */
const isWithinPair = (text: string, at: number): boolean => at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
