/** `strapi.db.query` of every type of a project. */
import { signText } from '../../content/reading/file-urls.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { namedType } from '../schemas/named-type.ts';
import type { Accounts } from '../strapi/accounts.ts';
import type { Unhooked } from '../unhooked.ts';
import { ComponentRows } from './component-rows.ts';
import type { ProjectDocuments } from './documents.ts';
import type { Lifecycles, Params } from './lifecycles.ts';
import type { NamedRows } from './named-rows.ts';
import { rowWrites } from './row-writes.ts';
import { type Row, Rows } from './rows.ts';

export interface AllRowsContext {
  /** Their writes notify no listeners: rows notify them. */
  readonly runtime: RuntimeContext;
  readonly lifecycles: Lifecycles;
  /** Lifecycles without listeners. */
  readonly silent: Lifecycles;
  readonly unhooked: Unhooked;
  readonly named: NamedRows;
  /** Documents without the middlewares and lifecycles of code. */
  readonly plain: ProjectDocuments;
  readonly accounts: () => Accounts;
}

/** Gives the rows of a type by its uid. */
export function allRows({
  runtime,
  lifecycles,
  silent,
  unhooked,
  named,
  plain,
  accounts,
}: AllRowsContext): (uid: string) => Rows {
  const { reader, views, catalog, fileUrls, database } = runtime;
  const rowOf = async (type: ContentType, id: number, populate?: Params): Promise<Row> =>
    (await silentRowsOf(type.uid).findOne({ where: { id }, ...(populate && { populate }) })) as Row;
  const components = new ComponentRows(catalog, lifecycles);
  const context = {
    reader,
    catalog,
    unhooked,
    database,
    named,
    within: <T>(work: () => Promise<T>) => database.within(work),
    modelOf: (uid: string) => catalog.contentTypes.get(uid),
    parse: (text: string) => JSON.parse(signText(fileUrls, text)) as unknown,
    writesOf: (type: ContentType) =>
      rowWrites({ runtime, accounts: accounts(), plain: (uid) => plain.of(uid), components, rowOf }, type),
  };
  const rowsWith = (own: Lifecycles): ((uid: string) => Rows) => {
    const known = new Map<string, Rows>();
    return (uid) => {
      const type = namedType(catalog, uid);
      const viewer = uid.startsWith('admin::') ? views.administration : views.code;
      const rows = known.get(uid) ?? new Rows({ ...context, lifecycles: own, viewer }, type);
      known.set(uid, rows);
      return rows;
    };
  };
  const silentRowsOf = rowsWith(silent);
  return rowsWith(lifecycles);
}
