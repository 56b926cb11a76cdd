/** `GET /openapi.json` and `GET /docs`: what the caller may do, for programs and for people. Ours. */
import { may } from '../../access/grants.ts';
import { loaded } from '../../errors.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import type { Handler, Route } from './routes.ts';

const load = () => loaded(import('../openapi/document.ts'), 'The API cannot be described at the moment');
const loadPage = () => loaded(import('../openapi/page.ts'), 'The API cannot be described at the moment');

export function openApiRoutes({ catalog, code, config }: HttpContext): Route[] {
  const { prefix, createdStatus } = config.rest;
  const describe = async ({ grants }: Caller) =>
    (await load()).describeApi({
      ...{ catalog, routes: code.routes, prefix, createdStatus },
      may: (action) => may(grants, action),
    });
  const json: Handler = async ({ reply, caller }) => sendJson(reply, JSON.stringify(await describe(caller)));
  const page: Handler = async ({ reply, caller }) => {
    const text = (await loadPage()).pageOfApi(await describe(caller));
    return reply.header('content-type', 'text/html; charset=utf-8').send(text);
  };
  return [
    { path: '/openapi.json', methods: { GET: json } },
    // a type of the project may have the shorter path
    ...['/docs', '/_docs'].map((path) => ({ path, methods: { GET: page } })),
  ];
}
