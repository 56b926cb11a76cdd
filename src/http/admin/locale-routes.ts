/** Locales in the administration, with the reference's rights, and untranslated documents. */
import {
  contentOfLocale,
  removeContent,
  type Translated,
  translatedTypes,
  typesInLocale,
} from '../../content/administration/locale-content.ts';
import {
  announcedLocales,
  createLocale,
  defaultLocale,
  deleteLocale,
  type Locale,
  listLocales,
  requireKnownCode,
  requireNoDefault,
  updateLocale,
  type WantedLocale,
} from '../../content/locales/locales.ts';
import { readRows, transactionOf } from '../../content/rows/around-rows.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { forbidden, notFound } from '../../errors.ts';
import { at, validationFailure } from '../../failures.ts';
import { objectOrEmpty } from '../../plain-values.ts';
import { type ContentType, LOCALE_UID } from '../../schema/catalog.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { editingServices } from './editing.ts';
import { withRight } from './settings-rights.ts';

const may = (right: 'create' | 'read' | 'update' | 'delete', handler: AdminHandler): AdminHandler =>
  withRight(`plugin::i18n.locale.${right}`, handler);

export function localeRoutes(context: HttpContext): AdminRoute[] {
  const { database, around, views, administrators } = context;
  const services = editingServices(context);
  const described = async () => {
    const chosen = await defaultLocale(database);
    return (await listLocales(database)).map(({ id, code, name }) => ({ id, code, name, isDefault: code === chosen }));
  };
  const toldOne = async (id: number) => (await described()).find((one) => one.id === id)!;
  const found = (call: AdminCall, db: Queryable = database) => localeOf(db, pathParam(call.request, 'id'));

  const list: AdminHandler = async (call) =>
    sendData(call.reply, await readRows(around, LOCALE_UID, 'findMany', announcedLocales, described));
  const create: AdminHandler = async (call) => {
    const { code, name, isDefault } = objectOrEmpty(call.request.body);
    const wanted: WantedLocale = { code, name, isDefault };
    requireKnownCode(code);
    const { id } = await transactionOf(context, [LOCALE_UID], (tx) => createLocale(tx, wanted, around));
    return sendData(call.reply, await toldOne(id), 201);
  };
  const update: AdminHandler = async (call) => {
    const { name, isDefault } = objectOrEmpty(call.request.body);
    const id = await transactionOf(context, [LOCALE_UID], async (tx) => {
      const locale = await found(call, tx);
      await updateLocale(tx, locale, { name, isDefault }, around);
      return locale.id;
    });
    return sendData(call.reply, await toldOne(id));
  };
  const content: AdminHandler = async (call) => {
    const { code } = await found(call);
    const types = await contentOfLocale(database, context, code);
    return sendData(
      call.reply,
      types.map(({ type: { uid, displayName }, documents, only }) => ({ uid, displayName, documents, only })),
    );
  };
  const untranslated: AdminHandler = async (call) => {
    const codes = (await listLocales(database)).map(({ code }) => code);
    const types = await translatedTypes(context, call.viewer('read'));
    return sendData(
      call.reply,
      types.map((one) => toldTranslated(one, codes)),
    );
  };
  /** Deletes content in the locale, and the locale itself when no content is left. */
  const remove: AdminHandler = async (call) => {
    const locale = await found(call);
    const { code } = objectOrEmpty(call.request.body);
    if (code !== locale.code) {
      throw validationFailure(at('code'), `code must be ${locale.code}, to confirm that its content is deleted`);
    }
    await requireNoDefault(database, locale);
    const types = await typesInLocale(database, context, locale.code);
    if (types.some(({ uid }) => administrators.isClosed(`${uid}.delete`))) throw forbidden();
    const viewer = { view: views.full.view, values: call.viewer('delete').values };
    const writerOf = ({ uid }: ContentType) => services.writers.get(uid) ?? services.writer;
    const place = { ...context, database: services.database };
    const { removed, isLeft } = await removeContent(place, writerOf, viewer, locale.code);
    if (!isLeft) {
      await transactionOf(context, [LOCALE_UID], async (tx) => deleteLocale(tx, context, await found(call, tx)));
    }
    return sendData(call.reply, { removed, isDone: !isLeft });
  };
  return [
    { path: '/locales', methods: { GET: may('read', list), POST: may('create', create) } },
    { path: '/locales/untranslated', methods: { GET: may('read', untranslated) } },
    { path: '/locales/:id', methods: { PUT: may('update', update) } },
    { path: '/locales/:id/content', methods: { GET: may('delete', content) } },
    { path: '/locales/:id/remove', methods: { POST: may('delete', remove) } },
  ];
}

/** @throws ContentError 404 for no such locale. */
async function localeOf(db: Queryable, address: string): Promise<Locale> {
  const locale = (await listLocales(db)).find(({ id }) => String(id) === address);
  if (!locale) throw notFound();
  return locale;
}

function toldTranslated({ type, documents, inLocale }: Translated, codes: readonly string[]) {
  const { uid, displayName } = type;
  const missing = documents === null ? null : codes.map((code) => [code, documents - (inLocale.get(code) ?? 0)]);
  return { uid, displayName, documents, missing: missing && Object.fromEntries(missing) };
}
