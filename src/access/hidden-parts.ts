/** What a write may not lose of components that are hidden from its caller in part, whatever code makes of its data. */
import { type ContentError, validation } from '../errors.ts';
import type { PermittedWrite, WrittenComponents, WrittenEntry, WrittenRow } from './permitted.ts';

type Row = Extract<WrittenEntry, { kind: 'row' }>;

/**
 * A write as code has left it that looked at what a caller has sent. An entry of the caller's that names no stored one
 * does not take the place of one that has what is hidden from the caller, and one that names a stored one goes on naming
 * it: code seldom copies ids. What code has put where the caller sent nothing may, since it is the code's.
 *
 * @throws ContentError 400 where code leaves open which entries of a list are which, of which the caller does not see all.
 */
export function keepingHidden(sent: PermittedWrite, left: PermittedWrite): PermittedWrite {
  const row = keptIn(sent.row, left.row, []);
  return row === left.row ? left : { ...left, row };
}

/** The error of an entry at a path that would take what is hidden from the caller with it. */
export function wouldLoseHidden(path: readonly string[], what: string): ContentError {
  const message = `${path.join('.')} has parts that are hidden from you: ${what}`;
  return validation(message, { errors: [{ path: [...path], message, name: 'ValidationError' }] });
}

function keptIn(sent: WrittenRow, left: WrittenRow, path: readonly string[]): WrittenRow {
  const components = new Map(left.components);
  let isOther = false;
  for (const [name, own] of left.components) {
    const before = sent.components.get(name)?.entries;
    if (!before || !own.entries) continue;
    const entries = keptEntries(before.filter(isRow), own, [...path, name]);
    if (entries.every((entry, n) => entry === own.entries![n])) continue;
    components.set(name, { ...own, entries });
    isOther = true;
  }
  return isOther ? { ...left, components } : left;
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
    // a single one that names none is the caller's; one that names another is the code's own
    const same = sent.find((one) => (isSingle && entry.id === undefined ? isOf(one, entry) : isSame(one, entry)));
    return same ? keptOf(same, entry, path) : entry;
  });
}

const isRow = (entry: WrittenEntry): entry is Row => entry.kind === 'row';

const isOf = (one: Row, other: Row): boolean => one.row.model.uid === other.row.model.uid;
const isSame = (one: Row, other: Row): boolean => one.id !== undefined && one.id === other.id && isOf(one, other);

function keptOf(sent: Row, left: Row, path: readonly string[]): Row {
  const row = keptIn(sent.row, left.row, path);
  const { hidesAt } = sent.row;
  const id = left.id ?? (hidesAt ? sent.id : undefined);
  if (!hidesAt && row === left.row && id === left.id) return left;
  return { ...left, id, row: hidesAt ? { ...row, hidesAt } : row };
}

/**
 * Refuses a list in which code has new entries in the place of those that the caller named: what is hidden in these would
 * go, and which of the new ones it belongs to cannot be known.
 */
function requireNamed(sent: readonly Row[], left: readonly Row[], path: readonly string[]): void {
  const unnamed = (rows: readonly Row[], uid: string): number =>
    rows.filter(({ id, row }) => id === undefined && row.model.uid === uid).length;
  for (const one of sent) {
    const { uid } = one.row.model;
    if (one.id === undefined || !one.row.hidesAt || left.some((other) => isSame(one, other))) continue;
    if (unnamed(left, uid) <= unnamed(sent, uid)) continue;
    throw wouldLoseHidden(path, 'code of the project leaves out the ids of its entries, so they would be lost');
  }
}
