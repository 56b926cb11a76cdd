/**
 * What is nested in rows that are to be copied onto others, read before anything is written: level by level, with all of a
 * level asked together. Copying it needs nothing more of the rows themselves.
 */

import type { LinkPlan } from '../../plan/link-plan.ts';
import type { Model } from '../../schema/catalog.ts';
import { type LinksByAttribute, linksOfAttributes } from '../relations/stored-links.ts';
import { readEntries, type StoredEntry } from '../rows/component-rows.ts';
import type { ReadContext, WriteContext } from '../rows/write-context.ts';

/** A row that is copied, and the one that it is copied onto: undefined for one that is not there yet. */
export interface CopiedPair {
  readonly from: number;
  readonly to: number | undefined;
}

export interface NestedContent {
  /** The rows that are copied. */
  readonly from: ReadonlySet<number>;
  readonly links: LinksByAttribute;
  readonly entries: ReadonlyMap<number, readonly StoredEntry[]>;
  /** That of the components, by their kind. */
  readonly inside: ReadonlyMap<string, NestedContent>;
  /** How many of the rows are to be made. */
  readonly made: number;
  /** What was known of links when it was read (`WriteMemory.changes`). */
  readonly asOf: number;
}

/** The links of a model's rows that are copied; `only`: of these attributes. */
export function copiedLinks({ plans }: ReadContext, model: Model, only?: ReadonlySet<string>): readonly LinkPlan[] {
  const { ownLinks } = plans.of(model.uid);
  return only ? ownLinks.filter(({ attribute }) => only.has(attribute.name)) : ownLinks;
}

/** Reads more of the rows that are copied, together with what is nested in them. */
export type ReadAlso = (model: Model, rows: readonly number[]) => Promise<void>;

/**
 * Reads what is nested in rows of a model.
 *
 * @param only restricts it to some attributes.
 * @param also is asked of the rows of each level.
 */
export async function readNestedContent(
  context: WriteContext,
  model: Model,
  rows: readonly CopiedPair[],
  only?: ReadonlySet<string>,
  also?: ReadAlso,
): Promise<NestedContent> {
  const asOf = context.memory.changes;
  const copied = new Set(rows.map(({ from }) => from));
  const ids = rows.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to]));
  const [links, entries] = await Promise.all([
    linksOfAttributes(context, copiedLinks(context, model, only), ids),
    readEntries(context, model, ids),
    also?.(model, [...copied]),
  ]);
  const { pairs } = pairEntries(rows, entries, only);
  const inside = await Promise.all(
    [...Map.groupBy(pairs, ({ entry }) => entry.uid)].map(async ([uid, ofType]) => {
      const nested = ofType.map(({ entry, kept }) => ({ from: entry.id, to: kept?.id }));
      return [uid, await readNestedContent(context, context.plans.of(uid).model, nested, undefined, also)] as const;
    }),
  );
  const made = rows.filter(({ to }) => to === undefined).length;
  return { from: copied, links, entries, inside: new Map(inside), made, asOf };
}

/** An entry that is copied into a row, and the one there whose row it keeps; undefined for one that is to be made. */
export interface EntryPair<Row extends CopiedPair> {
  readonly row: Row;
  readonly entry: StoredEntry;
  readonly kept: StoredEntry | undefined;
}

/** Pairs entries place by place: one keeps its row where the kinds agree. `gone` are those that have no counterpart. */
export function pairEntries<Row extends CopiedPair>(
  rows: readonly Row[],
  entries: ReadonlyMap<number, readonly StoredEntry[]>,
  only: ReadonlySet<string> | undefined,
): { readonly pairs: readonly EntryPair<Row>[]; readonly gone: readonly StoredEntry[] } {
  const entriesOf = (row: number) => (entries.get(row) ?? []).filter(({ field }) => !only || only.has(field));
  const gone: StoredEntry[] = [];
  const pairs: EntryPair<Row>[] = [];
  for (const row of rows) {
    // the lists are backwards: their first entry is at the end
    const left = Map.groupBy(row.to === undefined ? [] : entriesOf(row.to).reverse(), ({ field }) => field);
    for (const entry of entriesOf(row.from)) {
      const place = left.get(entry.field)?.pop();
      const kept = place?.uid === entry.uid ? place : undefined;
      if (place && !kept) gone.push(place);
      pairs.push({ row, entry, kept });
    }
    gone.push(...[...left.values()].flat());
  }
  return { pairs, gone };
}

/** The rows that links lead to which are copied, by their type. */
export function linkedRowsOf(context: ReadContext, model: Model, content: NestedContent): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  const visit = ({ uid }: Model, { from, links, inside }: NestedContent): void => {
    const plans = context.plans.of(uid).links;
    for (const [name, byRow] of links) {
      if (plans.get(name)!.attribute.type === 'media') continue;
      for (const row of from) {
        for (const { uid: target, target: id } of byRow.get(row) ?? []) {
          const ids = found.get(target);
          if (ids) ids.add(id);
          else found.set(target, new Set([id]));
        }
      }
    }
    for (const [component, nested] of inside) visit(context.plans.of(component).model, nested);
  };
  visit(model, content);
  return found;
}

/** How many rows are to be made, by their table: those of the model itself and of all components. */
export function madeRows(context: ReadContext, model: Model, content: NestedContent): Map<string, number> {
  const counts = new Map<string, number>();
  const visit = ({ uid }: Model, { made, inside }: NestedContent): void => {
    const { table, content } = context.plans.of(uid);
    if (made > 0 && content.names.length > 0) counts.set(table, (counts.get(table) ?? 0) + made);
    for (const [component, nested] of inside) visit(context.plans.of(component).model, nested);
  };
  visit(model, content);
  return counts;
}
