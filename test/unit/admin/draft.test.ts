/** A draft as it is being written: its saved state, its storage on the device, and repeated requests. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentAnswer } from '../../../admin/contract/documents.ts';
import { RefusedError, UnreachableError } from '../../../admin/src/data/failures.ts';
import { bytesOf, canOutlive } from '../../../admin/src/data/keepalive.ts';
import type { Unsaved } from '../../../admin/src/data/unsaved-version.ts';
import { linksOf, withMore } from '../../../admin/src/form/values/links.ts';
import { KEY, type Values } from '../../../admin/src/form/values/model.ts';
import { unparsed } from '../../../admin/src/form/values/unparsed.ts';
import { Draft } from '../../../admin/src/pages/document/draft.ts';
import type { DraftSetup } from '../../../admin/src/pages/document/draft-state.ts';
import { article, link, schema } from './form-schema.ts';

/** What the server answers, the tag after the version. */
function answer(version: number, draft: Values): DocumentAnswer {
  const none = {
    published: null,
    counts: {},
    draftCounts: {},
    publishedCounts: {},
    states: { en: 'draft' as const },
    may: { update: true, delete: true, deleteAll: true, publish: true },
    createdBy: null,
    updatedBy: null,
    isThroughApi: false,
  };
  return { documentId: 'd', locale: 'en', tag: `"${version}"`, draft: { id: 1, ...draft }, ...none };
}

const NOTHING: DocumentAnswer = { ...answer(0, {}), documentId: null, tag: null, draft: null, states: {} };

type Write = DraftSetup['write'];

/** A draft with what it has kept and sent; it sends only what it is asked to, unless it `savesItself`. */
function draftOf(
  server: DocumentAnswer,
  write: Write,
  { savesItself = false, isOpening = false, model = article } = {},
) {
  let kept: Unsaved | undefined;
  const places = new Map<string | null, Unsaved>();
  const sent: Values[] = [];
  const outlived: boolean[] = [];
  const draft = new Draft({
    schema,
    model,
    server,
    initial: {},
    savesItself,
    isOpening,
    write: (to, data, how) => {
      sent.push(data);
      outlived.push(how.outlives);
      return write(to, data, how);
    },
    canOutlive: (_to, data) => canOutlive(bytesOf(JSON.stringify(data))),
    onSaved: () => {},
    keep: ({ documentId }, unsaved) => {
      kept = unsaved;
      if (unsaved) places.set(documentId, unsaved);
      else places.delete(documentId);
    },
  });
  return { draft, sent, outlived, kept: () => kept, places };
}

describe('a draft with an incomplete value', () => {
  it('is not saved, is stored on the device, and is not published', async () => {
    const { draft, sent, kept } = draftOf(answer(1, { title: 'a', count: 1 }), async (_to, data) =>
      answer(2, { title: 'a', count: 1, ...data }),
    );
    draft.change(['count'], unparsed('12e'));
    strictEqual(draft.isSaved, false);
    strictEqual(draft.get().status, 'unsaved');
    draft.change(['title'], 'b');
    strictEqual(await draft.act(() => Promise.reject(new Error('must not be published'))), false);
    deepStrictEqual(sent, [{ title: 'b' }]);
    strictEqual(draft.get().status, 'waiting');
    deepStrictEqual(told(draft), ['count noInteger']);
    deepStrictEqual(kept()?.values, { count: unparsed('12e') });
    draft.change(['count'], 1);
    strictEqual(draft.get().status, 'saved');
    strictEqual(kept(), undefined);
    draft.forget();
  });

  it('is found at any depth', () => {
    const { draft } = draftOf(answer(1, { slots: [{ id: 1, label: 'x' }] }), () => Promise.reject(new Error()));
    draft.change(['slots', 0, 'seo', 'image'], unparsed('{'));
    strictEqual(draft.isSaved, false);
    draft.forget();
  });
});

/** What is to be mended: each field with what is wrong by the schema, or what the server says. */
function told(draft: Draft): readonly string[] {
  return draft.get().errors.map(({ path, problem, message }) => `${path.join('.')} ${problem?.kind ?? message}`);
}

