/** Which of the rows of a document a request means: by status, cohort and locale. */
import { describe } from 'node:test';
import { planText, printTests } from '../../support/queries/planned.ts';
import { table } from '../../support/tables.ts';

/** A row is a type with its parameters; behind a space stand the codes of the locales asked for. */
const rows = (text: string): string => {
  const [query = '', locales] = text.split(' ');
  const { plan, values } = planText(query, locales === undefined ? {} : { locales: locales.split(',') });
  return printTests(plan.tests, values);
};
const document = (text: string): string => {
  const [query = '', locales] = text.split(' ');
  const { plan, values } = planText(query, { documentId: 'x', ...(locales && { locales: locales.split(',') }) });
  const version = plan.version && (plan.version.sameLocale ? 'version of its locale' : 'version');
  return [printTests(plan.tests, values), version].join('; ');
};

describe('variants', () => {
  table('statuses', rows, [
    ['article', 'published'],
    ['article?status=published', 'published'],
    ['article?status=draft', 'draft'],
    ['tag', 'published'],
    ['tag?status=draft', 'draft'],
    ['author', ''],
    ['author?status=draft', ''],
    ['home?status=draft', ''],
    ['file', ''],
    ['file?status=draft', ''],
  ]);

  table('locales', rows, [
    ['article en', 'published, locale "en"'],
    ['article en,fr', 'published, locale "en"|"fr"'],
    ['article?status=draft en', 'draft, locale "en"'],
    ['tag en', 'published'],
    ['author fr', ''],
    ['home fr', 'locale "fr"'],
    ['file en', ''],
    ['article?filters[locale]=fr en', 'published, locale "fr"'],
    ['article?filters[locale]=fr&filters[title]=a en', 'published, locale "fr"'],
    ['article?filters[locale][$in][]=fr&filters[locale][$in][]=de en', 'published, locale "fr"|"de"'],
    ['article?filters[$and][0][locale]=fr en', 'published, locale "en", locale "fr"'],
    ['article?filters[$or][0][locale]=fr en', 'published, locale "en", locale "fr"'],
    ['article?filters[$or][0][locale]=fr&filters[$or][1][locale]=de en', 'published, locale "en"'],
    ['article?filters[$not][locale]=fr en', 'published, locale "en"'],
    ['article?filters[locale][$not]=fr en', 'published'],
    ['article?filters[localizations][locale]=fr en', 'published, locale "en"'],
    ['tag?filters[articles][locale]=fr en', 'published'],
  ]);

  table('cohorts of drafts', rows, [
    [
      'article?status=draft&publicationFilter=never-published en',
      'draft, lacks published row of articles in its locale, locale "en"',
    ],
    [
      'article?status=draft&publicationFilter=has-published-version en',
      'draft, has published row of articles in its locale, locale "en"',
    ],
    [
      'article?status=draft&publicationFilter=modified en',
      'draft, has published row of articles in its locale that differs, locale "en"',
    ],
    [
      'article?status=draft&publicationFilter=unmodified en',
      'draft, has published row of articles in its locale that is the same, locale "en"',
    ],
    [
      'article?status=draft&publicationFilter=never-published-document en',
      'draft, lacks published row of articles in any locale, locale "en"',
    ],
    [
      'article?status=draft&publicationFilter=has-published-version-document en',
      'draft, has published row of articles in any locale, locale "en"',
    ],
    ['article?status=draft&publicationFilter=published-without-draft en', 'draft, published, locale "en"'],
    ['article?status=draft&publicationFilter=published-with-draft en', 'draft, published, locale "en"'],
  ]);

  table('cohorts of published rows', rows, [
    ['article?publicationFilter=never-published', 'published, draft'],
    ['article?publicationFilter=has-published-version', 'published'],
    ['article?publicationFilter=modified', 'published, has draft row of articles in its locale that differs'],
    ['article?publicationFilter=unmodified', 'published, has draft row of articles in its locale that is the same'],
    ['article?publicationFilter=never-published-document', 'published, draft'],
    ['article?publicationFilter=has-published-version-document', 'published'],
    ['article?publicationFilter=published-without-draft', 'published, lacks draft row of articles in its locale'],
    ['article?publicationFilter=published-with-draft', 'published, has draft row of articles in its locale'],
  ]);

  table('cohorts of types without locales', rows, [
    ['tag?status=draft&publicationFilter=never-published', 'draft, lacks published row of tags in any locale'],
    ['tag?publicationFilter=never-published', 'published, draft'],
    ['tag?status=draft&publicationFilter=has-published-version', 'draft, has published row of tags in any locale'],
    ['tag?publicationFilter=has-published-version', 'published'],
    ['tag?status=draft&publicationFilter=modified', 'draft, has published row of tags in any locale that differs'],
    ['tag?publicationFilter=modified', 'published, has draft row of tags in any locale that differs'],
    ['tag?status=draft&publicationFilter=never-published-document', 'draft, lacks published row of tags in any locale'],
    ['tag?publicationFilter=never-published-document', 'published, draft'],
    ['tag?status=draft&publicationFilter=published-with-draft', 'draft, published'],
    ['tag?publicationFilter=published-with-draft', 'published, has draft row of tags in any locale'],
  ]);

  table('cohorts of types without drafts, and of files, say nothing', rows, [
    ['author?publicationFilter=modified', ''],
    ['author?status=draft&publicationFilter=never-published', ''],
    ['home?publicationFilter=modified fr', 'locale "fr"'],
    ['file?publicationFilter=modified', ''],
  ]);

  table('what hasPublishedVersion means', rows, [
    ['article?status=draft&hasPublishedVersion=true', 'draft, has published row of articles in any locale'],
    ['article?status=draft&hasPublishedVersion=false', 'draft, lacks published row of articles in any locale'],
    ['article?hasPublishedVersion=false', 'published, draft'],
  ]);

  table('single documents', document, [
    ['article en', 'documentId "x", published, locale "en"; version of its locale'],
    ['article?status=draft fr', 'documentId "x", draft, locale "fr"; version of its locale'],
    ['tag', 'documentId "x", published; version'],
    ['author', 'documentId "x"; version'],
    ['home fr', 'documentId "x", locale "fr"; version of its locale'],
    [
      'article?publicationFilter=modified en',
      'documentId "x", published, has draft row of articles in its locale that differs, locale "en"; version of its locale',
    ],
    ['article?filters[locale]=fr en', 'documentId "x", published, locale "fr"; version of its locale'],
  ]);
});
