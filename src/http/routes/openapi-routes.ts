/**
 * `GET /openapi.json` and `GET /docs`: the description of the caller's API, for programs and for people. Galley's own.
 */
import { loaded } from '../../errors.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import { mayAddTo } from '../openapi/document.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import type { Call, Handler, Route } from './routes.ts';

const load = () => loaded(import('../openapi/document.ts'), 'The API cannot be described at the moment');
const loadPage = () => loaded(import('../openapi/page.ts'), 'The API cannot be described at the moment');

/** Cached descriptions, for callers with equal rights. */
const KEPT = 20;

export function openApiRoutes({ code, running, config, streams }: HttpContext): Route[] {
  const { prefix, createdStatus } = config.rest;
  const { name: title, version } = config;
  const { admin } = config;
  const explorer = admin.enabled ? `${admin.origin ?? ''}${admin.path}/explore` : undefined;
  const mayAdd = mayAddTo(code);
  const known = new LruCache<string, string>(
    KEPT,
    textWeight((text: string) => text.length),
  );
  /** A rendering of the description for a viewer. */
  const describedFor = async (
    kind: string,
    { viewer, caller }: Call,
    of: (description: object) => string | Promise<string>,
  ) => {
    const hears = streams.typesFor(viewer, '').length > 0;
    const isKnown = caller.userId !== undefined || caller.grants.all;
    const key = `${kind} ${hears} ${isKnown} ${viewer.view.key}`;
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const described = {
      ...{ title, version, viewer, prefix, createdStatus, isKnown, hears, mayAdd },
      ...{ routes: code.routes, closed: code.closed },
      own: running?.answers.described ?? [],
      taken: running?.ownNames,
      withdrawn: running?.withdrawn,
    };
    const text = await of((await load()).describeApi(described));
    known.set(key, text);
    return text;
  };
  const json: Handler = async (call) => sendJson(call.reply, await describedFor('json', call, JSON.stringify));
  const page: Handler = async (call) => {
    const { userId, token } = call.caller;
    const isPublic = userId === undefined && token === undefined;
    const { pageOfApi, POLICY } = await loadPage();
    const text = await describedFor(isPublic ? 'public page' : 'page', call, (description) =>
      pageOfApi({ ...description }, { isPublic, explorer }),
    );
    return call.reply
      .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY })
      .send(text);
  };
  return [
    { path: '/openapi.json', methods: { GET: json } },
    // a type of the project may have the shorter path
    ...['/docs', '/_docs'].map((path) => ({ path, methods: { GET: page } })),
  ];
}
