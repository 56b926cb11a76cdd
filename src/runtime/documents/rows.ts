/**
 * `strapi.db.query(uid)`: rows, drafts and published ones alike, in all locales. Rows are read like documents; writing
 * a row writes its version of the document (docs/reference/project-code.md).
 */
import type { Viewer } from '../../access/view.ts';
import type { Reader, ReadOptions } from '../../content/reading/reader.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { everything } from '../../query/page.ts';
import { rawParams } from '../../query/plain.ts';
import type { Catalog, ContentType, Model } from '../../schema/catalog.ts';
import { withHash, withoutHash } from '../accounts/account-hashes.ts';
import type { Unhooked } from '../unhooked.ts';
import { conditionsOf, requireObject } from './conditions.ts';
import type { Operation } from './document-actions.ts';
import { putTimes, withoutTimes } from './known-data.ts';
import type { Lifecycles, Moment, Params, States } from './lifecycles.ts';
import type { NamedRows } from './named-rows.ts';
import { isPlain, plainFilters, withoutLocale } from './plain-params.ts';
import { inShape, populateOf, selected } from './row-params.ts';

export type Row = Record<string, unknown> & { readonly id: number; readonly documentId: string };

/** How rows of a type are written. */
export interface RowWrites {
  create(params: { data: Params }): Promise<Row>;
  update(row: Row, data: Params): Promise<Row>;
  remove(row: Row): Promise<void>;
}

export interface RowsContext {
  readonly reader: Reader;
  readonly viewer: Viewer;
  readonly lifecycles: Lifecycles;
  readonly writesOf: (type: ContentType) => RowWrites;
  readonly modelOf: (uid: string) => Model | undefined;
  readonly catalog: Catalog;
  readonly unhooked: Unhooked;
  readonly named: NamedRows;
  readonly parse: (text: string) => unknown;
  readonly database: Queryable;
  /** Runs several writes in one transaction. */
  readonly within: <T>(work: () => Promise<T>) => Promise<T>;
}

const METHODS = [
  ...(['findOne', 'findMany', 'findWithCount', 'findPage', 'count', 'create', 'createMany', 'update'] as const),
  ...(['updateMany', 'delete', 'deleteMany', 'load', 'loadPages', 'populate'] as const),
  ...(['attachRelations', 'updateRelations', 'deleteRelations'] as const),
];

/** Bytes of the longest answer: memory is the code's own matter. */
const LONGEST = 128 * 1024 * 1024;

export class Rows {
  readonly #context: RowsContext;
  readonly #type: ContentType;

  constructor(context: RowsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    // code may detach methods, and replaces none of them
    for (const name of METHODS)
      Object.defineProperty(this, name, { value: (this[name] as () => unknown).bind(this), enumerable: true });
  }

  findMany(params: Params = {}): Promise<unknown> {
    return this.#around('FindMany', params, async (requested) => this.#read(await this.#find(requested), requested));
  }

