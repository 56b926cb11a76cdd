/** Documents in the administration API: versions, changes, possible links, and the configuration of forms and lists. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { arrange, arrangementFor } from '../../content/administration/arrange.ts';
import { MainFields } from '../../content/administration/arrangement.ts';
import { localeOfTag, mayDeleteWhole } from '../../content/administration/document-states.ts';
import { type Use, usesOf, withTargets } from '../../content/administration/document-uses.ts';
import { type Address, EditedDocuments, previewUrl } from '../../content/administration/edited-documents.ts';
import { FILLED, filledFrom } from '../../content/administration/filled.ts';
import { fits, freeValue, isFree, slugOf } from '../../content/administration/free-value.ts';
import { statesOf } from '../../content/administration/lists.ts';
import { linkedPage, relationChoices } from '../../content/administration/relation-choices.ts';
import { versionValues } from '../../content/administration/version-values.ts';
import type { TransitionName } from '../../content/documents/transitions.ts';
import { listEnvelope } from '../../content/reading/answers.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import { attributesIn, type RestoringContext, restoredData, shownContent } from '../../history/restoring.ts';
import { sharedValues } from '../../history/shared-values.ts';
import { namedLosses } from '../../history/shown-deletions.ts';
import { shownDocument } from '../../history/shown-document.ts';
import { listVersions, readVersion } from '../../history/versions.ts';
import { parseBody } from '../../query/body.ts';
import { pageOf } from '../../query/page.ts';
import type { RawObject } from '../../query/params.ts';
import { parseLocale } from '../../query/parse.ts';
import type { Model } from '../../schema/catalog.ts';
import { notePresence } from '../../users/administrators/presence.ts';
import { preconditionOf, tagsOf } from '../protocol/entity-tag.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam } from '../routes/routes.ts';
import type { AdminCall, AdminHandler } from './admin-route.ts';
import { sendData } from './answers.ts';
import { bulkBody } from './bulk-body.ts';
import { addressOf, bodyLocale } from './document-address.ts';
import { editingServices } from './editing.ts';
import { shownType } from './shown-type.ts';

/** Pages of recorded versions. */
const VERSIONS = { defaultLimit: 25, maxLimit: 100, withCount: true } as const;
/** Deleted documents in the losses of a version whose names are read. */
const LOSSES = 100;
const LINKS = { defaultLimit: 25, maxLimit: 100, withCount: true } as const;

/** Handlers of requests for documents. */
export type DocumentHandlers = ReturnType<typeof documentHandlers>;

