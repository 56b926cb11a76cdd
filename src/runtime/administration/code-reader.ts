/**
 * A reader with code of the project around it, which may hide documents from administrators. As in Strapi's panel, code
 * receives whole documents, including attributes that the administrator may not see or did not request: the decision
 * may depend on them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Viewer } from '../../access/view.ts';
import type { ListText, OneText } from '../../content/reading/answers.ts';
import { signText } from '../../content/reading/file-urls.ts';
import type { DocumentReader, ReadOptions, Single } from '../../content/reading/reader.ts';
import { ContentError } from '../../errors.ts';
import { type Page, parsePage } from '../../query/page.ts';
import type { RawObject, RawValue } from '../../query/params.ts';
import { rawParams } from '../../query/plain.ts';
import { parseFields } from '../../query/populate.ts';
import { type Catalog, type ContentType, type Model, modelOf } from '../../schema/catalog.ts';
import type { OwnOperation } from '../documents/document-actions.ts';
import type { Params } from '../documents/lifecycles.ts';
import { shownTo } from '../documents/output.ts';
import { isPlain } from '../documents/plain-params.ts';
import { ordinary } from '../requests/request.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Around } from './around.ts';

export class CodeReader implements DocumentReader {
  readonly #runtime: RuntimeContext;
  readonly #around: Around;
  readonly shown: DocumentReader['shown'];

  constructor(runtime: RuntimeContext, around: Around) {
    this.#runtime = runtime;
    this.#around = around;
    this.shown = runtime.reader.shown.bind(runtime.reader);
  }

  async list(type: ContentType, viewer: Viewer, params: RawObject, options: ReadOptions = {}): Promise<ListText> {
    const { reader, config } = this.#runtime;
    if (!this.#around.reads(type)) {
      const read = await reader.list(type, viewer, params, options);
      return { ...read, data: await this.#withLinks(type, viewer, params, read.data) };
    }
    reader.check(type, viewer, params);
    const page = options.page ?? parsePage(params, config.rest);
    const whole = wholly(withoutPage(params));
    const requested = ordinary(whole) as Params;
    let found: ListText | undefined;
    const listed = await this.#around.run(
      type,
      'findMany',
      { ...requested, start: page.offset, limit: page.limit },
      async (changed) => {
        found = await reader.list(type, ...this.#given(viewer, whole, requested, changed), {
          ...options,
          page: { ...page, withCount: false },
        });
        return this.#parsed(found.data);
      },
    );
    // code may replace a hidden document by another value
    const documents = Array.isArray(listed) ? listed.filter(isDocument) : [];
    const total = page.withCount ? await this.#count(type, viewer, params, requested) : undefined;
    const data = await this.#withLinks(type, viewer, params, this.#text(type, viewer, params, documents));
    return { data, page, total, next: found?.next };
  }

  async one(
    type: ContentType,
    viewer: Viewer,
    params: RawObject,
    single: Single,
    options: ReadOptions = {},
  ): Promise<OneText | undefined> {
    const { reader } = this.#runtime;
    if (!this.#around.reads(type) || single.kind === 'row') {
      const read = await reader.one(type, viewer, params, single, options);
      return read && { ...read, data: await this.#withLinks(type, viewer, params, read.data) };
    }
    reader.check(type, viewer, params);
    const whole = wholly(params);
    const requested = ordinary(whole) as Params;
    let found: OneText | undefined;
    const read = async ({ documentId: _id, ...changed }: Params) => {
      found = await reader.one(type, ...this.#given(viewer, whole, requested, changed), single, options);
      return found ? this.#parsed(found.data) : null;
    };
    const document =
      single.kind === 'document'
        ? await this.#around.run(type, 'findOne', { ...requested, documentId: single.documentId }, read)
        : await this.#first(type, requested, read);
    if (typeof document !== 'object' || document === null) return undefined;
    const data = await this.#withLinks(type, viewer, params, this.#text(type, viewer, params, document));
    return { data, version: found?.version };
  }

  /** The result of a read, in which linked documents are as code returns them from a read of their own. */
  async #withLinks(type: ContentType, viewer: Viewer, params: RawObject, text: string): Promise<string> {
    if (params['populate'] === undefined) return text;
    const read: unknown = JSON.parse(text);
    const linked = linkedWithin(this.#runtime.catalog, type, read, (one) => this.#around.reads(one));
    if (linked.length === 0) return text;
    await throughCode(linked, (target, ids) => this.#linked(target, viewer, params, ids));
    return JSON.stringify(read);
  }

  /** Documents of a type in the status of the documents that link them, and those that do not exist in this status. */
  async #linked(type: ContentType, viewer: Viewer, { status = 'draft' }: RawObject, ids: readonly string[]) {
    const read = async (which: RawValue): Promise<Record<string, unknown>[]> => {
      const params = { filters: { documentId: { $in: [...ids] } }, status: which, locale: '*' };
      try {
        return JSON.parse((await this.list(type, viewer, params, { page: MANY })).data);
      } catch (error) {
        // documents that the code refuses to list are hidden everywhere
        if (error instanceof ContentError) return [];
        throw error;
      }
    };
    const rows = await read(status);
    const isWhole = !type.draftAndPublish || ids.every((id) => rows.some(({ documentId }) => documentId === id));
    return isWhole ? rows : [...rows, ...(await read(status === 'draft' ? 'published' : 'draft'))];
  }

  /** The document of a single type, which the reference's panel reads as a list. */
  async #first(type: ContentType, requested: Params, read: OwnOperation): Promise<unknown> {
    const list = async (changed: Params) => [await read(changed)].filter((one) => one !== null);
    const found = await this.#around.run(type, 'findMany', { ...requested }, list);
    return Array.isArray(found) ? found[0] : undefined;
  }

  async #count(type: ContentType, viewer: Viewer, params: RawObject, requested: Params): Promise<number> {
    const { fields: _fields, populate: _populate, sort: _sort, ...counted } = requested;
    const page = { mode: 'offset', offset: 0, limit: 0, withCount: true } as const;
    const count = await this.#around.run(type, 'count', { ...counted }, async (changed) => {
      const { reader } = this.#runtime;
      return (await reader.list(type, ...this.#given(viewer, params, counted, changed), { page })).total ?? 0;
    });
    return Number(count) || 0;
  }

  /** The attributes that are read: code may name and receives attributes that the administrator may not see. */
  #given(viewer: Viewer, params: RawObject, requested: Params, given: Params): [Viewer, RawObject] {
    const { start: _start, limit: _limit, filters, ...rest } = given;
    const changed = isEmpty(filters) ? rest : { ...rest, filters };
    return [this.#runtime.views.forCode(viewer), isDeepStrictEqual(changed, requested) ? params : rawParams(changed)];
  }

  #parsed(text: string): unknown {
    return JSON.parse(signText(this.#runtime.fileUrls, text));
  }

  /** The attributes that the viewer may see and requested, of documents as code returned them. */
  #text(type: ContentType, { view }: Viewer, { fields }: RawObject, documents: object): string {
    const shown = shownTo(view, type, documents);
    const names = parseFields(fields);
    if (names === undefined) return JSON.stringify(shown);
    const isAsked = ([name]: [string, unknown]): boolean =>
      ALWAYS.includes(name) || names.includes(name) || view.of(type).named(name).kind !== 'field';
    const narrowed = [shown].flat().map((one) => Object.fromEntries(Object.entries(one as object).filter(isAsked)));
    return JSON.stringify(Array.isArray(shown) ? narrowed : narrowed[0]);
  }
}

