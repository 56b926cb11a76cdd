/** The indexes that would serve planned lists, and parts that no index serves. */
import { describe } from 'node:test';
import { adviseIndexes } from '../../../src/plan/index-advice.ts';
import { layout, planText } from '../../support/queries/planned.ts';
import { table } from '../../support/tables.ts';

/**
 * `articles(locale, views desc, id) published: order views, id`, with `C` behind texts of which the order matters; then
 * what is not served. The words behind the query string: `uncounted`, `everywhere` (all locales), `single`,
 * `expensive` (the caller sees rows of one price).
 */
const advice = (text: string): string => {
  const [query = '', ...words] = text.split(' ');
  const rows = words.includes('expensive') ? planText('article?filters[price]=9').plan.where : undefined;
  const { plan: asked } = planText(query, {
    ...(words.includes('everywhere') ? {} : { locales: ['en'] }),
    ...(words.includes('single') ? { documentId: 'x' } : {}),
    count: !words.includes('uncounted'),
  });
  const plan = { ...asked, rows };
  const { indexes, unserved } = adviseIndexes(layout, plan);
  const printed = indexes.map(({ table, columns, descending, ordered, where, reason }) => {
    const written = columns.map(
      (column) => column + (ordered.includes(column) ? ' C' : '') + (descending.includes(column) ? ' desc' : ''),
    );
    const reasons = [
      reason.order.length > 0 && `order ${reason.order.join(', ')}`,
      reason.equality.length > 0 && `equal ${reason.equality.join(', ')}`,
      reason.range && `range ${reason.range}`,
      reason.total && 'total',
    ];
    return `${table}(${written.join(', ')})${where ? ` ${where}` : ''}: ${reasons.filter(Boolean).join('; ')}`;
  });
  const left = unserved.map(({ kind, use, table, columns, names }) => {
    const said = columns.map((column, n) => (column === names[n] ? column : `${column}=${names[n]}`));
    return `not ${kind} ${use} ${table}(${said.join(', ')})`;
  });
  return [...printed, ...left].join(' | ');
};

