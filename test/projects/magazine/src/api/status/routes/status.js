module.exports = {
  routes: [
    { method: 'GET', path: '/status', handler: 'status.show', config: { auth: false } },
    { method: 'GET', path: '/status/:word(up|down)', handler: 'status.word', config: { auth: false } },
    { method: 'ALL', path: '/status/echo', handler: (ctx) => ({ method: ctx.method, body: ctx.request.body ?? null }), config: { auth: false } },
    { method: 'GET', path: '/status/fail', handler: 'status.fail', config: { auth: false } },
    { method: 'GET', path: '/status/reasons/:status', handler: 'status.reason', config: { auth: false } },
    { method: 'GET', path: '/status/redirect', handler: 'status.redirect', config: { auth: false } },
    { method: 'GET', path: '/status/file', handler: 'status.file', config: { auth: false } },
    { method: 'GET', path: '/status/whoami', handler: 'status.whoami' },
    { method: 'GET', path: '/status/nothing', handler: 'status.nothing', config: { auth: false } },
  ],
};
