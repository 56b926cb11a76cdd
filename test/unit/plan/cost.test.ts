/** What planned reads may cost at most, in the sizes of tables. */
import { describe } from 'node:test';
import { costOf } from '../../../src/plan/cost.ts';
import { planText } from '../../support/queries/planned.ts';
import { table } from '../../support/tables.ts';

/** `3 a×b`: so many microseconds for each pair of rows; of one page where there are no tables. */
const cost = (text: string): string => {
  const [query = '', single] = text.split(' ');
  const { terms, dependsOnValues } = costOf(planText(query, single ? { documentId: 'x' } : {}).plan);
  const printed = terms.map(({ tables, weight }) => `${Number(weight.toFixed(2))} ${tables.join('×') || 'page'}`);
  return [...printed, ...(dependsOnValues ? ['by values'] : [])].join(', ');
};

describe('costs', () => {
  table('lists and single documents', cost, [
    ['place', '0.3 places'],
    ['tag', '0.45 tags'],
    ['article', '0.45 articles'],
    ['place single', ''],
    ['article single', ''],
    ['article?fields=title', '0.45 articles'],
  ]);

  table('filters', cost, [
    ['place?filters[code]=a', '0.3 places, 0.15 places'],
    ['place?filters[code][$in][]=a&filters[code][$in][]=b', '0.3 places, 0.3 places'],
    ['place?filters[code][$null]=true', '0.3 places, 0.15 places'],
    ['place?filters[code][$contains]=a', '0.3 places, 1.5 places, by values'],
    ['place?filters[code][$notContainsi]=a', '0.3 places, 1.5 places, by values'],
    ['place?filters[code][$startsWith]=a', '0.3 places, 1.5 places, by values'],
    ['place?filters[code][$endsWithi]=a', '0.3 places, 1.5 places, by values'],
    ['place?filters[code][$gt]=a', '0.3 places, 0.15 places, by values'],
    ['place?filters[code][$ne]=a', '0.3 places, 0.15 places, by values'],
    ['place?filters[code][$between][]=a&filters[code][$between][]=b', '0.3 places, 0.3 places, by values'],
    ['place?filters[$not][code]=a', '0.3 places, 0.15 places, by values'],
    ['place?filters[code][$eqi]=a', '0.3 places, 0.15 places'],
    ['place?filters[code][$notIn][]=a', '0.3 places, 0.15 places, by values'],
    [
      'place?filters[$or][0][code]=a&filters[$or][1][code][$contains]=b',
      '0.3 places, 0.15 places, 1.5 places, by values',
    ],
    ['article?filters[author][name]=a', '0.45 articles, 0.3 authors, 0.3 articles_author_lnk, 0.15 authors'],
    ['article?filters[tags][name]=a', '0.45 articles, 0.3 tags, 0.3 articles_tags_lnk, 0.15 tags'],
    ['article?filters[$not][tags][name]=a', '0.45 articles, 0.3 tags, 0.3 articles_tags_lnk, 0.15 tags, by values'],
    ['article?filters[tags][$null]=true', '0.45 articles, 0.3 tags, 0.3 articles_tags_lnk'],
    [
      'article?filters[tags][articles][title]=a',
      '0.45 articles, 0.3 tags, 0.3 articles_tags_lnk, 0.3 articles, 0.3 articles_tags_lnk, 0.15 articles',
    ],
    ['article?filters[localizations][title]=a', '0.45 articles, 0.3 articles, 0.15 articles'],
    ['article?filters[cover][name]=a single', '0.3 files, 0.3 files_related_mph, 0.15 files'],
  ]);

  table('orders', cost, [
    ['place?sort=code', '0.3 places, 0.5 places'],
    ['place?sort=code,id', '0.3 places, 0.5 places, 0.5 places'],
    ['article?sort=author.name', '0.45 articles, 0.5 articles, 0.3 authors, 0.3 articles_author_lnk'],
    [
      'article?sort=tags.articles.title',
      '0.45 articles, 0.5 articles, 0.3 tags, 0.3 articles_tags_lnk, 0.3 articles, 0.3 articles_tags_lnk',
    ],
    ['place?sort=code single', ''],
  ]);

  table('populated rows', cost, [
    ['article?populate=author', '0.45 articles, 3 page'],
    ['article?populate=tags', '0.45 articles, 3 articles_tags_lnk'],
    ['article?populate=tags.articles', '0.45 articles, 3 articles_tags_lnk, 3 articles_tags_lnk×articles_tags_lnk'],
    ['article?populate[tags][count]=true', '0.45 articles, 0.3 articles_tags_lnk'],
    ['article?populate[tags][filters][name]=a', '0.45 articles, 3 articles_tags_lnk, 0.15 articles_tags_lnk'],
    [
      'article?populate[tags][filters][name][$contains]=a',
      '0.45 articles, 3 articles_tags_lnk, 1.5 articles_tags_lnk, by values',
    ],
    ['article?populate[tags][sort]=name', '0.45 articles, 3 articles_tags_lnk, 0.5 articles_tags_lnk'],
    [
      'article?populate[tags][sort]=articles.title',
      '0.45 articles, 3 articles_tags_lnk, 0.5 articles_tags_lnk, 0.3 articles, 0.3 articles_tags_lnk',
    ],
    ['article?populate=zone', '0.45 articles, 3 articles_cmps'],
    ['article?populate[zone][on][shared.link][populate]=target', '0.45 articles, 3 articles_cmps, 3 articles_cmps'],
    ['article?populate=localizations', '0.45 articles, 3 articles'],
    ['author?populate=articles', '0.3 authors, 3 articles_author_lnk'],
    ['note?populate[about][on][api::place.place]=true', '0.3 notes, 3 page'],
    ['place?populate=notes', '0.3 places, 3 notes'],
    ['article?populate=tags single', '3 articles_tags_lnk'],
  ]);
});
