/** Stages of review and comments: of documents, the board of a type, and the workflows of the tables. */
import { listStoredRoles } from '../../content/roles/role-rows.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import { parseLocale } from '../../query/parse.ts';
import { boardCounts, boardPage, cursorOf, movesOf } from '../../review/board.ts';
import { Comments, type Thread } from '../../review/comments.ts';
import { EditedWorkflows, type ShownWorkflow } from '../../review/edited-workflows.ts';
import { markMentionsRead, mentionsOf } from '../../review/mentions.ts';
import { Notifications } from '../../review/notifications.ts';
import { offeredPeople } from '../../review/people.ts';
import { ReviewedDocuments, type Reviewer } from '../../review/reviewed-documents.ts';
import type { VersionAddress } from '../../review/reviewed-versions.ts';
import { localeOf, versionAt } from '../../review/reviewed-versions.ts';
import type { Workflow } from '../../review/workflows.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { addressOf, bodyLocale } from './document-address.ts';
import { editingServices } from './editing.ts';
import { mayAct, withRight } from './settings-rights.ts';
import { shownType } from './shown-type.ts';

/** The right to see people, which the reference requires for putting one in charge. */
const SEES_PEOPLE = 'admin::users.read';
/** Characters of a text with which people are searched. */
const TEXT_LENGTH = 200;

export function reviewRoutes(context: HttpContext): AdminRoute[] {
  const { database, locales, administrators, config, mailer, review } = context;
  const { reader, writer } = editingServices(context);
  const services = { database, reader, writer, locales, administrators, config, mailer, ...review };
  const notifications = new Notifications(services);
  const documents = new ReviewedDocuments({ ...services, notifications });
  const comments = new Comments({ ...services, notifications });
  return [
    ...stageRoutes(context, documents),
    ...boardRoutes(context, documents, services),
    ...commentRoutes(context, comments, services),
    ...workflowRoutes(context),
  ];
}

type Services = Parameters<typeof boardPage>[0];

/** The type in a path, whose documents can be reviewed. */
function reviewedType(context: HttpContext, call: AdminCall): ContentType {
  const type = shownType(context, call);
  if (!type.routed) throw notFound();
  return type;
}

/** The document in a path. */
function versionIn(context: HttpContext, call: AdminCall, locale: unknown): VersionAddress {
  reviewedType(context, call);
  return addressOf(context, call, locale);
}

const ofQuery = (context: HttpContext, call: AdminCall): VersionAddress =>
  versionIn(context, call, paramsOf(call.request)['locale']);
const ofBody = (context: HttpContext, call: AdminCall): VersionAddress =>
  versionIn(context, call, bodyLocale(call.request));

const reviewerOf = (call: AdminCall): Reviewer => ({
  administrator: call.administrator,
  viewer: call.viewer('read'),
  mayAssign: mayAct(call, SEES_PEOPLE),
});

function stageRoutes(context: HttpContext, documents: ReviewedDocuments): AdminRoute[] {
  // code of the project guards updates, and would guard this one
  const requireOpen = ({ request }: AdminCall) => {
    if (context.administrators.isClosed(`${pathParam(request, 'uid')}.update`)) throw forbidden();
  };
  const state: AdminHandler = async (call) =>
    sendData(call.reply, await documents.read(reviewerOf(call), ofQuery(context, call)));
  const move: AdminHandler = async (call) => {
    requireOpen(call);
    const address = ofBody(context, call);
    const failures = new Failures();
    const { stage, from } = objectOf(call.request.body);
    if (!isId(stage)) failures.add(at('stage'), 'stage must be the id of a stage', stage);
    if (from !== undefined && !isId(from)) failures.add(at('from'), 'from must be the id of a stage', from);
    failures.throwAny();
    const wanted = { stage: stage as number, from: from as number | undefined };
    return sendData(call.reply, await documents.move(reviewerOf(call), address, wanted));
  };
  const assign: AdminHandler = async (call) => {
    requireOpen(call);
    const address = ofBody(context, call);
    const { administrator } = objectOf(call.request.body);
    const failures = new Failures();
    if (administrator !== null && !isId(administrator)) {
      failures.add(at('administrator'), 'administrator must be the id of an administrator, or null', administrator);
    }
    failures.throwAny();
    return sendData(call.reply, await documents.assign(reviewerOf(call), address, administrator as number | null));
  };
  const document = '/content/:uid/:documentId';
  return [
    { path: `${document}/review`, methods: { GET: state } },
    { path: `${document}/stage`, methods: { PUT: move } },
    { path: `${document}/assignee`, methods: { PUT: assign } },
  ];
}

