/**
 * Content written by SQL, as the storage pages lay it out, for tests of reading. It knows documents in drafts, published
 * rows and locales, and takes the bodies of the API (`connect`, bare arrays, components, zones, media), so that the
 * set-up steps of recorded scenarios can be given to it as they are. Nothing of what it makes passes validation.
 */
import type { App } from '../../../src/app.ts';
import { createDocumentId } from '../../../src/content/rows/document-rows.ts';
import { execute, insertRow, query } from '../../../src/db/interface/statements.ts';
import type { Transaction } from '../../../src/db/interface/transaction.ts';
import { type Attribute, type ContentType, FILE_UID, type Model, modelOf } from '../../../src/schema/catalog.ts';
import { FILES_RELATED_TABLE, layoutOf } from '../../../src/schema/layout/layout.ts';
import { id, join, type Sql, type SqlValue, slot, sql } from '../../../src/sql/fragment.ts';
import { isReference, type Reference, referencesOf, referTo } from './seed-references.ts';
import { encode, insertEmpty } from './seed-values.ts';

export type Data = Readonly<Record<string, unknown>>;

/** Which rows of a document a write is of. */
export interface Place {
  readonly locale?: string | undefined;
  /** `draft` leaves the published row alone; on types without drafts it means nothing. */
  readonly status?: 'draft' | 'published' | undefined;
}

/** A row that was written, with the API values it holds. */
interface SeededRow {
  id: number;
  data: Record<string, unknown>;
}

/** One locale of one document. */
interface Version {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly createdAt: number;
  draft?: SeededRow;
  published?: SeededRow;
}

/** The row that links are written for: what they lead to depends on it. */
interface Holder {
  readonly type: ContentType;
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
}

const DEFAULT_LOCALE = 'en';
const START = Date.UTC(2024, 0, 1);

export class Seeder {
  readonly #app: App;
  #versions: Version[] = [];
  #now = START;

  constructor(app: App) {
    this.#app = app;
  }

  /** Makes a document and gives its documentId: a draft and, unless told otherwise, its published row. */
  async create(uid: string, data: Data, place: Place = {}): Promise<string> {
    const documentId = createDocumentId();
    await this.update(uid, documentId, data, place);
    return documentId;
  }

