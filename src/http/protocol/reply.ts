/** Sends JSON text as it is, and errors in the envelope of Strapi 5. */
import type { FastifyReply } from 'fastify';
import type { JsonBody } from '../../content/reading/answers.ts';
import { type FileUrls, signMarked } from '../../content/reading/file-urls.ts';
import type { ContentError, ErrorDetails } from '../../errors.ts';
import { shownFailures } from '../../reasons.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

declare module 'fastify' {
  interface FastifyInstance {
    /** Signs addresses of a private store; undefined without one. */
    readonly fileUrls: FileUrls | undefined;
  }
}

/** Sends JSON as it is, apart from addresses of a private store's files, which are signed. */
export function sendJson(reply: FastifyReply, body: JsonBody, status = 200, type: string = JSON_TYPE): FastifyReply {
  return reply.code(status).header('content-type', type).send(signMarked(reply.server.fileUrls, body));
}

/**
 * The body of an error. Never throws: details that are not JSON are omitted.
 *
 * @param tellsReasons whether it contains the reasons, as in answers of the administration API.
 */
export function errorBody(error: ContentError, tellsReasons = false): string {
  const { status, name, message } = error;
  try {
    const details = tellsReasons ? reasonedDetails(error) : error.details;
    return JSON.stringify({ data: null, error: { status, name, message, details } });
  } catch {
    return JSON.stringify({ data: null, error: { status, name, message, details: {} } });
  }
}

function reasonedDetails({ details, reason }: ContentError): ErrorDetails | undefined {
  if (details === undefined) return undefined;
  const errors = details['errors'];
  return {
    ...details,
    ...(reason === undefined ? {} : { reason }),
    ...(errors === undefined ? {} : { errors: shownFailures(errors) }),
  };
}

/** Seconds after which a request may succeed that failed for lack of a resource. */
const TRY_AGAIN_AFTER = 2;

/** Requests whose answers are errors that middlewares of Strapi see as no answer. */
const unanswered = new WeakSet<object>();

/** Whether the answer of a request is an error that middlewares of Strapi see as no answer. */
export const isUnanswered = (request: object): boolean => unanswered.has(request);

/** Sends an error of the catalogue. Every 503 has a `Retry-After` (RFC 9110, section 15.6.4). */
export function sendError(reply: FastifyReply, error: ContentError): FastifyReply {
  if (error.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', TRY_AGAIN_AFTER);
  if (error.isUnanswered) unanswered.add(reply.request.raw);
  const config = reply.request.routeOptions.config as { tellsReasons?: boolean } | undefined;
  return sendJson(reply, errorBody(error, config?.tellsReasons), error.status);
}
