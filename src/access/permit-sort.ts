/** SortKey[] × View → Order[] (docs/reference/query-parameters.md, "Sort"). */
import { checkDepth } from '../query/budget.ts';
import type { SortKey } from '../query/content-query.ts';
import { badOrder, isOrder } from '../query/sort.ts';
import { isToMany, type Model } from '../schema/catalog.ts';
import { type Context, enter, refuse, refuseUnknown } from './context.ts';
import type { Order } from './permitted.ts';

/**
 * Resolves sort keys on a model.
 *
 * @throws ContentError 400 for invalid keys and for keys that exceed the budget, then for words that are not an order.
 */
export function permitSort(context: Context, model: Model, keys: readonly SortKey[]): Order[] {
  const orders = keys.map((key) => resolve(context, model, key));
  if (!keys.every((key) => isOrder(key.written))) throw badOrder();
  return orders;
}

function resolve(context: Context, start: Model, key: SortKey): Order {
  context.budget.charge('sortKeys');
  const steps: { name: string; target: string }[] = [];
  let model = start;
  for (const [index, name] of key.path.entries()) {
    const outer = key.path.slice(0, index);
    const here = key.path.slice(0, index + 1);
    const last = index === key.path.length - 1;
    const fields = context.view.of(model);
    if (fields.named(name).kind === 'unknown') throw refuseUnknown(context, model, name, outer);
    const type = fields.sortable.get(name);
    if (type !== undefined) {
      // a column has no fields
      if (!last) throw refuse(context, key.path[index + 1]!, here);
      return { steps, field: name, type, descending: key.order === 'desc' };
    }
    const target = enter(context, model, name);
    if (!target) throw refuse(context, name, here);
    if (last) throw refuse(context, key.written ?? name, here);
    checkDepth('sort', steps.length + 1);
    context.budget.charge('sortSteps');
    if (isToMany(model, name)) context.budget.charge('sortLists');
    steps.push({ name, target: target.uid });
    model = target;
  }
  throw new Error('a sort key names at least one field');
}
