/** A document made of another one, by code and by whoever makes a request. */
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

/**
 * Copies rows of a document, one for each locale, into a new document and gives its id. Links that only one document
 * may have stay with the original, and so do those that the other side keeps.
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
 * Holds the rows of a document to uniqueness, whatever wrote them.
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
