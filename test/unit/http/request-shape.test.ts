/** Shapes of requests contain neither ids nor values of callers. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addedUp, percentile } from '../../../src/http/monitoring/durations.ts';
import { KnownNames, pathShape, queryShape } from '../../../src/http/monitoring/request-shape.ts';
import type { Catalog } from '../../../src/schema/catalog.ts';

const fields = ['title', 'author', 'name', 'views', 'done', 'at', 'email', 'tags'];
const attributes = new Map(fields.map((name) => [name, { type: 'string', name }]));
const article = { uid: 'api::article.article', attributes };
const names = new KnownNames();
names.replace({ contentTypes: new Map([[article.uid, article]]), components: new Map() } as unknown as Catalog, [
  '/api/articles/:id/actions/publish',
  '/api/v1/{name}',
  '/admin/api/content/:uid/:id',
]);

describe('the shape of a request', () => {
  it('has words of a path, and neither ids nor tokens', () => {
    const shapes = [
      ['/api/articles', '/api/articles'],
      ['/api/articles/z7v8t2k1a0b9c8d7e6f5g4h3?populate=*', '/api/articles/:id'],
      ['/API/Articles/42/actions/publish', '/api/articles/:id/actions/publish'],
      ['/api/articles/by-customer/jane-doe', '/api/articles/:id/:id'],
      ['/admin/api/content/api%3A%3Aarticle.article/42', '/admin/api/content/api::article.article/:id'],
      ['/api/v1/ann@example', '/api/v1/:id'],
      ['/api/v1/ann@example.com', '/api/v1/:file'],
      ['/uploads/cat_0a1b2c3d4e.jpg', '/uploads/:file'],
      ['/api/%73ecret', '/api/:id'],
      ['/api/articles/zabcdefghijklmnopqrstuvw', '/api/articles/:id'],
      ['/', '/'],
      ['?a=b', '/'],
    ];
    deepStrictEqual(
      shapes.map(([target]) => pathShape(target!, names)),
      shapes.map(([, shape]) => shape),
    );
    ok(pathShape(`/${'a/'.repeat(5000)}`, names).length < 2000);
  });

  it('has names of fields and no values in its query', () => {
    const shapes = [
      ['sort=title:desc&populate[author][fields]=name&fields[0]=title', undefined],
      ['filters[title][$contains]=private%20words', 'filters[title][$contains]=x'],
      ['filters[views][$gt]=1234567&filters[done][$eq]=true', 'filters[views][$gt]=1&filters[done][$eq]=true'],
      ['filters[at][$lt]=2024-05-06T07:08:09Z', 'filters[at][$lt]=2000-01-01T00:00:00.000Z'],
      ['populate[author][filters][email][$eq]=ann@example.com', 'populate[author][filters][email][$eq]=x'],
      ['locale=de-AT&status=draft&pagination[pageSize]=100', undefined],
      ['pagination[cursor]=hidden&locale=hidden!&status=HIDDEN', ''],
      ['token=hidden&hidden&code=4711&_q=hidden', '_q=x'],
      ['sort=my secret words&populate=jane doe&fields[token]=abcdef&status=jane&filters[jane]=1', ''],
      ['sort=%E0%A4%A&sort=a=b', ''],
      ['hidden-key!=1&sort[hidden/x]=1', ''],
    ];
    deepStrictEqual(
      shapes.map(([query]) => queryShape(`/api/articles?${query}`, names)),
      shapes.map(([query, shape]) => shape ?? query),
    );
    ok(queryShape(`/?${'filters[title][$eq]=b&'.repeat(5000)}`, names).length < 1000);
  });
});

describe('durations in buckets', () => {
  it('give percentiles within a tenth, also of sums', () => {
    const pairs = addedUp([
      [40, 50, 60, 50],
      [60, 1, 9999, 7],
    ]);
    deepStrictEqual(pairs, [40, 50, 60, 51]);
    // bucket 40 ends at 102.4 ms, bucket 60 at 3276.8 ms
    ok(percentile(pairs, 0.25)! > 86 && percentile(pairs, 0.25)! <= 103);
    ok(percentile(pairs, 0.99)! > 2755 && percentile(pairs, 0.99)! <= 3277);
    strictEqual(percentile([], 0.5), null);
  });
});
