/** Scheduled publication in the administration API: for one document, in bulk, and as a calendar. */
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import { readArrangements } from '../../content/administration/arrangement.ts';
import { runBulk } from '../../content/administration/bulk.ts';
import { documentNames } from '../../content/administration/named-versions.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import { meant } from '../../nearest.ts';
import { momentOrDayOf } from '../../plain-values.ts';
import type { RawObject } from '../../query/params.ts';
import { RELEASE_WORK } from '../../releases/planned-runs.ts';
import { RELEASE_UID } from '../../releases/release-names.ts';
import { cancelRun, moveRun, releaseNamesOf } from '../../releases/scheduled-releases.ts';
import { ITEM_STATES, type ItemState, listItems, type ScheduledItem, workIsOver } from '../../schedule/items.ts';
import type { ScheduledAction } from '../../schedule/performers.ts';
import { changedTime, scheduleBody } from '../../schedule/schedule-body.ts';
import { shownItem, subjectOf } from '../../schedule/scheduled-documents.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import { namedLocales } from '../routes/write-params.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { bulkBody } from './bulk-body.ts';
import { addressOf } from './document-address.ts';
import { editingServices } from './editing.ts';
import { mayAct } from './settings-rights.ts';
import { shownType } from './shown-type.ts';

/** Items of a page, and the most that a request may want. */
const PAGE = 100;
const MOST = 500;

export function scheduleRoutes(context: HttpContext): AdminRoute[] {
  const { database, scheduledDocuments, catalog } = context;
  const services = editingServices(context);

  /** The types whose documents the administrator may read. */
  const typesOf = ({ viewer }: AdminCall): readonly ContentType[] => {
    const { view } = viewer('read');
    return [...catalog.contentTypes.values()].filter(
      (type) => isEdited(type) && type.draftAndPublish && view.may(`${type.uid}.find`),
    );
  };
  /** The types of what items are about, as far as the administrator may read it. */
  const subjectsOf = (call: AdminCall): readonly string[] => {
    const releases = mayAct(call, 'plugin::content-releases.read') ? [RELEASE_UID] : [];
    return [...typesOf(call).map(({ uid }) => uid), ...releases];
  };
  /** Items with the names of their documents, without those whose documents are hidden from the administrator. */
  const named = async (call: AdminCall, items: readonly ScheduledItem[]) => {
    const viewer = call.viewer('read');
    const arrangements = await readArrangements(database);
    const { runs = [], actions = [] } = Object.groupBy(items, ({ kind }) =>
      kind === RELEASE_WORK ? 'runs' : 'actions',
    );
    const releases = await releaseNamesOf(database, runs);
    const documentOf = ({ contentType, target }: ScheduledItem) => ({ uid: contentType ?? '', documentId: target });
    const nameOf = await documentNames(services.reader, viewer, arrangements, actions.map(documentOf));
    const labelOf = (item: ScheduledItem): string | null | undefined => {
      if (item.kind === RELEASE_WORK) return releases.get(item.target);
      const { locale } = subjectOf(item);
      return nameOf(documentOf(item), Array.isArray(locale) ? locale[0] : undefined);
    };
    return items.flatMap((item) => {
      const { by } = item;
      const label = labelOf(item);
      // a subject that does not exist any more is hidden as well, but not what became of its actions
      if (label === undefined && item.state !== 'gone') return [];
      const failure = item.state === 'failed' ? { failure: item.result } : {};
      const author = { kind: by.kind, id: by.id, name: by.name };
      const run = item.kind === RELEASE_WORK ? { action: 'run', locale: null } : {};
      return [{ ...shownItem(item), ...run, ...failure, label: label ?? null, by: author }];
    });
  };
  /** The administrator as one that may perform an action. */
  const performing = (call: AdminCall, type: ContentType, action: ScheduledAction) => {
    if (!type.draftAndPublish) throw validation(`${type.uid} has no drafts: there is nothing to ${action}`);
    const viewer = call.viewer('publish');
    if (!viewer.view.may(`${type.uid}.${action}`)) throw forbidden();
    return viewer;
  };
  const schedule: AdminHandler = async (call) => {
    const { type, documentId } = addressOf(context, call, undefined);
    const { action, dueAt, locale } = scheduleBody(call.request.body, scheduledDocuments.now);
    const viewer = performing(call, type, action);
    const locales = await namedLocales(context, type, locale);
    const item = await scheduledDocuments.schedule({ type, viewer, documentId, action, locales, dueAt });
    const [shown] = await named(call, [item]);
    return sendData(call.reply, shown, 201);
  };
  const bulk: AdminHandler = async (call) => {
    const type = shownType(context, call);
    const { action, dueAt, locale } = scheduleBody(call.request.body, scheduledDocuments.now, ['documentIds']);
    const { documentIds } = bulkBody(call.request.body);
    const viewer = performing(call, type, action);
    const locales = await namedLocales(context, type, locale);
    const { outcomes, failure } = await runBulk(documentIds, (documentId) =>
      scheduledDocuments.schedule({ type, viewer, documentId, action, locales, dueAt }),
    );
    if (failure !== undefined) throw failure;
    return sendData(call.reply, outcomes);
  };
  const ofDocument: AdminHandler = async (call) => {
    const { type, documentId: ofCollection } = addressOf(context, call, undefined);
    const documentId = ofCollection ?? (await scheduledDocuments.singleOf(type));
    const items = documentId === undefined ? [] : await scheduledDocuments.ofDocument(type, documentId);
    return sendData(call.reply, await named(call, items));
  };
  const calendar: AdminHandler = async (call) => {
    const types = subjectsOf(call);
    const params = calendarParams(paramsOf(call.request));
    const found = await listItems(database, { ...params, types, most: params.most + 1 });
    const items = found.slice(0, params.most);
    const last = found.length > params.most ? items.at(-1) : undefined;
    const next = last ? `${last.dueAt}-${last.id}` : null;
    return sendJson(call.reply, JSON.stringify({ data: await named(call, items), meta: { next } }));
  };
  /** An item that the administrator may cancel, give another time or have done again. */
  const changed = async (call: AdminCall): Promise<ScheduledItem> => {
    const id = rowIdOf(pathParam(call.request, 'id'));
    const item = id === undefined ? undefined : await scheduledDocuments.one(id, subjectsOf(call));
    if (item?.kind === RELEASE_WORK) {
      if (!mayAct(call, 'plugin::content-releases.publish')) throw forbidden();
      return item;
    }
    const type = catalog.contentTypes.get(item?.contentType ?? '');
    if (!item || !type || (await named(call, [item])).length === 0) throw notFound();
    performing(call, type, subjectOf(item).action);
    return item;
  };
  const cancel: AdminHandler = async (call) => {
    const item = await changed(call);
    if (item.kind === RELEASE_WORK) {
      const [by, { now }] = [call.administrator.row.id, scheduledDocuments];
      if (!(await database.transaction((tx) => cancelRun(tx, item, by, now)))) throw workIsOver();
    } else await scheduledDocuments.cancel(item, call.viewer('publish'));
    return call.reply.code(204).send();
  };
  const move: AdminHandler = async (call) => {
    const item = await changed(call);
    const { now } = scheduledDocuments;
    const dueAt = changedTime(call.request.body, now);
    const by = call.administrator.row.id;
    const moved =
      item.kind === RELEASE_WORK
        ? await moveRun(database, item, dueAt, by, now)
        : await scheduledDocuments.move(item, call.viewer('publish'), dueAt);
    const [shown] = await named(call, [moved]);
    return sendData(call.reply, shown);
  };
  const retry: AdminHandler = async (call) => {
    await scheduledDocuments.retry(await changed(call), call.viewer('publish'));
    return call.reply.code(204).send();
  };
  return [
    { path: '/content/:uid/:documentId/schedule', methods: { GET: ofDocument, POST: schedule } },
    { path: '/content/:uid/bulk/schedule', methods: { POST: bulk } },
    { path: '/schedule', methods: { GET: calendar } },
    { path: '/schedule/:id', methods: { PUT: move, DELETE: cancel } },
    { path: '/schedule/:id/retry', methods: { POST: retry } },
  ];
}

