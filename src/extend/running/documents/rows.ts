/**
 * `strapi.db.query(uid)`: rows, drafts and published ones alike, in all locales. Rows are read as documents are; what
 * writes a row writes the version of the document that it is of (docs/reference/project-code.md).
 */
import type { Viewer } from '../../../access/view.ts';
import type { Reader } from '../../../content/reading/reader.ts';
import { everything } from '../../../query/page.ts';
import { rawParams } from '../../../query/plain.ts';
import type { Catalog, ContentType, Model } from '../../../schema/catalog.ts';
import type { Lifecycles, Moment, Params, States } from './lifecycles.ts';
import { isPlain, plainFilters } from './plain-params.ts';
import { inShape } from './row-shape.ts';
import type { Operation, Unhooked } from './unhooked.ts';

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
  readonly parse: (text: string) => unknown;
  /** Runs several writes in one transaction. */
  readonly within: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Bytes of the longest answer: memory is the code's own matter. */
const LONGEST = 128 * 1024 * 1024;

export class Rows {
  readonly #context: RowsContext;
  readonly #type: ContentType;

  constructor(context: RowsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  findMany(params: Params = {}): Promise<unknown> {
    return this.#around('FindMany', params, async (asked) => this.#selected(await this.#find(asked), asked));
  }

  findOne(params: Params = {}): Promise<unknown> {
    return this.#around('FindOne', params, async (asked) => {
      const [row] = this.#selected(await this.#find({ ...asked, limit: 1 }), asked);
      return row ?? null;
    });
  }

  count(params: Params = {}): Promise<unknown> {
    return this.#around('Count', params, (asked) => this.#count(asked));
  }

  async findWithCount(params: Params = {}): Promise<[unknown, unknown]> {
    return [await this.findMany(params), await this.count(params)];
  }

  async findPage({ page = 1, pageSize = 10, ...params }: Params = {}): Promise<object> {
    const [size, number] = [Math.max(1, Number(pageSize)), Math.max(1, Number(page))];
    const asked = { ...params, limit: size, offset: (number - 1) * size };
    const [results, total] = await this.findWithCount(asked);
    const pageCount = Math.ceil(Number(total) / size);
    return { results, pagination: { page: number, pageSize: size, pageCount, total } };
  }

  async create(params: Params): Promise<unknown> {
    if (!isPlain(params['data'])) throw new Error('Create expects a data object');
    return this.#shaped(
      params,
      this.#around('Create', params, ({ data }) => this.#writes.create({ data })),
    );
  }

  async createMany(params: Params): Promise<object> {
    if (!Array.isArray(params['data'])) throw new Error('CreateMany expects data to be an array');
    if (params['data'].length === 0) throw new Error('Nothing to insert');
    return (await this.#around('CreateMany', params, ({ data }) =>
      this.#context.within(async () => {
        const ids: number[] = [];
        for (const one of data as Params[]) ids.push((await this.#writes.create({ data: one })).id);
        return { count: ids.length, ids };
      }),
    )) as object;
  }

  async update(params: Params): Promise<unknown> {
    if (!isPlain(params['data'])) throw new Error('Update requires a data object');
    return this.#shaped(
      params,
      this.#around('Update', params, async ({ where, data }) => {
        requireConditions(where, 'Update');
        const [row] = await this.#find({ where, limit: 1 });
        return row ? this.#writes.update(row, data) : null;
      }),
    );
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
      const [row] = await this.#find({ where, select, populate, limit: 1 });
      if (!row) return null;
      await this.#writes.remove(row);
      return row;
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

  /** What a field of a row leads to. */
  async load(row: Row, field: string, params: Params = {}): Promise<unknown> {
    const [found] = await this.#find({ where: { id: row.id }, populate: { [field]: params } });
    return found?.[field] ?? null;
  }

  /** Rows with no more than what was selected and populated. */
  #selected(rows: Row[], { select, populate }: Params): Params[] {
    if (select === undefined || select === null || [select].flat().includes('*')) return rows;
    const names = new Set<string>([select].flat());
    const all = populate === true || populate === '*';
    const below = isPlain(populate) ? Object.keys(populate) : [populate ?? []].flat().map(String);
    const isBelow = (name: string) => all || below.some((one) => one === name || one.startsWith(`${name}.`));
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name) || isBelow(name))),
    );
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
    const before = await lifecycles.run(`before${moment}`, uid, { params }, states);
    const result = await work(before.params);
    return (await lifecycles.run(`after${moment}`, uid, { params: before.params, result }, states)).result;
  }

  /** A row that was written, in the shape that was asked for. */
  async #shaped({ select, populate }: Params, writing: Promise<unknown>): Promise<unknown> {
    const row = (await writing) as Row | null;
    if (!row || (select === undefined && populate === undefined)) return row;
    return (await this.#find({ where: { id: row.id }, select, populate }))[0] ?? row;
  }

  async #find({ where, select, orderBy, limit, offset, populate, filters, _q }: Params): Promise<Row[]> {
    const [first, most] = [
      Math.max(0, Number(offset ?? 0)),
      limit === undefined || limit < 0 ? Infinity : Number(limit),
    ];
    const asked = {
      ...(select === undefined ? {} : { fields: [select].flat() }),
      ...(orderBy === undefined ? { sort: 'id' } : { sort: orderBy }),
      ...(populate === undefined || populate === null || populate === false ? {} : { populate: populateOf(populate) }),
      ...(_q === undefined ? {} : { _q }),
      ...this.#conditions(where, filters),
    };
    const found: Row[] = [];
    for (const status of this.#statuses(where)) {
      const page = { ...everything, limit: most === Infinity ? everything.limit : first + most };
      const params = rawParams({ ...asked, status, ...this.#locales });
      const { data } = await this.#context.reader.list(this.#type, this.#context.viewer, params, {
        page,
        longest: LONGEST,
      });
      found.push(
        ...inShape(this.#context.catalog, this.#type, this.#context.parse(data) as Row[], { select, populate }),
      );
    }
    const rows = this.#type.draftAndPublish ? found.sort(orderOf(orderBy)) : found;
    return rows.slice(first, first + most);
  }

  async #count({ where, filters, _q }: Params): Promise<number> {
    let sum = 0;
    for (const status of this.#statuses(where)) {
      const params = rawParams({
        ...this.#conditions(where, filters),
        ...(_q ? { _q } : {}),
        status,
        ...this.#locales,
      });
      const page = { ...everything, limit: 0, withCount: true };
      sum += (await this.#context.reader.list(this.#type, this.#context.viewer, params, { page })).total ?? 0;
    }
    return sum;
  }

  #conditions(...all: unknown[]): Params {
    for (const one of all) requireDefined(one);
    const conditions = all.filter((one) => isPlain(one) && Object.keys(one).length > 0);
    const plain = conditions.map((one) => plainFilters(one, this.#type));
    if (plain.length === 0) return {};
    return { filters: plain.length === 1 ? plain[0] : { $and: plain } };
  }

  get #locales(): Params {
    return this.#type.localized ? { locale: '*' } : {};
  }

  /** The kinds of rows that conditions may be met by. */
  #statuses(where: unknown): readonly ('draft' | 'published')[] {
    if (!this.#type.draftAndPublish) return ['published'];
    const wanted = isPlain(where) ? where['publishedAt'] : undefined;
    const { $notNull, $null, $ne } = (isPlain(wanted) ? wanted : {}) as Params;
    if (wanted === null || $null === true || $notNull === false) return ['draft'];
    return $notNull === true || $ne === null ? ['published'] : ['draft', 'published'];
  }
}

