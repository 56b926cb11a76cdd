/** Writes the rows of a file as documents, in transactions of some rows each (docs/reference/rows.md, "Imports"). */
import type { Operation } from '../access/administrators/administrator-rights.ts';
import type { Viewer } from '../access/view.ts';
import type { EditingServices } from '../content/administration/document-states.ts';
import type { TogetherServices } from '../content/documents/transitions.ts';
import type { LocaleStore } from '../content/locales/locale-store.ts';
import type { DocumentRow } from '../content/rows/document-rows.ts';
import { documentLock } from '../content/rows/locks.ts';
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, forbidden, validation } from '../errors.ts';
import { because } from '../failures.ts';
import { isObject } from '../plain-values.ts';
import type { LocaleChoice } from '../query/content-query.ts';
import type { ContentType } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { compileRowsOfDocuments } from '../sql/history.ts';
import { type Found, FoundDocuments } from './found-documents.ts';
import {
  addFailed,
  addWritten,
  countRows,
  type FailedRow,
  MOST_FAILURES,
  Stopped,
  type StoredImport,
  type WrittenRow,
} from './imports.ts';
import type { ImportOptions, Targets } from './mapping.ts';
import { type FileForm, type FileRow, type RowsFile, rowsOf } from './reading.ts';
import { problemOf, problemsOf, RowValues, type ValuedRow } from './row-values.ts';

/** The services of a project for imports. */
export interface ImportContext {
  readonly database: Database;
  readonly layout: Layout;
  readonly locales: LocaleStore;
  /** With the code of the project around writes. */
  readonly editing: EditingServices;
  /** Writes without code of the project, for trials. */
  readonly plain: Pick<EditingServices, 'together'>;
  /** Whether code of the project runs whenever a document of a type is written. */
  readonly isAroundWrites: (type: ContentType) => boolean;
  /** Shows everything, to write versions back as a whole. */
  readonly whole: Viewer;
}

/** Whether the server ends, or another process has taken the work for interrupted. */
export type IsOver = () => Promise<boolean>;

/** The person who imports, as a viewer for each operation. */
export type Importer = (operation: Operation) => Viewer;

/** An import that is ready to be run. */
export interface PreparedImport {
  readonly type: ContentType;
  readonly importer: Importer;
  readonly file: RowsFile;
  readonly form: FileForm;
  readonly options: ImportOptions;
  readonly targets: Targets;
  /** The locale of rows that name none; undefined on types without locales. */
  readonly locale: string | undefined;
}

/** Rows of one transaction; of one with code of the project around it a single row, whose code runs once. */
const TOGETHER = 25;

/** A row that its write has refused. */
class RefusedRow extends Error {
  readonly row: ValuedRow;
  readonly refusal: ContentError;

  constructor(row: ValuedRow, refusal: ContentError) {
    super('refused', { cause: refusal });
    this.row = row;
    this.refusal = refusal;
  }
}

/** Ends the transaction of a trial. */
class TriedOut extends Error {
  readonly written: readonly WrittenRow[];

  constructor(written: readonly WrittenRow[]) {
    super('tried out');
    this.written = written;
  }
}

/** @throws ContentError 403 without the rights that every row needs. */
export function requireRights({ type, importer, options }: Omit<PreparedImport, 'file' | 'form' | 'targets'>): void {
  const may = (operation: 'create' | 'update' | 'publish'): boolean =>
    importer(operation).view.may(`${type.uid}.${operation}`);
  if (!may('create') && (options.key === null || !may('update'))) throw forbidden();
  if (options.isPublished && type.draftAndPublish && !may('publish')) throw forbidden();
}

/** Runs an import until its file ends. */
export class RunningImport {
  readonly #context: ImportContext;
  readonly #import: PreparedImport;
  readonly #stored: StoredImport;
  readonly #isOver: IsOver;
  readonly #keys: FoundDocuments | undefined;
  /** The rows with each key, in its locale. */
  readonly #seen = new Map<string, number>();
  #failures = 0;

  constructor(context: ImportContext, prepared: PreparedImport, stored: StoredImport, isOver: IsOver) {
    this.#context = context;
    this.#import = prepared;
    this.#stored = stored;
    this.#isOver = isOver;
    const { type, importer, options } = prepared;
    if (options.key !== null) {
      this.#keys = new FoundDocuments(context.editing.reader, importer('read'), type, options.key);
    }
  }

