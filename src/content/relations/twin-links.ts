/**
 * Links of a published row that is made together with its draft (`Source.twin`): what the draft links, the published row
 * links as far as it is published. The rest waits for its publication.
 */
import { isExclusive, type LinkTable } from '../../plan/link-place.ts';
import { isCopied } from '../../plan/write.ts';
import type { MediaAttribute, RelationAttribute } from '../../schema/catalog.ts';
import { hasDrafts, linkPlanOf, model, type Source, type WriteContext } from '../rows/write-context.ts';
import { notePending, type PendingLink } from './pending-links.ts';
import { linksOfRows } from './stored-links.ts';

/** A link that a draft is given, at its place. */
interface GivenLink {
  readonly target: number;
  readonly uid: string;
  readonly order: number;
}

/** A link of a draft whose target is not published. */
export interface WaitingLink {
  readonly source: Source;
  readonly link: GivenLink;
  readonly target: PendingLink['target'];
}

/** What the links of a draft become at its twin; undefined where there is none, or where the other side keeps them. */
export function linksOfTwin<Link extends GivenLink>(
  context: WriteContext,
  source: Source,
  attribute: RelationAttribute | MediaAttribute,
  added: readonly Link[],
): { readonly source: Source; readonly links: readonly Link[]; readonly waiting: readonly WaitingLink[] } | undefined {
  const { twin, scope } = source;
  if (twin === undefined || !isCopied(source.model, attribute)) return undefined;
  const links: Link[] = [];
  const waiting: WaitingLink[] = [];
  for (const link of added) {
    const target = publishedTarget(context, attribute, link.uid, link.target);
    if (typeof target === 'number') links.push({ ...link, target });
    else waiting.push({ source, link, target });
  }
  const published: Source = { model: source.model, rowId: twin, scope: { ...scope, state: 'published' }, isNew: true };
  return { source: published, links, waiting };
}

/** The published row of what a draft links; where there is none yet, the document. */
export function publishedTarget(
  context: WriteContext,
  attribute: RelationAttribute | MediaAttribute,
  uid: string,
  row: number,
): number | PendingLink['target'] {
  if (attribute.type === 'media' || !hasDrafts(model(context, uid))) return row;
  const { memory } = context;
  const draft = memory.row(uid, row)!;
  return memory.publishedOf(uid, draft)?.id ?? { uid, documentId: draft.documentId, locale: draft.locale };
}

/** Has twins wait for what is not published yet. Each link keeps its place in the lists of both sides. */
export async function noteWaiting(
  context: WriteContext,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkTable,
  waiting: readonly WaitingLink[],
): Promise<void> {
  const { model } = waiting[0]!.source;
  const drafts = waiting.map(({ source }) => source.rowId);
  // the place in the list of the other side is given by the database
  const stored =
    place.inverseOrder === null
      ? undefined
      : await linksOfRows(context, linkPlanOf(context, model, attribute), [...new Set(drafts)]);
  const pending = waiting.map(({ source: { rowId, twin }, link, target }): PendingLink => {
    const same = stored?.get(rowId)?.find((other) => other.target === link.target && other.uid === link.uid);
    const order = place.order === null ? null : link.order;
    return { model, source: twin!, attribute: attribute.name, target, order, inverse: same?.inverse ?? null };
  });
  await notePending(context, pending, isExclusive(attribute));
}
