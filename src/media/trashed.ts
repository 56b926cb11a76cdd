/** Files in the trash: their records as they were recorded (`sql/trash.ts`), and what is stored of them. */
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { FILE_UID } from '../schema/catalog.ts';
import { compileColumnsOfType } from '../sql/trash.ts';
import { formatsOf, metadataOf, type StoredRecord } from './file-record.ts';
import { type Storage, storeOf } from './storage/storage.ts';
import { storedFiles } from './storage/stored-files.ts';

/** The columns of a recorded row as texts. */
export type RecordedColumns = Readonly<Record<string, string | null>>;

/** A record in the trash. */
export interface TrashedRecord extends StoredRecord {
  readonly previewUrl: string | null;
}

/** Deletions that are read at once. */
const BATCH = 500;

/** The columns of the rows of a deletion. */
export const columnsIn = (content: unknown): readonly RecordedColumns[] =>
  JSON.parse(String(content ?? '[]')) as RecordedColumns[];

/** The record of a deleted file. @param columns those of its row. */
export function recordOf(columns: RecordedColumns): TrashedRecord {
  const text = (name: string): string => columns[name] ?? '';
  return {
    id: Number(columns['id']),
    documentId: text('document_id'),
    name: text('name'),
    hash: text('hash'),
    ext: text('ext'),
    mime: text('mime'),
    url: text('url'),
    provider: text('provider'),
    formats: formatsOf(columns['formats']),
    provider_metadata: metadataOf(columns['provider_metadata'] ?? null),
    updatedAt: timeOf(text('updated_at')),
    previewUrl: columns['preview_url'] ?? null,
  };
}

/** A time as an engine casts it to text, in epoch milliseconds. */
const timeOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Date.parse(`${text.replace(' ', 'T')}Z`));

/** All records in the trash, in the order of their deletions. */
export async function* trashedRecords(db: Queryable): AsyncGenerator<TrashedRecord> {
  for (let last = 0; ; ) {
    const rows: Row[] = await query(db, compileColumnsOfType(), [FILE_UID, last, BATCH]);
    for (const [, content] of rows) yield* columnsIn(content).map(recordOf);
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)![0]);
  }
}

/** The first record in the trash that passes a test; undefined without one. */
export async function findTrashed(
  db: Queryable,
  test: (record: TrashedRecord) => boolean,
): Promise<TrashedRecord | undefined> {
  for await (const record of trashedRecords(db)) if (test(record)) return record;
  return undefined;
}

/** Whether who has the address of a file in the trash can fetch it: its store can neither hide it nor is private. */
export function isReachable(stores: readonly Storage[], provider: string): boolean {
  const storage = storeOf(stores, provider);
  return !storage?.hide && !storage?.sign;
}

/** Hides the bytes and sizes of a file from the web, or shows them again, in a store that the server serves. */
export async function hideStored(stores: readonly Storage[], record: StoredRecord, isHidden: boolean): Promise<void> {
  const storage = storeOf(stores, record.provider);
  if (!storage?.hide) return;
  for (const { key } of storedFiles(storage, record)) await storage.hide(key, isHidden);
}
