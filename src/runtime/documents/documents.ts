/**
 * `strapi.documents(uid)`: Galley's document service behind the middlewares that code has put before it, with the
 * lifecycles of the rows that an operation reads and writes.
 */
import { hiddenField } from '../../hidden-field.ts';
import { type ContentType, USER_UID } from '../../schema/catalog.ts';
import { withHash } from '../accounts/account-hashes.ts';
import { guarded, unsupported } from '../guarded.ts';
import { namedType } from '../schemas/named-type.ts';
import type { Unhooked } from '../unhooked.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import { ComponentRows } from './component-rows.ts';
import {
  ACTIONS,
  type DocumentAction,
  OPERATIONS,
  type OperationsContext,
  type OwnOperation,
  type ProjectService,
  type Row,
} from './document-actions.ts';
import type { Moment, Params } from './lifecycles.ts';
import { type CodeParams, momentOf, Operations, type PreparedRead } from './operations.ts';
import { VersionRows } from './version-rows.ts';

/** The context of a document middleware, which may change `params`. */
export interface DocumentContext {
  readonly contentType: object;
  readonly uid: string;
  readonly action: DocumentAction;
  params: Params;
}
export type DocumentMiddleware = (context: DocumentContext, next: () => Promise<unknown>) => unknown;

export interface DocumentsContext extends Omit<OperationsContext, 'components'> {
  readonly unhooked: Unhooked;
}

const WRITES: ReadonlySet<Moment> = new Set(['Create', 'Update', 'Delete']);

export class ProjectDocuments {
  readonly #context: DocumentsContext & OperationsContext;
  readonly #services = new Map<string, ProjectService>();
  #middlewares: readonly DocumentMiddleware[] = [];
  /** Increases with every middleware. */
  version = 0;

  constructor(context: DocumentsContext) {
    this.#context = { ...context, components: new ComponentRows(context.runtime.catalog, context.lifecycles) };
  }

  /** Adds a middleware for all operations. The returned function removes it. */
  use(middleware: DocumentMiddleware): () => void {
    if (typeof middleware !== 'function') throw new TypeError('a document middleware must be a function');
    this.#middlewares = [...this.#middlewares, middleware];
    this.version++;
    return () => {
      this.#middlewares = this.#middlewares.filter((one) => one !== middleware);
    };
  }

  /** Whether code has added any middleware. */
  get hasMiddlewares(): boolean {
    return this.#middlewares.length > 0;
  }

  /** Whether a middleware or a listener runs around operations on a type. Accounts are the only built-in documents. */
  isTouched(uid: string, ...moments: Moment[]): boolean {
    const isDocument = uid === USER_UID || this.#context.runtime.catalog.contentTypes.get(uid)?.builtIn === false;
    return (isDocument && this.#middlewares.length > 0) || this.#hasListeners(uid, moments);
  }

  /** Whether a type's rows have a listener at one of some moments. */
  listens(uid: string, ...moments: Moment[]): boolean {
    return this.#context.lifecycles.listens(uid, ...moments);
  }

  /** The same, including listeners to writes of components within the rows. */
  #hasListeners(uid: string, moments: readonly Moment[]): boolean {
    const { lifecycles, components, runtime } = this.#context;
    if (lifecycles.listens(uid, ...moments)) return true;
    const type = runtime.catalog.contentTypes.get(uid);
    return type !== undefined && moments.some((moment) => WRITES.has(moment)) && components.haveListeners(type);
  }

