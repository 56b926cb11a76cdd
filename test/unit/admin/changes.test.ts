/** Marks inside of compared values, and reverting them. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockTexts, changedRanges, rangesOfNodes } from '../../../admin/src/form/changes/ranges.ts';
import { differences } from '../../../admin/src/form/values/differences.ts';
import { KEY } from '../../../admin/src/form/values/model.ts';
import { withoutPasswords, withPasswordsOf } from '../../../admin/src/form/values/passwords.ts';
import { partsOf } from '../../../admin/src/form/values/text-parts.ts';
import { canUndoDiscard, changesToLose, valuesToRestore } from '../../../admin/src/form/values/undo-discard.ts';
import { article, link, schema } from './form-schema.ts';

/** The marked parts of a text. */
const marked = (text: string, ranges: Parameters<typeof partsOf>[1]) =>
  partsOf(text, ranges).flatMap((part) => (part.isWithin ? [part.text] : []));

describe('the parts of two texts that differ', () => {
  it('are words, those beside one another as one', () => {
    const [before, after] = ['Salt keeps the nets.\nFor years.', 'Salt and tar keep the nets.\nFor many years.'];
    const ranges = changedRanges(before, after);
    deepStrictEqual(marked(before, ranges.before), ['keeps']);
    deepStrictEqual(marked(after, ranges.after), ['and tar keep ', 'many ']);
    strictEqual(
      partsOf(after, ranges.after)
        .map(({ text }) => text)
        .join(''),
      after,
    );
  });

  it('are empty for the same text, and complete for an empty one', () => {
    deepStrictEqual(changedRanges('a b', 'a b'), { before: [], after: [] });
    deepStrictEqual(changedRanges('', 'a b'), { before: [], after: [[0, 3]] });
  });

  it('are found in the texts of blocks at any depth', () => {
    const text = (words: string) => ({ type: 'text', text: words });
    const [first, last] = [text('Nets'), text('of hemp and tar')];
    const value = [
      { type: 'heading', level: 2, children: [first] },
      { type: 'list', format: 'unordered', children: [{ type: 'list-item', children: [text('a '), last] }] },
    ];
    const texts = blockTexts(value);
    strictEqual(texts.text, 'Nets\na of hemp and tar\n\n');
    const { after } = changedRanges('Nets\na of hemp\n\n', texts.text);
    const ranges = rangesOfNodes(texts, after);
    strictEqual(ranges.get(first), undefined);
    deepStrictEqual(marked(last.text, ranges.get(last)!), [' and tar']);
  });
});

describe('text that was written and reverted', () => {
  const before = { title: 'a', slots: [{ id: 1, label: 'x' }], tags: [link('t')] };
  const written = {
    title: 'b',
    slots: [
      { id: 5, label: 'x' },
      { [KEY]: 'new-1', label: 'y' },
    ],
    tags: [link('t')],
  };
  const open = { ...article, attributes: article.attributes.filter(({ type }) => type !== 'password') };

  it('is put back with the rows that are there by now', () => {
    deepStrictEqual(valuesToRestore(schema, open, { ...before, slots: [{ id: 9, label: 'x' }] }, written), {
      title: 'b',
      slots: [
        { id: 9, label: 'x' },
        { [KEY]: 'new-1', label: 'y' },
      ],
    });
  });

  it('counts links to drafts as lost, which publishing would leave as they are', () => {
    const draft = { ...before, tags: [{ ...link('t'), state: 'draft' }] };
    const published = { ...before, tags: [] };
    deepStrictEqual(differences(schema, open, draft, published), []);
    deepStrictEqual(
      changesToLose(schema, open, draft, published).map(({ path }) => path),
      [['tags']],
    );
  });

  it('cannot be where links were not read, where it may not be written, or where there are passwords', () => {
    const may = (values: object, model: typeof article = open) =>
      canUndoDiscard(schema, model, differences(schema, model, { ...before, ...values }, before));
    strictEqual(may({ title: 'b' }), true);
    strictEqual(may({ tags: { items: [link('u')], count: 30 } }), false);
    strictEqual(may({ slug: 'not writable' }), false);
    strictEqual(may({ title: 'b' }, article), false);
  });
});

describe('passwords in values', () => {
  const login = { ...schema.components[0]!, uid: 'shared.login', attributes: article.attributes };
  const inside = { ...article.attributes.find(({ name }) => name === 'seo')!, component: login.uid };
  const logins = { ...inside, name: 'logins', repeatable: true };
  const others = article.attributes.filter(({ name }) => name !== 'seo');
  const model = { ...article, attributes: [...others, inside, logins] };
  const all = { ...schema, components: [...schema.components, login] };

  it('are put into other values at the same places: entries are the same by their ids', () => {
    const written = {
      title: 'mine',
      secret: 'honey7',
      seo: { id: 1, secret: 'honey8' },
      logins: [
        { id: 2, secret: 'honey9' },
        { id: 3, title: 'x', secret: '' },
        { [KEY]: 'new', secret: 'of an entry that is not chosen' },
      ],
    };
    const theirs = {
      title: 'theirs',
      seo: { id: 1, title: 'y' },
      logins: [{ id: 3, title: 'x' }, { id: 2 }, { id: 4 }],
    };
    deepStrictEqual(withPasswordsOf(all, model, theirs, written), {
      title: 'theirs',
      secret: 'honey7',
      seo: { id: 1, title: 'y', secret: 'honey8' },
      logins: [{ id: 3, title: 'x' }, { id: 2, secret: 'honey9' }, { id: 4 }],
    });
    deepStrictEqual(withPasswordsOf(all, model, { ...theirs, seo: { id: 9 } }, { seo: written.seo }), {
      ...theirs,
      seo: { id: 9 },
    });
  });

  it('are not stored on the device, at any depth', () => {
    deepStrictEqual(withoutPasswords(all, model, { title: 'a', secret: 'honey7', seo: { id: 1, secret: 'honey7' } }), {
      title: 'a',
      seo: { id: 1 },
    });
  });
});
