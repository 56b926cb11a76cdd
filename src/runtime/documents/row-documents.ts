/**
 * `strapi.documents(uid)` of roles, grants and locales, which are rows without versions: the same writes as by
 * `strapi.db.query`, under the names of documents.
 */
import { validation } from '../../errors.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { linkedId } from '../row-id.ts';
import type { ProjectService } from './document-actions.ts';
import type { Params } from './lifecycles.ts';
import type { Row, Rows } from './rows.ts';

/** @param rowsOf rows whose writes notify no listeners: documents notify them. */
export function rowDocuments(uid: string, catalog: Catalog, rowsOf: (uid: string) => Rows): Partial<ProjectService> {
  const rows = rowsOf(uid);
  const shape = ({ fields, populate }: Params): Params => ({ select: fields, populate });
  const linked = async (data: Params): Promise<Params> => {
    const links = await Promise.all(
      Object.entries(data).map(async ([name, value]) => {
        const attribute = catalog.contentTypes.get(uid)?.attributes.get(name);
        const documentId = linkedDocument(value);
        if (attribute?.type !== 'relation' || attribute.target === undefined || documentId === undefined) {
          return [name, value];
        }
        const row = await rowsOf(attribute.target).findOne({ where: { documentId }, select: ['id'] });
        if (row === null) throw validation(`Document with id "${documentId}" not found`, { key: name, path: name });
        return [name, (row as Row).id];
      }),
    );
    return Object.fromEntries(links) as Params;
  };
  return {
    create: async ({ data = {}, ...params }: Params = {}) =>
      rows.create({ ...shape(params), data: await linked(data as Params) }),
    update: async ({ documentId, data = {}, ...params }: Params = {}) =>
      rows.update({ ...shape(params), where: { documentId }, data: await linked(data as Params) }),
    delete: async ({ documentId, ...params }: Params = {}) => {
      const entry = await rows.delete({ ...shape(params), where: { documentId } });
      return { documentId, entries: entry === null ? [] : [entry] };
    },
  };
}

/** The document id in a written relation to one row; undefined where it names the row. */
function linkedDocument(value: unknown): string | undefined {
  if (linkedId(value) !== undefined) return undefined;
  if (Array.isArray(value)) return linkedDocument(value[0]);
  if (typeof value === 'object' && value !== null) {
    const { documentId, connect, set } = value as Params;
    return linkedDocument(documentId ?? connect ?? set);
  }
  return typeof value === 'string' ? value : undefined;
}
