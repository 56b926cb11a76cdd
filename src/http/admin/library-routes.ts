/** The library of files: lists, details, folders, uploads (admin/contract/media.ts). */
import type { FastifyReply } from 'fastify';
import type { FileOperation } from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import { forbidden, notFound } from '../../errors.ts';
import {
  fileBody,
  fileIds,
  fileList,
  folderBody,
  moveBody,
  type Selection,
  selectionBody,
  selectionQuery,
  withTextsOf,
} from '../../media/library/requests.ts';
import { noFiles } from '../../media/upload.ts';
import { isMultipart } from '../protocol/body.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';

/** Actions of the content API by operation: project code may guard them. */
const NEEDED: Readonly<Record<FileOperation | 'delete', string>> = {
  read: 'plugin::upload.content-api.find',
  create: 'plugin::upload.content-api.upload',
  update: 'plugin::upload.content-api.upload',
  delete: 'plugin::upload.content-api.destroy',
};

export function libraryRoutes({ media, config }: HttpContext): AdminRoute[] {
  const { library } = media;
  const read = (call: AdminCall): Viewer => permitted(call, 'read', NEEDED.read);
  const change = (call: AdminCall, needed = NEEDED.update): Viewer => permitted(call, 'update', needed);

  const list: AdminHandler = async (call) => {
    const viewer = read(call);
    return sendJson(call.reply, await library.list(fileList(paramsOf(call.request)), viewer));
  };
  const ids: AdminHandler = async (call) => {
    const viewer = read(call);
    const { list: asked, start, limit } = fileIds(paramsOf(call.request));
    return sendData(call.reply, await library.ids(asked, start, limit, viewer, change(call)));
  };
  const one: AdminHandler = async (call) => sendText(call, await library.one(idOf(call), read(call)));
  const upload: AdminHandler = async (call) => {
    const viewer = permitted(call, 'create', NEEDED.create);
    const { request } = call;
    if (!isMultipart(request)) throw noFiles();
    const text = await media.receive(request.raw, request.headers, (form) => library.upload(form, viewer));
    return sendText(call, text, 201);
  };
  const replace: AdminHandler = async (call) => {
    const viewer = change(call);
    const id = idOf(call);
    const { request } = call;
    if (!isMultipart(request)) throw noFiles();
    await library.requireShown([id], read(call), viewer);
    const text = await media.receive(request.raw, request.headers, (form) => library.replace(id, form, viewer));
    return sendText(call, text);
  };
  const update: AdminHandler = async (call) => {
    const viewer = change(call);
    const id = idOf(call);
    const body = fileBody(call.request.body);
    await library.requireShown([id], read(call), viewer);
    return sendText(call, await library.change(id, body, viewer));
  };
  const move: AdminHandler = async (call) => {
    const viewer = change(call);
    await library.move(moveBody(call.request.body), viewer);
    return call.reply.code(204).send();
  };
  const remove: AdminHandler = async (call) => {
    const viewer = change(call, NEEDED.delete);
    return sendData(call.reply, await library.remove(selectionBody(call.request.body), viewer));
  };
  const sendUses = async (
    call: AdminCall,
    chosen: Selection,
    ofFiles: Viewer,
    withTexts: boolean,
  ): Promise<FastifyReply> => {
    const { data, meta } = await library.uses(chosen, call.viewer('read'), ofFiles, withTexts);
    const changing = call.libraryViewer('update');
    const deletable = changing.view.may(NEEDED.delete) && (await library.mayRemove(chosen, ofFiles, changing));
    return sendJson(call.reply, JSON.stringify({ data, meta: { ...meta, deletable, days: config.trash.days } }));
  };
  const usesOfOne: AdminHandler = async (call) => {
    const id = idOf(call);
    const viewer = read(call);
    await library.requireShown([id], viewer, viewer);
    return sendUses(call, { files: [id], folders: [] }, viewer, true);
  };
  const usesOfMany: AdminHandler = async (call) => {
    const viewer = read(call);
    const params = paramsOf(call.request);
    const chosen = selectionQuery(params);
    const withTexts = withTextsOf(params);
    await library.requireShown(chosen.files, viewer, viewer);
    return sendUses(call, chosen, viewer, withTexts);
  };
  const folders: AdminHandler = async (call) => sendData(call.reply, await library.folders(read(call)));
  const createFolder: AdminHandler = async (call) => {
    const viewer = permitted(call, 'create', NEEDED.create);
    return sendData(call.reply, await library.createFolder(folderBody(call.request.body, true), viewer), 201);
  };
  const changeFolder: AdminHandler = async (call) => {
    const viewer = change(call);
    return sendData(call.reply, await library.changeFolder(idOf(call), folderBody(call.request.body, false), viewer));
  };
  const removeFolder: AdminHandler = async (call) => {
    const viewer = change(call, NEEDED.delete);
    return sendData(call.reply, await library.remove({ files: [], folders: [idOf(call)] }, viewer));
  };
  return [
    { path: '/files', methods: { GET: list, POST: upload }, multipart: true },
    { path: '/files/ids', methods: { GET: ids } },
    { path: '/files/move', methods: { POST: move } },
    { path: '/files/delete', methods: { POST: remove } },
    { path: '/files/uses', methods: { GET: usesOfMany } },
    { path: '/files/:id', methods: { GET: one, PUT: update } },
    { path: '/files/:id/replace', methods: { POST: replace }, multipart: true },
    { path: '/files/:id/uses', methods: { GET: usesOfOne } },
    { path: '/folders', methods: { GET: folders, POST: createFolder } },
    { path: '/folders/:id', methods: { PUT: changeFolder, DELETE: removeFolder } },
  ];
}

/**
 * The administrator for an operation on files.
 *
 * @throws ContentError 403 without the right, and where project code guards the operation.
 */
function permitted({ libraryViewer }: AdminCall, operation: FileOperation, needed: string): Viewer {
  const viewer = libraryViewer(operation);
  if (!viewer.view.may(needed)) throw forbidden();
  return viewer;
}

/** The row id of a path. @throws ContentError 404 for a text that is none. */
function idOf({ request }: AdminCall): number {
  const id = rowIdOf(pathParam(request, 'id'));
  if (id === undefined) throw notFound();
  return id;
}

const sendText = ({ reply }: AdminCall, text: string, status = 200): FastifyReply =>
  sendJson(reply, `{"data":${text}}`, status);
