/** Core services, which `createCoreService` extends and calls as `super`. */
import { pageMeta, parsePage } from '../../query/page.ts';
import { rawParams } from '../../query/plain.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { ProjectService } from '../documents/document-actions.ts';
import type { Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Schema } from '../schemas/schemas.ts';

export interface CoreServiceContext {
  readonly type: ContentType;
  readonly schema: Schema;
  readonly runtime: Pick<RuntimeContext, 'config'>;
  readonly documents: () => ProjectService;
}

type Deleted = { readonly entries: readonly unknown[] };

/** The parameters of a service without those that the documents need. */
export const fetchParams = (params: Params = {}): Params => ({ status: 'published', ...params });

/**
 * The page that parameters of a service ask for, and the parameters with which documents read it.
 *
 * @throws ContentError 400 for a page that cannot be.
 */
export function pagedRead(fetched: Params, limits: RuntimeContext['config']['rest']) {
  const { pagination } = fetched;
  const asksAll = isPlain(pagination) && pagination['limit'] === -1;
  const requested = asksAll ? { ...pagination, limit: limits.maxLimit ?? 1 } : pagination;
  const page = parsePage(rawParams(requested === undefined ? {} : { pagination: requested }), limits);
  const isWhole = asksAll && limits.maxLimit === null;
  const paged: Params = { ...fetched, start: page.offset, ...(isWhole ? {} : { limit: page.limit }) };
  return { page, paged, isWhole };
}

/** The service of a type that no code has changed. */
export function coreService(context: CoreServiceContext): object {
  const shared = {
    contentType: context.schema,
    getFetchParams: fetchParams,
  };
  return Object.assign(
    Object.create(shared),
    context.type.kind === 'singleType' ? single(context) : collection(context),
  );
}

/** The service as its methods know it: code may have overridden any of them. */
interface This {
  getFetchParams(params?: Params): Params;
}

function collection({ runtime, documents }: CoreServiceContext) {
  return {
    /** A page. The number -1 as its limit, which no request can send, is as many as there may be in one. */
    async find(this: This, params: Params = {}) {
      const fetched = this.getFetchParams(params);
      const { page, paged, isWhole } = pagedRead(fetched, runtime.config.rest);
      // document middlewares of one read do not affect the other; a count has no pages
      const results = await documents().findMany({ ...paged });
      const total = page.withCount ? ((await documents().count({ ...paged })) as number) : undefined;
      const meta = JSON.parse(pageMeta(page, total)) as object;
      return { results, pagination: isWhole ? { ...meta, limit: -1 } : meta };
    },
    findOne(this: This, documentId: string, params: Params = {}) {
      return documents().findOne({ ...this.getFetchParams(params), documentId });
    },
    async create(this: This, params: Params = { data: {} }) {
      return documents().create(this.getFetchParams(params));
    },
    update(this: This, documentId: string, params: Params = { data: {} }) {
      return documents().update({ ...this.getFetchParams(params), documentId });
    },
    async delete(this: This, documentId: string, params: Params = {}) {
      const { entries } = (await documents().delete({ ...this.getFetchParams(params), documentId })) as Deleted;
      return { deletedEntries: entries.length };
    },
  };
}

function single({ documents }: CoreServiceContext) {
  const documentIdOf = async (): Promise<string | undefined> => {
    const found = (await documents().findFirst({ status: 'draft' })) as { readonly documentId: string } | null;
    return found?.documentId;
  };
  return {
    getDocumentId: documentIdOf,
    find(this: This, params: Params = {}) {
      return documents().findFirst(this.getFetchParams(params));
    },
    async createOrUpdate(this: This, params: Params = {}) {
      const documentId = await documentIdOf();
      const requested = this.getFetchParams(params);
      return documentId === undefined
        ? documents().create(requested)
        : documents().update({ ...requested, documentId });
    },
    async delete(this: This, params: Params = {}) {
      const documentId = await documentIdOf();
      if (documentId === undefined) return { deletedEntries: 0 };
      const { entries } = (await documents().delete({ ...this.getFetchParams(params), documentId })) as Deleted;
      return { deletedEntries: entries.length };
    },
  };
}
