/**
 * Reading: a request's parameters become one statement, and the statement's text becomes the answer. Compiled plans
 * are kept by the shape of the query and the caller's rights, values left out.
 */
import { permitQuery } from '../access/authorize.ts';
import type { Grants } from '../access/grants.ts';
import type { Database } from '../db/database.ts';
import { notFound } from '../errors.ts';
import { planRead, type ReadSlots } from '../plan/read.ts';
import type { LocaleChoice } from '../query/content-query.ts';
import { type Page, type PageLimits, pageMeta, parsePage } from '../query/page.ts';
import type { RawObject } from '../query/params.ts';
import { parseLocale, parseLocales, parseQuery } from '../query/parse.ts';
import { Recent } from '../recent.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { Layout } from '../schema/layout.ts';
import { compileRead } from '../sql/read.ts';
import { bind, makeStatement, type Statement } from '../sql/statement.ts';
import type { LocaleStore } from './locale-store.ts';

/** Plans kept. A plan is a statement's text and its parameters: some kilobytes. */
const PLANS = 1000;
/** Shapes larger than this are compiled each time, so that nobody fills the memory with huge ones. */
const SHAPE_LENGTH = 8192;

export interface ReaderContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  readonly locales: LocaleStore;
  readonly limits: PageLimits;
}

/** A list as JSON text. */
export interface ListText {
  readonly data: string;
  readonly page: Page;
  /** Undefined when it was not counted. */
  readonly total: number | undefined;
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
}

export class Reader {
  readonly #context: ReaderContext;
  readonly #plans = new Recent<string, Statement>(PLANS);

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  /**
   * Reads a list.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  async list(type: ContentType, grants: Grants, params: RawObject, options: ReadOptions = {}): Promise<ListText> {
    const { query, values: operands } = parseQuery(params);
    const values = [...operands];
    const locales = await this.#localeSlots(type, parseLocalesOf(type, params), values);
    const limit = values.push(0) - 1;
    const offset = values.push(0) - 1;
    // the reference tells a wrong name before a wrong page, and whether to count is part of the plan's shape
    const wanted = options.page ?? lazily(() => parsePage(params, this.#context.limits));
    const count = 'error' in wanted ? true : wanted.withCount;
    const slots: ReadSlots = { locales, documentId: undefined, page: { limit, offset, count }, flags: options.flags };
    const statement = this.#statement(type, grants, query, slots);
    if ('error' in wanted) throw wanted.error;
    values[limit] = wanted.limit;
    values[offset] = wanted.offset;
    const { database } = this.#context;
    const [row] = await database.rows(statement.text, bind(database.dialect, statement, values));
    const total = wanted.withCount ? Number(row![1]) : undefined;
    return { data: row![0] as string, page: wanted, total };
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
    const { query, values: operands } = parseQuery(params);
    const values = [...operands];
    const code = type.localized ? parseLocale(params['locale']) : undefined;
    const choice: LocaleChoice = code === undefined ? { kind: 'default' } : { kind: 'some', codes: [code] };
    const locales = await this.#localeSlots(type, choice, values);
    const documentId = single.kind === 'document' ? values.push(single.documentId) - 1 : undefined;
    const rowId = single.kind === 'row' ? values.push(single.id) - 1 : undefined;
    const slots: ReadSlots = { locales, documentId, rowId, page: undefined, flags: options.flags };
    const statement = this.#statement(type, grants, query, slots);
    const { database } = this.#context;
    const [row] = await database.rows(statement.text, bind(database.dialect, statement, values));
    return row?.[0] as string | undefined;
  }

  /**
   * Checks a query without reading, for answers that it does not shape.
   *
   * @throws ContentError 400 for a parameter that is wrong.
   */
  check(type: ContentType, grants: Grants, params: RawObject): void {
    permitQuery(this.#context.catalog, grants, type, parseQuery(params).query);
  }

  async #localeSlots(type: ContentType, choice: LocaleChoice, values: unknown[]): Promise<number[] | undefined> {
    if (!type.localized || choice.kind === 'all') return undefined;
    const codes = choice.kind === 'some' ? choice.codes : [await this.#context.locales.default()];
    return codes.map((code) => values.push(code) - 1);
  }

  #statement(type: ContentType, grants: Grants, query: Parameters<typeof permitQuery>[3], slots: ReadSlots): Statement {
    const shape = `${type.uid} ${JSON.stringify(query)} ${JSON.stringify(slots)} ${grants.key}`;
    const known = this.#plans.get(shape);
    if (known) return known;
    const { catalog, layout, database } = this.#context;
    const permitted = permitQuery(catalog, grants, type, query);
    const { plan, kinds } = planRead(catalog, layout, permitted, slots);
    const statement = makeStatement(database.dialect, compileRead(database.dialect, plan), kinds);
    if (shape.length <= SHAPE_LENGTH) this.#plans.set(shape, statement);
    return statement;
  }
}

/** Types that are not localized ignore `locale` in any form. */
function parseLocalesOf(type: ContentType, params: RawObject): LocaleChoice {
  return type.localized ? parseLocales(params['locale']) : { kind: 'default' };
}

function lazily<T extends object>(parse: () => T): T | { error: unknown } {
  try {
    return parse();
  } catch (error) {
    return { error };
  }
}

/** The answer of a list: `{data, meta: {pagination}}`. */
export function listEnvelope({ data, page, total }: ListText): string {
  return `{"data":${data},"meta":{"pagination":${pageMeta(page, total)}}}`;
}

/**
 * The answer of one document: `{data, meta: {}}`.
 *
 * @throws ContentError 404 when there is none.
 */
export function documentEnvelope(data: string | undefined): string {
  if (data === undefined) throw notFound();
  return `{"data":${data},"meta":{}}`;
}
