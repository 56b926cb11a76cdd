import { factories } from '@strapi/strapi';

export default factories.createCoreController('api::comment.comment', ({ strapi }) => ({
  async create(ctx) {
    const { captcha, ...data } = ctx.request.body.data ?? {};
    if (!(await strapi.service('api::comment.captcha').verify(captcha))) return ctx.badRequest('Wrong captcha', { captcha });
    ctx.request.body.data = data;
    const response = await super.create(ctx);
    await strapi.documents('api::comment.comment').update({
      documentId: response.data.documentId,
      data: { author: ctx.state.user.id } as any,
    });
    return response;
  },
}));
