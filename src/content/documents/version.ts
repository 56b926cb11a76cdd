/**
 * Writing one version of a document: its row is inserted or updated, and published if the request says so. Also the
 * update of a single row by project code.
 */
import type { PermittedWrite, WrittenRow } from '../../access/permitted.ts';
import { forbidden } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import { programText } from '../../own-files.ts';
import type { Attribute, ContentType, ScalarAttribute } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { checkPublication, draftFrom, publishCreated, publishStored } from '../publication/publication.ts';
import { copySharedAttributes, inherit, mentionedNestedContent, siblingOf } from '../publication/shared-attributes.ts';
import { readWhole } from '../publication/whole-row.ts';
import type { ShownRows } from '../reading/shown-rows.ts';
import { lockNewLinks, reportDisallowed, Targets } from '../relations/targets.ts';
import { fieldsOf, recordChange, replacing } from '../rows/changes.ts';
import { type DocumentRow, type DocumentRows, inLocale, neededIds, rowOf, writeTime } from '../rows/document-rows.ts';
import { requireLocale } from '../rows/locks.ts';
import { layoutOfModel, type ReadContext, type Scope, type WriteContext } from '../rows/write-context.ts';
import type { Hashes } from '../validation/passwords.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { takenValues } from '../validation/unique.ts';
import { type ValidRow, validateRow } from '../validation/validate.ts';
import { noteSaves } from './administrator-saves.ts';
import { columnsOf, shownColumns, valuesOf, writeNestedContent } from './row-content.ts';
import type { Prepared, RowWrite, WriteRequest } from './write-request.ts';

/** A write of a version in its transaction, with everything that its steps share. */
export interface Work {
  readonly context: WriteContext;
  readonly request: WriteRequest;
  readonly permitted: PermittedWrite;
  readonly hashes: Hashes;
  readonly scope: Scope;
  readonly targets: Targets;
  /** Which rows the caller may see. */
  readonly shown: ShownRows;
  readonly patterns: PatternTime;
  readonly locale: string | null;
  /** Whether a draft is written and not published with it. */
  readonly isDraftEdit: boolean;
}

/**
 * Reads the documents that the body names, and draws ids for the rows to be inserted.
 *
 * @param isNew whether the document is new.
 */
export async function beginWrite(
  context: WriteContext,
  request: WriteRequest,
  { permitted, hashes, defaultLocale }: Prepared,
  shown: ShownRows,
  { isNew, patterns }: { readonly isNew: boolean; readonly patterns: PatternTime },
): Promise<Work> {
  const { type } = request;
  const locale = localeOf(request, defaultLocale);
  const scope: Scope = { state: type.draftAndPublish ? 'draft' : 'both', locale, defaultLocale };
  const versions = isNew && type.draftAndPublish && request.status === 'published' ? 2 : 1;
  const [targets] = await Promise.all([
    Targets.of(context, permitted.row, scope, shown),
    context.tables.draw(() => neededIds(context, permitted.row, { isNew, versions })),
  ]);
  const isDraftEdit = type.draftAndPublish && request.status === 'draft';
  return { context, request, permitted, hashes, scope, targets, shown, patterns, locale, isDraftEdit };
}

/** The locale of the written version; null on types without locales. */
export const localeOf = ({ type, locale }: WriteRequest, defaultLocale: string): string | null =>
  type.localized ? (locale ?? defaultLocale) : null;

/**
 * The rows that an update concerns: those of its version, which it writes. A new version copies shared attributes of
 * the others: the update concerns all of them and writes none.
 */
export function touchedRows(
  request: WriteRequest,
  { defaultLocale }: Prepared,
  { rows }: DocumentRows,
): Readonly<Record<'version' | 'written', readonly DocumentRow[]>> {
  const { type, status } = request;
  const locale = localeOf(request, defaultLocale);
  const own = rows.filter((each) => inLocale(each, type, locale));
  if (own.length === 0) return { version: rows, written: [] };
  const drafts = type.draftAndPublish;
  const publishes = drafts && status === 'published';
  const changed = publishes ? own : own.filter(({ published }) => published === !drafts);
  // a draft that is missing is created from the published row
  const version = changed.length > 0 ? changed : own;
  return { version, written: version };
}

