/** Populates the attributes that pages need, for every request. */
const populate = (config: { fields?: string[] }, { strapi }: { strapi: any }) => {
  const fields = config.fields ?? ['name'];
  strapi.log.debug('populate is ready');
  return async (ctx: any, next: () => Promise<void>) => {
    ctx.query = { ...ctx.query, populate: { category: { fields } } };
    await next();
  };
};

export default populate;
