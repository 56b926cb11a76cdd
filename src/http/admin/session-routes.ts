/** Sign-in and sign-out, the first administrator, and the own account. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdminConfig } from '../../config/config.ts';
import { ContentError, validation } from '../../errors.ts';
import { commandText } from '../../own-files.ts';
import { reason } from '../../reasons.ts';
import type { Administrators, SignedIn } from '../../users/administrators/administrators.ts';
import { deviceName } from '../../users/sessions/sessions.ts';
import { siteSignIns } from '../protocol/account-limits.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam } from '../routes/routes.ts';
import { setToken, tokenOf } from './admin-cookie.ts';
import { adminLimits } from './admin-limits.ts';
import type { AdminHandler, AdminRoute, OpenHandler } from './admin-route.ts';
import { sendData } from './answers.ts';
import { describedSession } from './described-session.ts';
import { shownAdministratorSession } from './shown-sessions.ts';

/** Bytes of the body of a DELETE, which only these routes read. */
const SMALL_BODY = 4096;

export function sessionRoutes({ administrators, config: { admin, users, dir }, http }: HttpContext): AdminRoute[] {
  const limits = adminLimits(admin, http.limits);
  const countSiteSignIn = siteSignIns(users.rateLimit, http.limits);
  const deviceOf = (request: FastifyRequest) => deviceName(request.headers['user-agent']);
  const read: OpenHandler = {
    open: async (request, reply) => {
      const signedIn = await administrators.identify(tokenOf(request), true);
      if (signedIn) return sendSignedIn(admin, request, reply, signedIn);
      throw await missing(administrators, dir);
    },
  };
  const signIn: OpenHandler = {
    before: limits.before,
    open: async (request, reply) => {
      await limits.behind(request, reply);
      const { body } = request;
      return sendSignedIn(
        admin,
        request,
        reply,
        await administrators.signIn(body, deviceOf(request), limits.codes(reply), () => countSiteSignIn(request)),
      );
    },
  };
  const signOut: OpenHandler = {
    open: async (request, reply) => {
      await administrators.signOut(tokenOf(request));
      setToken(request, reply, admin, undefined);
      return reply.code(204).send();
    },
  };
  const createFirst: OpenHandler = {
    before: limits.before,
    open: async (request, reply) =>
      sendSignedIn(admin, request, reply, await administrators.createFirst(request.body, deviceOf(request)), 201),
  };
  const checkFirst: OpenHandler = {
    before: limits.before,
    open: async ({ body }, reply) => {
      await administrators.checkFirst(body);
      return reply.code(204).send();
    },
  };
  const list: AdminHandler = async ({ reply, administrator }) => {
    const sessions = await administrators.sessions(administrator);
    return sendData(
      reply,
      sessions.map((one) => shownAdministratorSession(one, administrator.session.id)),
    );
  };
  const endOthers: AdminHandler = async ({ reply, administrator }) => {
    await administrators.endOthers(administrator);
    return reply.code(204).send();
  };
  const endOne: AdminHandler = async ({ request, reply, administrator }) => {
    const id = pathParam(request, 'sessionId');
    await administrators.endSession(administrator, id);
    if (id === administrator.session.id) setToken(request, reply, admin, undefined);
    return reply.code(204).send();
  };
  const updateMe: AdminHandler = async ({ request, reply, administrator }) =>
    sendData(reply, describedSession(await administrators.updateProfile(administrator, request.body)));
  const changePassword: AdminHandler = async ({ request, reply, administrator }) => {
    const count = limits.passwords(reply);
    const changed = await administrators.changePassword(administrator, request.body, deviceOf(request), count);
    return sendSignedIn(admin, request, reply, changed);
  };
  const offer: AdminHandler = async ({ reply, administrator }) =>
    sendData(reply, await administrators.offerSecondFactor(administrator));
  const enable: AdminHandler = async ({ request, reply, administrator }) => {
    const count = limits.codes(reply);
    const recoveryCodes = await administrators.enableSecondFactor(administrator, request.body, count);
    return sendData(reply, { recoveryCodes });
  };
  const disable: AdminHandler = async ({ request, reply, administrator }) => {
    await administrators.disableSecondFactor(administrator, await smallBody(request), limits.passwords(reply));
    return reply.code(204).send();
  };
  const codesLeft: AdminHandler = async ({ reply, administrator }) =>
    sendData(reply, (await administrators.recoveryCodes(administrator)) ?? null);
  const renewCodes: AdminHandler = async ({ request, reply, administrator }) => {
    const count = { passwords: limits.passwords(reply), codes: limits.codes(reply) };
    const recoveryCodes = await administrators.renewRecoveryCodes(administrator, request.body, count);
    return sendData(reply, { recoveryCodes }, 201);
  };
  return [
    { path: '/session', methods: { GET: read, POST: signIn, DELETE: signOut } },
    { path: '/first-administrator', methods: { POST: createFirst } },
    { path: '/first-administrator/check', methods: { POST: checkFirst } },
    { path: '/sessions', methods: { GET: list, DELETE: endOthers } },
    { path: '/sessions/:sessionId', methods: { DELETE: endOne } },
    { path: '/me', methods: { PUT: updateMe } },
    { path: '/me/password', methods: { PUT: changePassword } },
    { path: '/me/second-factor', isForSetUp: true, methods: { POST: offer, PUT: enable, DELETE: disable } },
    { path: '/me/second-factor/recovery-codes', methods: { GET: codesLeft, POST: renewCodes } },
  ];
}

/** Answers with the signed-in administrator, and sets the cookie of the session. */
export function sendSignedIn(
  admin: AdminConfig,
  request: FastifyRequest,
  reply: FastifyReply,
  { administrator, given: token }: SignedIn,
  status = 200,
): FastifyReply {
  if (token !== undefined) setToken(request, reply, admin, token);
  return sendData(reply, describedSession(administrator), status);
}

/** The error without a sign-in. */
export async function missing(administrators: Administrators, dir: string): Promise<ContentError> {
  const details = (await administrators.areMissing())
    ? { firstAdministrator: true, command: commandText('admin create --email you@example.org', dir) }
    : {};
  return new ContentError('UnauthorizedError', 'Missing or invalid credentials', details, {
    reason: reason('signedOut'),
  });
}

/**
 * The JSON body of a DELETE, which the server otherwise ignores.
 *
 * @throws ContentError 400 for another body, 413 for a long one.
 */
async function smallBody({ raw }: FastifyRequest): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > SMALL_BODY) throw new ContentError('PayloadTooLargeError', 'request entity too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw validation('The request needs a JSON object as its body');
  }
}
