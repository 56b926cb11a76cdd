/** Creates the drafts of a type that has just got drafts: set by set, since each of its documents needs one. */
import { execute, query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { Model } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, layoutOf } from '../../schema/layout/layout.ts';
import type { Sql } from '../../sql/fragment.ts';
import {
  compileCopyLinks,
  compileCopyRows,
  compileDraftless,
  compileExisting,
  compileTiesOf,
  draftOfTarget,
  draftOfTypedTarget,
  UNPUBLISHED,
} from '../../sql/schema-changes.ts';
import { compileInsertMany } from '../../sql/write.ts';
import type { Subject } from './orphans.ts';

/** Rows that are copied together. */
const BATCH = 2000;

/** The id of a row and that of its copy. */
type Pair = readonly [from: number, to: number];

type Copied = Pick<Subject, 'catalog' | 'layout'>;

/** Creates a draft for each version that is only published, with the same components, files and links. */
export async function createMissingDrafts(tx: Transaction, subject: Copied, type: Model): Promise<void> {
  const { table } = layoutOf(subject.layout, type.uid);
  for (let last = 0; ; ) {
    const rows = await query(tx, compileDraftless(table), [last, BATCH]);
    if (rows.length === 0) return;
    last = Number(rows.at(-1)![0]);
    const ids = rows.map(([id]) => Number(id));
    await copyRows(tx, subject, type, ids, UNPUBLISHED);
  }
}

/** Copies rows of a model, in ascending order of their ids, with all that belongs to them. */
async function copyRows(
  tx: Transaction,
  subject: Copied,
  model: Model,
  ids: readonly number[],
  values: ReadonlyMap<string, Sql>,
): Promise<Pair[]> {
  const { catalog, layout } = subject;
  const { table, relations, componentsTable } = layoutOf(layout, model.uid);
  const drafted = new Map(
    [...catalog.contentTypes.values()]
      .filter(({ draftAndPublish }) => draftAndPublish)
      .map(({ uid }) => [uid, layoutOf(layout, uid).table]),
  );
  const links: [table: string, source: string, values: Map<string, Sql>][] = [];
  const own = new Map(values);
  for (const attribute of model.attributes.values()) {
    if (attribute.type !== 'relation' || !attribute.owner) continue;
    const relation = relations.get(attribute.name);
    const rows = attribute.target === undefined ? undefined : drafted.get(attribute.target);
    if (relation?.kind === 'link') {
      const to = rows === undefined ? [] : [[relation.target, draftOfTarget(relation.target, rows)] as const];
      links.push([relation.table, relation.source, new Map(to)]);
    } else if (relation?.kind === 'morphTable') {
      const { source, id, type } = relation;
      links.push([relation.table, source, new Map([[id, draftOfTypedTarget(id, type, drafted)]])]);
    } else if (relation?.kind === 'column' && rows !== undefined) {
      own.set(relation.column, draftOfTarget(relation.column, rows));
    } else if (relation?.kind === 'morphColumns') {
      own.set(relation.id, draftOfTypedTarget(relation.id, relation.type, drafted));
    }
  }
  const pairs = await insertCopies(tx, table, columnsOf(subject, table), ids, own);
  const json = JSON.stringify(pairs);
  for (const [joining, source, mapped] of links) {
    const columns = columnsOf(subject, joining).filter((column) => column !== source);
    await execute(tx, compileCopyLinks(tx.dialect, joining, source, columns, mapped), [json]);
  }
  const [files, related] = [columnsOf(subject, FILES_RELATED_TABLE), 'related_id'];
  const others = files.filter((column) => column !== related);
  await execute(
    tx,
    compileCopyLinks(tx.dialect, FILES_RELATED_TABLE, related, others, new Map(), ['related_type', model.uid]),
    [json],
  );
  if (componentsTable !== undefined) await copyComponents(tx, subject, componentsTable, json);
  return pairs;
}

async function copyComponents(tx: Transaction, subject: Copied, table: string, pairs: string): Promise<void> {
  const ties = await query(tx, compileTiesOf(tx.dialect, table), [pairs]);
  const copies = new Map<string, ReadonlyMap<number, number>>();
  for (const [uid, ofType] of Map.groupBy(ties, ([, uid]) => String(uid))) {
    const component = subject.catalog.components.get(uid);
    if (!component) continue;
    const { table: rows } = layoutOf(subject.layout, uid);
    const wanted = JSON.stringify([...new Set(ofType.map(([id]) => Number(id)))].map((id) => [id]));
    const ids = (await query(tx, compileExisting(tx.dialect, rows), [wanted])).map(([id]) => Number(id));
    copies.set(uid, new Map(ids.length === 0 ? [] : await copyRows(tx, subject, component, ids, new Map())));
  }
  const copied = ties.flatMap(([id, uid, owner, field, order]) => {
    const copy = copies.get(String(uid))?.get(Number(id));
    return copy === undefined ? [] : [[Number(owner), copy, uid, field, order]];
  });
  if (copied.length === 0) return;
  await execute(tx, compileInsertMany(tx.dialect, table, TIE_COLUMNS), [JSON.stringify(copied)]);
}

const TIE_COLUMNS = [
  { name: 'entity_id', kind: 'integer' },
  { name: 'cmp_id', kind: 'integer' },
  { name: 'component_type', kind: 'text' },
  { name: 'field', kind: 'text' },
  { name: 'order', kind: 'double' },
] as const;

async function insertCopies(
  tx: Transaction,
  table: string,
  columns: readonly string[],
  ids: readonly number[],
  values: ReadonlyMap<string, Sql>,
): Promise<Pair[]> {
  const wanted = JSON.stringify(ids.map((id) => [id]));
  const rows = await execute(tx, compileCopyRows(tx.dialect, table, columns, values), [wanted]);
  const created = rows.map(([id]) => Number(id)).sort((one, other) => one - other);
  return ids.map((id, n) => [id, created[n]!]);
}

function columnsOf({ layout }: Copied, table: string): string[] {
  const found = layout.tables.find(({ name }) => name === table)!;
  return found.columns.map(({ name }) => name).filter((name) => name !== 'id');
}
