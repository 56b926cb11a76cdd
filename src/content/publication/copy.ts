/**
 * Copying one row onto another of the same model: publication (draft onto published row), its reverse, and shared
 * attributes from one locale to another. The row copied onto keeps its id, and its components theirs, so links to them
 * survive (docs/architecture.md, "Publication").
 */

import type { Columns } from '../../db/interface/tables.ts';
import type { ColumnList } from '../../plan/row-query.ts';
import { compileColumnsDiffer, compileCopyColumns } from '../../sql/content-rows.ts';
import { copyLinks, type RowCopies, type RowCopy } from '../relations/copy-links.ts';
import { NOTHING_WAITS } from '../relations/draft-links.ts';
import { copyPending, forgetPending, forgetSettledPending, type KeptPending } from '../relations/pending-links.ts';
import { removeEntries, type Tie, tie } from '../rows/component-rows.ts';
import type { ReadContext, WriteContext } from '../rows/write-context.ts';
import { type CopiedPair, copiedLinks, type NestedContent, pairEntries, readNestedContent } from './nested-content.ts';

/** One row onto another; `waits`, `counterparts`: of a document that is published. */
export type CopyJob = Pick<RowCopies, 'model' | 'mapping'> & RowCopy & Partial<RowCopies>;

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
  await tables.write(`copy ${key} ${others}`, [...own.values(), from, to], () =>
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
 * different by that; of a publication nobody asks it, and what components hold is left out.
 *
 * @param content what is nested in the rows, where it has been read already.
 */
export function copyNestedContent(
  context: WriteContext,
  job: CopyJob,
  only?: ReadonlySet<string>,
  content?: NestedContent,
): Promise<boolean> {
  const { model, from, to, isNew, mapping, waits = NOTHING_WAITS, counterparts } = job;
  const copies = { model, mapping, waits, counterparts, rows: [{ from, to, isNew }] };
  return copyRows(context, copies, { content, only });
}

/** What is nested in rows, where it is known already, and which attributes of it are copied. */
interface Known<Content = NestedContent | undefined> {
  readonly content: Content;
  readonly only?: ReadonlySet<string> | undefined;
}

async function copyRows(context: WriteContext, copies: RowCopies, known: Known): Promise<boolean> {
  const { model, mapping, rows, waits } = copies;
  // what waited for the rows' earlier publication is noted anew below
  const { ties, mayWait } = context.plans.of(model.uid);
  const keptPending: KeptPending[] = [];
  if (mapping.state === 'published' && mayWait) {
    const before = rows.flatMap(({ to, isNew }) => (isNew ? [] : [to]));
    if (waits === NOTHING_WAITS) await forgetPending(context, model, before);
    else for (const row of before) keptPending.push(...(await forgetSettledPending(context, model, row, waits)));
  }
  // shared components of published rows may hold links that wait
  if (mapping.state === 'same' && model.modelType === 'component' && mayWait) {
    await copyPending(context, model, rows);
  }
  const content = await contentOf(context, copies, known);
  const isChanged = await copyLinks(
    context,
    { ...copies, keptPending },
    copiedLinks(context, model, known.only),
    content.links,
  );
  if (ties === undefined) return isChanged;
  return (await copyComponents(context, copies, { ...known, content })) || isChanged;
}

/** What is nested in rows: what was read, unless links were taken from them since, or else what is stored. */
function contentOf(
  context: WriteContext,
  { model, rows }: RowCopies,
  { content, only }: Known,
): Promise<NestedContent> | NestedContent {
  return content?.asOf === context.memory.changes ? content : readNestedContent(context, model, rows.map(pairOf), only);
}

const pairOf = ({ from, to, isNew }: RowCopy): CopiedPair => ({ from, to: isNew ? undefined : to });

/** Copies components field by field; an entry keeps its row where the kinds at its place agree. */
async function copyComponents(
  context: WriteContext,
  { model, mapping, rows, counterparts }: RowCopies,
  { content, only }: Known<NestedContent>,
): Promise<boolean> {
  const { tables } = context;
  const { table } = context.plans.of(model.uid).ties!;
  const { pairs, gone } = pairEntries(
    rows.map((row) => ({ ...pairOf(row), copy: row.to })),
    content.entries,
    only,
  );
  const moved = pairs.flatMap(({ entry, kept }): [number, number | null][] =>
    kept && kept.order !== entry.order ? [[kept.linkId, entry.order]] : [],
  );
  await tables.setEach(table, 'order', new Map(moved));
  let isChanged = moved.length > 0 || gone.length > 0 || pairs.some((pair) => pair.kept === undefined);
  const ties: Tie[] = [];
  for (const [uid, ofType] of Map.groupBy(pairs, ({ entry }) => entry.uid)) {
    const { model: component, content: columns } = context.plans.of(uid);
    const kept = ofType.flatMap(({ entry, kept }) => (kept ? [{ from: entry.id, to: kept.id, isNew: false }] : []));
    const onto = kept.map(({ from, to }) => [from, to] as const);
    // nobody asks what a publication has changed, so that its statements need not be waited for
    if (mapping.state === 'published') await tables.copyOntoUnasked(onto, columns);
    else if (await tables.copyOnto(onto, columns)) isChanged = true;
    const made = ofType.filter((pair) => pair.kept === undefined);
    const sources = made.map(({ entry }) => entry.id);
    const copied = await tables.copyRows(sources, columns);
    ties.push(...made.map(({ entry, row }, n) => ({ ...entry, ownerId: row.copy, id: copied[n]! })));
    const anew = sources.map((from, n) => ({ from, to: copied[n]!, isNew: true }));
    const inside = {
      model: component,
      mapping,
      waits: NOTHING_WAITS,
      counterparts,
      rows: [...kept, ...anew],
    };
    if (await copyRows(context, inside, { content: content.inside.get(uid) })) isChanged = true;
  }
  await tie(context, model, ties);
  await removeEntries(context, model, gone);
  return isChanged;
}
