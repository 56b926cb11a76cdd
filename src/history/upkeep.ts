/**
 * Compresses recorded versions, stores equal contents once, and deletes old versions. It works in the background, in
 * short transactions.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { HistoryConfig, Retention } from '../config/config.ts';
import { readSetting, storeSetting } from '../db/interface/core-store.ts';
import type { Database } from '../db/interface/database.ts';
import { execute, query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { Sql, SqlValue } from '../sql/fragment.ts';
import {
  CHANGED_AT,
  compileAddContent,
  compileAddPacked,
  compileForgetContents,
  compileForgetOld,
  compileForgetSurplus,
  compileNewVersions,
  compileOldVersions,
  compileSurplus,
  compileTakeVersion,
  compileUnpacked,
  compileUnpackedContent,
} from '../sql/history.ts';

const compress = promisify(brotliCompress);

/** Versions that are packed or deleted in one transaction. */
const PIECE = 50;
/** Versions that are examined at once. */
const EXAMINED = 500;
const DAY = 86_400_000;
/** The entry of the core store with the time of the last pruning, and the version up to which it has examined documents. */
const PRUNED = 'galley_history_pruning';
/** The quality at which 20 KB of JSON take about 1 ms. */
const QUALITY = 5;

/** Locks the contents that versions share, for transactions in which versions get or lose one for good. */
export async function lockContents(tx: Transaction): Promise<void> {
  await tx.lock(() => [{ key: 'galley version contents', shared: false }]);
}

/** Whether the work ends early: the server stops, or another process does it. */
export type IsOver = () => boolean | Promise<boolean>;

/** A version whose content could not be compressed. */
export interface Unpacked {
  readonly id: number;
  readonly error: unknown;
}

/**
 * Compresses the content of the versions after an id that have one of their own. Returns the last one whose content could
 * not be compressed.
 *
 * @param isOver called only if there is work.
 */
export async function packVersions(database: Database, isOver: IsOver, after = 0): Promise<Unpacked | undefined> {
  let failed: Unpacked | undefined;
  for (let last = after; ; ) {
    const ids = (await query(database, compileUnpacked(), [last, PIECE])).map(([id]) => Number(id));
    if (ids.length === 0 || (await isOver())) return failed;
    try {
      await pack(database, ids);
    } catch {
      // one content must not keep the others from being compressed
      for (const id of ids) {
        if (await isOver()) return failed;
        await pack(database, [id]).catch((error: unknown) => {
          failed = { id, error };
        });
      }
    }
    last = ids.at(-1)!;
  }
}

/** A time as rows store it. */
const timeIn = ({ dialect }: Transaction, time: unknown): SqlValue =>
  time === null ? null : dialect.encodeTime(Number(time));

async function pack(database: Database, ids: readonly number[]): Promise<void> {
  const packed: Awaited<ReturnType<typeof packedOf>>[] = [];
  for (const id of ids) {
    const [row] = await query(database, compileUnpackedContent(), [id]);
    if (row) packed.push(await packedOf(id, String(row[0])));
  }
  await database.transaction(async (tx) => {
    await lockContents(tx);
    for (const { id, hash, text } of packed) {
      const [row] = await execute(tx, compileTakeVersion(), [id]);
      if (!row) continue;
      await execute(tx, compileAddContent(), [hash, text]);
      const version = row.with(CHANGED_AT, timeIn(tx, row[CHANGED_AT]));
      await execute(tx, compileAddPacked(version.length), [...version, hash] as SqlValue[]);
    }
  });
}

async function packedOf(id: number, text: string) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY };
  return {
    id,
    hash: createHash('sha256').update(text).digest('base64url'),
    text: (await compress(text, { params })).toString('base64'),
  };
}

/**
 * Deletes the versions that the configuration no longer stores, unless a process has done so within a time.
 *
 * @param uids the types of the project.
 * @param pause the time in milliseconds.
 */
