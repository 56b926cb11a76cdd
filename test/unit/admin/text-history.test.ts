/** Undo in a field of the administration app, in steps of words. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Caret, difference, TextHistory } from '../../../admin/src/keys/text-history.ts';

/** A field that somebody writes into, at a clock that they have. */
class Field {
  text: string;
  caret: Caret;
  time = 0;
  readonly history: TextHistory;

  constructor(text = '') {
    this.text = text;
    this.caret = { start: text.length, end: text.length };
    this.history = new TextHistory(text);
  }

  put(insert: string, kind = 'insertText'): this {
    const { start, end } = this.caret;
    return this.#become(this.text.slice(0, start) + insert + this.text.slice(end), start + insert.length, kind);
  }

  type(words: string): this {
    for (const letter of words) this.put(letter);
    return this;
  }

  backspace(times: number): this {
    for (let count = 0; count < times; count += 1) {
      const { start } = this.caret;
      this.#become(this.text.slice(0, start - 1) + this.text.slice(start), start - 1, 'deleteContentBackward');
    }
    return this;
  }

  at(start: number, end = start): this {
    this.caret = { start, end };
    return this;
  }

  go(which: 'undo' | 'redo'): string {
    const change = this.history[which]();
    if (change) {
      this.text = this.text.slice(0, change.from) + change.insert + this.text.slice(change.to);
      this.caret = change.caret;
    }
    return this.text;
  }

  #become(text: string, caret: number, kind: string): this {
    const before = { before: this.text, caretBefore: this.caret };
    this.text = text;
    this.at(caret);
    this.time += 100;
    this.history.write({ ...before, text, caret: this.caret, kind, time: this.time });
    return this;
  }
}

describe('the history of a text field', () => {
  it('takes back words with the space behind them, and does them again', () => {
    const field = new Field().type('Smoke and honey');
    deepStrictEqual(
      [field.go('undo'), field.go('undo'), field.go('undo'), field.go('undo')],
      ['Smoke and ', 'Smoke ', '', ''],
    );
    deepStrictEqual(
      [field.go('redo'), field.go('redo'), field.go('redo'), field.go('redo')],
      ['Smoke ', 'Smoke and ', 'Smoke and honey', 'Smoke and honey'],
    );
  });

  it('begins a step after a pause, at another place, with a deletion, and with a paste', () => {
    const field = new Field().type('Smo');
    field.time += 2000;
    field.type('ke').at(0).type('A').put(' pasted', 'insertFromPaste').at(field.text.length).backspace(2).type('x');
    strictEqual(field.text, 'A pastedSmox');
    deepStrictEqual(
      Array.from({ length: 7 }, () => field.go('undo')),
      ['A pastedSmo', 'A pastedSmoke', 'ASmoke', 'Smoke', 'Smo', '', ''],
    );
  });

  it('restores a replaced selection', () => {
    const field = new Field('Smoke and honey').at(6, 9).type('or');
    strictEqual(field.text, 'Smoke or honey');
    strictEqual(field.go('undo'), 'Smoke and honey');
    deepStrictEqual(field.caret, { start: 6, end: 9 });
  });

  it('does nothing again once something else was written', () => {
    const field = new Field().type('one two');
    field.go('undo');
    field.type('x');
    strictEqual(field.go('redo'), 'one x');
  });

  it('drops steps before a change from elsewhere', () => {
    const field = new Field().type('one');
    field.text = 'another';
    field.history.meet(field.text);
    strictEqual(field.go('undo'), 'another');
    field.at(7).type('!');
    strictEqual(field.go('undo'), 'another');
  });

  it('keeps a bounded number of steps', () => {
    const field = new Field().type('a '.repeat(300));
    while (field.history.undo()) field.time += 1;
    strictEqual(field.time, 300 * 2 * 100 + 200);
  });

  it('changes whole code points, where two share a half', () => {
    for (const [before, after, expected] of [
      ['a😀b', 'a😁b', { at: 1, removed: '😀', inserted: '😁' }],
      ['😀', '🐀', { at: 0, removed: '😀', inserted: '🐀' }],
      ['😀😀', '😀😀😀', { at: 4, removed: '', inserted: '😀' }],
      ['😀', '😀😁', { at: 2, removed: '', inserted: '😁' }],
      ['😀😁', '😁', { at: 0, removed: '😀', inserted: '' }],
      ['🐀', '😀🐀', { at: 0, removed: '', inserted: '😀' }],
    ] as const) {
      deepStrictEqual(difference(before, after), expected, `${before} ${after}`);
    }
    const field = new Field('a😀b').at(1, 3).put('😁');
    deepStrictEqual([field.go('undo'), field.go('redo'), field.go('undo')], ['a😀b', 'a😁b', 'a😀b']);
  });
});
