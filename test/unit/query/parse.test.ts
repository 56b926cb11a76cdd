/** Whole queries, and the parameters that choose rows. */
import { describe } from 'node:test';
import { parseParams } from '../../../src/query/params.ts';
import { parseCohort, parseLocale, parseLocales, parseQuery, parseStatus } from '../../../src/query/parse.ts';
import { table } from '../../support/tables.ts';

/** What was asked for, and the operands in the order of their slots. */
function query(text: string): string {
  const { query, values } = parseQuery(parseParams(text));
  const { filters, sort, fields, populate, ...rest } = query;
  const given = { filters: filters?.kind, sort: sort.length || undefined, fields, populate: populate.kind, ...rest };
  return `${JSON.stringify(given)} ${JSON.stringify(values)}`;
}
const status = (text: string): string => parseStatus(parseParams(text)['status']);
const cohort = (text: string): string => parseCohort(parseParams(text)) ?? 'none';
const locales = (text: string): string => JSON.stringify(parseLocales(parseParams(text)['locale']));
const locale = (text: string): string => JSON.stringify(parseLocale(parseParams(text)['locale'])) ?? 'default';

describe('queries', () => {
  table('operands leave the tree in the order in which they stand', query, [
    ['', '{"populate":"none"} []'],
    ['filters[a]=1&filters[b]=2', '{"filters":"and","populate":"none"} ["1","2"]'],
    ['_q=x&filters[a]=1', '{"filters":"field","populate":"none","search":{"slot":1,"numeric":false}} ["1","x"]'],
    [
      'filters[a][$in][]=1&filters[a][$in][]=2&populate[b][filters][c]=3&_q=x',
      '{"filters":"field","populate":"entries","search":{"slot":3,"numeric":false}} ["1","2","3","x"]',
    ],
    ['sort=a&fields=b&populate=c', '{"sort":1,"fields":["b"],"populate":"names"} []'],
    ['status=draft&publicationFilter=modified', '{"populate":"none","status":"draft","cohort":"modified"} []'],
    ['nothing=known&locale=en&pagination[page]=1', '{"populate":"none"} []'],
  ]);

  table('searches', query, [
    ['_q=a', '{"populate":"none","search":{"slot":0,"numeric":false}} ["a"]'],
    ['_q=', '{"populate":"none"} []'],
    ['_q', '{"populate":"none"} []'],
    ['_q=12', '{"populate":"none","search":{"slot":0,"numeric":true}} ["12"]'],
    ['_q=1.5', '{"populate":"none","search":{"slot":0,"numeric":true}} ["1.5"]'],
    ['_q=1e3', '{"populate":"none","search":{"slot":0,"numeric":true}} ["1e3"]'],
    ['_q=0x1f', '{"populate":"none","search":{"slot":0,"numeric":true}} ["0x1f"]'],
    ['_q=-1', '{"populate":"none","search":{"slot":0,"numeric":true}} ["-1"]'],
    ['_q= 12 ', '{"populate":"none","search":{"slot":0,"numeric":true}} [" 12 "]'],
    ['_q= ', '{"populate":"none","search":{"slot":0,"numeric":false}} [" "]'],
    ['_q=Infinity', '{"populate":"none","search":{"slot":0,"numeric":false}} ["Infinity"]'],
    ['_q=NaN', '{"populate":"none","search":{"slot":0,"numeric":false}} ["NaN"]'],
    ['_q=12a', '{"populate":"none","search":{"slot":0,"numeric":false}} ["12a"]'],
    ['_q=%25', '{"populate":"none","search":{"slot":0,"numeric":false}} ["%"]'],
    ['_q[]=a&_q[]=b', 'ValidationError: The _q parameter must be a string'],
    ['_q[]=a', '{"populate":"none","search":{"slot":0,"numeric":false}} ["a"]'],
    ['_q[a]=b', 'ValidationError: The _q parameter must be a string'],
    ['_q=a&_q=b', 'ValidationError: The _q parameter must be a string'],
    ['_q=1_000', '{"populate":"none","search":{"slot":0,"numeric":false}} ["1_000"]'],
    ['_q=%2B5', '{"populate":"none","search":{"slot":0,"numeric":true}} ["+5"]'],
  ]);

  table('statuses', status, [
    ['', 'published'],
    ['status', 'published'],
    ['status=draft', 'draft'],
    ['status=published', 'published'],
    [
      'status=',
      'ValidationError: Invalid value for \'status\'. Expected one of: draft, published. {"source":"query","param":"status"}',
    ],
    [
      'status=Draft',
      'ValidationError: Invalid value for \'status\'. Expected one of: draft, published. {"source":"query","param":"status"}',
    ],
    [
      'status=draft&status=published',
      'ValidationError: Invalid value for \'status\'. Expected one of: draft, published. {"source":"query","param":"status"}',
    ],
    [
      'status[$eq]=draft',
      'ValidationError: Invalid value for \'status\'. Expected one of: draft, published. {"source":"query","param":"status"}',
    ],
  ]);

  table('cohorts', cohort, [
    ['', 'none'],
    ['publicationFilter=modified', 'modified'],
    ['publicationFilter=unmodified', 'unmodified'],
    ['publicationFilter=never-published', 'never-published'],
    ['publicationFilter=has-published-version', 'has-published-version'],
    ['publicationFilter=never-published-document', 'never-published-document'],
    ['publicationFilter=has-published-version-document', 'has-published-version-document'],
    ['publicationFilter=published-without-draft', 'published-without-draft'],
    ['publicationFilter=published-with-draft', 'published-with-draft'],
    [
      'publicationFilter',
      'ValidationError: Invalid value for \'publicationFilter\'. Expected one of: never-published, has-published-version, modified, unmodified, never-published-document, has-published-version-document, published-without-draft, published-with-draft. {"source":"query","param":"publicationFilter"}',
    ],
    [
      'publicationFilter=Modified',
      'ValidationError: Invalid value for \'publicationFilter\'. Expected one of: never-published, has-published-version, modified, unmodified, never-published-document, has-published-version-document, published-without-draft, published-with-draft. {"source":"query","param":"publicationFilter"}',
    ],
    [
      'publicationFilter[]=modified',
      'ValidationError: Invalid value for \'publicationFilter\'. Expected one of: never-published, has-published-version, modified, unmodified, never-published-document, has-published-version-document, published-without-draft, published-with-draft. {"source":"query","param":"publicationFilter"}',
    ],
    ['hasPublishedVersion=true', 'has-published-version-document'],
    ['hasPublishedVersion=false', 'never-published-document'],
    [
      'hasPublishedVersion',
      "ValidationError: Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
    ],
    [
      'hasPublishedVersion=',
      "ValidationError: Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
    ],
    [
      'hasPublishedVersion=1',
      "ValidationError: Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
    ],
    [
      'hasPublishedVersion[]=true',
      "ValidationError: Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
    ],
    ['hasPublishedVersion=true&publicationFilter=modified', 'modified'],
    [
      'hasPublishedVersion=1&publicationFilter=modified',
      "ValidationError: Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
    ],
  ]);

  table('locales of lists', locales, [
    ['', '{"kind":"default"}'],
    ['locale', '{"kind":"default"}'],
    ['locale=', '{"kind":"default"}'],
    ['locale=fr', '{"kind":"some","codes":["fr"]}'],
    ['locale=*', '{"kind":"all"}'],
    ['locale=fr,de', '{"kind":"some","codes":["fr,de"]}'],
    ['locale[]=fr&locale[]=de', '{"kind":"some","codes":["fr","de"]}'],
    ['locale=fr&locale=de', '{"kind":"some","codes":["fr","de"]}'],
    ['locale[]=fr&locale[]=*', '{"kind":"all"}'],
    ['locale[]=fr&locale[]=fr', '{"kind":"some","codes":["fr","fr"]}'],
    ['locale[]', 'ValidationError: Invalid locale parameter. Expected a locale code or a list of codes'],
    ['locale[]=', '{"kind":"some","codes":[""]}'],
    ['locale[a]=fr', 'ValidationError: Invalid locale parameter. Expected a locale code or a list of codes'],
    ['locale[0][a]=fr', 'ValidationError: Invalid locale parameter. Expected a locale code or a list of codes'],
    ['locale=FR', '{"kind":"some","codes":["FR"]}'],
    ['locale= fr', '{"kind":"some","codes":[" fr"]}'],
  ]);

  table('the locale of one document', locale, [
    ['', 'default'],
    ['locale', 'default'],
    ['locale=', 'default'],
    ['locale=fr', '"fr"'],
    ['locale=*', '"*"'],
    [
      'locale[]=fr&locale[]=de',
      'ValidationError: Invalid locale param fr,de provided. Document locales must be strings.',
    ],
    ['locale[a]=fr', 'ValidationError: Invalid locale param {"a":"fr"} provided. Document locales must be strings.'],
  ]);
});
