/**
 * `strapi.documents(uid)`: Galley's document service behind the middlewares that code has put before it, with the
 * lifecycles of the rows that an operation reads and writes, in the reference's order.
 */
import type { DocumentService } from '../../../content/document-types.ts';
import type { Queryable } from '../../../db/queryable.ts';
import { ContentError } from '../../../errors.ts';
import { type Catalog, type ContentType, USER_UID } from '../../../schema/catalog.ts';
import type { NamedRows } from '../conditions/named-rows.ts';
import { withHash } from './account-hash.ts';
import { knownData } from './known-data.ts';
import type { Lifecycles, Moment, Params, States } from './lifecycles.ts';
import { namesVersion, pagedParams, plainParams } from './plain-params.ts';
import { inShape } from './row-shape.ts';
import type { Schemas } from './schemas.ts';
import type { Operation, Unhooked } from './unhooked.ts';

/** What a document middleware is told. It may change `params`. */
export interface DocumentContext {
  readonly contentType: object;
  readonly uid: string;
  readonly action: DocumentAction;
  params: Params;
}
export type DocumentMiddleware = (context: DocumentContext, next: () => Promise<unknown>) => unknown;

const ACTIONS = [
  ...(['findMany', 'findFirst', 'findOne', 'count', 'create', 'update', 'delete', 'clone'] as const),
  ...(['publish', 'unpublish', 'discardDraft'] as const),
];
export type DocumentAction = (typeof ACTIONS)[number];

const OPERATIONS = Object.fromEntries(ACTIONS.map((name) => [name, operationOf(name)])) as Record<
  DocumentAction,
  Operation
>;

function operationOf(name: DocumentAction): Operation {
  if (/^(?:find|count)/.test(name)) return 'find';
  if (name === 'create' || name === 'clone') return 'create';
  return name === 'delete' ? 'delete' : 'update';
}

export type Row = Record<string, unknown> & { readonly id: number; readonly documentId: string };
/** A read or a write, of parameters as code has left them. */
export type OwnOperation = (params: Params) => Promise<unknown>;
type Service = DocumentService<string>;
type Versions = { readonly documentId: string; readonly entries: readonly Row[] };

/** The methods of a type's documents. */
export type ProjectService = Readonly<Record<DocumentAction, (params?: Params) => Promise<unknown>>>;

export interface DocumentsContext {
  readonly catalog: Catalog;
  readonly database: Queryable;
  readonly schemas: Schemas;
  readonly lifecycles: Lifecycles;
  readonly unhooked: Unhooked;
  readonly named: NamedRows;
  /** As `RunnableCode.hooked`. */
  readonly hooked: ReadonlySet<string> | undefined;
  /** Runs a write with its lifecycles in one transaction: what one of them throws leaves nothing of it. */
  readonly within: <T>(work: () => Promise<T>) => Promise<T>;
  /** The documents of a type as Galley has them, private attributes included. */
  readonly serviceOf: (uid: string) => Service;
  /** What takes the place of writes of types that have rules of their own; undefined for others. */
  readonly writesOf: (uid: string) => Partial<ProjectService> | undefined;
}

export class ProjectDocuments {
  readonly #context: DocumentsContext;
  readonly #services = new Map<string, ProjectService>();
  #middlewares: readonly DocumentMiddleware[] = [];
  /** Rises with every middleware. */
  version = 0;

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  /** Puts a middleware before all operations, until the function that it gives is called. */
  use(middleware: DocumentMiddleware): () => void {
    if (typeof middleware !== 'function') throw new TypeError('a document middleware must be a function');
    this.#middlewares = [...this.#middlewares, middleware];
    this.version++;
    return () => {
      this.#middlewares = this.#middlewares.filter((one) => one !== middleware);
    };
  }

