/** The schema of the tests of releases: posts with tags, in the text and within components. */
import { contentType, type ProjectFiles } from '../servers/project.ts';

export const POST = 'api::post.post';
export const TAG = 'api::tag.tag';
export const drafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };
const tags = { type: 'relation', relation: 'manyToMany', target: TAG, inversedBy: 'posts' };
const posts = { type: 'relation', relation: 'manyToMany', target: POST, mappedBy: 'tags' };

/** The types `post` and `tag`, with a further one. */
export const plannedContent = (more: Readonly<Record<string, object>>): ProjectFiles => ({
  contentTypes: {
    post: contentType(
      'post',
      {
        title: { type: 'string', required: true, ...localized },
        slug: { type: 'string', unique: true, ...localized },
        tags,
        parts: { type: 'component', component: 'shared.part', repeatable: true, ...localized },
      },
      { ...drafts, ...localized },
    ),
    tag: contentType('tag', { name: { type: 'string', required: true }, posts }, drafts),
    ...more,
  },
  components: {
    'shared.part': {
      collectionName: 'components_shared_parts',
      info: { displayName: 'part' },
      attributes: { text: { type: 'string' }, about: { type: 'relation', relation: 'oneToOne', target: TAG } },
    },
  },
});
