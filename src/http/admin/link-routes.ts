/** Invitations and forgotten passwords, without a sign-in. */
import { programText } from '../../own-files.ts';
import { deviceName } from '../../users/sessions/sessions.ts';
import type { HttpContext } from '../routes/context.ts';
import { adminLimits } from './admin-limits.ts';
import type { AdminRoute, OpenHandler } from './admin-route.ts';
import { sendData } from './answers.ts';
import { sendSignedIn } from './session-routes.ts';

export function linkRoutes({ administrators, administratorLinks, config, http }: HttpContext): AdminRoute[] {
  const { admin } = config;
  // without the folder of the project: everyone may read it
  const command = `${programText(config.dir)} admin reset-password --email …`;
  const limits = adminLimits(admin, http.limits);
  const { before } = limits;
  const checkInvitation: OpenHandler = {
    before,
    open: async ({ body }, reply) => sendData(reply, await administratorLinks.invited(body)),
  };
  const accept: OpenHandler = {
    before,
    open: async (request, reply) => {
      const tokens = await administratorLinks.accept(request.body, deviceName(request.headers['user-agent']));
      const signedIn = await administrators.identify(tokens.token, false);
      return sendSignedIn(admin, request, reply, { administrator: signedIn!.administrator, given: tokens }, 201);
    },
  };
  const isMailed: OpenHandler = {
    open: async (_, reply) => sendData(reply, { isMailed: administratorLinks.isMailed, command }),
  };
  const mailReset: OpenHandler = {
    before,
    open: async (request, reply) => {
      await limits.mails(request, reply);
      administratorLinks.mailReset(request.body);
      return reply.code(204).send();
    },
  };
  const checkReset: OpenHandler = {
    before,
    open: async ({ body }, reply) => {
      await administratorLinks.checkReset(body);
      return reply.code(204).send();
    },
  };
  const reset: OpenHandler = {
    before,
    open: async ({ body }, reply) => {
      await administratorLinks.reset(body);
      return reply.code(204).send();
    },
  };
  return [
    { path: '/invitation', methods: { POST: accept } },
    { path: '/invitation/check', methods: { POST: checkInvitation } },
    { path: '/password-reset', methods: { GET: isMailed, POST: mailReset, PUT: reset } },
    { path: '/password-reset/check', methods: { POST: checkReset } },
  ];
}