  /** Whether code stands before any operation on a type. Of the built-in ones, only accounts are written as documents. */
  isTouched(uid: string, ...moments: Moment[]): boolean {
    const isDocument = uid === USER_UID || this.#context.catalog.contentTypes.get(uid)?.builtIn === false;
    return (isDocument && this.#middlewares.length > 0) || this.#context.lifecycles.listens(uid, ...moments);
  }

  /** The same for a core action, before which only those middlewares stand that may do anything in it. */
  isCoreTouched(uid: string, action: string, ...moments: Moment[]): boolean {
    const { hooked, lifecycles } = this.#context;
    const isHooked = this.#middlewares.length > 0 && (hooked?.has(`${uid}.${action}`) ?? true);
    return isHooked || lifecycles.listens(uid, ...moments);
  }

  /** @throws Error for a uid that no content type has. */
  of(uid: string): ProjectService {
    const known = this.#services.get(uid);
    if (known) return known;
    const type = this.#context.catalog.contentTypes.get(uid);
    if (!type) throw new Error(`Model ${uid} not found: no content type has this uid`);
    const run = async (action: DocumentAction, params: Params) =>
      withHash(this.#context.database, uid, await this.run(type, action, params));
    const service = Object.fromEntries(
      ACTIONS.map((action) => [action, (params: Params = {}) => run(action, params)]),
    ) as ProjectService;
    this.#services.set(uid, service);
    return service;
  }

  /**
   * Runs an operation with all that code has put around it.
   *
   * @param own what reads or writes in the place of the documents' own service. It gives what that would give.
   */
  async run(type: ContentType, action: DocumentAction, params: Params, own?: OwnOperation): Promise<unknown> {
    const { uid } = type;
    if (own === undefined) this.#context.unhooked.require(type, OPERATIONS[action]);
    const operations = new Operations(this.#context, type, own);
    const context: DocumentContext = { contentType: this.#context.schemas.of(uid)!, uid, action, params };
    let index = 0;
    const middlewares = this.#middlewares;
    const next = async (): Promise<unknown> => {
      const middleware = middlewares[index++];
      return middleware ? middleware(context, next) : operations.run(action, context.params ?? {});
    };
    return next();
  }

  /**
   * Deletes a row in a way that is none of documents in the reference: only lifecycles are run.
   *
   * @param own deletes it, and gives the row that it was.
   */
  remove(type: ContentType, documentId: string, own: OwnOperation): Promise<unknown> {
    return new Operations(this.#context, type, own).run('delete', { documentId });
  }

  /** The rows of versions of a document, without what they link to, as code knows them. */
  rows(type: ContentType, params: Params): Promise<readonly Row[]> {
    return new Operations(this.#context, type).rows(params);
  }
}

/** The operations on one type, with their lifecycles. */
class Operations {
  readonly #context: DocumentsContext;
  readonly #type: ContentType;
  readonly #service: Service;
  readonly #own: OwnOperation | undefined;

  constructor(context: DocumentsContext, type: ContentType, own?: OwnOperation) {
    this.#context = context;
    this.#type = type;
    this.#service = context.serviceOf(type.uid);
    this.#own = own;
  }

  run(action: DocumentAction, given: Params): Promise<unknown> {
    const params = plainParams(given, this.#type);
    const { lifecycles, within } = this.#context;
    const isTold = OPERATIONS[action] !== 'find' && lifecycles.listens(this.#type.uid, 'Create', 'Update', 'Delete');
    return isTold ? within(() => this.#run(action, params)) : this.#run(action, params);
  }

  /** What was read, as code knows it. */
  #shaped<T>(value: T, params: Params): T {
    const { catalog } = this.#context;
    const entries = (value as { entries?: unknown } | null)?.entries;
    inShape(catalog, this.#type, entries ?? value, params);
    return value;
  }

  #run(action: DocumentAction, params: Params): Promise<unknown> {
    switch (action) {
      case 'findMany':
        return this.#reading('FindMany', params, (found) => this.#service.findMany(pagedParams(found)));
      case 'findFirst':
        return this.#reading('FindOne', params, async (found) => {
          if (!namesVersion(this.#type, found)) return null;
          return (await this.#service.findMany({ ...pagedParams(found), limit: 1 }))[0] ?? null;
        });
      case 'count':
        return this.#reading('Count', params, (found) => this.#service.count(found));
      case 'findOne':
        return this.#reading('FindOne', params, (found) => this.#service.findOne(found as { documentId: string }));
      case 'create':
        return this.#create(params);
      case 'update':
        return this.#update(params);
      case 'delete':
        return this.#delete(params);
      default:
        return this.#move(action, params);
    }
  }

  async #reading(moment: Moment, params: Params, service: OwnOperation): Promise<unknown> {
    const { uid } = this.#type;
    const named = async ({ filters, ...rest }: Params) =>
      service(filters ? { ...rest, filters: await this.#context.named.resolve(filters, this.#type, true) } : rest);
    const read = async (found: Params) => this.#shaped(await (this.#own ?? named)(found), found);
    if (!this.#context.lifecycles.listens(uid, moment)) return read(params);
    const states: States = new Map();
    const { filters, documentId, ...rest } = params;
    const where = { ...(filters as object | undefined), ...(documentId === undefined ? {} : { documentId }) };
    const before = await this.#tell(`before${moment}`, { ...rest, where }, states);
    const { where: wanted, ...others } = before.params;
    const asked = { ...others, ...(documentId === undefined ? { filters: wanted } : { documentId, filters }) };
    const result = await read(plainParams(asked, this.#type));
    return (await this.#tell(`after${moment}`, before.params, states, result)).result;
  }

  #tell(action: `${'before' | 'after'}${Moment}`, params: Params, states: States, result?: unknown) {
    return this.#context.lifecycles.run(action, this.#type.uid, { params, result }, states);
  }

  async #create(params: Params): Promise<unknown> {
    const write =
      this.#own ??
      this.#context.writesOf(this.#type.uid)?.create ??
      (async (one = {}) => this.#shaped(await this.#service.create(this.#known(one) as never), one));
    if (!this.#context.lifecycles.listens(this.#type.uid, 'Create')) return write(params);
    const isDraft = this.#type.draftAndPublish && params['status'] !== 'published';
    const first = await this.#before('Create', { where: {}, data: { ...params['data'], publishedAt: stamp(isDraft) } });
    const publishes = this.#type.draftAndPublish && !isDraft;
    const second = publishes ? await this.#before('Create', { where: {}, data: { ...first.data } }) : undefined;
    const made = (await write({ ...params, data: this.#written(second ?? first) })) as Row;
    const rows = publishes
      ? [await this.#row(made, 'draft'), await this.#row(made, 'published')]
      : [await this.#row(made)];
    for (const [index, one] of [first, second].entries())
      if (one) await this.#after('Create', one, rows[index] ?? null);
    return made;
  }

  async #update(params: Params): Promise<unknown> {
    const { documentId, status, locale } = params;
    const write =
      this.#own ??
      this.#context.writesOf(this.#type.uid)?.update ??
      (async (one = {}) => this.#shaped(await this.#service.update(this.#known(one) as never), one));
    const { lifecycles } = this.#context;
    if (!lifecycles.listens(this.#type.uid, 'Update', 'Create', 'Delete')) return write(params);
    const at = { documentId, locale };
    const [draft, published] = [await this.#row(at, 'draft'), await this.#row(at, 'published')];
    const known = this.#type.draftAndPublish ? draft : published;
    // a version in another locale is made
    const moment = known ? 'Update' : 'Create';
    if (!known && !(await this.#exists(documentId))) return write(params);
    const publishes = this.#type.draftAndPublish && status === 'published';
    const where = known ? { id: known.id } : {};
    const shown = { ...params['data'], publishedAt: stamp(this.#type.draftAndPublish) };
    const first = await this.#before(moment, { where, data: known ? shown : { ...shown, documentId } });
    const removed = publishes && published ? await this.#before('Delete', { where: { id: published.id } }) : undefined;
    const data = { ...known, ...this.#written(first), documentId, publishedAt: stamp(false) };
    const second = publishes ? await this.#before('Create', { where: {}, data }) : undefined;
    const written = second ? changed(this.#written(first), data, this.#written(second)) : this.#written(first);
    const made = (await write({ ...params, data: written })) as Row | null;
    if (!made) return made;
    await this.#after(moment, first, await this.#row(at, this.#type.draftAndPublish ? 'draft' : 'published'));
    if (removed) await this.#after('Delete', removed, published!);
    if (second) await this.#after('Create', second, await this.#row(at, 'published'));
    return made;
  }

  async #delete(params: Params): Promise<unknown> {
    const write =
      this.#own ??
      this.#context.writesOf(this.#type.uid)?.delete ??
      (async (one = {}) => this.#shaped(await this.#service.delete(one as never), one));
    if (!this.#context.lifecycles.listens(this.#type.uid, 'Delete')) return write(params);
    const rows = await this.rows(params);
    const begun = [];
    for (const row of rows) begun.push({ row, told: await this.#before('Delete', { where: { id: row.id } }) });
    const result = await write(params);
    for (const { row, told } of begun) await this.#after('Delete', told, row);
    return result;
  }

  /** Publishing, unpublishing, discarding and cloning: rows that are removed, and rows that are made. */
  async #move(action: 'publish' | 'unpublish' | 'discardDraft' | 'clone', params: Params): Promise<unknown> {
    const service = async (one: Params) => {
      const moved = this.#service[action](this.#known(one) as never);
      return action === 'clone' ? moved.catch(noEntries) : moved;
    };
    const move = async () => this.#shaped((await (this.#own ?? service)(params)) as Versions, params);
    if (!this.#context.lifecycles.listens(this.#type.uid, 'Create', 'Delete')) return move();
    const rows = await this.rows(params);
    const isDraft = (row: Row) => row['publishedAt'] === null;
    const goes = (row: Row) => (action === 'discardDraft' ? isDraft(row) : !isDraft(row));
    const removed = [];
    for (const row of action === 'clone' ? [] : rows.filter(goes)) {
      removed.push({ row, told: await this.#before('Delete', { where: { id: row.id } }) });
    }
    const from = rows.filter((row) => (action === 'discardDraft' ? !isDraft(row) : isDraft(row)));
    const begun = [];
    for (const { id: _id, ...data } of action === 'unpublish' ? [] : from) {
      const whole = { ...data, publishedAt: stamp(action !== 'publish') };
      begun.push(await this.#before('Create', { where: {}, data: whole }));
    }
    const result = await move();
    for (const { row, told } of removed) await this.#after('Delete', told, row);
    for (const [index, told] of begun.entries()) await this.#after('Create', told, result.entries[index] ?? null);
    return result;
  }

  /** Parameters of a write with what of its data the schema knows. */
  #known({ data, ...params }: Params): Params {
    return data === undefined ? params : { ...params, data: knownData(this.#context.catalog, this.#type, data) };
  }

  /** Tells of what is about to be done to a row. */
  async #before(moment: Moment, params: Params) {
    const states: States = new Map();
    const told = await this.#tell(`before${moment}`, params, states);
    return { states, params: told.params, data: told.params['data'] as Params };
  }

  async #after(moment: Moment, { states, params }: { states: States; params: Params }, row: unknown): Promise<void> {
    await this.#tell(`after${moment}`, params, states, row);
  }

  /** Data without what the reference shows to lifecycles and is not written. */
  #written({ data }: { readonly data: Params }): Params {
    const names = ['publishedAt', 'createdAt', 'updatedAt', 'documentId', 'locale', 'id', 'createdBy', 'updatedBy'];
    return Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
  }

  async #exists(documentId: string): Promise<boolean> {
    return (await this.rows({ documentId })).length > 0;
  }

  /** The row of a version without what it links to. */
  async #row({ documentId, locale }: Params, status?: 'draft' | 'published'): Promise<Row | null> {
    const version = {
      ...(status === undefined ? {} : { status }),
      ...(typeof locale === 'string' ? { locale } : {}),
    };
    return this.#shaped((await this.#service.findOne({ documentId, ...version })) as Row | null, {});
  }

  /** The rows that an operation names. */
  async rows({ documentId, locale }: Params): Promise<Row[]> {
    const rows: Row[] = [];
    for (const status of this.#type.draftAndPublish ? (['draft', 'published'] as const) : (['draft'] as const)) {
      const asked = {
        filters: { documentId },
        status,
        ...(this.#type.localized ? { locale: locale ?? undefined } : {}),
      };
      rows.push(...((await this.#service.findMany(plainParams(asked, this.#type) as never)) as Row[]));
    }
    return rows;
  }
}

const stamp = (isDraft: boolean): string | null => (isDraft ? null : new Date().toISOString());

/** What is to be copied and is not there gives no copies. */
function noEntries(error: unknown): { entries: readonly never[] } {
  if (error instanceof ContentError && error.name === 'NotFoundError') return { entries: [] };
  throw error;
}

/** What is written, with what a later listener has changed of what it was shown. */
function changed(written: Params, shown: Params, left: Params): Params {
  const own = Object.entries(left).filter(([name, value]) => shown[name] !== value);
  return { ...written, ...Object.fromEntries(own) };
}
