/** Pages by cursor: which orders a cursor supports, and the kinds of its slots. */
import type { Order } from '../access/permitted.ts';
import { cursorLimits, wrongCursor } from '../query/cursor.ts';
import type { Model } from '../schema/catalog.ts';
import type { PlanCursor, PlanOrder, SlotKind } from './read-plan.ts';

/**
 * Checks that a list in this order can have a cursor, and sets the kinds of the cursor's slots.
 *
 * @throws ContentError 400 for an order by JSON, or by too many keys.
 */
export function planCursor(cursor: PlanCursor, order: readonly PlanOrder[], kinds: Map<number, SlotKind>): PlanCursor {
  if (order.length > cursorLimits.keys) {
    throw wrongCursor(`A list with a cursor can be sorted by at most ${cursorLimits.keys} keys`);
  }
  if (order.some(({ type }) => type === 'json' || type === 'blocks')) {
    throw wrongCursor('A list with a cursor cannot be sorted by JSON');
  }
  const { more, after } = cursor;
  kinds.set(more, { kind: 'count' });
  if (!after) return cursor;
  kinds.set(after.id, { kind: 'exact', type: 'id' });
  for (const [index, slot] of after.keys.entries()) {
    if (slot !== null) kinds.set(slot, { kind: 'exact', type: order[index]!.type });
  }
  return cursor;
}

/** Whether a sort field may contain texts that are too long for a cursor. */
export function isLong(model: Model, { field, type }: Order): boolean {
  if (type === 'text' || type === 'richtext') return true;
  const attribute = model.attributes.get(field);
  // without a limit in the schema, other texts are as short as their columns
  const most = attribute && 'maxLength' in attribute ? attribute.maxLength : undefined;
  return most !== undefined && most > cursorLimits.textLength;
}
