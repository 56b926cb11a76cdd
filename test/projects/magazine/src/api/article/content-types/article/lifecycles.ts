import { slugify } from '../../../../lib';

export default {
  async beforeCreate(event: any) {
    const { data } = event.params;
    if (data.title && !data.slug) data.slug = slugify(data.title);
    event.state = { began: data.title };
  },
  async beforeUpdate(event: any) {
    const { data } = event.params;
    if (data.title) data.slug = slugify(data.title);
  },
  async afterCreate(event: any) {
    const { result, state } = event;
    await strapi.documents('api::event-log.event-log').create({
      data: { what: `created ${result.slug} ${state.began}` },
    });
  },
};
