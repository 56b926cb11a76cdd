/** A draft whose schema changes while it is open. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentAnswer } from '../../../admin/contract/documents.ts';
import type { ContentType, Schema } from '../../../admin/contract/schema.ts';
import { RefusedError } from '../../../admin/src/data/failures.ts';
import type { Values } from '../../../admin/src/form/values/model.ts';
import { Draft } from '../../../admin/src/pages/document/draft.ts';
import { article, schema } from './form-schema.ts';

const STORED: Values = { title: 'a', body: 'b', slots: [{ id: 1, label: 'x', seo: { id: 2, metaTitle: 'm' } }] };
const without = <T extends Pick<ContentType, 'attributes'>>(model: T, gone: string): T => ({
  ...model,
  attributes: model.attributes.filter(({ name }) => name !== gone),
});

const answer = (version: number, draft: Values): DocumentAnswer => ({
  documentId: 'd',
  locale: 'en',
  tag: `"${version}"`,
  draft: { ...draft, updatedAt: `${version}` },
  published: null,
  counts: {},
  draftCounts: {},
  publishedCounts: {},
  states: {},
  may: { update: true, delete: true, deleteAll: true, publish: true },
  createdBy: null,
  updatedBy: null,
  isThroughApi: false,
});

/** An open draft, and the bodies that it sends. @param write answers them. */
function open(write: (body: Values, count: number) => Promise<DocumentAnswer>) {
  const sent: Values[] = [];
  const draft = new Draft({
    schema,
    model: article,
    server: answer(1, STORED),
    initial: {},
    savesItself: true,
    write: (_to, body) => write(body, sent.push(body)),
    canOutlive: () => false,
    onSaved: () => {},
    keep: () => {},
  });
  const follow = (model: ContentType, next: Schema = schema) =>
    draft.follow({ schema: next, model, initial: {}, savesItself: true });
  return { draft, sent, follow };
}

describe('a draft whose schema changes', () => {
  it('loses no value of another field, and returns the unsaved text of a removed one', async () => {
    const { draft, sent, follow } = open(async (body) => answer(2, { ...STORED, ...body }));
    draft.change(['title'], 'new title');
    draft.change(['body'], 'new body');
    deepStrictEqual(follow(without(article, 'body')), [{ label: 'body', texts: ['new body'] }]);
    strictEqual(draft.get().values['title'], 'new title');
    strictEqual(await draft.flush(), true);
    deepStrictEqual(sent, [{ title: 'new title' }]);
    deepStrictEqual(follow(without(article, 'body'), { ...schema }), []);
  });

  it('is saved if only removed fields were changed', () => {
    const { draft, follow } = open(() => Promise.reject(new Error('nothing is sent')));
    draft.change(['body'], 'new body');
    follow(without(article, 'body'));
    strictEqual(draft.get().status, 'saved');
  });

  it('returns fields of components, with the labels of those around them', () => {
    const { draft, follow } = open(() => Promise.reject(new Error('nothing is sent')));
    draft.change(['slots', 0, 'seo', 'metaTitle'], 'written');
    const components = schema.components.map((one) => (one.uid === 'shared.seo' ? without(one, 'metaTitle') : one));
    const gone = follow(article, { ...schema, components });
    deepStrictEqual(gone, [{ label: 'slots › seo › metaTitle', texts: ['written'] }]);
    strictEqual(draft.get().status, 'saved');
  });

  it('sends a change again that was refused because it had a removed field', async () => {
    const [begun, refusal] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { draft, sent, follow } = open(async (body, count) => {
      if (count > 1) return answer(2, { ...STORED, ...body });
      begun.resolve();
      await refusal.promise;
      throw new RefusedError(400, 'Invalid key body', { errors: [{ path: ['body'], message: 'Invalid key' }] });
    });
    draft.change(['title'], 'new title');
    draft.change(['body'], 'new body');
    const saving = draft.flush();
    await begun.promise;
    follow(without(article, 'body'));
    refusal.resolve();
    strictEqual(await saving, true);
    deepStrictEqual(sent, [{ title: 'new title', body: 'new body' }, { title: 'new title' }]);
    deepStrictEqual([draft.get().status, draft.get().errors], ['saved', []]);
    draft.forget();
  });
});