describe('a draft with a value that no draft can have', () => {
  const server = answer(1, {
    title: 'a',
    body: 'b',
    count: 1,
    zone: [{ __component: 'shared.seo', id: 3, metaTitle: 'c' }],
  });
  const store: Write = async ({ draft }, data) => answer(2, { ...draft, ...data });

  it('sends the rest of it, reports each waiting field, and stops as soon as it is corrected', async () => {
    const { draft, sent, kept } = draftOf(server, store);
    draft.fill({ title: 'x'.repeat(256), body: 'more', count: 2 ** 31 });
    draft.change(['zone', 0, 'metaTitle'], 'y'.repeat(256));
    deepStrictEqual(told(draft), [], 'nobody is told while they write');
    strictEqual(await draft.flush(), false);
    deepStrictEqual(sent, [{ body: 'more' }]);
    deepStrictEqual(told(draft), ['title tooLong', 'count tooLarge', 'zone.0.metaTitle tooLong']);
    deepStrictEqual([draft.get().status, draft.get().waiting], ['waiting', 3]);
    deepStrictEqual(Object.keys(kept()!.values), ['title', 'count', 'zone']);
    draft.change(['count'], 2);
    draft.change(['zone', 0, 'metaTitle'], 'z');
    deepStrictEqual(told(draft), ['title tooLong']);
    strictEqual(await draft.flush(), false);
    deepStrictEqual(sent[1], { count: 2, zone: [{ __component: 'shared.seo', id: 3, metaTitle: 'z' }] });
    draft.change(['price'], unparsed('1,'));
    strictEqual(await draft.flush(), false);
    deepStrictEqual([told(draft), draft.get().status], [['title tooLong', 'price noNumber'], 'waiting']);
    draft.fill({ title: 'a', price: null });
    strictEqual(await draft.flush(), true);
    deepStrictEqual([told(draft), draft.get().status, kept()], [[], 'saved', undefined]);
    draft.forget();
  });

  it('lists all obstacles to publishing, in the order of the form and in the words of the server', async () => {
    const edit = [['slug'], ['count']].map((row) => row.map((name) => ({ name, size: 12 as const })));
    const model = { ...article, layout: { ...article.layout, edit } };
    const { draft, sent } = draftOf(server, store, { model });
    draft.fill({ title: null, count: 2 ** 31, secret: 'short', slug: 'taken' });
    strictEqual(await draft.act(() => Promise.reject(new Error('nothing that waits is published'))), false);
    deepStrictEqual(told(draft), ['count tooLarge', 'title required']);
    draft.change(['count'], 2);
    const errors = [
      { path: ['title'], message: 'title must be defined.', name: 'ValidationError' },
      { path: ['slug'], message: 'This attribute must be unique', name: 'ValidationError' },
    ];
    const refuse = () => Promise.reject(new RefusedError(400, '2 errors occurred', { errors }));
    strictEqual(await draft.act(refuse), false);
    deepStrictEqual(told(draft), ['slug This attribute must be unique', 'title title must be defined.']);
    // what is mended is saved, and the rest is told for as long as it is not
    draft.change(['title'], 'b');
    strictEqual(await draft.flush(), true);
    deepStrictEqual(told(draft), ['slug This attribute must be unique']);
    strictEqual(await draft.act(async () => answer(9, { ...server.draft, title: 'b' })), true);
    deepStrictEqual(told(draft), []);
    deepStrictEqual(sent.length, 3);
    draft.forget();
  });

  it('sends nothing by itself if saving publishes at once', async () => {
    const { draft, sent } = draftOf(server, store, { model: { ...article, draftAndPublish: false } });
    draft.fill({ title: null, body: 'more', count: 2 ** 31 });
    strictEqual(await draft.save(), false);
    deepStrictEqual([sent, told(draft)], [[], ['title required', 'count tooLarge']]);
    draft.fill({ title: 'b', count: 2 });
    strictEqual(await draft.save(), true);
    deepStrictEqual(sent, [{ title: 'b', body: 'more', count: 2 }]);
    draft.forget();
  });

  it('is not created if nothing of it can be sent', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { draft, sent } = draftOf(NOTHING, store, { savesItself: true });
    draft.change(['title'], 'x'.repeat(256));
    t.mock.timers.tick(1_000);
    deepStrictEqual([sent, draft.get().status], [[], 'waiting']);
    draft.forget();
  });
});

describe('a draft of which the server refuses a part', () => {
  const at = (path: readonly (string | number)[], message: string) => ({ path, message, name: 'ValidationError' });
  const unique = 'This attribute must be unique';
  const slug = article.attributes.map((one) => (one.name === 'slug' ? { ...one, writable: true } : one));
  const model = { ...article, attributes: slug };
  const server = answer(1, { title: 'a', slug: 'a', tags: [], slots: [{ id: 1, label: 'x', links: [] }] });
  let taken = ['taken', 'too'];
  /** Refuses names that are taken, and links to what is gone, as the server does. */
  const store: Write = async ({ draft }, data) => {
    if (taken.includes(String(data['slug']))) {
      throw new RefusedError(400, unique, { errors: [at(['slug'], unique)] });
    }
    const gone = 'Document with id "gone", locale "null" not found';
    for (const [path, value] of Object.entries({ tags: data['tags'], 'slots.links': data['slots'] })) {
      if (JSON.stringify(value ?? null).includes('gone'))
        throw new RefusedError(400, gone, { reason: { code: 'gone', path } });
    }
    return answer(2, { ...draft, ...data });
  };

  it('saves the rest, and reports and retains the refused value until it is changed', async () => {
    const { draft, sent, kept } = draftOf(server, store, { model });
    draft.fill({ title: 'b', slug: 'taken', tags: [link('gone')] });
    strictEqual(await draft.flush(), false);
    deepStrictEqual(sent.at(-1), { title: 'b' });
    deepStrictEqual([draft.get().status, draft.get().waiting, draft.get().refusal], ['waiting', 2, undefined]);
    deepStrictEqual(told(draft), [`slug ${unique}`, 'tags Document with id "gone", locale "null" not found']);
    deepStrictEqual(Object.keys(kept()!.values), ['slug', 'tags']);
    const { title, slug: name, tags } = draft.get().values;
    deepStrictEqual([title, name, tags], ['b', 'taken', [link('gone')]]);
    // nothing of it is sent again by itself
    draft.change(['title'], 'c');
    await draft.flush();
    deepStrictEqual(sent.at(-1), { title: 'c' });
    strictEqual(told(draft).length, 2);
    draft.change(['tags'], []);
    deepStrictEqual(told(draft), [`slug ${unique}`]);
    draft.change(['slug'], 'free');
    strictEqual(await draft.flush(), true);
    deepStrictEqual(sent.at(-1), { slug: 'free' });
    deepStrictEqual([told(draft), draft.get().status, kept()], [[], 'saved', undefined]);
    draft.forget();
  });

  it('tries again on request, and publishes nothing while a part waits', async () => {
    const { draft, sent } = draftOf(server, store, { model });
    draft.fill({ title: 'b', slug: 'too' });
    const publish = async () => answer(3, { title: 'b', slug: 'too' });
    strictEqual(await draft.act(publish), false);
    deepStrictEqual([told(draft), sent.at(-1)], [[`slug ${unique}`], { title: 'b' }]);
    taken = [];
    strictEqual(await draft.act(publish), true);
    deepStrictEqual([told(draft), sent.at(-1)], [[], { slug: 'too' }]);
    draft.forget();
  });

  it('withholds an attribute as a whole if the server does not name the row', async () => {
    const { draft, sent } = draftOf(server, store, { model });
    draft.change(['slots', 0, 'links'], [link('gone')]);
    draft.change(['title'], 'b');
    strictEqual(await draft.flush(), false);
    deepStrictEqual(sent.at(-1), { title: 'b' });
    match(told(draft).join(), /^slots Document with id/);
    draft.change(['slots', 0, 'links'], [link('there')]);
    strictEqual(await draft.flush(), true);
    draft.forget();
  });

  it('withholds links of files if one of these no longer exists and its place is unknown', async () => {
    const message = '1 relation(s) of type plugin::upload.file associated with this entity do not exist';
    const refuse: Write = async ({ draft: before }, data) => {
      if (data['cover'])
        throw new RefusedError(400, message, {
          errors: [{ ...at([], message), reason: { code: 'gone', values: { type: 'plugin::upload.file' } } }],
        });
      return answer(2, { ...before, ...data });
    };
    const { draft, sent } = draftOf(server, refuse, { model });
    draft.fill({ title: 'b', cover: [{ id: 7, name: 'gone.png' }] });
    strictEqual(await draft.flush(), false);
    deepStrictEqual([sent.at(-1), told(draft)], [{ title: 'b' }, [`cover ${message}`]]);
    draft.forget();
  });

  it('is refused as a whole if the server names no place', async () => {
    const { draft, sent } = draftOf(server, () => Promise.reject(new RefusedError(400, 'the tide is out')), { model });
    draft.fill({ title: 'b', slug: 'c' });
    strictEqual(await draft.flush(), false);
    deepStrictEqual([draft.get().status, sent.length], ['refused', 1]);
    draft.forget();
  });
});