function operationOf(moment: Moment): Operation {
  if (moment.startsWith('Create')) return 'create';
  if (moment.startsWith('Update')) return 'update';
  return moment.startsWith('Delete') ? 'delete' : 'find';
}

/** `populate` of the query engine: as that of documents, with `where`, `select` and `orderBy` within. */
function populateOf(populate: unknown): unknown {
  if (populate === true) return '*';
  if (Array.isArray(populate)) return populate.map(String);
  if (!isPlain(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate)
      .filter(([, value]) => value !== undefined && value !== false)
      .map(([name, value]) => [name, isPlain(value) ? optionsOf(value) : value]),
  );
}

function optionsOf({ where, select, orderBy, populate, on, ...rest }: Params): unknown {
  const options = {
    ...rest,
    ...(where === undefined ? {} : { filters: plainFilters(where) }),
    ...(select === undefined ? {} : { fields: [select].flat() }),
    ...(orderBy === undefined ? {} : { sort: orderBy }),
    ...(populate === undefined ? {} : { populate: populateOf(populate) }),
    ...(isPlain(on) ? { on: populateOf(on) } : {}),
  };
  return Object.keys(options).length === 0 ? true : options;
}

/** The order of rows of two reads, where it is by columns of the rows themselves. */
function orderOf(orderBy: unknown): (a: Row, b: Row) => number {
  const keys = [orderBy ?? 'id'].flat().flatMap((one): [string, boolean][] => {
    if (isPlain(one)) return Object.entries(one).map(([name, way]) => [name, String(way).toLowerCase() === 'desc']);
    const [name = 'id', way = 'asc'] = String(one).split(':');
    return [[name, way.toLowerCase() === 'desc']];
  });
  return (a, b) => {
    for (const [name, descends] of keys) {
      const [left, right] = [a[name] as string | number, b[name] as string | number];
      if (left !== right) return (left < right ? -1 : 1) * (descends ? -1 : 1);
    }
    return 0;
  };
}

/** @throws Error where a single row is to be changed and nothing says which. */
function requireConditions(where: unknown, what: string): void {
  if (!isPlain(where) || Object.keys(where).length === 0) throw new Error(`${what} requires a where parameter`);
}

/** @throws Error for a condition without a value, which would be met by all rows. */
function requireDefined(conditions: unknown): void {
  if (Array.isArray(conditions)) for (const one of conditions) requireDefined(one);
  if (!isPlain(conditions)) return;
  for (const [name, value] of Object.entries(conditions)) {
    if (value === undefined) throw new Error(`Undefined binding(s) detected: the condition ${name} has no value`);
    requireDefined(value);
  }
}