describe('indexes that are advised', () => {
  table('for an order', advice, [
    ['article?sort=views:desc uncounted', 'articles(locale, views desc, id) published: order views, id'],
    ['article?sort=views', 'articles(locale, views, id) published: order views, id; total'],
    [
      'article?sort=views:desc,price everywhere',
      'articles(views desc, price, id) published: order views, price, id; total',
    ],
    ['article?sort=title:desc', 'articles(locale, title C desc, id) published: order title, id; total'],
    [
      'article?sort=updatedAt:desc&status=draft',
      'articles(locale, updated_at desc, id) draft: order updatedAt, id; total',
    ],
    ['article?sort=views:desc,id:desc', 'articles(locale, views, id) published: order views, id; total'],
    ['article?sort=views:desc,id', 'articles(locale, views desc, id) published: order views, id; total'],
    ['article?sort=id:desc', 'articles(locale, id) published: order id; total'],
    ['article?sort=views,views:desc', 'articles(locale, views, id) published: order views, id; total'],
    ['tag?sort=weight', 'tags(weight, id) published: order weight, id; total'],
    ['author?sort=age:desc', 'authors(age desc, id): order age, id; total'],
  ]);

  table('for filters', advice, [
    ['author?filters[name]=a', 'authors(name, id): order id; equal name; total'],
    ['author?filters[name]=a uncounted', 'authors(name, id): order id; equal name'],
    [
      'article?filters[featured]=true&filters[views]=1',
      'articles(locale, featured, views, id) published: order id; equal featured, views; total',
    ],
    [
      'article?filters[views]=1&filters[featured]=true',
      'articles(locale, featured, views, id) published: order id; equal featured, views; total',
    ],
    [
      'article?filters[views][$in][]=1&filters[views][$in][]=2',
      'articles(locale, views, id) published: equal views; total',
    ],
    ['article?filters[views][$in][]=1', 'articles(locale, views, id) published: order id; equal views; total'],
    [
      'article?filters[$and][0][views]=1&filters[$or][0][price]=2',
      'articles(locale, price, views, id) published: order id; equal price, views; total',
    ],
    ['author?filters[age][$eqi]=1', 'authors(age, id): order id; equal age; total'],
    [
      'article?filters[locale]=fr&filters[views]=1',
      'articles(locale, views, id) published: order id; equal views; total',
    ],
    ['article?filters[views][$gt]=1', 'articles(locale, views, id) published: range views; total'],
    [
      'article?filters[views][$gte]=1&filters[views][$lt]=9',
      'articles(locale, views, id) published: range views; total',
    ],
    [
      'article?filters[title][$between][]=a&filters[title][$between][]=b',
      'articles(locale, title C, id) published: range title; total',
    ],
    ['author?filters[age][$null]=true', 'authors(age, id): range age; total'],
    [
      'article?filters[views][$gt]=1&filters[price][$gt]=1',
      'articles(locale, views, id) published: range views; total | not beyond filter articles(price)',
    ],
    ['author?filters[name]=a&filters[age][$gt]=3', 'authors(name, age, id): equal name; range age; total'],
  ]);

  table('for an order of what a filter lets through', advice, [
    [
      'article?filters[featured]=true&sort=views:desc',
      'articles(locale, featured, views desc, id) published: order views, id; equal featured; total',
    ],
    [
      'article?filters[featured]=true&sort=featured,views',
      'articles(locale, featured, views, id) published: order views, id; equal featured; total',
    ],
    [
      'article?filters[views][$gt]=1&sort=views:desc',
      'articles(locale, views desc, id) published: order views, id; range views; total',
    ],
    [
      'article?filters[views][$gt]=1&sort=price',
      'articles(locale, price, id) published: order price, id | articles(locale, views, id) published: range views; total',
    ],
    [
      'article?filters[views][$gt]=1&sort=price uncounted',
      'articles(locale, price, id) published: order price, id | not beyond filter articles(views)',
    ],
    [
      'article?filters[views][$in][]=1&filters[views][$in][]=2&sort=views',
      'articles(locale, views, id) published: order views, id; total',
    ],
    [
      'article?filters[views][$in][]=1&filters[views][$in][]=2&sort=price',
      'articles(locale, views, price, id) published: equal views; total',
    ],
    ['article?filters[locale]=fr&sort=locale,views', 'articles(locale, views, id) published: order views, id; total'],
  ]);

  table('for totals', advice, [
    ['article', 'articles(locale, id) published: order id; total'],
    ['article uncounted', ''],
    ['article everywhere', 'articles(id) published: order id; total'],
    ['author', ''],
    ['tag?status=draft', 'tags(id) draft: order id; total'],
    ['article?filters[title][$contains]=a', 'not search filter articles(title)'],
    ['article?sort=author.name', 'articles(locale, id) published: total | not relation order authors(name)'],
    [
      'article?filters[title][$contains]=a&sort=views',
      'articles(locale, views, id) published: order views, id | not search filter articles(title)',
    ],
  ]);

  table('for what relations lead to', advice, [
    ['article?filters[author][name]=a', 'authors(name, id): equal name'],
    [
      'article?filters[tags][name]=a&filters[tags][weight][$gt]=1',
      'tags(name, weight, id) published: equal name; range weight',
    ],
    ['article?filters[author][id]=1', ''],
    ['article?filters[author][home][code]=x', 'places(code, id): equal code'],
    ['article?filters[cover][name]=a', 'files(name, id): equal name'],
  ]);

  table('for the rows that the caller sees', advice, [
    ['article expensive', 'articles(locale, price, id) published: order id; equal price; total'],
    [
      'article?filters[featured]=true&sort=views expensive',
      'articles(locale, featured, price, views, id) published: order views, id; equal featured, price; total',
    ],
  ]);

  table('not at all', advice, [
    ['article?filters[title]=a single', ''],
    ['article?filters[id]=3', ''],
    ['place?filters[code]=a&filters[documentId]=x', ''],
    ['shop?filters[name]=a&filters[code]=x', ''],
    ['shop?filters[code][$in][]=a&filters[code][$in][]=b&sort=name', ''],
    ['shop?filters[code][$gt]=a', 'shops(code C, id): range code; total'],
    ['shop?sort=code', 'shops(code C, id): order code, id; total'],
    ['article?filters[documentId]=x', ''],
    ['article?filters[documentId][$in][]=x&filters[documentId][$in][]=y', ''],
  ]);
});

