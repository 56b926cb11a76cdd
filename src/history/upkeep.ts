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
import type { Lock, Transaction } from '../db/interface/transaction.ts';
import type { Sql, SqlValue } from '../sql/fragment.ts';
import {
  compileAddContent,
  compileChangedDocuments,
  compileForgetContents,
  compileForgetOld,
  compileForgetSurplus,
  compilePack,
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

/** Held by transactions in which versions get or lose a content that others may have. */
const CONTENTS: Lock = { key: 'galley version contents', shared: false };

/** Whether the work ends early: the server stops, or another process does it. */
export type IsOver = () => boolean | Promise<boolean>;

/** Compresses the content of all versions that have one of their own. @param isOver called only if there is work. */
export async function packVersions(database: Database, isOver: IsOver): Promise<void> {
  for (;;) {
    const rows = await query(database, compileUnpacked(), [PIECE]);
    if (rows.length === 0 || (await isOver())) return;
    const packed = await Promise.all(rows.map(packedOf));
    await database.transaction(async (tx) => {
      await tx.lock(() => [CONTENTS]);
      for (const { id, hash, text } of packed) {
        await execute(tx, compileAddContent(), [hash, text]);
        await execute(tx, compilePack(), [hash, id]);
      }
    });
  }
}

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
  readonly #isOver: IsOver;
  /** The last version whose document was examined for surplus versions. */
  #examined = 0;

  constructor(database: Database, isOver: IsOver) {
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
    while (!(await this.#isOver()) && (await this.#forget(statement, [uid, before, PIECE])) === PIECE);
  }

  /** Examines the documents that have new versions. */
  async #forgetSurplus(config: HistoryConfig): Promise<void> {
    while (!(await this.#isOver())) {
      const rows = await query(this.#database, compileChangedDocuments(), [this.#examined, EXAMINED]);
      if (rows.length === 0) return;
      const versions = new Map(rows.map(([, ...version]) => [JSON.stringify(version), version]));
      for (const [uid, documentId, locale] of versions.values()) {
        const statement = compileForgetSurplus(this.#database.dialect, locale !== null);
        const { versions } = retentionOf(config, String(uid));
        const values = [String(documentId), String(uid), versions, PIECE, ...(locale === null ? [] : [String(locale)])];
        while (!(await this.#isOver()) && (await this.#forget(statement, values)) === PIECE);
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
  await tx.lock(() => [CONTENTS]);
  const rows = await execute(tx, statement, values);
  const contents = [...new Set(rows.flatMap(([, content]) => (content === null ? [] : [Number(content)])))];
  if (contents.length > 0) {
    await execute(tx, compileForgetContents(tx.dialect), [JSON.stringify(contents.map((one) => [one]))]);
  }
  return rows.length;
}

/** How long versions of a type are stored. */
export const retentionOf = (config: HistoryConfig, uid: string): Retention => config.types[uid] ?? config;
