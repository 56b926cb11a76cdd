/** The lists that a row which is being made will stand in. */
import type { WrittenRow } from '../../access/permitted-write.ts';
import type { Lock } from '../../db/interface/transaction.ts';
import { Failures } from '../../failures.ts';
import { listLock } from '../rows/locks.ts';
import { placeOf, type WriteContext } from '../rows/write-context.ts';
import type { Targets } from './targets.ts';

/**
 * Locks the lists of all that a new row and the components inside it link to, at once and in one order: attribute by
 * attribute each lock would have to be waited for, or asked for in vain.
 *
 * @param isPublished whether its published row is made as well.
 */
export async function lockNewLinks(
  context: WriteContext,
  row: WrittenRow,
  targets: Targets,
  isPublished: boolean,
): Promise<void> {
  await context.tx.lock(() => listsOf(context, row, targets, isPublished), false);
}

function listsOf(context: WriteContext, row: WrittenRow, targets: Targets, isPublished: boolean): Lock[] {
  const locks: Lock[] = [];
  for (const [name, edit] of row.relations) {
    const attribute = row.model.attributes.get(name);
    if (attribute?.type !== 'relation') continue;
    const place = placeOf(context, row.model, attribute);
    if (place.kind !== 'table' || place.inverseOrder === null) continue;
    for (const entry of edit.kind === 'set' ? edit.entries : edit.connect) {
      const { uid, rows = [] } = targets.target(attribute.target ?? entry.type!, entry, new Failures()) ?? {};
      for (const id of rows) {
        locks.push(listLock(place.table, place.target, id));
        const row = isPublished && uid ? context.memory.row(uid, id) : undefined;
        const published = row && context.memory.publishedOf(uid!, row);
        if (published) locks.push(listLock(place.table, place.target, published.id));
      }
    }
  }
  for (const { entries } of row.components.values()) {
    for (const entry of entries ?? []) {
      if (entry.kind === 'row') locks.push(...listsOf(context, entry.row, targets, isPublished));
    }
  }
  return locks;
}
