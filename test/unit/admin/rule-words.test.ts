/** Cron expressions in words: the usual ones, and none for those that are better read as they are. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { de } from '../../../admin/src/language/de.ts';
import { en } from '../../../admin/src/language/en.ts';
import { textOf } from '../../../admin/src/language/messages.ts';
import { ruleWords } from '../../../admin/src/pages/jobs/rule-words.ts';

describe('cron expressions in words', () => {
  const english = textOf(en, 'en-GB');
  const said = (rule: string) => ruleWords(english, 'en-GB', rule);

  it('say when something runs', () => {
    const rules = ['* * * * * *', '* * * * *', '0 * * * * *', '*/15 * * * *', '5 * * * *', '0 */2 * * *', '@daily'];
    deepStrictEqual(rules.map(said), [
      ...['Every second', 'Every minute', 'Every minute', 'Every 15 minutes', 'Every hour at minute 5'],
      ...['Every 2 hours', 'Every day at 00:00'],
    ]);
    deepStrictEqual(['30 3 * * 1-5', '0 8 * * 0,6', '0 0 1 * *'].map(said), [
      'Monday – Friday at 03:30',
      'Sunday and Saturday at 08:00',
      'On day 1 of every month at 00:00',
    ]);
    match(String(said('2099-01-02T00:00:00.000Z')), /^Once, .*2099/);
    strictEqual(ruleWords(textOf(de, 'de'), 'de', '0 8 * * 1'), 'Montag um 08:00');
  });

  it('have no description that would be wrong', () => {
    // steps begin anew with each hour and day
    const uneven = ['*/7 * * * *', '*/45 * * * *', '0 */5 * * *'];
    const rules = [...uneven, '0 0 1 1 *', '0 0 1 * 1', '30 * * * * *', '0 8-17 * * *', '* 8 * * *', 'L * * *', ''];
    deepStrictEqual(
      rules.map(said),
      rules.map(() => undefined),
    );
  });
});
