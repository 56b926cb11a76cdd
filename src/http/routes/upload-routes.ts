/** Storing, changing and removing files below `/upload` (docs/reference/files.md). */
import { requireAction } from '../../access/authorize.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import type { ReceivedForm } from '../../media/media-context.ts';
import { isMultipart } from '../protocol/body.ts';
import { sendJson } from '../protocol/reply.ts';
import { formParts } from './code/project-routes.ts';
import type { HttpContext } from './context.ts';
import { guarded, type Handler, paramsOf, pathParam, type Route, rowIdOf } from './routes.ts';

/** Routes of the file service that write, but for what shares a path with one that reads. */
export function uploadRoutes(context: HttpContext): Route[] {
  const { media, running } = context;
  const upload: Handler = async ({ request, reply, viewer }) => {
    const wanted = wantedFile(paramsOf(request)['id']);
    if (!isMultipart(request)) {
      if (wanted === undefined) throw validation('Files are empty');
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
  const action = 'plugin::upload.content-api.upload';
  return [{ path: '/upload', methods: { POST: guarded(action, upload) }, multipart: true }];
}

/**
 * Refuses to link files to documents whose `update` has policies: these are asked of requests that update a document,
 * which an upload is not.
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

/** `DELETE /upload/files/:id`. */
export function removeFile({ media }: HttpContext): Handler {
  return async ({ request, reply, caller, viewer }) => {
    requireAction(caller.grants, 'plugin::upload.content-api.destroy');
    const id = rowIdOf(pathParam(request, 'id'));
    if (id === undefined) throw notFound('file.notFound');
    return sendJson(reply, await media.remove(id, viewer));
  };
}

/**
 * The file that `?id=` names; its row id is undefined when no file can have it. Undefined without an id.
 *
 * @throws ContentError 400 for several ids.
 */
function wantedFile(id: unknown): { readonly id: number | undefined } | undefined {
  if (id === undefined || id === '') return undefined;
  if (typeof id !== 'string') throw validation('File id is required and must be a single value');
  return { id: rowIdOf(id) };
}