  findOne(params: Params = {}): Promise<unknown> {
    return this.#around('FindOne', params, async (requested) => {
      const [row = null] = await this.#read(await this.#find({ ...requested, limit: 1 }), requested);
      return row;
    });
  }

  count(params: Params = {}): Promise<unknown> {
    return this.#around('Count', params, (requested) => this.#count(requested));
  }

  async findWithCount(params: Params = {}): Promise<[unknown, unknown]> {
    return [await this.findMany(params), await this.count(params)];
  }

  async findPage({ page = 1, pageSize = 10, ...params }: Params = {}): Promise<object> {
    const [size, number] = [Math.max(1, Number(pageSize)), Math.max(1, Number(page))];
    const requested = { ...params, limit: size, offset: (number - 1) * size };
    const [results, total] = await this.findWithCount(requested);
    const pageCount = Math.ceil(Number(total) / size);
    return { results, pagination: { page: number, pageSize: size, pageCount, total } };
  }

  async create(params: Params): Promise<unknown> {
    if (!isPlain(params['data'])) throw new Error('Create expects a data object');
    return this.#around('Create', params, async ({ data, ...shape }) =>
      this.#shaped(shape, await this.#writes.create({ data: withoutTimes(data) })),
    );
  }

  async createMany(params: Params): Promise<object> {
    if (!Array.isArray(params['data'])) throw new Error('CreateMany expects data to be an array');
    if (params['data'].length === 0) throw new Error('Nothing to insert');
    return (await this.#around('CreateMany', params, ({ data }) =>
      this.#context.within(async () => {
        const ids: number[] = [];
        for (const one of data as Params[]) ids.push((await this.#writes.create({ data: withoutTimes(one) })).id);
        return { count: ids.length, ids };
      }),
    )) as object;
  }

  async update(params: Params): Promise<unknown> {
    if (!isPlain(params['data'])) throw new Error('Update requires a data object');
    return this.#around('Update', params, async ({ where, data, ...shape }) => {
      requireConditions(where, 'Update');
      const [row] = await this.#find({ where, limit: 1 });
      return row ? this.#shaped(shape, await this.#writes.update(row, withoutTimes(data))) : null;
    });
  }

  updateMany(params: Params): Promise<unknown> {
    return this.#around('UpdateMany', params, ({ where, data }) => {
      if (!isPlain(data) || Object.keys(data).length === 0) throw new Error('Update requires data');
      return this.#context.within(async () => {
        const rows = await this.#find({ where });
        for (const row of rows) await this.#writes.update(row, data);
        return { count: rows.length };
      });
    });
  }

  async delete(params: Params): Promise<unknown> {
    return this.#around('Delete', params, async ({ where, select, populate }) => {
      requireConditions(where, 'Delete');
      const row = await this.#toRemove({ where, select, populate });
      if (!row) return null;
      await this.#writes.remove(row);
      return selected(row, { select, populate });
    });
  }

  deleteMany(params: Params = {}): Promise<unknown> {
    return this.#around('DeleteMany', params, ({ where, filters, _q }) =>
      this.#context.within(async () => {
        const rows = await this.#find({ where, filters, _q });
        for (const row of rows) await this.#writes.remove(row);
        return { count: rows.length };
      }),
    );
  }

  /**
   * The targets of a field of a row, or of several by their names; null if the row does not exist.
   *
   * @throws Error for a field without targets.
   */
  async load(row: Pick<Row, 'id'>, fields: string | readonly string[], params?: Params): Promise<unknown> {
    const names = [fields].flat();
    for (const name of names) {
      if (!LEADING.has(this.#type.attributes.get(name)?.type ?? '')) {
        throw new Error(`Invalid load. Expected ${name} to be a relational attribute`);
      }
    }
    const loaded: Params = {};
    for (const name of names) {
      const found = await this.#linked(row, name, isPlain(params) ? params : {});
      if (found === undefined) return null;
      loaded[name] = found;
    }
    return Array.isArray(fields) ? loaded : loaded[fields as string];
  }

  /** A page of the targets of a relation to many. */
  async loadPages(row: Pick<Row, 'id'>, field: string, params: Params = {}): Promise<object> {
    if (typeof field !== 'string') throw new Error(`Invalid load. Expected ${field} to be a string`);
    const attribute = this.#type.attributes.get(field);
    if (attribute?.type !== 'relation' || !TO_MANY.has(attribute.relation)) {
      throw new Error(`Invalid load. Expected ${field} to be an anyToMany relational attribute`);
    }
    const { page = 1, pageSize = 10, ...rest } = params;
    const [size, number] = [Math.max(1, Number(pageSize)), Number(page)];
    const requested = { ...rest, limit: size, offset: Math.max(number - 1, 0) * size };
    const results = (await this.#linked(row, field, requested)) ?? [];
    const { count: total = 0 } = ((await this.#linked(row, field, { ...rest, count: true })) ?? {}) as Params;
    return { results, pagination: { page: number, pageSize: size, pageCount: Math.ceil(total / size), total } };
  }

  /** An entity with the targets of its row. */
  async populate<T extends Params>(entity: T, populate: unknown): Promise<T> {
    this.#context.unhooked.require(this.#type, 'find');
    const params = { select: ['id'], populate };
    const [row] = await this.#find({ where: { id: entity['id'] }, ...params });
    return { ...entity, ...(row ? (selected(row, params) as object) : {}) };
  }

  /** Adds links to a row, and replaces those that can only be one. */
  async attachRelations(id: number, data: Params): Promise<void> {
    await this.#link(
      id,
      (name, value) => {
        const attribute = this.#type.attributes.get(name);
        const isToMany = attribute?.type === 'relation' && TO_MANY.has(attribute.relation);
        const linked = isPlain(value) && !('id' in value) ? (value['set'] ?? value['connect']) : value;
        if (linked === undefined || linked === null) return undefined;
        return isToMany ? { connect: [linked].flat() } : linked;
      },
      data,
    );
  }

  /** Changes the links of a row, and nothing else of it. */
  async updateRelations(id: number, data: Params): Promise<void> {
    await this.#link(id, (_name, value) => value, data);
  }

  /** As in the reference, where it fails for every argument. */
  async deleteRelations(_id: number): Promise<never> {
    throw new Error('Invalid transacting value: deleteRelations of strapi.db.query does not work, as in Strapi');
  }

  async #link(id: number, linked: (name: string, value: unknown) => unknown, data: Params): Promise<void> {
    this.#context.unhooked.require(this.#type, 'update');
    const links: Params = {};
    for (const [name, value] of Object.entries(data)) {
      const { type = '' } = this.#type.attributes.get(name) ?? {};
      const wanted = type === 'relation' || type === 'media' ? linked(name, value) : undefined;
      if (wanted !== undefined) links[name] = wanted;
    }
    const [row] = await this.#find({ where: { id }, limit: 1 });
    if (!row) throw new Error(`${this.#type.uid} has no row ${id}`);
    if (Object.keys(links).length > 0) await this.#writes.update(row, links);
  }

  /** The targets of a field of a row, or a page of them; undefined if the row does not exist. */
  async #linked({ id }: Pick<Row, 'id'>, field: string, { limit, offset, ...params }: Params): Promise<unknown> {
    this.#context.unhooked.require(this.#type, 'find');
    const read = async (options: Params): Promise<unknown> => {
      const populate = { [field]: Object.keys(options).length > 0 ? options : true };
      const [row] = await this.#find({ where: { id }, select: ['id'], populate });
      return row && ((selected(row, { select: ['id'], populate }) as Params)[field] ?? null);
    };
    if (!limit && !offset) return read(params);
    const { where, orderBy } = params;
    const all = await read({ ...(where ? { where } : {}), ...(orderBy ? { orderBy } : {}), select: ['id'] });
    if (!Array.isArray(all)) return all && read(params);
    const from = Math.max(0, Number(offset ?? 0));
    const ids = all.slice(from, limit ? from + Number(limit) : undefined).map((one) => (one as Row).id);
    const select = params['select'] === undefined ? {} : { select: ['id', params['select']].flat() };
    const ofPage = { $and: [where ?? {}, { id: { $in: ids } }] };
    return ids.length === 0 ? [] : read({ ...params, ...select, where: ofPage });
  }

  /** Rows that were read, with the selected attributes. */
  #read(rows: readonly Row[], requested: Params): Promise<readonly unknown[]> {
    const shown = selected(rows, requested) as readonly unknown[];
    const names = [requested['select'] ?? []].flat();
    if (names.length > 0 && !names.includes('password') && !names.includes('*')) return Promise.resolve(shown);
    return withHash(this.#context.database, this.#type.uid, shown, rows[0]?.id);
  }

  get #writes(): RowWrites {
    return this.#context.writesOf(this.#type);
  }

  async #around(moment: Moment, params: Params, work: (params: Params) => Promise<unknown>): Promise<unknown> {
    const { lifecycles, unhooked } = this.#context;
    const { uid } = this.#type;
    unhooked.require(this.#type, operationOf(moment));
    if (!lifecycles.listens(uid, moment)) return work(params);
    const states: States = new Map();
    putTimes(moment, params['data']);
    const before = await lifecycles.run(`before${moment}`, uid, { params }, states);
    const result = await work(before.params);
    // a missing row was not written
    if (result === null && (moment === 'Update' || moment === 'Delete')) return null;
    return (await lifecycles.run(`after${moment}`, uid, { params: before.params, result }, states)).result;
  }

  /** The row that is to be removed, which is read before that. */
  async #toRemove(params: Params): Promise<Row | null> {
    const find = async (requested: Params) => (await this.#find({ ...requested, limit: 1 }))[0] ?? null;
    const hasListeners = this.#context.lifecycles.listens(this.#type.uid, 'FindOne');
    return hasListeners ? ((await this.#around('FindOne', params, find)) as Row | null) : find(params);
  }

  /** A row that was written, in the requested shape. */
  async #shaped({ select, populate }: Params, row: Row): Promise<unknown> {
    const { lifecycles } = this.#context;
    if (lifecycles.listens(this.#type.uid, 'FindOne')) return this.findOne({ where: { id: row.id }, select, populate });
    if (select === undefined && populate === undefined) return row;
    const [found] = await this.#find({ where: { id: row.id }, select, populate });
    return selected(found ?? row, { select, populate });
  }

  async #find(params: Params): Promise<Row[]> {
    const { where, select, orderBy, limit, offset, populate, filters, _q } = this.#plain(params);
    const { named } = this.#context;
    const names: unknown[] = [select ?? []].flat();
    const requested = {
      // ids are needed in any case to identify the rows
      ...(names.length === 0 ? {} : { fields: ['id', ...withoutHash(this.#type.uid, names)] }),
      sort: orderBy ?? 'id',
      ...(populate || populate === ''
        ? { populate: await named.resolvePopulated(this.#populated(populate), this.#type, false) }
        : {}),
      ...(await this.#conditions({ where, filters, _q })),
    };
    const page = {
      ...everything,
      offset: Math.max(0, Number(offset ?? 0)),
      limit: !limit || limit < 0 ? everything.limit : Number(limit),
    };
    const { data } = await this.#list(requested, { page, longest: LONGEST });
    return inShape(this.#context.catalog, this.#type, this.#context.parse(data) as Row[], params);
  }

  async #count(params: Params): Promise<number> {
    const { where, filters, _q } = this.#plain(params);
    const page = { ...everything, limit: 0, withCount: true };
    return (await this.#list(await this.#conditions({ where, filters, _q }), { page })).total ?? 0;
  }

  #populated(populate: unknown): unknown {
    return populateOf(populate, { catalog: this.#context.catalog, model: this.#type });
  }

  #plain(params: Params): Params {
    if (params['where'] !== undefined && params['where'] !== null) requireObject(params['where']);
    return withoutLocale(this.#context.catalog, this.#type, params);
  }

  #list(requested: Params, options: ReadOptions) {
    const { reader, viewer } = this.#context;
    const params = rawParams({ ...requested, ...(this.#type.localized ? { locale: '*' } : {}) });
    return reader.list(this.#type, viewer, params, { ...options, eitherStatus: true });
  }

  async #conditions({ where, filters, _q }: Params): Promise<Params> {
    const conditions = [where, filters].filter((one) => isPlain(one) && Object.keys(one).length > 0);
    const { catalog } = this.#context;
    const plain = conditions.map((one) => plainFilters(conditionsOf(catalog, this.#type, one, true), this.#type));
    const all = plain.length === 1 ? plain[0] : { $and: plain };
    return {
      ...(plain.length === 0 ? {} : { filters: await this.#context.named.resolve(all, this.#type, false) }),
      ...(_q ? { _q } : {}),
    };
  }
}

/** Attributes that lead to other rows, and relations that lead to many. */
const LEADING: ReadonlySet<string> = new Set(['relation', 'media', 'component', 'dynamiczone']);
const TO_MANY: ReadonlySet<string> = new Set(['oneToMany', 'manyToMany']);

function operationOf(moment: Moment): Operation {
  if (moment.startsWith('Create')) return 'create';
  if (moment.startsWith('Update')) return 'update';
  return moment.startsWith('Delete') ? 'delete' : 'find';
}

/** @throws Error where a single row is to be changed and nothing says which. */
function requireConditions(where: unknown, operation: string): void {
  if (!isPlain(where) || Object.keys(where).length === 0) throw new Error(`${operation} requires a where parameter`);
}
