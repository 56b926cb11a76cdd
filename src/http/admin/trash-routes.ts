/** The trash: documents, files and folders that administrators restore or delete for good (docs/reference/trash.md). */
import { EMPTY_TRASH } from '../../access/administrators/administrator-rights.ts';
import { MainFields } from '../../content/administration/arrangement.ts';
import { forbidden, notFound } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import { lossesInLibrary, restoreInLibrary } from '../../history/library-restoring.ts';
import {
  listShownDeletions,
  namedLosses,
  type ShownDeletion,
  shownDeletion,
  shownTypes,
  type Viewers,
} from '../../history/shown-deletions.ts';
import { type Deletion, deleteForGood, isOfLibrary, readDeletion } from '../../history/trash.ts';
import type { TrashLoss } from '../../history/trash-links.ts';
import { lossesOf, type Restorer, restoreDeletion } from '../../history/trash-restoring.ts';
import { meant } from '../../nearest.ts';
import { momentOrDayOf, objectOrEmpty } from '../../plain-values.ts';
import { layoutOf } from '../../schema/layout/layout.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { editingServices } from './editing.ts';
import { mayAct, withRight } from './settings-rights.ts';

/** The action of the content API that adds files: project code may guard it. */
const UPLOAD = 'plugin::upload.content-api.upload';
/** Deletions per page. */
const PAGE = 25;
const LONGEST_PAGE = 100;
/** Deletions that one request deletes for good. */
const EMPTIED = 500;
/** The most losses that are listed. */
const LOSSES = 100;

export function trashRoutes(context: HttpContext): AdminRoute[] {
  const { catalog, database, layout, writer, views, media } = context;
  const { stores } = media.context;
  const tables = new Map([...catalog.contentTypes.keys()].map((uid) => [uid, layoutOf(layout, uid).table]));
  const mainFields = new MainFields(database);
  const restoring = () => ({ catalog, layout, writer, whole: views.code.view, editing: editingServices(context) });
  const shownBy = async (call: AdminCall) => {
    const viewers = { documents: call.viewer('read'), files: call.libraryViewer('read') };
    const mainFieldOf = await mainFields.of(viewers.documents.view);
    return { viewers, shown: { db: database, catalog, mainFieldOf } };
  };
  const found = async (call: AdminCall): Promise<ShownDeletion> => {
    const id = rowIdOf(pathParam(call.request, 'id'));
    if (id === undefined) throw notFound();
    const { viewers, shown } = await shownBy(call);
    const deletion = await shownDeletion(shown, viewers, await readDeletion(database, id));
    if (!deletion) throw notFound();
    return deletion;
  };
  /** The first losses, and the number of all others. */
  const shownLosses = async (call: AdminCall, losses: readonly TrashLoss[]) => {
    const { viewers, shown } = await shownBy(call);
    const named = await namedLosses(shown, viewers, losses.slice(0, LOSSES), LOSSES);
    return { losses: named, more: Math.max(0, losses.length - LOSSES) };
  };
  const forget = (deletion: Deletion): Promise<boolean> => deleteForGood({ database, tables, stores }, deletion);

  const list: AdminHandler = async (call) => {
    const { viewers, shown } = await shownBy(call);
    const { pageSize, ...query } = queryOf(call, shownTypes(catalog, viewers));
    const { deletions, next } = await listShownDeletions(shown, viewers, query, pageSize);
    const data = deletions.map((one) => deletionData(call, one));
    const pagination = { pageSize, next: next === undefined ? null : String(next) };
    const mayEmpty = mayAct(call, EMPTY_TRASH);
    return sendJson(
      call.reply,
      JSON.stringify({ data, meta: { pagination, mayEmpty, days: context.config.trash.days } }),
    );
  };
  const read: AdminHandler = async (call) => {
    const one = await found(call);
    const losses = isOfLibrary(one.type.uid)
      ? await lossesInLibrary(media.context, adding(call), one.deletion)
      : await lossesOf(restoring(), restorerOf(call), one.type, one.deletion);
    return sendData(call.reply, { ...deletionData(call, one), ...(await shownLosses(call, losses)) });
  };
  const restore: AdminHandler = async (call) => {
    const { deletion, type } = await found(call);
    if (isOfLibrary(type.uid) && !mayAdd(call)) throw forbidden();
    const { losses, ...restored } = isOfLibrary(type.uid)
      ? await restoreInLibrary(media.context, adding(call), deletion)
      : await restoreDeletion(restoring(), restorerOf(call), type, deletion);
    return sendData(call.reply, { ...restored, ...(await shownLosses(call, losses)) });
  };
  const remove: AdminHandler = async (call) => {
    const { deletion } = await found(call);
    if (!(await forget(deletion))) throw notFound();
    return call.reply.code(204).send();
  };
  const empty: AdminHandler = async (call) => {
    const { viewers, shown } = await shownBy(call);
    const uid = typeIn(call.request.body, shownTypes(catalog, viewers));
    let deleted = 0;
    for (let before: number | undefined; deleted < EMPTIED; ) {
      const { deletions, next } = await listShownDeletions(shown, viewers, { uid, before }, LONGEST_PAGE);
      for (const { deletion } of deletions) if (await forget(deletion)) deleted += 1;
      if (next === undefined) return sendData(call.reply, { deleted, more: false });
      before = next;
    }
    return sendData(call.reply, { deleted, more: true });
  };
  return [
    { path: '/trash', methods: { GET: list } },
    { path: '/trash/empty', methods: { POST: withRight(EMPTY_TRASH, empty) } },
    { path: '/trash/:id', methods: { GET: read, DELETE: withRight(EMPTY_TRASH, remove) } },
    { path: '/trash/:id/restore', methods: { POST: restore } },
  ];
}