export async function pruneVersions(
  database: Database,
  config: HistoryConfig,
  uids: readonly string[],
  { isOver, pause }: { readonly isOver: IsOver; readonly pause: number },
): Promise<void> {
  const retention = JSON.stringify([config.versions, config.types]);
  const stored = await readSetting(database, PRUNED);
  const now = Date.now();
  const prunedAt = Number(stored['at'] ?? 0);
  const isSame = stored['retention'] === retention;
  if ((isSame && prunedAt <= now && now < prunedAt + pause) || (await isOver())) return;
  for (const uid of uids) await forgetOld(database, uid, now - retentionOf(config, uid).days * DAY, isOver);
  const examined = await forgetSurplus(database, config, isSame ? Number(stored['examined'] ?? 0) : 0, isOver);
  const at = (await isOver()) ? 0 : now;
  await database.transaction(async (tx) => {
    await tx.lock(() => [{ key: 'galley history pruning', shared: false }]);
    await storeSetting(tx, PRUNED, { at, retention, examined });
  });
}

/** Deletes versions of a type that were replaced before a time. Most of those that are examined are last publications. */
async function forgetOld(database: Database, uid: string, before: number, isOver: IsOver): Promise<void> {
  const [read, forget] = [compileOldVersions(database.dialect), compileForgetOld(database.dialect)];
  for (let last = [-1, 0]; ; ) {
    const rows = await query(database, read, [uid, before, ...last, EXAMINED]);
    const old = rows.flatMap(([id, , isOld]) => (Number(isOld) === 1 ? [[Number(id)]] : []));
    for (let first = 0; first < old.length; first += PIECE) {
      if (await isOver()) return;
      await forgetIn(database, forget, [JSON.stringify(old.slice(first, first + PIECE))]);
    }
    if (rows.length < EXAMINED) return;
    const [id, replacedAt] = rows.at(-1)!;
    last = [Number(replacedAt), Number(id)];
  }
}

/**
 * Deletes surplus versions of the documents that have versions after an id. Returns the id up to which documents were
 * examined.
 */
async function forgetSurplus(
  database: Database,
  config: HistoryConfig,
  after: number,
  isOver: IsOver,
): Promise<number> {
  for (let examined = after; ; ) {
    const rows = await query(database, compileNewVersions(), [examined, EXAMINED]);
    const versions = rows.map(([, uid, ...rest]) => [uid, ...rest, retentionOf(config, String(uid)).versions]);
    const different = [...new Set(versions.map((version) => JSON.stringify(version)))];
    if (different.length === 0) return examined;
    for (const row of await query(database, compileSurplus(database.dialect), [`[${different.join()}]`])) {
      const [uid, documentId, locale, status, most] = row as SqlValue[];
      const statement = compileForgetSurplus(locale !== null);
      const values = [documentId!, uid!, status!, Number(most), PIECE, ...(locale === null ? [] : [locale!])];
      let deleted = PIECE;
      while (deleted === PIECE) {
        if (await isOver()) return examined;
        deleted = await forgetIn(database, statement, values);
      }
    }
    examined = Number(rows.at(-1)![0]);
  }
}

/** Deletes some versions, and contents that no other version has. Returns how many versions were deleted. */
function forgetIn(database: Database, statement: Sql, values: readonly SqlValue[]): Promise<number> {
  return database.transaction((tx) => forgetVersions(tx, statement, values));
}

/**
 * Deletes versions by a statement that returns the ids of their contents, and contents that no other version has. Returns
 * how many versions were deleted.
 */
export async function forgetVersions(tx: Transaction, statement: Sql, values: readonly SqlValue[]): Promise<number> {
  await lockContents(tx);
  const rows = await execute(tx, statement, values);
  const contents = [...new Set(rows.flatMap(([, content]) => (content === null ? [] : [Number(content)])))];
  if (contents.length > 0) {
    await execute(tx, compileForgetContents(tx.dialect), [JSON.stringify(contents.map((one) => [one]))]);
  }
  return rows.length;
}

/** How long versions of a type are stored. */
export const retentionOf = (config: HistoryConfig, uid: string): Retention => config.types[uid] ?? config;
