/** A small Catalog for tests of Views. */
import type { Catalog, ContentType } from '../../../src/schema/catalog.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { contentType, makeProject } from '../servers/project.ts';

export const ARTICLE = 'api::article.article';
export const AUTHOR = 'api::author.author';
export const TAG = 'api::tag.tag';

const relation = (kind: string, target: string, rest = {}) => ({ type: 'relation', relation: kind, target, ...rest });
const localized = { pluginOptions: { i18n: { localized: true } } };

/** Articles with an author, tags, a file, components, a zone and a relation to any type; of each some names are hidden. */
export async function accessCatalog(): Promise<Catalog> {
  const folder = await makeProject({
    contentTypes: {
      article: contentType(
        'article',
        {
          title: { type: 'string', ...localized },
          views: { type: 'integer' },
          note: { type: 'text', private: true },
          code: { type: 'password' },
          author: relation('manyToOne', AUTHOR, { inversedBy: 'articles' }),
          reviewer: relation('oneToOne', AUTHOR, { private: true }),
          tags: relation('manyToMany', TAG),
          cover: { type: 'media', multiple: false },
          part: { type: 'component', component: 'shared.part' },
          zone: { type: 'dynamiczone', components: ['shared.part'] },
          about: { type: 'relation', relation: 'morphToMany' },
        },
        { options: { draftAndPublish: true }, ...localized },
      ),
      author: contentType('author', {
        name: { type: 'string' },
        email: { type: 'email', private: true },
        articles: relation('oneToMany', ARTICLE, { mappedBy: 'author' }),
      }),
      tag: contentType('tag', { name: { type: 'string' }, weight: { type: 'decimal' } }),
    },
    components: {
      'shared.part': {
        collectionName: 'components_parts',
        attributes: { text: { type: 'text' }, hint: { type: 'string', private: true }, tag: relation('oneToOne', TAG) },
      },
    },
  });
  try {
    return loadCatalog(folder.dir);
  } finally {
    await folder.remove();
  }
}

export function typeOf(catalog: Catalog, uid: string): ContentType {
  return catalog.contentTypes.get(uid)!;
}
