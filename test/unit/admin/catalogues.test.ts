/** The words of the app, in each of its languages. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { de } from '../../../admin/src/language/de.ts';
import { en } from '../../../admin/src/language/en.ts';
import { enTypes } from '../../../admin/src/language/en-types.ts';
import { type Catalogue, type MessageKey, textOf } from '../../../admin/src/language/messages.ts';
import { chosenText } from '../../../admin/src/media/chosen-text.ts';

/** Numbers beside the very things that they count, such as the rows of a list in which some are chosen. */
const BESIDE: ReadonlySet<string> = new Set([
  'lists.chosen',
  'media.chosen',
  'document.changes.more',
  'relation.more',
  'combobox.more',
  'mark.added',
  'mark.removed',
  'mark.edited',
]);
/** The same for one and for several in its language. */
const ALIKE: ReadonlySet<string> = new Set(['media.folders']);

describe('the catalogues of words', () => {
  for (const [language, catalogue] of Object.entries({ en: { ...en, ...enTypes }, de } satisfies Record<
    string,
    Catalogue
  >)) {
    it(`name the counted noun, in the singular and in the plural (${language})`, () => {
      const bare = Object.entries<Catalogue[MessageKey]>(catalogue).flatMap(([key, message]) => {
        if (typeof message === 'string' || BESIDE.has(key) || (language === 'de' && ALIKE.has(key))) return [];
        return message.one === message.other ? [key] : [];
      });
      deepStrictEqual(bare, []);
    });
  }

  it('distinguish files, folders, and both together', () => {
    const english = textOf(en, 'en');
    const said = (files: number[], folders: number[]) => chosenText(english, { files, folders });
    deepStrictEqual(
      [said([1], []), said([1, 2], []), said([], [1]), said([], [1, 2]), said([1], [1])],
      ['1 file', '2 files', '1 folder', '2 folders', '2 items'],
    );
    strictEqual(chosenText(textOf(de, 'de'), { files: [1, 2], folders: [] }), '2 Dateien');
    strictEqual(textOf(de, 'de')('lists.done.publish', { count: 2 }), '2 Dokumente veröffentlicht');
  });
});
