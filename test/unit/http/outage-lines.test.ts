/** Lines of failures that come in numbers: one at once, then more and more rarely ones that count the rest, and an end. */
import { deepStrictEqual } from 'node:assert/strict';
import { beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { OutageLines } from '../../../src/http/monitoring/outage-lines.ts';

describe('lines of an outage', () => {
  let written: string[];
  let lines: OutageLines;
  let isBack: boolean;
  const fail = (kind: string, which = '') =>
    lines.report(kind, {
      failed: (more) => void written.push(`${kind}${which} ${more}`),
      over: (failures) => void written.push(`${kind} over after ${failures}`),
    });
  /** Lets seconds pass, one after the other. */
  const pass = async (seconds: number, each = () => {}): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      each();
      mock.timers.tick(1000);
      await turn();
    }
  };
  beforeEach((t) => {
    mock.timers.reset();
    mock.timers.enable({ apis: ['setInterval'] });
    (t as { after?: (end: () => void) => void }).after?.(() => mock.timers.reset());
    written = [];
    isBack = true;
    lines = new OutageLines(async () => isBack);
  });

  it('are one at once, and one a second later that stands for the rest', async () => {
    for (let n = 1; n <= 10; n++) fail('down', String(n));
    deepStrictEqual(written, ['down1 0']);
    await pass(1);
    deepStrictEqual(written, ['down1 0', 'down10 8']);
  });

  it('become rarer during a long outage', async () => {
    await pass(3600, () => fail('down'));
    const told = written.reduce((sum, line) => sum + 1 + Number(line.split(' ')[1]), 0);
    deepStrictEqual([written.length < 80, told > 3500], [true, true], `${written.length} lines tell of ${told}`);
  });

  it('distinguish kinds', () => {
    fail('database');
    fail('disk');
    deepStrictEqual(written, ['database 0', 'disk 0']);
  });

  it('report the end when nothing has failed for some seconds, and begin again after it', async () => {
    fail('down', 'a');
    fail('down', 'b');
    await pass(4);
    deepStrictEqual(written, ['downa 0', 'downb 0', 'down over after 2']);
    fail('down', 'c');
    deepStrictEqual(written.at(-1), 'downc 0');
  });

  it('report no end while a dependency does not answer, even without requests', async () => {
    isBack = false;
    fail('down');
    await pass(100);
    deepStrictEqual(written, ['down 0']);
    isBack = true;
    await pass(1);
    deepStrictEqual(written, ['down 0', 'down over after 1']);
  });

  it('are bounded, however many kinds there are', async () => {
    for (let n = 0; n < 1000; n++) fail(`kind ${n}`);
    deepStrictEqual(written.length, 101);
    await pass(1);
    deepStrictEqual(written.at(-1), 'kind 999 898');
  });

  it('report the rest when they are closed', () => {
    fail('down');
    fail('down');
    lines.close();
    deepStrictEqual(written, ['down 0', 'down 0']);
  });
});