function boardRoutes(context: HttpContext, documents: ReviewedDocuments, services: Services): AdminRoute[] {
  /** What a request for a board says besides its stage. */
  const boardOf = async (call: AdminCall) => {
    const type = reviewedType(context, call);
    const workflow = await documents.workflowOf(type);
    if (!workflow) throw notFound(`${type.uid} has no stages of review`);
    const { locale, assignee } = paramsOf(call.request);
    const person = assignee === 'me' ? call.administrator.row.id : idIn(assignee, 'assignee');
    const code = await localeOf(services, { type, locale: parseLocale(locale) });
    return { type, workflow, locale: code, assignee: person };
  };
  const workflow: AdminHandler = async (call) => {
    const found = await documents.workflowOf(reviewedType(context, call));
    return sendData(call.reply, found ? shownStages(call, found) : null);
  };
  const page: AdminHandler = async (call) => {
    const board = await boardOf(call);
    const { stage: wanted, cursor } = paramsOf(call.request);
    const stage = board.workflow.stages.find(({ id }) => id === idIn(wanted, 'stage'));
    if (!stage) throw validation('stage must be the id of a stage of this type');
    const { cards, next } = await boardPage(services, call.viewer('read'), board, { stage, after: cursorOf(cursor) });
    return sendJson(call.reply, JSON.stringify({ data: cards, meta: { next } }));
  };
  const counts: AdminHandler = async (call) =>
    sendData(call.reply, await boardCounts(services, call.viewer('read'), await boardOf(call)));
  return [
    { path: '/review/:uid', methods: { GET: workflow } },
    { path: '/review/:uid/board', methods: { GET: page } },
    { path: '/review/:uid/counts', methods: { GET: counts } },
  ];
}

const shownStages = (call: AdminCall, workflow: Workflow) => ({
  name: workflow.name,
  stages: workflow.stages.map(({ id, name, color }) => ({ id, name, color })),
  required: workflow.required?.id ?? null,
  moves: movesOf(call.administrator, workflow),
});

function commentRoutes(context: HttpContext, comments: Comments, services: Services): AdminRoute[] {
  const readerOf = (call: AdminCall) => ({ administrator: call.administrator, viewer: call.viewer('read') });
  const idOf = ({ request }: AdminCall): number => {
    const id = rowIdOf(pathParam(request, 'comment'));
    if (id === undefined) throw notFound();
    return id;
  };
  const send = async (call: AdminCall, address: VersionAddress, status = 200) =>
    sendData(call.reply, (await comments.list(readerOf(call), address)).map(shownThread), status);
  const list: AdminHandler = (call) => send(call, ofQuery(context, call));
  const add: AdminHandler = async (call) => {
    const address = ofBody(context, call);
    await comments.add(readerOf(call), address, call.request.body);
    return send(call, address, 201);
  };
  const change: AdminHandler = async (call) => {
    const address = ofBody(context, call);
    await comments.change(readerOf(call), address, idOf(call), call.request.body);
    return send(call, address);
  };
  const remove: AdminHandler = async (call) => {
    const address = ofQuery(context, call);
    await comments.remove(readerOf(call), address, idOf(call));
    return send(call, address);
  };
  const people: AdminHandler = async (call) => {
    const { q = '' } = paramsOf(call.request);
    if (typeof q !== 'string' || q.length > TEXT_LENGTH) {
      throw validation(`q must be a text of at most ${TEXT_LENGTH} characters`);
    }
    const version = await versionAt(services, call.viewer('read'), ofQuery(context, call));
    return sendData(call.reply, await offeredPeople(services, version, q));
  };
  const mentions: AdminHandler = async (call) => {
    const found = await mentionsOf(services, readerOf(call));
    return sendData(
      call.reply,
      found.map((mention) => ({ ...mention, changedAt: timeOf(mention.changedAt) })),
    );
  };
  const readMentions: AdminHandler = async ({ request, reply, administrator }) => {
    await context.database.transaction((tx) => markMentionsRead(tx, administrator.row.id, request.body));
    return reply.code(204).send();
  };
  const document = '/content/:uid/:documentId';
  return [
    { path: '/me/mentions', methods: { GET: mentions, PUT: readMentions } },
    { path: `${document}/comments`, methods: { GET: list, POST: add } },
    { path: `${document}/comments/:comment`, methods: { PUT: change, DELETE: remove } },
    { path: `${document}/people`, methods: { GET: people } },
  ];
}

