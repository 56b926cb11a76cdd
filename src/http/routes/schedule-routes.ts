/**
 * Actions at a time (docs/reference/scheduling.md): `POST /:plural/:documentId/actions/schedule` schedules one, `GET` lists
 * them, `PUT …/schedule/:id` changes the time of one, and `DELETE` cancels it. The right to schedule an action is the right to the action.
 */
import { schedulePath } from '../../access/actions.ts';
import { requireAction, requireSome } from '../../access/authorize.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { ScheduledItem } from '../../schedule/items.ts';
import { SCHEDULED_ACTIONS, type ScheduledAction } from '../../schedule/performers.ts';
import { changedTime, scheduleBody } from '../../schedule/schedule-body.ts';
import { shownItem, subjectOf } from '../../schedule/scheduled-documents.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { sendJson } from '../protocol/reply.ts';
import { askPolicies, requireOpen } from './code/policed.ts';
import type { HttpContext } from './context.ts';
import { type Call, type Handler, pathParam, type Route, rowIdOf } from './routes.ts';
import { namedLocales } from './write-params.ts';

/** Routes for every type with drafts. */
export function scheduleRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed && type.draftAndPublish);
  return types.flatMap((type) => routesOf(context, type));
}

function routesOf(context: HttpContext, type: ContentType): Route[] {
  const { scheduledDocuments } = context;
  const needs = SCHEDULED_ACTIONS.map((name) => `${type.uid}.${name}`);
  const documentOf = async ({ request, viewer }: Call): Promise<string> => {
    const isSingle = type.kind === 'singleType';
    const documentId = isSingle ? await scheduledDocuments.singleOf(type) : pathParam(request, 'documentId');
    if (documentId === undefined || !(await scheduledDocuments.isShown(type, viewer, documentId))) throw notFound();
    return documentId;
  };
  /** Code that looks callers up could refuse this one when the action is due. */
  const requireKnownCaller = (): void => {
    if (context.callers.asksCode) throw forbidden('code of the project identifies callers');
  };
  const schedule: Handler = async (call) => {
    const { request, reply, viewer } = call;
    const { action, dueAt, locale } = scheduleBody(request.body, scheduledDocuments.now);
    await requirePermitted(context, type, action, call);
    requireKnownCaller();
    const locales = await namedLocales(context, type, locale);
    const documentId = type.kind === 'singleType' ? undefined : pathParam(request, 'documentId');
    const item = await scheduledDocuments.schedule({ type, viewer, documentId, action, locales, dueAt });
    return sendJson(reply, JSON.stringify({ data: shownItem(item), meta: {} }), 201);
  };
  const list: Handler = async (call) => {
    requireSome(call.caller.grants, needs);
    const items = await scheduledDocuments.ofDocument(type, await documentOf(call));
    return sendJson(call.reply, JSON.stringify({ data: items.map(shownItem), meta: {} }));
  };
  /** An item that the caller may change. */
  const changed = async (call: Call): Promise<ScheduledItem> => {
    requireSome(call.caller.grants, needs);
    const documentId = await documentOf(call);
    const id = rowIdOf(pathParam(call.request, 'id'));
    const item = id === undefined ? undefined : await scheduledDocuments.one(id, [type.uid]);
    if (!item || item.target !== documentId) throw notFound();
    await requirePermitted(context, type, subjectOf(item).action, call);
    return item;
  };
  const move: Handler = async (call) => {
    const dueAt = changedTime(call.request.body, scheduledDocuments.now);
    const item = await changed(call);
    requireKnownCaller();
    const moved = await scheduledDocuments.move(item, call.viewer, dueAt);
    return sendJson(call.reply, JSON.stringify({ data: shownItem(moved), meta: {} }));
  };
  const cancel: Handler = async (call) => {
    const item = await changed(call);
    await scheduledDocuments.cancel(item, call.viewer);
    return call.reply.code(204).send();
  };
  const path = schedulePath(type);
  return [
    { path, methods: { GET: list, POST: { needs, handler: schedule } } },
    { path: `${path}/:id`, methods: { PUT: { needs, handler: move }, DELETE: cancel } },
  ];
}

/** @throws ContentError 403 where the action itself would be refused to the caller. */
async function requirePermitted(
  context: HttpContext,
  type: ContentType,
  name: ScheduledAction,
  call: Call,
): Promise<void> {
  const action = `${type.uid}.${name}`;
  requireAction(call.caller.grants, action);
  requireOpen(context, action);
  if (context.running?.ownNames.has(action)) throw forbidden(`${action} is a route of the project`);
  await askPolicies(context, action, call);
}
