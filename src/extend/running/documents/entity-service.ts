/** `strapi.entityService`: documents by the ids of their rows, as version 4 named them. */
import type { ProjectDocuments } from './documents.ts';
import type { Params } from './lifecycles.ts';
import type { Row, Rows } from './rows.ts';

export function entityService(documents: ProjectDocuments, rowsOf: (uid: string) => Rows) {
  const rowOf = async (uid: string, id: number | string): Promise<Row | null> =>
    (await rowsOf(uid).findOne({ where: { id: Number(id) } })) as Row | null;
  /** What names a row's version of its document. */
  const version = ({ documentId, locale, publishedAt }: Row): Params => ({
    documentId,
    ...(typeof locale === 'string' ? { locale } : {}),
    status: publishedAt === null ? 'draft' : 'published',
  });
  return {
    findMany: (uid: string, params: Params = {}) => documents.of(uid).findMany(params),
    findPage: (uid: string, { filters, sort, fields, ...params }: Params = {}) =>
      rowsOf(uid).findPage({ ...params, where: filters, orderBy: sort, select: fields }),
    async findOne(uid: string, id: number | string, params: Params = {}) {
      const row = await rowOf(uid, id);
      return row && documents.of(uid).findOne({ ...params, ...version(row) });
    },
    count: (uid: string, { filters }: Params = {}) => rowsOf(uid).count({ where: filters }),
    /** What no date of publication is said of is published; `publishedAt: null` makes a draft. */
    create: (uid: string, params: Params) =>
      documents.of(uid).create({ ...params, status: params['data']?.publishedAt === null ? 'draft' : 'published' }),
    async update(uid: string, id: number | string, params: Params) {
      const row = await rowOf(uid, id);
      return row && documents.of(uid).update({ ...params, ...version(row) });
    },
    async delete(uid: string, id: number | string) {
      const row = await rowOf(uid, id);
      if (row) await rowsOf(uid).delete({ where: { id: row.id } });
      return row;
    },
    load: (uid: string, row: Row, field: string, params?: Params) => rowsOf(uid).load(row, field, params),
  };
}
