/**
 * `GET /events` and `/_events`: changes as server-sent events (https://html.spec.whatwg.org/#server-sent-events).
 * Galley's own.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Viewer } from '../../access/view.ts';
import { forbidden, invalidKey, validation } from '../../errors.ts';
import type { Sink } from '../../events/dispatcher.ts';
import type { StreamRequest } from '../../events/recipients.ts';
import { nearest } from '../../nearest.ts';
import { type RawObject, textParam } from '../../query/params.ts';
import { type ReadAction, silencedReason } from '../../runtime/streams.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { accountKey } from '../protocol/caller-limit.ts';
import type { HttpContext } from './context.ts';
import { type Handler, paramsOf, type Route } from './routes.ts';

const PARAMS = ['types', 'status', 'locale', 'documentId', 'document', 'lastEventId'];
/** Milliseconds that a client has to read the end of its stream. */
const PATIENCE = 1000;
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // for proxies that buffer responses (nginx)
  'x-accel-buffering': 'no',
};

export function eventRoutes({ streams, catalog, silenced }: HttpContext): Route[] {
  /** Why a viewer receives no changes of types that it may read: of the named ones, or of all. */
  const whyNot = ({ view }: Viewer, params: RawObject): string | undefined => {
    const named = namesOf(textParam(params, 'types') || undefined);
    const may = (uid: string, action: ReadAction) => view.may(`${uid}.${action}`);
    const isAsked = (uid: string) => named?.some((name) => isNamed(catalog.contentTypes.get(uid)!, name)) ?? true;
    const listed = silenced('find').filter(({ uid }) => may(uid, 'find'));
    const byId = textParam(params, 'documentId') === '' ? [] : silenced('findOne');
    const single = byId.filter(({ uid }) => may(uid, 'findOne') && !may(uid, 'find'));
    return silencedReason([...listed, ...single].filter(({ uid }) => isAsked(uid)));
  };
  const listen: Handler = async ({ request, reply, caller, viewer }) => {
    const params = paramsOf(request);
    const heard = streams.typesFor(viewer, textParam(params, 'documentId') || undefined);
    if (heard.length === 0) throw forbidden(whyNot(viewer, params));
    const streamRequest = streamRequestOf({ heard, whyNot: () => whyNot(viewer, params) }, params);
    const after = placeOf(request.headers['last-event-id'] ?? params['lastEventId']);
    if (request.method === 'HEAD') return reply.headers(HEADERS).send();
    const { authorization } = request.headers;
    const account = accountKey(caller, () => request.ip);
    const forget = await streams.add({ authorization, account, request: streamRequest, after }, () => sinkOf(reply));
    if (reply.raw.closed) forget();
    else reply.raw.once('close', forget);
    return reply;
  };
  // a type of the project may have the shorter path
  return ['/events', '/_events'].map((path) => ({ path, methods: { GET: listen } }));
}

/** Starts the response of a stream, which has no end. */
export function sinkOf(reply: FastifyReply): Sink {
  reply.hijack();
  const raw: ServerResponse = reply.raw;
  // the connection ends with the stream: without chunks each event reaches the socket as it is
  raw.useChunkedEncodingByDefault = false;
  // the counts of requests recognize a stream by it
  raw.setHeader('content-type', HEADERS['content-type']);
  raw.writeHead(200, { ...reply.getHeaders(), ...HEADERS } as Record<string, string>);
  raw.flushHeaders();
  return {
    get unread() {
      return raw.writableLength;
    },
    get isClosed() {
      return raw.closed || raw.destroyed || raw.writableEnded;
    },
    write(frames) {
      if (!raw.closed && !raw.destroyed && !raw.writableEnded) raw.write(frames);
    },
    end() {
      raw.end();
      // a client that does not read would keep the server from ending
      if (!raw.closed) setTimeout(() => raw.destroy(), PATIENCE).unref();
    },
    destroy: () => void raw.destroy(),
  };
}

interface Readable {
  /** The types whose changes the caller may receive. No other types are named to it. */
  readonly heard: readonly ContentType[];
  /** The line in the log about other types that it names. */
  readonly whyNot: () => string | undefined;
}

function streamRequestOf(hearing: Readable, params: RawObject): StreamRequest {
  for (const key of Object.keys(params)) {
    if (!PARAMS.includes(key)) throw invalidKey({ key, path: key, source: 'query', nearest: nearest(key, PARAMS) });
  }
  const status = textParam(params, 'status') || 'published';
  if (status !== 'draft' && status !== 'published') throw validation('status must be draft or published');
  const document = textParam(params, 'document') || 'false';
  if (document !== 'true' && document !== 'false') throw validation('document must be true or false');
  const names = namesOf(textParam(params, 'types') || undefined);
  return {
    types: names && new Set(names.map((name) => typeNamed(hearing, name))),
    status,
    locale: textParam(params, 'locale') || undefined,
    documentId: textParam(params, 'documentId') || undefined,
    withDocument: document === 'true',
  };
}

/** The names of types in a parameter. */
export const namesOf = (types: string | undefined): string[] | undefined =>
  types?.split(',').map((name) => name.trim());

const pathOf = ({ kind, singularName, pluralName }: ContentType): string =>
  kind === 'singleType' ? singularName : pluralName;

/** True for a type's name in paths, and for its uid. */
export const isNamed = (type: ContentType, name: string): boolean => type.uid === name || pathOf(type) === name;

/** The uid of a type by its name. */
function typeNamed({ heard, whyNot }: Readable, name: string): string {
  const found = heard.find((type) => isNamed(type, name));
  if (found) return found.uid;
  const near = nearest(name, heard.map(pathOf));
  throw invalidKey({ key: name, path: 'types', source: 'query', nearest: near, logged: whyNot() });
}

/** The number of the last event that a client received; undefined for a new client. */
function placeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  // an unknown id counts as later than all known events
  return /^\d{1,15}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY;
}
