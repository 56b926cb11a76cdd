/**
 * Reverts releases that have run, from the history: in one transaction, the published versions of their documents become
 * those before the run. Drafts stay as they are.
 */
import type { Viewer } from '../access/view.ts';
import type { HistoryConfig } from '../config/config.ts';
import type { EditingServices } from '../content/administration/document-states.ts';
import type { StepWriter } from '../content/documents/writer.ts';
import { type DocumentRow, inLocale, readRows, singleDocumentId } from '../content/rows/document-rows.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { type ContentError, refusal } from '../errors.ts';
import { presentContent } from '../history/content.ts';
import { recordedContent, writeContent } from '../history/earlier-states.ts';
import { type Loss, restoredData, shownContent } from '../history/restoring.ts';
import { retentionOf } from '../history/upkeep.ts';
import type { Content } from '../history/version.ts';
import { reason } from '../reasons.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { compilePublishedBefore } from '../sql/history.ts';
import { inOrder, locksOf, problemOf, type ReleaseProblem, refused, requestOf } from './release-runs.ts';
import { actionsOf, findRelease, markReverted, type Release, type ReleaseAction, releaseLock } from './releases.ts';

export interface RevertingContext extends Pick<EditingServices, 'database' | 'reader' | 'together'> {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly history: HistoryConfig;
  readonly writer: EditingServices['writer'];
  /** Shows everything, to read and write versions as a whole. */
  readonly whole: Viewer;
}

/** The person who reverts. */
export interface Reverter {
  readonly read: Viewer;
  readonly publish: Viewer;
}

/** What reverting does to a version: publishes an older state, unpublishes it, or nothing. */
export type RevertEffect = 'restore' | 'unpublish' | 'none';

/** An action of a release with what reverting it does. */
export interface Reversal {
  readonly action: ReleaseAction;
  readonly effect: RevertEffect;
  /** Whether the version has been published, unpublished or deleted since the run. */
  readonly isChanged: boolean;
  /** What the older state has lost since. */
  readonly losses: readonly Loss[];
}

/** A version of a document, and its state before a release. */
interface Found {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly draft: DocumentRow | undefined;
  readonly published: DocumentRow | undefined;
  /** The id of its published state in the history; undefined if it was not published. */
  readonly before: number | undefined;
  readonly isChanged: boolean;
}

/** @throws ContentError 400 for a release that has not run, or was reverted. */
function requireRun({ releasedAt, revertedAt }: Release): number {
  if (releasedAt === null) throw refusal('The release has not run');
  if (revertedAt !== null) throw refusal('The release has been reverted', reason('releaseReverted'));
  return releasedAt;
}

/** What reverting some actions of a release would do, in their order. @throws ContentError 400 as `requireRun`. */
export async function reversalsOf(
  context: RevertingContext,
  { read, publish }: Reverter,
  release: Release,
  actions: readonly ReleaseAction[],
): Promise<{ readonly reversals: readonly Reversal[]; readonly problems: readonly ReleaseProblem[] }> {
  const { database: db, layout, reader, whole } = context;
  const restoring = { db, layout, shown: reader.shown(db, read) };
  const at = requireRun(release);
  const reversals: Reversal[] = [];
  const problems: ReleaseProblem[] = [];
  for (const action of actions) {
    const examine = async () => {
      const found = await find(context, db, publish, action, at);
      const content = await contentBefore(db, found);
      const shown = content && shownContent(read.view, found.type, content);
      const { losses } = shown ? await restoredData(restoring, whole.view, found.type, shown) : { losses: [] };
      reversals.push({ action, effect: effectOf(found), isChanged: found.isChanged, losses });
    };
    problems.push(...(await problemOf(action, examine)));
  }
  return { reversals, problems };
}

/**
 * Reverts a release, all of its documents or none, with the rights that running it needs.
 *
 * @param isConfirmed whether to revert documents that have changed since the run as well; without those that were deleted.
 * @throws ContentError 404 for a release that does not exist, 400 for one that has not run or was reverted, and with all
 * problems if a document cannot be reverted.
 */
