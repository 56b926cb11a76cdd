/** Lines of entities in an archive → rows of content types and components. */

import { UsageError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../plain-values.ts';
import { type Attribute, type Catalog, FILE_UID, isScalar, type Model, type ScalarType } from '../../schema/catalog.ts';
import { type Layout, layoutOf, type ModelLayout } from '../../schema/layout/layout.ts';
import { IdMemory, RowIds } from '../row-ids.ts';
import type { CanonicalValue, ReportFinding } from '../rows.ts';
import { canonicalOf, EXPECTED } from './archive-values.ts';
import { isFileName } from './file-names.ts';
import type { RowBuffer } from './row-buffer.ts';
import type { SourceSchemas } from './source-schemas.ts';

/** Columns of the tables that link components to their owners. */
const TIES = ['id', 'entity_id', 'cmp_id', 'component_type', 'field', 'order'];
/** Components within components. */
const DEEPEST = 50;
/** The largest row id: ids are 32-bit integers. */
const LARGEST_ID = 2 ** 31 - 1;

/** What the rows of a model are made of. */
interface Shape {
  readonly model: Model;
  readonly layout: ModelLayout;
  readonly columns: readonly string[];
  /** The place and type of each scalar attribute and system field in a row, by name. */
  readonly scalars: ReadonlyMap<string, { readonly place: number; readonly type: ScalarType }>;
}

/** Types of the fields that every content type has, by name. */
const SYSTEM_FIELDS: ReadonlyMap<string, ScalarType> = new Map([
  ['documentId', 'string'],
  ['createdAt', 'datetime'],
  ['updatedAt', 'datetime'],
  ['publishedAt', 'datetime'],
  ['locale', 'string'],
]);

interface EntityOptions {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly buffer: RowBuffer;
  readonly report: ReportFinding;
  readonly schemas: SourceSchemas;
  /** The files of the archive. */
  readonly assets: ReadonlyMap<string, number>;
}

/** The rows that an archive contains, by model. */
export class SourceIds {
  readonly #memory = new IdMemory();
  readonly #byModel = new Map<string, RowIds>();

  /** Adds a row of a model of the project. Returns whether it is new. */
  add(uid: string, id: number): boolean {
    const ids = this.#byModel.get(uid) ?? new RowIds(this.#memory);
    this.#byModel.set(uid, ids);
    return ids.add(id);
  }

  has(uid: string, id: number): boolean {
    return this.#byModel.get(uid)?.has(id) ?? false;
  }
}

/** A row id of a line; undefined for any other value. */
export const rowIdOf = (value: unknown): number | undefined =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= LARGEST_ID ? Number(value) : undefined;

export class EntityRows {
  readonly #options: EntityOptions;
  readonly ids = new SourceIds();
  readonly #shapes = new Map<string, Shape>();
  /** The number of rows that link components to owners, by table. */
  readonly #ties = new Map<string, number>();
  readonly notices: string[] = [];

  constructor(options: EntityOptions) {
    this.#options = options;
  }

  add({ type, id, data }: JsonObject): void {
    const { report, buffer } = this.#options;
    const row = rowIdOf(id);
    if (typeof type !== 'string' || row === undefined || !isObject(data))
      throw new UsageError(`${buffer.place} is no row: it has no type, id or data`, 1);
    const shape = this.#shapeOf(type);
    const { place } = buffer;
    if (shape?.model.modelType !== 'contentType') {
      const message = 'the project has no such type: its rows are left out';
      report({ kind: 'unknown-type', place, type, rows: 1, message });
      return;
    }
    if (!this.ids.add(type, row)) {
      const message = `row ${row} occurs before: the later one is left out with its components`;
      report({ kind: 'duplicate-id', place, type, rows: 1, message });
      return;
    }
    this.#addRow(shape, row, type === FILE_UID ? this.#withFiles(data, place) : data, 0);
  }

  #shapeOf(uid: string): Shape | undefined {
    const known = this.#shapes.get(uid);
    if (known) return known;
    const { catalog, layout, schemas, report, buffer } = this.#options;
    const model = catalog.contentTypes.get(uid) ?? catalog.components.get(uid);
    if (!model) return undefined;
    const shape = shapeOf(model, layoutOf(layout, uid));
    this.#shapes.set(uid, shape);
    if (model.modelType === 'contentType') schemas.compare(model, buffer.place, report);
    const missing = schemas.missingIn(model);
    if (missing.length > 0) this.notices.push(`${uid}: the archive has no ${missing.join(', ')}, which stay empty`);
    return shape;
  }

  #addRow(shape: Shape, id: number, data: JsonObject, depth: number): void {
    const { buffer, report } = this.#options;
    const row: CanonicalValue[] = shape.columns.map(() => null);
    row[0] = id;
    const components: Attribute[] = [];
    for (const [name, value] of Object.entries(data)) {
      if (value === null || value === undefined) continue;
      const scalar = shape.scalars.get(name);
      if (scalar) {
        row[scalar.place] = this.#valueOf(shape, name, scalar.type, value);
        continue;
      }
      const attribute = shape.model.attributes.get(name);
      if (attribute?.type === 'component' || attribute?.type === 'dynamiczone') components.push(attribute);
      else if (name !== 'id' && name !== '__component' && !(Array.isArray(value) && value.length === 0)) {
        const what = attribute
          ? { kind: 'changed-attribute' as const, why: 'is no value in the project' }
          : { kind: 'unknown-attribute' as const, why: 'is not in the project' };
        const message = `the attribute ${what.why}: its values are left out`;
        report({ kind: what.kind, place: buffer.place, type: shape.model.uid, attribute: name, message });
      }
    }
    buffer.add(shape.layout.table, shape.columns, row);
    for (const attribute of components) this.#addComponents(shape, id, attribute, data[attribute.name], depth + 1);
  }

  #valueOf({ model }: Shape, attribute: string, type: ScalarType, value: unknown): CanonicalValue {
    const canonical = canonicalOf(type, value);
    if (canonical !== undefined) return canonical;
    const { report, buffer } = this.#options;
    const message = `${shown(value)} is not ${EXPECTED[type] ?? 'a text'}: the value is left empty`;
    report({ kind: 'invalid-value', place: buffer.place, type: model.uid, attribute, message });
    return null;
  }

  /** Adds the components of one attribute, and ties them to their owner. */
  #addComponents(owner: Shape, ownerId: number, attribute: Attribute, value: unknown, depth: number): void {
    const { buffer, report } = this.#options;
    const isList = attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable);
    const { uid } = owner.model;
    const refuse = (kind: 'unknown-type' | 'invalid-value' | 'duplicate-id', what: string): void => {
      report({ kind, place: buffer.place, type: uid, attribute: attribute.name, message: `${what} is left out` });
    };
    if (isList !== Array.isArray(value)) {
      const message = `the archive has ${isList ? 'no list' : 'a list'} of components: they are left out`;
      report({ kind: 'changed-attribute', place: buffer.place, type: uid, attribute: attribute.name, message });
      return;
    }
    for (const [n, item] of (isList ? (value as unknown[]) : [value]).entries()) {
      const id = isObject(item) ? rowIdOf(item.id) : undefined;
      if (!isObject(item) || id === undefined || depth > DEEPEST) {
        refuse('invalid-value', 'an item that is no component');
        continue;
      }
      const component = attribute.type === 'component' ? attribute.component : String(item.__component);
      const shape = this.#shapeOf(component);
      if (shape?.model.modelType !== 'component') refuse('unknown-type', `a component ${shown(component)}`);
      else if (!this.ids.add(component, id)) refuse('duplicate-id', `row ${id} of ${component}, which occurs before,`);
      else {
        this.#addRow(shape, id, item, depth);
        this.#tie(owner, [ownerId, id, component, attribute.name, isList ? n + 1 : null]);
      }
    }
  }

  #tie(owner: Shape, tie: readonly CanonicalValue[]): void {
    const table = owner.layout.componentsTable!;
    const id = (this.#ties.get(table) ?? 0) + 1;
    this.#ties.set(table, id);
    this.#options.buffer.add(table, TIES, [id, ...tie]);
  }

  /** Checks the names of a file and its formats, and that the archive has them. */
  #withFiles(data: JsonObject, place: string): JsonObject {
    const { assets, report } = this.#options;
    const formats = isObject(data.formats) ? Object.values(data.formats).filter(isObject) : [];
    for (const one of [data, ...formats]) {
      const name = fileNameOf(one);
      const isSafe = isFileName(name) && (typeof one.url !== 'string' || !leadsOut(one.url));
      if (!isSafe) throw new UsageError(`${place} has a file with an unsafe name: ${shown(name)}`, 1);
      if (assets.size === 0 || assets.has(name) || isElsewhere(one.url)) continue;
      const message = `the archive has no file ${name}: its record stays`;
      report({ kind: 'missing-file', place, type: FILE_UID, message });
    }
    if (data.provider === 'local' || !assets.has(fileNameOf(data))) return data;
    // the file is stored here from now on
    const local = (one: JsonObject): JsonObject => ({ ...one, url: `/uploads/${fileNameOf(one)}` });
    const own = isObject(data.formats) ? Object.entries(data.formats) : undefined;
    const moved = own && Object.fromEntries(own.map(([name, one]) => [name, isObject(one) ? local(one) : one]));
    return { ...local(data), provider: 'local', ...(moved && { formats: moved }) };
  }
}

const fileNameOf = ({ hash, ext }: JsonObject): string =>
  `${typeof hash === 'string' ? hash : ''}${typeof ext === 'string' ? ext : ''}`;
const leadsOut = (url: string): boolean => url.includes('\\') || url.split(/[/?#]/).includes('..');
const isElsewhere = (url: unknown): boolean => typeof url === 'string' && /^https?:\/\//.test(url);

/** A value for a message, without its end. */
function shown(value: unknown): string {
  const text = typeof value === 'object' ? (Array.isArray(value) ? 'a list' : 'an object') : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function shapeOf(model: Model, layout: ModelLayout): Shape {
  const columns = ['id'];
  const scalars = new Map<string, { place: number; type: ScalarType }>();
  for (const [name, column] of layout.columns) {
    if (name === 'id') continue;
    const attribute = model.attributes.get(name);
    const type = attribute && isScalar(attribute) ? attribute.type : SYSTEM_FIELDS.get(name);
    if (!type) continue;
    scalars.set(name, { place: columns.length, type });
    columns.push(column);
  }
  return { model, layout, columns, scalars };
}
