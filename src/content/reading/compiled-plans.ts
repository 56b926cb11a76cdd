/**
 * Compiles queries and Views to statements. Statements are cached by the shape of the query and the key of the View,
 * without values: requests that differ only in values share one.
 */
import { permitQuery } from '../../access/authorize.ts';
import { type CallerValues, operandOf, type View } from '../../access/view.ts';
import type { Database, Read, ReadOrigin } from '../../db/interface/database.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import { costOf, type ReadCost } from '../../plan/cost.ts';
import { planRead, type ReadSlots } from '../../plan/read.ts';
import type { FileMarks, SearchIndexes, SlotKind } from '../../plan/read-plan.ts';
import { planShown } from '../../plan/rows.ts';
import { sourceOf } from '../../plan/search.ts';
import { Budget } from '../../query/budget.ts';
import type { ContentQuery, Status } from '../../query/content-query.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import { type AnswerForm, compileRead, compileShown } from '../../sql/read.ts';
import { bind, makeStatement, needsWide, questionsOf, type Statement } from '../../sql/statement.ts';

/** Cached plans. A plan is the text of a statement and its parameters: some kilobytes. */
const PLANS = 1000;
/** Larger shapes are compiled each time, so that no client can fill the memory with huge ones. */
const SHAPE_LENGTH = 8192;

/** The sources of plans. */
export interface PlanSources {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  /** How addresses of files are marked, where a store is private: texts and bytes then hold marks (`FileUrls`). */
  readonly marks?: FileMarks | undefined;
  /** The search indexes that lists may be narrowed by. */
  readonly search?: SearchIndexes | undefined;
}

/** The sources of a statement. */
export interface ReadShape {
  readonly type: ContentType;
  readonly view: View;
  readonly query: ContentQuery;
  readonly slots: ReadSlots;
  readonly form: AnswerForm;
  /** Whether it takes numbers that an index does not serve (`Dialect.wide`). */
  readonly wide?: boolean;
  /** Whether the statement uses no search indexes, which cannot serve every search text. */
  readonly withoutSearch?: boolean;
}

/** The statement of a plan, and the cost of the plan. */
export interface Compiled {
  readonly statement: Statement;
  readonly cost: ReadCost;
  readonly table: string;
  /** Plans the query again: plans are rarely needed, and one takes more memory than its query. */
  readonly origin: () => ReadOrigin;
}

/**
 * A parameter that gets its value when the statement runs: a document id, the present time, or a value of the caller. A
 * bound statement may be cached for other callers, so it never contains such values.
 */
export interface LateParameter {
  readonly index: number;
  readonly kind: SlotKind;
  readonly of: 'address' | 'now' | keyof CallerValues;
}

/** A statement with the values of a request, except those of late parameters. */
export interface Bound extends Omit<Read, 'page'> {
  readonly late: readonly LateParameter[];
  /** Bytes of the longest answer. */
  readonly longest: number;
  /** The same without search indexes, where it names some: they may be gone by the time that it runs. */
  readonly withoutSearch?: (() => Bound) | undefined;
}

