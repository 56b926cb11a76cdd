/**
 * Documents of a caller, with the project's document middlewares and lifecycles around them. As in core controllers, queries
 * and answers are reduced to what the caller may see.
 */
import type { Viewer } from '../../access/view.ts';
import type { DocumentService, DocumentsOf, Uid } from '../../content/documents/document-types.ts';
import { readRows, singleDocumentId } from '../../content/rows/document-rows.ts';
import { forbidden, notFound } from '../../errors.ts';
import { rawParams } from '../../query/plain.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { AROUND_WRITES, type DocumentAction, OPERATIONS } from '../documents/document-actions.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import type { Moment, Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import { unsupported } from '../guarded.ts';
import { throwingRefusals } from '../requests/strapi-errors.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { ContentApi } from './content-api.ts';

type Methods = Readonly<Record<string, (params: Params) => Promise<unknown>>>;

const READS: readonly Moment[] = ['FindMany', 'FindOne', 'Count'];

export class CallerDocuments {
  readonly #runtime: RuntimeContext;
  readonly #documents: ProjectDocuments;
  readonly #contentApi: ContentApi;

  constructor(runtime: RuntimeContext, documents: ProjectDocuments, contentApi: ContentApi) {
    this.#runtime = runtime;
    this.#documents = documents;
    this.#contentApi = contentApi;
  }

  /** @param plain the caller's documents without the code. */
  of(viewer: Viewer, plain: DocumentsOf<'caller'>): DocumentsOf<'caller'> {
    return <U extends Uid>(uid: U) => {
      const service = plain(uid) as unknown as Methods;
      const type = this.#runtime.catalog.contentTypes.get(uid)!;
      const methods = [...Object.keys(OPERATIONS), 'findPage'].map((name) => {
        const isRead = OPERATIONS[name as DocumentAction] === 'find' || name === 'findPage';
        const run = (params: Params = {}) =>
          this.#documents.isTouched(uid, ...(isRead ? READS : AROUND_WRITES))
            ? throwingRefusals(() => this.#behindCode(type, viewer, name, params))
            : service[name]!(params);
        return [name, run] as const;
      });
      return Object.fromEntries(methods) as unknown as DocumentService<U, 'caller'>;
    };
  }

  async #behindCode(type: ContentType, viewer: Viewer, name: string, params: Params): Promise<unknown> {
    if (name === 'create' && type.kind === 'singleType') {
      // a caller cannot create a second document of a single type
      const { writer, database } = this.#runtime;
      const documentId = await singleDocumentId(writer.reading(database), type);
      if (documentId === undefined) return this.#run(type, viewer, name, params);
      const written = await this.#run(type, viewer, 'update', { ...params, documentId });
      if (written === null) throw notFound();
      return written;
    }
    return this.#run(type, viewer, name, params);
  }

  async #run(type: ContentType, viewer: Viewer, name: string, params: Params): Promise<unknown> {
    // the code would not see these reads and writes
    if (name === 'findPage' || name === 'clone') unsupported(`${name} of caller.documents('${type.uid}') behind code`);
    const { data, filters, sort, fields, populate, ...rest } = params;
    const query = present({ filters, sort, fields, populate });
    const { view } = viewer;
    this.#runtime.reader.check(type, viewer, rawParams(query));
    this.#contentApi.validateInput(data, type, view);
    if (name === 'update') await this.#requireLocale(type, viewer, params);
    const requested = { ...rest, ...this.#contentApi.sanitizeQuery(query, type, view), ...present({ data }) };
    const service = this.#documents.of(type.uid);
    const result = await this.#runtime.narrowing.run(viewer, () => service[name as DocumentAction](requested));
    const shown = (value: unknown) => this.#contentApi.sanitizeOutput(value, type, view);
    return isPlain(result) && Array.isArray(result['entries'])
      ? { ...result, entries: shown(result['entries']) }
      : shown(result);
  }

  /** @throws ContentError 403 for a version in a further locale without the right to make one. */
  async #requireLocale(type: ContentType, { view }: Viewer, { documentId, locale }: Params): Promise<void> {
    const { config, writer, database, locales } = this.#runtime;
    const { localizationPermission } = config.rest;
    if (!type.localized || localizationPermission === 'update' || view.may(`${type.uid}.createLocalization`)) return;
    const { rows } = await readRows(writer.reading(database), type, String(documentId));
    const code = locale ?? (await locales.default());
    if (rows.length > 0 && rows.every((row) => row.locale !== code)) throw forbidden();
  }
}

/** The parameters that have a value. */
const present = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
