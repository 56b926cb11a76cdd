/** Refusals of the server in the words of the app. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RefusedError, UnreachableError } from '../../../admin/src/data/failures.ts';
import { de } from '../../../admin/src/language/de.ts';
import { textOf } from '../../../admin/src/language/messages.ts';
import { failureText, refusalText } from '../../../admin/src/language/refusal-text.ts';

const t = textOf(de, 'de');

describe('refusals of the server', () => {
  it('are shown in the language of the app, with their limits', () => {
    deepStrictEqual(
      [
        'slots[1].label must be defined.',
        'This attribute must be unique',
        'Email already taken',
        'summary must be at most 160 characters',
        'count must be greater than or equal to 1',
        'slots field must have less than or equal to 3 items',
        'slug must match the following: "/^[A-Za-z0-9-_.~]*$/"',
        'count must be a `number` type, but the final value was: `"x"`.',
      ].map((message) => refusalText(t, message)),
      [
        'Dieses Feld muss ausgefüllt werden.',
        'Ein anderes Dokument hat schon diesen Wert.',
        'Diese Adresse ist schon vergeben.',
        'Höchstens 160 Zeichen.',
        'Mindestens 1.',
        'Höchstens 3 davon.',
        'Nur Buchstaben ohne Akzente, Ziffern und - _ . ~',
        'Geben Sie eine Zahl ein.',
      ],
    );
  });

  it('stays as it came where nothing fits', () => {
    strictEqual(refusalText(t, 'the tide is out'), 'the tide is out');
    strictEqual(failureText(t, new RefusedError(400, 'the tide is out')), 'the tide is out');
  });

  it('are shown in the words of project code, for any status', () => {
    strictEqual(failureText(t, new RefusedError(403, 'Only Mara closes issues')), 'Only Mara closes issues');
    strictEqual(failureText(t, new RefusedError(404, 'No such shelf')), 'No such shelf');
    strictEqual(failureText(t, new RefusedError(404, 'Entity not found')), 'Das gibt es nicht mehr.');
  });

  it('are shown by status for an unknown message', () => {
    strictEqual(failureText(t, new RefusedError(403, 'Forbidden')), 'Keine Ihrer Rollen erlaubt das.');
    strictEqual(failureText(t, new RefusedError(400, '3 errors occurred')), '3 Felder müssen geprüft werden.');
    const tooOften = 'Zu viele Versuche. Versuchen Sie es in';
    strictEqual(failureText(t, new RefusedError(429, 'Wait')), `${tooOften} einer Minute noch einmal.`);
    strictEqual(failureText(t, new RefusedError(429, 'Wait', {}, 282)), `${tooOften} 5 Minuten noch einmal.`);
    strictEqual(failureText(t, new UnreachableError('gone')), 'Der Server antwortet nicht. Es wurde nichts geändert.');
  });
});
