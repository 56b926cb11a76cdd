/** The values in cells of spreadsheets. */
import { deepStrictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CellForm, guessForm, textsOfCell, valueOfText, WrongCell } from '../../../src/rows/cells.ts';

const FORM: CellForm = { decimal: '.', dates: 'dmy' };

describe('cells', () => {
  it('of a million characters are read in linear time', { timeout: 20_000 }, () => {
    for (const piece of ['T', ' ', '1', '1,', '1,111', '1 ', "'", '=', '"', '"[', '|', '2026-11-30T', '1:11 ']) {
      const text = `1${piece.repeat(1_000_000 / piece.length)}x`;
      deepStrictEqual(guessForm([text, `2026-11-30T11:${text}`], false), FORM);
      for (const type of ['date', 'datetime', 'time', 'integer', 'decimal', 'boolean', 'json'] as const) {
        throws(() => valueOfText({ type }, text, FORM), WrongCell);
      }
      valueOfText({ type: 'string' }, `=${text}`, FORM);
      textsOfCell(text);
    }
  });
});
