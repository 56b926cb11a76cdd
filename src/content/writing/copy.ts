/**
 * Copying one row onto another of the same model: publication (draft onto published row), its reverse, and shared
 * attributes from one locale to another. The row copied onto keeps its id, and its components theirs, so links to them
 * survive (docs/architecture.md, "Publication").
 */

import type { Columns } from '../../db/tables.ts';
import type { ColumnList } from '../../plan/write.ts';
import { compileColumnsDiffer, compileCopyColumns } from '../../sql/content-rows.ts';
import { copyLinks, type RowCopies, type RowCopy } from '../links/copy-links.ts';
import { NOTHING_WAITS } from '../links/draft-links.ts';
import { copyPending, forgetPending, forgetSettledPending } from '../links/pending-links.ts';
import { linksOfAttributes } from '../links/stored-links.ts';
import type { StoredEntry } from '../publication/write-memory.ts';
import { readEntries, removeEntries, type Tie, tie } from './components.ts';
import type { ReadContext, WriteContext } from './write-context.ts';

/** One row onto another; `waits`, `areFresh`: of a document that is published. */
export type CopyJob = Omit<RowCopies, 'rows' | 'waits' | 'areFresh'> &
  RowCopy &
  Partial<Pick<RowCopies, 'waits' | 'areFresh'>>;

/** Copies columns from one row onto another, and gives others values of their own. */
export async function copyColumns(
  { tables }: WriteContext,
  { key, table, names }: ColumnList,
  from: number,
  to: number,
  own: Columns = new Map(),
): Promise<void> {
  if (names.length === 0) return;
  const others = [...own.keys()];
  await tables.run(`copy ${key} ${others}`, [...own.values(), from, to], () =>
    compileCopyColumns(table, names, others),
  );
}

/** Whether two rows differ in columns. */
export async function columnsDiffer(
  { tables }: ReadContext,
  { key, table, names }: ColumnList,
  a: number,
  b: number,
): Promise<boolean> {
  if (names.length === 0) return false;
  const [row] = await tables.run(`differ ${key}`, [a, b], () => compileColumnsDiffer(tables.dialect, table, names));
  return row !== undefined;
}

/**
 * Copies relations, media and components; `only` restricts them to some attributes. Gives whether anything became
 * different by that.
 */
export function copyNestedContent(context: WriteContext, job: CopyJob, only?: ReadonlySet<string>): Promise<boolean> {
  const { model, from, to, isNew, mapping, waits = NOTHING_WAITS, areFresh = false } = job;
  return copyRows(context, { model, mapping, waits, areFresh, rows: [{ from, to, isNew }] }, only);
}

async function copyRows(context: WriteContext, copies: RowCopies, only?: ReadonlySet<string>): Promise<boolean> {
  const { model, mapping, rows, waits } = copies;
  // what waited for the rows' earlier publication is noted anew below
  const { ownLinks, ties, mayWait } = context.plans.of(model.uid);
  if (mapping.state === 'published' && mayWait) {
    const before = rows.flatMap(({ to, isNew }) => (isNew ? [] : [to]));
    if (waits === NOTHING_WAITS) await forgetPending(context, model, before);
    else for (const row of before) await forgetSettledPending(context, model, row, waits);
  }
  // shared components of published rows may hold links that wait
  if (mapping.state === 'same' && model.modelType === 'component' && mayWait) {
    await copyPending(context, model, rows);
  }
  const copied = only ? ownLinks.filter(({ attribute }) => only.has(attribute.name)) : ownLinks;
  const ids = rows.flatMap(({ from, to, isNew }) => (isNew ? [from] : [from, to]));
  const { memory } = context;
  const isKnown = copies.areFresh && !memory.isUnsure;
  // asked together: where statements travel, neither waits for the other's answer
  const [links, entries] = isKnown
    ? [
        new Map(copied.map(({ attribute: { name } }) => [name, memory.linksOf(model.uid, name)])),
        memory.entriesOf(model.uid),
      ]
    : await Promise.all([linksOfAttributes(context, copied, ids), readEntries(context, model, ids)]);
  const isChanged = await copyLinks(context, copies, copied, links);
  if (ties === undefined) return isChanged;
  return (await copyComponents(context, copies, entries, only)) || isChanged;
}

/** Copies components field by field; an entry keeps its row where the kinds at its place agree. */
async function copyComponents(
  context: WriteContext,
  { model, mapping, rows, areFresh }: RowCopies,
  all: ReadonlyMap<number, readonly StoredEntry[]>,
  only?: ReadonlySet<string>,
): Promise<boolean> {
  const { tables } = context;
  const entriesOf = (row: number) => (all.get(row) ?? []).filter(({ field }) => !only || only.has(field));
  const { table } = context.plans.of(model.uid).ties!;
  const gone: StoredEntry[] = [];
  const pairs: { readonly entry: StoredEntry; readonly to: number; readonly kept: StoredEntry | undefined }[] = [];
  for (const { from, to, isNew } of rows) {
    // the lists are backwards: their first entry is at the end
    const left = Map.groupBy(isNew ? [] : entriesOf(to).reverse(), ({ field }) => field);
    for (const entry of entriesOf(from)) {
      const place = left.get(entry.field)?.pop();
      const kept = place?.uid === entry.uid ? place : undefined;
      if (place && !kept) gone.push(place);
      pairs.push({ entry, to, kept });
    }
    gone.push(...[...left.values()].flat());
  }
  const moved = pairs.flatMap(({ entry, kept }): [number, number | null][] =>
    kept && kept.order !== entry.order ? [[kept.linkId, entry.order]] : [],
  );
  await tables.setEach(table, 'order', new Map(moved));
  const ties: Tie[] = [];
  let isChanged = moved.length > 0 || gone.length > 0 || pairs.some((pair) => pair.kept === undefined);
  for (const [uid, ofType] of Map.groupBy(pairs, ({ entry }) => entry.uid)) {
    const { model: component, content } = context.plans.of(uid);
    const kept = ofType.flatMap(({ entry, kept }) => (kept ? [{ from: entry.id, to: kept.id, isNew: false }] : []));
    const onto = kept.map(({ from, to }) => [from, to] as const);
    if (await tables.copyOnto(onto, content)) isChanged = true;
    const made = ofType.filter((pair) => pair.kept === undefined);
    const sources = made.map(({ entry }) => entry.id);
    const copied = await tables.copyRows(sources, content);
    ties.push(...made.map(({ entry, to }, n) => ({ ...entry, ownerId: to, id: copied[n]! })));
    const anew = sources.map((from, n) => ({ from, to: copied[n]!, isNew: true }));
    const inside = { model: component, mapping, waits: NOTHING_WAITS, areFresh, rows: [...kept, ...anew] };
    if (await copyRows(context, inside)) isChanged = true;
  }
  await tie(context, table, ties);
  await removeEntries(context, model, gone);
  return isChanged;
}
