/**
 * Queries × Views → statements. What is compiled is kept by the shape of the query and the key of the View, values left
 * out: requests that differ in values alone share it.
 */
import { permitQuery } from '../../access/authorize.ts';
import type { View } from '../../access/view.ts';
import type { Database, Read } from '../../db/database.ts';
import { costOf, type ReadCost } from '../../plan/cost.ts';
import { planRead, type ReadSlots } from '../../plan/read.ts';
import type { FileMarks } from '../../plan/read-plan.ts';
import { Budget } from '../../query/budget.ts';
import type { ContentQuery } from '../../query/content-query.ts';
import { Recent, textWeight } from '../../recent.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import { type AnswerForm, compileRead } from '../../sql/read.ts';
import { bind, makeStatement, needsWide, type Statement } from '../../sql/statement.ts';

/** Plans kept. A plan is a statement's text and its parameters: some kilobytes. */
const PLANS = 1000;
/** Shapes larger than this are compiled each time, so that nobody fills the memory with huge ones. */
const SHAPE_LENGTH = 8192;

/** What plans are made from. */
export interface PlanSources {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  /** How addresses of files are marked, where a store is private: texts and bytes then hold marks (`FileUrls`). */
  readonly marks?: FileMarks | undefined;
}

/** What a statement is made of. */
export interface ReadShape {
  readonly type: ContentType;
  readonly view: View;
  readonly query: ContentQuery;
  readonly slots: ReadSlots;
  readonly form: AnswerForm;
  /** Whether it takes numbers that an index does not serve (`Dialect.wide`). */
  readonly wide?: boolean;
}

/** A plan's statement, and what the plan may cost. */
export interface Compiled {
  readonly statement: Statement;
  readonly cost: ReadCost;
  readonly table: string;
}

/** A statement with the values of a request. */
export interface Bound extends Omit<Read, 'page'> {
  /** Bytes of the longest answer. */
  readonly longest: number;
}

export class CompiledPlans {
  readonly #sources: PlanSources;
  readonly #plans = new Recent<string, Compiled>(
    PLANS,
    textWeight((shape, { statement }) => shape.length + statement.text.length),
  );

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  /**
   * The statement of a shape.
   *
   * @throws ContentError 400 for a name that the caller may not use, and for a query beyond the limits.
   */
  of({ type, view, query, slots, form, wide = false }: ReadShape): Compiled {
    const shape = `${type.uid} ${form.bytes} ${form.longest} ${wide} ${JSON.stringify(query)} ${JSON.stringify(slots)} ${view.key}`;
    const known = this.#plans.get(shape);
    if (known) return known;
    const { catalog, layout, database, marks } = this.#sources;
    const budget = new Budget();
    const permitted = permitQuery(view, type, query, budget);
    const { plan, kinds } = planRead(catalog, layout, permitted, slots, marks);
    const dialect = (wide && database.dialect.wide?.dialect) || database.dialect;
    const statement = makeStatement(dialect, compileRead(dialect, plan, form, budget), kinds);
    // the budget has bounded the plan by now
    const compiled = { statement, cost: costOf(plan), table: plan.table };
    if (shape.length <= SHAPE_LENGTH) this.#plans.set(shape, compiled);
    return compiled;
  }

  /**
   * A statement with its values; in the wide form of its shape where one of them asks for it.
   *
   * @throws ContentError 400 for a value that its column cannot take.
   */
  bind(shape: ReadShape, compiled: Compiled, values: readonly unknown[]): Bound {
    const { dialect } = this.#sources.database;
    const parameters = bind(dialect, compiled.statement, values);
    const isWide = needsWide(dialect, compiled.statement, parameters);
    const { statement, cost, table } = isWide ? this.of({ ...shape, wide: true }) : compiled;
    const { bytes, longest } = shape.form;
    return { text: statement.text, values: parameters, cost, table, bytes, longest };
  }
}