describe('a draft that is opened incomplete', () => {
  const advised = (draft: Draft): readonly string[] =>
    draft.get().advice.map(({ path, problem }) => `${path.join('.')} ${problem?.kind}`);
  const store: Write = async ({ draft }, data) => answer(2, { ...draft, ...data });

  it('lists obstacles to publishing discreetly, unless an error is shown for the field', async () => {
    const there = answer(1, { title: null, slots: [{ id: 1, label: null }], count: 1 });
    const { draft } = draftOf(there, store);
    deepStrictEqual([told(draft), advised(draft)], [[], ['title required', 'slots.0.label required']]);
    draft.change(['title'], 'a');
    deepStrictEqual(advised(draft), ['slots.0.label required']);
    draft.change(['count'], 2 ** 31);
    strictEqual(await draft.flush(), false);
    deepStrictEqual([told(draft), advised(draft)], [['count tooLarge'], ['slots.0.label required']]);
    strictEqual(await draft.act(() => Promise.reject(new Error('nothing incomplete is published'))), false);
    deepStrictEqual([told(draft).length, advised(draft)], [2, []]);
    draft.forget();
  });

  it('lists no missing values if it is new, or has no drafts', async () => {
    const made = draftOf(NOTHING, async (_to, data) => answer(1, { title: null, ...data }));
    deepStrictEqual(advised(made.draft), []);
    made.draft.change(['body'], 'b');
    strictEqual(await made.draft.flush(), true);
    deepStrictEqual(advised(made.draft), []);
    made.draft.forget();
    const site = draftOf(answer(1, { title: null }), store, { model: { ...article, draftAndPublish: false } });
    deepStrictEqual(advised(site.draft), []);
    site.draft.forget();
  });
});

describe('a draft beside a publication', () => {
  it('sends later changes, though the publication was refused', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { draft, sent } = draftOf(answer(1, { title: 'a' }), async (_to, data) => answer(2, data), {
      savesItself: true,
    });
    const isDone = await draft.act(async () => {
      draft.change(['title'], 'b');
      t.mock.timers.tick(1_000);
      deepStrictEqual(sent, [], 'nothing is sent beside it');
      throw new RefusedError(400, 'not complete');
    });
    strictEqual(isDone, false);
    t.mock.timers.tick(1_000);
    deepStrictEqual(sent, [{ title: 'b' }]);
    draft.forget();
  });
});

describe('a draft with several stored changes', () => {
  it('reports the loss before it restores one, and stays a conflict when it is stored again', async () => {
    const { draft, kept } = draftOf(answer(2, { title: 'theirs', body: 'b' }), async () => answer(3, {}));
    const found = { at: 1, tag: '"1"', values: { title: 'mine' } };
    strictEqual(draft.isInTheWayOf(found), false);
    draft.change(['title'], 'typed now');
    strictEqual(draft.isInTheWayOf(found), true);
    strictEqual(draft.isInTheWayOf({ ...found, values: { title: 'typed now' } }), false);
    strictEqual(draft.isInTheWayOf({ ...found, values: { body: 'other' } }), false);
    draft.change(['title'], 'theirs');
    draft.bringBack(found);
    strictEqual(draft.get().status, 'conflict');
    draft.keep();
    deepStrictEqual([kept()?.tag, kept()?.values], ['"1"', { title: 'mine' }]);
    draft.resolve(answer(2, { title: 'theirs', body: 'b' }), { title: 'mine' });
    strictEqual(kept()?.tag, '"2"');
    draft.forget();
  });

  it('is not stored if none of it is visible', () => {
    const { draft, kept } = draftOf(answer(1, { title: 'a', count: 1 }), async () => answer(2, {}));
    draft.change(['count'], unparsed(''));
    draft.keep();
    strictEqual(kept(), undefined);
    draft.forget();
  });
});

