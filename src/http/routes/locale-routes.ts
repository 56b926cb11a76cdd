/**
 * `/i18n/locales`: the reference's flat list, whose query is ignored, and Galley's own writes
 * (docs/reference/extensions.md, "Locales"). Bodies and answers are plain records, as in the list.
 */
import type { FastifyReply } from 'fastify';
import { LOCALES } from '../../access/actions.ts';
import {
  announcedLocales,
  createLocale,
  deleteLocale,
  type Locale,
  listLocales,
  updateLocale,
  type WantedLocale,
} from '../../content/locales/locales.ts';
import { readRows, transactionOf } from '../../content/rows/around-rows.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { invalidKey, notFound, validation } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { isObject } from '../../plain-values.ts';
import { everything } from '../../query/page.ts';
import { LOCALE_UID } from '../../schema/catalog.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from './context.ts';
import { builtInRoutes, type Handler, pathParam, type Route } from './routes.ts';

const KEYS = ['code', 'name', 'isDefault'];

export function localeRoutes(context: HttpContext): Route[] {
  const { catalog, config, around, reader, locales, views } = context;
  const type = catalog.contentTypes.get(LOCALE_UID)!;
  const records = async (): Promise<{ id: number; code: string }[]> => {
    const { data } = await reader.list(type, views.full, {}, { page: everything });
    return JSON.parse(data);
  };
  const withDefault = <T extends { code: string }>(record: T, chosen: string) => ({
    ...record,
    isDefault: record.code === chosen,
  });
  const sendRecord = async (reply: FastifyReply, rowId: number, status = 200): Promise<FastifyReply> => {
    const record = (await records()).find(({ id }) => id === rowId);
    if (!record) throw notFound('Locale not found');
    return sendJson(reply, JSON.stringify(withDefault(record, await locales.default())), status);
  };

  const list: Handler = async ({ reply }) => {
    const chosen = await locales.default();
    const listed = await readRows(around, LOCALE_UID, 'findMany', announcedLocales, records);
    return sendJson(reply, JSON.stringify(listed.map((record) => withDefault(record, chosen))));
  };
  const create: Handler = async ({ request, reply }) => {
    const wanted = wantedOf(request.body);
    const { id: rowId } = await transactionOf(context, [LOCALE_UID], (tx) => createLocale(tx, wanted, around));
    return sendRecord(reply, rowId, config.rest.createdStatus);
  };
  const update: Handler = async ({ request, reply }) => {
    const wanted = wantedOf(request.body);
    const rowId = await transactionOf(context, [LOCALE_UID], async (tx) => {
      const locale = await localeOf(tx, pathParam(request, 'id'));
      await updateLocale(tx, locale, wanted, around);
      return locale.id;
    });
    return sendRecord(reply, rowId);
  };
  const remove: Handler = async ({ request, reply }) => {
    const before = await records();
    const locale = await transactionOf(context, [LOCALE_UID], async (tx) => {
      const found = await localeOf(tx, pathParam(request, 'id'));
      await deleteLocale(tx, context, found);
      return found;
    });
    const record = before.find(({ id }) => id === locale.id) ?? { id: locale.id, code: locale.code };
    return sendJson(reply, JSON.stringify({ ...record, isDefault: false }));
  };
  return builtInRoutes(LOCALES, {
    listLocales: list,
    createLocale: create,
    updateLocale: update,
    deleteLocale: remove,
  });
}

/** The keys of a body. */
function wantedOf(body: unknown): WantedLocale {
  if (!isObject(body)) {
    throw validation('The body must be an object with code, name and isDefault');
  }
  for (const key of Object.keys(body)) {
    if (!KEYS.includes(key)) throw invalidKey({ key, path: key, source: 'body', nearest: nearest(key, KEYS) });
  }
  return body;
}

/** The locale of a row id or a document id. */
async function localeOf(db: Queryable, address: string): Promise<Locale> {
  const found = (await listLocales(db)).find(({ id, documentId }) => String(id) === address || documentId === address);
  if (!found) throw notFound('Locale not found');
  return found;
}
