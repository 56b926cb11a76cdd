/** Documents as rows: exports of lists, and imports of files (docs/reference/rows.md). */
import { Readable } from 'node:stream';
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import { cut, notFound, validation } from '../../errors.ts';
import { exportedRows, exportedText, exportOf, MEDIA_TYPES } from '../../rows/exporting.ts';
import {
  countUndoable,
  failedRows,
  findImport,
  keptRows,
  listImports,
  type StoredImport,
  settled,
} from '../../rows/imports.ts';
import { optionsIn } from '../../rows/mapping.ts';
import type { RowsFile } from '../../rows/reading.ts';
import type { Preview } from '../../rows/row-imports.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { isMultipart } from '../protocol/body.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { editingServices } from './editing.ts';
import { shownType } from './shown-type.ts';

/** Imports in a list. */
const LISTED = 20;
/** Characters of a cell in a preview. */
const SAMPLE = 200;

export function rowsRoutes(context: HttpContext): AdminRoute[] {
  const { database, media, rowImports: imports } = context;
  const { reader } = editingServices(context);
  const exported: AdminHandler = async (call) => {
    const [type, viewer] = [shownType(context, call), call.viewer('read')];
    const wanted = exportOf(viewer.view, type, paramsOf(call.request));
    const pieces = exportedText(reader, type, viewer, wanted);
    // a wrong parameter is reported before the download begins
    const first = await pieces.next();
    await database.transaction(async (tx) => tx.recordAction(exportedRows(type, wanted)));
    const name = `${type.singularName}-${new Date().toISOString().slice(0, 10)}.${wanted.format}`;
    return call.reply
      .header('content-type', MEDIA_TYPES[wanted.format])
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(Readable.from(beginningWith(first, pieces), { objectMode: false }));
  };
  /** Reads the file of a form with its options. It exists until the work ends. */
  const received = <T>(
    { request }: AdminCall,
    work: (file: RowsFile, options: ReturnType<typeof optionsIn>) => Promise<T>,
  ): Promise<T> => {
    if (!isMultipart(request)) throw validation('The body must be a form with a file');
    return media.receive(request.raw, request.headers, ({ files, fields }) => {
      const [file, ...others] = files;
      if (!file || others.length > 0) throw validation('The form must have one file');
      const { path, name = '', size } = file;
      return work({ path, name, size }, optionsIn(fields.get('options')?.at(-1)));
    });
  };
  const preview: AdminHandler = async (call) => {
    const type = shownType(context, call);
    const described = await received(call, (file, { delimiter }) =>
      imports.preview(type, call.viewer, file, delimiter),
    );
    return sendData(call.reply, previewData(described));
  };
  const begin: AdminHandler = async (call) => {
    const type = shownType(context, call);
    const begun = Promise.withResolvers<number>();
    // the file is there until the import has ended, and the answer is sent before
    received(call, async (file, options) => {
      const { id, end } = await imports.begin(type, call.viewer, file, options, accountOf(call));
      begun.resolve(id);
      await end;
    }).catch(begun.reject);
    return sendImport(call, await findImport(database, await begun.promise), 201);
  };
  const list: AdminHandler = async (call) => {
    const { uid } = shownType(context, call);
    const stored = await listImports(database, uid, call.administrator.row.id, LISTED);
    const data = [];
    for (const one of stored) data.push(await importData(await settled(database, one)));
    return sendData(call.reply, data);
  };
  /** An import of the administrator, of a type that is still shown. */
  const own = async (call: AdminCall): Promise<{ readonly type: ContentType; readonly stored: StoredImport }> => {
    const stored = await settled(database, await findImport(database, rowIdOf(pathParam(call.request, 'id'))));
    const { by, uid } = stored;
    const type = context.catalog.contentTypes.get(uid);
    const isOwn = by.kind === 'administrator' && by.id === call.administrator.row.id;
    if (!isOwn || !type || !isEdited(type) || !call.viewer('read').view.may(`${uid}.find`)) throw notFound();
    return { type, stored };
  };
  const read: AdminHandler = async (call) => sendImport(call, (await own(call)).stored);
  const problems: AdminHandler = async (call) => {
    const { stored } = await own(call);
    const failed = await failedRows(database, stored.id);
    return sendData(call.reply, { failed, kept: await keptRows(database, stored.id) });
  };
  const stop: AdminHandler = async (call) => {
    const { stored } = await own(call);
    await imports.stop(stored.id);
    return sendImport(call, await findImport(database, stored.id));
  };
  const undo: AdminHandler = async (call) => {
    const { type, stored } = await own(call);
    await imports.undo(type, call.viewer, stored, accountOf(call));
    return sendImport(call, await findImport(database, stored.id));
  };
  const importData = async (stored: StoredImport) => {
    const { id, uid, fileName, options, state, total, done, created, updated, failed, undone, kept } = stored;
    const { isTrial, isPublished, columns } = options;
    return {
      ...{ id, type: uid, fileName, state, isTrial, isPublished, columns },
      ...{ total, done, created, updated, failed, undone, kept },
      undoable: isTrial ? 0 : await countUndoable(database, id),
      startedAt: timeOf(stored.startedAt),
      endedAt: timeOf(stored.endedAt),
    };
  };
  const sendImport = async ({ reply }: AdminCall, stored: StoredImport, status = 200) =>
    sendJson(reply, JSON.stringify({ data: await importData(stored) }), status);
  return [
    { path: '/rows/:uid/export', methods: { GET: exported } },
    { path: '/rows/:uid/preview', methods: { POST: preview }, multipart: true },
    { path: '/rows/:uid/imports', methods: { GET: list, POST: begin }, multipart: true },
    { path: '/imports/:id', methods: { GET: read } },
    { path: '/imports/:id/problems', methods: { GET: problems } },
    { path: '/imports/:id/stop', methods: { POST: stop } },
    { path: '/imports/:id/undo', methods: { POST: undo } },
  ];
}

const accountOf = ({ administrator }: AdminCall): string => `administrator ${administrator.row.id}`;

function previewData({ form, cells, count, samples, targets, columns, key }: Preview) {
  const textOf = (cell: unknown): string =>
    cell === undefined || cell === null ? '' : cut(typeof cell === 'string' ? cell : JSON.stringify(cell), SAMPLE);
  const { format, delimiter } = form;
  return {
    ...{ format, delimiter, ...cells, rows: count, key },
    columns: form.columns.map((name, index) => ({
      ...{ name, target: columns[index] ?? null },
      samples: samples.map(({ cells: own }) => textOf(own[index])),
    })),
    targets: targets.map(({ target: { name }, isKey }) => ({ name, isKey })),
  };
}

/** The pieces of an iterator of which the first has been taken. */
async function* beginningWith(
  first: IteratorResult<string, unknown>,
  rest: AsyncIterable<string>,
): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
