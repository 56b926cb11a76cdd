/**
 * Links of a row that is created as a copy, as when a document is published, in the form in which listeners receive them in
 * the reference: `{ set: [{ id }] }`, or null for a relation to one without a link.
 */
import {
  type Attribute,
  type ContentType,
  CREATORS,
  isToMany,
  type MediaAttribute,
  type RelationAttribute,
} from '../../schema/catalog.ts';
import type { OperationsContext } from './document-actions.ts';
import type { Params } from './lifecycles.ts';
import { ListenerLinks, linkedRows, type Status } from './listener-links.ts';
import { isPlain } from './plain-params.ts';
import type { VersionRows } from './version-rows.ts';

/** The original of a copy. */
export interface Original {
  readonly documentId: unknown;
  readonly locale: unknown;
  readonly status: Status;
}

export class CopiedLinks {
  readonly #context: OperationsContext;
  readonly #type: ContentType;
  readonly #rows: VersionRows;

  constructor(context: OperationsContext, type: ContentType, rows: VersionRows) {
    this.#context = context;
    this.#type = type;
    this.#rows = rows;
  }

  /**
   * The links of a copy.
   *
   * @param original undefined for one that does not exist yet. @param edits data that is written to it. @param status of the copy.
   */
  async of(original: Original | undefined, edits: Params, status: Status): Promise<Params> {
    const attributes = [...this.#type.attributes.values()].filter(isLink);
    const names = attributes.map(({ name }) => name);
    const populate = Object.fromEntries([...names, ...CREATORS].map((name) => [name, { fields: ['id'] }]));
    const stored = original && (await this.#rows.row(original, original.status, { populate }));
    const written = Object.fromEntries(Object.entries(edits).filter(([name]) => names.includes(name)));
    const edited = await new ListenerLinks(this.#context, this.#type).shown(written, original?.locale);
    const links: Params = {};
    for (const attribute of attributes) {
      const { name } = attribute;
      const ids = idsAfter(idsOf(stored?.[name]), edited[name]);
      const isMapped = attribute.type === 'relation' && original?.status !== status;
      const mapped = isMapped ? await this.#ofStatus(ids, attribute.target, status) : ids;
      links[name] = linksOf(mapped, isToMany(this.#type, name));
    }
    for (const name of CREATORS) links[name] = linksOf(idsOf(stored?.[name]), false);
    return links;
  }

  /** The ids of the rows of linked documents in the status of the copy. Documents without such a row are left out. */
  async #ofStatus(ids: readonly number[], uid: string, status: Status): Promise<readonly number[]> {
    const target = this.#context.runtime.catalog.contentTypes.get(uid);
    if (ids.length === 0 || !target?.draftAndPublish) return ids;
    const from = await linkedRows(this.#context, target, { id: { $in: ids } }, [other(status)]);
    const documentIds = from.map(({ documentId }) => documentId);
    const to = await linkedRows(this.#context, target, { documentId: { $in: documentIds } }, [status]);
    return ids.flatMap((id) => {
      const row = from.find((one) => one.id === id);
      if (!row) return [id];
      const copy = to.find(({ documentId, locale }) => documentId === row.documentId && locale === row['locale']);
      return copy ? [copy.id] : [];
    });
  }
}

type Link = (RelationAttribute & { readonly target: string }) | MediaAttribute;

const other = (status: Status): Status => (status === 'published' ? 'draft' : 'published');

/** Polymorphic relations have links to rows of several types, and are left out. */
const isLink = (attribute: Attribute): attribute is Link =>
  attribute.type === 'media' || (attribute.type === 'relation' && attribute.target !== undefined);

/** The ids of linked rows that a row is populated with, or that data names. */
const idsOf = (value: unknown): number[] =>
  [value ?? []].flat().flatMap((one) => (isPlain(one) && typeof one['id'] === 'number' ? [one['id']] : []));

/** The ids of links after an edit in the form of listeners. */
function idsAfter(ids: readonly number[], edit: unknown): readonly number[] {
  if (edit === undefined) return ids;
  if (!isPlain(edit)) return [];
  if (edit['set'] !== undefined) return idsOf(edit['set']);
  const [removed, added] = [idsOf(edit['disconnect']), idsOf(edit['connect'])];
  return [...ids.filter((id) => !removed.includes(id) && !added.includes(id)), ...added];
}

function linksOf(ids: readonly number[], isList: boolean): unknown {
  // a connected row replaces the one before
  const shown = isList ? ids : ids.slice(-1);
  return shown.length === 0 && !isList ? null : { set: shown.map((id) => ({ id })) };
}
