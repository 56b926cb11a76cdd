/** `strapi.entityService`: documents by the ids of their rows, as version 4 named them. */
import type { Catalog } from '../../schema/catalog.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import type { Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { Row, Rows } from '../documents/rows.ts';
import { rowIdOrNone } from '../row-id.ts';

export function entityService(catalog: Catalog, documents: ProjectDocuments, rowsOf: (uid: string) => Rows) {
  const rowOf = async (uid: string, id: number | string): Promise<Row | null> =>
    (await rowsOf(uid).findOne({ where: { id: rowIdOrNone(id) } })) as Row | null;
  /** The identifiers of a row's document in the row's locale. */
  const inLocale = ({ documentId, locale }: Row): Params => ({
    documentId,
    ...(typeof locale === 'string' ? { locale } : {}),
  });
  /** The identifiers of a row's version of its document. */
  const version = (row: Row): Params => ({
    ...inLocale(row),
    status: row['publishedAt'] === null ? 'draft' : 'published',
  });
  const hasDrafts = (uid: string): boolean => catalog.contentTypes.get(uid)?.draftAndPublish === true;
  return {
    findMany(uid: string, params: Params = {}): Promise<unknown> {
      const isSingle = catalog.contentTypes.get(uid)?.kind === 'singleType';
      return isSingle ? documents.of(uid).findFirst(params) : documents.of(uid).findMany(params);
    },
    findPage(uid: string, { status, ...params }: Params = {}) {
      const hasStatus = status !== undefined && hasDrafts(uid);
      return rowsOf(uid).findPage(queryOf(params, hasStatus ? status : undefined));
    },
    async findOne(uid: string, id: number | string, params: Params = {}) {
      const row = await rowOf(uid, id);
      return row && documents.of(uid).findOne({ ...params, ...(hasDrafts(uid) ? version(row) : inLocale(row)) });
    },
    count: (uid: string, params: Params = {}) => documents.of(uid).count(params),
    /** Without `publishedAt` an entry is published; `publishedAt: null` makes a draft. */
    create: (uid: string, params: Params) =>
      documents.of(uid).create({ ...params, status: params['data']?.publishedAt === null ? 'draft' : 'published' }),
    async update(uid: string, id: number | string, params: Params) {
      const row = await rowOf(uid, id);
      return row && documents.of(uid).update({ ...params, ...version(row) });
    },
    /** Deletes the draft and the published version of a row's document, in the row's locale. */
    async delete(uid: string, id: number | string, params: Params = {}) {
      const row = await rowOf(uid, id);
      if (row) await documents.of(uid).delete({ ...params, ...inLocale(row) });
      return row;
    },
    load: (uid: string, row: Row, field: string, params?: Params) => rowsOf(uid).load(row, field, params),
    loadPages: (uid: string, row: Row, field: string, params?: Params, pagination?: Params) =>
      rowsOf(uid).loadPages(row, field, { ...queryOf(params ?? {}, undefined), ...pagination }),
  };
}

/**
 * Parameters of documents → those of the query engine. Rows with selected fields have the identifiers of documents.
 */
function queryOf({ filters, sort, fields, ...rest }: Params, status: unknown): Params {
  const conditions = status === undefined ? filters : { $and: [filters ?? {}, { publishedAt: inStatus(status) }] };
  return {
    ...rest,
    ...(isPlain(conditions) && Object.keys(conditions).length > 0 ? { where: conditions } : {}),
    ...(sort === undefined ? {} : { orderBy: sort }),
    ...(fields === undefined ? {} : { select: ['id', 'documentId', ...[fields].flat()] }),
  };
}

const inStatus = (status: unknown): object => (status === 'draft' ? { $null: true } : { $notNull: true });
