/** A document made of another one, by code and by whoever makes a request. */
import type { Database } from '../../db/interface/database.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { LocaleChoice } from '../../query/content-query.ts';
import type { Reader } from '../reading/reader.ts';
import { createDocumentId } from '../rows/document-id.ts';
import { type DocumentRow, type DocumentRows, readRows, writeTime } from '../rows/document-rows.ts';
import { documentLock } from '../rows/locks.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { cloneRows, requireUnique } from './clone.ts';
import { clonedValues } from './cloned-values.ts';
import { areAsSeen, copyAsSeen, prepareCopies } from './prepared-copies.ts';
import type { WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

export interface CloningContext {
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
}

export interface CloneRequest {
  /** Its data is written over what is copied, in every version. */
  readonly write: WriteRequest & { readonly longest: number };
  readonly documentId: string;
  readonly choice: LocaleChoice;
}

/** What else the transaction does, with the copy that it has made. */
type After<T> = (tx: Transaction, copy: DocumentRows) => Promise<T>;

/**
 * Copies the versions of a document that are named, row by row, whatever is in them: for code.
 *
 * @throws ContentError 404 where there are none, 400 for data that is wrong and for a unique value that two would have,
 * 412 for a document that others change all the while.
 */
export function cloneWhole<T>(context: CloningContext, request: CloneRequest, after: After<T>): Promise<T> {
  return copyAsSeen(() => cloneSeen(context, request, after));
}

async function cloneSeen<T>(context: CloningContext, request: CloneRequest, after: After<T>) {
  const { database, writer } = context;
  const { write, documentId, choice } = request;
  const { type } = write;
  const before = sourcesOf(await readRows(writer.reading(database), type, documentId), write, choice);
  const prepared = await prepareCopies(context, write, documentId, before);
  const isPlain = prepared.size === 0 && Object.keys(write.data).length > 0;
  const plain = isPlain ? await writer.prepare(write) : undefined;
  return database.transaction(async (tx) => {
    const locked = writer.context(tx);
    await tx.lock(() => [documentLock(type.uid, documentId)]);
    const document = await readRows(locked, type, documentId);
    const rows = sourcesOf(document, write, choice);
    if (!areAsSeen(context, type, before, rows)) return undefined;
    if (rows.length === 0) throw notFound();
    const copy = await cloneRows(locked, type, rows, writeTime(document));
    const step = { patterns: new PatternTime() };
    for (const { locale } of rows) {
      const own = prepared.get(locale) ?? plain;
      if (own) await writer.updateIn(tx, { ...write, locale: locale ?? undefined }, copy, own, step);
    }
    const copies = await readRows(locked, type, copy);
    if (!type.draftAndPublish) await requireUnique(locked, type, copy, copies.rows);
    return { made: await after(tx, copies) };
  });
}

/**
 * Makes a document of what a viewer is shown of another one and may write: every rule that holds for creating one holds
 * for it, and what is hidden is not copied.
 *
 * @throws ContentError as a write does; 404 where no version is shown, 403 for several versions without the rights to make
 * them.
 */
export async function cloneShown<T>(context: CloningContext, request: CloneRequest, after: After<T>): Promise<T> {
  const { database, reader, writer } = context;
  const { write, documentId, choice } = request;
  const { type, viewer, data, longest } = write;
  const asked = writer.reading(database);
  const all = sourcesOf(await readRows(asked, type, documentId), write, choice);
  const hidden = await reader.shown(database, viewer).hidden(type, all);
  const rows = all.filter(({ id }) => !hidden.has(id));
  if (rows.length > 1 && !(write.mayLocalize && viewer.view.may(`${type.uid}.update`))) throw forbidden();
  const copy = createDocumentId();
  const shared = asked.plans.index.sharedAttributes(type.uid);
  const writes = [];
  for (const [index, row] of rows.entries()) {
    const values = await clonedValues(reader, { type, viewer, documentId }, row, longest);
    // somebody has taken it away just now
    if (!values) throw notFound();
    const own = Object.entries({ ...values, ...data }).filter(([name]) => index === 0 || !shared.has(name));
    const one = { ...write, documentId: copy, locale: row.locale ?? undefined, data: Object.fromEntries(own) };
    writes.push({ one, prepared: await writer.prepare(one) });
  }
  const [first, ...others] = writes;
  if (!first) throw notFound();
  return database.transaction(async (tx) => {
    const step = { patterns: new PatternTime() };
    await writer.createIn(tx, first.one, first.prepared, step);
    for (const { one, prepared } of others) await writer.updateIn(tx, one, copy, prepared, step);
    return after(tx, await readRows(writer.context(tx), type, copy));
  });
}

/** The rows that are copied: drafts, where there are such. */
function sourcesOf({ rows }: DocumentRows, { type }: WriteRequest, choice: LocaleChoice): DocumentRow[] {
  const isMeant = ({ locale }: DocumentRow) => choice.kind !== 'some' || choice.codes.includes(locale ?? '');
  return rows.filter((row) => isMeant(row) && row.published !== type.draftAndPublish);
}
