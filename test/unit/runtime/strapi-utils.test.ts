/** `@strapi/utils` as code of a project has it: the same results as the reference's package. */
import { deepStrictEqual, rejects, strictEqual, throws } from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { errors } from '../../../src/runtime/requests/strapi-errors.ts';
import { contentTypes, relations } from '../../../src/runtime/strapi-utils/content-types.ts';
import { hooks, providerFactory } from '../../../src/runtime/strapi-utils/hooks.ts';
import { pagination } from '../../../src/runtime/strapi-utils/pagination.ts';
import { async, strings } from '../../../src/runtime/strapi-utils/primitives.ts';
import { traverseEntity } from '../../../src/runtime/strapi-utils/traverse-entity.ts';
import { validation } from '../../../src/runtime/strapi-utils/validation.ts';

const SCHEMAS = {
  article: {
    uid: 'api::article.article',
    modelType: 'contentType',
    kind: 'collectionType',
    info: { singularName: 'big-article', pluralName: 'bigArticles' },
    options: { draftAndPublish: true },
    attributes: {
      title: { type: 'string', required: true },
      secret: { type: 'string', private: true },
      tags: { type: 'relation', relation: 'manyToMany', target: 'tag' },
      cover: { type: 'media' },
      parts: { type: 'dynamiczone' },
      createdAt: { type: 'datetime' },
      locale: { type: 'string', visible: false, writable: false },
    },
  },
  tag: { uid: 'tag', modelType: 'contentType', attributes: { name: { type: 'string' } } },
  part: { uid: 'part', modelType: 'component', attributes: { size: { type: 'integer' } } },
} as const;
const schema = SCHEMAS.article;

interface Visited {
  readonly key: string;
  readonly value: unknown;
  readonly path: { readonly rawWithIndices: string };
  readonly parent?: { readonly key: string };
}

