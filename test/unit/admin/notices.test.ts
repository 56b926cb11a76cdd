/** Notices in the corner: which of them are shown together. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Notice, withNotice } from '../../../admin/src/ui/notices.ts';

const undo = () => undefined;
const shown = (...notices: readonly Notice[]): readonly string[] =>
  notices.reduce<readonly Notice[]>(withNotice, []).map(({ text }) => text);

describe('notices', () => {
  it('about completed actions are replaced by the next one, and those with an undo stay', () => {
    deepStrictEqual(shown({ text: 'Saved' }, { text: 'Saved' }, { text: 'Published' }), ['Published']);
    deepStrictEqual(shown({ text: 'Deleted', undo }, { text: 'Saved' }, { text: 'Deleted', undo }), [
      'Deleted',
      'Saved',
      'Deleted',
    ]);
  });

  it('about errors stay until they are repeated', () => {
    const refused: Notice = { text: 'Refused', tone: 'danger' };
    deepStrictEqual(shown(refused, { text: 'Saved' }, { text: 'Saved' }), ['Refused', 'Saved']);
    deepStrictEqual(shown(refused, { text: 'Saved' }, refused), ['Saved', 'Refused']);
  });

  it('are three at most', () => {
    deepStrictEqual(shown(...['1', '2', '3', '4'].map((text) => ({ text, undo }))), ['2', '3', '4']);
  });

  it('about running actions stay beside the others', () => {
    const going: Notice = { text: '50 of 120', stays: true, progress: 0.4 };
    deepStrictEqual(shown(going, { text: 'Saved' }, { text: 'Published' }), ['50 of 120', 'Published']);
    deepStrictEqual(shown(going, ...['1', '2', '3'].map((text) => ({ text, undo }))), ['50 of 120', '2', '3']);
  });
});
