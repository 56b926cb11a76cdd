/** Writing documents of types without draft-and-publish and locales: scalar attributes, one transaction a request. */
import bcrypt from 'bcryptjs';
import type { Grants } from '../access/grants.ts';
import { permitBody } from '../access/permit-body.ts';
import type { Database, Executor } from '../db/database.ts';
import { type FieldFailure, notFound, validation, validationFailure } from '../errors.ts';
import { parseBody } from '../query/body.ts';
import type { RawObject } from '../query/params.ts';
import type { ContentType, ScalarAttribute } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout.ts';
import { columnKind } from '../sql/dialect.ts';
import type { Sql, SqlValue } from '../sql/fragment.ts';
import { compileDelete, compileFindRows, compileInsert, compileTaken, compileUpdate } from '../sql/write.ts';
import { createDocumentId } from './document-id.ts';
import type { Reader } from './reader.ts';
import { runStatement } from './system-rows.ts';
import { checkScalar } from './validate-scalar.ts';

/** Rounds of password hashes, as the reference's. */
const HASH_ROUNDS = 10;

export interface WriterContext {
  readonly layout: Layout;
  readonly database: Database;
  readonly reader: Reader;
}

type Columns = Map<string, SqlValue>;

export class Writer {
  readonly #context: WriterContext;

  constructor(context: WriterContext) {
    this.#context = context;
  }

  /**
   * Creates a document and reads it back as JSON text.
   *
   * @throws ContentError 400 for a query, body or value that is wrong.
   */
  async create(type: ContentType, grants: Grants, params: RawObject, body: unknown): Promise<string | undefined> {
    const columns = await this.#accept(type, grants, params, body, true);
    const documentId = createDocumentId();
    await this.#context.database.transaction((tx) => this.#insert(tx, type, documentId, columns));
    return this.#context.reader.one(type, grants, shapeOf(params), { kind: 'document', documentId });
  }