describe('a draft that the server could not save', () => {
  for (const [status, isSentAgain] of [
    [503, true],
    [500, true],
    [400, false],
  ] as const) {
    it(`${isSentAgain ? 'is' : 'is not'} sent again after ${status}, without a key, and when its page is left`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { draft, sent, kept } = draftOf(
        answer(1, { title: 'a' }),
        async () => Promise.reject(new RefusedError(status, 'not now')),
        { savesItself: true },
      );
      draft.change(['title'], 'b');
      strictEqual(await draft.flush(), false);
      t.mock.timers.tick(4_000);
      strictEqual(sent.length, 1);
      t.mock.timers.tick(1_000);
      strictEqual(sent.length, isSentAgain ? 2 : 1);
      await draft.opened();
      draft.leave();
      await draft.opened();
      strictEqual(sent.length, isSentAgain ? 3 : 1);
      strictEqual(kept()?.values['title'], 'b');
      draft.forget();
    });
  }
});

describe('a draft with more links than the form shows', () => {
  it('is unchanged, and keeps them as long as the server has them', async () => {
    const told = (version: number, label: string, ...names: string[]): DocumentAnswer => ({
      ...answer(version, { tags: names.map((name) => ({ ...link(name), label })) }),
      counts: { tags: 4 },
    });
    const { draft, sent } = draftOf(told(1, 'old', 'a', 'b'), async () => told(9, 'old'));
    const namesOf = () =>
      linksOf(draft.get().values['tags']).items.map(({ documentId, label }) => `${documentId} ${label}`);
    draft.change(
      ['tags'],
      withMore(
        linksOf(draft.get().values['tags']),
        ['a', 'b', 'c', 'd'].map((name) => link(name)),
      ),
    );
    strictEqual(draft.isSaved, true);
    draft.refresh(told(2, 'new', 'a', 'b'));
    deepStrictEqual(namesOf().slice(0, 3), ['a new', 'b new', `c ${link('c').label}`]);
    // somebody else has put them into another order
    draft.refresh(told(3, 'new', 'b', 'a'));
    deepStrictEqual(namesOf(), ['b new', 'a new']);
    deepStrictEqual(sent, []);
    draft.forget();
  });
});

describe('a draft that is opened as it was seen the last time', () => {
  const seen = answer(1, { title: 'a', count: 1 });
  const there = answer(2, { title: 'a', count: 2 });

  it('merges later changes into the existing document', async () => {
    const to: unknown[] = [];
    const write: Write = async ({ tag }, data) => {
      to.push(tag);
      return answer(3, { ...there.draft, ...data });
    };
    const { draft, sent, kept } = draftOf(seen, write, { isOpening: true });
    draft.change(['title'], 'b');
    draft.refresh(there);
    await draft.opened();
    deepStrictEqual([draft.get().values['title'], draft.get().values['count']], ['b', 2]);
    deepStrictEqual(kept()?.values, { title: 'b' });
    strictEqual(await draft.flush(), true);
    deepStrictEqual([to, sent], [['"2"'], [{ title: 'b' }]]);
    draft.forget();
  });

  it('is no conflict with it if it is sent before it is known', async () => {
    const write: Write = async ({ tag }, data) => {
      if (tag === seen.tag) throw new RefusedError(412, 'changed', { current: there });
      return answer(3, { ...there.draft, ...data });
    };
    const { draft, sent } = draftOf(seen, write, { isOpening: true });
    draft.change(['title'], 'b');
    strictEqual(await draft.flush(), true);
    deepStrictEqual(sent, [{ title: 'b' }, { title: 'b' }]);
    deepStrictEqual([draft.get().status, draft.get().values['count']], ['saved', 2]);
    draft.forget();
  });

  it('is a conflict if both have changed the same value, or if it was known before', async () => {
    const write: Write = async () => Promise.reject(new RefusedError(412, 'changed', { current: there }));
    for (const [name, isOpening] of [
      ['count', true],
      ['title', false],
    ] as const) {
      const { draft } = draftOf(seen, write, { isOpening });
      draft.change([name], name === 'count' ? 3 : 'b');
      draft.refresh(there);
      strictEqual(await draft.flush(), false);
      strictEqual(draft.get().status, 'conflict', name);
      draft.forget();
    }
  });
});

describe('a draft whose answer was lost', () => {
  const refuse = (current: DocumentAnswer) => Promise.reject(new RefusedError(412, 'changed', { current }));
  const lose = () => Promise.reject(new UnreachableError('no answer'));

  it("is no conflict with the same writer's request", async () => {
    const slots = [{ [KEY]: 'new-1', label: 'one', links: [], seo: null }];
    const body = { title: 'b', slots: [{ label: 'one', links: { set: [] }, seo: null }] };
    const stored = answer(2, { title: 'b', slots: [{ id: 7, label: 'one', links: [], seo: null }] });
    const answers = [
      () => lose(),
      () => refuse(stored),
      (data: Values) => Promise.resolve(answer(3, { ...stored.draft, ...data })),
    ];
    const { draft, sent } = draftOf(answer(1, { title: 'a', slots: [] }), (_to, data) =>
      answers[sent.length - 1]!(data),
    );
    draft.fill({ title: 'b', slots });
    strictEqual(await draft.flush(), false);
    strictEqual(draft.get().status, 'offline');
    draft.change(['title'], 'c');
    strictEqual(await draft.flush(), true);
    strictEqual(draft.get().theirs, undefined);
    deepStrictEqual(sent, [body, body, { title: 'c' }]);
    strictEqual(draft.get().server.tag, '"3"');
    draft.forget();
  });

  it('is no conflict either if an invalid part was not sent', async () => {
    const answers = [() => lose(), () => refuse(answer(2, { title: 'a', body: 'b' }))];
    const { draft, sent } = draftOf(answer(1, { title: 'a' }), () => answers[sent.length - 1]!());
    draft.fill({ title: 'x'.repeat(256), body: 'b' });
    await draft.flush();
    strictEqual(await draft.flush(), false);
    deepStrictEqual([draft.get().status, draft.get().theirs], ['waiting', undefined]);
    strictEqual(draft.get().values['title'], 'x'.repeat(256));
    draft.forget();
  });

  it('is a conflict with changes of others', async () => {
    const answers = [() => lose(), () => refuse(answer(2, { title: 'theirs' }))];
    const { draft, sent } = draftOf(answer(1, { title: 'a' }), () => answers[sent.length - 1]!());
    draft.change(['title'], 'b');
    await draft.flush();
    strictEqual(await draft.flush(), false);
    strictEqual(draft.get().status, 'conflict');
    draft.forget();
  });

  it('is created once, by the id of the request, and keeps later changes', async () => {
    const ids: string[] = [];
    const { draft, sent } = draftOf(NOTHING, async (to, data, { newId }) => {
      ids.push(newId);
      if (ids.length === 1) return lose();
      return answer(ids.length, to.documentId === null ? { title: 'a', body: null } : { title: 'a', ...data });
    });
    draft.change(['title'], 'a');
    await draft.flush();
    draft.change(['body'], 'more');
    strictEqual(await draft.flush(), true);
    deepStrictEqual(sent, [{ title: 'a' }, { title: 'a' }, { body: 'more' }]);
    strictEqual(new Set(ids).size, 1);
    match(ids[0]!, /^[a-z0-9]{25}$/);
    strictEqual(draft.get().values['body'], 'more');
    draft.forget();
  });
});