  /** @throws Stopped once the import was stopped, or the server ends. */
  async run(): Promise<void> {
    const { type, targets, options, locale, form, file, importer } = this.#import;
    const { editing, locales, isAroundWrites } = this.#context;
    const own = { reader: editing.reader, hasLocale: (code: string) => locales.has(code) };
    const isTyped = form.format !== 'csv';
    const values = new RowValues(own, { type, targets, options, locale, isTyped }, importer('read'));
    const together = !options.isTrial && isAroundWrites(type) ? 1 : TOGETHER;
    for await (const rows of inBatches(rowsOf(file, form), together)) {
      if (await this.#isOver()) throw new Stopped('the import is over');
      await this.#batch(rows, await values.of(rows));
    }
  }

  async #batch(rows: readonly FileRow[], valued: readonly ValuedRow[]): Promise<void> {
    const failed: FailedRow[] = [];
    const good: ValuedRow[] = [];
    for (const row of valued.map((one) => this.#withoutRepeatedKey(one))) {
      if (row.problems.length > 0) failed.push({ row: row.row, problems: row.problems });
      else good.push(row);
    }
    const cells = new Map(rows.map((row) => [row.row, row.cells]));
    try {
      if (good.length > 0) await this.#write(good);
    } catch (error) {
      if (!(error instanceof RefusedRow)) throw error;
      // the transaction wrote nothing: the rows are written on their own, so that only the refused ones are missing
      for (const row of good) {
        try {
          await this.#write([row]);
        } catch (one) {
          if (!(one instanceof RefusedRow)) throw one;
          const problems = problemsOf(one.refusal, this.#import.targets, cells.get(row.row) ?? []);
          failed.push({ row: row.row, problems });
        }
      }
    }
    if (failed.length === 0) return;
    failed.sort((one, other) => one.row - other.row);
    const stored = failed.slice(0, Math.max(0, MOST_FAILURES - this.#failures));
    this.#failures += failed.length;
    await this.#context.database.transaction(async (tx) => {
      await addFailed(tx, this.#stored.id, stored);
      await countRows(tx, this.#stored.id, 'running', { done: failed.length, failed: failed.length });
    });
  }

  #withoutRepeatedKey(row: ValuedRow): ValuedRow {
    if (row.key === undefined) return row;
    const name = `${row.locale ?? ''} ${row.key}`;
    const first = this.#seen.get(name);
    if (first === undefined) {
      this.#seen.set(name, row.row);
      return row;
    }
    const { options, targets } = this.#import;
    const column = targets.findIndex((target) => target?.name === options.key);
    const problem = problemOf(column, because(`Row ${first} has the same value`, 'keyRepeated', { row: first }));
    return { ...row, problems: [...row.problems, problem] };
  }

  /** Writes rows in one transaction. @throws RefusedRow if one of them is refused: nothing is written then. */
  async #write(rows: readonly ValuedRow[]): Promise<void> {
    const { type, options } = this.#import;
    const { plain, editing, database } = this.#context;
    const found = await this.#documentsOf(rows);
    const services = options.isTrial ? plain : editing;
    try {
      await services.together(async (tx, writing) => {
        const ids = [...new Set(found.values())];
        await tx.lock(() => ids.map((documentId) => documentLock(type.uid, documentId)));
        const before = await this.#versions(tx, ids);
        const written: WrittenRow[] = [];
        for (const row of rows) {
          try {
            written.push(await this.#writeRow(writing, row, found.get(row), before));
          } catch (error) {
            if (!(error instanceof ContentError) || error.status >= 500) throw error;
            throw new RefusedRow(row, error);
          }
        }
        if (options.isTrial) throw new TriedOut(written);
        await this.#note(tx, written);
      });
    } catch (error) {
      if (!(error instanceof TriedOut)) throw error;
      await database.transaction((tx) => this.#count(tx, error.written));
    }
  }

  /** The documents that rows update. @throws RefusedRow for a key of several documents, and for a refused one. */
  async #documentsOf(rows: readonly ValuedRow[]): Promise<ReadonlyMap<ValuedRow, string>> {
    const { type, options } = this.#import;
    const documents = new Map<ValuedRow, string>();
    if (!this.#keys || options.key === null) return documents;
    const isLocalized = type.localized && (type.attributes.get(options.key)?.localized ?? false);
    for (const [locale, same] of Map.groupBy(rows, (row) => (isLocalized ? row.locale : undefined))) {
      const keys = same.flatMap(({ key }) => key ?? []);
      // rows of the file may create documents that later ones find
      const found: ReadonlyMap<string, Found> = await this.#keys.of(keys, locale, false);
      for (const row of same) {
        const ids = row.key === undefined ? [] : (found.get(row.key) ?? []);
        const path = options.key;
        if (ids instanceof ContentError) throw new RefusedRow(row, validation(ids.message, { path }));
        if (ids.length > 1) throw new RefusedRow(row, severalDocuments(path));
        if (ids.length === 1) documents.set(row, ids[0]!);
      }
    }
    return documents;
  }

  async #writeRow(
    { steps, move }: TogetherServices,
    row: ValuedRow,
    known: string | undefined,
    before: ReadonlyMap<string, readonly DocumentRow[]>,
  ): Promise<WrittenRow> {
    const { type, importer, options } = this.#import;
    const { uid } = type;
    const locale = type.localized ? (row.locale ?? null) : null;
    const viewerFor = (operation: 'create' | 'update' | 'publish'): Viewer => {
      const viewer = importer(operation);
      if (!viewer.view.may(`${uid}.${operation}`)) throw forbidden();
      return viewer;
    };
    const own = (known === undefined ? [] : (before.get(known) ?? [])).filter(
      (one) => !type.localized || one.locale === locale,
    );
    const isThere = own.length > 0;
    const viewer = viewerFor(isThere ? 'update' : 'create');
    const request = {
      ...{ type, viewer, status: 'draft' as const, locale: locale ?? undefined, shape: { fields: ['documentId'] } },
      data: isThere ? row.data : { ...emptyLists(type, viewer, known === undefined), ...withoutEmpty(row.data) },
      mayLocalize: viewer.view.may(`${uid}.createLocalization`),
      isImporting: true,
    };
    let documentId = known;
    if (documentId === undefined) {
      const chosen = options.key === 'documentId' ? row.key : undefined;
      if (chosen !== undefined && !/^[a-z0-9]{24,25}$/.test(chosen)) {
        throw validation('documentId must be 24 or 25 lower-case letters and digits', { path: 'documentId' });
      }
      const named = chosen === undefined ? {} : { documentId: chosen, precondition: 'none' as const };
      ({ documentId } = JSON.parse((await steps.create({ ...request, ...named })).data) as { documentId: string });
    } else await steps.update(request, documentId);
    const publishes = options.isPublished && type.draftAndPublish;
    if (publishes) {
      const locales: LocaleChoice = locale === null ? { kind: 'default' } : { kind: 'some', codes: [locale] };
      const shape = { fields: ['documentId'] };
      await move({ name: 'publish', type, viewer: viewerFor('publish'), documentId, locales, shape });
    }
    return {
      ...{ row: row.row, documentId, locale, version: 0, versionBefore: timeOf(own, null) },
      kind: isThere ? 'updated' : known === undefined ? 'created' : 'localized',
      draft: type.draftAndPublish && own.some(({ published }) => !published),
      published: (publishes || !type.draftAndPublish) && own.some(({ published }) => published),
    };
  }

  /** Notes written rows with the times of their versions, by which undoing recognizes later changes. */
  async #note(tx: Transaction, written: readonly WrittenRow[]): Promise<void> {
    const after = await this.#versions(
      tx,
      written.map(({ documentId }) => documentId),
    );
    const noted = written.map((row) => ({ ...row, version: timeOf(after.get(row.documentId), row.locale) }));
    await addWritten(tx, this.#stored, noted);
    await this.#count(tx, written);
  }

  async #count(tx: Transaction, written: readonly WrittenRow[]): Promise<void> {
    const created = written.filter(({ kind }) => kind === 'created').length;
    const counts = { done: written.length, created, updated: written.length - created };
    await countRows(tx, this.#stored.id, 'running', counts);
  }

  #versions(db: Queryable, documentIds: readonly string[]): Promise<ReadonlyMap<string, readonly DocumentRow[]>> {
    return versionsOfDocuments(this.#context.layout, db, this.#import.type, documentIds);
  }
}

const severalDocuments = (path: string): ContentError =>
  validation('Several documents have this value', { path }, { code: 'keySeveral' });

/** Data for a new document: empty cells leave the defaults of attributes. */
const withoutEmpty = (data: ValuedRow['data']): ValuedRow['data'] =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null && !isEmptySet(value)));