  /**
   * Updates a document and reads it back as JSON text.
   *
   * @throws ContentError 400 for a query, body or value that is wrong, 404 for a document that is not there.
   */
  async update(type: ContentType, grants: Grants, params: RawObject, documentId: string, body: unknown) {
    this.#refuseUnwritable(type);
    this.#context.reader.check(type, grants, params);
    permitBody(type, parseBody(body));
    if ((await this.#find(this.#context.database, type, documentId)) === undefined) throw notFound();
    const columns = await this.#accept(type, grants, params, body, false);
    await this.#context.database.transaction(async (tx) => {
      if ((await this.#find(tx, type, documentId)) === undefined) throw notFound();
      await this.#update(tx, type, documentId, columns);
    });
    return this.#context.reader.one(type, grants, shapeOf(params), { kind: 'document', documentId });
  }

  /** Deletes a document; one that is not there is no error. */
  async delete(type: ContentType, grants: Grants, params: RawObject, documentId: string): Promise<void> {
    this.#refuseUnwritable(type);
    this.#context.reader.check(type, grants, params);
    const { table } = layoutOf(this.#context.layout, type.uid);
    await this.#context.database.transaction((tx) => this.#run(tx, compileDelete(table), [documentId]));
  }

  /** Updates the document of a single type, or creates it. */
  async updateSingle(type: ContentType, grants: Grants, params: RawObject, body: unknown): Promise<string | undefined> {
    this.#refuseUnwritable(type);
    const present = (await this.#find(this.#context.database, type, undefined)) !== undefined;
    const columns = await this.#accept(type, grants, params, body, !present);
    await this.#context.database.transaction(async (tx) => {
      const documentId = await this.#find(tx, type, undefined);
      if (documentId === undefined) await this.#insert(tx, type, createDocumentId(), columns);
      else await this.#update(tx, type, documentId, columns);
    });
    return this.#context.reader.one(type, grants, shapeOf(params), { kind: 'single' });
  }

  /** Deletes the document of a single type; none is no error. */
  async deleteSingle(type: ContentType, grants: Grants, params: RawObject): Promise<void> {
    const documentId = await this.#find(this.#context.database, type, undefined);
    if (documentId === undefined) this.#context.reader.check(type, grants, params);
    else await this.delete(type, grants, params, documentId);
  }

  #refuseUnwritable(type: ContentType): void {
    if (type.draftAndPublish) throw validation(`${type.displayName} has drafts: its documents cannot be written yet`);
    if (type.localized) throw validation(`${type.displayName} is localized: its documents cannot be written yet`);
  }

  /** Everything that is checked before a transaction begins, in the order of the refusals. */
  async #accept(
    type: ContentType,
    grants: Grants,
    params: RawObject,
    body: unknown,
    creating: boolean,
  ): Promise<Columns> {
    this.#refuseUnwritable(type);
    this.#context.reader.check(type, grants, params);
    const { values } = permitBody(type, parseBody(body));
    const written = new Map(values.map(({ attribute, value }) => [attribute.name, value]));
    const { columns: names } = layoutOf(this.#context.layout, type.uid);
    const failures: FieldFailure[] = [];
    const columns: Columns = new Map();
    for (const attribute of type.attributes.values()) {
      if (attribute.type === 'relation' || attribute.type === 'media') continue;
      if (attribute.type === 'component' || attribute.type === 'dynamiczone') continue;
      const value = writtenValue(attribute, written, creating);
      if (value === undefined) continue;
      const checked = checkValue(attribute, value);
      if ('failures' in checked) failures.push(...checked.failures);
      else columns.set(names.get(attribute.name)!, this.#encode(attribute, await hashed(attribute, checked.value)));
    }
    if (failures.length > 0) throw validationFailure(failures);
    return columns;
  }

  #encode(attribute: ScalarAttribute, value: Parameters<Database['dialect']['encode']>[0]): SqlValue {
    return this.#context.database.dialect.encode(value, columnKind(attribute.type));
  }

  #run(executor: Executor, fragment: Sql, values: readonly SqlValue[]) {
    return runStatement({ executor, dialect: this.#context.database.dialect }, fragment, values);
  }

  /** The document id of a document, or of a single type's only one; undefined when it is not there. */
  async #find(executor: Executor, type: ContentType, documentId: string | undefined): Promise<string | undefined> {
    const { table } = layoutOf(this.#context.layout, type.uid);
    const values = documentId === undefined ? [] : [documentId];
    const [row] = await this.#run(executor, compileFindRows(table, documentId === undefined), values);
    return row?.[1] as string | undefined;
  }

  async #insert(tx: Executor, type: ContentType, documentId: string, columns: Columns): Promise<void> {
    await this.#refuseTaken(tx, type, documentId, columns);
    const now = this.#context.database.dialect.encodeTime(Date.now());
    const all = new Map<string, SqlValue>([
      ['document_id', documentId],
      ...columns,
      ['created_at', now],
      ['updated_at', now],
      ['published_at', now],
    ]);
    const { table } = layoutOf(this.#context.layout, type.uid);
    await this.#run(tx, compileInsert(table, [...all.keys()]), [...all.values()]);
  }

  async #update(tx: Executor, type: ContentType, documentId: string, columns: Columns): Promise<void> {
    await this.#refuseTaken(tx, type, documentId, columns);
    const now = this.#context.database.dialect.encodeTime(Date.now());
    // without drafts `publishedAt` is the time of the last write (behaviour-publication-locales.md)
    const all = new Map<string, SqlValue>([...columns, ['updated_at', now], ['published_at', now]]);
    const { table } = layoutOf(this.#context.layout, type.uid);
    await this.#run(tx, compileUpdate(table, [...all.keys()]), [...all.values(), documentId]);
  }

  /** `unique` and uid attributes: no other document has the value. Null and "" are exempt. */
  async #refuseTaken(tx: Executor, type: ContentType, documentId: string, columns: Columns): Promise<void> {
    const { table, columns: names } = layoutOf(this.#context.layout, type.uid);
    const failures: FieldFailure[] = [];
    for (const attribute of type.attributes.values()) {
      if (!('unique' in attribute) || !(attribute.unique || attribute.type === 'uid')) continue;
      const column = names.get(attribute.name)!;
      const value = columns.get(column);
      if (value === undefined || value === null || value === '') continue;
      const [taken] = await this.#run(tx, compileTaken(table, column), [value, documentId]);
      if (taken) failures.push({ path: [attribute.name], message: 'This attribute must be unique', value });
    }
    if (failures.length > 0) throw validationFailure(failures);
  }
}

/** Parameters that shape the answer to a write; those that choose rows do not apply to it. */
function shapeOf({ fields, populate }: RawObject): RawObject {
  return { fields, populate };
}

/** The value to check: as written, or the default of a new document; undefined leaves the attribute alone. */
function writtenValue(attribute: ScalarAttribute, written: ReadonlyMap<string, unknown>, creating: boolean): unknown {
  if (written.has(attribute.name)) return written.get(attribute.name);
  if (!creating) return undefined;
  return attribute.default === undefined ? null : attribute.default;
}

function checkValue(
  attribute: ScalarAttribute,
  value: unknown,
): { value: Parameters<Database['dialect']['encode']>[0] } | { failures: FieldFailure[] } {
  const path = [attribute.name];
  if (value === null) {
    if (!attribute.required) return { value: null };
    return { failures: [{ path, message: `${attribute.name} must be defined.`, value }] };
  }
  const checked = checkScalar(attribute, value, { strict: true });
  if ('value' in checked) return checked;
  if ('nested' in checked) return { failures: checked.nested.map((failure) => ({ ...failure, value })) };
  return { failures: checked.messages.map((message) => ({ path, message, value })) };
}

async function hashed(attribute: ScalarAttribute, value: Parameters<Database['dialect']['encode']>[0]) {
  return attribute.type === 'password' && typeof value === 'string' ? bcrypt.hash(value, HASH_ROUNDS) : value;
}
