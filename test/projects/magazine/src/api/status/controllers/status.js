const { errors } = require('@strapi/utils');

module.exports = ({ strapi }) => ({
  show(ctx) {
    ctx.send({ name: strapi.config.get('magazine.name'), mode: strapi.config.get('magazine.mode'), none: strapi.config.get('magazine.none', 'default') });
  },
  word: (ctx) => ({ word: ctx.params.word }),
  fail() {
    throw new Error('a secret of the server');
  },
  reason(ctx) {
    switch (ctx.params.status) {
      case '400':
        return ctx.badRequest('Bad', { why: 'test' });
      case '401':
        throw new errors.UnauthorizedError('who');
      case '403':
        throw new errors.ForbiddenError('not you', { a: 1 });
      case '404':
        throw new errors.NotFoundError('gone');
      case '409':
        return ctx.conflict('There is one');
      case '413':
        throw new errors.PayloadTooLargeError();
      case '418':
        return ctx.throw(418, 'teapot', { details: { kind: 'pot' } });
      case '422':
        return ctx.throw(422, 'wrong');
      case '429':
        throw new errors.RateLimitError();
      case '501':
        throw new errors.NotImplementedError();
      case '503':
        return ctx.throw(503, 'hidden');
      case 'assert':
        return ctx.assert(ctx.state.user, 401, 'sign in');
      default:
        throw new errors.ApplicationError('Something', { status: ctx.params.status });
    }
  },
  redirect(ctx) {
    ctx.redirect('/api/status');
  },
  file(ctx) {
    ctx.attachment('notes.txt');
    ctx.cookies.set('seen', 'yes', { httpOnly: false, maxAge: 1000 });
    ctx.body = Buffer.from('notes');
  },
  whoami(ctx) {
    const { user, auth } = ctx.state;
    ctx.body = { user: user?.username ?? null, role: user?.role?.type ?? null, strategy: auth?.strategy?.name ?? null };
  },
  nothing() {},
});
