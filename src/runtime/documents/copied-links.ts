/**
 * Links and entries of a row that is created as a copy, as when a document is published, in the form in which listeners
 * receive them in the reference:
 *
 *     { tags: { set: [{ id }] }, boss: null, any: { set: [{ id, __type }] }, one: { id, __type, documentId, locale },
 *       block: { id, __pivot: { field: 'block', component_type: 'shared.block' } } }
 *
 * Entries of components have the ids of the original, because those of the copy do not exist yet.
 */
import {
  type Attribute,
  type ComponentAttribute,
  type ContentType,
  CREATORS,
  type DynamicZoneAttribute,
  FILE_UID,
  isToMany,
  type MediaAttribute,
  type RelationAttribute,
} from '../../schema/catalog.ts';
import { unsupported } from '../guarded.ts';
import type { OperationsContext, Row } from './document-actions.ts';
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
   * The links and entries of a copy.
   *
   * @param original undefined for one that does not exist yet. @param edits data that is written to it. @param status of the copy.
   */
  async of(original: Original | undefined, edits: Params, status: Status): Promise<Params> {
    const attributes = [...this.#type.attributes.values()];
    const links = attributes.filter(isLink);
    const parts = attributes.filter(hasEntries).filter(({ name }) => edits[name] === undefined);
    const populate = Object.fromEntries([
      ...[...links, ...parts].map((one) => [one.name, isAny(one) || one.type === 'dynamiczone' ? true : ID]),
      ...CREATORS.map((name) => [name, ID]),
    ]);
    const stored = original && (await this.#rows.row(original, original.status, { populate }));
    const written = Object.fromEntries(
      Object.entries(edits).filter(([name]) => links.some((one) => one.name === name)),
    );
    const edited = await new ListenerLinks(this.#context, this.#type).shown(written, original?.locale);
    const values: Params = {};
    for (const attribute of links) {
      const { name } = attribute;
      const after = linksAfter(linksOf(stored?.[name], attribute), edited[name], attribute);
      values[name] = await this.#shown(attribute, after, original?.status, status);
    }
    for (const name of CREATORS) values[name] = setOf([stored?.[name] ?? []].flat().map(idOf), false);
    for (const attribute of stored ? parts : []) {
      const { name } = attribute;
      const entries = [stored?.[name] ?? []].flat().map((entry) => entryOf(attribute, entry as Params));
      if (isToMany(this.#type, name)) values[name] = entries;
      else if (entries.length > 0) values[name] = entries[0];
    }
    return values;
  }

  /**
   * Changes of listeners to a copy, with its own entries in place of those of the original.
   *
   * @param shown the values before listeners have changed them. @param copy reads the copy that was written.
   * @throws Unsupported for entries that the original does not have.
   */
  async placed(changes: Params, shown: Params, copy: (shape: Params) => Promise<Row | null>): Promise<Params> {
    const names = Object.keys(changes).filter((name) => entriesOf(shown[name]).length > 0);
    if (names.length === 0) return changes;
    const row = await copy({ populate: Object.fromEntries(names.map((name) => [name, true])) });
    const ownEntry = (name: string) => (value: unknown) => {
      if (!isPlain(value) || value['id'] === undefined) return value;
      const index = entriesOf(shown[name]).findIndex(
        ({ id, __component }) => id === value['id'] && __component === value['__component'],
      );
      const { id, __component } = ([row?.[name] ?? []].flat()[index] ?? {}) as Params;
      if (id === undefined) unsupported(`an entry of ${name} that is not one of the copied document`);
      return { id, ...(__component === undefined ? {} : { __component }) };
    };
    const own = names.map((name) => {
      const value = changes[name];
      return [name, Array.isArray(value) ? value.map(ownEntry(name)) : ownEntry(name)(value)];
    });
    return { ...changes, ...Object.fromEntries(own) };
  }

  /** @param from the status of the original, if there is one. */
  async #shown(attribute: Link, links: readonly Linked[], from: Status | undefined, status: Status): Promise<unknown> {
    const isList = isToMany(this.#type, attribute.name);
    const isMapped = attribute.type === 'relation' && from !== status;
    if (isAny(attribute) && !isList) {
      // the reference does not replace the draft that this link leads to
      const [link] = await this.#ofStatus(links.slice(-1), 'draft');
      if (!link) return null;
      const { documentId, locale } = link;
      return { ...(isMapped && documentId !== undefined ? { documentId, locale } : {}), id: link.id, __type: link.uid };
    }
    const shown = isMapped ? await this.#ofStatus(links, status) : links;
    return setOf(shown.map(isAny(attribute) ? ({ id, uid }) => ({ id, __type: uid }) : idOf), isList);
  }

  /** Links to the rows of linked documents in a status. Documents without such a row are left out. */
  async #ofStatus(links: readonly Linked[], status: Status): Promise<readonly Linked[]> {
    const copies = new Map<Linked, Linked | undefined>();
    for (const [uid, ofType] of Map.groupBy(links, (link) => link.uid)) {
      const target = this.#context.runtime.catalog.contentTypes.get(uid);
      if (!target?.draftAndPublish) continue;
      const other = status === 'published' ? 'draft' : 'published';
      const from = await linkedRows(this.#context, target, { id: { $in: ofType.map(({ id }) => id) } }, [other]);
      const documentIds = from.map(({ documentId }) => documentId);
      const to = await linkedRows(this.#context, target, { documentId: { $in: documentIds } }, [status]);
      for (const link of ofType) {
        const row = from.find(({ id }) => id === link.id);
        const copy = to.find(({ documentId, locale }) => documentId === row?.documentId && locale === row['locale']);
        if (row) copies.set(link, copy && { ...link, id: copy.id });
      }
    }
    return links.flatMap((link) => (copies.has(link) ? (copies.get(link) ?? []) : [link]));
  }
}

type Link = RelationAttribute | MediaAttribute;
type Parts = ComponentAttribute | DynamicZoneAttribute;

const ID = { fields: ['id'] };

const isLink = (attribute: Attribute): attribute is Link => attribute.type === 'media' || attribute.type === 'relation';

/** Whether a relation links rows of any type. */
const isAny = (attribute: Attribute): boolean => attribute.type === 'relation' && attribute.target === undefined;

const hasEntries = (attribute: Attribute): attribute is Parts =>
  attribute.type === 'component' || attribute.type === 'dynamiczone';

/** A linked row. */
interface Linked {
  readonly id: number;
  readonly uid: string;
  readonly documentId?: unknown;
  readonly locale?: unknown;
}

/** The linked rows that a row is populated with, or that data names. */
function linksOf(value: unknown, attribute: Link): Linked[] {
  const uid = attribute.type === 'media' ? FILE_UID : attribute.target;
  return [value ?? []].flat().flatMap((one) => {
    if (!isPlain(one) || typeof one['id'] !== 'number') return [];
    const { id, __type, documentId, locale } = one as Params & { id: number };
    return [{ id, uid: uid ?? String(__type), documentId, locale }];
  });
}

/** Links after an edit in the form of listeners. */
function linksAfter(links: readonly Linked[], edit: unknown, attribute: Link): readonly Linked[] {
  if (edit === undefined) return links;
  if (!isPlain(edit)) return [];
  if (edit['id'] !== undefined) return linksOf(edit, attribute);
  if (edit['set'] !== undefined) return linksOf(edit['set'], attribute);
  const [removed, added] = [linksOf(edit['disconnect'], attribute), linksOf(edit['connect'], attribute)];
  const changed = new Set([...removed, ...added].map(keyOf));
  return [...links.filter((link) => !changed.has(keyOf(link))), ...added];
}

const keyOf = ({ uid, id }: Linked): string => `${uid} ${id}`;

const idOf = (row: unknown) => ({ id: (row as Row).id });

function setOf(links: readonly object[], isList: boolean): unknown {
  // a connected row replaces the one before
  const shown = isList ? links : links.slice(-1);
  return shown.length === 0 && !isList ? null : { set: shown };
}

/** An entry of a component as the reference links it. */
function entryOf(attribute: Parts, { id, __component }: Params): Params {
  const { name: field } = attribute;
  return attribute.type === 'component'
    ? { id, __pivot: { field, component_type: attribute.component } }
    : { id, __component, __pivot: { field } };
}

/** The entries of such a value. */
const entriesOf = (value: unknown): Params[] =>
  [value ?? []].flat().filter((one): one is Params => isPlain(one) && one['__pivot'] !== undefined);
