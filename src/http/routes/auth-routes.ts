/** `/auth/…`: sign-in, registration, passwords, confirmation and sessions (docs/reference/accounts.md). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AUTH } from '../../access/actions.ts';
import type { Login } from '../../users/accounts/account-sessions.ts';
import { deviceName } from '../../users/sessions/sessions.ts';
import { accountLimits } from '../protocol/account-limits.ts';
import { cookieOf, setCookie, usesCookie } from '../protocol/refresh-cookie.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { builtInRoutes, type Guarded, type Handler, paramsOf, pathParam, type Route } from './routes.ts';

export function authRoutes({ accounts, sessions, config, http }: HttpContext): Route[] {
  const { sessions: cookies, rateLimit, isProduction } = config.users;
  const limit = accountLimits(rateLimit, http.limits);
  const deviceOf = (request: FastifyRequest) => deviceName(request.headers['user-agent']);
  const senders = { publicUrl: config.users.publicUrl, cors: config.http.cors };

  /** A handler whose requests are limited by the address and by the account that they name. */
  const limited = (path: string, work: Handler): Omit<Guarded, 'needs'> => ({
    before: (request, reply) => limit.before(path, request, reply),
    handler: async (call) => {
      await limit.behind(path, call.request, call.reply);
      return work(call);
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

  const login = limited('/auth/local', async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.login(request.body, viewer, deviceOf(request))),
  );
  const register = limited('/auth/local/register', async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.register(request.body, viewer, deviceOf(request))),
  );
  const forgot = limited('/auth/forgot-password', async ({ request, reply }) => {
    accounts.forgotPassword(request.body);
    return sendOk(reply);
  });
  const reset = limited('/auth/reset-password', async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.resetPassword(request.body, viewer, deviceOf(request))),
  );
  const change = limited('/auth/change-password', async ({ request, reply, viewer }) =>
    sendLogin(request, reply, await accounts.changePassword(request.body, viewer, deviceOf(request))),
  );
  const confirm: Handler = async ({ request, reply }) => {
    // mail scanners request links with HEAD, which must not use them up
    if (request.method === 'HEAD') return reply.send();
    return reply.redirect(await accounts.confirmEmail(paramsOf(request)), 302);
  };
  const sendCode = limited('/auth/send-email-confirmation', async ({ request, reply }) => {
    const email = await accounts.requestConfirmation(request.body);
    return sendJson(reply, JSON.stringify({ email, sent: true }));
  });
  const refresh: Handler = async ({ request, reply }) => {
    const { refreshToken } = (request.body ?? {}) as { refreshToken?: unknown };
    const cookie = cookieOf(request, cookies, senders);
    const login = await sessions.refresh(cookie ?? refreshToken);
    // a token that was in a cookie stays out of reach for scripts
    return sendLogin(request, reply, login, cookie !== undefined || usesCookie(request, cookies));
  };
  const logout: Handler = async ({ request, reply, caller }) => {
    const cookie = cookieOf(request, cookies, senders);
    await sessions.logout(request.body, caller, cookie);
    if (cookie !== undefined || usesCookie(request, cookies)) setCookie(reply, cookies, isProduction, undefined);
    return sendOk(reply);
  };
  const list: Handler = async ({ reply, caller }) => {
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
  };
  const end: Handler = async ({ request, reply, caller }) => {
    await sessions.end(caller, pathParam(request, 'deviceId'));
    return sendJson(reply, '{"data":{}}');
  };
  return builtInRoutes(AUTH, {
    callback: login,
    register,
    forgotPassword: forgot,
    resetPassword: reset,
    changePassword: change,
    emailConfirmation: confirm,
    sendEmailConfirmation: sendCode,
    refresh,
    logout,
    getSessions: list,
    revokeSession: end,
  });
}
