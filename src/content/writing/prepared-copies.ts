/** Code of the project that looks at rows which are about to be copied. */
import type { Reader } from '../reading/reader.ts';
import { clonedValues } from './cloned-values.ts';
import type { DocumentRow } from './documents.ts';
import type { Prepared, WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

interface Copying {
  readonly reader: Reader;
  readonly writer: Writer;
}

/**
 * Has code look at copies before they are made: what it changes is written to them.
 *
 * @param rows those that are copied, of a document.
 * @returns what is to be written, by the locale of the row; nothing where no code looks at writes of the type.
 * @throws ContentError as `Writer.prepare`.
 */
export async function prepareCopies(
  { reader, writer }: Copying,
  write: WriteRequest & { readonly longest: number },
  documentId: string,
  rows: readonly DocumentRow[],
): Promise<ReadonlyMap<string | null, Prepared>> {
  const prepared = new Map<string | null, Prepared>();
  const { type, longest } = write;
  const view = writer.watching(type);
  if (!view) return prepared;
  const source = { type, viewer: { view, values: {} }, documentId };
  for (const row of rows) {
    const copied = await clonedValues(reader, source, row, longest);
    prepared.set(row.locale, await writer.prepare({ ...write, locale: row.locale ?? undefined, copied }));
  }
  return prepared;
}
