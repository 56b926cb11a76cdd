/**
 * Reading: a request's parameters become one statement, and the statement's text becomes the answer. Compiled plans
 * are kept by the shape of the query and the caller's rights, values left out.
 */
import { permitQuery } from '../access/authorize.ts';
import type { Grants } from '../access/grants.ts';
import type { Database, Executor, Read } from '../db/database.ts';
import { ContentError, notFound, tooLong } from '../errors.ts';
import { costOf, type ReadCost } from '../plan/cost.ts';
import { planRead, type ReadSlots } from '../plan/read.ts';
import type { FileMarks, SlotKind } from '../plan/read-plan.ts';
import { Budget } from '../query/budget.ts';
import type { LocaleChoice } from '../query/content-query.ts';
import { type Page, type PageLimits, parsePage } from '../query/page.ts';
import { parseParams, type RawObject } from '../query/params.ts';
import { parseLocale, parseQuery } from '../query/parse.ts';
import { Recent, textWeight } from '../recent.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { Layout } from '../schema/layout.ts';
import { compileRead } from '../sql/read.ts';
import { bind, makeStatement, needsWide, type Statement } from '../sql/statement.ts';
import { bindValue } from '../sql/values.ts';
import type { Answer, ListText, OneText } from './answers.ts';
import type { JsonBody } from './json-body.ts';
import { localeSlots, localesOf } from './locale-slots.ts';
import type { LocaleStore } from './locale-store.ts';

/** Plans kept. A plan is a statement's text and its parameters: some kilobytes. */
const PLANS = 1000;
/** Shapes larger than this are compiled each time, so that nobody fills the memory with huge ones. */
const SHAPE_LENGTH = 8192;
/** Query strings remembered with what they became. */
const QUERIES = 1000;
/** Longer query strings are parsed each time. */
const QUERY_LENGTH = 1024;
/** Sets of rights told apart. */
const RIGHTS = 1000;

export interface ReaderContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  readonly locales: LocaleStore;
  readonly limits: PageLimits;
  /** How addresses of files are marked, where a store is private: texts and bytes then hold marks (`FileUrls`). */
  readonly marks?: FileMarks | undefined;
}

/** What a single read is of. */
export type Single =
  | { readonly kind: 'document'; readonly documentId: string }
  /** A row by its id: files and users. */
  | { readonly kind: 'row'; readonly id: number }
  /** The one document of a single type. */
  | { readonly kind: 'single' };

export interface ReadOptions {
  /** The page to read; parsed from the parameters when left out. */
  readonly page?: Page;
  /** Constant keys at the end of each object. */
  readonly flags?: Readonly<Record<string, boolean>>;
  /** Where to read: a transaction that wrote what is read; the database itself when left out. */
  readonly executor?: Executor;
}

interface BindOptions extends ReadOptions {
  /** Asks for bytes, where the engine has them; text when left out. */
  readonly bytes?: boolean;
}

/** A plan's statement, and what the plan may cost. */
interface Compiled {
  readonly statement: Statement;
  readonly cost: ReadCost;
  readonly table: string;
}

/** A statement with the values of a request. */
type Bound = Omit<Read, 'page'>;

/** What a statement is made of. */
interface ReadShape {
  readonly type: ContentType;
  readonly grants: Grants;
  readonly query: Parameters<typeof permitQuery>[3];
  readonly slots: ReadSlots;
  readonly bytes: boolean;
  /** Whether it takes numbers that an index does not serve (`Dialect.wide`). */
  readonly wide?: boolean;
}

interface BoundList extends Bound {
  readonly page: Page;
}

interface BoundOne extends Bound {
  /** Which of the values are the id of the document or row asked for, and what they take. */
  readonly addresses: readonly { readonly index: number; readonly kind: SlotKind }[];
}

