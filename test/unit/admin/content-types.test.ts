/** Names, relations and references of content types while they are edited, and the layout of their diagram. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../admin/contract/schema.ts';
import { draftOf, optionsOf, withKind } from '../../../admin/src/pages/types/attribute-draft.ts';
import { BOX, layoutDiagram } from '../../../admin/src/pages/types/diagram-layout.ts';
import { liveSchema } from '../../../admin/src/pages/types/live-model.ts';
import { apiId, attributeName, nameProblem, pluralOf } from '../../../admin/src/pages/types/names.ts';
import {
  type Types,
  withAttribute,
  withoutAttribute,
  withoutType,
  withUid,
} from '../../../admin/src/pages/types/relations.ts';
import { changeOf, schemaOf, workingType } from '../../../admin/src/pages/types/working-type.ts';

const stored = (uid: string, attributes: Readonly<Record<string, object>>) =>
  workingType({
    uid,
    kind: uid.startsWith('api::') ? 'collectionType' : 'component',
    category: null,
    displayName: uid,
    origin: 'project',
    file: `${uid}.json`,
    revision: 'one',
    schema: { info: { displayName: uid }, attributes },
    count: 0,
  });

const ARTICLE = 'api::article.article';
const AUTHOR = 'api::author.author';

const newsroom = (): Types => ({
  [ARTICLE]: stored(ARTICLE, {
    title: { type: 'string' },
    slug: { type: 'uid', targetField: 'title' },
    note: { type: 'text', conditions: { visible: { '!!': [{ var: 'title' }] } } },
    author: { type: 'relation', relation: 'manyToOne', target: AUTHOR, inversedBy: 'articles' },
    parts: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'] },
  }),
  [AUTHOR]: stored(AUTHOR, {
    articles: { type: 'relation', relation: 'oneToMany', target: ARTICLE, mappedBy: 'author', private: true },
  }),
  'shared.seo': stored('shared.seo', { head: { type: 'string' } }),
});

const attributesOf = (types: Types, uid: string) =>
  schemaOf(types[uid]!)['attributes'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const attribute = (types: Types, uid: string, name: string) => types[uid]!.attributes.find((one) => one.name === name)!;

describe('content types while they are edited', () => {
  it('get names for the API from labels', () => {
    strictEqual(attributeName('Opening hours'), 'openingHours');
    strictEqual(attributeName('Straße & Ort'), 'strasseOrt');
    strictEqual(apiId('News Article'), 'news-article');
    deepStrictEqual(['category', 'box', 'day', ''].map(pluralOf), ['categories', 'boxes', 'days', '']);
    strictEqual(nameProblem('created_at', [], false), 'reserved');
    strictEqual(nameProblem('Title', ['title'], false), 'taken');
    strictEqual(nameProblem('status', [], true), undefined);
  });

  it('keep both sides of a relation alike', () => {
    const tags = stored('api::tag.tag', {});
    const types = { ...newsroom(), 'api::tag.tag': tags };
    const options = { type: 'relation', relation: 'manyToMany', target: ARTICLE, inversedBy: 'tags' };
    const added = withAttribute(types, 'api::tag.tag', undefined, { key: 'n', from: null, name: 'articles', options });
    deepStrictEqual(attributesOf(added, ARTICLE)['tags'], {
      type: 'relation',
      relation: 'manyToMany',
      target: 'api::tag.tag',
      mappedBy: 'articles',
    });
    const removed = withoutAttribute(added, 'api::tag.tag', 'n');
    deepStrictEqual(Object.keys(attributesOf(removed, ARTICLE)), Object.keys(attributesOf(types, ARTICLE)));
  });

  it('keep references to an attribute that is renamed', () => {
    const types = newsroom();
    const title = attribute(types, ARTICLE, 'title');
    const renamed = withAttribute(types, ARTICLE, title.key, { ...title, name: 'headline' });
    strictEqual(attributesOf(renamed, ARTICLE)['slug']!['targetField'], 'headline');
    deepStrictEqual(attributesOf(renamed, ARTICLE)['note']!['conditions'], {
      visible: { '!!': [{ var: 'headline' }] },
    });
    deepStrictEqual(changeOf(renamed[ARTICLE]!).renames, { title: 'headline' });
    const author = attribute(types, ARTICLE, 'author');
    const other = withAttribute(types, ARTICLE, author.key, { ...author, name: 'writer' });
    strictEqual(attributesOf(other, AUTHOR)['articles']!['mappedBy'], 'writer');
    strictEqual(attributesOf(other, AUTHOR)['articles']!['private'], true);
  });

  it('lose references to a removed type, and follow a renamed one', () => {
    const removed = withoutType(newsroom(), AUTHOR);
    strictEqual(changeOf(removed[AUTHOR]!).schema, null);
    strictEqual(attributesOf(removed, ARTICLE)['author'], undefined);
    deepStrictEqual(attributesOf(withoutType(newsroom(), 'shared.seo'), ARTICLE)['parts']!['components'], [
      'shared.quote',
    ]);
    const renamed = withUid(newsroom(), AUTHOR, 'api::author.writer');
    strictEqual(attributesOf(renamed, ARTICLE)['author']!['target'], 'api::author.writer');
    strictEqual(changeOf(renamed['api::author.writer']!).renamedFrom, AUTHOR);
  });

  it('have the same shared fields in the preview of their form as in the form itself', () => {
    const types = newsroom();
    const article = types[ARTICLE]!;
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const around = { contentTypes: [], components: [], locales: [] } as unknown as Schema;
    const shared = (type: (typeof types)[string]) =>
      liveSchema({ ...types, [ARTICLE]: type }, around)
        .contentTypes.find(({ uid }) => uid === ARTICLE)!
        .attributes.filter((one) => !one.localized)
        .map(({ name }) => name);
    deepStrictEqual(shared({ ...article, schema: { ...article.schema, ...localized } }), ['title', 'note', 'parts']);
    deepStrictEqual(shared(article), ['title', 'slug', 'note', 'author', 'parts']);
  });

  it('keep the order and all options of an attribute that is only looked at', () => {
    const options = {
      type: 'string',
      columnName: 'headline',
      pluginOptions: { i18n: { localized: true }, other: { a: 1 } },
      required: true,
      conditions: { visible: { '!!': [{ var: 'a' }] } },
    };
    strictEqual(JSON.stringify(optionsOf(draftOf({ name: 'title', options }))), JSON.stringify(options));
  });

  it('have a value for each locale in a new attribute of a type with locales', () => {
    const types = newsroom();
    const article = types[ARTICLE]!;
    const localized = { ...article, schema: { ...article.schema, pluginOptions: { i18n: { localized: true } } } };
    const ofLocalized = (kind: 'string' | 'relation') =>
      withKind(undefined, kind, { ...types, [ARTICLE]: localized }, ARTICLE);
    deepStrictEqual(optionsOf(ofLocalized('string')), { type: 'string', pluginOptions: { i18n: { localized: true } } });
    deepStrictEqual(ofLocalized('relation').localized, false);
    deepStrictEqual(withKind(undefined, 'string', types, ARTICLE).localized, false);
  });
});

describe('the diagram of content types', () => {
  it('places 60 types with cycles so that no boxes overlap', () => {
    const nodes = Array.from({ length: 60 }, (_, n) => ({ uid: `t${n}`, height: 60 + (n % 9) * 18 }));
    const edges = nodes.flatMap((_, n) => (n % 4 === 0 ? [] : [{ from: `t${n}`, to: `t${(n * 7) % 60}` }]));
    const { places, width, height } = layoutDiagram(nodes, edges);
    const boxes = nodes.map((node) => ({ ...node, ...places.get(node.uid)! }));
    const overlaps = boxes.filter((one) =>
      boxes.some(
        (other) => other !== one && other.x === one.x && one.y < other.y + other.height && other.y < one.y + one.height,
      ),
    );
    deepStrictEqual(overlaps, []);
    ok(boxes.every(({ x, y, height: own }) => x >= 0 && y >= 0 && x + BOX <= width && y + own <= height));
  });
});