describe('a draft in which nothing is written', () => {
  it('is created only by saving or publishing it', async () => {
    const { draft, sent } = draftOf(NOTHING, async (_to, data) => answer(1, data));
    strictEqual(await draft.flush(), true);
    deepStrictEqual(sent, []);
    const seen: (string | null)[] = [];
    const isDone = await draft.act(async (saved) => {
      seen.push(saved.documentId);
      return answer(2, { title: 'a' });
    });
    strictEqual(isDone, true);
    deepStrictEqual([sent, seen], [[{}], ['d']]);
    strictEqual(await draft.save(), true);
    deepStrictEqual(sent.length, 1, 'it is made once');
    draft.forget();
  });
});

describe('a draft with a password', () => {
  it('does not send a password that is too short, which could not be corrected later', async () => {
    const attributes = article.attributes.map((one) => (one.type === 'password' ? { ...one, minLength: 6 } : one));
    const { draft, sent } = draftOf(answer(1, { title: 'a' }), async (_to, data) => answer(2, data), {
      model: { ...article, attributes },
    });
    draft.fill({ title: 'b', secret: 'short' });
    strictEqual(await draft.flush(), false);
    deepStrictEqual([sent, told(draft)], [[{ title: 'b' }], ['secret tooShort']]);
    draft.forget();
  });

  it('sends it, and keeps nothing of it on the device', async () => {
    const { draft, sent, kept } = draftOf(answer(1, { title: 'a' }), () =>
      Promise.reject(new UnreachableError('gone')),
    );
    draft.change(['secret'], 'honey7');
    await draft.flush();
    deepStrictEqual(sent, [{ secret: 'honey7' }]);
    strictEqual(kept(), undefined);
    draft.change(['title'], 'b');
    draft.leave(false);
    deepStrictEqual(kept()?.values, { title: 'b' });
  });

  it('saves it with either of two conflicting versions, which have none', async () => {
    for (const chosen of [{}, { title: 'b' }] as const) {
      const current = answer(3, { title: 'theirs' });
      let isFirst = true;
      const { draft, sent } = draftOf(answer(1, { title: 'a' }), async (_to, data) => {
        if (!isFirst) return answer(4, { ...current.draft, ...data, secret: undefined });
        isFirst = false;
        throw new RefusedError(412, 'other', { current });
      });
      draft.fill({ title: 'b', secret: 'honey7' });
      strictEqual(await draft.flush(), false);
      strictEqual(draft.get().status, 'conflict');
      draft.resolve(current, chosen);
      strictEqual(draft.get().values['secret'], 'honey7');
      strictEqual(await draft.flush(), true);
      deepStrictEqual(sent.at(-1), { ...chosen, secret: 'honey7' });
    }
  });

  it('sends it again after a save without an answer, since nothing shows whether it arrived', async () => {
    const answers = [
      () => Promise.reject(new UnreachableError('gone')),
      () => Promise.reject(new RefusedError(412, 'other', { current: answer(2, { title: 'b' }) })),
      async () => answer(3, { title: 'b' }),
    ];
    const { draft, sent } = draftOf(answer(1, { title: 'a' }), () => answers[Math.min(sent.length, 3) - 1]!());
    draft.fill({ title: 'b', secret: 'honey7' });
    await draft.flush();
    strictEqual(await draft.flush(), true);
    deepStrictEqual(sent, [{ title: 'b', secret: 'honey7' }, { title: 'b', secret: 'honey7' }, { secret: 'honey7' }]);
    draft.forget();
  });

  it('warns if it would be lost with the tab, unsent or without an answer', async () => {
    const attributes = article.attributes.map((one) => (one.type === 'password' ? { ...one, minLength: 6 } : one));
    let answers: readonly (() => Promise<DocumentAnswer>)[] = [];
    const write: Write = () => answers[0]!();
    const losing = async (secret: string, savesItself: boolean, ...given: typeof answers): Promise<boolean[]> => {
      answers = given;
      const model = { ...article, attributes };
      const { draft } = draftOf(answer(1, { title: 'a' }), write, { savesItself, model });
      const told = [draft.losesPassword];
      draft.change(['title'], 'b');
      told.push(draft.losesPassword);
      draft.change(['secret'], secret);
      told.push(draft.losesPassword);
      if (given.length > 0) await draft.flush();
      told.push(draft.losesPassword);
      draft.forget();
      return told;
    };
    const saved = async () => answer(2, { title: 'b' });
    const current = answer(3, { title: 'theirs' });
    const conflict = () => Promise.reject(new RefusedError(412, 'other', { current }));
    const offline = () => Promise.reject(new UnreachableError('gone'));
    deepStrictEqual(await losing('honey7', true, saved), [false, false, false, false]);
    deepStrictEqual(await losing('honey7', true, conflict), [false, false, false, true]);
    deepStrictEqual(await losing('honey7', true, offline), [false, false, false, true]);
    deepStrictEqual(await losing('short', true, saved), [false, false, true, true]);
    deepStrictEqual(await losing('honey7', false), [false, false, true, true]);
  });

  const slow = () => {
    const { promise, resolve } = Promise.withResolvers<DocumentAnswer>();
    const answers = [promise, Promise.resolve(answer(3, { title: 'b' }))];
    const made = draftOf(answer(1, { title: 'a' }), () => answers.shift()!, { savesItself: true });
    return { ...made, resolve: () => resolve(answer(2, { title: 'b' })) };
  };

  it('warns while something else is being saved, and sends it afterwards when the page is left', async () => {
    const { draft, sent, outlived, resolve } = slow();
    draft.change(['title'], 'b');
    const isDone = draft.flush();
    await Promise.resolve();
    deepStrictEqual([sent, outlived], [[{ title: 'b' }], [false]]);
    draft.change(['secret'], 'honey7');
    deepStrictEqual([draft.get().status, draft.losesPassword], ['saving', true]);
    const isOver = draft.leave();
    strictEqual(draft.losesPassword, true);
    resolve();
    await Promise.all([isOver, isDone]);
    deepStrictEqual(
      [sent, outlived, draft.losesPassword],
      [[{ title: 'b' }, { secret: 'honey7' }], [false, true], false],
    );
    draft.forget();
  });

  it('does not warn while it is being saved itself, unless another is typed meanwhile', async () => {
    const { draft, outlived } = slow();
    draft.change(['secret'], 'honey7');
    void draft.flush();
    await Promise.resolve();
    deepStrictEqual([draft.get().status, outlived, draft.losesPassword], ['saving', [true], false]);
    // the device keeps this
    draft.change(['title'], 'b');
    strictEqual(draft.losesPassword, false);
    draft.change(['secret'], 'honey8');
    strictEqual(draft.losesPassword, true);
    draft.forget();
    strictEqual(draft.losesPassword, false);
  });

  it('warns if its request is too long for a tab that closes', async () => {
    const { draft, outlived } = slow();
    draft.fill({ secret: 'honey7', body: 'x'.repeat(70_000) });
    deepStrictEqual([draft.get().status, draft.losesPassword], ['unsaved', true]);
    draft.change(['body'], 'x');
    strictEqual(draft.losesPassword, false);
    // bytes count, and not characters
    draft.change(['body'], 'ö'.repeat(35_000));
    strictEqual(draft.losesPassword, true);
    void draft.flush();
    await Promise.resolve();
    deepStrictEqual([outlived, draft.losesPassword], [[false], true]);
    draft.forget();
  });

  it('warns during another operation on the document, beside which nothing is sent', async () => {
    const { draft } = slow();
    await draft.act(async () => {
      draft.change(['secret'], 'honey7');
      deepStrictEqual([draft.get().status, draft.losesPassword], ['unsaved', true]);
      return answer(2, { title: 'b' });
    });
    strictEqual(draft.losesPassword, false);
    draft.forget();
  });

  it('reports only one that has to be corrected, beside other waiting values', () => {
    const attributes = article.attributes.map((one) => (one.type === 'password' ? { ...one, minLength: 6 } : one));
    const write: Write = () => Promise.reject(new Error('nothing is to be sent'));
    const { draft } = draftOf(answer(1, { title: 'a' }), write, {
      savesItself: true,
      model: { ...article, attributes },
    });
    draft.fill({ title: 'x'.repeat(256), secret: 'honey7' });
    strictEqual(draft.losesPassword, false);
    draft.change(['secret'], 'short');
    strictEqual(draft.losesPassword, true);
    draft.forget();
  });
});

