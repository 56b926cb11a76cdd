/** Sizes of drawings that a stranger wrote. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawingSize } from '../../../src/media/images/svg-size.ts';

const sizeOf = (width: string) => drawingSize(Buffer.from(`<svg width="${width}" height="7"></svg>`))?.width;

describe('the size of a drawing', () => {
  it('is a number with a unit, blanks around it', () => {
    const widths = ['12', ' 12 ', '+12', '12.', '12.0', '.12e2', '1.2e1', '12 px', '12PX', 'x12', '12 x', '1 2', ''];
    deepStrictEqual(widths.map(sizeOf), [12, 12, 12, 12, 12, null, 12, 12, 12, null, null, null, null]);
  });

  it('is not looked for any longer in a long text', { timeout: 20_000 }, () => {
    for (const digit of ['1', ' ', '1e1', '1.']) deepStrictEqual(sizeOf(`1${digit.repeat(60_000)}!`), null);
  });
});
