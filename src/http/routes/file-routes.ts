/** Reading files: their records below `/upload`, their bytes below `/uploads` (docs/reference/files.md). */
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import { listEnvelope } from '../../content/reading/answers.ts';
import { forbidden, notFound } from '../../errors.ts';
import { STORED_FILES } from '../../extend/closed.ts';
import { everything } from '../../query/page.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { sendFile } from '../files/send-file.ts';
import { resizingOf, sendSized } from '../files/sized-uploads.ts';
import { sendError, sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { type Handler, paramsOf, pathParam, queryOf, type Route, rowIdOf } from './routes.ts';
import { removeFile } from './upload-routes.ts';

/** Routes of the file service that read. */
export function fileRoutes(context: HttpContext): Route[] {
  const { catalog, reader, media } = context;
  const { flags } = media;
  const type = catalog.contentTypes.get(FILE_UID)!;
  const action = (name: string) => `plugin::upload.content-api.${name}`;

  const all: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('find'));
    const params = paramsOf(request);
    const { data } = await reader.list(type, viewer, params, { page: everything, flags });
    return sendJson(reply, data);
  };
  const page: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('findPage'));
    return sendJson(reply, listEnvelope(await reader.list(type, viewer, paramsOf(request), { flags })));
  };
  const one: Handler = async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, action('findOne'));
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const id = rowIdOf(pathParam(request, 'id'));
    // populate shapes the record; fields and filters are checked and have no effect
    const { populate } = params;
    const single = { kind: 'row', id } as const;
    const data =
      id === undefined ? undefined : (await reader.one(type, viewer, { populate }, { ...single, id }, { flags }))?.data;
    if (data === undefined) throw notFound('file.notFound');
    return sendJson(reply, data);
  };
  return [
    { path: '/upload/files', methods: { GET: all } },
    { path: '/upload/files/page', methods: { GET: page } },
    { path: '/upload/files/:id', methods: { GET: one, DELETE: removeFile(context) } },
  ];
}

/** Conditions of a request that are not honoured for files: the reference always sends them. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/**
 * Serves stored files: GET, HEAD and single byte ranges, without a token. An upload may be a page or a drawing with
 * scripts, so browsers are told to run none and to guess no type.
 */
export function serveUploads({ config, sizes, code }: HttpContext) {
  const root = path.join(config.publicDir, 'uploads');
  const allowed = config.upload.sizes;
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (code.closed.has(STORED_FILES)) throw forbidden(code.closed.get(STORED_FILES));
    const name = (request.params as { '*': string })['*'];
    if (name === '' || name.includes('\0')) return sendError(reply, notFound());
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    if (sizes && allowed) {
      const query = new URLSearchParams(queryOf(request));
      const resizing = resizingOf(query, allowed);
      if (resizing) return sendSized(request, reply, sizes, { name, query, resizing });
    }
    for (const header of CONDITIONS) delete request.raw.headers[header];
    reply.header('cache-control', 'max-age=0');
    return sendFile(request, reply, root, name);
  };
}
