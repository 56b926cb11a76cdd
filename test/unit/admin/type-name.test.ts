/** How types are called above their lists. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pluralNameOf } from '../../../admin/src/language/type-name.ts';

describe('the names of types above their lists', () => {
  const cases: readonly (readonly [string, displayName: string, singular: string, plural: string, locale?: string])[] =
    [
      ['Articles', 'Article', 'article', 'articles'],
      ['Categories', 'Category', 'category', 'categories'],
      ['Articles', 'Articles', 'article', 'articles'],
      ['People', 'Person', 'person', 'people'],
      ['Blog Posts', 'Blog Post', 'blog-post', 'blog-posts'],
      ['Blog posts', 'Blog post', 'blog-post', 'blog-posts'],
      ['Blog-Posts', 'Blog-Post', 'blog-post', 'blog-posts'],
      ['News articles', 'News article', 'article', 'articles'],
      ['FAQs', 'FAQs', 'faq', 'faqs'],
      ['FAQs', 'FAQ', 'faq', 'faqs'],
      ['APIs', 'API', 'api', 'apis'],
      ['PAGES', 'PAGE', 'page', 'pages'],
      ['CITIES', 'CITY', 'city', 'cities'],
      ['Lounges', 'Lounge', 'lounge', 'lounges'],
      ['Terminals', 'Terminal', 'terminal', 'terminals'],
      ['Youngsters', 'Youngster', 'youngster', 'youngsters'],
      ['News', 'News', 'news', 'newses'],
      ['Media', 'Media', 'media', 'medias'],
      // what the display name says in other words is left to it
      ['Stories', 'Stories', 'article', 'articles'],
      ['Story', 'Story', 'article', 'articles'],
      ['Particle', 'Particle', 'article', 'articles'],
      // German names take no English ending, and the German plural where the schema has it
      ['Artikel', 'Artikel', 'artikel', 'artikels'],
      ['Kategorie', 'Kategorie', 'kategorie', 'kategories'],
      ['Veranstaltung', 'Veranstaltung', 'veranstaltung', 'veranstaltungs'],
      ['Rezepte', 'Rezept', 'rezept', 'rezepte'],
      ['Autoren', 'Autor', 'autor', 'autoren'],
      ['Hafen', 'Hafen', 'hafen', 'hafens', 'de'],
      ['Häfen', 'Häfen', 'hafen', 'hafens', 'de'],
      ['Artikel', 'Artikel', 'article', 'articles', 'de'],
      ['Quelle', 'Quelle', 'quelle', 'quelles', 'de'],
      ['Kurs', 'Kurs', 'kurs', 'kurses', 'de'],
      // English names keep their plural where the content is in German by default
      ['Articles', 'Article', 'article', 'articles', 'de'],
      ['Categories', 'Category', 'category', 'categories', 'de'],
      ['Blog Posts', 'Blog Post', 'blog-post', 'blog-posts', 'de'],
      ['Products', 'Product', 'product', 'products', 'de'],
      ['Pages', 'Page', 'page', 'pages', 'de'],
      ['Services', 'Service', 'service', 'services', 'de'],
    ];
  for (const [name, displayName, singularName, pluralName, locale = 'en'] of cases) {
    it(`calls ${displayName} (${singularName}, ${pluralName}; ${locale}) ${name}`, () => {
      strictEqual(pluralNameOf({ kind: 'collectionType', displayName, singularName, pluralName }, locale), name);
    });
  }

  it('leaves single types as they are', () => {
    const names = { displayName: 'Page', singularName: 'page', pluralName: 'pages' };
    strictEqual(pluralNameOf({ kind: 'singleType', ...names }, 'en'), 'Page');
  });
});
