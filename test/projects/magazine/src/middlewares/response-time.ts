export default (config: { header?: string }, { strapi }: { strapi: any }) => {
  return async (ctx: any, next: () => Promise<void>) => {
    await next();
    ctx.set(config.header ?? 'X-Response-Time', 'measured');
  };
};
