/** Sends a file of a folder: GET, HEAD and single byte ranges (docs/reference/files.md). */
import type { Stats } from 'node:fs';
import path from 'node:path';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ContentError, loaded, notFound } from '../../errors.ts';
import { sendError } from '../protocol/reply.ts';

const OPTIONS = { index: false, etag: false, cacheControl: false, dotfiles: 'ignore' } as const;

/** Sends a file of the folder. `@fastify/static` would install 9 MB for name patterns, which are not needed. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  root: string,
  name: string,
): Promise<FastifyReply> {
  // `send` would follow such segments, so that several addresses led to one file, and some out of the folder
  if (name.includes('\\') || path.posix.normalize(name) !== name) return sendError(reply, notFound());
  // loaded by the first request for a file, with its table of media types
  const { send } = await loaded(import('@fastify/send'), 'Files cannot be read at the moment');
  const onFile = (_path: string, stat: Stats): void => normalizeRange(request, stat);
  const target = name.split('/').map(encodeURIComponent).join('/');
  const result = await send(request.raw, target, { root, onFile, ...OPTIONS });
  if (result.type === 'error') throw result.metadata.error;
  if (result.type === 'directory') return sendError(reply, notFound());
  return reply.code(result.statusCode).headers(result.headers).send(result.stream);
}

/**
 * Rewrites the `Range` of a request so that `send` reads it as RFC 9110 does: only GET has ranges (14.2), an `If-Range`
 * must be the exact date of the last change (13.1.5), and the last N bytes of a shorter file are all of it (14.1.2).
 */
function normalizeRange({ raw: { method, headers } }: FastifyRequest, { size, mtime }: Stats): void {
  const condition = headers['if-range'];
  const applies = method === 'GET' && (condition === undefined || condition === mtime.toUTCString());
  if (!applies) delete headers.range;
  headers.range = headers.range?.replaceAll(/(?<=[=,]\s*)-(\d+)/g, (last, bytes: string) =>
    Number(bytes) > size ? '0-' : last,
  );
  if (headers.range === undefined) delete headers.range;
}

/** Answers refusals of `send`: a range beyond the end of the file, and names that lead out of the folder. */
export function refuseUpload(
  error: FastifyError | ContentError,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ContentError) throw error;
  reply.removeHeader('cache-control');
  if (error.statusCode !== 416) {
    if (error.statusCode === undefined || error.statusCode >= 500) throw error;
    return sendError(reply, notFound());
  }
  const { headers } = error as { headers?: Record<string, string> };
  return sendError(
    reply.headers(headers ?? {}),
    new ContentError('RangeNotSatisfiableError', 'The range is beyond the end of the file'),
  );
}
