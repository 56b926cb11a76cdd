/**
 * Links of written data in the form in which listeners receive them in the reference: `{ set: [{ id }] }`, or `connect`
 * and `disconnect`, with the ids of rows instead of document ids. Links that listeners do not change are written as
 * they were passed.
 */
import { isDeepStrictEqual } from 'node:util';
import { type ContentType, FILE_UID } from '../../schema/catalog.ts';
import type { OperationsContext, Row } from './document-actions.ts';
import { copied } from './known-data.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

const LISTS = ['set', 'disconnect', 'connect'] as const;

/** Rows by the uid of their type and their document id. */
type Linked = ReadonlyMap<string, ReadonlyMap<string, readonly Row[]>>;

export class ListenerLinks {
  readonly #context: Pick<OperationsContext, 'runtime' | 'serviceOf'>;
  readonly #type: ContentType;
  readonly #links = new Map<string, { readonly shown: unknown; readonly given: unknown }>();

  constructor(context: Pick<OperationsContext, 'runtime' | 'serviceOf'>, type: ContentType) {
    this.#context = context;
    this.#type = type;
  }

  /** Data with its links as listeners receive them. @param locale that is written. */
  async shown(data: Params, locale: unknown): Promise<Params> {
    const result = { ...data };
    for (const attribute of this.#type.attributes.values()) {
      const { name, type } = attribute;
      const value: unknown = data[name];
      if ((type !== 'relation' && type !== 'media') || value === undefined || value === null) continue;
      const uid = attribute.type === 'relation' ? attribute.target : FILE_UID;
      const linked = await this.#linked(listsOf(value).flat(), uid);
      const list = (values: readonly unknown[]) =>
        values.flatMap((one) => this.#link(one, uid, { linked, locale })).filter((one) => one !== undefined);
      const shown = changed(value, list);
      this.#links.set(name, { shown: copied({ shown })['shown'], given: value });
      result[name] = shown;
    }
    return result;
  }

  /** Data after listeners have changed it, with unchanged links in their original form. */
  restored(data: Params): Params {
    const result = { ...data };
    for (const [name, { shown, given: original }] of this.#links) {
      if (isDeepStrictEqual(data[name], shown)) result[name] = original;
    }
    return result;
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
      const statuses = !type.draftAndPublish || this.#type.draftAndPublish ? ['draft'] : ['draft', 'published'];
      const rows: Row[] = [];
      for (const status of statuses) {
        const params = {
          filters: { documentId: { $in: [...documentIds] } },
          ...(type.draftAndPublish ? { status } : {}),
        };
        const requested = { ...params, ...(type.localized ? { locale: '*' } : {}) };
        rows.push(...((await this.#context.serviceOf(target).findMany(requested as never)) as unknown as Row[]));
      }
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