export class CompiledPlans {
  readonly #sources: PlanSources;
  readonly #plans = new LruCache<string, Compiled>(
    PLANS,
    textWeight((shape, { statement }) => shape.length + statement.text.length),
  );

  readonly #shown = new LruCache<string, Statement>(
    PLANS,
    textWeight((key, { text }) => key.length + text.length),
  );

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  /**
   * The statement of a shape.
   *
   * @throws ContentError 400 for a name that the caller may not use, and for a query beyond the limits.
   */
  of({ type, view, query, slots, form, wide = false, withoutSearch = false }: ReadShape): Compiled {
    const search = withoutSearch ? undefined : this.#sources.search;
    const shape = `${type.uid} ${form.bytes} ${form.longest} ${wide} ${search?.version} ${JSON.stringify(query)} ${JSON.stringify(slots)} ${view.key}`;
    const cached = this.#plans.get(shape);
    if (cached) return cached;
    const { catalog, layout, database, marks } = this.#sources;
    const budget = new Budget();
    const planned = (charged: Budget) =>
      planRead(catalog, layout, permitQuery(view, type, query, charged), slots, marks, search);
    const { plan, kinds } = planned(budget);
    const dialect = (wide && database.dialect.wide?.dialect) || database.dialect;
    const statement = makeStatement(dialect, compileRead(dialect, plan, form, budget), kinds);
    // the budget has bounded the plan by now
    const origin = (): ReadOrigin => ({ plan: planned(new Budget()).plan, parameters: statement.parameters });
    const compiled = { statement, cost: costOf(plan), table: plan.table, origin };
    if (shape.length <= SHAPE_LENGTH) this.#plans.set(shape, compiled);
    return compiled;
  }

  /**
   * Binds a statement with its values. If one of them requires it, the wide form of the shape, or the form without
   * search indexes.
   *
   * @param address the slot of the requested document or row.
   * @throws ContentError 400 for a value that its column cannot take.
   */
  bind(shape: ReadShape, compiled: Compiled, values: readonly unknown[], address?: number): Bound {
    const { dialect } = this.#sources.database;
    const { view } = shape;
    const late = compiled.statement.parameters.flatMap(({ slot, kind }, index): LateParameter[] => {
      if (slot === address) return [{ index, kind, of: 'address' }];
      if (slot === shape.slots.preview?.now) return [{ index, kind, of: 'now' }];
      const operand = slot < 0 ? operandOf(view, slot) : undefined;
      if (operand?.kind === 'now') return [{ index, kind, of: 'now' }];
      return operand?.kind === 'caller' ? [{ index, kind, of: operand.name }] : [];
    });
    const parameters = bind(dialect, compiled.statement, (slot) =>
      slot < 0 ? operandValue(view, slot, NOBODY) : values[sourceOf(slot)],
    );
    const withoutSearch = (): Bound => {
      const plain = { ...shape, withoutSearch: true };
      return this.bind(plain, this.of(plain), values, address);
    };
    const questions = questionsOf(compiled.statement, parameters);
    if (questions.includes(null)) return withoutSearch();
    const isWide = needsWide(dialect, compiled.statement, parameters);
    const { statement, cost, table, origin } = isWide ? this.of({ ...shape, wide: true }) : compiled;
    const { bytes, longest } = shape.form;
    const bound = { text: statement.text, values: parameters, late, cost, table, bytes, longest, origin };
    return questions.length === 0 ? bound : { ...bound, withoutSearch };
  }

  /** The statement that selects the rows of a type that a View shows. Its one slot takes the ids of the rows. */
  shown(view: View, type: ContentType, status: Status): Statement {
    const key = `${type.uid} ${status} ${view.key}`;
    let statement = this.#shown.get(key);
    if (!statement) {
      const { catalog, layout, database } = this.#sources;
      const plan = planShown(catalog, layout, view.rows, type, status);
      if (!plan) throw new Error(`the view shows every row of ${type.uid}`);
      statement = makeStatement(database.dialect, compileShown(database.dialect, plan), plan.kinds);
      this.#shown.set(key, statement);
    }
    return statement;
  }
}

const NOBODY: CallerValues = {};

/** The present, as operands of conditions have it. */
export const presentMoment = (): string => new Date().toISOString();

/** Whether the result of a statement depends on the time at which it runs: such results are not cached. */
export const endsByItself = ({ late }: Pick<Bound, 'late'>): boolean => late.some(({ of }) => of === 'now');

/** The value of an operand of a View's conditions; null, which matches nothing, if the caller has no such value. */
export function operandValue(view: View, slot: number, values: CallerValues): unknown {
  const operand = operandOf(view, slot);
  if (operand.kind === 'now') return presentMoment();
  return operand.kind === 'caller' ? (values[operand.name] ?? null) : operand.value;
}