/** Writes a version of a document: inserts or updates its row, and publishes it if the request says so. */
export async function writeVersion(work: Work, document: DocumentRows): Promise<void> {
  const { context, request, permitted, patterns, locale } = work;
  const { type, isUnchecked = false, isRestoring } = request;
  const { documentId } = document;
  const written = permitted.row;
  const row = document.rows.length === 0 ? undefined : await writtenRow(work, document);
  if (!row) await checkNewVersion(work, document);
  const shared = document.rows.length === 0 ? NO_NAMES : sharedNames(context, type, written);
  const inherited = row ? undefined : inheritedFrom(context, siblingOf(document, type), type, shared);
  const valid = await validateVersion(work, row, inherited);
  const publishes = type.draftAndPublish && request.status === 'published';
  const candidate = { type, documentId, locale, written, patterns, isRestoring };
  // a new document is checked before anything is stored: it consists of the written values
  const isWhole = row === undefined && !inherited;
  if (publishes && isWhole && !isUnchecked) await checkPublication(context, candidate, written);
  const now = writeTime(document);
  const { id, twin } = row
    ? { id: await updateRow(work, documentId, row, valid, now), twin: undefined }
    : await insertRow(work, documentId, valid, now, { inherited, hasTwin: publishes && isWhole });
  const others = await otherLocales(work, document, shared.size > 0);
  const saved = row || shared.size > 0 ? await shareWritten(work, { documentId, id }, others, now) : [];
  if (request.viewer.values.administratorId !== undefined) {
    const locales = [locale, ...saved.map((peer) => peer.locale)];
    await noteSaves(context, { uid: type.uid, documentId, locales, at: now, isNew: isWhole });
  }
  if (!publishes) return;
  const draft: DocumentRow = { id, locale, published: false, createdAt: now, updatedAt: now };
  const version = { type, documentId, draft, published: rowOf(document, type, locale, true) };
  const scope = { others, now, mentioned: new Set(written.relations.keys()) };
  if (twin !== undefined) await publishCreated(context, version, twin, scope);
  else await publishStored(context, candidate, version, scope);
}

/** The shared attributes that a new version takes from another version of its document. */
interface Inherited {
  readonly row: DocumentRow;
  readonly names: ReadonlySet<string>;
}

/** Everything shared that a body does not write itself. */
function inheritedFrom(
  { plans }: ReadContext,
  sibling: DocumentRow | undefined,
  { uid }: ContentType,
  written: ReadonlySet<string>,
): Inherited | undefined {
  if (!sibling) return undefined;
  const names = [...plans.index.sharedAttributes(uid)].filter((name) => !written.has(name));
  return { row: sibling, names: new Set(names) };
}

/**
 * Validates the written row, and everything that it links.
 *
 * @param row the stored row; undefined for a new version.
 */
async function validateVersion(
  { context, request, permitted, targets, patterns }: Work,
  row: DocumentRow | undefined,
  inherited: Inherited | undefined,
): Promise<ValidRow> {
  const { type, isUnchecked = false, isRestoring = false } = request;
  const failures = new Failures();
  await context.pace.breathe();
  targets.reportMissing(permitted.row, failures);
  await context.pace.breathe();
  reportDisallowed(permitted.row, targets, failures);
  await context.pace.breathe();
  // values inherited from other locales are not validated again
  const failuresOf = ({ name }: Attribute) => (inherited?.names.has(name) ? new Failures() : failures);
  const before = await rowBefore(context, type, row, inherited);
  const rules = {
    strict: !type.draftAndPublish && !isUnchecked,
    creating: row === undefined,
    // a deleted draft returns as it was
    permitsAbsentLists: isUnchecked || isRestoring,
    patterns,
  };
  const valid = validateRow(permitted.row, rules, failuresOf, undefined, before);
  failures.throwAny();
  await context.pace.breathe();
  return valid;
}

