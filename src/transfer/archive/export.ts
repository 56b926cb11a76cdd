/**
 * Writes a snapshot of a database as an archive in the reference's format: schemas, rows with their components, files,
 * links and settings. Equal content gives an equal archive, apart from its date.
 */
import { createCipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Snapshot } from '../../db/interface/snapshot.ts';
import { queryBy } from '../../db/interface/statements.ts';
import { UsageError } from '../../errors.ts';
import type { Storage } from '../../media/storage/storage.ts';
import { storeOf } from '../../media/storage/storage.ts';
import type { JsonObject } from '../../plain-values.ts';
import {
  type Catalog,
  type ContentType,
  FILE_UID,
  type Model,
  modelOf,
  type RelationAttribute,
} from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import type { ColumnDefinition } from '../../schema/layout/table.ts';
import { archiveColumn, compileArchivePage, compileArchiveRows, type Holding } from '../../sql/archive.ts';
import { WEBHOOKS_TABLE } from '../../sql/events/webhooks.ts';
import type { Sql, SqlValue } from '../../sql/fragment.ts';
import { CORE_STORE_TABLE, OWN_STATE } from '../../sql/settings.ts';
import type { CanonicalValue } from '../rows.ts';
import { type ArchiveCipher, type ArchiveWriter, LineEntries } from './write.ts';

/** The parts of an archive that can be chosen, besides types. */
export const EXPORTED_PARTS = ['content', 'files', 'config'] as const;
export type ExportedPart = (typeof EXPORTED_PARTS)[number];

export interface ExportRequest {
  readonly snapshot: Snapshot;
  readonly catalog: Catalog;
  readonly layout: Layout;
  /** Schemas in the reference's form, in the order of the archive. */
  readonly schemas: readonly object[];
  readonly stores: readonly Storage[];
  readonly writer: ArchiveWriter;
  readonly parts: ReadonlySet<ExportedPart>;
  /** Whether the rows of a type are exported. */
  readonly hasType: (uid: string) => boolean;
  /** The reference's version that the archive names. */
  readonly version: string;
  readonly onProgress: (exported: Exported) => void;
}

/** What an archive contains. */
export interface Exported {
  entities: number;
  links: number;
  files: number;
  /** Files that the database names and that do not exist. */
  missing: number;
  /** Files at places that cannot be read here. */
  elsewhere: number;
}

/** Characters of an entry after which the next one begins; they are in memory until then. */
const LONGEST = 4_000_000;
/** Rows that are read at once. */
const PAGE = 200;
/** Values of one list. */
const LIST = 500;
/** The reference leaves releases out. */
const LEFT_OUT = /^(?:admin::|plugin::content-releases\.)/;

/** Writes an archive, and completes it. */
export async function exportArchive(request: ExportRequest): Promise<Exported> {
  const exported: Exported = { entities: 0, links: 0, files: 0, missing: 0, elsewhere: 0 };
  await new Export(request, exported).run();
  return exported;
}

class Export {
  readonly #request: ExportRequest;
  readonly #exported: Exported;
  /** Existing columns of tables, with their types. */
  #columns: ReadonlyMap<string, readonly ColumnDefinition[]> = new Map();
  /** The types whose rows are exported. */
  #types: readonly ContentType[] = [];

  constructor(request: ExportRequest, exported: Exported) {
    this.#request = request;
    this.#exported = exported;
  }

