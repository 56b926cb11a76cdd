/** Code of the project that looks at rows which are about to be copied. */
import { ContentError } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Reader } from '../reading/reader.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import { clonedValues } from './cloned-values.ts';
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
    const copied = await clonedValues(reader, source, row, longest, true);
    prepared.set(row.locale, await writer.prepare({ ...write, locale: row.locale ?? undefined, copied }));
  }
  return prepared;
}

/** Whether nobody has changed rows since code looked at them; true where no code looks at writes of the type. */
export function areAsSeen(
  { writer }: Copying,
  type: ContentType,
  seen: readonly DocumentRow[],
  rows: readonly DocumentRow[],
): boolean {
  if (!writer.watching(type)) return true;
  const versions = (some: readonly DocumentRow[]) => some.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
  return versions(seen) === versions(rows);
}

/** How often a document is copied anew because somebody has changed it while code looked at it. */
const ATTEMPTS = 3;

/**
 * Copies what code has looked at.
 *
 * @param attempt has code look, and copies; undefined where it finds other rows by then.
 * @throws ContentError 412 for a document that does not stay as it is.
 */
export async function copyAsSeen<T>(attempt: () => Promise<{ readonly made: T } | undefined>): Promise<T> {
  for (let left = ATTEMPTS; left > 0; left--) {
    const copied = await attempt();
    if (copied) return copied.made;
  }
  throw new ContentError('PreconditionFailedError', 'The document was changed while it was being copied');
}
