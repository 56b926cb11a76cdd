/**
 * Compresses recorded versions, stores equal contents once, and deletes old versions. It works in the background, in
 * short transactions.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { HistoryConfig, Retention } from '../config/config.ts';
import type { Database } from '../db/interface/database.ts';
import type { Row } from '../db/interface/queryable.ts';
import { execute, query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { Sql, SqlValue } from '../sql/fragment.ts';
import {
  CHANGED_AT,
  compileAddContent,
  compileAddPacked,
  compileChangedDocuments,
  compileForgetContents,
  compileForgetOld,
  compileForgetSurplus,
  compileTakeVersion,
  compileUnpacked,
} from '../sql/history.ts';

const compress = promisify(brotliCompress);

/** Versions that are packed or deleted in one transaction. */
const PIECE = 50;
/** Versions whose documents are examined at once. */
const EXAMINED = 500;
const DAY = 86_400_000;
/** The quality at which 20 KB of JSON take about 1 ms. */
const QUALITY = 5;

/** Compresses the content of all versions that have one of their own. */
export async function packVersions(database: Database, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const rows = await query(database, compileUnpacked(), [PIECE]);
    if (rows.length === 0) return;
    const packed = await Promise.all(rows.map(packedOf));
    await database.transaction(async (tx) => {
      for (const { id, hash, text } of packed) {
        const [row] = await execute(tx, compileTakeVersion(), [id]);
        if (!row) continue;
        await execute(tx, compileAddContent(), [hash, text]);
        const version = row.with(CHANGED_AT, timeIn(tx, row[CHANGED_AT]));
        await execute(tx, compileAddPacked(version.length), [...version, hash] as SqlValue[]);
      }
    });
  }
}

/** A time as rows store it. */
const timeIn = ({ dialect }: Transaction, time: unknown): SqlValue =>
  time === null ? null : dialect.encodeTime(Number(time));

async function packedOf([id, content]: Row) {
  const text = String(content);
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY };
  return {
    id: Number(id),
    hash: createHash('sha256').update(text).digest('base64url'),
    text: (await compress(text, { params })).toString('base64'),
  };
}

/** Deletes the versions that the configuration no longer stores. */
export class Pruning {
  readonly #database: Database;
  readonly #isOver: () => boolean;
  /** The last version whose document was examined for surplus versions. */
  #examined = 0;

  constructor(database: Database, isOver: () => boolean) {
    this.#database = database;
    this.#isOver = isOver;
  }

  /** @param uids the types of the project. */
  async run(config: HistoryConfig, uids: readonly string[]): Promise<void> {
    for (const uid of uids) await this.#forgetOld(uid, retentionOf(config, uid));
    await this.#forgetSurplus(config);
  }

  async #forgetOld(uid: string, { days }: Retention): Promise<void> {
    const before = Date.now() - days * DAY;
    const statement = compileForgetOld(this.#database.dialect);
    while (!this.#isOver() && (await this.#forget(statement, [uid, before, PIECE])) === PIECE);
  }

  /** Examines the documents that have new versions. */
  async #forgetSurplus(config: HistoryConfig): Promise<void> {
    while (!this.#isOver()) {
      const rows = await query(this.#database, compileChangedDocuments(), [this.#examined, EXAMINED]);
      if (rows.length === 0) return;
      const versions = new Map(rows.map(([, ...version]) => [JSON.stringify(version), version]));
      for (const [uid, documentId, locale] of versions.values()) {
        const statement = compileForgetSurplus(this.#database.dialect, locale !== null);
        const { versions } = retentionOf(config, String(uid));
        const values = [String(documentId), String(uid), versions, PIECE, ...(locale === null ? [] : [String(locale)])];
        while (!this.#isOver() && (await this.#forget(statement, values)) === PIECE);
      }
      this.#examined = Number(rows.at(-1)![0]);
    }
  }

  /** Deletes some versions, and contents that no other version has. Returns how many versions were deleted. */
  #forget(statement: Sql, values: readonly SqlValue[]): Promise<number> {
    return this.#database.transaction((tx) => forgetVersions(tx, statement, values));
  }
}

/**
 * Deletes versions by a statement that returns the ids of their contents, and contents that no other version has. Returns
 * how many versions were deleted.
 */
export async function forgetVersions(tx: Transaction, statement: Sql, values: readonly SqlValue[]): Promise<number> {
  const rows = await execute(tx, statement, values);
  const contents = [...new Set(rows.flatMap(([, content]) => (content === null ? [] : [Number(content)])))];
  if (contents.length > 0) {
    await execute(tx, compileForgetContents(tx.dialect), [JSON.stringify(contents.map((one) => [one]))]);
  }
  return rows.length;
}

/** How long versions of a type are stored. */
export const retentionOf = (config: HistoryConfig, uid: string): Retention => config.types[uid] ?? config;