/** The rows of other locales that a write may change: in the state of the written row, and published ones if it publishes. */
async function otherLocales(
  { request: { type, status }, shown, locale }: Work,
  { rows }: DocumentRows,
  isShared: boolean,
): Promise<readonly DocumentRow[]> {
  const drafts = type.draftAndPublish;
  const publishes = drafts && status === 'published';
  const others = rows.filter((other) => other.locale !== locale && (publishes || other.published === !drafts));
  // locales that differed before stay different, if this write names nothing shared and its writer may not change them
  return isShared || others.length === 0 ? others : shown.writable(type, others);
}

/** Copies shared attributes to the rows of other locales in the same state. Returns the rows with a new `updatedAt`. */
async function shareWritten(
  { context, request: { type, status }, permitted }: Work,
  { documentId, id }: { readonly documentId: string; readonly id: number },
  others: readonly DocumentRow[],
  now: number,
): Promise<readonly DocumentRow[]> {
  const drafts = type.draftAndPublish;
  const peers = others.filter((other) => other.published === !drafts);
  const mentioned = mentionedNestedContent(permitted.row);
  // only a draft write moves the time of drafts in other locales (docs/differences.md, "Locales")
  const movedTo = drafts && status === 'draft' ? now : undefined;
  await copySharedAttributes(context, { type, documentId }, { id }, peers, mentioned, movedTo);
  return movedTo === undefined ? [] : peers.filter((peer) => context.effects.hasShared(peer.id));
}

/**
 * The stored values that conditions of a type can depend on: the updated row, or the values that a new version takes
 * from its sibling. Undefined if there is neither, or if the type has no conditions.
 */