const restorerOf = (call: AdminCall): Restorer => ({
  create: call.viewer('create'),
  publish: call.viewer('publish'),
});

/** The administrator as a person who restores files: the documents that link them are named if they may be read. */
const adding = (call: AdminCall): Viewers => ({
  documents: call.viewer('read'),
  files: call.libraryViewer('create'),
});

/** Whether an administrator may add files, which restoring them is. */
const mayAdd = (call: AdminCall): boolean => call.libraryViewer('create').view.may(UPLOAD);

function deletionData(call: AdminCall, { deletion, type, name, file, files }: ShownDeletion) {
  const { id, uid, documentId, rows, deletedAt, deletedBy } = deletion;
  const isPublished = type.draftAndPublish && rows.some(([, , status]) => status === 'published');
  const may = (operation: 'create' | 'publish') => call.viewer(operation).view.may(`${uid}.${operation}`);
  return {
    id,
    type: uid,
    documentId,
    name,
    locales: type.localized ? [...new Set(rows.flatMap(([, locale]) => locale ?? []))] : [],
    isPublished,
    deletedAt: timeOf(deletedAt),
    deletedBy,
    mayRestore: isOfLibrary(uid) ? mayAdd(call) : may('create') && (!isPublished || may('publish')),
    file: file ?? null,
    files: files ?? null,
  };
}

/** The parameters of the list. */
const PARAMS = ['type', 'documentId', 'person', 'from', 'to', 'cursor', 'pageSize'];

/** What a list is narrowed to. @param types that the administrator is shown. @throws ContentError 400, naming the parameter. */
function queryOf(call: AdminCall, types: readonly string[]) {
  const params = paramsOf(call.request);
  const { type, documentId, person, from, to, cursor, pageSize } = params;
  const failures = new Failures();
  failures.addUnknown(params, PARAMS);
  const read = <T>(
    name: string,
    value: unknown,
    of: (text: string) => T | undefined,
    wanted: string,
  ): T | undefined => {
    if (value === undefined) return undefined;
    const found = typeof value === 'string' ? of(value) : undefined;
    if (found === undefined) failures.add(at(name), `${name} must be ${wanted}`);
    return found;
  };
  const text = (value: string) => (value === '' ? undefined : value);
  const size = (value: string) => {
    const number = rowIdOf(value);
    return number !== undefined && number >= 1 && number <= LONGEST_PAGE ? number : undefined;
  };
  const administrator = read('person', person, rowIdOf, 'the id of an administrator');
  const query = {
    uid: typeOf(type, types, failures),
    documentId: read('documentId', documentId, text, 'the id of a document'),
    actor: administrator === undefined ? undefined : ({ kind: 'administrator', id: administrator } as const),
    from: read('from', from, momentOrDayOf, 'a time, such as 2026-12-04T09:00:00Z'),
    until: read('to', to, momentOrDayOf, 'a time, such as 2026-12-04T09:00:00Z'),
    before: read('cursor', cursor, rowIdOf, 'the cursor of a page'),
    pageSize: read('pageSize', pageSize, size, `a number from 1 to ${LONGEST_PAGE}`) ?? PAGE,
  };
  failures.throwAny();
  return query;
}

/** The type in the body of a request that empties the trash; undefined for all. @throws ContentError 400. */
function typeIn(body: unknown, types: readonly string[]): string | undefined {
  const failures = new Failures();
  const given = objectOrEmpty(body);
  failures.addUnknown(given, ['type']);
  const uid = typeOf(given['type'], types, failures);
  failures.throwAny();
  return uid;
}

/** The uid of one of the types that the administrator is shown; undefined for all. */
function typeOf(type: unknown, types: readonly string[], failures: Failures): string | undefined {
  if (type === undefined) return undefined;
  const uid = types.find((one) => one === type);
  const hint = typeof type === 'string' ? meant(type, types) : '';
  if (uid === undefined) failures.add(at('type'), `type must be the uid of a type${hint}`, type);
  return uid;
}
