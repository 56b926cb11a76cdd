import { factories } from '@strapi/strapi';

export default factories.createCoreService('api::category.category', {
  async find(...args) {
    const { results, pagination } = await super.find(...args);
    return { results: results.map((one: any) => ({ ...one, name: String(one.name).toUpperCase() })), pagination };
  },
});
