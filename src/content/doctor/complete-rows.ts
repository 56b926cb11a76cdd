/** Completes the rows of types whose drafts or locales have just been switched on or off. */
import { execute } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { Model } from '../../schema/catalog.ts';
import { layoutOf, type RelationLayout } from '../../schema/layout/layout.ts';
import {
  compileLinkDrafts,
  compileMoveToDrafts,
  compileSetLocale,
  compileUnlinkOtherState,
  type LinksToDrafts,
} from '../../sql/schema-changes.ts';
import { defaultLocale } from '../locales/locales.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { examine, repair } from './check.ts';
import { documentChecks } from './documents.ts';
import { createMissingDrafts } from './missing-drafts.ts';
import type { Subject } from './orphans.ts';

/**
 * Completes rows of types: a draft for each published one, to which drafts and rows without drafts then link, and the
 * default locale; types without locales lose theirs.
 */
export async function completeRows(
  tx: Transaction,
  context: WriteContext,
  { catalog, layout }: Pick<Subject, 'catalog' | 'layout'>,
  uids: ReadonlySet<string>,
): Promise<void> {
  const contentTypes = new Map([...catalog.contentTypes].filter(([uid]) => uids.has(uid)));
  const subject = { catalog: { ...catalog, contentTypes }, layout, componentTables: [] };
  const locale = await defaultLocale(tx);
  // each document needs the same, so that sets of rows are completed first
  for (const type of contentTypes.values()) {
    if (type.localized) await execute(tx, compileSetLocale(layoutOf(layout, type.uid).table), [locale]);
    if (type.draftAndPublish) await createMissingDrafts(tx, { catalog, layout }, type);
  }
  const checks = documentChecks(subject, locale).filter((check) => check.repair);
  for (const finding of await examine(tx, checks)) {
    await repair((work) => work(tx, context), finding);
  }
  const models = [...catalog.contentTypes.values(), ...catalog.components.values()];
  for (const type of contentTypes.values()) {
    if (!type.draftAndPublish) continue;
    for (const model of models) await linkDrafts(tx, { catalog, layout }, model, type.uid);
  }
}

/** Has the links of a model to published rows of a type lead to their drafts, where a read of drafts needs that. */
async function linkDrafts(
  tx: Transaction,
  { layout }: Pick<Subject, 'catalog' | 'layout'>,
  model: Model,
  uid: string,
): Promise<void> {
  const { table: rows } = layoutOf(layout, uid);
  const { table: sources, relations } = layoutOf(layout, model.uid);
  const hasDrafts = model.modelType === 'contentType' && model.draftAndPublish;
  for (const attribute of model.attributes.values()) {
    if (attribute.type !== 'relation' || !attribute.owner) continue;
    if (attribute.target !== uid && attribute.target !== undefined) continue;
    const relation = relations.get(attribute.name);
    if (relation?.kind === 'column' && hasDrafts)
      await execute(tx, compileMoveToDrafts(sources, relation.column, rows));
    const links = linksOf(relation, uid);
    if (!links) continue;
    await execute(tx, compileLinkDrafts(links, rows));
    if (hasDrafts) await execute(tx, compileUnlinkOtherState(links, rows, sources));
  }
}

/** The links of a relation to a type; undefined if it has no table of links. */
export function linksOf(relation: RelationLayout | undefined, uid: string): LinksToDrafts | undefined {
  if (relation?.kind === 'link') {
    const { table, source, target, order, inverseOrder } = relation;
    return { table, source, target, type: undefined, others: [order, inverseOrder].filter((one) => one !== null) };
  }
  if (relation?.kind !== 'morphTable') return undefined;
  const { table, source, id, type, field, order } = relation;
  return { table, source, target: id, type: [type, uid], others: [field, order] };
}