describe('a draft with stored changes', () => {
  const rows = (id: number | undefined) => [{ ...(id === undefined ? { [KEY]: 'new-1' } : { id }), label: 'x' }];
  const kept = { at: 1, tag: '"1"', values: { title: 'b', slots: rows(undefined) } };

  it('has nothing to restore if the server has it, with any row ids', () => {
    const { draft } = draftOf(answer(2, { title: 'b', slots: rows(7) }), () => Promise.reject(new Error()));
    strictEqual(draft.hasKept(kept), true);
    draft.forget();
  });

  it('restores changes that the server does not have, without overwriting changes of others', () => {
    const server = answer(2, { title: 'theirs', slots: rows(7) });
    const { draft } = draftOf(server, () => Promise.reject(new Error('nothing is to be sent')));
    strictEqual(draft.hasKept(kept), false);
    draft.bringBack(kept);
    const { values, status, theirs } = draft.get();
    deepStrictEqual([values['title'], values['slots'], status], ['b', rows(7), 'conflict']);
    strictEqual(theirs, server);
    draft.forget();
  });

  it('is no conflict with an equal version', async () => {
    const current = answer(2, { title: 'b', slots: rows(7) });
    const { draft } = draftOf(answer(1, { title: 'a', slots: [] }), () =>
      Promise.reject(new RefusedError(412, 'changed', { current })),
    );
    draft.bringBack(kept);
    strictEqual(await draft.flush(), true);
    deepStrictEqual([draft.get().status, draft.get().server], ['saved', current]);
    draft.forget();
  });

  it('is restored without a conflict if its place is empty', async () => {
    const { draft, sent } = draftOf(NOTHING, async (_to, data) => answer(1, data));
    draft.bringBack({ at: 1, tag: '"1"', isWhole: true, values: { title: 'b', body: 'c' } });
    deepStrictEqual([draft.get().status, await draft.flush(), sent], ['unsaved', true, [{ title: 'b', body: 'c' }]]);
    draft.forget();
  });

  it('is created under the id of the earlier request', async () => {
    const ids: string[] = [];
    const { draft } = draftOf(NOTHING, async (_to, data, { newId }) => {
      ids.push(newId);
      return answer(1, data);
    });
    draft.bringBack({ at: 1, tag: null, newId: 'before', values: { title: 'b' } });
    await draft.flush();
    deepStrictEqual(ids, ['before']);
    draft.forget();
  });
});

