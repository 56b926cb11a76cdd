/**
 * Releases: named sets of documents that are published and unpublished together. They are stored in the tables of the
 * reference, so that either program shows and runs the releases of the other.
 */
import { type Person, personOfRow } from '../content/administration/form-values.ts';
import { recordRowChange } from '../content/rows/changes.ts';
import { createDocumentId } from '../content/rows/document-rows.ts';
import type { ChangeDetails } from '../db/interface/action.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, query, selectRows, updateRows } from '../db/interface/statements.ts';
import type { Lock, Transaction } from '../db/interface/transaction.ts';
import { notFound, refusal } from '../errors.ts';
import { numberOrNull, textOrNull } from '../plain-values.ts';
import type { Catalog } from '../schema/catalog.ts';
import {
  compileActionsOfDocuments,
  compileCountActions,
  compileDeleteActions,
  compileLastPlace,
  compileMarkActions,
  compilePlaceActions,
  compileRelease,
  compileReleaseActions,
  compileReleases,
  RELEASE_ACTIONS_TABLE,
  RELEASE_LINK_COLUMNS,
  RELEASE_LINKS_TABLE,
  RELEASES_TABLE,
  REVERTED_TABLE,
} from '../sql/releases.ts';
import { compileInsertMany } from '../sql/write.ts';
import { runsOf } from './planned-runs.ts';
import { RELEASE_UID, requireFreeName } from './release-names.ts';

/** The most actions of a release, and the most releases that have not run: docs/reference/limits.md. */
export const MOST_ACTIONS = 1000;
const MOST_PENDING = 500;

/** The states of a release that are stored, in the words of the reference. */
const STORED_STATUSES = ['ready', 'blocked', 'failed', 'done', 'empty'] as const;
type StoredStatus = (typeof STORED_STATUSES)[number];
/** A release that was reverted is stored as `done`, with the time of it in a table that the reference leaves alone. */
export type ReleaseStatus = StoredStatus | 'reverted';

export interface Release {
  readonly id: number;
  readonly documentId: string | null;
  readonly name: string;
  /** Epoch milliseconds, as all times here; null for a release that has not run. */
  readonly releasedAt: number | null;
  readonly revertedAt: number | null;
  readonly scheduledAt: number | null;
  readonly timezone: string | null;
  readonly status: ReleaseStatus;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly createdBy: Person | null;
  readonly actionCount: number;
}

