/** Files: their records below `/upload`, their bytes below `/uploads` (docs/reference/files.md). */
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FILES } from '../../access/actions.ts';
import { listEnvelope } from '../../content/reading/answers.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import type { ReceivedForm } from '../../media/media-context.ts';
import { noFiles } from '../../media/upload.ts';
import { everything } from '../../query/page.ts';
import { STORED_FILES } from '../../runtime/closed-actions.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { sendFile } from '../files/send-file.ts';
import { resizingOf, sendSized } from '../files/sized-uploads.ts';
import { isMultipart } from '../protocol/body.ts';
import { sendError, sendJson } from '../protocol/reply.ts';
import { formParts } from './code/project-routes.ts';
import type { HttpContext } from './context.ts';
import { builtInRoutes, type Handler, paramsOf, pathParam, queryOf, type Route, rowIdOf } from './routes.ts';

/** Routes of the file service. */
export function fileRoutes(context: HttpContext): Route[] {
  const { catalog, reader, media, running } = context;
  const { flags } = media;
  const type = catalog.contentTypes.get(FILE_UID)!;

  const all: Handler = async ({ request, reply, viewer }) => {
    const { data } = await reader.list(type, viewer, paramsOf(request), { page: everything, flags });
    return sendJson(reply, data);
  };
  const page: Handler = async ({ request, reply, viewer }) =>
    sendJson(reply, listEnvelope(await reader.list(type, viewer, paramsOf(request), { flags })));
  const one: Handler = async ({ request, reply, viewer }) => {
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const id = rowIdOf(pathParam(request, 'id'));
    // populate shapes the record; fields and filters are checked and have no effect
    const { populate } = params;
    const row = id === undefined ? undefined : ({ kind: 'row', id } as const);
    const data = row && (await reader.one(type, viewer, { populate }, row, { flags }))?.data;
    if (data === undefined) throw notFound('file.notFound');
    return sendJson(reply, data);
  };
  const upload: Handler = async ({ request, reply, viewer }) => {
    const wanted = wantedFile(paramsOf(request)['id']);
    if (!isMultipart(request)) {
      if (wanted === undefined) throw noFiles();
      const body = (request.body ?? {}) as { fileInfo?: unknown };
      return sendJson(reply, await media.updateInfo(wanted.id, body.fileInfo, viewer));
    }
    const record = await media.receive(request.raw, request.headers, async (form) => {
      running?.builtIn.receive(formParts(form));
      if (wanted === undefined) {
        requireUnpoliced(context, form);
        return media.upload(form, viewer);
      }
      if (form.files.length > 0) return media.replace(wanted.id, form, viewer);
      const infos = form.fields.get('fileInfo');
      return media.updateInfo(wanted.id, infos?.length === 1 ? infos[0] : infos, viewer);
    });
    return sendJson(reply, record, wanted === undefined ? 201 : 200);
  };
  const remove: Handler = async ({ request, reply, viewer }) => {
    const id = rowIdOf(pathParam(request, 'id'));
    if (id === undefined) throw notFound('file.notFound');
    return sendJson(reply, await media.remove(id, viewer));
  };
  return [
    ...builtInRoutes(FILES, { find: all, findPage: page, findOne: one, destroy: remove }),
    ...builtInRoutes(FILES, { upload }, { multipart: true }),
  ];
}

/**
 * Refuses to link files to documents whose `update` has policies: policies are called for requests that update a
 * document, which an upload is not.
 *
 * @throws ContentError 403.
 */
function requireUnpoliced({ policies, catalog, writer, database }: HttpContext, { fields }: ReceivedForm): void {
  const ref = fields.get('ref')?.at(-1);
  if (!policies || !ref) return;
  const { index } = writer.reading(database).plans;
  const holders = catalog.contentTypes.has(ref) ? [ref] : index.reachedFrom(ref).map(({ uid }) => uid);
  const action = holders.map((uid) => `${uid}.update`).find((one) => policies.has(one));
  if (action !== undefined) throw forbidden(`an upload links no files where ${action} has policies`);
}

/**
 * The file of `?id=`; its row id is undefined where no file can have it. Undefined without an id.
 *
 * @throws ContentError 400 for several ids.
 */
function wantedFile(id: unknown): { readonly id: number | undefined } | undefined {
  if (id === undefined || id === '') return undefined;
  if (typeof id !== 'string') throw validation('File id is required and must be a single value');
  return { id: rowIdOf(id) };
}

/** Conditional headers that are ignored for files: the reference always sends them. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/**
 * Serves stored files: GET, HEAD and single byte ranges, without a token. An upload may be a page or a drawing with
 * scripts, so headers forbid browsers to run them and to guess types.
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