export function revertRelease(
  context: RevertingContext,
  { publish }: Reverter,
  id: number | undefined,
  isConfirmed: boolean,
): Promise<Release> {
  return context.together(async (tx, { move, steps }) => {
    const known = id === undefined ? [] : await actionsOf(tx, id);
    await tx.lock(() => [releaseLock(id), ...known.flatMap(locksOf)]);
    const release = await findRelease(tx, id);
    const at = requireRun(release);
    const problems: ReleaseProblem[] = [];
    const found: { readonly action: ReleaseAction; readonly version: Found }[] = [];
    for (const action of inOrder(known).reverse()) {
      const examine = async () => {
        const version = await find(context, tx, publish, action, at);
        if (version.isChanged && !isConfirmed) throw changedSince();
        found.push({ action, version });
      };
      problems.push(...(await problemOf(action, examine)));
    }
    // values of documents that disappear are free for others
    for (const effect of ['unpublish', 'restore'] as const) {
      for (const { action, version } of found) {
        if (effectOf(version) !== effect) continue;
        const work = async () => {
          if (effect === 'restore') return restore(context, tx, steps, version);
          return move(requestOf(context.catalog, publish, { ...action, type: 'unpublish' }));
        };
        problems.push(...(await problemOf(action, work)));
      }
    }
    if (problems.length > 0) throw refused(problems);
    await markReverted(tx, release, found.length, Date.now());
    return release;
  });
}

const changedSince = (): ContentError =>
  refusal('The document has changed since the release has run', reason('changedSince'));

function effectOf({ draft, published, before }: Found): RevertEffect {
  if (before !== undefined) return draft || published ? 'restore' : 'none';
  return published ? 'unpublish' : 'none';
}

/**
 * The version of an action.
 *
 * @throws ContentError 403 without the right to run the action, 404 for a type that no longer exists, 400 for a type whose
 * versions are not recorded.
 */
async function find(
  { catalog, history, layout, reader, writer }: RevertingContext,
  db: Queryable,
  publisher: Viewer,
  action: ReleaseAction,
  at: number,
): Promise<Found> {
  const { type } = requestOf(catalog, publisher, action);
  if (retentionOf(history, type.uid).versions === 0) {
    throw refusal('The content of the document was not recorded', reason('notRecorded'));
  }
  const reading = writer.reading(db);
  const documentId = action.documentId ?? (await singleDocumentId(reading, type));
  const locale = type.localized ? action.locale : null;
  if (documentId === undefined) return { ...{ type, documentId: '', locale, isChanged: true }, ...NOTHING };
  const { rows } = await readRows(reading, type, documentId);
  const own = rows.filter((row) => inLocale(row, type, locale));
  await reader.shown(db, publisher).requireWritten(type, own);
  const [draft, published] = [own.find((row) => !row.published), own.find((row) => row.published)];
  const { table } = layoutOf(layout, type.uid);
  const [time] = published ? await reading.tables.select(table, ['published_at'], { id: published.id }) : [];
  const isAsRun = action.type === 'publish' ? Number(time?.[0] ?? 0) === at : published === undefined;
  const values = [documentId, type.uid, at, ...(locale === null ? [] : [locale])];
  const [row] = await query(db, compilePublishedBefore(locale !== null), values);
  // a state that began with the run is the one that it published
  const before = row && Number(row[1]) < at ? Number(row[0]) : undefined;
  return { type, documentId, locale, draft, published, before, isChanged: !isAsRun || own.length === 0 };
}

const NOTHING = { draft: undefined, published: undefined, before: undefined };

async function contentBefore(db: Queryable, found: Found): Promise<Content | undefined> {
  return found.before === undefined ? undefined : recordedContent(db, found, found.before);
}

/** Publishes the state before the release, and gives the draft its content back. */
async function restore(context: RevertingContext, tx: Transaction, steps: StepWriter, found: Found): Promise<void> {
  const { type, draft } = found;
  const { view } = context.whole;
  const before = await contentBefore(tx, found);
  const present = draft && (await presentContent(tx, context.layout, view, type, draft.id));
  await writeContent(context, tx, steps, found, before!, 'published');
  if (present) await writeContent(context, tx, steps, found, present, 'draft');
}
