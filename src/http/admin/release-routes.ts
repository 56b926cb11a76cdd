/** Releases, for administrators with the reference's rights. */
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import { readArrangements } from '../../content/administration/arrangement.ts';
import { statesOf } from '../../content/administration/lists.ts';
import { namedVersions } from '../../content/administration/named-versions.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { forbidden, validation } from '../../errors.ts';
import { at, because, Failures } from '../../failures.ts';
import { linkedDrafts } from '../../releases/linked-drafts.ts';
import { planRun } from '../../releases/planned-runs.ts';
import { ReleaseRuns, shownProblems } from '../../releases/release-runs.ts';
import {
  actionIn,
  actionKey,
  actionsOf,
  addActions,
  changeAction,
  createRelease,
  deleteRelease,
  findRelease,
  listReleases,
  localizedAction,
  lockRelease,
  moveActions,
  type NewAction,
  type Release,
  type ReleaseAction,
  refreshStatus,
  releasesOf,
  removeActions,
  updateRelease,
} from '../../releases/releases.ts';
import { type Reverter, reversalsOf, revertRelease } from '../../releases/reverting.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { editingServices } from './editing.ts';
import { actionsBody, actionTypeBody, isConfirmed, orderBody, releaseBody } from './release-bodies.ts';
import { mayAct, withRight } from './settings-rights.ts';
import { shownType } from './shown-type.ts';

/** Releases of a page, and documents of a page of a release. */
const PAGE = 50;
const ACTIONS_PAGE = 100;

type Right = 'read' | 'create' | 'update' | 'delete' | 'publish' | 'create-action' | 'delete-action';

const by = (right: Right, handler: AdminHandler): AdminHandler =>
  withRight(`plugin::content-releases.${right}`, handler);