export const ACTION_TYPES = ['publish', 'unpublish'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** What a release does to a version of a document. */
export interface NewAction {
  readonly type: ActionType;
  /** The uid of the content type. */
  readonly uid: string;
  /** Null: the document of a single type, as the reference may store it. */
  readonly documentId: string | null;
  /** Null on types without locales; else the reference means the default locale. */
  readonly locale: string | null;
}

export interface ReleaseAction extends NewAction {
  readonly id: number;
  /** Null: not examined yet. */
  readonly isValid: boolean | null;
}

/** An action with the locale that it means: the default one of a localized type if it names none, as the reference does. */
export function localizedAction<A extends NewAction>(catalog: Catalog, action: A, defaultLocale: string): A {
  const type = catalog.contentTypes.get(action.uid);
  return type ? { ...action, locale: type.localized ? (action.locale ?? defaultLocale) : null } : action;
}

/** The name of a version in the list of a release. */
export const actionKey = ({ uid, documentId, locale }: Omit<NewAction, 'type'>): string =>
  `${uid} ${locale ?? ''} ${documentId ?? ''}`;

/** Releases that have run, or that have not, the newest first. @param before an id below which they begin. */
export async function listReleases(
  db: Queryable,
  { isDone, before, most }: { readonly isDone: boolean; readonly before: number | undefined; readonly most: number },
): Promise<Release[]> {
  return (await query(db, compileReleases(isDone), [before ?? 2_147_483_647, most])).map(releaseOf);
}

/** @throws ContentError 404 for a release that does not exist. */
export async function findRelease(db: Queryable, id: number | undefined): Promise<Release> {
  const [row] = id === undefined ? [] : await query(db, compileRelease(), [id]);
  if (!row) throw notFound();
  return releaseOf(row);
}

/** The lock of a release and of its list. */
export const releaseLock = (id: number | undefined): Lock => ({ key: `galley release ${id}`, shared: false });

/** A release that has not run, locked until the transaction ends. @throws ContentError 404; 400 if it has run. */
export async function lockRelease(tx: Transaction, id: number | undefined): Promise<Release> {
  await tx.lock(() => [releaseLock(id)]);
  const release = await findRelease(tx, id);
  if (release.releasedAt !== null) throw refusal('Release already published');
  return release;
}

/** The time and the time zone for which a release is planned; null for none. */
export interface ReleasePlan {
  readonly name: string;
  readonly scheduledAt: number | null;
  readonly timezone: string | null;
}

/** Creates an empty release. Returns its id. @param by the row id of the administrator. */
export async function createRelease(tx: Transaction, plan: ReleasePlan, by: number, now: number): Promise<number> {
  await requireFreeName(tx, plan.name, undefined, MOST_PENDING);
  const time = tx.dialect.encodeTime(now);
  const documentId = createDocumentId();
  const id = await insertRow(tx, RELEASES_TABLE, {
    ...columnsOf(tx, plan),
    ...{ document_id: documentId, status: 'empty', created_at: time, updated_at: time, published_at: time },
    ...{ created_by_id: by, updated_by_id: by },
  });
  recordRowChange(tx, RELEASE_UID, documentId, 'created', id, { name: plan.name });
  return id;
}

/** Changes the name or the plan of a release that is locked. @param by as `createRelease`; null for a program. */
export async function updateRelease(
  tx: Transaction,
  release: Release,
  plan: ReleasePlan,
  by: number | null,
  now: number,
): Promise<void> {
  if (plan.name !== release.name) await requireFreeName(tx, plan.name, release.id);
  const changed = { updated_at: tx.dialect.encodeTime(now), updated_by_id: by };
  await updateRows(tx, RELEASES_TABLE, { ...columnsOf(tx, plan), ...changed }, { id: release.id });
  const fields = (['name', 'scheduledAt', 'timezone'] as const).filter((key) => plan[key] !== release[key]);
  noteChange(tx, release, { name: plan.name, fields });
}

function columnsOf({ dialect }: Transaction, { name, scheduledAt, timezone }: ReleasePlan) {
  return { name, scheduled_at: scheduledAt === null ? null : dialect.encodeTime(scheduledAt), timezone };
}

/** Deletes a release that is locked, with its actions. */
export async function deleteRelease(tx: Transaction, release: Release): Promise<void> {
  const actions = await selectRows(tx, RELEASE_LINKS_TABLE, ['release_action_id'], { release_id: release.id });
  await deleteActions(
    tx,
    actions.map(([id]) => Number(id)),
  );
  await deleteRows(tx, RELEASES_TABLE, { id: release.id });
  recordRowChange(tx, RELEASE_UID, release.documentId ?? String(release.id), 'deleted', release.id, {
    name: release.name,
  });
}

/** The actions of a release in their order, as many as a release may have. */
export async function actionsOf(
  db: Queryable,
  release: number,
  most = MOST_ACTIONS,
  from = 0,
): Promise<ReleaseAction[]> {
  return (await query(db, compileReleaseActions(), [release, most, from])).map(actionOf);
}

/**
 * Adds actions at the end of a locked release. A version that the release has already keeps its action.
 *
 * @returns how many are new.
 * @throws ContentError 400 for more actions than a release may have.
 */
export async function addActions(
  tx: Transaction,
  release: Release,
  added: readonly NewAction[],
  now: number,
): Promise<number> {
  const known = new Set((await actionsOf(tx, release.id, MOST_ACTIONS)).map(actionKey));
  const fresh = [...new Map(added.map((action) => [actionKey(action), action])).values()].filter(
    (action) => !known.has(actionKey(action)),
  );
  if (known.size + fresh.length > MOST_ACTIONS) throw refusal(`A release can have at most ${MOST_ACTIONS} documents`);
  if (fresh.length === 0) return 0;
  const [[last]] = (await query(tx, compileLastPlace(), [release.id])) as [[number]];
  const time = tx.dialect.encodeTime(now);
  const rows: (readonly number[])[] = [];
  for (const [n, { type, uid, documentId, locale }] of fresh.entries()) {
    const id = await insertRow(tx, RELEASE_ACTIONS_TABLE, {
      ...{ document_id: createDocumentId(), type, content_type: uid, entry_document_id: documentId, locale },
      ...{ created_at: time, updated_at: time, published_at: time },
    });
    rows.push([id, release.id, Number(last) + n + 1]);
  }
  const links = compileInsertMany(tx.dialect, RELEASE_LINKS_TABLE, RELEASE_LINK_COLUMNS);
  await execute(tx, links, [JSON.stringify(rows)]);
  noteChange(tx, release, { fields: ['actions'], more: { added: fresh.length } });
  return fresh.length;
}

/** An action of a locked release. @throws ContentError 404 for an action of another release. */
export async function actionIn(tx: Transaction, release: Release, id: number | undefined): Promise<ReleaseAction> {
  const action = (await actionsOf(tx, release.id)).find((one) => one.id === id);
  if (!action) throw notFound();
  return action;
}

/** Changes what a locked release does to a document. */
export async function changeAction(
  tx: Transaction,
  release: Release,
  { id }: ReleaseAction,
  type: ActionType,
): Promise<void> {
  const valid = type === 'unpublish' ? tx.dialect.encode(true, 'boolean') : null;
  await updateRows(tx, RELEASE_ACTIONS_TABLE, { type, is_entry_valid: valid }, { id });
  noteChange(tx, release, { fields: ['actions'] });
}

/** Removes actions from a locked release. @throws ContentError 404 for an action of another release. */
export async function removeActions(tx: Transaction, release: Release, ids: readonly number[]): Promise<void> {
  await requireActions(tx, release, ids);
  await deleteActions(tx, ids);
  noteChange(tx, release, { fields: ['actions'], more: { removed: ids.length } });
}

/**
 * Moves actions of a locked release in front of another one, or to the end.
 *
 * @throws ContentError 404 for an action of another release.
 */
export async function moveActions(
  tx: Transaction,
  release: Release,
  ids: readonly number[],
  before: number | null,
): Promise<void> {
  const all = (await actionsOf(tx, release.id)).map(({ id }) => id);
  const moved = new Set(ids);
  const others = all.filter((id) => !moved.has(id));
  const place = before === null ? others.length : others.indexOf(before);
  if (place < 0 || others.length + moved.size !== all.length) throw notFound();
  const order = [...others.slice(0, place), ...ids, ...others.slice(place)];
  const places = order.map((id, n) => [id, n + 1]);
  await execute(tx, compilePlaceActions(tx.dialect), [JSON.stringify(places)]);
  noteChange(tx, release, { fields: ['actions'] });
}

async function requireActions(tx: Transaction, release: Release, ids: readonly number[]): Promise<void> {
  const own = new Set((await actionsOf(tx, release.id)).map(({ id }) => id));
  if (!ids.every((id) => own.has(id))) throw notFound();
}

async function deleteActions(tx: Transaction, ids: readonly number[]): Promise<void> {
  const listed = JSON.stringify(ids.map((id) => [id]));
  for (const statement of compileDeleteActions(tx.dialect)) await execute(tx, statement, [listed]);
}

/** Stores which actions could run, and the state of the release that follows. */
export async function markActions(
  tx: Transaction,
  release: number,
  valid: readonly number[],
  invalid: readonly number[],
): Promise<void> {
  for (const [ids, isValid] of [[valid, true] as const, [invalid, false] as const]) {
    if (ids.length === 0) continue;
    const values = [JSON.stringify(ids.map((id) => [id])), tx.dialect.encode(isValid, 'boolean')];
    await execute(tx, compileMarkActions(tx.dialect), values);
  }
  await refreshStatus(tx, release);
}

/** Sets the state of a release that has not run: `failed` as long as its failure is there, else by its actions. */
export async function refreshStatus(tx: Transaction, release: number): Promise<void> {
  const [[count, invalid]] = (await query(tx, compileCountActions(), [release])) as [[number, number]];
  const ofActions: StoredStatus = Number(count) === 0 ? 'empty' : Number(invalid) > 0 ? 'blocked' : 'ready';
  const status = (await runsOf(tx, release, 'failed')).length > 0 ? 'failed' : ofActions;
  await updateRows(tx, RELEASES_TABLE, { status }, { id: release });
}

/** Notes that a release has run. */
export async function markDone(tx: Transaction, release: Release, now: number): Promise<void> {
  const time = tx.dialect.encodeTime(now);
  await updateRows(tx, RELEASES_TABLE, { status: 'done', released_at: time, updated_at: time }, { id: release.id });
  noteChange(tx, release, { action: 'release.run', more: { documents: release.actionCount } });
}

/** Notes that a release was reverted. */
export async function markReverted(tx: Transaction, release: Release, documents: number, now: number): Promise<void> {
  await insertRow(tx, REVERTED_TABLE, { release_id: release.id, reverted_at: now });
  noteChange(tx, release, { action: 'release.revert', more: { documents } });
}

/** Notes that a scheduled run has failed. */
export async function markFailed(tx: Transaction, release: Release): Promise<void> {
  await updateRows(tx, RELEASES_TABLE, { status: 'failed' }, { id: release.id });
  noteChange(tx, release, { action: 'release.fail' });
}

/** A pending release that contains a version of a document. */
export interface HoldingRelease {
  readonly id: number;
  readonly name: string;
  /** Epoch milliseconds; null for a release without a time. */
  readonly scheduledAt: number | null;
  readonly action: ReleaseAction;
}

/** The most places of documents in pending releases that are listed at once: docs/reference/limits.md. */
const MOST_HOLDING = 2000;

/** The pending releases that contain versions of some documents of a type. */
export async function releasesOf(
  db: Queryable,
  uid: string,
  documentIds: readonly string[],
): Promise<HoldingRelease[]> {
  const ids = JSON.stringify(documentIds.map((documentId) => [documentId]));
  const rows = await query(db, compileActionsOfDocuments(db.dialect), [uid, ids, MOST_HOLDING]);
  return rows.map((row) => {
    const [id, name, scheduledAt] = row.slice(6);
    return { id: Number(id), name: String(name ?? ''), scheduledAt: numberOrNull(scheduledAt!), action: actionOf(row) };
  });
}

/** Records a change of a release, with what the log of actions says of it. */
export function noteChange(tx: Transaction, { id, documentId, name }: Release, details: ChangeDetails): void {
  recordRowChange(tx, RELEASE_UID, documentId ?? String(id), 'updated', id, { name, ...details });
}

function releaseOf(row: Row): Release {
  const [id, documentId, name, releasedAt, scheduledAt, timezone, status, createdAt, updatedAt, ...rest] = row;
  const [count, reverted] = rest.slice(4);
  const revertedAt = numberOrNull(reverted ?? null);
  return {
    id: Number(id),
    documentId: textOrNull(documentId),
    name: String(name ?? ''),
    releasedAt: numberOrNull(releasedAt),
    revertedAt,
    scheduledAt: numberOrNull(scheduledAt),
    timezone: textOrNull(timezone),
    status: revertedAt === null ? (STORED_STATUSES.find((known) => known === status) ?? 'empty') : 'reverted',
    createdAt: numberOrNull(createdAt),
    updatedAt: numberOrNull(updatedAt),
    createdBy: personOfRow(rest),
    actionCount: Number(count),
  };
}

function actionOf([id, type, uid, documentId, locale, isValid]: Row): ReleaseAction {
  return {
    id: Number(id),
    type: type === 'unpublish' ? 'unpublish' : 'publish',
    uid: String(uid ?? ''),
    documentId: textOrNull(documentId),
    locale: textOrNull(locale),
    isValid: isValid === null ? null : isValid === true || isValid === 1,
  };
}
