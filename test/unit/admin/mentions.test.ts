/** People in the texts of comments. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mentionedAfter, mentionedIn, mentionParts, typedMention } from '../../../admin/src/pages/document/mentions.ts';

const [al, alan, dots] = [
  { id: 1, name: 'Al' },
  { id: 2, name: 'Alan Moe' },
  { id: 3, name: 'c++ (team).*' },
];

describe('mentions in a text', () => {
  it('are names after @, the longest that fits, of the given people only', () => {
    deepStrictEqual(mentionParts('@Alan Moe, ask @Al or @Alfred', [al!, alan!]), [alan, ', ask ', al, ' or @Alfred']);
    deepStrictEqual(mentionParts('Hi @c++ (team).*!', [dots!]), ['Hi ', dots, '!']);
    deepStrictEqual(mentionParts('@Al', []), ['@Al']);
    deepStrictEqual(mentionParts('', [al!]), []);
    deepStrictEqual(mentionedIn('@Al @Al', [al!, alan!]), [al]);
  });

  it('are of all people of a name', () => {
    const other = { id: 4, name: 'Al' };
    deepStrictEqual(mentionedIn('@Al', [al!, other]), [al, other]);
  });

  it('remain in an edited comment if its text did not name them, and end with their names', () => {
    const before = { body: '@Alan Moe and @Al Smith', mentions: [alan!, dots!] };
    deepStrictEqual(mentionedAfter(before, '@Alan Moe!', [alan!, dots!]), [alan, dots]);
    deepStrictEqual(mentionedAfter(before, 'Nobody', [alan!, dots!]), [dots]);
    deepStrictEqual(mentionedAfter(before, '@c++ (team).* and @Al', [alan!, dots!, al!]), [dots, al]);
    deepStrictEqual(mentionedAfter({ body: '', mentions: [] }, '@Al', [al!, alan!]), [al]);
  });

  it('are typed after @ at the beginning of a word, up to the caret', () => {
    deepStrictEqual(typedMention('Ask @Ma', 7), { from: 4, name: 'Ma' });
    deepStrictEqual(typedMention('@', 1), { from: 0, name: '' });
    deepStrictEqual(typedMention('(@Mara Ho', 9), { from: 1, name: 'Mara Ho' });
    for (const text of ['me@example.com', '@ 5', 'Ask @Mara and then some', '@Mara\nnext'])
      deepStrictEqual(typedMention(text, text.length), undefined, text);
    deepStrictEqual(typedMention('@Mara and', 3), { from: 0, name: 'Ma' });
  });
});