export function releaseRoutes(context: HttpContext): AdminRoute[] {
  const { catalog, database, locales, transitions, writer, scheduledDocuments } = context;
  const services = editingServices(context);
  const { reader, together } = services;
  const runs = new ReleaseRuns({ catalog, database, locales, reader, transitions, together });
  const idOf = ({ request }: AdminCall) => rowIdOf(pathParam(request, 'id'));
  const found = (call: AdminCall): Promise<Release> => findRelease(database, idOf(call));
  /** Changes a release that has not run, and the state that follows from its actions. */
  const changing = (call: AdminCall, work: (tx: Transaction, release: Release) => Promise<unknown>) =>
    database.transaction(async (tx) => {
      const release = await lockRelease(tx, idOf(call));
      await work(tx, release);
      await refreshStatus(tx, release.id);
    });

  /** The right to plan a release is the right to run it. */
  const requirePlanner = (call: AdminCall): void => {
    if (!mayAct(call, 'plugin::content-releases.publish')) throw forbidden();
  };
  /** What a release that is planned does runs with the rights of its planner: others add what they may do themselves. */
  const requirePublisher = async (
    call: AdminCall,
    tx: Transaction,
    release: Release,
    actions: readonly NewAction[],
  ) => {
    if (release.scheduledAt !== null) await runs.requirePermitted(tx, call.viewer('publish'), actions);
  };

  const list: AdminHandler = async ({ request, reply }) => {
    const params = paramsOf(request);
    const { state = 'pending', cursor } = params;
    const failures = new Failures();
    failures.addUnknown(params, ['state', 'cursor']);
    if (state !== 'pending' && state !== 'done') failures.add(at('state'), 'state must be pending or done', state);
    const before = typeof cursor === 'string' ? rowIdOf(cursor) : undefined;
    if (cursor !== undefined && before === undefined) {
      failures.add(at('cursor'), 'cursor must be the next of another page', cursor);
    }
    failures.throwAny();
    const read = await listReleases(database, { isDone: state === 'done', before, most: PAGE + 1 });
    const page = read.slice(0, PAGE);
    const next = read.length > PAGE ? String(page.at(-1)!.id) : null;
    return sendJson(reply, JSON.stringify({ data: page.map(shownRelease), meta: { next } }));
  };
  const read: AdminHandler = async (call) => sendData(call.reply, shownRelease(await found(call)));
  const create: AdminHandler = async (call) => {
    const { request, reply, administrator } = call;
    const { now } = scheduledDocuments;
    const plan = releaseBody(request.body, now);
    if (plan.scheduledAt !== null) requirePlanner(call);
    const id = await database.transaction(async (tx) => {
      const created = await createRelease(tx, plan, administrator.row.id, now);
      if (plan.scheduledAt !== null) await planRun(tx, created, plan.scheduledAt, now);
      return created;
    });
    return sendData(reply, shownRelease(await findRelease(database, id)), 201);
  };
  const update: AdminHandler = async (call) => {
    const { now } = scheduledDocuments;
    const before = await found(call);
    const plan = releaseBody(call.request.body, now, before.scheduledAt);
    await changing(call, async (tx, release) => {
      await updateRelease(tx, release, plan, call.administrator.row.id, now);
      if (plan.scheduledAt === release.scheduledAt) return;
      requirePlanner(call);
      await planRun(tx, release.id, plan.scheduledAt, now);
    });
    return read(call);
  };
  const remove: AdminHandler = async (call) => {
    await database.transaction(async (tx) => {
      const release = await lockRelease(tx, idOf(call));
      await planRun(tx, release.id, null, scheduledDocuments.now);
      await deleteRelease(tx, release);
    });
    return call.reply.code(204).send();
  };

  /** Names the default locale where an action on a localized type names none. */
  const localized = async <A extends NewAction>(actions: readonly A[]): Promise<readonly A[]> => {
    const first = await locales.default();
    return actions.map((action) => localizedAction(catalog, action, first));
  };
  /** The documents of actions as the administrator is shown them. */
  const named = async ({ viewer }: AdminCall, actions: readonly NewAction[]) => {
    const stored = await readArrangements(database);
    const shown = new Map<string, { readonly label: string | null; readonly state: string | null }>();
    for (const [uid, ofType] of Map.groupBy(actions, (action) => action.uid)) {
      const type = catalog.contentTypes.get(uid);
      if (!type || !isEdited(type) || !viewer('read').view.may(`${uid}.find`)) continue;
      const ids = [...new Set(ofType.flatMap(({ documentId }) => documentId ?? []))];
      const versions = await namedVersions(reader, viewer('read'), type, ids, stored.get(uid));
      const states = await statesOf(reader, type, viewer('read'), ids);
      const labels = new Map(versions.map((one) => [actionKey({ ...one, uid }), one.label]));
      for (const action of ofType) {
        const key = actionKey(action);
        const state = states.get(action.documentId ?? '')?.[(type.localized && action.locale) || ''] ?? null;
        if (state !== null || labels.has(key)) shown.set(key, { label: labels.get(key) ?? null, state });
      }
    }
    return (action: NewAction) => shown.get(actionKey(action)) ?? null;
  };
  const actions: AdminHandler = async (call) => {
    const release = await found(call);
    const { cursor } = paramsOf(call.request);
    const from = cursor === undefined ? 0 : rowIdOf(String(cursor));
    if (from === undefined) throw validation('cursor must be the next of another page');
    const read = await actionsOf(database, release.id, ACTIONS_PAGE + 1, from);
    const page = await localized(read.slice(0, ACTIONS_PAGE));
    const document = await named(call, page);
    const data = page.map((action) => ({ ...shownAction(action), document: document(action) }));
    const next = read.length > ACTIONS_PAGE ? String(from + ACTIONS_PAGE) : null;
    return sendJson(call.reply, JSON.stringify({ data, meta: { next } }));
  };
  /** Refuses actions on documents that the administrator is not shown, or that have no drafts. */
  const requireShown = async (call: AdminCall, added: readonly NewAction[]): Promise<readonly NewAction[]> => {
    const failures = new Failures();
    const document = await named(call, added);
    const checked = added.map((action, n) => {
      const type = catalog.contentTypes.get(action.uid);
      const isGone = !type?.draftAndPublish || document(action) === null;
      if (isGone) failures.add(at('actions', n), because('document not found', 'gone', { type: action.uid }));
      return type?.localized ? action : { ...action, locale: null };
    });
    failures.throwAny();
    return checked;
  };
  const add: AdminHandler = async (call) => {
    const wanted = await requireShown(call, await localized(actionsBody(call.request.body)));
    let added = 0;
    await changing(call, async (tx, release) => {
      await requirePublisher(call, tx, release, wanted);
      added = await addActions(tx, release, wanted, Date.now());
    });
    await runs.validate(call.viewer('publish'), await found(call));
    return sendData(call.reply, { added, present: wanted.length - added }, 201);
  };
  const change: AdminHandler = async (call) => {
    const type = actionTypeBody(call.request.body);
    const id = rowIdOf(pathParam(call.request, 'action'));
    await changing(call, async (tx, release) => {
      const action = await actionIn(tx, release, id);
      await requirePublisher(call, tx, release, [{ ...action, type }]);
      await changeAction(tx, release, action, type);
    });
    return call.reply.code(204).send();
  };
  const removeSome: AdminHandler = async (call) => {
    const { ids } = orderBody(call.request.body);
    await changing(call, (tx, release) => removeActions(tx, release, ids));
    return call.reply.code(204).send();
  };
  const move: AdminHandler = async (call) => {
    const { ids, before } = orderBody(call.request.body);
    await changing(call, (tx, release) => moveActions(tx, release, ids, before));
    return call.reply.code(204).send();
  };
  const validate: AdminHandler = async (call) => {
    const problems = await runs.validate(call.viewer('publish'), await found(call));
    return sendData(call.reply, shownProblems(problems));
  };
  const run: AdminHandler = async (call) => {
    await runs.run(call.viewer('publish'), idOf(call));
    return read(call);
  };
  const reverting = {
    ...{ catalog, database, reader, together, writer: services.writer, layout: context.layout },
    ...{ history: context.config.history, whole: context.views.code },
  };
  const reverterOf = (call: AdminCall): Reverter => ({ read: call.viewer('read'), publish: call.viewer('publish') });
  const reversal: AdminHandler = async (call) => {
    const release = await found(call);
    const all = await actionsOf(database, release.id);
    const { reversals, problems } = await reversalsOf(reverting, reverterOf(call), release, all);
    const count = (effect: string) => reversals.filter((one) => one.effect === effect).length;
    const noted = reversals.filter(({ isChanged, losses }) => isChanged || losses.length > 0).slice(0, ACTIONS_PAGE);
    const actions = noted.map(({ action }) => action);
    const document = await named(call, actions);
    return sendData(call.reply, {
      ...{ restore: count('restore'), unpublish: count('unpublish') },
      changed: reversals.filter(({ isChanged }) => isChanged).length,
      documents: noted.map(({ action, effect, isChanged, losses }) => ({
        action: { id: action.id, ...shownNew(action) },
        ...{ effect, isChanged, losses: losses.slice(0, ACTIONS_PAGE), document: document(action) },
      })),
      ...shownProblems(problems),
    });
  };
  const revert: AdminHandler = async (call) => {
    await revertRelease(reverting, reverterOf(call), idOf(call), isConfirmed(call.request.body));
    return read(call);
  };
  const missing: AdminHandler = async (call) => {
    const { id } = await found(call);
    const linked = await linkedDrafts({ catalog, database, writer }, await actionsOf(database, id));
    const document = await named(call, linked);
    const shown = linked.flatMap((action) => {
      const one = document(action);
      return one ? [{ ...shownNew(action), document: one }] : [];
    });
    return sendJson(call.reply, JSON.stringify({ data: shown.slice(0, ACTIONS_PAGE), meta: { count: shown.length } }));
  };
  const ofDocument: AdminHandler = async (call) => {
    const type = shownType(context, call);
    const documentId = pathParam(call.request, 'documentId');
    const holding = await releasesOf(database, type.uid, [documentId]);
    const first = await locales.default();
    return sendData(
      call.reply,
      holding.map(({ id, name, scheduledAt, action }) => ({
        ...{ id, name, scheduledAt: timeOf(scheduledAt) },
        action: shownAction(localizedAction(catalog, action, first)),
      })),
    );
  };
  return [
    { path: '/releases', methods: { GET: by('read', list), POST: by('create', create) } },
    {
      path: '/releases/:id',
      methods: { GET: by('read', read), PUT: by('update', update), DELETE: by('delete', remove) },
    },
    { path: '/releases/:id/actions', methods: { GET: by('read', actions), POST: by('create-action', add) } },
    { path: '/releases/:id/actions/:action', methods: { PUT: by('update', change) } },
    { path: '/releases/:id/remove', methods: { POST: by('delete-action', removeSome) } },
    { path: '/releases/:id/order', methods: { POST: by('update', move) } },
    { path: '/releases/:id/validate', methods: { POST: by('read', validate) } },
    { path: '/releases/:id/run', methods: { POST: by('publish', run) } },
    { path: '/releases/:id/reversal', methods: { GET: by('publish', reversal) } },
    { path: '/releases/:id/revert', methods: { POST: by('publish', revert) } },
    { path: '/releases/:id/missing', methods: { GET: by('read', missing) } },
    { path: '/content/:uid/:documentId/releases', methods: { GET: by('read', ofDocument) } },
  ];
}

function shownRelease(release: Release) {
  const { id, name, status, timezone, actionCount, createdBy } = release;
  return {
    ...{ id, name, status, timezone, actionCount, createdBy },
    releasedAt: timeOf(release.releasedAt),
    revertedAt: timeOf(release.revertedAt),
    scheduledAt: timeOf(release.scheduledAt),
    createdAt: timeOf(release.createdAt),
    updatedAt: timeOf(release.updatedAt),
  };
}

const shownNew = ({ type, uid, documentId, locale }: NewAction) => ({ type, contentType: uid, documentId, locale });
const shownAction = ({ id, isValid, ...action }: ReleaseAction) => ({ id, ...shownNew(action), isValid });
