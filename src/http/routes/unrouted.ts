/**
 * Responses without a route: preflights, `/_health`, `/_ready`, and requests that match no route. They are sent before
 * a body is read: a wrong path or method comes before a wrong body (docs/reference/http.md, "Paths and methods").
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound, unavailable } from '../../errors.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import type { PublicFiles } from '../files/public-files.ts';
import type { Readiness } from '../monitoring/health.ts';
import type { CommonHeaders } from '../protocol/headers.ts';
import { sendError } from '../protocol/reply.ts';
import { HINT } from '../reads/missing-locale.ts';
import { mayBeNamed, type NearPath, type NearPaths, type PathTable } from './near-paths.ts';

const PROBE = /^\/_(health|ready)\/?$/i;

export interface Unrouted {
  readonly paths: PathTable;
  readonly near: NearPaths;
  /** Identifies the caller, whose rights decide which paths a hint names. */
  readonly identify: (request: FastifyRequest, reply: FastifyReply) => Caller | Promise<Caller>;
  readonly headers: CommonHeaders;
  readonly readiness: Readiness;
  /** Files of the project, where no route matches. */
  readonly files: PublicFiles;
}

/** Adds the hook that sends these responses, and the headers of every response. */
export function answerUnrouted(server: FastifyInstance, unrouted: Unrouted): void {
  server.addHook('onRequest', (request, reply, done) => {
    unrouted.headers.add(request, reply);
    if (request.is404 && !isLeft(request, unrouted)) answer(request, reply, unrouted);
    else done();
  });
  server.setNotFoundHandler((request, reply) =>
    unrouted.files.answer(request, reply, () => refuse(request, reply, unrouted)),
  );
}

/** True for a request that may be for a file of the project: no route matches its path, as written and decoded. */
function isLeft(request: FastifyRequest, { paths, files }: Unrouted): boolean {
  const requested = files.requestedPath(request);
  if (requested === undefined) return false;
  // files are found by the decoded path: another spelling of a route must not lead to a file
  return [pathOf(request), requested].every((path) => !PROBE.test(path) && paths.allow(path) === undefined);
}

/** The path of a request as it is written. */
const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0]!;

function answer(request: FastifyRequest, reply: FastifyReply, unrouted: Unrouted): void {
  const { headers, readiness } = unrouted;
  const probe = PROBE.exec(pathOf(request))?.[1]?.toLowerCase();
  if (headers.isPreflight(request.raw)) headers.answerPreflight(request, reply);
  else if (probe === 'health') reply.code(204).send();
  else if (probe === 'ready') void answerReady(reply, readiness);
  else void answerWrong(request, reply, unrouted);
}

async function answerReady(reply: FastifyReply, readiness: Readiness): Promise<void> {
  if (await readiness.isReady()) reply.code(204).send();
  else sendError(reply, unavailable('The server is not ready'));
}

async function answerWrong(request: FastifyRequest, reply: FastifyReply, unrouted: Unrouted): Promise<void> {
  const { paths, near } = unrouted;
  const path = pathOf(request);
  const allow = paths.allow(path);
  // every path has GET, at least as a 404
  if (allow === undefined || request.method === 'GET' || request.method === 'HEAD') {
    await refuse(request, reply, unrouted);
    return;
  }
  reply.header('allow', allow);
  reply.type('text/plain; charset=utf-8');
  if (request.method === 'OPTIONS') {
    reply.send('');
    return;
  }
  const taking = await permitted(near.taking(request.method, path), request, reply, unrouted);
  if (taking !== undefined) reply.header(HINT, `${request.method} is for ${taking.path}`);
  reply.code(405).send('Method Not Allowed');
}

/** Sends a 404, with a similar path as a hint if the caller may see it. */
async function refuse(request: FastifyRequest, reply: FastifyReply, unrouted: Unrouted): Promise<FastifyReply> {
  const hint = await hintFor(request, reply, unrouted);
  return sendError(reply, notFound(undefined, hint));
}

async function hintFor(request: FastifyRequest, reply: FastifyReply, unrouted: Unrouted): Promise<string | undefined> {
  const path = pathOf(request);
  const [, , ...methods] = unrouted.paths.allow(path)?.split(', ') ?? [];
  if (methods.length > 0) return `this path takes ${methods.join(', ')}`;
  const near = await permitted(unrouted.near.of(path), request, reply, unrouted);
  return near && `did you mean ${near.path}?`;
}

/** A path that a hint may name to the caller; undefined otherwise. */
async function permitted(
  near: NearPath | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  { identify }: Unrouted,
): Promise<NearPath | undefined> {
  if (near?.type === undefined) return near;
  try {
    const { grants } = await identify(request, reply);
    return mayBeNamed(near, grants) ? near : undefined;
  } catch {
    // invalid credentials do not change the response to an unknown path
    return undefined;
  }
}
