/** Values, names and queries in `@strapi/utils`: the same results as the reference's package. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reservedNames } from '../../../src/runtime/strapi-utils/content-types.ts';
import { parseType } from '../../../src/runtime/strapi-utils/parse-type.ts';
import { queries, schemas, template } from '../../../src/runtime/strapi-utils/queries.ts';

describe('values, names and queries in @strapi/utils', () => {
  it('are the stored values of a type', () => {
    const kept = (type: string, values: readonly unknown[]) => values.map((value) => parseType({ type, value }));
    deepStrictEqual(kept('boolean', ['true', 't', '1', 1, 'f', '0', 0, false]), [
      ...[true, true, true, true],
      ...[false, false, false, false],
    ]);
    strictEqual(parseType({ type: 'boolean', value: 'yes', forceCast: true }), true);
    deepStrictEqual(kept('decimal', ['1.5', '1e3', '', null, '12px']), [1.5, 1000, 0, 0, Number.NaN]);
    deepStrictEqual(kept('time', ['10:11:12', '10:11:12.3', new Date(2024, 1, 3, 4, 5, 6, 7)]), [
      ...['10:11:12.000', '10:11:12.300', '04:05:06.007'],
    ]);
    deepStrictEqual(kept('date', ['2024-02-03', '20240203', '2024-02', '0099-01-01', new Date(2024, 1, 3, 23)]), [
      ...['2024-02-03', '2024-02-03', '2024-02-01', '0099-01-01', '2024-02-03'],
    ]);
    deepStrictEqual(
      kept('datetime', [
        ...['2024-02-03T10:11:12Z', '2024-02-03T10:11:12.345678-0330', '2024-02-03T24:00:00+02:00', '1700000000000'],
        ...['2024-02-03 10:11', new Date(5)],
      ]),
      [
        ...[Date.UTC(2024, 1, 3, 10, 11, 12), Date.UTC(2024, 1, 3, 13, 41, 12, 345), Date.UTC(2024, 1, 3, 22)],
        ...[1_700_000_000_000, new Date(2024, 1, 3, 10, 11).getTime(), 5],
      ].map((time) => new Date(time)),
    );
    deepStrictEqual(kept('string', [1, 'a']), [1, 'a']);
    for (const [type, value] of [
      ...[
        ['boolean', 'yes'],
        ['time', '25:00:00'],
        ['time', 5],
      ],
      ...[
        ['date', '2024-02-30'],
        ['date', null],
        ['datetime', '2024-02-03T10:60'],
        ['datetime', 'soon'],
      ],
    ] as const) {
      throws(() => parseType({ type: String(type), value }), Error, `${value} as ${type}`);
    }
  });

  it('distinguish operators and parameters from attributes', () => {
    const { isOperator, isOperatorOfType } = queries;
    deepStrictEqual(
      ['$and', '$eqi', '$notContainsi', '$x', 'title', '$EQ'].map((key) => isOperator(key)),
      [true, true, true, false, false, false],
    );
    strictEqual(isOperator('$EQ', true), true);
    deepStrictEqual(
      (['where', 'cast', 'group', 'array', 'other'] as const).map((type) => isOperatorOfType(type, '$in')),
      [true, true, false, true, false],
    );
    deepStrictEqual(queries.ALLOWED_QUERY_PARAM_KEYS.slice(-5), [
      ...['hasPublishedVersion', 'pagination', 'count', 'ordering'],
      'release',
    ]);
    strictEqual(queries.parsePublicationFilter('modified'), 'modified');
    throws(() => queries.parsePublicationFilter('later'), { name: 'ValidationError' });
    strictEqual(queries.parseHasPublishedVersionQueryParam('false'), false);
    let asked = 0;
    const cache = queries.createModelCache((uid) => ({ uid, number: ++asked }));
    deepStrictEqual([cache.getModel('a'), cache.getModel('a')], Array(2).fill({ uid: 'a', number: 1 }));
  });

  it('recognize reserved names', () => {
    const { isReservedAttributeName, isReservedModelName, getReservedAttributeNames } = reservedNames;
    const names = ['documentId', 'strapiFoo', 'status', 'title', 'createdByID'];
    deepStrictEqual(
      names.map((name) => isReservedAttributeName(name)),
      [true, true, true, false, true],
    );
    strictEqual(isReservedAttributeName('status', { draftAndPublish: false }), false);
    deepStrictEqual(['Document', 'dateTime', 'article'].map(isReservedModelName), [true, true, false]);
    strictEqual(getReservedAttributeNames().length, getReservedAttributeNames({ draftAndPublish: false }).length + 1);
    deepStrictEqual(reservedNames.findDraftAndPublishReservedAttributeNames(['status', 'a']), ['status']);
  });

  it('find names in templates, and add to lists of middlewares', () => {
    const strict = template.createStrictInterpolationRegExp(['user', 'url'], 'g');
    strictEqual('<%= user %> <%=url%> <%= other %>'.replace(strict, '-'), '- - <%= other %>');
    strictEqual('<% a %><%= b() %>'.replace(template.createLooseInterpolationRegExp(), '-'), '<% a %>-');
    const security = { name: 'strapi::security', config: { directives: { 'img-src': ['a', 'b'] }, on: true } };
    const more = { name: 'strapi::security', config: { directives: { 'img-src': ['b', 'c'] } } };
    deepStrictEqual(schemas.extendMiddlewareConfiguration(['strapi::errors', security], more), [
      'strapi::errors',
      { name: 'strapi::security', config: { directives: { 'img-src': ['a', 'b', 'c'] }, on: true } },
    ]);
    deepStrictEqual(schemas.extendMiddlewareConfiguration(['strapi::security'], more), [more]);
  });
});
