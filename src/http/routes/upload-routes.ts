/** Storing, changing and removing files below `/upload` (docs/reference/files.md). */
import { requireAction } from '../../access/authorize.ts';
import { notFound, validation } from '../../errors.ts';
import { isMultipart } from '../protocol/body.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { guarded, type Handler, paramsOf, pathParam, type Route, rowIdOf } from './routes.ts';

/** Routes of the file service that write, but for what shares a path with one that reads. */
export function uploadRoutes({ media }: HttpContext): Route[] {
  const upload: Handler = async ({ request, reply, viewer }) => {
    const wanted = wantedFile(paramsOf(request)['id']);
    if (!isMultipart(request)) {
      if (wanted === undefined) throw validation('Files are empty');
      const body = (request.body ?? {}) as { fileInfo?: unknown };
      return sendJson(reply, await media.updateInfo(wanted.id, body.fileInfo, viewer));
    }
    const record = await media.receive(request.raw, request.headers, (form) => {
      if (wanted === undefined) return media.upload(form, viewer);
      if (form.files.length > 0) return media.replace(wanted.id, form, viewer);
      const infos = form.fields.get('fileInfo');
      return media.updateInfo(wanted.id, infos?.length === 1 ? infos[0] : infos, viewer);
    });
    return sendJson(reply, record, wanted === undefined ? 201 : 200);
  };
  const action = 'plugin::upload.content-api.upload';
  return [{ path: '/upload', methods: { POST: guarded(action, upload) }, multipart: true }];
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
