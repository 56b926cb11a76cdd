/** Publication of what a draft took from other documents and did not keep. */
import type { ContentType } from '../../schema/catalog.ts';
import { recordTaken } from '../writing/changes.ts';
import { linkPlanOf, type WriteContext } from '../writing/write-context.ts';
import { storeOwnOf } from './column-links.ts';
import { counterpartsOf } from './counterparts.ts';
import type { TakenLink } from './draft-links.ts';
import { linksOfRows } from './stored-links.ts';

/**
 * Removes published links that a draft, which is now published, has taken from other documents. Where it kept what it
 * took, the publication of its own links has removed them already. Where it let go of that again, no other document's
 * publication would: none of them has changed anything. A link that is there again between the drafts stands; one that
 * waits for its target is left to that one's publication.
 *
 * @param author the type of the document that is published.
 */
export async function publishTaken(
  context: WriteContext,
  author: ContentType,
  taken: readonly TakenLink[],
): Promise<void> {
  const keyOf = ({ sourceType, attribute, targetType }: TakenLink) => `${sourceType} ${attribute} ${targetType}`;
  for (const [, links] of Map.groupBy(taken, keyOf)) await publishOf(context, author, links);
}

/** The same of links of one attribute to one type. */
async function publishOf(context: WriteContext, author: ContentType, taken: readonly TakenLink[]): Promise<void> {
  const { sourceType, attribute: name, targetType } = taken[0]!;
  const [model, targetModel] = [sourceType, targetType].map((uid) => context.catalog.contentTypes.get(uid));
  const attribute = model?.attributes.get(name);
  // the schema may have lost them since
  if (!model || !targetModel || attribute?.type !== 'relation') return;
  const published = { state: 'published', locale: undefined } as const;
  const idsOf = (end: 'source' | 'target') => [...new Set(taken.map((link) => link[end]))];
  const [sources, targets] = await Promise.all([
    counterpartsOf(context, model, idsOf('source'), published),
    counterpartsOf(context, targetModel, idsOf('target'), published),
  ]);
  const rows = [...sources].flatMap(([draft, { id }]) => (id === undefined ? [draft] : [draft, id]));
  const plan = linkPlanOf(context, model, attribute);
  const stored = await linksOfRows(context, plan, [...new Set(rows)]);
  const linkOf = (row: number, target: number) =>
    stored.get(row)?.find((link) => link.target === target && link.uid === targetType);
  const gone = taken.flatMap((link) => {
    const [source, target] = [sources.get(link.source)?.id, targets.get(link.target)?.id];
    if (source === undefined || target === undefined || linkOf(link.source, link.target)) return [];
    const found = linkOf(source, target);
    return found ? [{ id: found.id, source, target }] : [];
  });
  if (gone.length === 0) return;
  const { place } = plan;
  if (place.kind === 'table') await context.tables.delete(place.table, { id: gone.map(({ id }) => id) });
  else if (place.kind !== 'inverse') {
    const cleared = gone.map(({ source }) => ({ row: source, target: undefined }));
    await storeOwnOf(context, model, place, cleared);
  }
  context.memory.changes++;
  // what was taken was taken from a document of the author's own type
  for (const [type, end] of [[model, 'source'] as const, [targetModel, 'target'] as const]) {
    const rows = gone.map((link) => link[end]);
    if (type === author) await recordTaken(context, type, rows);
  }
}