export function documentHandlers(context: HttpContext) {
  const { catalog } = context;
  const mainFields = new MainFields(context.database);
  const services = editingServices(context);
  const editing = { ...services, catalog, locales: context.locales, mainFields };
  const documents = new EditedDocuments(editing);
  const { database, layout, writer, views } = context;
  const sharing = { db: database, layout, writer, whole: views.code.view };
  const restoring = (call: AdminCall): RestoringContext => ({
    ...{ db: database, layout },
    shown: services.reader.shown(database, call.viewer('read')),
  });

  const read: AdminHandler = async (call) => {
    const address = addressOf(context, call, paramsOf(call.request)['locale']);
    return send(call.reply, await documents.read(call.viewer, address));
  };
  const create: AdminHandler = async (call) => {
    const address = addressOf(context, call, bodyLocale(call.request), false);
    const [data, documentId] = [parseBody(call.request.body), chosenId(call.request)];
    const { document, isNew } = await documents.create(call.viewer, { ...address, documentId }, data);
    return send(call.reply, document, isNew ? 201 : 200);
  };
  const save: AdminHandler = async (call) => {
    const address = addressOf(context, call, bodyLocale(call.request));
    const data = parseBody(call.request.body);
    return send(call.reply, await documents.save(call.viewer, address, data, preconditionOf(call.request)));
  };
  const remove: AdminHandler = async (call) => {
    const address = addressOf(context, call, paramsOf(call.request)['locale']);
    const meant = address.type.localized ? localeOfTag(call.request.headers['if-match']) : undefined;
    await documents.delete(call.viewer, address, preconditionOf(call.request), meant);
    return call.reply.code(204).send();
  };
  const move =
    (name: TransitionName): AdminHandler =>
    async (call) => {
      const address = addressOf(context, call, bodyLocale(call.request));
      return send(call.reply, await documents.move(call.viewer, name, address, preconditionOf(call.request)));
    };
  /** The document of a request, which must be shown in some locale. */
  const shown = (call: AdminCall, { type, documentId }: Address) =>
    shownDocument(services, type, call.viewer('read'), documentId);
  const versions: AdminHandler = async (call) => {
    const { page, pageSize, locale } = paramsOf(call.request);
    const address = addressOf(context, call, locale);
    const found = await shown(call, address);
    const wanted = pageOf({ page, pageSize }, VERSIONS);
    const { versions: data, total } = await listVersions(context, found, address.locale, wanted);
    return sendJson(call.reply, listEnvelope({ data: JSON.stringify(data), page: wanted, total, next: undefined }));
  };
  /** A recorded version, as far as the administrator may see it. */
  const recorded = async (call: AdminCall) => {
    const address = addressOf(context, call, undefined);
    const { type } = address;
    const found = await shown(call, address);
    const id = pathParam(call.request, 'id');
    const { version, content } = await readVersion(context, found, id);
    const { view } = call.viewer('read');
    return {
      address: { ...address, documentId: found.documentId, locale: version.locale ?? undefined },
      version,
      content: shownContent(view, type, content),
    };
  };
  const version: AdminHandler = async (call) => {
    const { address, version, content } = await recorded(call);
    const { type, documentId } = address;
    const viewer = call.viewer('read');
    const values = await versionValues({ ...editing, files: context.views.full }, viewer, type, content);
    const shared = await sharedValues(sharing, type, documentId, version.locale);
    const { losses } = await restoredData(restoring(call), call.viewer('update').view, type, content, { shared });
    const viewers = { documents: viewer, files: call.libraryViewer('read') };
    const shown = { db: database, catalog, mainFieldOf: await mainFields.of(viewer.view) };
    return sendData(call.reply, { ...version, values, losses: await namedLosses(shown, viewers, losses, LOSSES) });
  };
  const restore: AdminHandler = async (call) => {
    const { address, version, content } = await recorded(call);
    const { type, documentId } = address;
    const only = attributesIn(call.request.body, type);
    const shared = await sharedValues(sharing, type, documentId, version.locale);
    const { data } = await restoredData(restoring(call), call.viewer('update').view, type, content, { only, shared });
    return send(call.reply, await documents.save(call.viewer, address, data, preconditionOf(call.request), true));
  };
  const duplicate: AdminHandler = async (call) => {
    const address = addressOf(context, call, bodyLocale(call.request));
    return send(call.reply, await documents.duplicate(call.viewer, address), 201);
  };
  const filled: AdminHandler = async (call) => {
    const { locale, from } = paramsOf(call.request);
    const [into, source] = [addressOf(context, call, locale), addressOf(context, call, from)];
    if (into.locale === undefined || source.locale === undefined) throw validation('Name the locales: from and locale');
    await requireLocale(context, into.locale);
    const version = await documents.read(call.viewer, source, FILLED);
    return sendData(call.reply, await filledFrom(services, call.viewer('read'), into.type, version, into.locale));
  };
  const uses: AdminHandler = async (call) => {
    const address = addressOf(context, call, undefined);
    const { documentId } = await documents.read(call.viewer, address);
    if (documentId === null) throw notFound();
    return sendUses(call.reply, await usesOf(editing, call.viewer('read'), address.type, [documentId]));
  };
  const usesOfSeveral: AdminHandler = async (call) => {
    const [type, viewer] = [shownType(context, call), call.viewer('read')];
    const shown = await statesOf(services.reader, type, viewer, bulkBody(call.request.body).documentIds);
    const [documentIds, states] = [[...shown.keys()], [...shown.values()]];
    const locales = type.localized ? [...new Set(states.flatMap((state) => Object.keys(state)))] : [];
    const whole = await mayDeleteWhole(services, call.viewer('delete'), type, documentIds);
    const { uses: found, more } = await usesOf(editing, viewer, type, documentIds);
    const uses = await withTargets(editing, viewer, type, documentIds, found);
    return sendUses(call.reply, { uses, more }, { locales, whole, states: Object.fromEntries(shown) });
  };
  const preview: AdminHandler = async (call) => {
    const address = addressOf(context, call, paramsOf(call.request)['locale']);
    const document = await documents.read(call.viewer, address);
    const pattern = context.config.admin.preview.urls.get(address.type.uid);
    return sendData(call.reply, { url: pattern === undefined ? null : previewUrl(pattern, address.type, document) });
  };
  const presence: AdminHandler = async (call) => {
    const address = addressOf(context, call, bodyLocale(call.request));
    const version = await documents.shownVersion(call.viewer('read'), address);
    const { id } = call.administrator.row;
    if (version === undefined) return sendData(call.reply, { others: [], states: {}, savedAt: null });
    const { states, savedAt } = version;
    return sendData(call.reply, { others: await notePresence(context.database, id, version), states, savedAt });
  };
  const links: AdminHandler = async (call) => {
    const { page, pageSize, locale } = paramsOf(call.request);
    const address = addressOf(context, call, locale);
    const wanted = pageOf({ page, pageSize }, LINKS);
    const attribute = pathParam(call.request, 'attribute');
    return sendLinked(call.reply, await linkedPage(editing, call.viewer, address, attribute, wanted));
  };
  const choices: AdminHandler = async (call) => {
    const { locale, q, page, pageSize, type } = paramsOf(call.request);
    const uid = pathParam(call.request, 'uid');
    const model = catalog.components.get(uid) ?? shownType(context, call);
    const requested = { locale: parseLocale(locale), q, page: pageOf({ page, pageSize }, LINKS), type };
    const attribute = pathParam(call.request, 'attribute');
    return sendLinked(call.reply, await relationChoices(editing, call.viewer, model, attribute, requested));
  };
  const uid: AdminHandler = async (call) => {
    const type = catalog.components.get(pathParam(call.request, 'uid')) ?? shownType(context, call);
    const attribute = type.attributes.get(pathParam(call.request, 'attribute'));
    if (attribute?.type !== 'uid' || call.viewer('read').view.of(type).named(attribute.name).kind !== 'field') {
      throw notFound();
    }
    const { value, from, documentId, locale } = textsOf(paramsOf(call.request));
    const candidate = value ?? slugOf(from ?? '', attribute);
    const named = type.modelType === 'component' ? type.displayName : type.singularName;
    const slug = candidate === '' ? slugOf(named, attribute) : candidate;
    // rows of components may have the same id
    if (type.modelType === 'component') {
      return sendData(call.reply, { value: slug, free: true, suggestion: fits(attribute, slug) ? slug : null });
    }
    const code = type.localized ? (locale ?? (await context.locales.default())) : null;
    const place = { type, name: attribute.name, locale: code, documentId };
    const reading = context.writer.reading(context.database);
    const free = await isFree(reading, place, slug);
    const suggestion = (await freeValue(reading, place, slug)) ?? null;
    return sendData(call.reply, { value: slug, free, suggestion });
  };

  return {
    ...layoutHandlers(context, mainFields),
    read,
    create,
    save,
    remove,
    publish: move('publish'),
    unpublish: move('unpublish'),
    discard: move('discardDraft'),
    duplicate,
    versions,
    version,
    restore,
    filled,
    preview,
    presence,
    uses,
    usesOfSeveral,
    links,
    choices,
    uid,
  };
}