/** Versions of the documents that one statement looks up. */
const MANY: Page = { mode: 'offset', offset: 0, limit: 10_000, withCount: false };
/** Fields that every document has, whichever are selected. */
const ALWAYS = ['id', 'documentId'];
/** Parameters that read no content: the states of many documents are read by these. */
const OF_VERSIONS = [...ALWAYS, 'locale', 'createdAt', 'updatedAt', 'publishedAt'];

/** Parameters that ask for whole documents, but for those that ask for nothing of the content. */
function wholly({ fields, ...params }: RawObject): RawObject {
  const isOfVersions =
    params['populate'] === undefined && parseFields(fields)?.every((one) => OF_VERSIONS.includes(one));
  return isOfVersions ? { fields, ...params } : params;
}

const isDocument = (value: unknown): boolean => isPlain(value) && typeof value['documentId'] === 'string';

const isEmpty = (filters: unknown): boolean =>
  filters === undefined || (typeof filters === 'object' && filters !== null && Object.keys(filters).length === 0);

/** Parameters without those of the page. */
function withoutPage({ pagination: _pagination, filters, ...params }: RawObject): RawObject {
  return isEmpty(filters) ? params : { ...params, filters };
}

type Values = Record<string, unknown>;

/** A document within another one, as it was read there: it is changed in its place. */
interface LinkedDocument {
  readonly type: ContentType;
  readonly values: Values;
}