describe('a draft that is deleted', () => {
  it('is a conflict with changes of another user', async () => {
    const { draft } = draftOf(answer(1, { title: 'a' }), () => Promise.reject(new Error('nothing is to be sent')));
    const current = answer(2, { title: 'theirs' });
    const isDone = await draft.remove(() => Promise.reject(new RefusedError(412, 'changed', { current })));
    strictEqual(isDone, false);
    strictEqual(draft.get().theirs, current);
    draft.forget();
  });
});

describe('a draft that another user has deleted', () => {
  const rows = [{ id: 4, label: 'x', links: [], seo: null }];
  const server = answer(1, { title: 'a', body: 'b', slots: rows });

  it('sends nothing until it is created again, and then all of it', async () => {
    const targets: unknown[] = [];
    const { draft, sent, kept } = draftOf(server, async (to, data) => {
      targets.push([to.documentId, to.tag]);
      if (to.documentId === 'd') throw new RefusedError(404, 'Not Found');
      return { ...answer(7, data), documentId: 'e' };
    });
    draft.change(['title'], 'c');
    strictEqual(await draft.flush(), false);
    deepStrictEqual([draft.get().status, kept()?.values], ['gone', { ...server.draft, title: 'c' }]);
    draft.change(['body'], 'more');
    strictEqual(await draft.flush(), false);
    strictEqual(await draft.act(() => Promise.reject(new Error('nothing is published'))), false);
    strictEqual(sent.length, 1);
    await draft.renew();
    deepStrictEqual(targets[1], [null, null]);
    const { title, body, slots } = sent[1]!;
    deepStrictEqual([title, body, slots], ['c', 'more', [{ label: 'x', links: { set: [] }, seo: null }]]);
    deepStrictEqual([draft.get().status, draft.get().server.documentId, kept()], ['saved', 'e', undefined]);
    draft.forget();
  });

  it('is created again without links to deleted documents, which wait at their field', async () => {
    const tags = [link('x'), link('y')];
    const linking = answer(1, { title: 'a', tags, author: [link('z')] });
    const { draft, sent, kept } = draftOf(linking, async ({ documentId }, data) => {
      if (documentId === 'd') throw new RefusedError(404, 'Not Found');
      if ('tags' in data)
        throw new RefusedError(400, 'Document with id "d2" not found', { reason: { code: 'gone', path: 'tags' } });
      return { ...answer(7, { title: 'b', tags: [], author: [link('z')] }), documentId: documentId ?? 'e' };
    });
    draft.change(['title'], 'b');
    strictEqual(await draft.flush(), false);
    await draft.renew();
    const { status, server: made, errors, values } = draft.get();
    deepStrictEqual(
      [status, made.documentId, errors.map(({ path }) => path), linksOf(values['tags']).items.length],
      ['waiting', 'e', [['tags']], 2],
    );
    deepStrictEqual([sent.length, sent.at(-1)?.['title'], 'author' in sent.at(-1)!], [3, 'b', true]);
    deepStrictEqual(Object.keys(kept()?.values ?? {}), ['tags']);
    draft.forget();
  });

  it('is created again beside the remaining locales', async () => {
    const current = { ...NOTHING, documentId: 'd', states: { fr: 'draft' as const } };
    const { draft, sent } = draftOf(server, async ({ tag, states }, data) => {
      if (tag !== null) throw new RefusedError(412, 'changed', { current });
      strictEqual(states, current.states);
      return answer(7, data);
    });
    draft.change(['title'], 'c');
    strictEqual(await draft.act(() => Promise.reject(new Error('nothing is published'))), false);
    deepStrictEqual([draft.get().status, draft.get().theirs], ['gone', undefined]);
    await draft.renew();
    deepStrictEqual([draft.get().status, sent[1]!['title'], sent[1]!['body']], ['saved', 'c', 'b']);
    draft.forget();
  });

  it('is stored in its own place until it is created again, beside another new one', async () => {
    const ids: string[] = [];
    const { draft, places } = draftOf(NOTHING, async (to, data, { newId }) => {
      ids.push(newId);
      if (to.documentId !== null) throw new RefusedError(404, 'Not Found');
      if (ids.length > 1) deepStrictEqual([...places.keys()], [null, 'd']);
      return ids.length === 1 ? answer(1, data) : { ...answer(7, data), documentId: 'e' };
    });
    draft.change(['title'], 'a');
    strictEqual(await draft.flush(), true);
    const other = { at: 1, tag: null, values: { title: 'another' } };
    places.set(null, other);
    draft.change(['title'], 'b');
    strictEqual(await draft.flush(), false);
    await draft.renew();
    deepStrictEqual([draft.get().server.documentId, [...places]], ['e', [[null, other]]]);
    strictEqual(new Set([ids[0], ids[2]]).size, 2, 'it has an id of its own');
    draft.forget();
  });

  it('is at risk until it is created again, despite obstacles', async () => {
    const failures = [new RefusedError(400, 'wrong', {}), new UnreachableError('no answer')];
    const { draft, sent, places } = draftOf(server, async (to, data) => {
      if (to.documentId !== null) throw new RefusedError(404, 'Not Found');
      const failure = failures.shift();
      if (failure) throw failure;
      return { ...answer(7, data), documentId: 'e' };
    });
    draft.change(['title'], 'c');
    await draft.flush();
    strictEqual(draft.isAtRisk, true);
    for (const status of ['refused', 'offline']) {
      await (status === 'refused' ? draft.renew() : draft.save());
      deepStrictEqual([draft.get().status, draft.isAtRisk], [status, true]);
      deepStrictEqual([places.get('d')?.values['title'], places.size], ['c', 1]);
      draft.lose({ ...NOTHING });
      strictEqual(draft.get().status, status, 'it is known to be gone, and being made anew');
    }
    strictEqual(await draft.save(), true);
    deepStrictEqual([draft.isAtRisk, places.size, sent.length], [false, 0, 4]);
    draft.forget();

    const model = { ...article, draftAndPublish: false };
    const onSite = draftOf(server, () => Promise.reject(new Error('what is not whole is not sent')), { model });
    onSite.draft.fill({ count: 2 ** 31, body: 'more' });
    onSite.draft.lose(NOTHING);
    await onSite.draft.renew();
    deepStrictEqual([onSite.draft.isAtRisk, onSite.places.get('d')?.values['body']], [true, 'more']);
    onSite.draft.forget();
  });

  it('is shown from the device if it was closed meanwhile, and created again under the earlier id', async () => {
    const lost = draftOf(server, async () => Promise.reject(new UnreachableError('no answer')));
    lost.draft.fill({ title: 'c', secret: 'honey7' });
    lost.draft.lose(NOTHING);
    strictEqual(lost.places.get('d')?.isWhole, true);
    await lost.draft.renew();
    lost.draft.leave(false);
    const kept = lost.places.get('d')!;
    deepStrictEqual([kept.values['title'], kept.values['body'], kept.values['slots']], ['c', 'b', rows]);
    strictEqual('secret' in kept.values, false);

    const ids: (string | null)[] = [];
    const { draft, sent, places } = draftOf(
      { ...NOTHING, documentId: 'd', tag: '"1"' },
      async (to, data, { newId }) => {
        ids.push(to.documentId, newId);
        return { ...answer(7, data), documentId: 'e' };
      },
    );
    draft.recover(kept, NOTHING);
    strictEqual(await draft.flush(), false);
    deepStrictEqual([draft.get().status, draft.isAtRisk, sent.length], ['gone', true, 0]);
    draft.change(['count'], 3);
    draft.leave();
    deepStrictEqual([places.get('d')?.newId, places.get('d')?.isWhole], [kept.newId, true]);
    await draft.renew();
    deepStrictEqual([ids, places.size, draft.get().status], [[null, kept.newId], 0, 'saved']);
    deepStrictEqual([sent[0]!['title'], sent[0]!['body'], sent[0]!['count']], ['c', 'b', 3]);
    draft.forget();
  });

  it('stays with who may not make it anew, until they throw it away', () => {
    const attributes = article.attributes.map((one) => ({ ...one, writableInNew: false }));
    const gone = { ...NOTHING, documentId: 'd', tag: '"1"' };
    const { draft, places } = draftOf(gone, () => Promise.reject(new Error()), { model: { ...article, attributes } });
    draft.recover({ at: 1, tag: '"1"', values: { title: 'c' } }, NOTHING);
    draft.keep();
    deepStrictEqual([draft.isAtRisk, places.get('d')?.values, places.get('d')?.isWhole], [true, { title: 'c' }, false]);
    draft.forget();
    deepStrictEqual([draft.isAtRisk, places.size], [false, 0]);
  });

  it('is deleted again if the other locales are deleted before its version is created', async () => {
    const current = { ...NOTHING, documentId: 'd', states: { fr: 'draft' as const } };
    const { draft } = draftOf(server, async () => Promise.reject(new RefusedError(404, 'Not Found')));
    draft.change(['title'], 'c');
    draft.lose(current);
    await draft.renew();
    deepStrictEqual([draft.get().status, draft.get().left?.documentId], ['gone', null]);
    draft.forget();
  });

  it('is saved if the answer after the notification says so', async () => {
    const { promise, resolve } = Promise.withResolvers<DocumentAnswer>();
    const { draft } = draftOf(server, () => promise);
    draft.change(['title'], 'c');
    const isDone = draft.flush();
    await Promise.resolve();
    draft.lose(NOTHING);
    resolve(answer(2, { ...server.draft, title: 'c' }));
    await isDone;
    deepStrictEqual([draft.get().status, draft.get().left], ['saved', undefined]);
    draft.forget();
  });

  it('is created again with its current values, and not with those of an unanswered request', async () => {
    const { draft, sent } = draftOf(server, async (to, data) => {
      if (to.documentId !== null) throw new UnreachableError('no answer');
      return { ...answer(7, data), documentId: 'e' };
    });
    draft.change(['title'], 'c');
    await draft.flush();
    draft.change(['title'], 'e');
    draft.lose(NOTHING);
    await draft.renew();
    deepStrictEqual(
      sent.map(({ title }) => title),
      ['c', 'e'],
    );
    draft.forget();
  });

  it('is nothing to be decided where nothing in it is unsaved', () => {
    const { draft } = draftOf(server, () => Promise.reject(new Error('nothing is to be sent')));
    draft.lose(NOTHING);
    strictEqual(draft.get().status, 'saved');
    draft.change(['title'], 'c');
    draft.lose(NOTHING);
    deepStrictEqual([draft.get().status, draft.get().left], ['gone', NOTHING]);
    draft.forget();
  });
});

describe('a draft whose page is closed', () => {
  it('is stored and not sent if another user has signed in', async () => {
    const { draft, sent, kept } = draftOf(answer(1, { title: 'a' }), async (_to, data) => answer(2, data), {
      savesItself: true,
    });
    draft.change(['title'], 'b');
    draft.leave(false);
    await draft.flush();
    deepStrictEqual(sent, []);
    deepStrictEqual(kept()?.values, { title: 'b' });
  });
});
