/**
 * Links of written data in the form in which listeners receive them in the reference: `{ set: [{ id }] }`, or `connect`
 * and `disconnect`, with the ids of rows instead of document ids. Links that listeners do not change are written as
 * they were passed.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Attribute, type ContentType, FILE_UID, type Model } from '../../schema/catalog.ts';
import type { OperationsContext, Row } from './document-actions.ts';
import { copied } from './known-data.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

const LISTS = ['set', 'disconnect', 'connect'] as const;

export type Status = 'draft' | 'published';

/** The rows of linked documents in some states, in every locale. */
export async function linkedRows(
  { serviceOf }: Pick<OperationsContext, 'serviceOf'>,
  { uid, draftAndPublish, localized }: ContentType,
  filters: Params,
  states: readonly Status[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const status of draftAndPublish ? states : [undefined]) {
    const params = {
      filters,
      ...(status && { status }),
      ...(localized ? { locale: '*', fields: ['locale'] } : { fields: ['documentId'] }),
    };
    rows.push(...((await serviceOf(uid).findMany(params as never)) as unknown as Row[]));
  }
  return rows;
}

/** Rows by the uid of their type and their document id. */
type Linked = ReadonlyMap<string, ReadonlyMap<string, readonly Row[]>>;

/**
 * The value of a relation or of media.
 *
 * @param uid of the linked type; undefined for any. @param place names the attribute. @param isOneOfAny true for morphToOne.
 */
type MapLinks = (value: unknown, uid: string | undefined, place: string, isOneOfAny: boolean) => unknown;

export class ListenerLinks {
  readonly #context: Pick<OperationsContext, 'runtime' | 'serviceOf'>;
  readonly #type: ContentType;
  /** By attribute, whose entries may be several. */
  readonly #links = new Map<string, { readonly shown: unknown; readonly given: unknown }[]>();

  constructor(context: Pick<OperationsContext, 'runtime' | 'serviceOf'>, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  /** Data with its links, those of components included, as listeners receive them. @param locale that is written. */
  async shown(data: Params, locale: unknown): Promise<Params> {
    const values = new Map<string | undefined, unknown[]>();
    this.#mapped(this.#type, data, (value, uid) => {
      values.set(uid, [...(values.get(uid) ?? []), ...listsOf(value).flat()]);
      return value;
    });
    const linked = new Map<string | undefined, Linked>();
    for (const [uid, ofType] of values) linked.set(uid, await this.#linked(ofType, uid));
    return this.#mapped(this.#type, data, (given, uid, place, isOneOfAny) => {
      const list = (links: readonly unknown[]) =>
        links
          .flatMap((one) => this.#link(one, uid, { linked: linked.get(uid)!, locale }))
          .filter((one) => one !== undefined);
      // the reference shows a link of morphToOne as it is
      const shown = isOneOfAny && named(given) ? (list([given])[0] ?? given) : changed(given, list);
      this.#links.set(place, [...(this.#links.get(place) ?? []), { shown: copied({ shown })['shown'], given }]);
      return shown;
    });
  }

  /** Data after listeners have changed it, with unchanged links in their original form. */
  restored(data: Params): Params {
    return this.#mapped(this.#type, data, (value, _uid, place) => {
      const known = this.#links.get(place)?.find(({ shown }) => isDeepStrictEqual(value, shown));
      return known ? known.given : value;
    });
  }

  /** Data with other values in the places of its links. */
  #mapped(model: Model, data: Params, map: MapLinks): Params {
    const result = { ...data };
    for (const [name, value] of Object.entries(data)) {
      const attribute = model.attributes.get(name);
      if (attribute === undefined || value === undefined || value === null) continue;
      const { type } = attribute;
      const inEntry = (entry: unknown): unknown => {
        const component = this.#componentOf(attribute, entry);
        return component ? this.#mapped(component, entry as Params, map) : entry;
      };
      if (type === 'relation' || type === 'media') {
        const [uid, isOneOfAny] =
          type === 'media' ? [FILE_UID, false] : [attribute.target, attribute.relation === 'morphToOne'];
        result[name] = map(value, uid, `${model.uid}.${name}`, isOneOfAny);
      }
      if (type === 'component' || type === 'dynamiczone')
        result[name] = Array.isArray(value) ? value.map(inEntry) : inEntry(value);
    }
    return result;
  }

  /** The component of an entry; undefined for any other value. */
  #componentOf(attribute: Attribute, entry: unknown): Model | undefined {
    if (!isPlain(entry)) return undefined;
    const { components } = this.#context.runtime.catalog;
    if (attribute.type === 'component') return components.get(attribute.component);
    return attribute.type === 'dynamiczone' ? components.get(String(entry['__component'])) : undefined;
  }

  #link(value: unknown, uid: string | undefined, { linked, locale }: { linked: Linked; locale: unknown }): unknown {
    const relation = named(value);
    if (relation?.['documentId'] === undefined) return relation ?? (value === null ? undefined : value);
    const { documentId, position, __type } = relation;
    const target = uid ?? String(__type);
    const rows = linked.get(target)?.get(String(documentId)) ?? [];
    const wanted = relation['locale'] ?? locale;
    const ofLocale = rows.filter((row) => typeof wanted !== 'string' || row['locale'] === wanted);
    const ids = (ofLocale.length > 0 ? ofLocale : rows).map(({ id }) => id);
    // missing rows are refused by the write
    if (ids.length === 0) return value;
    return ids.map((id) => ({ id, ...(position ? { position } : {}), ...(uid ? {} : { __type }) }));
  }

  /** The rows of linked documents: of those with drafts the drafts, and published ones where the document has no drafts. */
  async #linked(values: readonly unknown[], uid: string | undefined): Promise<Linked> {
    const ids = new Map<string, Set<string>>();
    for (const value of values) {
      const relation = named(value);
      const target = uid ?? relation?.['__type'];
      if (relation?.['documentId'] === undefined || typeof target !== 'string') continue;
      ids.set(target, (ids.get(target) ?? new Set()).add(String(relation['documentId'])));
    }
    const linked = new Map<string, Map<string, Row[]>>();
    for (const [target, documentIds] of ids) {
      const type = this.#context.runtime.catalog.contentTypes.get(target);
      if (!type) continue;
      const states: readonly Status[] = this.#type.draftAndPublish ? ['draft'] : ['draft', 'published'];
      const rows = await linkedRows(this.#context, type, { documentId: { $in: [...documentIds] } }, states);
      linked.set(
        target,
        Map.groupBy(rows, ({ documentId }) => documentId),
      );
    }
    return linked;
  }
}

/** A link that names a row or a document by a key; undefined for other values. */
function named(value: unknown): Params | undefined {
  if (isPlain(value)) return 'id' in value || 'documentId' in value ? value : undefined;
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  return Number.isNaN(Number.parseInt(String(value), 10)) ? { documentId: value } : { id: value };
}

/** The lists of a value: `[1]` of `1`, those of `set`, `connect` and `disconnect`. */
function listsOf(value: unknown): unknown[][] {
  const lists: unknown[][] = [];
  changed(value, (list) => {
    lists.push([...list]);
    return list;
  });
  return lists;
}

/** A value of links in which each list of them is another one. */
function changed(value: unknown, list: (values: readonly unknown[]) => readonly unknown[]): unknown {
  if (Array.isArray(value)) return { set: list(value) };
  if (!isPlain(value)) return { set: list([value]) };
  if (named(value)) return { set: list([value]) };
  const lists = LISTS.filter((name) => value[name]);
  return { ...value, ...Object.fromEntries(lists.map((name) => [name, list([value[name]].flat())])) };
}
