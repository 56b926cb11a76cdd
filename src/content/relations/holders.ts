/** Rows that lose a link to what another row of their type links: a link of one to one has one holder. */

import type { Row } from '../../db/interface/queryable.ts';
import { isExclusive, type LinkPlace } from '../../plan/link-place.ts';
import type { RelationAttribute } from '../../schema/catalog.ts';
import {
  hasDrafts,
  isLocalized,
  layoutOfModel,
  model as modelNamed,
  type Source,
  type WriteContext,
} from '../rows/write-context.ts';

/**
 * The rows that would lose a link if a row had links to some targets: those of its own state and of other documents, unless
 * the link is a column of what is linked.
 *
 * @param linked ids of rows of the attribute's target.
 */
export async function holdersOf(
  context: WriteContext,
  { model, rowId, scope }: Source,
  place: LinkPlace,
  attribute: RelationAttribute,
  linked: readonly number[],
): Promise<number[]> {
  const { tables } = context;
  const { table } = layoutOfModel(context, model);
  const holders = (await linksTo(context, table, place, attribute, linked)).map(([id]) => Number(id));
  const others = [...new Set(holders)].filter((id) => id !== rowId);
  if (others.length === 0 || place.kind === 'inverse' || !(hasDrafts(model) || isLocalized(model))) return others;
  const rows = await tables.select(table, ['id', 'published_at', 'document_id'], { id: [...others, rowId] });
  const own = rows.find(([id]) => Number(id) === rowId)?.[2];
  const isAlike = (publishedAt: unknown) =>
    !hasDrafts(model) || (publishedAt !== null) === (scope.state === 'published');
  return rows
    .filter(([, publishedAt, documentId]) => documentId !== own && isAlike(publishedAt))
    .map(([id]) => Number(id));
}

async function linksTo(
  context: WriteContext,
  table: string,
  place: LinkPlace,
  attribute: RelationAttribute,
  linked: readonly number[],
): Promise<readonly Row[]> {
  const { tables } = context;
  if (linked.length === 0) return [];
  if (place.kind === 'inverse') {
    const type = place.type ? { [place.type.column]: place.type.uid } : {};
    const target = layoutOfModel(context, modelNamed(context, attribute.target!)).table;
    return (await tables.select(target, [place.column], { id: linked, ...type })).filter(([id]) => id !== null);
  }
  if (place.kind === 'ownMorph' || !isExclusive(attribute)) return [];
  return place.kind === 'own'
    ? tables.select(table, ['id'], { [place.column]: linked })
    : tables.select(place.table, [place.source], { ...place.fixed, [place.target]: linked });
}
