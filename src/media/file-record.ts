/** Reads and writes rows of `files`. */
import { recordRowChange } from '../content/rows/changes.ts';
import { createDocumentId, MAX_ROW_ID } from '../content/rows/document-rows.ts';
import { documentLock } from '../content/rows/locks.ts';
import { encode, layoutOfModel, type ReadContext, type WriteContext } from '../content/rows/write-context.ts';
import type { Columns } from '../db/interface/tables.ts';
import { type ContentType, FILE_UID } from '../schema/catalog.ts';
import type { SqlValue } from '../sql/fragment.ts';
import type { FocalPoint } from './file-info.ts';

/** A derived size of an image, as in `files.formats`. */
export interface FileFormat {
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
  readonly path: string | null;
  readonly width: number;
  readonly height: number;
  /** Kilobytes of 1,000 bytes. */
  readonly size: number;
  readonly sizeInBytes: number;
  readonly url: string;
  /** Only of providers that are code. */
  readonly provider_metadata?: unknown;
}

export type FileFormats = Readonly<Record<string, FileFormat>>;

/** The attributes of a record that this server writes. */
export interface FileValues {
  readonly name: string;
  readonly alternativeText: string | null;
  readonly caption: string | null;
  readonly focalPoint: FocalPoint | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly formats: FileFormats | null;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
  /** Kilobytes of 1,000 bytes, with two decimals. */
  readonly size: number;
  readonly url: string;
  readonly provider: string;
  readonly provider_metadata?: unknown;
  readonly previewUrl?: string;
  readonly folderPath: string;
}

/** The values of a record that changing and removing it need. */
export interface StoredRecord {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
  readonly url: string;
  readonly provider: string;
  readonly formats: FileFormats | null;
  readonly provider_metadata: unknown;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

/** Bytes as kilobytes of 1,000 bytes with two decimals. */
export function kilobytes(bytes: number): number {
  return Math.round(bytes / 10) / 100;
}

/** Inserts a record and returns its id. @param author the administrator who adds the file; undefined for others. */
export async function insertRecord(context: WriteContext, values: FileValues, author?: number): Promise<number> {
  const type = fileType(context);
  const time = context.tables.dialect.encodeTime(Date.now());
  const documentId = createDocumentId();
  const columns = new Map<string, SqlValue>([
    ['document_id', documentId],
    ...columnsOf(context, type, values),
    ['created_at', time],
    ['updated_at', time],
    ['published_at', time],
    ...authorColumns(author, ['created_by_id', 'updated_by_id']),
  ]);
  const id = await context.tables.insert(layoutOfModel(context, type).table, columns);
  recordRowChange(context.tx, FILE_UID, documentId, 'created', id, { name: values.name });
  return id;
}

/** Changes a record. @param author the administrator who changes it; undefined for others. */
export async function updateRecord(
  context: WriteContext,
  record: StoredRecord,
  values: Partial<FileValues>,
  author?: number,
): Promise<void> {
  const type = fileType(context);
  const time = context.tables.dialect.encodeTime(Math.max(Date.now(), record.updatedAt + 1));
  const columns = new Map([
    ...columnsOf(context, type, values),
    ['updated_at', time] as const,
    ...authorColumns(author, ['updated_by_id']),
  ]);
  await context.tables.update(layoutOfModel(context, type).table, columns, { id: record.id });
  recordRowChange(context.tx, FILE_UID, record.documentId, 'updated', record.id, {
    name: values.name ?? record.name,
    fields: Object.keys(values).filter((name) => values[name as keyof FileValues] !== undefined),
  });
}

/** The columns of the writing administrator. Other writes leave them unchanged. */
export function authorColumns(author: number | undefined, names: readonly string[]): [string, SqlValue][] {
  return author === undefined ? [] : names.map((name) => [name, author]);
}

/** Reads a record; undefined if it does not exist. */
export async function readRecord(context: ReadContext, id: number): Promise<StoredRecord | undefined> {
  if (id > MAX_ROW_ID) return undefined;
  const columns = [
    'id',
    'document_id',
    'name',
    'hash',
    'ext',
    'url',
    'provider',
    'formats',
    'updated_at',
    'mime',
    'provider_metadata',
  ];
  const [row] = await context.tables.select(layoutOfModel(context, fileType(context)).table, columns, { id });
  if (!row) return undefined;
  const text = (index: number): string => String(row[index] ?? '');
  return {
    id: Number(row[0]),
    documentId: text(1),
    name: text(2),
    hash: text(3),
    ext: text(4),
    url: text(5),
    provider: text(6),
    formats: formatsOf(row[7]),
    updatedAt: Number(row[8] ?? 0),
    mime: text(9),
    provider_metadata: metadataOf(row[10]),
  };
}

/** Reads a record and locks it until the transaction ends; undefined if it does not exist. */
export async function lockRecord(context: WriteContext, id: number): Promise<StoredRecord | undefined> {
  const record = await readRecord(context, id);
  if (!record) return undefined;
  const waited = await context.tx.lock(() => [documentLock(FILE_UID, record.documentId)]);
  return waited ? readRecord(context, id) : record;
}

/** The content type of files. */
export function fileType({ catalog }: Pick<WriteContext, 'catalog'>): ContentType {
  return catalog.contentTypes.get(FILE_UID)!;
}

/** Columns of attributes; a project's extension of the type may lack some. */
function columnsOf(context: WriteContext, type: ContentType, values: Partial<FileValues>): Columns {
  const { columns: names } = layoutOfModel(context, type);
  const columns = new Map<string, SqlValue>();
  for (const [name, value] of Object.entries(values)) {
    const attribute = type.attributes.get(name);
    const column = names.get(name);
    if (!attribute || column === undefined || value === undefined) continue;
    const isJson = value !== null && (typeof value === 'object' || attribute.type === 'json');
    const stored = isJson ? JSON.stringify(value) : (value as string | number | null);
    columns.set(column, encode(context, attribute.type, stored));
  }
  return columns;
}

/** The value of `files.formats`, which some engines return as text; null for anything but an object. */
export function formatsOf(value: unknown): FileFormats | null {
  try {
    const formats: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof formats === 'object' && formats !== null ? (formats as FileFormats) : null;
  } catch {
    return null;
  }
}

/** The value of a JSON column such as `files.provider_metadata`, of which some engines return text without quotes. */
export function metadataOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