  async run(): Promise<void> {
    const { parts, writer, schemas, version, catalog, layout, hasType } = this.#request;
    this.#columns = await this.#existingColumns();
    this.#types = [...catalog.contentTypes.values()].filter(
      ({ uid }) => !LEFT_OUT.test(uid) && hasType(uid) && this.#columns.has(layoutOf(layout, uid).table),
    );
    await this.#write('schemas', schemas);
    if (parts.has('content')) await this.#write('entities', this.#entities());
    if (parts.has('files')) await this.#addFiles();
    if (parts.has('content')) await this.#write('links', this.#links());
    if (parts.has('config')) await this.#write('configuration', this.#configuration());
    const metadata = JSON.stringify({ createdAt: new Date().toISOString(), strapi: { version } }, null, 2);
    await writer.add('metadata.json', Buffer.byteLength(metadata), Buffer.from(metadata));
    await writer.finish();
  }

  async #existingColumns(): Promise<ReadonlyMap<string, readonly ColumnDefinition[]>> {
    const { snapshot, layout } = this.#request;
    const existing = await snapshot.tables();
    return new Map(
      layout.tables.flatMap(({ name, columns }) => {
        const found = new Set(existing.get(name)?.columns.map((column) => column.name));
        return found.size === 0 ? [] : [[name, columns.filter((column) => found.has(column.name))] as const];
      }),
    );
  }

  async #write(part: string, values: AsyncIterable<object> | Iterable<object>): Promise<void> {
    const entries = new LineEntries(this.#request.writer, `${part}/${part}`, LONGEST);
    for await (const value of values) await entries.add(JSON.stringify(value));
    await entries.finish();
  }

  async *#entities(): AsyncGenerator<object> {
    for (const type of this.#types) {
      for await (const rows of this.#rows(type)) {
        const components = await this.#components(
          type,
          rows.map(({ id }) => id),
        );
        for (const { id, values } of rows) {
          yield { type: type.uid, id, data: { ...values, ...components.get(id) } };
          this.#exported.entities++;
        }
        this.#request.onProgress(this.#exported);
      }
    }
  }

  /** The rows of a type or component without components, in pages. */
  async *#rows(model: Model): AsyncGenerator<Values[]> {
    const { table } = layoutOf(this.#request.layout, model.uid);
    const shape = this.#shape(model);
    const statement = compileArchivePage(table, shape.columns);
    for await (const page of this.#pages(statement)) yield page.map((row) => shape.valuesOf(row));
  }

  async *#pages(statement: Sql): AsyncGenerator<(readonly unknown[])[]> {
    for (let last: SqlValue = 0; ; ) {
      const rows = await this.#query(statement, [last, PAGE]);
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) return;
      last = rows.at(-1)![0] as SqlValue;
    }
  }

  async #query(statement: Sql, values: readonly SqlValue[]): Promise<(readonly unknown[])[]> {
    return queryBy(this.#request.snapshot, statement, values);
  }

  /** Rows that have one of many values. */
  async #rowsBy(table: string, columns: readonly Sql[], by: string, values: readonly number[]) {
    const rows: (readonly unknown[])[] = [];
    for (let from = 0; from < values.length; from += LIST) {
      const some = values.slice(from, from + LIST);
      rows.push(...(await this.#query(compileArchiveRows(table, columns, by, some.length), some)));
    }
    return rows;
  }

  /** What is selected of a model, behind the id, and how its values are written. */
  #shape(model: Model) {
    const { snapshot, layout } = this.#request;
    const { table, columns: names } = layoutOf(layout, model.uid);
    const types = new Map(this.#columns.get(table)!.map(({ name, type }) => [name, type]));
    const read = [...names].flatMap(([name, column]) => {
      const type = types.get(column);
      return type === undefined || name === 'id' ? [] : [{ name, column, type }];
    });
    return {
      columns: read.map(({ column, type }) => snapshot.form.read(archiveColumn(column), type)),
      valuesOf: ([id, ...values]: readonly unknown[]): Values => ({
        id: Number(id),
        values: Object.fromEntries(
          read.map(({ name, type }, n) => [name, written(snapshot.form.canonical(values[n], type) ?? null, type)]),
        ),
      }),
    };
  }

  /** The components and zones of rows, in full depth. */
  async #components(model: Model, ids: readonly number[]): Promise<ReadonlyMap<number, JsonObject>> {
    const { catalog, layout } = this.#request;
    const { componentsTable } = layoutOf(layout, model.uid);
    const all = new Map<number, Record<string, unknown>>(ids.map((id) => [id, empty(model)]));
    if (componentsTable === undefined || !this.#columns.has(componentsTable)) return all as never;
    const columns = ['entity_id', 'cmp_id', 'component_type', 'field', 'order', 'id'].map(archiveColumn);
    const joins = (await this.#rowsBy(componentsTable, columns, 'entity_id', ids)).sort(
      (one, other) => Number(one[4] ?? 0) - Number(other[4] ?? 0) || Number(one[5]) - Number(other[5]),
    );
    const byType = Map.groupBy(joins, ([, , type]) => String(type));
    const rows = new Map<string, object>();
    for (const [uid, own] of byType) {
      const component = catalog.components.get(uid);
      if (!component) continue;
      const found = await this.#componentRows(component, [...new Set(own.map(([, id]) => Number(id)))]);
      for (const [id, row] of found) rows.set(`${uid} ${id}`, row);
    }
    for (const [entity, id, type, field] of joins) {
      const attribute = model.attributes.get(String(field));
      const row = rows.get(`${type} ${id}`);
      const owner = all.get(Number(entity));
      if (!row || !owner) continue;
      if (attribute?.type === 'dynamiczone') (owner[attribute.name] as unknown[]).push({ ...row, __component: type });
      else if (attribute?.type !== 'component' || attribute.component !== type) continue;
      else if (attribute.repeatable) (owner[attribute.name] as unknown[]).push(row);
      else owner[attribute.name] ??= row;
    }
    return all as never;
  }

  async #componentRows(component: Model, ids: readonly number[]): Promise<Map<number, object>> {
    const { table } = layoutOf(this.#request.layout, component.uid);
    if (!this.#columns.has(table)) return new Map();
    const { columns, valuesOf } = this.#shape(component);
    const rows = await this.#rowsBy(table, [archiveColumn('id'), ...columns], 'id', ids);
    const found = rows.map(valuesOf);
    const nested = await this.#components(
      component,
      found.map(({ id }) => id),
    );
    return new Map(found.map(({ id, values }) => [id, { id, ...values, ...nested.get(id) }]));
  }

  /** The links that types and components store, and the reference's `localizations`. */
  async *#links(): AsyncGenerator<object> {
    const { catalog, layout } = this.#request;
    const types = this.#types;
    const components = reachable(catalog, types);
    for (const model of [...types, ...components]) {
      if (!this.#columns.has(layoutOf(layout, model.uid).table)) continue;
      for (const attribute of model.attributes.values()) {
        if (attribute.type !== 'relation' || !attribute.owner) continue;
        if (attribute.target !== undefined && !this.#isExported(attribute.target)) continue;
        yield* this.#counted(this.#linksOf(model, attribute));
      }
      if (model.modelType === 'contentType') yield* this.#counted(this.#localizations(model));
    }
  }

  #isExported(uid: string): boolean {
    return this.#types.some((type) => type.uid === uid);
  }

  async *#counted(links: AsyncIterable<object>): AsyncGenerator<object> {
    for await (const link of links) {
      yield link;
      this.#exported.links++;
    }
  }

  #linksOf(model: Model, attribute: RelationAttribute): AsyncIterable<object> {
    const { layout } = this.#request;
    const own = layoutOf(layout, model.uid);
    const relation = own.relations.get(attribute.name);
    const { name: field, inverse, relation: kind, target } = attribute;
    const named = { kind: target === model.uid ? 'relation.circular' : 'relation.basic', relation: kind };
    switch (relation?.kind) {
      case 'link': {
        const { table, source, target: to, order, inverseOrder } = relation;
        const holding = [
          { column: source, table: own.table },
          { column: to, table: layoutOf(layout, target!).table },
        ];
        const columns = [
          source,
          to,
          ...(order === null ? [] : [order]),
          ...(inverseOrder === null ? [] : [inverseOrder]),
        ];
        return this.#mapped(table, columns, holding, ([, ref, other, ...orders]) => {
          const pos = order === null ? {} : { pos: orders.shift() };
          const inversePos = inverseOrder === null ? {} : { pos: orders.shift() };
          return {
            ...named,
            left: { type: model.uid, field, ref, ...pos },
            right: { type: target, ...(inverse === undefined ? {} : { field: inverse }), ref: other, ...inversePos },
          };
        });
      }
      case 'column': {
        const holding = [{ column: relation.column, table: layoutOf(layout, target!).table }];
        return this.#mapped(own.table, [relation.column], holding, ([ref, other]) => ({
          ...named,
          left: { type: model.uid, field, ref },
          right: { type: target, ...(inverse === undefined ? {} : { field: inverse }), ref: other },
        }));
      }
      case 'morphColumns':
        return this.#existing(
          this.#mapped(own.table, [relation.id, relation.type], [], ([ref, other, type]) => ({
            ...{ kind: 'relation.morph', relation: kind, left: { type: model.uid, ref, field } },
            right: { type: String(type), ref: Number(other) },
          })),
        );
      case 'morphTable': {
        const { table, source, id, type, field: name, order } = relation;
        const holding = [{ column: source, table: own.table }];
        return this.#existing(
          this.#mapped(table, [source, id, type, name, order], holding, ([, ref, other, to, right, pos]) => ({
            ...{ kind: 'relation.morph', relation: kind, left: { type: model.uid, field, ref } },
            right: { ref: Number(other), pos, type: String(to), field: right },
          })),
        );
      }
      default:
        return none();
    }
  }

  async *#mapped<T>(
    table: string,
    columns: readonly string[],
    holding: readonly Holding[],
    link: (row: readonly unknown[]) => T,
  ): AsyncGenerator<T> {
    for await (const page of this.#pages(compileArchivePage(table, columns.map(archiveColumn), holding)))
      for (const row of page) yield link(row);
  }

  /** Leaves out links to rows that do not exist or are not exported. */
  async *#existing<T extends { readonly right: { readonly type: string; readonly ref: number } }>(
    links: AsyncIterable<T>,
  ): AsyncGenerator<T> {
    let some: T[] = [];
    const flush = async (): Promise<T[]> => {
      const found = new Set<string>();
      for (const [uid, own] of Map.groupBy(some, ({ right }) => right.type)) {
        const table = this.#tableOf(uid);
        if (table === undefined) continue;
        const ids = [...new Set(own.map(({ right }) => right.ref))];
        for (const [id] of await this.#rowsBy(table, [archiveColumn('id')], 'id', ids)) found.add(`${uid} ${id}`);
      }
      return some.filter(({ right }) => found.has(`${right.type} ${right.ref}`));
    };
    for await (const link of links) {
      some.push(link);
      if (some.length < PAGE) continue;
      yield* await flush();
      some = [];
    }
    yield* await flush();
  }

  /** The table of an exported type or component. */
  #tableOf(uid: string): string | undefined {
    const { catalog, layout } = this.#request;
    if (!this.#isExported(uid) && !catalog.components.has(uid)) return undefined;
    const { table } = layoutOf(layout, uid);
    return this.#columns.has(table) ? table : undefined;
  }

  async *#localizations({ uid }: Model): AsyncGenerator<object> {
    const { table } = layoutOf(this.#request.layout, uid);
    const statement = compileArchivePage(table, [archiveColumn('document_id')]);
    for await (const page of this.#pages(statement)) {
      for (const [ref, documentId] of page) {
        if (documentId === null) continue;
        const left = { type: uid, ref, field: 'localizations' };
        yield { kind: 'relation.circular', relation: 'oneToMany', left, right: { type: uid, ref: documentId } };
      }
    }
  }

  async *#configuration(): AsyncGenerator<object> {
    const settings = ['key', 'value', 'type', 'environment', 'tag'];
    for await (const page of this.#pages(compileArchivePage(CORE_STORE_TABLE, settings.map(archiveColumn)))) {
      for (const [id, key, value, type, environment, tag] of page) {
        if (OWN_STATE.test(String(key))) continue;
        const stored = { id, key, value: parsed(value), type, environment, tag };
        yield { type: 'core-store', value: stored };
      }
    }
    const webhooks = ['name', 'url', 'headers', 'events', 'enabled'];
    if (!(await this.#request.snapshot.tables()).has(WEBHOOKS_TABLE)) return;
    for await (const page of this.#pages(compileArchivePage(WEBHOOKS_TABLE, webhooks.map(archiveColumn)))) {
      for (const [id, name, url, headers, events, enabled] of page)
        yield {
          type: 'webhook',
          value: { id, name, url, headers: parsed(headers), events: parsed(events), enabled: Boolean(enabled) },
        };
    }
  }

  async #addFiles(): Promise<void> {
    const { catalog, stores } = this.#request;
    const type = catalog.contentTypes.get(FILE_UID);
    if (!type || !this.#types.includes(type)) return;
    for await (const rows of this.#rows(type)) {
      for (const { id, values } of rows) {
        const storage = storeOf(stores, String(values['provider']));
        const formats = Object.entries(Object(values['formats']) as Record<string, JsonObject | null>);
        const sizes = formats.flatMap(([name, format]) =>
          format ? [{ ...format, type: name, id, mainHash: values['hash'] }] : [],
        );
        for (const file of [{ id, ...values }, ...sizes]) await this.#addFile(storage, file);
      }
      this.#request.onProgress(this.#exported);
    }
  }

  async #addFile(storage: Storage | undefined, file: JsonObject): Promise<void> {
    const { writer } = this.#request;
    const { hash, ext, url } = file;
    const name = `${hash}${ext ?? ''}`;
    const key = typeof url === 'string' ? storage?.keyOf(url) : undefined;
    // a name is a file of its folder, and nothing else
    if (!storage || key === undefined || typeof hash !== 'string' || /[/\\\0]|^\.*$/.test(name)) {
      this.#exported.elsewhere++;
      return;
    }
    const size = (await storage.stat(key))?.size;
    const content = size === undefined ? undefined : await storage.get(key);
    if (size === undefined || !content) {
      this.#exported.missing++;
      return;
    }
    const metadata = Buffer.from(JSON.stringify(file));
    await writer.add(`assets/metadata/${name}.json`, metadata.length, metadata);
    await writer.add(`assets/uploads/${name}`, size, content);
    this.#exported.files++;
  }
}

