import { errors } from '@strapi/utils';

export default (policyContext: any, config: { header: string }) => {
  if (policyContext.request.headers[config.header] === 'none') return false;
  if (policyContext.request.headers[config.header]) return true;
  throw new errors.PolicyError('A header is missing', { header: config.header });
};
