import { factories } from '@strapi/strapi';

export default factories.createCoreService('api::article.article', ({ strapi }) => ({
  async published() {
    return strapi.documents('api::article.article').count({ status: 'published' });
  },
}));