interface Values {
  readonly id: number;
  readonly values: JsonObject;
}

async function* none(): AsyncGenerator<never> {}

/** The components and zones of a row without any. */
const empty = (model: Model): Record<string, unknown> =>
  Object.fromEntries(
    [...model.attributes.values()].flatMap((attribute) => {
      if (attribute.type === 'dynamiczone') return [[attribute.name, []]];
      return attribute.type === 'component' ? [[attribute.name, attribute.repeatable ? [] : null]] : [];
    }),
  );

/** The components that rows of types may have, in the order of the catalog. */
function reachable(catalog: Catalog, types: readonly Model[]): Model[] {
  const found = new Set<Model>(types);
  // the set grows while it is gone through
  for (const model of found) {
    for (const attribute of model.attributes.values()) {
      const uids =
        attribute.type === 'component'
          ? [attribute.component]
          : attribute.type === 'dynamiczone'
            ? attribute.components
            : [];
      for (const uid of uids) found.add(modelOf(catalog, uid));
    }
  }
  return [...catalog.components.values()].filter((component) => found.has(component));
}

/** A value in the archive's form. */
function written(value: CanonicalValue, type: ColumnDefinition['type']): unknown {
  if (value === null) return null;
  if (typeof value === 'bigint') return String(value);
  if (type === 'decimal') return Number(value);
  if (type === 'json') return parsed(value);
  return type === 'datetime' && typeof value === 'number' ? isoTime(value) : value;
}

function isoTime(milliseconds: number): string | null {
  const date = new Date(Math.floor(milliseconds));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/** The cipher of the reference's newer encrypted archives: AES-128-ECB, which hides content and authenticates nothing. */
export async function archiveCipher(password: string): Promise<ArchiveCipher> {
  if (password === '') throw new UsageError('the key is empty');
  const salt = randomBytes(16);
  const key = await derive(password, salt, 16);
  return {
    header: Buffer.concat([Buffer.from('STRAPI2\0\x02\x10', 'latin1'), salt]),
    cipher: createCipheriv('aes-128-ecb', key, null),
  };
}
