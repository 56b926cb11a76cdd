import { grant } from './bootstrap/permissions';

export default {
  register({ strapi }: { strapi: any }) {
    strapi.documents.use(async (context: any, next: () => Promise<any>) => {
      const isWrite = context.action === 'create' || context.action === 'update';
      if (context.uid === 'api::article.article' && isWrite && context.params.data.body) {
        context.params.data.excerpt = context.params.data.body.slice(0, 10);
      }
      return next();
    });
  },

  async bootstrap({ strapi }: { strapi: any }) {
    const pages = ['api::article.article.find', 'api::article.article.findOne', 'api::category.category.find'];
    await grant(strapi, 'public', [...pages, 'api::article.article.bySlug']);
    await grant(strapi, 'authenticated', [
      ...pages,
      ...['create', 'update', 'delete'].flatMap((name) => [`api::article.article.${name}`, `api::comment.comment.${name}`]),
      'api::category.category.create',
      'api::comment.comment.find',
      'api::event-log.event-log.find',
      'api::plain.plain.find',
      'api::status.status.whoami',
    ]);
    strapi.db.lifecycles.subscribe({
      models: ['api::category.category'],
      beforeCreate(event: any) {
        event.params.data.slug = `c-${event.params.data.name}`;
      },
    });
  },
};
