import { factories } from '@strapi/strapi';

export default factories.createCoreRouter('api::article.article', {
  except: ['delete'],
  config: {
    find: { middlewares: ['api::article.populate'] },
    findOne: { middlewares: [{ name: 'api::article.populate', config: { fields: ['name', 'slug'] } }] },
    create: { policies: ['global::is-writer'] },
  },
});
