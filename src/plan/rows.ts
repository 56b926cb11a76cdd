/**
 * A View's conditions on rows as conditions of plans. They restrict every step that leads to rows of a type, so a row
 * that the caller may not see does not exist: it is not listed, counted or populated, and on the path of a filter or a
 * sort key a relation to it is a relation to nothing.
 *
 * The path of such a condition goes through all rows, hidden ones included. Each row is judged in its own status,
 * whatever the request asks for: a draft through drafts, a published row and a row of a type without drafts through
 * published rows.
 */
import type { RowConditions } from '../access/view.ts';
import type { Status } from '../query/content-query.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { planCondition } from './condition.ts';
import type { PlanContext } from './context.ts';
import type { PlanCondition, SlotKind } from './read-plan.ts';

/** A context in which every step is restricted to the rows that a View shows. */
export function withRows(context: Omit<PlanContext, 'rowsOf'>, rows: RowConditions): PlanContext {
  const everyRow: PlanContext = { ...context, rowsOf: () => undefined };
  if (rows.byType.size === 0) return everyRow;
  const cache = new Map<string, PlanCondition>();
  return {
    ...context,
    rowsOf(model, requested) {
      const condition = rows.byType.get(model.uid);
      if (!condition || model.modelType === 'component') return undefined;
      const status = model.draftAndPublish ? requested : 'published';
      const key = `${status} ${model.uid}`;
      let planned = cache.get(key);
      if (!planned) {
        planned = planCondition({ ...everyRow, variant: { status, cohort: undefined } }, model, condition);
        cache.set(key, planned);
      }
      return planned;
    },
  };
}

/** Which of several rows of a table a View shows. */
export interface ShownPlan {
  readonly table: string;
  /** Slot of the rows' ids, as a JSON list of lists of one id. */
  readonly ids: number;
  readonly rows: PlanCondition;
  readonly kinds: ReadonlyMap<number, SlotKind>;
}

/**
 * Plans the query for the shown rows among several of a type; undefined if all are shown.
 *
 * @param status of the rows; ignored for types without drafts.
 */
export function planShown(
  catalog: Catalog,
  layout: Layout,
  conditions: RowConditions,
  type: ContentType,
  status: Status,
): ShownPlan | undefined {
  const ids = 0;
  const kinds = new Map<number, SlotKind>([[ids, { kind: 'text' }]]);
  const variant = { status, cohort: undefined };
  const context = withRows({ catalog, layout, variant, kinds, planned: new Map() }, conditions);
  const rows = context.rowsOf(type, status);
  return rows && { table: layoutOf(layout, type.uid).table, ids, rows, kinds };
}
