/** The structure of a blocks document, case by case as the reference's validator takes and refuses them. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBlocks } from '../../../src/content/validation/validate-blocks.ts';
import type { ContentError } from '../../../src/errors.ts';
import { Failures } from '../../../src/failures.ts';

const file = {
  name: 'pier',
  url: '/uploads/pier.png',
  hash: 'pier_1',
  ext: '.png',
  mime: 'image/png',
  provider: 'local',
  width: 1,
  height: 1,
  size: 0.1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const words = { type: 'text', text: 'a' };
const image = (changes: object, children: unknown = [words]) => ({
  type: 'image',
  image: { ...file, ...changes },
  children,
});
const inParagraph = (...children: readonly unknown[]) => ({ type: 'paragraph', children });
const list = (...children: readonly unknown[]) => ({ type: 'list', format: 'ordered', children });

/** What is wrong with a document of one block: the path within it, and the message behind its label. */
function refusalsOf(block: unknown): string[] {
  const failures = new Failures();
  checkBlocks([block], undefined, failures);
  if (failures.count === 0) return [];
  const { errors } = (failures.error() as ContentError & { details: { errors: { path: string[]; message: string }[] } })
    .details;
  return errors.map(({ path, message }) => `${path.slice(1).join('.')}: ${message.replace(/^\S+ /, '')}`);
}

const TAKEN: readonly (readonly [string, unknown])[] = [
  ['a picture', image({})],
  ['a picture with more than is asked for', image({ caption: null, previewUrl: 'a', formats: {}, of: 'mine' })],
  ['a picture without a text below it', image({}, [])],
  ['an entry of a list without a text', list({ type: 'list-item', children: [] })],
  ['a link without a text', inParagraph({ type: 'link', url: '/a', children: [] })],
];

const REFUSED: readonly (readonly [string, unknown, ...string[]])[] = [
  [
    'a block of no type',
    { children: [words] },
    ': type must be one of the following values: paragraph, heading, quote, code, list, image',
  ],
  ['a paragraph without children', inParagraph(), 'children: must have at least 1 item'],
  ['code without children', { type: 'code', children: [] }, 'children: must have at least 1 item'],
  ['a list without entries', list(), 'children: must have at least 1 item'],
  ['an entry that lacks its children', list({ type: 'list-item' }), 'children.0.children: must be an array'],
  ['a picture of nothing', { type: 'image', children: [] }, 'image: is a required field'],
  [
    'a picture of null',
    { type: 'image', image: null, children: [] },
    'image: must be a `object` type, but the final value was: `null`.',
  ],
  [
    'a picture of a list',
    { type: 'image', image: [], children: [] },
    'image: must be a `object` type, but the final value was: `[]`.',
  ],
  [
    'a picture without its times',
    image({ createdAt: undefined, updatedAt: '' }),
    'image.createdAt: is a required field',
    'image.updatedAt: is a required field',
  ],
  ['a picture without an ending', image({ ext: '' }), 'image.ext: is a required field'],
  [
    'a time that is null',
    image({ createdAt: null }),
    'image.createdAt: must be a `string` type, but the final value was: `null`.',
  ],
  [
    'a caption that is a number',
    image({ caption: 5 }),
    'image.caption: must be a `string` type, but the final value was: `5`.',
  ],
  [
    'a width that is a text',
    image({ width: '5' }),
    'image.width: must be a `number` type, but the final value was: `"5"`.',
  ],
  [
    'formats that are a list',
    image({ formats: [] }),
    'image.formats: must be a `object` type, but the final value was: `[]`.',
  ],
  ['a picture that lacks its children', image({}, null), 'children: must be an array'],
  [
    'a paragraph below a picture',
    image({}, [inParagraph(words)]),
    'children.0: type must be one of the following values: text, link',
  ],
];

describe('a blocks document', () => {
  for (const [name, block] of TAKEN) it(`takes ${name}`, () => deepStrictEqual(refusalsOf(block), []));
  for (const [name, block, ...refusals] of REFUSED) {
    it(`refuses ${name}`, () => deepStrictEqual(refusalsOf(block), refusals));
  }
});