/** Attributes that are not content of a document. */
const KEPT: ReadonlySet<string> = new Set(['id', 'documentId', '__type', 'locale', 'updatedAt']);
/** Whether a read of the document alone leaves the attribute out, so that code does not see it. */
function isPart(type: ContentType, name: string): boolean {
  return ['component', 'dynamiczone', 'media'].includes(type.attributes.get(name)?.type ?? '');
}

/** Documents that are read at once. */
const TOGETHER = 100;

/** The linked documents, at any depth, of types whose reads run code. */
function linkedWithin(
  catalog: Catalog,
  model: Model,
  read: unknown,
  isAround: (type: ContentType) => boolean,
  found: LinkedDocument[] = [],
): readonly LinkedDocument[] {
  for (const values of [read].flat()) {
    if (!isPlain(values)) continue;
    for (const attribute of model.attributes.values()) {
      for (const part of [values[attribute.name]].flat()) {
        if (!isPlain(part)) continue;
        const within = (inner: Model): unknown => linkedWithin(catalog, inner, part, isAround, found);
        if (attribute.type === 'component') within(modelOf(catalog, attribute.component));
        if (attribute.type === 'dynamiczone') within(modelOf(catalog, String(part['__component'])));
        const target = attribute.type === 'relation' ? (attribute.target ?? part['__type']) : undefined;
        const type = typeof target === 'string' ? catalog.contentTypes.get(target) : undefined;
        if (!type) continue;
        if (isAround(type) && typeof part['documentId'] === 'string') found.push({ type, values: part });
        within(type);
      }
    }
  }
  return found;
}

/**
 * Replaces linked documents by the ones that code returns, and empties those that it hides.
 *
 * @param read reads documents of a type by their ids as lists do, in all locales, with the code around it.
 */
async function throughCode(
  linked: readonly LinkedDocument[],
  read: (type: ContentType, documentIds: readonly string[]) => Promise<readonly Values[]>,
): Promise<void> {
  for (const [type, ofType] of Map.groupBy(linked, (one) => one.type)) {
    const ids = [...new Set(ofType.map(({ values }) => String(values['documentId'])))];
    const rows = new Map<unknown, Values>();
    for (let from = 0; from < ids.length; from += TOGETHER) {
      for (const row of await read(type, ids.slice(from, from + TOGETHER))) rows.set(row['id'], row);
    }
    for (const { values } of ofType) {
      const row = rows.get(values['id']);
      for (const name of Object.keys(values)) {
        // linked documents are visited separately
        if (KEPT.has(name) || (row && type.attributes.get(name)?.type === 'relation')) continue;
        if (row && Object.hasOwn(row, name) && !isPart(type, name)) values[name] = row[name];
        else delete values[name];
      }
    }
  }
}