/**
 * The requested id of a new document; undefined where the server generates one.
 *
 * @throws ContentError 400 for an id that no document can have.
 */
function chosenId({ body }: FastifyRequest): string | undefined {
  const { documentId } = body as { readonly documentId?: unknown };
  if (documentId === undefined) return undefined;
  if (typeof documentId === 'string' && /^[a-z0-9]{24,25}$/.test(documentId)) return documentId;
  throw validation('documentId must be 24 or 25 lower-case letters and digits');
}

/** The parameters that are texts and not empty. */
function textsOf(params: RawObject): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(params).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  );
}

async function requireLocale({ locales }: HttpContext, code: string): Promise<void> {
  if (!(await locales.has(code))) throw validation(`Locale "${code}" not found`);
}

/** Sends data with its tag. */
function send(reply: FastifyReply, data: { readonly tag: string | null }, status = 200): FastifyReply {
  if (data.tag !== null) reply.header('etag', data.tag);
  return sendData(reply, data, status);
}

const sendUses = (
  reply: FastifyReply,
  { uses, more }: { readonly uses: readonly Use[]; readonly more: boolean },
  rest: object = {},
): FastifyReply => sendJson(reply, JSON.stringify({ data: uses, meta: { more, ...rest } }));

const sendLinked = (
  reply: FastifyReply,
  { data, pagination }: { readonly data: unknown; readonly pagination: string },
): FastifyReply => sendJson(reply, `{"data":${JSON.stringify(data)},"meta":{"pagination":${pagination}}}`);

/** The actions that permit configuring forms and lists, as the reference names them. */
const ACTIONS = {
  collectionType: 'plugin::content-manager.collection-types.configure-view',
  singleType: 'plugin::content-manager.single-types.configure-view',
  component: 'plugin::content-manager.components.configure-layout',
} as const;

function layoutHandlers(context: HttpContext, mainFields: MainFields) {
  const { catalog, database } = context;
  const arrangement: AdminHandler = async (call) => {
    const model = configuredModel(context, call);
    return send(call.reply, await arrangementFor(database, catalog, model));
  };
  const arrangeAnew: AdminHandler = async (call) => {
    const model = configuredModel(context, call);
    const tags = tagsOf(call.request.headers['if-match']);
    const data = await database.transaction((tx) => arrange(tx, catalog, model, call.request.body, tags));
    mainFields.forget();
    return send(call.reply, data);
  };
  return { arrangement, arrangeAnew };
}

/**
 * The type or component in a path.
 *
 * @throws ContentError as `shownType`, and 403 without the right to configure it.
 */
function configuredModel(context: HttpContext, call: AdminCall): Model {
  const model = context.catalog.components.get(pathParam(call.request, 'uid')) ?? shownType(context, call);
  const action = ACTIONS[model.modelType === 'component' ? 'component' : model.kind];
  if (!call.administrator.rights.rights.some((right) => right.action === action)) throw forbidden();
  return model;
}
