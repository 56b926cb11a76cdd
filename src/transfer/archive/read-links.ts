/** Lines of links in an archive → rows of link tables, and columns of rows. */
import { UsageError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../plain-values.ts';
import type { Catalog, Model, RelationAttribute } from '../../schema/catalog.ts';
import { type Layout, layoutOf, type RelationLayout } from '../../schema/layout/layout.ts';
import type { CanonicalValue, FindingKind, ReportFinding } from '../rows.ts';
import { rowIdOf, type SourceIds } from './read-entities.ts';
import type { RowBuffer } from './row-buffer.ts';

interface LinkOptions {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly buffer: RowBuffer;
  readonly report: ReportFinding;
  /** The rows of the archive, which all come before its links. */
  readonly ids: SourceIds;
}

/** One end of a link. */
interface End {
  readonly type: string;
  readonly ref: number;
  readonly field: string | null;
  readonly pos: number | null;
}

/** Where the links of an attribute are stored. */
interface Place {
  readonly relation: Exclude<RelationLayout, { kind: 'inverseColumn' | 'morphInverse' }>;
  readonly table: string;
  readonly target: string | undefined;
  readonly columns: readonly string[];
}

export class LinkRows {
  readonly #options: LinkOptions;
  readonly #places = new Map<string, Place | FindingKind>();
  /** The number of rows by table. */
  readonly #rows = new Map<string, number>();

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  add({ left: leftEnd, right: rightEnd }: JsonObject): void {
    const { buffer } = this.#options;
    if (isLocalization(leftEnd) && !this.#hasAttribute(leftEnd)) return;
    const [left, right] = [endOf(leftEnd), endOf(rightEnd)];
    if (!left || !right || left.field === null)
      throw new UsageError(`${buffer.place} is no link: it has no type, field or ref on both sides`, 1);
    const place = this.#placeOf(left.type, left.field);
    const lost = [left, right].find(({ type, ref }) => !this.#options.ids.has(type, ref));
    if (typeof place === 'string') this.#refuse(place, left, PROBLEMS[place]!);
    else if (place.target !== undefined && place.target !== right.type)
      this.#refuse('changed-attribute', left, `the project links to ${place.target}, not to ${right.type}`);
    else if (lost) {
      const what = `row ${left.ref} links to row ${right.ref} of ${right.type}`;
      this.#refuse('dangling-link', left, `${what}: there is no row ${lost.ref} of ${lost.type}`);
    } else this.#store(place, left, right);
  }

  #store({ relation, table, columns }: Place, left: End, right: End): void {
    const ends = [left.ref, right.ref];
    if (relation.kind === 'column') this.#options.buffer.add(table, columns, ends, true);
    else if (relation.kind === 'morphColumns') this.#options.buffer.add(table, columns, [...ends, right.type], true);
    else if (relation.kind === 'morphTable')
      this.#insert(table, columns, [...ends, right.type, right.field, right.pos]);
    else {
      const orders = [relation.order === null ? [] : [left.pos], relation.inverseOrder === null ? [] : [right.pos]];
      this.#insert(table, columns, [...ends, ...orders.flat()]);
    }
  }

  #insert(table: string, columns: readonly string[], values: readonly CanonicalValue[]): void {
    const id = (this.#rows.get(table) ?? 0) + 1;
    this.#rows.set(table, id);
    this.#options.buffer.add(table, columns, [id, ...values]);
  }

  #hasAttribute({ type, field }: JsonObject): boolean {
    return this.#modelOf(String(type))?.attributes.has(String(field)) ?? false;
  }

  #modelOf(uid: string): Model | undefined {
    const { contentTypes, components } = this.#options.catalog;
    return contentTypes.get(uid) ?? components.get(uid);
  }

  #placeOf(uid: string, field: string): Place | FindingKind {
    const key = `${uid} ${field}`;
    const known = this.#places.get(key) ?? this.#findPlace(uid, field);
    // names of unknown attributes may be any number of texts
    if (typeof known === 'object') this.#places.set(key, known);
    return known;
  }

  #findPlace(uid: string, field: string): Place | FindingKind {
    const model = this.#modelOf(uid);
    if (!model) return 'unknown-type';
    const attribute = model.attributes.get(field);
    if (!attribute) return 'unknown-attribute';
    const own = layoutOf(this.#options.layout, uid);
    const relation = own.relations.get(field);
    if (attribute.type !== 'relation' || !relation) return 'changed-attribute';
    const { target } = attribute as RelationAttribute;
    switch (relation.kind) {
      case 'column':
        return { relation, table: own.table, target, columns: ['id', relation.column] };
      case 'morphColumns':
        return { relation, table: own.table, target, columns: ['id', relation.id, relation.type] };
      case 'morphTable': {
        const { table, source, id, type, field, order } = relation;
        return { relation, table, target, columns: ['id', source, id, type, field, order] };
      }
      case 'link': {
        const { table, source, target: other, order, inverseOrder } = relation;
        const orders = [order, inverseOrder].filter((column) => column !== null);
        return { relation, table, target, columns: ['id', source, other, ...orders] };
      }
      default:
        return 'changed-attribute';
    }
  }

  #refuse(kind: FindingKind, { type, field }: End, message: string): void {
    const { report, buffer } = this.#options;
    const what = { kind, place: buffer.place, type, ...(field !== null && { attribute: field }) };
    report({ ...what, rows: 1, message: `${message}: the link is left out` });
  }
}

const PROBLEMS: Readonly<Partial<Record<FindingKind, string>>> = {
  'unknown-type': 'the project has no such type',
  'unknown-attribute': 'the project has no such attribute',
  'changed-attribute': 'the attribute of the project does not store this link',
};

/** Links between the locales of a document say nothing new: they share its document id. */
const isLocalization = (end: unknown): end is JsonObject => isObject(end) && end.field === 'localizations';

function endOf(end: unknown): End | undefined {
  if (!isObject(end) || typeof end.type !== 'string') return undefined;
  const ref = rowIdOf(end.ref);
  if (ref === undefined) return undefined;
  const field = typeof end.field === 'string' ? end.field : null;
  return { type: end.type, ref, field, pos: typeof end.pos === 'number' ? end.pos : null };
}
