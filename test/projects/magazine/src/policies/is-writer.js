module.exports = {
  name: 'is-writer',
  handler(policyContext, config, { strapi }) {
    if (policyContext.request.headers['x-writer'] !== 'yes') strapi.log.info('somebody who is no writer');
    return policyContext.request.headers['x-writer'] === 'yes';
  },
};
