/**
 * The first step of copying a row onto another: everything that is read. Its links and components are read level by
 * level, and all that its links lead to is looked up at once.
 */
import type { LinkPlan } from '../../plan/link-plan.ts';
import type { Model } from '../../schema/catalog.ts';
import { type Counterparts, counterpartsOfAll, type Mapping } from '../relations/counterparts.ts';
import { linksOfAttributes, type StoredLink } from '../relations/stored-links.ts';
import { readEntries, type StoredEntry } from '../rows/component-rows.ts';
import type { ReadContext, WriteContext } from '../rows/write-context.ts';

/** A row that is copied, and the row that it is copied onto; undefined for one that is still to be inserted. */
export interface CopiedPair {
  readonly from: number;
  readonly to: number | undefined;
}

/** A component entry of a copied row, and the entry whose row it is copied onto; undefined for one to be inserted. */
export interface EntryPair {
  readonly owner: CopiedPair;
  readonly entry: StoredEntry;
  readonly kept: StoredEntry | undefined;
}

/** What rows of one model hold: the copied rows, and the rows copied onto. */
export interface ModelContent {
  readonly model: Model;
  readonly pairs: CopiedPair[];
  /** By attribute and row. */
  readonly links: Map<string, Map<number, readonly StoredLink[]>>;
  /** By row. */
  readonly entries: Map<number, readonly StoredEntry[]>;
  readonly entryPairs: EntryPair[];
  /** Entries of the rows copied onto that have no counterpart. */
  readonly gone: StoredEntry[];
}

/** The content of a row and of all components in it, by the uid of the model. */
export type Content = ReadonlyMap<string, ModelContent>;

/** Reads more of the copied rows, together with their links and components. */
export type ReadAlso = (model: Model, rows: readonly number[]) => Promise<void>;

/** A row that is copied, with everything that copying it depends on. */
export interface Original {
  readonly model: Model;
  readonly pair: CopiedPair;
  /** Which rows the links of the copy lead to. */
  readonly mapping: Mapping;
  /** The attributes of the row that are copied; all when undefined. */
  readonly only: ReadonlySet<string> | undefined;
  readonly content: Content;
  /** The rows of the mapping for all rows that are linked. */
  readonly counterparts: Counterparts;
}

/** Which row is copied onto which. */
export type CopiedRow = Pick<Original, 'model' | 'pair' | 'mapping' | 'only'>;

/** Reads everything that copying a row depends on, and draws ids for the rows that it inserts. */
export async function readOriginal(context: WriteContext, row: CopiedRow, also?: ReadAlso): Promise<Original> {
  const content = await readContent(context, row.model, [row.pair], row.only, also);
  const [counterparts] = await Promise.all([
    counterpartsOfAll(context, linkedRows(content), row.mapping),
    context.tables.draw(() => insertedRows(context, content)),
  ]);
  return { ...row, content, counterparts };
}

/** The links of a model's rows that are copied; `only`: of these attributes. */
export function copiedPlans({ plans }: ReadContext, model: Model, only?: ReadonlySet<string>): readonly LinkPlan[] {
  const { ownLinks } = plans.of(model.uid);
  return only ? ownLinks.filter(({ attribute }) => only.has(attribute.name)) : ownLinks;
}

/**
 * Reads the links and components of rows of a model.
 *
 * @param only the attributes of these rows that are read; all when undefined.
 * @param also is called with the copied rows of each level.
 */
export async function readContent(
  context: ReadContext,
  model: Model,
  pairs: readonly CopiedPair[],
  only?: ReadonlySet<string>,
  also?: ReadAlso,
): Promise<Content> {
  const content = new Map<string, ModelContent>();
  const readLevel = async (model: Model, pairs: readonly CopiedPair[], only?: ReadonlySet<string>): Promise<void> => {
    const rows = pairs.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to]));
    const [links, entries] = await Promise.all([
      linksOfAttributes(context, copiedPlans(context, model, only), rows),
      readEntries(context, model, rows),
      also?.(
        model,
        pairs.map(({ from }) => from),
      ),
    ]);
    const { entryPairs, gone: removed } = pairEntries(pairs, entries, only);
    const all = content.get(model.uid) ?? emptyContent(model);
    content.set(model.uid, all);
    all.pairs.push(...pairs);
    for (const [name, byRow] of links) all.links.set(name, merged(all.links.get(name), byRow));
    for (const [row, ofRow] of entries) all.entries.set(row, ofRow);
    all.entryPairs.push(...entryPairs);
    all.gone.push(...removed);
    await Promise.all(
      [...Map.groupBy(entryPairs, ({ entry }) => entry.uid)].map(([uid, ofKind]) =>
        readLevel(
          context.plans.of(uid).model,
          ofKind.map(({ entry, kept }) => ({ from: entry.id, to: kept?.id })),
        ),
      ),
    );
  };
  await readLevel(model, pairs, only);
  return content;
}

const emptyContent = (model: Model): ModelContent => ({
  model,
  pairs: [],
  links: new Map(),
  entries: new Map(),
  entryPairs: [],
  gone: [],
});

const merged = <K, V>(one: ReadonlyMap<K, V> | undefined, other: ReadonlyMap<K, V>): Map<K, V> =>
  new Map(one ? [...one, ...other] : other);

/** Pairs entries place by place: the row at a place is copied onto where the kinds agree. */
function pairEntries(
  pairs: readonly CopiedPair[],
  entries: ReadonlyMap<number, readonly StoredEntry[]>,
  only: ReadonlySet<string> | undefined,
): Pick<ModelContent, 'entryPairs' | 'gone'> {
  const entriesOf = (row: number) => (entries.get(row) ?? []).filter(({ field }) => !only || only.has(field));
  const removed: StoredEntry[] = [];
  const entryPairs: EntryPair[] = [];
  for (const owner of pairs) {
    // the lists are backwards: their first entry is at the end
    const unpaired = Map.groupBy(owner.to === undefined ? [] : entriesOf(owner.to).reverse(), ({ field }) => field);
    for (const entry of entriesOf(owner.from)) {
      const place = unpaired.get(entry.field)?.pop();
      const counterpart = place?.uid === entry.uid ? place : undefined;
      if (place && !counterpart) removed.push(place);
      entryPairs.push({ owner, entry, kept: counterpart });
    }
    removed.push(...[...unpaired.values()].flat());
  }
  return { entryPairs, gone: removed };
}

/** The rows that the copied rows link to, by their type. */
function linkedRows(content: Content): Map<string, Set<number>> {
  const rows = new Map<string, Set<number>>();
  for (const { model, pairs, links } of content.values()) {
    for (const [name, byRow] of links) {
      if (model.attributes.get(name)!.type === 'media') continue;
      for (const { uid, target } of pairs.flatMap(({ from }) => byRow.get(from) ?? [])) {
        const ofType = rows.get(uid);
        if (ofType) ofType.add(target);
        else rows.set(uid, new Set([target]));
      }
    }
  }
  return rows;
}

/** Counts the rows to be inserted, by table. */
function insertedRows(context: ReadContext, content: Content): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { model, pairs } of content.values()) {
    const { table, content: columns } = context.plans.of(model.uid);
    const count = pairs.filter(({ to }) => to === undefined).length;
    if (count > 0 && columns.names.length > 0) counts.set(table, count);
  }
  return counts;
}