/** Empty lists for the required components and zones of a new version, which are not in rows. @param isNew whether its document is new. */
function emptyLists(type: ContentType, { view }: Viewer, isNew: boolean): ValuedRow['data'] {
  const { writable } = view.of(type);
  const lists = [...type.attributes.values()].filter(
    (one) => one.required && (one.type === 'dynamiczone' || (one.type === 'component' && one.repeatable)),
  );
  // a version in another locale takes over lists that all locales share
  const own = lists.filter(({ name, localized }) => writable.has(name) && (isNew || localized));
  return Object.fromEntries(own.map(({ name }) => [name, []]));
}

const isEmptySet = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value['set']) && value['set'].length === 0;

/** The newest time of a document's rows in a locale; 0 without any. */
export const timeOf = (rows: readonly DocumentRow[] | undefined, locale: string | null): number =>
  Math.max(0, ...(rows ?? []).filter((row) => locale === null || row.locale === locale).map((row) => row.updatedAt));

/** The rows of some documents, by document. */
export async function versionsOfDocuments(
  layout: Layout,
  db: Queryable,
  { uid }: ContentType,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly DocumentRow[]>> {
  const ids = JSON.stringify([...new Set(documentIds)].map((id) => [id]));
  const rows =
    documentIds.length === 0
      ? []
      : await query(db, compileRowsOfDocuments(db.dialect, layoutOf(layout, uid).table), [ids]);
  const listed = rows.map(([id, documentId, locale, publishedAt, updatedAt]) => ({
    documentId: String(documentId),
    row: {
      ...{ id: Number(id), locale: locale === null ? null : String(locale), published: publishedAt !== null },
      ...{ createdAt: 0, updatedAt: Number(updatedAt ?? 0) },
    },
  }));
  const byDocument = Map.groupBy(listed, ({ documentId }) => documentId);
  return new Map([...byDocument].map(([documentId, all]) => [documentId, all.map(({ row }) => row)]));
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