  /** @throws Error for a uid that no content type has. */
  of(uid: string): ProjectService {
    const known = this.#services.get(uid);
    if (known) return known;
    const type = namedType(this.#context.runtime.catalog, uid);
    const run = async (action: DocumentAction, params: Params) =>
      withHash(this.#context.runtime.database, uid, await this.run(type, action, params));
    const methods = ACTIONS.map((action) => [action, (params: Params = {}) => run(action, params)] as const);
    const service = guarded('strapi.documents()', Object.fromEntries(methods) as unknown as ProjectService);
    this.#services.set(uid, service);
    return service;
  }

  /**
   * Runs an operation within the middlewares and lifecycles of the code.
   *
   * @param own reads or writes in place of the document service, with the same result.
   * @param seen values of the data that middlewares see and cannot change, and that lifecycles do not see.
   */
  run(
    type: ContentType,
    action: DocumentAction,
    params: Params,
    own?: OwnOperation,
    seen: Params = {},
  ): Promise<unknown> {
    const { uid } = type;
    if (own === undefined) this.#context.unhooked.require(type, OPERATIONS[action]);
    const operations = new Operations(this.#context, type, own);
    const hasSeen = Object.keys(seen).length > 0;
    const context: DocumentContext = {
      contentType: this.#context.schemas.of(uid)!,
      ...{ uid, action },
      params: hasSeen ? { ...params, data: { ...params['data'], ...seen } } : params,
    };
    return this.#around(context, () => {
      const changed = context.params ?? {};
      return operations.run(action, hasSeen ? withoutSeen(uid, changed, seen) : changed);
    });
  }

  /** Runs a read that is performed in another way as long as code leaves its parameters as they are. */
  runPrepared(type: ContentType, action: DocumentAction, { params, read }: PreparedRead): Promise<unknown> {
    const { uid } = type;
    this.#context.unhooked.require(type, OPERATIONS[action]);
    const context = unreadContext({ contentType: this.#context.schemas.of(uid)!, uid, action }, params);
    return this.#around(context, () => {
      const isPlain = !params.isTaken && !this.listens(uid, momentOf(action));
      if (isPlain) return read();
      return new Operations(this.#context, type, undefined, { params, read }).run(action, context.params ?? {});
    });
  }

  /** Runs an operation within all middlewares. */
  async #around(context: DocumentContext, operation: () => Promise<unknown>): Promise<unknown> {
    const { action } = context;
    let index = 0;
    const middlewares = this.#middlewares;
    const { narrowing } = this.#context.runtime;
    const back = narrowing.returning();
    const next = async (): Promise<unknown> => {
      const middleware = middlewares[index++];
      if (!middleware) return back(operation);
      return OPERATIONS[action] === 'find'
        ? UnitOfWork.call(middleware, undefined, context, next)
        : narrowing.aside(() => UnitOfWork.call(middleware, undefined, context, next));
    };
    return next();
  }

  /** The parameters that a read has where no code changes them. @throws ContentError 400 for wrong ones. */
  readParams(type: ContentType, action: DocumentAction, params: Params): Params {
    return new Operations(this.#context, type).readParams(action, params);
  }

  /**
   * Deletes a row with lifecycles only, as the reference does outside of the document service.
   *
   * @param own deletes it, and returns the deleted row.
   */
  remove(type: ContentType, documentId: string, own: OwnOperation): Promise<unknown> {
    return new Operations(this.#context, type, own).run('delete', { documentId });
  }

  /** A written row as listeners to its reading change it. */
  asRead(uid: string, row: unknown): Promise<unknown> {
    return this.#context.lifecycles.asRead(uid, row);
  }

  /** The rows of a document's versions in the form that code sees, without relations. */
  rows(type: ContentType, params: Params): Promise<readonly Row[]> {
    return new VersionRows(this.#context, type).rows(params);
  }
}

/** The parameters of contexts whose read is prepared: those that code has set, or else those that it is shown. */
const lazyParams = hiddenField<object, { readonly prepared: CodeParams; own: Params | undefined }>();

/** The context of a prepared read. Its parameters are computed when code looks at them. */
function unreadContext(context: Omit<DocumentContext, 'params'>, prepared: CodeParams): DocumentContext {
  lazyParams.set(context, { prepared, own: undefined });
  return Object.defineProperty(context as DocumentContext, 'params', PARAMS);
}

/** One accessor of all contexts: each one of its own would cost more than the rest of a context. */
const PARAMS: PropertyDescriptor = {
  configurable: true,
  enumerable: true,
  get(this: object): Params {
    const lazy = lazyParamsOf(this);
    lazy.own ??= lazy.prepared.take();
    return lazy.own;
  },
  set(this: object, given: Params) {
    const lazy = lazyParamsOf(this);
    lazy.own = given;
    lazy.prepared.isTaken = true;
  },
};

/** The parameters of a context, or of one that code has derived from it. @throws Unsupported for a proxy. */
function lazyParamsOf(context: object) {
  const holder = lazyParams.holder(context);
  return holder ? lazyParams.get(holder)! : unsupported('a proxy of the context of a document middleware');
}

/** @throws Unsupported where a middleware has changed what it may only see. */
function withoutSeen(uid: string, params: Params, seen: Params): Params {
  const data: Params = { ...params['data'] };
  for (const [name, value] of Object.entries(seen)) {
    if (data[name] !== value) unsupported(`a change of ${name} of ${uid} by a document middleware`);
    delete data[name];
  }
  return { ...params, data };
}
