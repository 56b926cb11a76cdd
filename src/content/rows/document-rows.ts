/** The rows of a document: one for each locale and state. */
import { randomFillSync } from 'node:crypto';
import type { WrittenRow } from '../../access/permitted.ts';
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { VERSION_COLUMNS } from '../../plan/write.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { compileFirstDocumentId, compileFoundRows, type RowChoice } from '../../sql/content-rows.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { layoutOfModel, type ReadContext, type WriteContext } from './write-context.ts';

/** One row: a locale's draft or published version. */
export interface DocumentRow {
  readonly id: number;
  readonly locale: string | null;
  readonly published: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Which of its attributes have values (`readFilled`), if it was read to be replaced. */
  readonly filled?: string | undefined;
  /** A digit for each removal of its model, 0 if it removes nothing, if the row was read to be deleted. */
  readonly removals?: string | undefined;
}

/** A document's rows. */
export interface DocumentRows {
  readonly documentId: string;
  readonly rows: readonly DocumentRow[];
}

/** The rows of a document in row order; none when it is not there. */
export async function readRows(context: ReadContext, type: ContentType, documentId: string): Promise<DocumentRows> {
  return { documentId, rows: await rowsOfSome(context, type, documentId) };
}

/**
 * The rows of a document that a write of its transaction may replace.
 *
 * @param replaced the rows that it replaces, as far as the request tells.
 */
export function readReplacedRows(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  replaced: RowChoice,
): Promise<DocumentRows> {
  return context.tx.recordsReplacements(type.uid)
    ? readFoundRows(context, type, documentId, replaced, false)
    : readRows(context, type, documentId);
}

/** The rows of a document that is about to be deleted. */
export function readDeletedRows(context: WriteContext, type: ContentType, documentId: string): Promise<DocumentRows> {
  return readFoundRows(context, type, documentId, {}, true);
}

async function readFoundRows(
  { tables, plans }: WriteContext,
  type: ContentType,
  documentId: string,
  choice: RowChoice,
  isDeletion: boolean,
): Promise<DocumentRows> {
  const { table, filled, versionQuery, removals } = plans.of(type.uid);
  const locale = type.localized ? choice.locale : undefined;
  const published = type.draftAndPublish ? choice.published : undefined;
  const key = `found ${versionQuery.key} ${locale !== undefined} ${published} ${isDeletion}`;
  const values = [...(locale === undefined ? [] : [locale]), documentId];
  const rows = await tables.run(key, values, () => {
    const found = { filled, removals: isDeletion ? removals : [] };
    return compileFoundRows(tables.dialect, table, VERSION_COLUMNS, found, { locale, published });
  });
  return { documentId, rows: rows.map(documentRow) };
}

/** The rows of one document or of several, in row order, by one statement. */
export async function rowsOfSome(
  context: ReadContext,
  type: ContentType,
  documentIds: string | readonly string[],
): Promise<DocumentRow[]> {
  const rows = await context.tables.find(context.plans.of(type.uid).versionQuery, [documentIds]);
  return rows.map(documentRow);
}

const documentRow = ([id, locale, publishedAt, createdAt, updatedAt, filled, removals]: Row): DocumentRow => ({
  id: Number(id),
  locale: locale === null ? null : String(locale),
  published: publishedAt !== null,
  createdAt: Number(createdAt ?? 0),
  updatedAt: Number(updatedAt ?? 0),
  ...(typeof filled === 'string' && { filled }),
  ...(typeof removals === 'string' && removals !== '' && { removals }),
});

/** The document id of a single type's document; undefined when there is none. */
export async function singleDocumentId(context: ReadContext, type: ContentType): Promise<string | undefined> {
  const { table } = layoutOfModel(context, type);
  const [row] = await context.tables.run(`single ${table}`, [], () => compileFirstDocumentId(table));
  return row === undefined ? undefined : String(row[0]);
}

/** Whether a row is of a locale; of a type without locales every row is. */
export function inLocale(row: DocumentRow, type: ContentType, locale: string | null): boolean {
  return !type.localized || row.locale === locale;
}

/** The row of a version, in a state. */
export function rowOf(
  { rows }: DocumentRows,
  type: ContentType,
  locale: string | null,
  published: boolean,
): DocumentRow | undefined {
  return rows.find((row) => inLocale(row, type, locale) && row.published === published);
}

/**
 * The time of a write: now, but later than anything the document holds, since the order of two times decides whether a
 * draft is newer than its publication.
 */
export function writeTime({ rows }: DocumentRows): number {
  return Math.max(Date.now(), ...rows.map((row) => row.updatedAt + 1));
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABET = `${LETTERS}0123456789`;
const LENGTH = 24;
/** Random bytes drawn at a time: a call of the generator costs more than the bytes. */
const POOL = 4096;
const pool = Buffer.alloc(POOL);
let used = POOL;

function nextByte(): number {
  if (used === POOL) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]!;
}

/** A new document id: a letter and 23 letters or digits, cryptographically random and without bias. */
export function createDocumentId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const alphabet = id === '' ? LETTERS : ALPHABET;
    // Bytes beyond the largest multiple of the alphabet's size would favour its first letters.
    const limit = 256 - (256 % alphabet.length);
    const byte = nextByte();
    if (byte < limit) id += alphabet[byte % alphabet.length];
  }
  return id;
}

/** A new document id and three times, all `now` (epoch ms), by column. */
export function documentColumns({ dialect }: Queryable, now: number): Record<string, SqlValue> {
  const time = dialect.encodeTime(now);
  return { document_id: createDocumentId(), created_at: time, updated_at: time, published_at: time };
}

/** The largest row id that every engine's columns hold: there is no row beyond it. */
export const MAX_ROW_ID = 2_147_483_647;

/**
 * Counts the rows that a write inserts, by table: components, and the document itself if it is new.
 *
 * @param versions rows per component and document: 2 if the draft is published as well.
 */
export function neededIds(
  { plans }: ReadContext,
  row: WrittenRow,
  { isNew, versions }: { readonly isNew: boolean; readonly versions: number },
): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (uid: string) => {
    const { table, content } = plans.of(uid);
    if (content.names.length > 0) counts.set(table, (counts.get(table) ?? 0) + versions);
  };
  const addComponents = ({ components }: WrittenRow): void => {
    for (const { entries = [] } of components.values()) {
      for (const entry of entries) {
        if (entry.kind !== 'row') continue;
        // an entry with an id is merged into the stored one
        if (isNew || entry.id === undefined) add(entry.row.model.uid);
        addComponents(entry.row);
      }
    }
  };
  if (isNew) add(row.model.uid);
  addComponents(row);
  return counts;
}