/**
 * The parameters of the calendar.
 *
 * @throws ContentError 400 with the paths of all mistakes.
 */
function calendarParams(params: RawObject) {
  const failures = new Failures();
  const { from, to, state, after, pageSize, order } = params;
  failures.addUnknown(params, ['from', 'to', 'state', 'after', 'pageSize', 'order']);
  const time = (name: string, value: unknown): number | undefined => {
    if (value === undefined) return undefined;
    const time = momentOrDayOf(value);
    if (time === undefined) failures.add(at(name), `${name} must be a time, such as 2026-12-04T09:00:00Z`, value);
    return time;
  };
  const times = { from: time('from', from), to: time('to', to) };
  const states = state === undefined ? undefined : [state].flat();
  const wrong = states?.find((one) => !ITEM_STATES.includes(one as ItemState));
  if (wrong !== undefined) {
    const hint = typeof wrong === 'string' ? meant(wrong, ITEM_STATES) : '';
    failures.add(at('state'), `state must be one of ${ITEM_STATES.join(', ')}${hint}`, wrong);
  }
  const [, dueAt, id] = /^(\d{1,15})-(\d{1,15})$/.exec(typeof after === 'string' ? after : '') ?? [];
  if (after !== undefined && id === undefined) failures.add(at('after'), 'after must be the end of a page', after);
  const size = pageSize === undefined ? PAGE : Number(pageSize);
  if (!Number.isInteger(size) || size < 1 || size > MOST) {
    failures.add(at('pageSize'), `pageSize must be a number from 1 to ${MOST}`, pageSize);
  }
  if (order !== undefined && order !== 'asc' && order !== 'desc')
    failures.add(at('order'), 'order must be asc or desc');
  failures.throwAny();
  return {
    ...times,
    states: states as readonly ItemState[] | undefined,
    after: id === undefined ? undefined : { dueAt: Number(dueAt), id: Number(id) },
    latestFirst: order === 'desc',
    most: size,
  };
}