async function rowBefore(
  context: WriteContext,
  type: ContentType,
  row: DocumentRow | undefined,
  inherited: Inherited | undefined,
): Promise<WrittenRow | undefined> {
  const source = row ?? inherited?.row;
  if (!source || !context.plans.index.hasConditions(type.uid)) return undefined;
  const whole = await readWhole(context, type, source.id);
  if (row || !whole) return whole;
  const shared = <V>(values: ReadonlyMap<string, V>) =>
    new Map([...values].filter(([name]) => inherited?.names.has(name)));
  const { model, scalars, media, components } = whole;
  return {
    model,
    scalars: shared(scalars),
    relations: new Map(),
    media: shared(media),
    components: shared(components),
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * The row that a write changes; undefined when the version is new. A published row without a draft, as another
 * program may leave one, gets its draft first.
 */
async function writtenRow({ context, request: { type }, locale }: Work, document: DocumentRows) {
  const draft = document.rows.find((row) => inLocale(row, type, locale) && !(type.draftAndPublish && row.published));
  if (draft) return draft;
  const published = rowOf(document, type, locale, true);
  return published && draftFrom(context, type, document.documentId, published);
}

/** The shared attributes that a body writes. */
function sharedNames(
  { plans }: Pick<ReadContext, 'plans'>,
  { uid }: WriteRequest['type'],
  { scalars, media, components }: WrittenRow,
): ReadonlySet<string> {
  const shared = plans.index.sharedAttributes(uid);
  const written = [...scalars.keys(), ...media.keys(), ...components.keys()];
  return new Set(written.filter((name) => shared.has(name)));
}

/**
 * A further locale version needs a right of its own, and takes localized attributes only, unless it may share. The right
 * is needed for the first version of a single type as well, in any locale but the default one (docs/differences.md).
 */
async function checkNewVersion(
  { context, request, permitted: { row }, scope, locale }: Work,
  document: DocumentRows,
): Promise<void> {
  const { type, mayLocalize, mayShare = false } = request;
  if (request.locale !== undefined && locale !== null) await requireLocale(context, locale);
  const isFurther = document.rows.length > 0;
  const isElsewhere = type.kind === 'singleType' && locale !== null && locale !== scope.defaultLocale;
  if ((isFurther || isElsewhere) && !mayLocalize) {
    const action = `${type.uid}.createLocalization`;
    throw forbidden(undefined, {
      hint: `a version in another locale needs the action ${action}`,
      advice: `A version in another locale was refused: its writer does not have ${action}. ${programText()} role grant ROLE --action ${action} permits it`,
    });
  }
  if (isFurther && !mayShare) refuseShared(sharedNames(context, type, row), locale);
}

/** @throws ContentError 400 for attributes that a further version brings although all locales share them. */
export function refuseShared(names: ReadonlySet<string>, locale: string | null): void {
  const failures = new Failures();
  for (const name of names) {
    failures.add(at(name), `${name} is shared by all locales: it cannot be set with the new version ${locale}`);
  }
  failures.throwAny();
}

/** The origin of a new row. */
interface RowOrigin {
  readonly inherited: Inherited | undefined;
  /** Whether its published row is inserted as well. */
  readonly hasTwin: boolean;
}

/** Inserts a row with everything in it. Returns its id and that of its published row. */
async function insertRow(
  work: Work,
  documentId: string,
  valid: ValidRow,
  now: number,
  { inherited, hasTwin }: RowOrigin,
): Promise<{ readonly id: number; readonly twin: number | undefined }> {
  const { context, request, hashes, scope, targets, locale, isDraftEdit } = work;
  const { type } = request;
  const { created, authored, unique } = context.plans.of(type.uid);
  if (!type.draftAndPublish && unique.length > 0 && !request.isUnchecked) {
    await refuseTaken(work, documentId, columnsOf(context, valid, hashes), valid);
  }
  await lockNewLinks(context, valid.written, targets, hasTwin);
  const time = context.tables.dialect.encodeTime(now);
  const { administratorId: author } = request.viewer.values;
  const authors = author === undefined ? [] : [author, author];
  const values = valuesOf(context, valid, hashes);
  const rowOf = (published: SqlValue) => [documentId, ...values, time, time, published, locale, ...authors];
  const rows = hasTwin ? [rowOf(null), rowOf(time)] : [rowOf(type.draftAndPublish ? null : time)];
  const ids = await context.tables.insertRows(author === undefined ? created : authored, rows);
  const [id, twin] = ids as [number, number?];
  recordChange(
    context,
    { type, documentId, locale, published: false },
    'created',
    undefined,
    id,
    fieldsOf(valid.written),
  );
  const owner = { model: type, rowId: id, twin, scope, isNew: true, isDraftEdit, row: valid };
  await writeNestedContent(context, type, [owner], targets, hashes);
  if (inherited && locale !== null) await inherit(context, type, { ...inherited, to: id, locale });
  return { id, twin };
}

async function updateRow(
  work: Work,
  documentId: string,
  row: DocumentRow,
  valid: ValidRow,
  now: number,
): Promise<number> {
  const { context, request, hashes, scope, targets, isDraftEdit } = work;
  const { type } = request;
  const columns = columnsOf(context, valid, hashes);
  if (!type.draftAndPublish) await refuseTaken(work, documentId, columns, valid);
  const kind = request.isRestoring ? 'restored' : request.isImporting ? 'imported' : 'updated';
  await replacing(context, { type, documentId, ...row }, kind, row.id, { before: row.updatedAt, after: now });
  const time = context.tables.dialect.encodeTime(now);
  // it is set by the first publication, or when a document is created that was published elsewhere
  const { firstPublished } = context.plans.of(type.uid);
  if (firstPublished !== undefined) columns.delete(firstPublished);
  columns.set('updated_at', time);
  // without drafts `publishedAt` is the time of the last write, as in Strapi
  if (!type.draftAndPublish) columns.set('published_at', time);
  // a write by anyone but an administrator leaves `updated_by_id`
  const { administratorId } = request.viewer.values;
  if (administratorId !== undefined) columns.set('updated_by_id', administratorId);
  await context.tables.update(layoutOfModel(context, type).table, columns, { id: row.id });
  recordChange(context, { type, documentId, ...row }, 'updated', row.id, row.id, fieldsOf(valid.written));
  const owner = { model: type, rowId: row.id, scope, isNew: false, isDraftEdit, row: valid };
  await writeNestedContent(context, request.type, [owner], targets, hashes);
  return row.id;
}

/** @throws ContentError 400 for values of other documents that this write contains or makes visible. */
async function refuseTaken(
  { context, request: { type }, locale }: Work,
  documentId: string,
  columns: ReadonlyMap<string, SqlValue>,
  valid: ValidRow,
) {
  const failures = new Failures();
  const failuresOf = (attribute: Attribute) =>
    valid.shown.has(attribute as ScalarAttribute) ? failures.withoutValues() : failures;
  const all = new Map<string, unknown>([...columns, ...shownColumns(context, valid)]);
  await takenValues(context, type, documentId, locale, all, failuresOf, valid.hidden);
  failures.throwAny();
}

/**
 * Changes a row.
 *
 * @throws ContentError 400 for values and links that are wrong.
 */
export async function writeStoredRow(
  context: WriteContext,
  { type, mayShare = false }: RowWrite,
  { permitted, hashes, defaultLocale }: Prepared,
  { document, row, shown }: { readonly document: DocumentRows; readonly row: DocumentRow; readonly shown: ShownRows },
): Promise<void> {
  const drafts = type.draftAndPublish;
  const { id, locale, published } = row;
  const scope: Scope = { state: drafts ? (published ? 'published' : 'draft') : 'both', locale, defaultLocale };
  const targets = await Targets.of(context, permitted.row, scope, shown);
  await context.tables.draw(() => neededIds(context, permitted.row, { isNew: false, versions: 1 }));
  const failures = new Failures();
  targets.reportMissing(permitted.row, failures);
  reportDisallowed(permitted.row, targets, failures);
  // like the reference: no other rules apply to a row that code names, not even uniqueness
  const rules = { strict: false, creating: false, patterns: new PatternTime() };
  const before = context.plans.index.hasConditions(type.uid) ? await readWhole(context, type, id) : undefined;
  const valid = validateRow(permitted.row, rules, () => failures, undefined, before);
  failures.throwAny();
  const columns = columnsOf(context, valid, hashes);
  const time = context.tables.dialect.encodeTime(timeOf(type, document, row));
  columns.set('updated_at', time);
  if (!drafts) columns.set('published_at', time);
  await replacing(context, { type, documentId: document.documentId, locale, published }, 'updated', id);
  await context.tables.update(layoutOfModel(context, type).table, columns, { id });
  recordChange(
    context,
    { type, documentId: document.documentId, locale, published },
    'updated',
    id,
    id,
    fieldsOf(valid.written),
  );
  await writeNestedContent(
    context,
    type,
    [{ model: type, rowId: id, scope, isNew: false, row: valid }],
    targets,
    hashes,
  );
  if (!mayShare) return;
  const peers = document.rows.filter((other) => other.locale !== locale && other.published === published);
  const nested = mentionedNestedContent(permitted.row);
  await copySharedAttributes(context, { type, documentId: document.documentId }, { id }, peers, nested, undefined);
}

/** The `updatedAt` of the row. A draft with unpublished changes has to stay newer than its published row. */
function timeOf(type: ContentType, document: DocumentRows, row: DocumentRow): number {
  const draft = document.rows.find((other) => !other.published && inLocale(other, type, row.locale));
  const isNewer = draft !== undefined && draft !== row && draft.updatedAt > row.updatedAt;
  return type.draftAndPublish && isNewer ? row.updatedAt : writeTime(document);
}