export class Reader {
  readonly #context: ReaderContext;
  readonly #bound = new Recent<string, Bound>(QUERIES, textWeight(boundLength));
  /** Grants by a small number: their keys are long. A number is never given twice. */
  readonly #rights = new Recent<string, number>(RIGHTS);
  #nextRights = 0;
  readonly #plans = new Recent<string, Compiled>(
    PLANS,
    textWeight((shape, { statement }) => shape.length + statement.text.length),
  );

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  /**
   * Reads a list.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async list(type: ContentType, grants: Grants, params: RawObject, options: ReadOptions = {}): Promise<ListText> {
    return this.#readList(this.#bindList(type, grants, params, await this.#defaultLocale(type), options));
  }

  /**
   * Reads a list as a raw query string asks, for an answer's body. What the string becomes is remembered.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async listOf(type: ContentType, grants: Grants, query: string): Promise<ListText<JsonBody>> {
    const locale = await this.#defaultLocale(type);
    return this.#readList(
      this.#remembered('list', type, grants, query, locale, () =>
        this.#bindList(type, grants, parseParams(query), locale, { bytes: true }),
      ),
    );
  }

  /**
   * Reads one document as JSON text; undefined when there is none in the status, locale and cohort asked for.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async one(
    type: ContentType,
    grants: Grants,
    params: RawObject,
    single: Single,
    options: ReadOptions = {},
  ): Promise<string | undefined> {
    return (await this.document(type, grants, params, single, options))?.data;
  }

  /**
   * The same with the document's version.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async document(
    type: ContentType,
    grants: Grants,
    params: RawObject,
    single: Single,
    options: ReadOptions = {},
  ): Promise<OneText | undefined> {
    // a transaction holds its connection while it waits: what is asked beside it may never get one
    const named = typeof params['locale'] === 'string' && params['locale'] !== '';
    const locale = named ? '' : await this.#defaultLocale(type);
    const bound = this.#bindOne(type, grants, params, single.kind, locale, options);
    return this.#readOne(bound, single, options.executor);
  }

  /**
   * Reads a document that a transaction has written, in that transaction; where the read may be slow, once the
   * transaction is over, so that no other write waits for it.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async written(
    executor: Executor,
    type: ContentType,
    grants: Grants,
    params: RawObject,
    documentId: string,
  ): Promise<Answer> {
    const single = { kind: 'document', documentId } as const;
    const named = typeof params['locale'] === 'string' && params['locale'] !== '';
    const locale = named ? '' : await this.#defaultLocale(type);
    const bound = this.#bindOne(type, grants, params, single.kind, locale);
    if (this.#context.database.isSlow(this.#address(bound, single))) {
      return { read: () => this.#readLater(bound, single) };
    }
    const document = await this.#readOne<string>(bound, single, executor);
    if (!document) throw unreadable();
    return document;
  }

  async #readLater(bound: BoundOne, single: Extract<Single, { kind: 'document' }>): Promise<OneText> {
    try {
      const document = await this.#readOne<string>(bound, single);
      if (document) return document;
    } catch (error) {
      if (!(error instanceof ContentError) || error.status !== 503) throw error;
      // who sends it again would write it again
      const message = 'The document was written, but the answer took too long to read: populate less of it';
      throw new ContentError('ServiceUnavailableError', message, { documentId: single.documentId }, { cause: error });
    }
    // somebody has deleted it since
    throw notFound();
  }

  /**
   * Reads one document as a raw query string asks, for an answer's body. What the string becomes is remembered, for
   * every document.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async oneOf(
    type: ContentType,
    grants: Grants,
    query: string,
    single: Single,
  ): Promise<OneText<JsonBody> | undefined> {
    const locale = await this.#defaultLocale(type);
    const bound = this.#remembered(single.kind, type, grants, query, locale, () =>
      this.#bindOne(type, grants, parseParams(query), single.kind, locale, { bytes: true }),
    );
    return this.#readOne(bound, single);
  }

  /**
   * Checks a query without reading, for answers that it does not shape.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  check(type: ContentType, grants: Grants, params: RawObject): void {
    permitQuery(this.#context.catalog, grants, type, parseQuery(params).query, new Budget());
  }

  /** The default locale; types that are not localized have no use for it. */
  async #defaultLocale(type: ContentType): Promise<string> {
    return type.localized ? this.#context.locales.default() : '';
  }

  #remembered<T extends Bound>(
    kind: string,
    type: ContentType,
    grants: Grants,
    query: string,
    locale: string,
    make: () => T,
  ): T {
    if (query.length > QUERY_LENGTH) return make();
    const key = `${kind} ${type.uid} ${this.#rightsOf(grants)} ${locale} ${query}`;
    let bound = this.#bound.get(key) as T | undefined;
    if (bound === undefined) {
      bound = make();
      this.#bound.set(key, bound);
    }
    return bound;
  }

  /** The number of a caller's rights. One that is no longer kept is not found again: what was made with it is made anew. */
  #rightsOf({ key }: Grants): number {
    let rights = this.#rights.get(key);
    if (rights === undefined) {
      rights = this.#nextRights++;
      this.#rights.set(key, rights);
    }
    return rights;
  }

  #bindList(
    type: ContentType,
    grants: Grants,
    params: RawObject,
    locale: string,
    options: BindOptions = {},
  ): BoundList {
    const { query, values: operands } = parseQuery(params);
    const values = [...operands];
    const locales = localeSlots(type, localesOf(type, params), locale, values);
    const limit = values.push(0) - 1;
    const offset = values.push(0) - 1;
    // the reference tells a wrong name before a wrong page, and whether to count is part of the plan's shape
    const page = options.page ?? lazily(() => parsePage(params, this.#context.limits));
    const count = 'error' in page ? true : page.withCount;
    const slots: ReadSlots = { locales, documentId: undefined, page: { limit, offset, count }, flags: options.flags };
    const shape = { type, grants, query, slots, bytes: options.bytes === true };
    const compiled = this.#compiled(shape);
    if ('error' in page) throw page.error;
    values[limit] = page.limit;
    values[offset] = page.offset;
    return { ...this.#bind(shape, compiled, values), page };
  }

  #bindOne(
    type: ContentType,
    grants: Grants,
    params: RawObject,
    kind: Single['kind'],
    locale: string,
    options: BindOptions = {},
  ): BoundOne {
    const { query, values: operands } = parseQuery(params);
    const values = [...operands];
    const code = type.localized ? parseLocale(params['locale']) : undefined;
    const choice: LocaleChoice = code === undefined ? { kind: 'default' } : { kind: 'some', codes: [code] };
    const locales = localeSlots(type, choice, locale, values);
    const address = kind === 'single' ? undefined : values.push(null) - 1;
    const documentId = kind === 'document' ? address : undefined;
    const rowId = kind === 'row' ? address : undefined;
    const slots: ReadSlots = { locales, documentId, rowId, page: undefined, flags: options.flags };
    const shape = { type, grants, query, slots, bytes: options.bytes === true };
    const compiled = this.#compiled(shape);
    const addresses = compiled.statement.parameters.flatMap(({ slot, kind: takes }, index) =>
      slot === address ? [{ index, kind: takes }] : [],
    );
    return { ...this.#bind(shape, compiled, values), addresses };
  }

  /** A statement with its values; in the wide form of its shape where one of them asks for it. */
  #bind(shape: ReadShape, compiled: Compiled, values: readonly unknown[]): Bound {
    const { dialect } = this.#context.database;
    const parameters = bind(dialect, compiled.statement, values);
    const isWide = needsWide(dialect, compiled.statement, parameters);
    const { statement, cost, table } = isWide ? this.#compiled({ ...shape, wide: true }) : compiled;
    return { text: statement.text, values: parameters, cost, table };
  }

  async #readList<Data extends JsonBody>(bound: BoundList): Promise<ListText<Data>> {
    const { page } = bound;
    const [row] = await this.#context.database.read(bound);
    const total = page.withCount ? Number(row![1]) : undefined;
    return { data: present(row![0] as Data | null), page, total };
  }

  async #readOne<Data extends JsonBody>(
    bound: BoundOne,
    single: Single,
    executor?: Executor,
  ): Promise<OneText<Data> | undefined> {
    const read = this.#address(bound, single);
    const [row] = await (executor ? executor.rows(read.text, read.values) : this.#context.database.read(read));
    if (!row) return undefined;
    const version = row[1] === undefined || row[1] === null ? undefined : Number(row[1]);
    return { data: present(row[0] as Data | null), version };
  }

  /** The read of one document or row: the plan is the same for each. */
  #address({ addresses, ...bound }: BoundOne, single: Single): Read {
    const { dialect } = this.#context.database;
    const values = [...bound.values];
    for (const { index, kind } of addresses) values[index] = bindValue(dialect, kind, addressOf(single));
    return { ...bound, values, page: undefined };
  }

  #compiled({ type, grants, query, slots, bytes, wide = false }: ReadShape): Compiled {
    const shape = `${type.uid} ${bytes} ${wide} ${JSON.stringify(query)} ${JSON.stringify(slots)} ${this.#rightsOf(grants)}`;
    const known = this.#plans.get(shape);
    if (known) return known;
    const { catalog, layout, database, marks } = this.#context;
    const budget = new Budget();
    const permitted = permitQuery(catalog, grants, type, query, budget);
    const { plan, kinds } = planRead(catalog, layout, permitted, slots, marks);
    const dialect = (wide && database.dialect.wide?.dialect) || database.dialect;
    const statement = makeStatement(dialect, compileRead(dialect, plan, bytes, budget), kinds);
    // the budget has bounded the plan by now
    const compiled = { statement, cost: costOf(plan), table: plan.table };
    if (shape.length <= SHAPE_LENGTH) this.#plans.set(shape, compiled);
    return compiled;
  }
}

const unreadable = () => new ContentError('InternalServerError', 'The written document cannot be read');

/** An answer that the statement gave; null stands for one beyond the limit (`Dialect.bounded`). */
function present<Data>(data: Data | null): Data {
  if (data === null) throw tooLong();
  return data;
}

/** Characters that a remembered query string holds with its statement and values. */
function boundLength(key: string, { text, values }: Bound): number {
  return values.reduce<number>((sum, value) => sum + String(value).length, key.length + text.length);
}

function addressOf(single: Single): string | number | null {
  if (single.kind === 'single') return null;
  return single.kind === 'document' ? single.documentId : single.id;
}

function lazily<T extends object>(parse: () => T): T | { error: unknown } {
  try {
    return parse();
  } catch (error) {
    return { error };
  }
}
