/** Copies of documents, for code and for callers of the API. */
import type { Database } from '../../db/interface/database.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, forbidden, notFound } from '../../errors.ts';
import { Failures } from '../../failures.ts';
import { isExclusive } from '../../plan/link-place.ts';
import type { LocaleChoice } from '../../query/content-query.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { storeCopy } from '../publication/difference.ts';
import { readOriginal } from '../publication/original.ts';
import { readWhole } from '../publication/whole-row.ts';
import type { Reader } from '../reading/reader.ts';
import { recordChange } from '../rows/changes.ts';
import { createDocumentId, type DocumentRow, type DocumentRows, readRows, writeTime } from '../rows/document-rows.ts';
import { documentLock } from '../rows/locks.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { hiddenOf } from '../validation/shown.ts';
import { takenValues } from '../validation/unique.ts';
import { clonedValues } from './cloned-values.ts';
import type { Prepared, WriteRequest } from './write-request.ts';
import type { Writer } from './writer.ts';

export interface CloningContext {
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
}

export interface CloneRequest {
  /** Its data replaces the copied data, in every version. */
  readonly write: WriteRequest & { readonly longest: number };
  readonly documentId: string;
  readonly choice: LocaleChoice;
}

/** Further work in the transaction, with the new copy. */
type After<T> = (tx: Transaction, copy: DocumentRows) => Promise<T>;

/**
 * Copies versions of a document row by row, with everything in them: for code.
 *
 * @throws ContentError 404 if there are none, 400 for wrong data and for a unique value that two documents would have,
 * 412 for a document that other sessions keep changing.
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
    return { result: await after(tx, copies) };
  });
}

/**
 * Creates a document from the part of another one that a viewer is shown and may write. Every rule of creating a
 * document applies, and hidden values are not copied.
 *
 * @throws ContentError as a write does; 404 if no version is shown, 403 for several versions without the rights to
 * create them.
 */
export async function cloneShown<T>(context: CloningContext, request: CloneRequest, after: After<T>): Promise<T> {
  const { database, reader, writer } = context;
  const { write, documentId, choice } = request;
  const { type, viewer, data, longest } = write;
  const reading = writer.reading(database);
  const all = sourcesOf(await readRows(reading, type, documentId), write, choice);
  const hidden = await reader.shown(database, viewer).hidden(type, all);
  const rows = all.filter(({ id }) => !hidden.has(id));
  if (rows.length > 1 && !(write.mayLocalize && viewer.view.may(`${type.uid}.update`))) throw forbidden();
  const copy = createDocumentId();
  const shared = reading.plans.index.sharedAttributes(type.uid);
  const writes = [];
  for (const [index, row] of rows.entries()) {
    const values = await clonedValues(reader, { type, viewer, documentId }, row, longest);
    // another session has removed it in the meantime
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

/** The rows to copy: drafts, on types that have them. */
function sourcesOf({ rows }: DocumentRows, { type }: WriteRequest, choice: LocaleChoice): DocumentRow[] {
  const isMeant = ({ locale }: DocumentRow) => choice.kind !== 'some' || choice.codes.includes(locale ?? '');
  return rows.filter((row) => isMeant(row) && row.published !== type.draftAndPublish);
}

/**
 * Copies rows of a document, one for each locale, into a new document. Exclusive links stay with the original, and so
 * do links that the other side stores. Returns the id of the new document.
 */
export async function cloneRows(
  context: WriteContext,
  type: ContentType,
  rows: readonly DocumentRow[],
  now: number,
): Promise<string> {
  const documentId = createDocumentId();
  const { cloned } = context.plans.of(type.uid);
  const attributes = [...type.attributes.values()].filter(
    (attribute) => attribute.type !== 'relation' || (attribute.owner && !isExclusive(attribute)),
  );
  const names = new Set(attributes.map(({ name }) => name));
  const time = context.tables.dialect.encodeTime(now);
  for (const row of rows) {
    const own = new Map([
      ['document_id', documentId],
      ['created_at', time],
      ['updated_at', time],
      ['published_at', type.draftAndPublish ? null : time],
    ]);
    const id = await context.tables.copy(row.id, cloned, own);
    const mapping = { state: 'same', locale: undefined } as const;
    const pair = { from: row.id, to: undefined };
    await storeCopy(context, await readOriginal(context, { model: type, pair, mapping, only: names }), id);
    recordChange(context, { type, documentId, locale: row.locale, published: false }, 'created', undefined, id);
  }
  return documentId;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Checks unique values of the rows of a document, whatever wrote them.
 *
 * @throws ContentError 400 for a value that another document has.
 */
export async function requireUnique(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  rows: readonly DocumentRow[],
): Promise<void> {
  const { index } = context.plans;
  const { contentQuery, content } = context.plans.of(type.uid);
  for (const { id, locale } of rows) {
    const [row] = await context.tables.find(contentQuery, [id]);
    const values = new Map(content.names.map((name, index) => [name, row![index + 1]]));
    const failures = new Failures().withoutValues();
    const whole = index.hasConditions(type.uid) ? await readWhole(context, type, id) : undefined;
    const hidden = whole ? hiddenOf(whole) : NO_NAMES;
    await takenValues(context, type, documentId, locale, values, failures, hidden);
    failures.throwAny();
  }
}

interface Copying {
  readonly reader: Reader;
  readonly writer: Writer;
}

/**
 * Shows copies to project code before they are written: its changes are written to them.
 *
 * @param rows the rows of a document that are copied.
 * @returns the writes for the copies, by the locale of the row; none if no code listens to writes of the type.
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

/** Whether the rows are unchanged since project code saw them; true if no code listens to writes of the type. */
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

/** Attempts to copy a document that another session changes while project code looks at it. */
const ATTEMPTS = 3;

/**
 * Copies rows that project code has seen.
 *
 * @param attempt shows the rows to the code and copies them; undefined if they have changed in the meantime.
 * @throws ContentError 412 for a document that keeps changing.
 */
export async function copyAsSeen<T>(attempt: () => Promise<{ readonly result: T } | undefined>): Promise<T> {
  for (let attempts = ATTEMPTS; attempts > 0; attempts--) {
    const copied = await attempt();
    if (copied) return copied.result;
  }
  throw new ContentError('PreconditionFailedError', 'The document was changed while it was being copied');
}
