/** What a write may not lose of components that are hidden from its caller in part, whatever code makes of its data. */
import type { PermittedWrite, WrittenEntry, WrittenRow } from './permitted-write.ts';

/**
 * A write as code has left it that looked at what a caller has sent: an entry of the caller's that names no stored one
 * does not take the place of one that has what is hidden from the caller. What code has put where the caller sent nothing
 * may, since it is the code's.
 */
export function keepingHidden(sent: PermittedWrite, left: PermittedWrite): PermittedWrite {
  const row = keptIn(sent.row, left.row);
  return row === left.row ? left : { ...left, row };
}

function keptIn(sent: WrittenRow, left: WrittenRow): WrittenRow {
  const components = new Map(left.components);
  let isOther = false;
  for (const [name, own] of left.components) {
    const before = sent.components.get(name)?.entries;
    if (!before || !own.entries) continue;
    const isSingle = own.attribute.type === 'component' && !own.attribute.repeatable;
    const sentAs = new Map(before.map((entry) => [nameOf(entry, isSingle), entry]));
    const entries = own.entries.map((entry) => {
      const key = nameOf(entry, isSingle);
      const same = key === undefined ? undefined : sentAs.get(key);
      return same?.kind === 'row' && entry.kind === 'row' ? keptOf(same.row, entry) : entry;
    });
    if (entries.every((entry, n) => entry === own.entries![n])) continue;
    components.set(name, { ...own, entries });
    isOther = true;
  }
  return isOther ? { ...left, components } : left;
}

/** What tells an entry from others of its attribute: a single one is alone, those of lists and zones have ids. */
function nameOf(entry: WrittenEntry, isSingle: boolean): string | undefined {
  if (entry.kind !== 'row' || (entry.id === undefined && !isSingle)) return undefined;
  return `${entry.row.model.uid} ${entry.id}`;
}

function keptOf(sent: WrittenRow, left: Extract<WrittenEntry, { kind: 'row' }>): WrittenEntry {
  const { hidesAt } = sent;
  const row = keptIn(sent, left.row);
  if (!hidesAt && row === left.row) return left;
  return { ...left, row: hidesAt ? { ...row, hidesAt } : row };
}
