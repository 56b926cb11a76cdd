/** Removing what goes with rows (plan/removals.ts). */
import type { Model } from '../../../schema/catalog.ts';
import type { SqlValue } from '../../../sql/fragment.ts';
import type { WriteContext } from '../write-context.ts';

/** Removes all links to and from rows of a model. The rows themselves and their components stay. */
export async function removeLinksOf(context: WriteContext, model: Model, ids: readonly number[]): Promise<void> {
  for (const { table, column, fixed, cleared } of context.plans.of(model.uid).removals) {
    const match = { [column]: ids, ...fixed };
    if (!cleared) await context.tables.delete(table, match);
    else await context.tables.update(table, new Map(cleared.map((name) => [name, null as SqlValue])), match);
  }
}
