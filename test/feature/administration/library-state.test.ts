/** What the library's page reads from its address and writes there, and which picture and kinds of files are meant. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { librarySearch, START, searchOf, stateOf } from '../../../admin/src/data/library-state.ts';
import { acceptOf, allowedKinds, kindOf, pictureOf } from '../../../admin/src/media/kinds.ts';

describe("the library's state", () => {
  it('comes back from the address as it was written there', () => {
    const state = { folder: 7, text: '100', kinds: ['image', 'file'], sort: 'size', view: 'list' } as const;
    deepStrictEqual(stateOf(librarySearch({ ...searchOf(state) })), state);
    // figures are read as figures
    strictEqual(stateOf(librarySearch({ q: 100 })).text, '100');
    const written = searchOf(START);
    deepStrictEqual(
      Object.values(written).filter((value) => value !== undefined),
      [],
    );
  });

  it('is that of the start where an address means nothing', () => {
    const search = { folder: 'x', kind: 'cat,dog', sort: 'toString', view: 'wall', file: -1, q: {} };
    const read = librarySearch(search);
    deepStrictEqual([stateOf(read), read.file], [START, undefined]);
  });
});

describe('files', () => {
  it('are of the kinds that an attribute allows', () => {
    const mimes = ['image/png', 'video/mp4', 'audio/mpeg', 'application/pdf', ''];
    deepStrictEqual(
      mimes.map((mime) => kindOf({ mime })),
      ['image', 'video', 'audio', 'file', 'file'],
    );
    deepStrictEqual(allowedKinds(['images', 'videos']), ['image', 'video']);
    strictEqual(allowedKinds(undefined).length, 4);
    strictEqual(allowedKinds([]).length, 4);
    strictEqual(acceptOf(['image', 'video']), 'image/*,video/*');
    strictEqual(acceptOf(['image', 'file']), undefined);
  });

  it('are shown by the smallest picture that is large enough', () => {
    const format = (width: number) => ({ url: `/${width}`, width, height: width });
    const file = {
      mime: 'image/jpeg',
      url: '/original',
      width: 4000,
      formats: { small: format(500), large: format(1000) },
    };
    strictEqual(pictureOf(file, 300), '/500');
    strictEqual(pictureOf(file, 600), '/1000');
    strictEqual(pictureOf(file, 1500), '/1000', 'the original is far larger than needed');
    strictEqual(pictureOf(file, 3000), '/original');
    strictEqual(pictureOf({ ...file, formats: { broken: { url: 5 } } }, 300), '/original');
    strictEqual(pictureOf({ ...file, mime: 'video/mp4' }, 300), undefined);
  });
});
