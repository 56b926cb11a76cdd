import { factories } from '@strapi/strapi';

export default factories.createCoreController('api::category.category', ({ strapi }) => ({
  async find(ctx) {
    await this.validateQuery(ctx);
    const sanitized = await this.sanitizeQuery(ctx);
    const { results, pagination } = await strapi.service('api::category.category').find(sanitized);
    return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination, own: true });
  },
}));
