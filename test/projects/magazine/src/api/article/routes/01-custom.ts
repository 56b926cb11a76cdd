export default {
  routes: [
    { method: 'GET', path: '/articles/slug/:slug', handler: 'article.bySlug' },
    { method: 'GET', path: '/articles/count', handler: 'api::article.article.count', config: { auth: false } },
    {
      method: 'POST',
      path: '/articles/:id/view',
      handler: 'article.view',
      config: { auth: false, policies: [{ name: 'has-header', config: { header: 'x-reader' } }] },
    },
  ],
};