function shownThread({ replies, ...thread }: Thread) {
  const shown = <T extends { readonly createdAt: number; readonly editedAt: number | null }>(comment: T) => ({
    ...comment,
    createdAt: timeOf(comment.createdAt),
    editedAt: timeOf(comment.editedAt),
  });
  return { ...shown(thread), resolvedAt: timeOf(thread.resolvedAt), replies: replies.map(shown) };
}

function workflowRoutes(context: HttpContext): AdminRoute[] {
  const { database, catalog, review } = context;
  const workflows = new EditedWorkflows({ database, catalog, workflows: review.workflows });
  const idOf = ({ request }: AdminCall): number => {
    const id = rowIdOf(pathParam(request, 'id'));
    if (id === undefined) throw notFound();
    return id;
  };
  const send = async (call: AdminCall, status = 200) => {
    const data = (await workflows.list()).map((workflow) => shownWorkflow(context, workflow));
    const types = workflows.types.map(({ uid, displayName }) => ({ uid, displayName }));
    const roles = (await listStoredRoles(database)).map(({ id, name, code }) => ({ id, name, code }));
    return sendJson(call.reply, JSON.stringify({ data, meta: { types, roles } }), status);
  };
  const action = (name: string) => `admin::review-workflows.${name}`;
  const list: AdminHandler = (call) => send(call);
  const create: AdminHandler = async (call) => {
    await workflows.create(call.request.body);
    return send(call, 201);
  };
  const update: AdminHandler = async (call) => {
    await workflows.update(idOf(call), call.request.body);
    return send(call);
  };
  const remove: AdminHandler = async (call) => {
    await workflows.remove(idOf(call));
    return send(call);
  };
  return [
    {
      path: '/workflows',
      methods: { GET: withRight(action('read'), list), POST: withRight(action('create'), create) },
    },
    {
      path: '/workflows/:id',
      methods: { PUT: withRight(action('update'), update), DELETE: withRight(action('delete'), remove) },
    },
  ];
}

/** A workflow with the names of its types. The required stage is an index, as in bodies. */
const shownWorkflow = ({ catalog }: HttpContext, { id, name, stages, required, types, file }: ShownWorkflow) => ({
  id,
  name,
  stages,
  required: required === undefined ? null : stages.findIndex((stage) => stage.id === required),
  types: types.map((uid) => ({ uid, displayName: catalog.contentTypes.get(uid)?.displayName ?? uid })),
  file,
});

const isId = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

/** The id in a parameter; undefined without one. @throws ContentError 400 for anything else. */
function idIn(value: unknown, name: string): number | undefined {
  if (value === undefined || value === '') return undefined;
  const id = typeof value === 'string' ? rowIdOf(value) : undefined;
  if (id === undefined) throw validation(`${name} must be an id`);
  return id;
}

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  if (isObject(body)) return body;
  throw validation('The request needs a JSON object as its body');
}
