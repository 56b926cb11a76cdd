export default async (policyContext: any, config: { or?: string }, { strapi }: { strapi: any }) => {
  const { user } = policyContext.state;
  if (!user) return false;
  const comment = await strapi.documents('api::comment.comment').findOne({
    documentId: policyContext.params.id,
    populate: ['author'],
  });
  return comment?.author?.id === user.id || (config.or !== undefined && user.role.type === config.or);
};
