/**
 * Ends the drafts of types: each version then has one row, the newer one of its draft and its published row. The database
 * notes what has to be done in the transaction that moves content, and it is done when nothing else can fail any more:
 * by the change itself, or by the next start.
 */
import { readSetting, storeSetting } from '../../db/interface/core-store.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, query } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import {
  compileEndedRows,
  compileLinkDrafts,
  compileLinkPublished,
  compileLinkStaying,
  compileMoveToStaying,
  compilePublishStaying,
  type LinksToDrafts,
} from '../../sql/schema-changes.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { removeAllEntries, removeLinksOf } from '../rows/component-rows.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { linksOf } from './complete-rows.ts';

/** Rows that are removed together. */
const BATCH = 200;

/** The core-store entry with the types whose drafts have to end. */
const ENDING = 'galley_ending_drafts';

/** Where the database has ids of the rows of a type. */
type Reference =
  | { readonly kind: 'links'; readonly links: LinksToDrafts }
  | { readonly kind: 'column'; readonly table: string; readonly column: string; readonly type?: LinksToDrafts['type'] };

interface Version {
  readonly catalog: Catalog;
  readonly layout: Layout;
}

/** A type whose drafts end. */
export interface EndingType {
  readonly uid: string;
  readonly formerUid: string;
}

/**
 * Notes that the drafts of types end, with the links to their rows in the schema of before and in the next one. The
 * caller holds the lock of the schema. Types that have drafts in the next schema need not end them any more.
 */
export async function noteEndingDrafts(
  tx: Transaction,
  types: readonly EndingType[],
  before: Version,
  after: Version,
): Promise<void> {
  await withdrawEndingDrafts(tx, (uid) => hasDrafts(after.catalog, uid));
  if (types.length === 0) return;
  const ending = types.map(({ uid, formerUid }): [string, Reference[]] => {
    const all = [...referencesTo(before, formerUid, uid), ...referencesTo(after, uid, uid)];
    return [uid, [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]];
  });
  await storeSetting(tx, ENDING, { ...(await readSetting(tx, ENDING)), ...Object.fromEntries(ending) });
}

/** Withdraws what `noteEndingDrafts` noted about some types. The caller holds the lock of the schema. */
export async function withdrawEndingDrafts(tx: Transaction, isWithdrawn: (uid: string) => boolean): Promise<void> {
  const noted = Object.entries(await readSetting(tx, ENDING));
  const left = noted.filter(([uid]) => !isWithdrawn(uid));
  if (left.length === noted.length) return;
  if (left.length > 0) await storeSetting(tx, ENDING, Object.fromEntries(left));
  else await deleteRows(tx, CORE_STORE_TABLE, { key: ENDING });
}

/** Whether the drafts of some types have to end. */
export const hasEndingDrafts = async (db: Queryable): Promise<boolean> =>
  Object.keys(await readSetting(db, ENDING)).length > 0;

/** Whether a type has drafts in a schema. */
export const hasDrafts = (catalog: Catalog, uid: string): boolean =>
  catalog.contentTypes.get(uid)?.draftAndPublish === true;

/**
 * Ends the drafts that are noted: removes the older row of each version that has two, with its components, and publishes
 * drafts that stay. Links to a removed row lead to the other one. The caller holds the lock of the schema. The types stay
 * noted, and may be ended again.
 *
 * @param context with the schema in which the types have no drafts. Types that have some in it are left alone.
 * @param tables the tables of the database.
 */
export async function endDrafts(
  tx: Transaction,
  context: WriteContext,
  tables: { has(name: string): boolean },
): Promise<void> {
  const noted = await readSetting(tx, ENDING);
  const types = [...context.catalog.contentTypes.values()].filter(
    ({ uid, draftAndPublish }) => Object.hasOwn(noted, uid) && !draftAndPublish,
  );
  for (const type of types) {
    const references = (noted[type.uid] as unknown as Reference[]).filter((one) =>
      tables.has(one.kind === 'links' ? one.links.table : one.table),
    );
    await endDraftsOf(tx, context, type, references);
  }
  const uids = types.map(({ uid }) => uid);
  for (const type of types) await linkBothStates(tx, context, type, uids);
}

/** @param name the uid of the type in rows. */
function referencesTo({ catalog, layout }: Version, uid: string, name: string): Reference[] {
  const models = [...catalog.contentTypes.values(), ...catalog.components.values()];
  return models.flatMap((model) => {
    const { table, relations } = layoutOf(layout, model.uid);
    return [...model.attributes.values()].flatMap((attribute): Reference[] => {
      if (attribute.type !== 'relation' || !attribute.owner) return [];
      if (attribute.target !== uid && attribute.target !== undefined) return [];
      const relation = relations.get(attribute.name);
      const links = linksOf(relation, name);
      if (links) return [{ kind: 'links', links }];
      if (relation?.kind === 'column') return [{ kind: 'column', table, column: relation.column }];
      if (relation?.kind !== 'morphColumns') return [];
      return [{ kind: 'column', table, column: relation.id, type: [relation.type, name] }];
    });
  });
}

async function endDraftsOf(
  tx: Transaction,
  context: WriteContext,
  type: ContentType,
  references: readonly Reference[],
): Promise<void> {
  const { layout, tables } = context;
  const { table: rows } = layoutOf(layout, type.uid);
  for (const one of references) {
    if (one.kind === 'links') await execute(tx, compileLinkStaying(one.links, rows));
    else await execute(tx, compileMoveToStaying(one.table, one.column, rows, one.type));
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
