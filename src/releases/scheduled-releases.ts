/** Running releases at the time for which they are planned, with the rights that their planner has at that time. */
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, forbidden, isNotFound } from '../errors.ts';
import type { FailedSubject } from '../schedule/failure-notices.ts';
import { cancelItem, moveItem, type ScheduledItem, workIsOver } from '../schedule/items.ts';
import type { Performer, Performers } from '../schedule/performers.ts';
import type { BegunWork, DueWork, Gone } from '../schedule/schedule.ts';
import type { Catalog } from '../schema/catalog.ts';
import { compileReleaseNames } from '../sql/releases.ts';
import { requestOf, runActions } from './release-runs.ts';
import {
  actionsOf,
  findRelease,
  lockRelease,
  markFailed,
  type Release,
  type ReleaseAction,
  refreshStatus,
  releaseLock,
  updateRelease,
} from './releases.ts';

/** The names of the releases that items run, by their ids as targets. Releases that were deleted are left out. */
export async function releaseNamesOf(db: Queryable, items: readonly ScheduledItem[]): Promise<Map<string, string>> {
  if (items.length === 0) return new Map();
  const ids = [...new Set(items.map(({ target }) => target))].map((target) => [Number(target)]);
  const rows = await query(db, compileReleaseNames(db.dialect), [JSON.stringify(ids)]);
  return new Map(rows.map(([id, name]) => [String(id), String(name ?? '')]));
}

/**
 * Cancels the run of a release, which then is planned for no time any more. Returns false for a run that is over.
 *
 * @param by the row id of the administrator; null for a program.
 */
export async function cancelRun(
  tx: Transaction,
  item: ScheduledItem,
  by: number | null,
  now: number,
): Promise<boolean> {
  await tx.lock(() => [releaseLock(Number(item.target))]);
  if (!(await cancelItem(tx, item, now))) return false;
  const release = await releaseOf(tx, item);
  if (!release || release.releasedAt !== null) return true;
  if (item.state !== 'failed') {
    await updateRelease(tx, release, { name: release.name, scheduledAt: null, timezone: null }, by, now);
  }
  await refreshStatus(tx, release.id);
  return true;
}

/** The release that an item runs; undefined if it was deleted. */
const releaseOf = (tx: Transaction, { target }: ScheduledItem): Promise<Release | undefined> =>
  findRelease(tx, Number(target)).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

/**
 * Changes the time for which the run of a release is planned.
 *
 * @param by the row id of the administrator.
 * @throws ContentError 400 for a run that does not wait.
 */
export async function moveRun(
  database: Database,
  item: ScheduledItem,
  at: number,
  by: number,
  now: number,
): Promise<ScheduledItem> {
  const moved = await database.transaction(async (tx) => {
    const release = await lockRelease(tx, Number(item.target));
    const moved = await moveItem(tx, item, at);
    const { name, timezone } = release;
    if (moved) await updateRelease(tx, release, { name, scheduledAt: at, timezone: timezone ?? 'UTC' }, by, now);
    return moved;
  });
  if (!moved) throw workIsOver();
  return moved;
}

/** What mails say of a scheduled run that has failed; undefined for a release that was deleted. */
export async function failedRelease(db: Queryable, item: ScheduledItem): Promise<FailedSubject | undefined> {
  const name = (await releaseNamesOf(db, [item])).get(item.target);
  return name === undefined
    ? undefined
    : { verb: 'Running', label: name, kind: 'release', path: `releases/${item.target}` };
}

export interface ScheduledReleasesContext {
  readonly catalog: Catalog;
  readonly database: Queryable;
  readonly performers: Performers;
  /** Reports a failure, in the transaction that stores it and after its commit. */
  readonly failed: NonNullable<DueWork['failed']>;
}

export class ScheduledReleases implements DueWork {
  readonly #context: ScheduledReleasesContext;

  constructor(context: ScheduledReleasesContext) {
    this.#context = context;
  }

  async begin(item: ScheduledItem): Promise<BegunWork> {
    const { database } = this.#context;
    // rights are read before the transaction, which would hold up other writers
    const performers = new Map<string, Performer | ContentError>();
    for (const action of await actionsOf(database, Number(item.target))) {
      const key = keyOf(action);
      if (!performers.has(key)) performers.set(key, await this.#performerOf(item, action));
    }
    const run = async (tx: Transaction): Promise<Gone | undefined> => {
      const release = await releaseOf(tx, item);
      if (!release || release.releasedAt !== null) return { gone: { missing: 'release' } };
      await runActions(tx, release.id, async (action, at) => {
        const performer = performers.get(keyOf(action)) ?? forbidden();
        if (performer instanceof ContentError) throw performer;
        await performer.move(tx, { ...requestOf(this.#context.catalog, performer.viewer, action), at });
      });
      return undefined;
    };
    const runsCode = [...performers.values()].some((one) => !(one instanceof ContentError) && one.runsCode);
    return { run, once: runsCode };
  }

  /** The performer of an action, or the error that refuses it. */
  async #performerOf(item: ScheduledItem, { uid, type: name }: ReleaseAction): Promise<Performer | ContentError> {
    const { catalog, performers } = this.#context;
    const type = catalog.contentTypes.get(uid);
    if (!type?.draftAndPublish) return forbidden();
    try {
      return await performers.of(item.by, type, name);
    } catch (error) {
      if (error instanceof ContentError && error.status < 500) return error;
      throw error;
    }
  }

  async failed(tx: Transaction, item: ScheduledItem, failure: Parameters<NonNullable<DueWork['failed']>>[2]) {
    await markFailed(tx, await findRelease(tx, Number(item.target)));
    return this.#context.failed(tx, item, failure);
  }
}

const keyOf = ({ uid, type }: ReleaseAction): string => `${uid} ${type}`;