  /** Writes attributes of a document's locale, which is made where it is not there. */
  async update(uid: string, documentId: string, data: Data, { locale, status }: Place = {}): Promise<void> {
    const type = modelOf(this.#app.catalog, uid) as ContentType;
    const version = this.#version(type, documentId, type.localized ? locale || DEFAULT_LOCALE : null);
    await this.#transaction(async (tx) => {
      const written = type.draftAndPublish ? 'draft' : 'published';
      const before = version[written]?.data ?? this.#initial(version, type);
      const values = { ...before };
      for (const [name, value] of Object.entries(data)) {
        const attribute = type.attributes.get(name);
        values[name] = attribute?.type === 'relation' ? referTo(before[name], value) : value;
      }
      const updatedAt = this.#tick();
      await this.#store(tx, version, written, values, updatedAt);
      if (type.draftAndPublish && status !== 'draft') {
        await this.#store(tx, version, 'published', values, updatedAt);
      }
      await this.#spread(tx, version, Object.keys(data), values, status === 'draft' ? written : 'published');
      await this.#relink(tx, documentId);
    });
  }

  /** Removes a document, or one locale of it. */
  async remove(documentId: string, locale?: string): Promise<void> {
    const gone = this.#versions.filter(
      (version) =>
        version.documentId === documentId &&
        (locale === undefined || !version.type.localized || version.locale === locale),
    );
    await this.#transaction(async (tx) => {
      for (const version of gone) {
        for (const row of [version.draft, version.published]) {
          if (!row) continue;
          await this.#clearComponents(tx, version.type, row.id);
          await this.#delete(tx, layoutOf(this.#app.layout, version.type.uid).table, { id: row.id });
        }
      }
    });
    this.#versions = this.#versions.filter((version) => !gone.includes(version));
  }

  /** Makes a file record and gives its row id. */
  async file(values: Data): Promise<number> {
    const type = modelOf(this.#app.catalog, FILE_UID) as ContentType;
    const version = this.#version(type, createDocumentId(), null);
    await this.#transaction((tx) => this.#store(tx, version, 'published', { ...values }, this.#tick()));
    return version.published!.id;
  }

  /** The row id of a document. */
  rowId(documentId: string, status: 'draft' | 'published' = 'published', locale?: string): number {
    const version = this.#versions.find((v) => v.documentId === documentId && (!locale || v.locale === locale));
    return version![status]!.id;
  }

  /** The documentId of a type's only document. */
  documentOf(uid: string): string | undefined {
    return this.#versions.find((version) => version.type.uid === uid)?.documentId;
  }

  /** Runs a statement: for what the API could never have written. */
  async sql(text: string, values: readonly SqlValue[] = []): Promise<void> {
    await this.#app.database.transaction(async (tx) => void (await tx.rows(text, values)));
  }

  /** Removes all content. */
  async clear(): Promise<void> {
    this.#versions = [];
    await this.#transaction(async (tx) => {
      await execute(tx, sql`delete from ${id(FILES_RELATED_TABLE)}`);
      for (const { uid, table } of this.#app.layout.models.values()) {
        if (uid !== FILE_UID && /^(plugin|admin)::/.test(uid)) continue;
        await execute(tx, sql`delete from ${id(table)}`);
      }
    });
  }

  #transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { database } = this.#app;
    return database.transaction(work);
  }

  #tick(): number {
    this.#now += 1;
    return this.#now;
  }

  #version(type: ContentType, documentId: string, locale: string | null): Version {
    const known = this.#versions.find((v) => v.documentId === documentId && v.type === type && v.locale === locale);
    if (known) return known;
    const version: Version = { type, documentId, locale, createdAt: this.#tick() };
    this.#versions.push(version);
    return version;
  }

  /** What a new version begins with: shared attributes of the document's other locales, else defaults. */
  #initial(version: Version, type: ContentType): Record<string, unknown> {
    const other = this.#versions.find((v) => v !== version && v.documentId === version.documentId && v.type === type);
    const shared = other?.draft?.data ?? other?.published?.data;
    const values: Record<string, unknown> = {};
    for (const attribute of type.attributes.values()) {
      if (shared && !attribute.localized) values[attribute.name] = shared[attribute.name];
      values[attribute.name] ??= 'default' in attribute ? attribute.default : undefined;
    }
    return values;
  }

  /** Shared attributes reach the other locales' rows of the same status. */
  async #spread(tx: Transaction, from: Version, names: string[], values: Data, status: 'draft' | 'published') {
    const shared = names.filter((name) => from.type.attributes.get(name)?.localized === false);
    if (!from.type.localized || shared.length === 0) return;
    for (const version of this.#versions) {
      if (version === from || version.documentId !== from.documentId) continue;
      for (const which of status === 'draft' ? (['draft'] as const) : (['draft', 'published'] as const)) {
        const row = version[which];
        if (!row) continue;
        for (const name of shared) row.data[name] = values[name];
        await this.#store(tx, version, which, row.data);
      }
    }
  }

  /** Rows that refer to a document are written again: the rows that they lead to may be new. */
  async #relink(tx: Transaction, documentId: string): Promise<void> {
    for (const version of this.#versions) {
      for (const status of ['draft', 'published'] as const) {
        const row = version[status];
        if (row && JSON.stringify(row.data).includes(documentId)) await this.#store(tx, version, status, row.data);
      }
    }
  }

  /** Writes one row with all that hangs on it. Without a time, its `updatedAt` stays. */
  async #store(tx: Transaction, version: Version, status: 'draft' | 'published', data: Data, updatedAt?: number) {
    const { type, locale } = version;
    const holder: Holder = { type, locale, status };
    const { table } = layoutOf(this.#app.layout, type.uid);
    const time = (milliseconds: number) => tx.dialect.encodeTime(milliseconds);
    const columns: Record<string, SqlValue> = {
      ...this.#scalars(tx, type, data),
      ...(await this.#ownColumns(type, data, holder)),
    };
    if (updatedAt !== undefined) {
      columns['updated_at'] = time(updatedAt);
      columns['published_at'] = status === 'published' ? time(this.#tick()) : null;
    }
    const row = version[status];
    if (row) {
      row.data = { ...data };
      await this.#update(tx, table, columns, row.id);
    } else {
      const system = { document_id: version.documentId, locale, created_at: time(version.createdAt) };
      version[status] = { id: await insertRow(tx, table, { ...columns, ...system }), data: { ...data } };
    }
    await this.#hang(tx, type, version[status]!.id, data, holder);
  }

  #scalars(tx: Transaction, model: Model, data: Data): Record<string, SqlValue> {
    const { columns } = layoutOf(this.#app.layout, model.uid);
    const values: Record<string, SqlValue> = {};
    for (const attribute of model.attributes.values()) {
      const column = columns.get(attribute.name);
      const value = data[attribute.name];
      if (column !== undefined && value !== undefined) values[column] = encode(tx, attribute, value);
    }
    return values;
  }

  /** Relations that are kept in columns of the row itself. */
  async #ownColumns(model: Model, data: Data, holder: Holder): Promise<Record<string, SqlValue>> {
    const values: Record<string, SqlValue> = {};
    for (const [name, relation] of layoutOf(this.#app.layout, model.uid).relations) {
      if (data[name] === undefined) continue;
      const [reference] = referencesOf(data[name]).slice(-1);
      const attribute = model.attributes.get(name) as Extract<Attribute, { type: 'relation' }>;
      const target = reference?.type ?? attribute.target;
      const row = reference && target !== undefined ? this.#rows(target, reference, holder)[0] : undefined;
      if (relation.kind === 'column') values[relation.column] = row?.id ?? null;
      if (relation.kind === 'morphColumns') {
        values[relation.id] = row?.id ?? null;
        values[relation.type] = row ? target! : null;
      }
    }
    return values;
  }

  /** Links, media and components of a row, written anew. */
  async #hang(tx: Transaction, model: Model, rowId: number, data: Data, holder: Holder): Promise<void> {
    await this.#clearComponents(tx, model, rowId);
    for (const attribute of model.attributes.values()) {
      const value = data[attribute.name];
      if (value === undefined) continue;
      if (attribute.type === 'relation') await this.#link(tx, model, attribute, rowId, value, holder);
      else if (attribute.type === 'media') await this.#media(tx, model, attribute.name, rowId, value);
      else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
        const entries = (Array.isArray(value) ? value : value === null ? [] : [value]) as Data[];
        for (const [index, entry] of entries.entries()) {
          const uid = attribute.type === 'component' ? attribute.component : String(entry['__component']);
          await this.#component(tx, model, attribute.name, rowId, index + 1, uid, entry, holder);
        }
      }
    }
  }

  async #component(
    tx: Transaction,
    owner: Model,
    field: string,
    rowId: number,
    order: number,
    uid: string,
    entry: Data,
    holder: Holder,
  ): Promise<void> {
    const model = modelOf(this.#app.catalog, uid);
    const columns = { ...this.#scalars(tx, model, entry), ...(await this.#ownColumns(model, entry, holder)) };
    const { table } = layoutOf(this.#app.layout, uid);
    const cmp = Object.keys(columns).length > 0 ? await insertRow(tx, table, columns) : await insertEmpty(tx, table);
    const link = { entity_id: rowId, cmp_id: cmp, component_type: uid, field, order };
    await insertRow(tx, layoutOf(this.#app.layout, owner.uid).componentsTable!, link);
    await this.#hang(tx, model, cmp, entry, holder);
  }

  async #clearComponents(tx: Transaction, model: Model, rowId: number): Promise<void> {
    const { componentsTable } = layoutOf(this.#app.layout, model.uid);
    if (componentsTable === undefined) return;
    const known = sql`select "component_type", "cmp_id" from ${id(componentsTable)} where "entity_id" = ${slot(0)}`;
    for (const [uid, cmp] of await query(tx, known, [rowId])) {
      await this.#clearComponents(tx, modelOf(this.#app.catalog, String(uid)), Number(cmp));
      await this.#delete(tx, layoutOf(this.#app.layout, String(uid)).table, { id: Number(cmp) });
    }
    await this.#delete(tx, componentsTable, { entity_id: rowId });
  }

  async #link(
    tx: Transaction,
    model: Model,
    attribute: Extract<Attribute, { type: 'relation' }>,
    rowId: number,
    value: unknown,
    holder: Holder,
  ): Promise<void> {
    const relation = layoutOf(this.#app.layout, model.uid).relations.get(attribute.name)!;
    const many = /Many$/.test(attribute.relation);
    const references = many ? referencesOf(value) : referencesOf(value).slice(-1);
    const rows = references.flatMap((entry) => {
      const uid = entry.type ?? attribute.target!;
      return this.#rows(uid, entry, holder).map((row) => ({ uid, id: row.id }));
    });
    if (relation.kind === 'morphTable') {
      await this.#delete(tx, relation.table, { [relation.source]: rowId });
      for (const [index, row] of rows.entries()) {
        await insertRow(tx, relation.table, {
          [relation.source]: rowId,
          [relation.id]: row.id,
          [relation.type]: row.uid,
          [relation.field]: references[index]!.field ?? null,
          [relation.order]: index + 1,
        });
      }
    } else if (relation.kind === 'link') {
      const { table, source, target, order, inverseOrder } = relation;
      const kept = new Map<number, number>();
      if (inverseOrder !== null) {
        const known = sql`select ${id(target)}, ${id(inverseOrder)} from ${id(table)} where ${id(source)} = ${slot(0)}`;
        for (const [to, place] of await query(tx, known, [rowId])) kept.set(Number(to), Number(place));
      }
      await this.#delete(tx, table, { [source]: rowId });
      for (const [index, row] of rows.entries()) {
        const columns: Record<string, SqlValue> = { [source]: rowId, [target]: row.id };
        if (order !== null) columns[order] = index + 1;
        if (inverseOrder !== null) {
          columns[inverseOrder] = kept.get(row.id) ?? (await this.#count(tx, table, target, row.id)) + 1;
        }
        await insertRow(tx, table, columns);
      }
    }
  }

  async #media(tx: Transaction, model: Model, field: string, rowId: number, value: unknown): Promise<void> {
    await this.#delete(tx, FILES_RELATED_TABLE, { related_id: rowId, related_type: model.uid, field });
    const list = Array.isArray(value) ? value : value === null ? [] : [value];
    for (const [index, file] of list.entries()) {
      const known = isReference(file) ? this.#versions.find((v) => v.documentId === file) : undefined;
      const columns = { file_id: known?.published?.id ?? Number(file), related_id: rowId, related_type: model.uid };
      await insertRow(tx, FILES_RELATED_TABLE, { ...columns, field, order: index + 1 });
    }
  }

  /**
   * The rows that a reference leads to, seen from a holder (docs/reference/query-parameters.md, "Status and
   * publication").
   */
  #rows(uid: string, { documentId, locale, status }: Reference, holder: Holder): SeededRow[] {
    const target = modelOf(this.#app.catalog, uid) as ContentType;
    const wanted = !target.localized ? null : holder.type.localized ? holder.locale : (locale ?? DEFAULT_LOCALE);
    const version = this.#versions.find((v) => v.type === target && v.documentId === documentId && v.locale === wanted);
    const rows = !target.draftAndPublish
      ? [version?.published]
      : holder.type.draftAndPublish
        ? [version?.[holder.status]]
        : status
          ? [version?.[status]]
          : [version?.draft, version?.published];
    return rows.filter((row) => row !== undefined);
  }

  async #count(tx: Transaction, table: string, column: string, value: number): Promise<number> {
    const count = sql`select count(*) from ${id(table)} where ${id(column)} = ${slot(0)}`;
    return Number((await query(tx, count, [value]))[0]![0]);
  }

  async #update(tx: Transaction, table: string, columns: Record<string, SqlValue>, rowId: number): Promise<void> {
    const values = Object.values(columns);
    const sets = Object.keys(columns).map((name, index): Sql => sql`${id(name)} = ${slot(index)}`);
    if (sets.length === 0) return;
    const text = sql`update ${id(table)} set ${join(sets, ', ')} where "id" = ${slot(values.length)}`;
    await execute(tx, text, [...values, rowId]);
  }

  async #delete(tx: Transaction, table: string, where: Record<string, SqlValue>): Promise<void> {
    const tests = Object.keys(where).map((name, index): Sql => sql`${id(name)} = ${slot(index)}`);
    await execute(tx, sql`delete from ${id(table)} where ${join(tests, ' and ')}`, Object.values(where));
  }
}
