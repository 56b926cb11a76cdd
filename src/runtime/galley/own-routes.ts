/** Routes of a project, between the server's requests and the web's `Request` and `Response`. */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { routeAction } from '../../access/actions.ts';
import { type Context, callingOf } from '../requests/context.ts';
import { pathPattern } from '../requests/path-pattern.ts';
import { ProjectRequest } from '../requests/request.ts';
import type { ListedRoute } from '../requests/routes.ts';
import { askingCaller, askPolicies, type DocumentsFor } from './asking.ts';
import type { AskAction } from './callers-documents.ts';
import type { Account, AskingCaller, OwnRoute, PolicyEvent } from './extension-types.ts';
import type { OwnCode } from './own-code.ts';
import { checkedRequest } from './own-requests.ts';

/** The routes in the form in which the code of a project has them. */
export function ownRoutes(own: OwnCode, documentsFor: DocumentsFor): ListedRoute[] {
  return own.definition.routes.map((route) => {
    const { name, method, path, auth, request, response } = route;
    const config = { auth: auth === false ? auth : { scope: [routeAction(name)] } };
    const handler = (ctx: Context) => answer(own, route, ctx, documentsFor);
    return {
      name,
      method,
      path,
      pattern: pathPattern(path),
      file: 'src/galley',
      tellsRefusals: true,
      api: 'galley',
      space: 'api::galley',
      written: { method, path, handler, config, request, response },
      core: undefined,
    };
  });
}

/** The members of a request that policies receive. */
export function eventOf(
  action: string,
  ctx: Context,
  documentsFor: DocumentsFor,
): Omit<PolicyEvent, 'documents' | 'log'> {
  const calling = callingOf(ctx);
  const user = ctx.state['user'] as Account | undefined;
  return {
    action,
    caller: calling && askingCaller({ calling, documentsFor, user }),
    params: ctx.params,
    query: ctx.request.query as Record<string, unknown>,
    headers: ctx.request.headers,
    ip: ctx.request.ip,
  };
}

async function answer(own: OwnCode, route: OwnRoute, ctx: Context, documentsFor: DocumentsFor): Promise<void> {
  const { name, policies = [], method, path } = route;
  const event = eventOf(routeAction(name), ctx, documentsFor);
  await askPolicies(own, policies, event);
  const { body, files, type } = ctx.request;
  const purpose = `route ${name}, ${method} ${path}`;
  const parts = { params: event.params, query: event.query, body };
  const checked = await own.run(purpose, () =>
    route.request ? checkedRequest(route.request, parts, type.toLowerCase()) : parts,
  );
  const caller = handlersCaller(own, event, ctx, documentsFor);
  const value: unknown = await own.run(purpose, () =>
    route.handler({ ...own.tools, ...event, ...checked, caller, request: requestOf(ctx), files }),
  );
  if (value instanceof Response) return send(value, ctx);
  if (value === undefined) ctx.response.status = 204;
  else
    ctx.response.setJson({ json: await own.run(`answer of the route ${name}`, () => JSON.stringify(value) ?? 'null') });
}

/** The caller as a handler receives it: operations on the caller's documents run the policies of their actions. */
function handlersCaller(
  own: OwnCode,
  event: ReturnType<typeof eventOf>,
  ctx: Context,
  documentsFor: DocumentsFor,
): AskingCaller | undefined {
  const calling = callingOf(ctx);
  if (!calling) return undefined;
  const { user } = event.caller!;
  const ask: AskAction = async (request) => {
    const policies = own.definition.policies.get(request.action);
    if (policies) await askPolicies(own, policies, { ...event, ...request });
  };
  return askingCaller({ calling, documentsFor, user, ask });
}

/** The request in the web's form, with the body as it arrived: of a form with files, its fields as JSON. */
function requestOf(ctx: Context): Request {
  const { method, headers, href } = ctx.request;
  const isForm = ctx.request.is('multipart') !== false && ctx.request.files !== undefined;
  const headersOfBody = isForm ? { 'content-type': 'application/json' } : undefined;
  const body = isForm ? JSON.stringify(ctx.request.body) : ProjectRequest.sentOf(ctx.request);
  const sent = new Headers();
  for (const [name, value] of Object.entries({ ...headers, ...headersOfBody })) {
    // fields of a form are another body now
    if (value === undefined || name.startsWith(':') || (isForm && name === 'content-length')) continue;
    for (const one of [value].flat()) sent.append(name, one);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== undefined;
  return new Request(href, {
    method,
    headers: sent,
    ...(hasBody ? { body: body as string | Uint8Array<ArrayBuffer> } : {}),
  });
}

function send(answer: Response, ctx: Context): void {
  const { response } = ctx;
  response.status = answer.status;
  if (answer.body) response.body = Readable.fromWeb(answer.body as ReadableStream);
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') response.set(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.set('set-cookie', cookies);
}