describe('@strapi/utils for the code of a project', () => {
  it('makes names and addresses', () => {
    deepStrictEqual(
      [
        strings.nameToSlug('Über uns & Co'),
        strings.nameToSlug("don't", { separator: '_' }),
        strings.toRegressedEnumValue('fooBar baz'),
        strings.toKebabCase('HTMLBody2'),
        strings.getCommonPath('a/b/c', 'a/b/d'),
        strings.joinBy('/', 'https://host/', '/api/', '/pages/'),
        strings.joinBy('/', '/only/'),
      ],
      ['ueber-uns-and-co', 'don_t', 'fooBar_baz', 'html-body-2', 'a/b', 'https://host/api/pages/', '/only/'],
    );
  });

  it('turns pages into offsets and back', () => {
    const { withDefaultPagination: paged, transformPagedPaginationInfo, transformOffsetPaginationInfo } = pagination;
    deepStrictEqual(
      [
        paged({ a: 1 } as object),
        paged({ page: 3, pageSize: 20 }),
        paged({ start: -2, limit: -1 }, { maxLimit: 50 }),
        paged({ pageSize: 500 }, { maxLimit: 50 }),
        paged({}, { defaults: { offset: { limit: 25 } } }),
      ],
      [
        { a: 1, start: 0, limit: 10 },
        { start: 40, limit: 20 },
        { start: 0, limit: 50 },
        { start: 0, limit: 50 },
        { start: 0, limit: 25 },
      ],
    );
    throws(() => paged({ page: 1, start: 1 }), errors.PaginationError);
    deepStrictEqual(transformPagedPaginationInfo({ start: 10, limit: 5 }, 21), {
      ...{ page: 3, pageSize: 5, pageCount: 5, total: 21 },
    });
    deepStrictEqual(transformOffsetPaginationInfo({ page: 3, pageSize: 5 }, 21), { start: 10, limit: 5, total: 21 });
  });

  it('distinguishes kinds of attributes', () => {
    deepStrictEqual(contentTypes.getNonWritableAttributes(schema), ['id', 'documentId', 'createdAt', 'locale']);
    deepStrictEqual(contentTypes.getVisibleAttributes(schema), ['title', 'secret', 'tags', 'cover', 'parts']);
    deepStrictEqual(contentTypes.getPrivateAttributes(schema), ['secret']);
    deepStrictEqual(contentTypes.getComponentAttributes(schema), ['parts']);
    strictEqual(contentTypes.getContentTypeRoutePrefix(schema), 'big-articles');
    strictEqual(contentTypes.isDraft({ publishedAt: null }, schema), true);
    deepStrictEqual(relations.getRelationalFields(schema), ['tags']);
    strictEqual(relations.isAnyToMany(schema.attributes.tags), true);
    strictEqual(relations.isAnyToOne(schema.attributes.tags), false);
  });

  it('passes each value of a document with its path to a function, and applies its changes', async () => {
    const document = {
      title: 'a',
      secret: 's',
      tags: [{ name: 'x' }, { name: 'y' }],
      parts: [{ __component: 'part', size: 1 }, null],
    };
    const seen: unknown[] = [];
    const visit = (visited: object, tools: object): void => {
      const { key, value, path, parent } = visited as Visited;
      const { remove, set } = tools as Record<'remove' | 'set', (...args: unknown[]) => void>;
      seen.push([path.rawWithIndices, parent?.key]);
      if (key === 'secret') remove(key);
      if (key === 'size') set(key, Number(value) + 1);
    };
    const getModel = (uid: string) => SCHEMAS[uid as keyof typeof SCHEMAS];
    const left = await (traverseEntity(visit) as (...args: unknown[]) => Promise<unknown>)(
      { schema, getModel },
      document,
    );
    deepStrictEqual(left, {
      title: 'a',
      tags: document.tags,
      parts: [{ __component: 'part', size: 2 }, null],
    });
    deepStrictEqual(seen, [
      ...[
        ['title', undefined],
        ['secret', undefined],
        ['tags', undefined],
        ['tags.0.name', 'tags'],
      ],
      ...[
        ['tags.1.name', 'tags'],
        ['parts', 'tags'],
        ['parts.0.__component', 'parts'],
        ['parts.0.size', 'parts'],
      ],
    ]);
    strictEqual(document.secret, 's');
  });

  it('runs functions one behind the other, or as many at once as it may', async () => {
    strictEqual(
      await async.pipe(
        (a, b) => Number(a) + Number(b),
        async (sum) => Number(sum) * 2,
      )(1, 2),
      6,
    );
    let [running, most] = [0, 0];
    const work = async (item: unknown) => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
      return Number(item) * 2;
    };
    deepStrictEqual(await async.map([1, 2, 3, 4, 5], work, { concurrency: 2 }), [2, 4, 6, 8, 10]);
    strictEqual(most, 2);
    strictEqual(await async.reduce([1, 2])(async (sum, item) => Number(sum) + Number(item), 3), 6);
  });

  it('has hooks, and registries that report additions', async () => {
    const waterfall = hooks.createAsyncSeriesWaterfallHook();
    waterfall.register((value) => Number(value) + 1).register(async (value) => Number(value) * 2);
    strictEqual(await waterfall.call(1), 4);
    const registry = providerFactory();
    const told: unknown[] = [];
    registry.hooks.willRegister.register((of) => told.push(of));
    registry.hooks.didDelete.register((of) => told.push(of));
    await registry.register('a', 1);
    await rejects(registry.register('a', 2), { message: 'Duplicated item key: a' });
    await registry.clear();
    deepStrictEqual(
      [told, registry.size()],
      [
        [
          { key: 'a', value: 1 },
          { key: 'a', value: 1 },
        ],
        0,
      ],
    );
  });

  it('names the missing package if yup is not installed', () => {
    throws(() => validation(tmpdir()).yup, /yup .*add yup \(0\.32\.9 in Strapi\) to the project's dependencies/);
  });
});
