/** Requests of one shape share a plan: operands, locales and pages are no part of it. */
import { deepStrictEqual, notDeepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planText } from '../../support/queries/planned.ts';

const planOf = (text: string, locale = 'en') => {
  const { plan, kinds } = planText(text, { locales: [locale] });
  return { plan, kinds };
};

describe('plans', () => {
  it('are equal for other operands', () => {
    for (const [one, other] of [
      ['filters[title]=a', 'filters[title]=b'],
      ['filters[views][$in][]=1&filters[views][$in][]=2', 'filters[views][$in][]=7&filters[views][$in][]=8'],
      ['filters[tags][name][$containsi]=x', 'filters[tags][name][$containsi]=%25_'],
      ['populate[tags][filters][weight][$gt]=1', 'populate[tags][filters][weight][$gt]=2'],
      ['filters[tags][name]=a&_q=x', 'filters[tags][name]=b&_q=y'],
      ['filters[author][name]=a&sort=title', 'sort=title&filters[author][name]=b'],
    ] as const) {
      deepStrictEqual(planOf(`article?${one}`), planOf(`article?${other}`, 'fr'), one);
    }
  });

  it('differ if the shape differs', () => {
    for (const [one, other] of [
      ['filters[title]=a', 'filters[title][$ne]=a'],
      ['filters[title]=a', 'filters[title]'],
      ['filters[views][$in][]=1', 'filters[views][$in][]=1&filters[views][$in][]=2'],
      ['filters[title][$null]=true', 'filters[title][$null]=false'],
      ['filters[title]=a', 'populate[tags][filters][name]=a'],
      ['sort=title', 'sort=title:desc'],
      ['fields=title', 'fields=views'],
      ['status=draft', 'status=published'],
      ['_q=a', '_q=1'],
      ['status=draft', 'status=draft&publicationFilter=modified'],
    ] as const) {
      notDeepStrictEqual(planOf(`article?${one}`), planOf(`article?${other}`), one);
    }
  });
});
