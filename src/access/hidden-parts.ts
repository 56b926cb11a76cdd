/** Protects components that are partly hidden from the caller in writes that project code has changed. */
import { type ContentError, validation } from '../errors.ts';
import type { PermittedWrite, WrittenComponents, WrittenEntry, WrittenRow } from './permitted.ts';

type Row = Extract<WrittenEntry, { kind: 'row' }>;

/**
 * Checks a write that project code has changed. An entry of the caller without an id must not replace a stored entry
 * with hidden fields, and an entry with an id keeps it: code seldom copies ids. Entries that code adds where the caller
 * sent none may replace stored ones.
 *
 * @throws ContentError 400 where it is ambiguous which entries of a partly hidden list are which.
 */
export function keepingHidden(sent: PermittedWrite, changed: PermittedWrite): PermittedWrite {
  const row = keptIn(sent.row, changed.row, []);
  return row === changed.row ? changed : { ...changed, row };
}

/** The error for an entry that would replace hidden fields. */
export function wouldLoseHidden(path: readonly string[], what: string): ContentError {
  const message = `${path.join('.')} has parts that are hidden from you: ${what}`;
  return validation(message, { errors: [{ path: [...path], message, name: 'ValidationError' }] });
}

function keptIn(sent: WrittenRow, changed: WrittenRow, path: readonly string[]): WrittenRow {
  const components = new Map(changed.components);
  let isOther = false;
  for (const [name, own] of changed.components) {
    const before = sent.components.get(name)?.entries;
    if (!before || !own.entries) continue;
    const entries = keptEntries(before.filter(isRow), own, [...path, name]);
    if (entries.every((entry, n) => entry === own.entries![n])) continue;
    components.set(name, { ...own, entries });
    isOther = true;
  }
  return isOther ? { ...changed, components } : changed;
}

function keptEntries(
  sent: readonly Row[],
  { attribute, entries = [] }: WrittenComponents,
  path: readonly string[],
): readonly WrittenEntry[] {
  const isSingle = attribute.type === 'component' && !attribute.repeatable;
  if (!isSingle) requireNamed(sent, entries.filter(isRow), path);
  return entries.map((entry) => {
    if (!isRow(entry)) return entry;
    // a single entry without an id is the caller's; one with another id is the code's
    const same = sent.find((one) => (isSingle && entry.id === undefined ? isOf(one, entry) : isSame(one, entry)));
    return same ? keptOf(same, entry, path) : entry;
  });
}

const isRow = (entry: WrittenEntry): entry is Row => entry.kind === 'row';

const isOf = (one: Row, other: Row): boolean => one.row.model.uid === other.row.model.uid;
const isSame = (one: Row, other: Row): boolean => one.id !== undefined && one.id === other.id && isOf(one, other);

function keptOf(sent: Row, changed: Row, path: readonly string[]): Row {
  const row = keptIn(sent.row, changed.row, path);
  const { hidesAt } = sent.row;
  const id = changed.id ?? (hidesAt ? sent.id : undefined);
  if (!hidesAt && row === changed.row && id === changed.id) return changed;
  return { ...changed, id, row: hidesAt ? { ...row, hidesAt } : row };
}

/**
 * Refuses a list in which code has replaced the caller's entries: their hidden fields would be lost, since no new entry
 * can be matched with an old one.
 */
function requireNamed(sent: readonly Row[], changed: readonly Row[], path: readonly string[]): void {
  const unnamed = (rows: readonly Row[], uid: string): number =>
    rows.filter(({ id, row }) => id === undefined && row.model.uid === uid).length;
  for (const one of sent) {
    const { uid } = one.row.model;
    if (one.id === undefined || !one.row.hidesAt || changed.some((other) => isSame(one, other))) continue;
    if (unnamed(changed, uid) <= unnamed(sent, uid)) continue;
    throw wouldLoseHidden(path, 'code of the project leaves out the ids of its entries, so they would be lost');
  }
}
