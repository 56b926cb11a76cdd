/** Values of a form: differences from the site, problems, and the result of a save. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canBeRestored, differences, pairRows, restoredValue } from '../../../admin/src/form/values/differences.ts';
import { fieldName } from '../../../admin/src/form/values/field-name.ts';
import { linkedDrafts, publishedWithCounts } from '../../../admin/src/form/values/links.ts';
import { type Attribute, KEY, rowsOf, type Values } from '../../../admin/src/form/values/model.ts';
import { fromLocal, toLocal } from '../../../admin/src/form/values/moments.ts';
import { copyOfRow } from '../../../admin/src/form/values/new-values.ts';
import { anchorOf, pathOf, withValue } from '../../../admin/src/form/values/path.ts';
import { problemOf, problems } from '../../../admin/src/form/values/problems.ts';
import { toBody } from '../../../admin/src/form/values/to-body.ts';
import { unparsed } from '../../../admin/src/form/values/unparsed.ts';
import { withSaved } from '../../../admin/src/form/values/with-saved.ts';
import { article, link, schema } from './form-schema.ts';

const attribute = (name: string): Attribute => article.attributes.find((one) => one.name === name)!;

describe('differences from the published version', () => {
  const labels = (values: Values, published: Values | null) =>
    differences(schema, article, values, published).map(({ label }) => label);

  it('are by value, and none without a published version', () => {
    const published = { title: 'Smoke', body: null, data: { a: 1, b: 2 }, at: '2026-01-01T12:00:00.000Z' };
    deepStrictEqual(
      labels({ title: 'Smoke', body: '', data: { b: 2, a: 1 }, at: '2026-01-01T12:00:00Z' }, published),
      [],
    );
    deepStrictEqual(labels({ ...published, title: 'Honey' }, published), ['title']);
    deepStrictEqual(labels({ title: 'Honey' }, null), []);
  });

  it('compare links by document, files by id, and rows by content', () => {
    const published = {
      tags: [link('a'), link('b')],
      cover: [{ id: 1, name: 'x' }],
      slots: [{ id: 7, label: 'one', links: [], seo: null }],
    };
    const draft = {
      tags: [{ ...link('a'), id: 99, state: 'modified' }, link('b')],
      cover: [{ id: 1, name: 'renamed' }],
      slots: [{ id: 3, label: 'one', links: [], seo: null }],
    };
    deepStrictEqual(labels(draft, published), []);
    deepStrictEqual(labels({ ...draft, tags: [link('b'), link('a')] }, published), ['tags']);
    deepStrictEqual(labels({ ...draft, cover: [] }, published), ['cover']);
    deepStrictEqual(labels({ ...draft, slots: [] }, published), ['slots']);
  });

  it('leave links out that publishing does not take to the site', () => {
    const draft = (documentId: string) => ({ ...link(documentId), state: 'draft' });
    const published = { tags: [link('a'), link('b')] };
    deepStrictEqual(labels({ tags: [link('a'), draft('new'), link('b')] }, published), []);
    deepStrictEqual(labels({ tags: [draft('new')] }, { tags: [] }), []);
    // one that was taken back since is still on the site
    deepStrictEqual(labels({ tags: [link('a'), draft('new')] }, published), ['tags']);
    deepStrictEqual(labels({ tags: [link('b'), draft('new'), link('a')] }, published), ['tags']);
    deepStrictEqual(labels({ tags: [link('a'), { ...link('b'), state: 'modified' }] }, { tags: [link('a')] }), [
      'tags',
    ]);
    // of those that were not read some may not get there
    const cut = { items: [link('a'), draft('new')], count: 40 };
    deepStrictEqual(labels({ tags: cut }, { tags: { items: [link('a'), link('c')], count: 30 } }), []);
    const told = { ...cut, drafts: 9 };
    deepStrictEqual(labels({ tags: told }, { tags: { items: [link('a'), link('c')], count: 30 } }), []);
    deepStrictEqual(labels({ tags: told }, { tags: { items: [link('a'), link('c')], count: 29 } }), ['tags']);
    // two drafts differ in all that they link
    const both = [{ tags: [draft('new')] }, { tags: [] }] as const;
    deepStrictEqual(differences(schema, article, ...both, 'shown').length, 1);
  });

  it('list links to drafts by name, at any depth, each once', () => {
    const draft = (documentId: string) => ({ ...link(documentId), state: 'draft' });
    const values = {
      tags: { items: [link('a'), draft('b'), { ...link('c'), state: 'modified' }], count: 40, drafts: 7 },
      slots: [{ links: [draft('b'), draft('d')] }],
      zone: [{ __component: 'shared.slot', links: [draft('e')], seo: null }],
    };
    deepStrictEqual(
      linkedDrafts(schema, article, values).links.map(({ documentId }) => documentId),
      ['b', 'd', 'e'],
    );
    strictEqual(linkedDrafts(schema, article, values).unread, 7);
  });

  it('look into a single component, and at passwords never', () => {
    const published = { seo: { id: 1, metaTitle: 'a', image: [] } };
    deepStrictEqual(labels({ seo: { id: 2, metaTitle: 'b', image: [] }, secret: 'x' }, published), ['seo › metaTitle']);
    deepStrictEqual(labels({ seo: null }, published), ['seo']);
  });

  it('compare a row with the one that it was, wherever it stands now', () => {
    const row = (label: string) => ({ label, links: [], seo: null });
    const published = ['one', 'two', 'three'].map(row);
    const pairs = (...names: string[]) => pairRows(schema, attribute('slots'), names.map(row), published);
    deepStrictEqual(pairs('zero', 'one', 'two', 'three'), [undefined, 0, 1, 2]);
    deepStrictEqual(pairs('one', 'zwei', 'three'), [0, 1, 2]);
    deepStrictEqual(pairs('two', 'three'), [1, 2]);
    deepStrictEqual(pairs('three', 'one', 'two'), [2, 0, 1]);
  });

  it('are taken back into the rows of the draft', () => {
    const draft = [{ id: 3, label: 'eins', links: [], seo: null }];
    const published = [
      { id: 7, label: 'one', links: [], seo: null },
      { id: 8, label: 'two', links: [], seo: null },
    ];
    const back = rowsOf(restoredValue(schema, attribute('slots'), draft, published));
    deepStrictEqual(
      back.map(({ id, label }) => [id, label]),
      [
        [3, 'one'],
        [undefined, 'two'],
      ],
    );
    deepStrictEqual(differences(schema, article, { slots: back }, { slots: published }), []);
  });

  it('are not taken back where links were not read, in either version and at any depth', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => link(`tag${index}`));
    const can = (
      name: string,
      value: unknown,
      published: Values,
      publishedCounts?: Readonly<Record<string, number>>,
    ) => {
      const told = publishedWithCounts(schema, article, { published, ...(publishedCounts && { publishedCounts }) });
      return canBeRestored(schema, attribute(name), value, told?.[name]);
    };
    strictEqual(can('tags', [], { tags: many(25) }, { tags: 40 }), false);
    strictEqual(can('tags', [], { tags: many(25) }, {}), true);
    strictEqual(can('tags', [], { tags: many(25) }), false, 'how many there are is not known');
    strictEqual(can('tags', [], { tags: many(24) }), true);
    strictEqual(can('tags', { items: many(25), count: 40 }, { tags: many(3) }, {}), false);
    const slots = (count: number) => ({ slots: [{ id: 1, label: 'one', links: many(count) }] });
    strictEqual(can('slots', [], slots(25), { 'slots.0.links': 26 }), false);
    strictEqual(can('slots', [], slots(25), {}), true);
  });

  it('take back all links that were read one page after the other', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => link(id));
    const value = { items: [a, b, c], count: 3, known: [a, b, c] };
    deepStrictEqual(restoredValue(schema, attribute('tags'), value, [c]), { items: [c], count: 1, known: [a, b, c] });
    deepStrictEqual(restoredValue(schema, attribute('tags'), [a, b], [c]), [c]);
  });
});

describe('problems with values', () => {
  const kind = (declared: Partial<Attribute>, value: unknown) =>
    problemOf({ ...attribute('title'), required: false, ...declared }, value)?.kind;

  it('are those of the schema', () => {
    strictEqual(kind({ required: true }, null), 'required');
    strictEqual(kind({ required: true }, ''), undefined);
    strictEqual(kind({ maxLength: 3 }, 'four'), 'tooLong');
    strictEqual(kind({}, 'x'.repeat(256)), 'tooLong');
    strictEqual(kind({ type: 'text' }, 'x'.repeat(256)), undefined);
    strictEqual(kind({ minLength: 3 }, 'ab'), 'tooShort');
    strictEqual(kind({ type: 'email' }, 'a@b'), 'noEmail');
    strictEqual(kind({ type: 'integer', min: 2 }, 1), 'tooSmall');
    strictEqual(kind({ type: 'integer' }, unparsed('1.')), 'noInteger');
    strictEqual(kind({ type: 'biginteger', max: '9007199254740993' }, '9007199254740994'), 'tooLarge');
    strictEqual(kind({ type: 'biginteger' }, '9223372036854775808'), 'tooLarge');
    strictEqual(kind({ type: 'enumeration', enum: ['a'] }, 'b'), 'noChoice');
    strictEqual(kind({ type: 'json' }, unparsed('{')), 'noJson');
    strictEqual(kind({ type: 'dynamiczone', min: 2 }, [{}]), 'tooFew');
    strictEqual(kind({ type: 'dynamiczone', min: 2 }, []), undefined);
  });

  it('are listed with their path, at any depth', () => {
    const found = problems(schema, article, { title: 'x', slots: [{ label: 'a' }, { label: null }] }, false);
    deepStrictEqual(
      found.map(({ path, problem }) => [path.join('.'), problem.kind]),
      [['slots.1.label', 'required']],
    );
  });
});

describe('a save', () => {
  const save = (values: Values, sent: Values, saved: Values) => withSaved(schema, article, values, sent, saved);

  it('retains later changes, and takes the rest from the server', () => {
    const sent = { title: 'Smoke', body: 'a', secret: 'x' };
    const saved = { id: 1, title: 'Smoke', body: 'a', count: null, updatedAt: 'now' };
    deepStrictEqual(save({ ...sent, title: 'Smoke, honey' }, sent, saved), { ...saved, title: 'Smoke, honey' });
  });

  it('permits removing stored links, even if not all are loaded', () => {
    const told = Array.from({ length: 25 }, (_, index) => link(`t${index}`));
    const stored = { tags: { items: told, count: 26 } };
    const now = save({ tags: told }, { tags: [...told, link('new')] }, stored);
    deepStrictEqual(toBody(schema, article, now, stored), {
      tags: { connect: [], disconnect: [{ documentId: 'new' }] },
    });
  });

  it('adds the new ids of the server to rows that were moved or changed meanwhile', () => {
    const added = copyOfRow(schema, schema.components[1]!, { label: 'new', links: [], seo: { metaTitle: 'm' } });
    const sent = { slots: [{ id: 1, label: 'one' }, added] };
    const saved = {
      slots: [
        { id: 1, label: 'one' },
        { id: 2, label: 'new', links: [], seo: { id: 9, metaTitle: 'm' } },
      ],
    };
    const merged = rowsOf(
      save(
        {
          slots: [
            { ...added, label: 'newer' },
            { id: 1, label: 'one' },
          ],
        },
        sent,
        saved,
      )['slots'],
    );
    deepStrictEqual(merged[0], { ...added, id: 2, label: 'newer', seo: { id: 9, metaTitle: 'm' } });
    deepStrictEqual(merged[1], { id: 1, label: 'one' });
  });

  it('retains values that could not be sent', () => {
    const sent = { data: unparsed('{') };
    deepStrictEqual(save(sent, sent, { data: null }), sent);
  });
});

describe('values at paths', () => {
  it('are replaced without touching their neighbours', () => {
    const before = { seo: { a: 1 }, slots: [{ label: 'one' }, { label: 'two' }] };
    const after = withValue(before, ['slots', 1, 'label'], 'zwei');
    deepStrictEqual(after, { seo: { a: 1 }, slots: [{ label: 'one' }, { label: 'zwei' }] });
    ok(after['seo'] === before.seo && rowsOf(after['slots'])[0] === before.slots[0]);
    strictEqual(before.slots[1]!.label, 'two');
    deepStrictEqual(withValue(before, ['seo', 'a'], undefined), { ...before, seo: {} });
  });
});

describe('points in time', () => {
  it('are written in a zone and come back exactly', () => {
    for (const moment of ['2026-11-22T18:30:00.000Z', '2026-07-01T00:00:05.000Z', '1999-12-31T23:59:59.123Z']) {
      strictEqual(fromLocal(toLocal(moment)), moment);
    }
    strictEqual(toLocal('2026-11-22T18:30:00.000Z').length, '2026-11-22T18:30'.length);
    strictEqual(toLocal(''), '');
  });

  it('follow the zone of the site, also around a change of its clocks', () => {
    strictEqual(toLocal('2026-11-22T18:30:00.000Z', 'Asia/Tokyo'), '2026-11-23T03:30');
    strictEqual(fromLocal('2026-11-23T03:30', 'Asia/Tokyo'), '2026-11-22T18:30:00.000Z');
    for (const moment of ['2026-03-29T00:59:00.000Z', '2026-03-29T01:00:00.000Z', '2026-10-25T02:30:00.000Z']) {
      strictEqual(fromLocal(toLocal(moment, 'Europe/Berlin'), 'Europe/Berlin'), moment);
    }
    strictEqual(toLocal(fromLocal('2026-03-29T02:30', 'Europe/Berlin'), 'Europe/Berlin'), '2026-03-29T03:30');
    strictEqual(toLocal('0044-03-15T12:00:00.000Z', 'UTC'), '0044-03-15T12:00');
  });
});

describe('the name of a field', () => {
  it('is that of the first attribute and the last, with the place of one of several rows', () => {
    const labelled = {
      ...schema,
      components: schema.components.map((one) => ({
        ...one,
        attributes: one.attributes.map((each) => ({ ...each, label: each.name.toUpperCase() })),
      })),
    };
    const values = { zone: [{ __component: 'shared.seo' }, { __component: 'shared.slot' }] };
    const names = [
      ['title'],
      ['seo', 'metaTitle'],
      ['slots', '0', 'seo', 'metaTitle'],
      ['zone', '1', 'label'],
      ['zone', '1'],
      ['gone'],
    ].map((path) => fieldName(labelled, article, path, values));
    deepStrictEqual(names, ['title', 'seo › METATITLE', 'slots › METATITLE', 'zone 2 › LABEL', 'zone 2', 'gone']);
    strictEqual(fieldName(labelled, article, ['zone', '1', 'label']), 'zone › label', 'of parts that are not known');
  });
});

describe('the place of a value', () => {
  const rows = (...labels: readonly string[]) => labels.map((label) => ({ label, [KEY]: label }));

  it('is found again after its row has moved or was saved, and not once it is removed', () => {
    const anchor = anchorOf({ slots: rows('one', 'two') }, ['slots', 1, 'seo', 'image']);
    deepStrictEqual(pathOf({ slots: rows('two', 'one') }, anchor), ['slots', 0, 'seo', 'image']);
    const saved = { slots: [{ id: 7, label: 'two', [KEY]: 'two' }] };
    deepStrictEqual(pathOf(saved, anchor), ['slots', 0, 'seo', 'image']);
    deepStrictEqual(pathOf({ slots: rows('one') }, anchor), undefined);
    deepStrictEqual(pathOf({ slots: null }, anchor), undefined);
    deepStrictEqual(pathOf({}, anchorOf({}, ['cover'])), ['cover']);
  });
});
