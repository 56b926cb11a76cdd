import { factories } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { Visibility } from '../../../lib';

const { NotFoundError, ValidationError } = errors;

export default factories.createCoreController('api::article.article', ({ strapi }) => ({
  async find(ctx) {
    const { data, meta } = await super.find(ctx);
    return { data, meta: { ...meta, visibility: Visibility[Visibility.Open] } };
  },

  async create(ctx) {
    if (ctx.request.body?.data?.title === 'forbidden') throw new ValidationError('That title is taken', { title: 'no' });
    return super.create(ctx);
  },

  async bySlug(ctx) {
    await this.validateQuery(ctx);
    const query: any = await this.sanitizeQuery(ctx);
    const [found] = await strapi.documents('api::article.article').findMany({
      ...query,
      filters: { slug: ctx.params.slug },
      status: 'published',
    });
    if (!found) throw new NotFoundError('No such article');
    return this.transformResponse(await this.sanitizeOutput(found, ctx));
  },

  async count(ctx) {
    ctx.body = { count: await strapi.service('api::article.article').published() };
  },

  async view(ctx) {
    const { id } = ctx.params;
    const article = await strapi.db.query('api::article.article').findOne({ where: { documentId: id, publishedAt: { $notNull: true } } });
    if (!article) return ctx.notFound('No such article');
    await strapi.documents('api::article.article').update({
      documentId: id,
      data: { views: (article.views ?? 0) + 1 } as any,
      status: 'published',
    });
    ctx.status = 202;
    ctx.set('X-Views', String(article.views + 1));
    ctx.body = { views: article.views + 1, secret: article.secret };
  },
}));
