/** Times of scheduled actions: hours that a change of clocks skips or repeats, sentences, and the days of a month. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromLocal, timesOf } from '../../../admin/src/form/values/moments.ts';
import { de } from '../../../admin/src/language/de.ts';
import { en } from '../../../admin/src/language/en.ts';
import { textOf } from '../../../admin/src/language/messages.ts';
import { addMonths, firstWeekday, placeInWeek, weeksOf } from '../../../admin/src/pages/calendar/month.ts';
import { offsetText, placeOf, whenSummary } from '../../../admin/src/pages/schedule/when-text.ts';

const BERLIN = 'Europe/Berlin';
/** Without the marks that isolate values of another direction, and with plain spaces. */
const plain = (text: string): string => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/[\u00a0\u202f]/g, ' ');

describe('a local time', () => {
  it('is one time, none where clocks skip it, or two where it comes again', () => {
    deepStrictEqual(timesOf('2026-12-04T09:00', BERLIN), ['2026-12-04T08:00:00.000Z']);
    deepStrictEqual(timesOf('2026-03-29T02:30', BERLIN), []);
    strictEqual(fromLocal('2026-03-29T02:30', BERLIN), '2026-03-29T01:30:00.000Z');
    deepStrictEqual(timesOf('2026-10-25T02:30', BERLIN), ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']);
    deepStrictEqual(timesOf('2026-10-25T03:00', BERLIN), ['2026-10-25T02:00:00.000Z']);
    deepStrictEqual(timesOf('2026-11-01T01:30', 'America/New_York').length, 2);
    deepStrictEqual(timesOf('2026-10-25T02:30', 'UTC'), ['2026-10-25T02:30:00.000Z']);
    deepStrictEqual(timesOf('2026-10-25T', BERLIN), []);
  });

  it('names which of two times it is by its offset', () => {
    const offsets = timesOf('2026-10-25T02:30', BERLIN).map((at) => offsetText(at, 'en-GB', BERLIN));
    deepStrictEqual(offsets, ['GMT+2', 'GMT+1']);
  });
});

describe('the time of an action in words', () => {
  const now = Date.parse('2026-11-29T08:00:00Z');
  const at = '2026-12-04T08:00:00.000Z';

  it('has the day, the time, the place and the distance', () => {
    const text = textOf(en, 'en', 'en-GB');
    strictEqual(plain(whenSummary(text, at, 'en-GB', BERLIN, now)), 'Friday 4 December, 09:00 in Berlin, in 5 days');
    strictEqual(
      plain(whenSummary(textOf(de, 'de'), at, 'de', BERLIN, now)),
      'Freitag, 4. Dezember, 09:00 Uhr in Berlin, in 5 Tagen',
    );
    strictEqual(
      plain(whenSummary(text, '2027-01-01T08:00:00Z', 'en-GB', 'America/New_York', now)),
      'Friday, 1 January 2027, 03:00 in New York, next month',
    );
    strictEqual(placeOf('UTC'), 'UTC');
    const twice = timesOf('2026-10-25T02:30', BERLIN).map((time) => whenSummary(text, time, 'en-GB', BERLIN, now));
    deepStrictEqual(
      twice.map((words) => /in Berlin [^,]*/.exec(plain(words))?.[0]),
      ['in Berlin (GMT+2)', 'in Berlin (GMT+1)'],
    );
  });
});

describe('the days of a month', () => {
  it('are whole weeks that begin with the first day of the week', () => {
    const weeks = weeksOf('2026-12', 1);
    deepStrictEqual([weeks.length, weeks[0]![0], weeks.at(-1)![6]], [5, '2026-11-30', '2027-01-03']);
    deepStrictEqual(weeksOf('2027-02', 1).length, 4);
    deepStrictEqual(weeksOf('2026-12', 7)[0]![0], '2026-11-29');
    deepStrictEqual([placeInWeek('2026-12-04', 1), placeInWeek('2026-12-06', 7)], [4, 0]);
    deepStrictEqual([firstWeekday('de-DE'), firstWeekday('en-US')], [1, 7]);
  });

  it('stay in their month when the next one is shorter', () => {
    strictEqual(addMonths('2026-01-31', 1), '2026-02-28');
    strictEqual(addMonths('2026-12-15', 1), '2027-01-15');
    strictEqual(addMonths('2026-01-15', -1), '2025-12-15');
  });
});
