import { factories } from '@strapi/strapi';

const owned = { policies: ['global::is-owner'] };

export default factories.createCoreRouter('api::comment.comment', {
  config: { update: owned, delete: { policies: [{ name: 'global::is-owner', config: { or: 'editor' } }] } },
});
