/** What the server refuses, said in the words of the app. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RefusedError, UnreachableError } from '../../../admin/src/data/failures.ts';
import { de } from '../../../admin/src/language/de.ts';
import { en } from '../../../admin/src/language/en.ts';
import { textOf } from '../../../admin/src/language/messages.ts';
import { failureText, reasonTexts, refusalText } from '../../../admin/src/language/refusal-text.ts';
import { reasonValues } from '../../../src/reasons.ts';

const t = textOf(de, 'de');

describe('what the server refuses', () => {
  it('has a text for each reason, which names only values that the server gives', () => {
    deepStrictEqual([...reasonTexts.keys()].sort(), Object.keys(reasonValues).sort());
    for (const [code, names] of Object.entries(reasonValues)) {
      const values = Object.fromEntries(names.map((name) => [name, 7]));
      for (const text of [textOf(en, 'en'), t]) {
        const said = refusalText(text, { message: '', reason: { code, values } });
        ok(said !== '' && !said.includes('{'), said);
      }
    }
  });

  it('is said in the language of the app, with its limits', () => {
    deepStrictEqual(
      [
        { code: 'required' },
        { code: 'unique' },
        { code: 'tooLong', values: { limit: 160 } },
        { code: 'tooMany', values: { limit: 3 } },
        { code: 'noUid' },
      ].map((reason) => refusalText(t, { message: 'count is not as it should be', reason })),
      [
        'Dieses Feld muss ausgefüllt werden.',
        'Ein anderes Dokument hat schon diesen Wert.',
        'Höchstens 160 Zeichen.',
        'Höchstens 3 davon.',
        'Nur Buchstaben ohne Akzente, Ziffern und - _ . ~',
      ],
    );
  });

  it('stays as it came without a reason, and with one that the app does not know', () => {
    const message = 'the tide is out';
    strictEqual(refusalText(t, { message }), message);
    strictEqual(refusalText(t, { message, reason: { code: 'toString' } }), message);
    strictEqual(failureText(t, new RefusedError(400, message)), message);
  });

  it('are shown in the words of project code, for any status', () => {
    strictEqual(failureText(t, new RefusedError(403, 'Only Mara closes issues')), 'Only Mara closes issues');
    strictEqual(failureText(t, new RefusedError(404, 'No such shelf')), 'No such shelf');
  });

  it('is said by its reason or its status where the message tells nothing more', () => {
    const refused = (status: number, reason: object): string =>
      failureText(t, new RefusedError(status, 'Refused', { reason }));
    strictEqual(refused(403, { code: 'forbidden' }), 'Keine Ihrer Rollen erlaubt das.');
    strictEqual(refused(404, { code: 'missing' }), 'Das gibt es nicht mehr.');
    strictEqual(refused(400, { code: 'several', values: { count: 3 } }), '3 Felder müssen geprüft werden.');
    strictEqual(failureText(t, new RefusedError(507, 'No room')), t('refused.full'));
    const tooOften = 'Zu viele Versuche. Versuchen Sie es in';
    strictEqual(failureText(t, new RefusedError(429, 'Wait')), `${tooOften} einer Minute noch einmal.`);
    strictEqual(failureText(t, new RefusedError(429, 'Wait', {}, 282)), `${tooOften} 5 Minuten noch einmal.`);
    strictEqual(failureText(t, new UnreachableError('gone')), 'Der Server antwortet nicht. Es wurde nichts geändert.');
  });

  it('appears at the attribute that the reason names', () => {
    const reason = { code: 'noMoment', path: 'slots.1.at' };
    deepStrictEqual(new RefusedError(400, 'Invalid date', { hint: 'at slots.1.at', reason }).fields, [
      { path: ['slots', '1', 'at'], message: 'Invalid date', name: 'RefusedError', reason },
    ]);
  });
});
