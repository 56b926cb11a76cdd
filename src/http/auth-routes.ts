/** `/auth/…`: logging in and what goes with it (behaviour-media-access.md, "Users"). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../access/authorize.ts';
import type { Login } from '../users/account-sessions.ts';
import { deviceName } from '../users/device.ts';
import { accountLimits } from './account-limits.ts';
import type { HttpContext } from './context.ts';
import { cookieOf, setCookie, usesCookie } from './refresh-cookie.ts';
import { sendJson } from './reply.ts';
import { type Handler, paramsOf, pathParam, type Route } from './routes.ts';

export function authRoutes({ accounts, sessions, config }: HttpContext): Route[] {
  const { sessions: cookies, rateLimit, isProduction } = config.users;
  const limit = accountLimits(rateLimit);
  const action = (name: string) => `plugin::users-permissions.auth.${name}`;
  const deviceOf = (request: FastifyRequest) => deviceName(request.headers['user-agent']);
  const senders = { publicUrl: config.users.publicUrl, cors: config.http.cors };

  /** A handler behind its permission and, if `limited`, the limit of its endpoint. */
  const route = (path: string, method: 'GET' | 'POST', name: string, limited: boolean, work: Handler): Route => ({
    path,
    methods: {
      [method]: async (call: Parameters<Handler>[0]) => {
        requireAction(call.caller.grants, action(name));
        if (limited) limit(path, call.request, call.reply);
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

  const login = route('/auth/local', 'POST', 'callback', true, async ({ request, reply, caller }) =>
    sendLogin(request, reply, await accounts.login(request.body, caller.grants, deviceOf(request))),
  );
  const register = route('/auth/local/register', 'POST', 'register', true, async ({ request, reply, caller }) =>
    sendLogin(request, reply, await accounts.register(request.body, caller.grants, deviceOf(request))),
  );
  const forgot = route('/auth/forgot-password', 'POST', 'forgotPassword', true, async ({ request, reply }) => {
    accounts.forgotPassword(request.body);
    return sendOk(reply);
  });
  const reset = route('/auth/reset-password', 'POST', 'resetPassword', true, async ({ request, reply, caller }) =>
    sendLogin(request, reply, await accounts.resetPassword(request.body, caller.grants, deviceOf(request))),
  );
  const change = route('/auth/change-password', 'POST', 'changePassword', true, async ({ request, reply, caller }) =>
    sendLogin(request, reply, await accounts.changePassword(request.body, caller, deviceOf(request))),
  );
  const confirm = route('/auth/email-confirmation', 'GET', 'emailConfirmation', false, async ({ request, reply }) => {
    // what guards a mailbox looks at the links in it with HEAD, which must not use them up
    if (request.method === 'HEAD') return reply.send();
    return reply.redirect(await accounts.confirmEmail(paramsOf(request)), 302);
  });
  const sendCode = route(
    '/auth/send-email-confirmation',
    'POST',
    'sendEmailConfirmation',
    true,
    async ({ request, reply }) => {
      const email = await accounts.requestConfirmation(request.body);
      return sendJson(reply, JSON.stringify({ email, sent: true }));
    },
  );
  const refresh = route('/auth/refresh', 'POST', 'refresh', false, async ({ request, reply }) => {
    const { refreshToken } = (request.body ?? {}) as { refreshToken?: unknown };
    const cookie = cookieOf(request, cookies, senders);
    const login = await sessions.refresh(cookie ?? refreshToken);
    // what scripts could not read stays out of their reach, whatever they ask for
    return sendLogin(request, reply, login, cookie !== undefined || usesCookie(request, cookies));
  });
  const logout = route('/auth/logout', 'POST', 'logout', false, async ({ request, reply, caller }) => {
    const cookie = cookieOf(request, cookies, senders);
    await sessions.logout(request.body, caller, cookie);
    if (cookie !== undefined || usesCookie(request, cookies)) setCookie(reply, cookies, isProduction, undefined);
    return sendOk(reply);
  });
  const list = route('/auth/sessions', 'GET', 'getSessions', false, async ({ reply, caller }) => {
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