describe('parts of lists that no index serves', () => {
  table('pieces of text', advice, [
    ['author?filters[name][$contains]=a', 'not search filter authors(name)'],
    ['author?filters[name][$containsi]=a', 'not search filter authors(name)'],
    ['author?filters[name][$startsWith]=a', 'not search filter authors(name)'],
    ['author?filters[name][$endsWithi]=a', 'not search filter authors(name)'],
    ['author?_q=a', 'not search filter authors(name)'],
    ['author?_q=1', 'not search filter authors(name, age)'],
    ['author?filters[age][$contains]=1', 'not search filter authors(age)'],
    [
      'author?filters[name][$contains]=a&filters[age]=1',
      'authors(age, id): order id; equal age; total | not search filter authors(name)',
    ],
  ]);

  table('comparisons without case, negations and alternatives', advice, [
    ['author?filters[name][$eqi]=a', 'not folded filter authors(name)'],
    ['author?filters[name][$ne]=a', 'not negation filter authors(name)'],
    ['author?filters[name][$notNull]=true', 'not negation filter authors(name)'],
    ['author?filters[name][$notContains]=a', 'not negation filter authors(name)'],
    ['author?filters[$not][name]=a', 'not negation filter authors(name)'],
    ['author?filters[$or][0][name]=a&filters[$or][1][age]=1', 'not or filter authors(name, age)'],
    ['author?filters[age][$notIn][]=1', 'not negation filter authors(age)'],
  ]);

  table('relations', advice, [
    ['article?sort=author.name uncounted', 'not relation order authors(name)'],
    ['article?filters[author][$null]=true', 'not relation filter authors()'],
    ['article?filters[author][name][$null]=true', 'not relation filter authors(name)'],
    ['article?filters[$not][tags][name]=a', 'not relation filter tags(name)'],
    ['article?filters[tags][name][$containsi]=a', 'not search filter tags(name)'],
    ['article?sort=views,author.name uncounted', 'not relation order authors(name)'],
  ]);

  table('long texts', advice, [
    ['note?filters[text]=a', 'not long filter notes(text)'],
    ['note?sort=text', 'not long order notes(text)'],
    ['article?sort=views,body uncounted', 'not long order articles(body)'],
  ]);

  table('the comparison of a draft with its published row', advice, [
    ['article?status=draft&publicationFilter=modified', 'not cohort filter articles()'],
  ]);

  table('more than an index should have', advice, [
    [
      'file?filters[name]=a&filters[hash]=b&filters[ext]=c uncounted',
      'files(ext, hash, id): order id; equal ext, hash | not beyond filter files(name)',
    ],
    ['file?filters[name]=a&sort=ext,mime uncounted', 'files(name, id): equal name | not beyond order files(ext, mime)'],
    [
      'article?filters[views]=1&filters[big]=1&filters[price]=1&filters[featured]=true&filters[day]=2020-01-01&sort=title uncounted',
      'articles(locale, big, day, featured, price, id) published: equal big, day, featured, price | not beyond order articles(title) | not beyond filter articles(views)',
    ],
    [
      'article?filters[title]=a&filters[views][$gt]=3&sort=big,price,featured,day uncounted',
      'articles(locale, title, views, id) published: equal title; range views | not beyond order articles(big, price, featured, day)',
    ],
  ]);
});
