/** Policies of `src/galley` before the server's actions. */
import type { FastifyRequest } from 'fastify';
import { policedAs } from '../../../access/actions.ts';
import { requireAction } from '../../../access/authorize.ts';
import { forbidden } from '../../../errors.ts';
import { parseParams } from '../../../query/params.ts';
import { sendRead } from '../../reads/content-reads.ts';
import type { HttpContext } from '../context.ts';
import { type Call, type ContentRead, type Guarded, type Handler, queryOf } from '../routes.ts';

type Entry = Handler | Guarded | ContentRead;
type Policing = Pick<HttpContext, 'policies'>;

const guardingActions = ({ policies }: Policing, action: string): readonly string[] =>
  policedAs(action).filter((one) => policies?.has(one));

/**
 * Puts the policies of an action before its handler. Such answers are not cached, since the policies may refuse other
 * callers.
 */
export function policed(context: Policing, action: string, entry: Guarded): Guarded;
export function policed(context: Policing, action: string, entry: Entry): Entry;
export function policed(context: Policing, action: string, entry: Entry): Entry {
  if (guardingActions(context, action).length === 0) return entry;
  if (typeof entry === 'function') {
    return async (call) => {
      requireAction(call.caller.grants, action);
      await askPolicies(context, action, call);
      return entry(call);
    };
  }
  if ('respond' in entry) {
    return async (call) => {
      requireAction(call.caller.grants, action);
      await askPolicies(context, action, call);
      const { request, reply, viewer } = call;
      return sendRead(entry, request, reply, await entry.respond(entry.targetOf(request), viewer, request));
    };
  }
  const handler: Handler = async (call) => {
    await askPolicies(context, action, call);
    return entry.handler(call);
  };
  return { ...entry, handler };
}

/**
 * Calls the policies of an action.
 *
 * @param params those of the path; those of the request when left out.
 * @throws ContentError 403 where one refuses.
 */
export async function askPolicies(
  context: Policing,
  action: string,
  { request, caller, viewer }: Pick<Call, 'request' | 'caller' | 'viewer'>,
  params: Readonly<Record<string, string>> = paramsOfPath(request),
): Promise<void> {
  const { headers, ip } = request;
  for (const one of guardingActions(context, action)) {
    await context.policies!.ask(one, { params, query: parseParams(queryOf(request)), headers, ip, caller, viewer });
  }
}

const paramsOfPath = ({ params }: FastifyRequest): Readonly<Record<string, string>> =>
  (params ?? {}) as Record<string, string>;

/** Refuses an action of Galley's own that would bypass code of the project. @throws ContentError 403. */
export function requireOpen({ code, running }: Pick<HttpContext, 'code' | 'running'>, action: string): void {
  const reason = code.closed.get(action) ?? running?.bypassed(action);
  if (reason !== undefined) throw forbidden(reason);
}
