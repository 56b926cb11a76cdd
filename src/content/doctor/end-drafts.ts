/** Ends the drafts of types: each version then has one row, the newer one of its draft and its published row. */
import { execute, query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { layoutOf } from '../../schema/layout/layout.ts';
import {
  compileEndedRows,
  compileLinkDrafts,
  compileLinkPublished,
  compileLinkStaying,
  compileMoveToStaying,
  compilePublishStaying,
} from '../../sql/schema-changes.ts';
import { removeAllEntries, removeLinksOf } from '../rows/component-rows.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { linksOf } from './complete-rows.ts';

/** Rows that are removed together. */
const BATCH = 200;

/**
 * Removes the older row of each version that has two, with its components, and publishes drafts that stay. Links to a
 * removed row lead to the other one.
 *
 * @param context with the schema in which the types have drafts.
 */
export async function endDrafts(tx: Transaction, context: WriteContext, uids: readonly string[]): Promise<void> {
  const { catalog } = context;
  const types = uids.flatMap((uid) => catalog.contentTypes.get(uid) ?? []);
  for (const type of types) await endDraftsOf(tx, context, type);
  for (const type of types) await linkBothStates(tx, context, type, uids);
}

async function endDraftsOf(tx: Transaction, context: WriteContext, type: ContentType): Promise<void> {
  const { catalog, layout, tables } = context;
  const { table: rows } = layoutOf(layout, type.uid);
  for (const model of [...catalog.contentTypes.values(), ...catalog.components.values()]) {
    const { table: sources, relations } = layoutOf(layout, model.uid);
    for (const attribute of model.attributes.values()) {
      if (attribute.type !== 'relation' || !attribute.owner) continue;
      if (attribute.target !== type.uid && attribute.target !== undefined) continue;
      const relation = relations.get(attribute.name);
      const links = linksOf(relation, type.uid);
      if (links) await execute(tx, compileLinkStaying(links, rows));
      else if (relation?.kind === 'column') {
        await execute(tx, compileMoveToStaying(sources, relation.column, rows, undefined));
      } else if (relation?.kind === 'morphColumns') {
        await execute(tx, compileMoveToStaying(sources, relation.id, rows, [relation.type, type.uid]));
      }
    }
  }
  const gone = (await query(tx, compileEndedRows(rows))).map(([id]) => Number(id));
  await execute(tx, compilePublishStaying(rows), [tx.dialect.encodeTime(Date.now())]);
  for (let first = 0; first < gone.length; first += BATCH) {
    const ids = gone.slice(first, first + BATCH);
    await removeAllEntries(context, type, ids);
    await removeLinksOf(context, type, ids);
    await tables.delete(rows, { id: ids });
  }
}

/** Rows without drafts link to both states of documents that have drafts. */
async function linkBothStates(
  tx: Transaction,
  { catalog, layout }: WriteContext,
  type: ContentType,
  ended: readonly string[],
): Promise<void> {
  const { relations } = layoutOf(layout, type.uid);
  for (const attribute of type.attributes.values()) {
    if (attribute.type !== 'relation' || !attribute.owner) continue;
    const targets = attribute.target === undefined ? [...catalog.contentTypes.keys()] : [attribute.target];
    for (const uid of targets) {
      if (ended.includes(uid) || !catalog.contentTypes.get(uid)?.draftAndPublish) continue;
      const links = linksOf(relations.get(attribute.name), uid);
      if (!links) continue;
      const { table } = layoutOf(layout, uid);
      await execute(tx, compileLinkDrafts(links, table));
      await execute(tx, compileLinkPublished(links, table));
    }
  }
}
