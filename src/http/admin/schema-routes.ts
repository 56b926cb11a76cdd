/** The schema of editable types for the administration app, and the stream of its changes. */
import type { HttpContext } from '../routes/context.ts';
import { sinkOf } from '../routes/event-routes.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { appSchema } from './app-schema.ts';

export function schemaRoutes(context: HttpContext): AdminRoute[] {
  const read: AdminHandler = async ({ reply, administrator }) =>
    sendData(reply, (await appSchema(context)).for(administrator));
  const follow: AdminHandler = async ({ reply, administrator }) => {
    const leave = await context.appChanges.add(administrator, () => sinkOf(reply));
    if (reply.raw.closed) leave();
    else reply.raw.once('close', leave);
    return reply;
  };
  return [
    { path: '/schema', methods: { GET: read } },
    { path: '/changes', methods: { GET: follow } },
  ];
}
