/** The request of a document's form: its exact values, and no unchanged ones. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { valuesToFill } from '../../../admin/src/form/values/filled-in.ts';
import {
  asPublished,
  linksOf,
  placeOf,
  unloadedOf,
  withCounts,
  withLink,
  withMore,
  withMoved,
  withoutLink,
} from '../../../admin/src/form/values/links.ts';
import type { Values } from '../../../admin/src/form/values/model.ts';
import { copyOfRow, newValues } from '../../../admin/src/form/values/new-values.ts';
import { toBody } from '../../../admin/src/form/values/to-body.ts';
import { unparsed } from '../../../admin/src/form/values/unparsed.ts';
import { withSaved } from '../../../admin/src/form/values/with-saved.ts';
import { article, link, schema } from './form-schema.ts';

const body = (values: Values, before: Values | null) => toBody(schema, article, values, before);
const slot = schema.components[1]!;

describe('the body of a write', () => {
  it('has the attributes alone that are not as they were', () => {
    const before = { id: 1, title: 'Smoke', body: null, count: 3, updatedAt: '2026-01-01T00:00:00.000Z' };
    deepStrictEqual(body({ ...before, count: 4 }, before), { count: 4 });
    deepStrictEqual(body({ ...before }, before), {});
  });

  it('distinguishes null from a missing value', () => {
    deepStrictEqual(body({ title: null, body: undefined }, { title: 'Smoke', body: 'x' }), { title: null });
    deepStrictEqual(body({ title: '' }, { title: null }), { title: '' });
    deepStrictEqual(body({ body: null }, {}), {}, 'nothing was there before');
    deepStrictEqual(body({ done: false, count: 0, data: null }, null), { done: false, count: 0, data: null });
  });

  it('keeps every digit of large numbers', () => {
    deepStrictEqual(body({ big: '9223372036854775807' }, { big: '9223372036854775806' }), {
      big: '9223372036854775807',
    });
    deepStrictEqual(body({ big: '7' }, { big: 7 }), {}, 'the same in two spellings');
    deepStrictEqual(body({ price: 19.99 }, { price: 19.9 }), { price: 19.99 });
  });

  it('compares points in time, times and JSON by value', () => {
    const before = { at: '2026-01-01T12:00:00.000Z', data: { a: 1, b: [2] } };
    deepStrictEqual(body({ at: '2026-01-01T13:00:00+01:00', data: { b: [2], a: 1 } }, before), {});
    deepStrictEqual(body({ hour: '18:45:00.000' }, { hour: '18:45:00' }), {});
    deepStrictEqual(body({ ...before, data: { a: 1, b: [2, null] } }, before), { data: { a: 1, b: [2, null] } });
  });

  it('excludes incomplete values, and read-only attributes', () => {
    deepStrictEqual(body({ count: unparsed('1e'), data: unparsed('{'), title: 'T' }, {}), { title: 'T' });
    deepStrictEqual(body({ slug: 'x' }, {}), {});
    deepStrictEqual(body({ slug: 'x' }, null), { slug: 'x' }, 'in a new document it may');
  });

  it('sends a typed password, and no other one', () => {
    deepStrictEqual(body({ secret: 'honey' }, {}), { secret: 'honey' });
    deepStrictEqual(body({ secret: '' }, {}), {});
    deepStrictEqual(body({ secret: '' }, null), {});
  });

  it('names files by their ids, in their order', () => {
    const file = (id: number) => ({ id, documentId: `f${id}`, name: 'x' });
    deepStrictEqual(
      body({ cover: [file(1)], gallery: [file(3), file(2)] }, { cover: [], gallery: [file(2), file(3)] }),
      {
        cover: 1,
        gallery: [3, 2],
      },
    );
    deepStrictEqual(body({ cover: [], gallery: [] }, { cover: [file(1)], gallery: [file(1)] }), {
      cover: null,
      gallery: [],
    });
  });

  it('sets the links of a new document in their order', () => {
    deepStrictEqual(body({ tags: [link('b'), link('a')] }, null), {
      tags: { set: [{ documentId: 'b' }, { documentId: 'a' }] },
    });
  });

  it('sends changes of links, so that hidden ones stay', () => {
    deepStrictEqual(body({ tags: [link('b')] }, { tags: [link('a')] }), {
      tags: { connect: [{ documentId: 'b', position: { start: true } }], disconnect: [{ documentId: 'a' }] },
    });
    deepStrictEqual(body({ tags: [link('a'), link('b')] }, { tags: [link('a')] }), {
      tags: { connect: [{ documentId: 'b', position: { after: 'a' } }], disconnect: [] },
    });
    deepStrictEqual(body({ author: [] }, { author: [link('a', 'api::author.author')] }), {
      author: { connect: [], disconnect: [{ documentId: 'a' }] },
    });
    const renamed = { ...link('a'), label: 'other', state: 'draft' };
    deepStrictEqual(body({ tags: [renamed] }, { tags: [link('a')] }), {}, 'the same document');
  });

  it('contains the type for a relation to any type', () => {
    deepStrictEqual(body({ about: [link('a'), link('a', 'api::author.author')] }, null), {
      about: {
        set: [
          { documentId: 'a', __type: 'api::tag.tag' },
          { documentId: 'a', __type: 'api::author.author' },
        ],
      },
    });
  });

  it('contains the locale if the document itself has none', () => {
    const plain = { ...article, localized: false };
    const values = { tags: [{ ...link('a'), locale: 'fr' }] };
    deepStrictEqual(toBody(schema, plain, values, null), { tags: { set: [{ documentId: 'a', locale: 'fr' }] } });
    deepStrictEqual(body(values, null), { tags: { set: [{ documentId: 'a' }] } });
    const [one, two, three] = ['fr', 'en', 'de'].map((locale, n) => ({ ...link('a'), id: n + 1, locale }));
    deepStrictEqual(
      toBody(schema, plain, { tags: [one, three, two] }, { tags: [one, two] }),
      { tags: { connect: [{ id: 3, position: { after: 1 } }], disconnect: [] } },
      'a position names no locale',
    );
  });

  it('sends changes of links if not all were loaded', () => {
    const told = { tags: [link('a'), link('b'), link('c'), link('x')] };
    const before = withCounts(schema, article, told, { counts: { tags: 40 } });
    const after = { tags: { items: [link('c'), link('a'), link('b'), link('d')], count: 40 } };
    deepStrictEqual(body(after, before), {
      tags: {
        connect: [
          { documentId: 'c', position: { start: true } },
          { documentId: 'd', position: { after: 'b' } },
        ],
        disconnect: [{ documentId: 'x' }],
      },
    });
  });

  const withLinkAt = ({ tags }: Values, one: ReturnType<typeof link>) => withLink(linksOf(tags), one);

  it('puts new links after those that were not loaded, and moves links past them and back', () => {
    const list = (...names: string[]) => names.map((name) => link(name));
    const before = withCounts(schema, article, { tags: list('a', 'b') }, { counts: { tags: 40 } });
    const added = withLink(linksOf(withLinkAt(before, link('y'))), link('z'));
    const end = { end: true };
    const connected = [
      { documentId: 'y', position: end },
      { documentId: 'z', position: { after: 'y' } },
    ];
    deepStrictEqual(body({ tags: added }, before), { tags: { connect: connected, disconnect: [] } });
    // once saved they are known to be there
    const stored = withCounts(schema, article, { tags: list('a', 'b') }, { counts: { tags: 42 } });
    const { tags } = withSaved(schema, article, { tags: added }, { tags: added }, stored);
    deepStrictEqual(body({ tags }, stored), {});
    const links = linksOf(tags);
    deepStrictEqual([links.tail, links.count, unloadedOf(links)], [list('y', 'z'), 42, 38]);
    deepStrictEqual([placeOf(links, 1), placeOf(links, 2)], [1, 40]);
    const moved = (from: number, to: number) => body({ tags: withMoved(links, from, to) }, stored);
    const connects = (...connect: object[]) => ({ tags: { connect, disconnect: [] } });
    deepStrictEqual(moved(0, 2), connects({ documentId: 'a', position: { after: 'y' } }));
    deepStrictEqual(moved(3, 1), connects({ documentId: 'z', position: { after: 'a' } }));
    deepStrictEqual(moved(3, 2), connects({ documentId: 'y', position: { after: 'z' } }));
    const three = linksOf({
      ...(tags as Values),
      tail: list('x', 'y', 'z'),
      knownTail: list('x', 'y', 'z'),
      count: 43,
    });
    deepStrictEqual(
      body({ tags: withMoved(three, 4, 2) }, withCounts(schema, article, stored, { counts: { tags: 43 } })),
      connects({ documentId: 'z', position: { before: 'x' } }),
    );
    deepStrictEqual(body({ tags: withoutLink(links, links.tail[0]!) }, stored), {
      tags: { connect: [], disconnect: [{ documentId: 'y' }] },
    });
    // a page more of them is none of what was written
    const more = withMore(links, list('a', 'b', 'c', 'd'));
    deepStrictEqual(body({ tags: more }, stored), {});
    deepStrictEqual(linksOf(more).items, list('a', 'b', 'c', 'd'));
    const again = withSaved(schema, article, { tags: more }, { tags: more }, stored);
    deepStrictEqual(linksOf(again['tags']).items, list('a', 'b', 'c', 'd'), 'it stays');
    // the last of them make one list of all
    const few = withCounts(schema, article, { tags: list('a', 'b') }, { counts: { tags: 4 } });
    const { tags: last } = withSaved(
      schema,
      article,
      { tags: withLinkAt(few, link('z')) },
      { tags: withLinkAt(few, link('z')) },
      {
        ...withCounts(schema, article, { tags: list('a', 'b') }, { counts: { tags: 5 } }),
      },
    );
    const whole = linksOf(withMore(linksOf(last), list('a', 'b', 'c', 'd', 'z')));
    deepStrictEqual([whole.items, whole.tail, unloadedOf(whole)], [list('a', 'b', 'c', 'd', 'z'), [], 0]);
  });

  it('keeps rows of components by their ids, with only their changes', () => {
    const before = {
      seo: { id: 5, metaTitle: 'a', image: [] },
      slots: [
        { id: 1, label: 'one', links: [], seo: { id: 9, metaTitle: 'x', image: [] } },
        { id: 2, label: 'two', links: [link('a')], seo: null },
      ],
    };
    const after = {
      seo: { id: 5, metaTitle: 'b', image: [] },
      slots: [
        { ...before.slots[1]!, label: 'zwei' },
        { ...before.slots[0]!, seo: { id: 9, metaTitle: 'y', image: [] } },
      ],
    };
    deepStrictEqual(body(after, before), {
      seo: { id: 5, metaTitle: 'b' },
      slots: [
        { id: 2, label: 'zwei' },
        { id: 1, seo: { id: 9, metaTitle: 'y' } },
      ],
    });
  });

  it('sends all values of a new row, and no ids from outside of the draft', () => {
    const before = { slots: [{ id: 1, label: 'one', links: [link('a')], seo: { id: 9, metaTitle: 'x', image: [] } }] };
    const copy = copyOfRow(schema, slot, before.slots[0]!);
    const said = { label: 'one', links: { set: [{ documentId: 'a' }] }, seo: { metaTitle: 'x', image: null } };
    deepStrictEqual(body({ slots: [before.slots[0]!, copy] }, before), { slots: [{ id: 1 }, said] });
    deepStrictEqual(body({ slots: [{ ...before.slots[0]!, id: 77 }] }, before), { slots: [said] });
  });

  it('distinguishes an empty component from none', () => {
    deepStrictEqual(body({ seo: {} }, { seo: null }), { seo: {} });
    deepStrictEqual(body({ seo: null }, { seo: { id: 5, metaTitle: null, image: [] } }), { seo: null });
    deepStrictEqual(body({ slots: [] }, { slots: [{ id: 1, label: 'one' }] }), { slots: [] });
  });

  it('sends the component of every part of a zone, and distinguishes equal ids of two components', () => {
    const before = {
      zone: [
        { __component: 'shared.slot', id: 1, label: 'one', links: [], seo: null },
        { __component: 'shared.seo', id: 1, metaTitle: 'm', image: [] },
      ],
    };
    deepStrictEqual(body({ zone: [{ ...before.zone[1]!, metaTitle: 'n' }, before.zone[0]!] }, before), {
      zone: [
        { __component: 'shared.seo', id: 1, metaTitle: 'n' },
        { __component: 'shared.slot', id: 1 },
      ],
    });
  });

  it('begins a new document with the defaults of the schema', () => {
    deepStrictEqual(body(newValues(schema, article), null), { title: 'Untitled' });
  });
});

describe('values as they will be on the site', () => {
  const attributeOf = (name: string) => article.attributes.find((one) => one.name === name)!;
  const [there, draft] = [
    { ...link('a'), state: 'published' as const },
    { ...link('b'), state: 'draft' as const },
  ];
  const names = (value: unknown) => linksOf(value).items.map(({ documentId }) => documentId);

  it('have no links to documents that are only drafts, however deep', () => {
    deepStrictEqual(names(asPublished(schema, attributeOf('tags'), [draft, there, draft])), ['a']);
    deepStrictEqual(names(asPublished(schema, attributeOf('author'), [draft])), []);
    const row = { __component: 'shared.slot', id: 1, links: [there, draft] };
    const [shown] = asPublished(schema, attributeOf('zone'), [row]) as [Values];
    deepStrictEqual([shown['id'], names(shown['links'])], [1, ['a']]);
    deepStrictEqual(asPublished(schema, attributeOf('title'), 'Smoke'), 'Smoke');
  });

  it('count links that were not loaded, as far as their number is known', () => {
    const cut = { items: [there, draft], count: 40, drafts: 5 };
    deepStrictEqual(linksOf(asPublished(schema, attributeOf('tags'), cut)).count, 34);
    const unknown = { items: [there, draft], count: 40 };
    deepStrictEqual(linksOf(asPublished(schema, attributeOf('tags'), unknown)).count, 39);
  });
});

describe('values from another locale', () => {
  const filled = {
    title: 'Smoke',
    done: false,
    count: 0,
    body: '',
    tags: [link('a')],
    seo: { metaTitle: 'Honey' },
    slots: [{ label: 'One', seo: { metaTitle: 'Salt' } }],
  };

  it('is all that is empty, and nothing that is written', () => {
    const { slots, ...rest } = valuesToFill(schema, article, {}, filled);
    const { body: _, slots: __, ...others } = filled;
    deepStrictEqual(rest, others);
    deepStrictEqual(
      (slots as readonly Values[]).map(({ label, seo }) => [label, seo]),
      [['One', { metaTitle: 'Salt' }]],
    );
    deepStrictEqual(body({ slots }, {}), { slots: [{ label: 'One', seo: { metaTitle: 'Salt' } }] });
    const written = { title: 'Fumée', done: true, count: 3, tags: [link('b')], seo: { metaTitle: null }, slots: [{}] };
    deepStrictEqual(valuesToFill(schema, article, written, filled), {});
    deepStrictEqual(valuesToFill(schema, article, { ...written, count: unparsed('1e') }, filled), {});
    deepStrictEqual(Object.keys(valuesToFill(schema, article, { ...written, title: '', tags: [] }, filled)), [
      'title',
      'tags',
    ]);
  });

  it('is nothing that all locales share, or that may not be written', () => {
    const kept = article.attributes.map((one) => ({
      ...one,
      localized: one.name !== 'title',
      writable: one.name !== 'count',
    }));
    deepStrictEqual(
      Object.keys(valuesToFill(schema, { ...article, attributes: kept }, {}, { title: 'Smoke', count: 1, body: 'x' })),
      ['body'],
    );
  });
});
