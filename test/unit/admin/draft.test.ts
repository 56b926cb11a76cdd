/** A draft as it is being written: what counts as saved, what is kept on the device, and what is sent again. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentAnswer } from '../../../admin/contract/documents.ts';
import { RefusedError } from '../../../admin/src/data/failures.ts';
import type { Unsaved } from '../../../admin/src/data/unsaved-version.ts';
import type { Values } from '../../../admin/src/form/values/model.ts';
import { unparsed } from '../../../admin/src/form/values/unparsed.ts';
import { Draft } from '../../../admin/src/pages/document/draft.ts';
import type { DraftParts } from '../../../admin/src/pages/document/draft-parts.ts';
import { article, schema } from './form-schema.ts';

/** What the server answers, the tag after the version. */
function answer(version: number, draft: Values): DocumentAnswer {
  const none = { published: null, counts: {}, states: { en: 'draft' as const }, createdBy: null, updatedBy: null };
  return { documentId: 'd', locale: 'en', tag: `"${version}"`, draft: { id: 1, ...draft }, ...none };
}

type Write = DraftParts['write'];

/** A draft with what it has kept and sent; it sends only what it is asked to, unless it `savesItself`. */
function draftOf(server: DocumentAnswer, write: Write, savesItself = false) {
  let kept: Unsaved | undefined;
  const sent: Values[] = [];
  const draft = new Draft({
    schema,
    model: article,
    server,
    initial: {},
    savesItself,
    unreadable: 'not read',
    write: (to, data) => {
      sent.push(data);
      return write(to, data);
    },
    onSaved: () => {},
    keep: (_server, unsaved) => {
      kept = unsaved;
    },
  });
  return { draft, sent, kept: () => kept };
}

describe('a draft with what cannot be read yet', () => {
  it('is not saved, is kept on the device, and is not published', async () => {
    const { draft, sent, kept } = draftOf(answer(1, { title: 'a', count: 1 }), async (_to, data) =>
      answer(2, { title: 'a', count: 1, ...data }),
    );
    draft.change(['count'], unparsed('12e'));
    strictEqual(draft.isSaved, false);
    strictEqual(draft.get().status, 'unsaved');
    draft.change(['title'], 'b');
    strictEqual(await draft.act(() => Promise.reject(new Error('must not be published'))), false);
    deepStrictEqual(sent, [{ title: 'b' }]);
    strictEqual(draft.get().status, 'unsaved');
    deepStrictEqual(
      draft.get().errors.map(({ path, message }) => [path.join('.'), message]),
      [['count', 'not read']],
    );
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

describe('a draft beside a publication', () => {
  it('sends what was written meanwhile, though the publication was refused', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { draft, sent } = draftOf(answer(1, { title: 'a' }), async (_to, data) => answer(2, data), true);
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
