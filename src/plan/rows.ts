/**
 * What a View says of rows, as conditions of plans. It narrows every step that leads to rows of a type, so that a row
 * which may not be seen is not there: not in a list or a total, not populated, not on the path of a filter or a sort key,
 * where a relation to it is a relation to nothing.
 *
 * The path of such a condition goes through all rows, those that the View hides included. A row is judged by itself,
 * whatever the request says of others: a draft through drafts, a published row and one of a type without drafts through
 * what is published.
 */
import type { RowConditions } from '../access/view.ts';
import type { Status } from '../query/content-query.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { planCondition } from './condition.ts';
import type { PlanContext } from './context.ts';
import type { PlanCondition, SlotKind } from './read-plan.ts';

/** A context in which steps are narrowed to the rows that a View shows. */
export function withRows(context: Omit<PlanContext, 'rowsOf'>, rows: RowConditions): PlanContext {
  const everyRow: PlanContext = { ...context, rowsOf: () => undefined };
  if (rows.byType.size === 0) return everyRow;
  const known = new Map<string, PlanCondition>();
  return {
    ...context,
    rowsOf(model, asked) {
      const condition = rows.byType.get(model.uid);
      if (!condition || model.modelType === 'component') return undefined;
      const status = model.draftAndPublish ? asked : 'published';
      const key = `${status} ${model.uid}`;
      let planned = known.get(key);
      if (!planned) {
        planned = planCondition({ ...everyRow, variant: { status, cohort: undefined } }, model, condition);
        known.set(key, planned);
      }
      return planned;
    },
  };
}

/** Which of some rows of a table a View shows. */
export interface ShownPlan {
  readonly table: string;
  /** Slot of the rows' ids, as the JSON of a list of lists of one. */
  readonly ids: number;
  readonly rows: PlanCondition;
  readonly kinds: ReadonlyMap<number, SlotKind>;
}

/**
 * Plans the question which rows of a type are shown; undefined where all are.
 *
 * @param status of the rows asked about; without effect on types without drafts.
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
