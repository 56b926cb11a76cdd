/** Lists of documents, and actions on several documents. */
import type { Operation } from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import { type BulkName, type Outcome, runBulk } from '../../content/administration/bulk.ts';
import { cohortSizes, listDocuments, listedIds, statesOf } from '../../content/administration/lists.ts';
import { matchesOf } from '../../content/administration/search-matches.ts';
import { enclose } from '../../content/reading/answers.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import { pageMeta } from '../../query/page.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { forgetRefused, keepRefused, refusedOf } from '../../users/administrators/refused-actions.ts';
import { logError } from '../protocol/refusals.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import { deletedLocales, namedLocales } from '../routes/write-params.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { bulkBody } from './bulk-body.ts';
import { editingServices } from './editing.ts';
import { shownType } from './shown-type.ts';

/** Actions of the content API by bulk action, with the right that each needs. */
const BULK = {
  publish: { operation: 'publish', action: 'publish' },
  unpublish: { operation: 'publish', action: 'unpublish' },
  delete: { operation: 'delete', action: 'delete' },
} as const satisfies Readonly<Record<BulkName, { readonly operation: Operation; readonly action: string }>>;

export function listRoutes(context: HttpContext): AdminRoute[] {
  const services = editingServices(context);
  const { reader } = services;
  const { database } = context;
  const list: AdminHandler = async (call) => {
    const [type, viewer] = [shownType(context, call), call.viewer('read')];
    const found = await listDocuments(reader, type, viewer, paramsOf(call.request));
    const documents = JSON.parse(found.data) as readonly { readonly id: number; readonly documentId: string }[];
    const states = await statesOf(
      reader,
      type,
      viewer,
      documents.map(({ documentId }) => documentId),
    );
    const params = paramsOf(call.request);
    const matches = params['_q']
      ? await matchesOf(
          { reader, fold: database.dialect.foldValue },
          type,
          viewer,
          params,
          documents.map(({ id }) => id),
        )
      : {};
    const json = JSON.stringify({ states: Object.fromEntries(states), matches }).slice(1, -1);
    const meta = `"pagination":${pageMeta(found.page, found.total, found.next)},${json}`;
    return sendJson(call.reply, enclose('{"data":', found.data, `,"meta":{${meta}}}`));
  };
  const ids: AdminHandler = async (call) => {
    const [type, viewer] = [shownType(context, call), call.viewer('read')];
    const data = await listedIds(reader, type, viewer, paramsOf(call.request));
    return sendData(call.reply, data);
  };
  const cohorts: AdminHandler = async (call) => {
    const [type, viewer] = [shownType(context, call), call.viewer('read')];
    const data = await cohortSizes(
      { ...services, layout: context.layout },
      type,
      viewer,
      paramsOf(call.request)['locale'],
    );
    return sendData(call.reply, data);
  };
  const performing = async (name: BulkName, type: ContentType, viewer: Viewer, locale: string | undefined) => {
    if (name === 'delete') {
      const locales = await deletedLocales(context, type, { locale, status: undefined });
      // deleting an account also ends its sessions and sends mails
      const writer = services.writers.get(type.uid) ?? services.writer;
      return (documentId: string) => writer.delete({ type, viewer, documentId, locales });
    }
    if (!type.draftAndPublish) throw validation(`${type.uid} has no drafts: there is nothing to ${name}`);
    const locales = await namedLocales(context, type, locale);
    const shape = { fields: ['documentId'] };
    return (documentId: string) => services.transitions.run({ name, type, viewer, documentId, locales, shape });
  };
  const bulk =
    (name: BulkName): AdminHandler =>
    async (call) => {
      const type = shownType(context, call);
      const { operation, action } = BULK[name];
      const viewer = call.viewer(operation);
      if (!viewer.view.may(`${type.uid}.${action}`)) throw forbidden();
      const { documentIds, locale } = bulkBody(call.request.body);
      const perform = await performing(name, type, viewer, locale);
      const { outcomes, failure } = await runBulk(documentIds, perform);
      // types without locales ignore them
      const requested = { type: type.uid, action: name, locale: (type.localized && locale) || null };
      const refused = await storeRefused(call, requested, outcomes);
      if (failure !== undefined) throw failure;
      return sendJson(call.reply, JSON.stringify({ data: outcomes, meta: { refused } }));
    };
  /** Collects refusals up to a limit: completed parts stay, and are reported. */
  const storeRefused = async (
    { request, administrator }: AdminCall,
    requested: Parameters<typeof keepRefused>[2],
    outcomes: readonly Outcome[],
  ): Promise<number | null> => {
    if (outcomes.every(({ error }) => error === null)) return null;
    try {
      return await database.transaction((tx) => keepRefused(tx, administrator.row.id, requested, outcomes));
    } catch (error) {
      logError(error as Error & { code: string }, request, context.http.log);
      return null;
    }
  };
  const clearRefused: AdminHandler = async ({ reply, administrator }) =>
    sendData(reply, await refusedOf(database, administrator.row.id));
  const sendRefused: AdminHandler = async ({ request, reply, administrator }) => {
    const id = rowIdOf(pathParam(request, 'id'));
    if (id === undefined) throw notFound();
    await database.transaction((tx) => forgetRefused(tx, administrator.row.id, id));
    return reply.code(204).send();
  };
  return [
    { path: '/content/:uid', methods: { GET: list } },
    { path: '/content/:uid/ids', methods: { GET: ids } },
    { path: '/cohorts/:uid', methods: { GET: cohorts } },
    ...(['publish', 'unpublish', 'delete'] as const).map((name) => ({
      path: `/content/:uid/bulk/${name}`,
      methods: { POST: bulk(name) },
    })),
    { path: '/me/refused', methods: { GET: clearRefused } },
    { path: '/me/refused/:id', methods: { DELETE: sendRefused } },
  ];
}
