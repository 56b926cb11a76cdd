/** The actions of core controllers as Galley answers them: one statement, with what the caller may see and write. */
import type { Viewer } from '../../access/view.ts';
import { refuseShared } from '../../content/documents/version.ts';
import type { WriteRequest } from '../../content/documents/write-request.ts';
import type { JsonBody, ListText, OneText } from '../../content/reading/answers.ts';
import { forbidden, isNotFound, validation } from '../../errors.ts';
import { parseBody } from '../../query/body.ts';
import { everything } from '../../query/page.ts';
import { parseParams, type RawObject } from '../../query/params.ts';
import { mayNameRelease, parseLocale, parseLocales, parseStatus } from '../../query/parse.ts';
import { plainData, rawParam, rawParams } from '../../query/plain.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type Context, callingOf, queryOf, readQueryOf } from '../requests/context.ts';
import { verifiedViewer } from '../requests/verified-viewer.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { ContentApi } from './content-api.ts';
export class CoreActions {
  readonly #runtime: RuntimeContext;

  readonly #contentApi: ContentApi;

  constructor(runtime: RuntimeContext, contentApi: ContentApi) {
    this.#runtime = runtime;
    this.#contentApi = contentApi;
  }

  /** The parameters of a request. @throws ContentError 400 for an unknown one, with `rest.strictParams`. */
  #params(ctx: Context): RawObject {
    const strict = this.#runtime.config.rest.strictParams;
    this.#contentApi.added.checkQuery(queryOf(ctx), { strict, route: ctx.state['route'] });
    return requestedParams(queryOf(ctx));
  }

  #viewer(ctx: Context): Viewer | Promise<Viewer> {
    return verifiedViewer(this.#runtime, ctx);
  }

  async list(type: ContentType, ctx: Context): Promise<ListText<JsonBody>> {
    const { reader, config } = this.#runtime;
    const { request, state } = ctx;
    // parsed query strings are cached, and code may have changed the object
    const isOrdinary =
      readQueryOf(ctx) === undefined && !config.rest.strictParams && !this.#contentApi.added.has(state['route']);
    if (isOrdinary) return reader.queryList(type, await this.#viewer(ctx), request.querystring);
    const viewer = await this.#viewer(ctx);
    const params = this.#params(ctx);
    return reader.list(type, viewer, params, { preview: await reader.previewOf(viewer.view, params) });
  }

  /** One document; that of a single type without an id. */
  async one(type: ContentType, ctx: Context, documentId: string | undefined): Promise<OneText | undefined> {
    const single =
      documentId === undefined ? ({ kind: 'single' } as const) : ({ kind: 'document', documentId } as const);
    const { reader } = this.#runtime;
    const viewer = await this.#viewer(ctx);
    const params = this.#params(ctx);
    return reader.one(type, viewer, params, single, { preview: await reader.previewOf(viewer.view, params) });
  }

  /**
   * Refuses the preview of a release where documents are read through code, which would be given those that are
   * published. A parameter of that name that the code reads itself is no preview.
   *
   * @throws ContentError 400
   */
  async refusePreview(ctx: Context): Promise<void> {
    const { querystring } = ctx.request;
    // the query is not parsed for the code, which may not read it
    const read = readQueryOf(ctx) ?? (mayNameRelease(querystring) ? parseParams(querystring) : undefined);
    const release = (read as RawObject | undefined)?.['release'];
    if (release === undefined || !(await this.#runtime.reader.isRelease(release))) return;
    throw validation('Code of this project answers here, so that releases cannot be previewed', {
      source: 'query',
      param: 'release',
    });
  }

  async create(type: ContentType, ctx: Context): Promise<OneText> {
    return this.#runtime.writer.create(await this.#write(type, ctx));
  }

  /** The updated document; undefined if it does not exist. */
  async update(type: ContentType, ctx: Context, documentId: string | undefined): Promise<OneText | undefined> {
    const request = await this.#write(type, ctx);
    const { writer } = this.#runtime;
    if (documentId === undefined) return writer.updateSingle(request);
    return writer.update(request, documentId).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  async remove(type: ContentType, ctx: Context, documentId: string | undefined): Promise<void> {
    const viewer = await this.#viewer(ctx);
    const params = this.#params(ctx);
    this.#runtime.reader.check(type, viewer, params);
    const removal = { type, viewer, locales: await this.#removed(type, params) };
    const { writer } = this.#runtime;
    await (documentId === undefined ? writer.deleteSingle(removal) : writer.delete({ ...removal, documentId }));
  }

  /**
   * Whether the document to update exists.
   *
   * @param documentId undefined: the document of a single type, which is created if it is missing.
   * @throws ContentError 403 for a new locale version without the right to create it, 400 for one with values that all
   *   locales share.
   */
  async mayUpdate(type: ContentType, ctx: Context, documentId: string | undefined, data: unknown): Promise<boolean> {
    const { locales, writer, database } = this.#runtime;
    const locale = await this.#locale(type, requestedParams(queryOf(ctx)));
    const versions = await this.#versions(type, documentId);
    if (documentId !== undefined && versions.length === 0) return false;
    if (!type.localized) return true;
    const main = await locales.default();
    const code = locale ?? main;
    if (versions.includes(code)) return true;
    if ((versions.length > 0 || code !== main) && !this.#mayLocalize(type, ctx)) throw forbidden();
    const shared = writer.reading(database).plans.index.sharedAttributes(type.uid);
    const brought = Object.keys(Object(data)).filter((name) => shared.has(name));
    if (versions.length > 0) refuseShared(new Set(brought), code);
    return true;
  }

  /** @throws ContentError 400 for parameters of a removal that are wrong. */
  async requireRemoval(type: ContentType, ctx: Context, _documentId: string | undefined): Promise<void> {
    await this.#removed(type, requestedParams(queryOf(ctx)));
  }

  async #write(type: ContentType, ctx: Context): Promise<WriteRequest> {
    const viewer = await this.#viewer(ctx);
    const params = this.#params(ctx);
    this.#runtime.reader.check(type, viewer, params);
    const { fields, populate, status } = params;
    const locale = await this.#locale(type, params);
    const brought = this.#contentApi.ownInput(parseBody(ctx.request.body), type, { route: ctx.state['route'] });
    const data = plainData(brought) as WriteRequest['data'];
    const shape = { fields, populate };
    return {
      type,
      viewer,
      status: parseStatus(status),
      locale,
      data,
      shape,
      mayLocalize: this.#mayLocalize(type, ctx),
    };
  }

  /** A route without authentication permits everything that its action does. */
  #mayLocalize(type: ContentType, ctx: Context): boolean {
    const view = callingOf(ctx)?.viewer.view;
    if (view === undefined) return true;
    return view.may(`${type.uid}.createLocalization`) || this.#runtime.config.rest.localizationPermission === 'update';
  }

  async #locale(type: ContentType, { locale: raw }: RawObject): Promise<string | undefined> {
    const locale = type.localized ? parseLocale(raw) : undefined;
    if (locale === '*') throw validation('Invalid locale param * provided. Document locales must be strings.');
    if (locale !== undefined) await this.#requireLocale(locale);
    return locale;
  }

  async #removed(type: ContentType, { locale, status }: RawObject): Promise<readonly string[] | undefined> {
    if (type.draftAndPublish && status === 'draft') {
      throw validation('A draft cannot be deleted by itself: DELETE removes both the draft and the published version');
    }
    if (!type.localized) return undefined;
    if (locale === null || locale === '' || (Array.isArray(locale) && locale.length === 0)) {
      throw validation('locale is empty: give one locale, several, or * for all of them, or omit the parameter');
    }
    const choice = parseLocales(rawParam(locale));
    if (choice.kind !== 'some') return undefined;
    for (const code of choice.codes) await this.#requireLocale(code);
    return choice.codes;
  }

  async #requireLocale(code: string): Promise<void> {
    if (!(await this.#runtime.locales.has(code))) throw validation(`Locale "${code}" not found`);
  }

  /** The locales that a document, or that of a single type, has versions in; undefined for types that are not localized. */
  async #versions(type: ContentType, documentId: string | undefined): Promise<(string | undefined)[]> {
    const { reader, views } = this.#runtime;
    const fields = type.localized ? ['locale'] : ['id'];
    const params = rawParams({
      ...(documentId === undefined ? {} : { filters: { documentId } }),
      fields,
      status: 'draft',
      ...(type.localized ? { locale: '*' } : {}),
    });
    const { data } = await reader.list(type, views.code, params, { page: everything });
    return (JSON.parse(data) as { locale?: string }[]).map(({ locale }) => locale);
  }
}

/**
 * The parameters of a request. A condition without a value (`filters: { owner: ctx.state.user?.id }`) is not dropped,
 * since all rows would then match: it compares with the empty text, as in the reference, or is refused.
 */
const requestedParams = (query: object): RawObject => rawParams(askedQuery(query));

/** The same, as an object of parameters. */
export const askedQuery = (query: object): object => withValues(query, false) as object;

function withValues(value: unknown, isCondition: boolean): unknown {
  if (Array.isArray(value))
    return value.map((one) => (one === undefined && isCondition ? NOTHING : withValues(one, isCondition)));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (inner !== undefined || !isCondition) return [name, withValues(inner, isCondition || name === 'filters')];
      return [name, name === '$null' || name === '$notNull' ? 'false' : NOTHING];
    }),
  );
}

const NOTHING = 'undefined';
