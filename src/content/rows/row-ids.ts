/** Ids of rows: how large they are, and how many a write needs. */
import type { WrittenRow } from '../../access/permitted-write.ts';
import type { ReadContext } from './write-context.ts';

/** The largest row id that every engine's columns hold: there is no row beyond it. */
export const MAX_ROW_ID = 2_147_483_647;

/**
 * New rows by table: those of components, and of the document if it is new.
 *
 * @param versions how many rows each of them becomes: 2 where the draft is published as well.
 */
export function neededIds(
  { plans }: ReadContext,
  row: WrittenRow,
  { isNew, versions }: { readonly isNew: boolean; readonly versions: number },
): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (uid: string) => {
    const { table, content } = plans.of(uid);
    if (content.names.length > 0) counts.set(table, (counts.get(table) ?? 0) + versions);
  };
  const addComponents = ({ components }: WrittenRow): void => {
    for (const { entries = [] } of components.values()) {
      for (const entry of entries) {
        if (entry.kind !== 'row') continue;
        // an entry with an id is merged into the one that has it
        if (isNew || entry.id === undefined) add(entry.row.model.uid);
        addComponents(entry.row);
      }
    }
  };
  if (isNew) add(row.model.uid);
  addComponents(row);
  return counts;
}
