/** `/auth/…`: logging in and what goes with it (docs/reference/accounts.md). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import type { Login } from '../../users/accounts/account-sessions.ts';
import { deviceName } from '../../users/sessions/device.ts';
import { accountLimits } from '../protocol/account-limits.ts';
import { cookieOf, setCookie, usesCookie } from '../protocol/refresh-cookie.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { type Handler, paramsOf, pathParam, type Route } from './routes.ts';

export function authRoutes({ accounts, sessions, config, http }: HttpContext): Route[] {
  const { sessions: cookies, rateLimit, isProduction } = config.users;
  const limit = accountLimits(rateLimit, http.limits);
  const action = (name: string) => `plugin::users-permissions.auth.${name}`;
  const deviceOf = (request: FastifyRequest) => deviceName(request.headers['user-agent']);
  const senders = { publicUrl: config.users.publicUrl, cors: config.http.cors };

  /** An endpoint that takes a body, and may be limited. */
  const post = (path: string, name: string, limited: boolean, work: Handler): Route => ({
    path,
    methods: {
      POST: {
        needs: [action(name)],
        before: limited ? (request, reply) => limit.before(path, request, reply) : undefined,
        handler: async (call) => {
          if (limited) await limit.behind(path, call.request, call.reply);
          return work(call);
        },
      },
    },
  });
  const get = (path: string, name: string, work: Handler): Route => ({
    path,
    methods: {
      GET: async (call) => {
        requireAction(call.caller.grants, action(name));
        return work(call);
      },
    },
  });
  const sendLogin = (
    request: FastifyRequest,
    reply: FastifyReply,
    login: Login,
    asksForCookie = usesCookie(request, cookies),
  ): FastifyReply => {
    const inCookie = login.refreshToken !== undefined && asksForCookie;
    if (inCookie) setCookie(reply, cookies, isProduction, login.refreshToken);
    const { jwt, refreshToken, user } = login;
    const tokens = JSON.stringify({ jwt, ...(inCookie ? {} : { refreshToken }) });
    if (user === undefined) return sendJson(reply, tokens);
    return sendJson(reply, tokens === '{}' ? `{"user":${user}}` : `${tokens.slice(0, -1)},"user":${user}}`);
  };
  const sendOk = (reply: FastifyReply) => sendJson(reply, '{"ok":true}');

  const login = post('/auth/local', 'callback', true, async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.login(request.body, viewer, deviceOf(request))),
  );
  const register = post('/auth/local/register', 'register', true, async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.register(request.body, viewer, deviceOf(request))),
  );
  const forgot = post('/auth/forgot-password', 'forgotPassword', true, async ({ request, reply }) => {
    accounts.forgotPassword(request.body);
    return sendOk(reply);
  });
  const reset = post('/auth/reset-password', 'resetPassword', true, async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.resetPassword(request.body, viewer, deviceOf(request))),
  );
  const change = post('/auth/change-password', 'changePassword', true, async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.changePassword(request.body, viewer, deviceOf(request))),
  );
  const confirm = get('/auth/email-confirmation', 'emailConfirmation', async ({ request, reply }) => {
    // mail scanners request links with HEAD, which must not use them up
    if (request.method === 'HEAD') return reply.send();
    return reply.redirect(await accounts.confirmEmail(paramsOf(request)), 302);
  });
  const sendCode = post('/auth/send-email-confirmation', 'sendEmailConfirmation', true, async ({ request, reply }) => {
    const email = await accounts.requestConfirmation(request.body);
    return sendJson(reply, JSON.stringify({ email, sent: true }));
  });
  const refresh = post('/auth/refresh', 'refresh', false, async ({ request, reply }) => {
    const { refreshToken } = (request.body ?? {}) as { refreshToken?: unknown };
    const cookie = cookieOf(request, cookies, senders);
    const login = await sessions.refresh(cookie ?? refreshToken);
    // what scripts could not read stays out of their reach, whatever they ask for
    return sendLogin(request, reply, login, cookie !== undefined || usesCookie(request, cookies));
  });
  const logout = post('/auth/logout', 'logout', false, async ({ request, reply, caller }) => {
    const cookie = cookieOf(request, cookies, senders);
    await sessions.logout(request.body, caller, cookie);
    if (cookie !== undefined || usesCookie(request, cookies)) setCookie(reply, cookies, isProduction, undefined);
    return sendOk(reply);
  });
  const list = get('/auth/sessions', 'getSessions', async ({ reply, caller }) => {
    const entries = await sessions.list(caller);
    const data = entries.map(({ id, deviceId, deviceName, createdAt, activeAt }) => ({
      id,
      deviceId,
      ...(deviceName === null ? {} : { deviceName }),
      current: id === caller.sessionId,
      loginAt: new Date(createdAt).toISOString(),
      lastActiveAt: new Date(activeAt).toISOString(),
    }));
    return sendJson(reply, JSON.stringify({ data }));
  });
  const end: Handler = async ({ request, reply, caller }) => {
    requireAction(caller.grants, action('revokeSession'));
    await sessions.end(caller, pathParam(request, 'sessionId'));
    return sendJson(reply, '{"data":{}}');
  };
  return [
    login,
    register,
    forgot,
    reset,
    change,
    confirm,
    sendCode,
    refresh,
    logout,
    list,
    { path: '/auth/sessions/:sessionId', methods: { DELETE: end } },
  ];
}
