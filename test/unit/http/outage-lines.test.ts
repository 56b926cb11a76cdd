/** Lines of failures that come in numbers: one at once, then one a second that counts the rest. */
import { deepStrictEqual } from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { OutageLines } from '../../../src/http/monitoring/outage-lines.ts';

describe('lines of an outage', () => {
  let written: string[];
  let lines: OutageLines;
  const fail = (kind: string, which = '') => lines.report(kind, (more) => void written.push(`${kind}${which} ${more}`));
  beforeEach((t) => {
    mock.timers.reset();
    mock.timers.enable({ apis: ['setInterval'] });
    (t as { after?: (end: () => void) => void }).after?.(() => mock.timers.reset());
    written = [];
    lines = new OutageLines();
  });

  it('are one at once, and one a second that stands for the rest', () => {
    for (let n = 1; n <= 10; n++) fail('down', String(n));
    deepStrictEqual(written, ['down1 0']);
    mock.timers.tick(1000);
    deepStrictEqual(written, ['down1 0', 'down10 8']);
    mock.timers.tick(10_000);
    deepStrictEqual(written.length, 2);
  });

  it('tell kinds apart', () => {
    fail('database');
    fail('disk');
    deepStrictEqual(written, ['database 0', 'disk 0']);
  });

  it('begin anew after a second without a failure', () => {
    fail('down', 'a');
    mock.timers.tick(2000);
    fail('down', 'b');
    deepStrictEqual(written, ['downa 0', 'downb 0']);
  });

  it('are bounded, however many kinds there are', () => {
    for (let n = 0; n < 1000; n++) fail(`kind ${n}`);
    deepStrictEqual(written.length, 101);
    mock.timers.tick(1000);
    deepStrictEqual(written.at(-1), 'kind 999 898');
  });

  it('tell what is left when they are flushed', () => {
    fail('down');
    fail('down');
    lines.flush();
    deepStrictEqual(written, ['down 0', 'down 0']);
  });
});
