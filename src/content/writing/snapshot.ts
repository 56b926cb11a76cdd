/** A stored row in the form of a written one, to hold a whole draft to the rules of publication. */

import type { WrittenComponents, WrittenEntry, WrittenRow } from '../../access/permitted-write.ts';
import type { RelationEdit, RelationEntry } from '../../query/relation-payload.ts';
import type { Model } from '../../schema/catalog.ts';
import { linkedRows } from '../links/stored-links.ts';
import type { NestedContent } from '../publication/nested-content.ts';
import type { ReadContext } from './write-context.ts';

/** What of a row is not part of `NestedContent`. */
interface StoredRow {
  readonly scalars: ReadonlyMap<string, unknown>;
  /** Of the attributes that must link something and whose links are not copied: whether they do. */
  readonly isLinked: (attribute: string) => boolean;
}

/**
 * Rows with their components, put together from what is read of each level of nesting. Of relations and media only those
 * that are required are there: nothing else is checked of them at publication.
 */
export class StoredRows {
  readonly #context: ReadContext;
  readonly #rows = new Map<string, StoredRow>();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** Reads rows of a model. */
  async read(model: Model, rowIds: readonly number[]): Promise<void> {
    const { contentQuery, scalars, requiredLinks, ownLinks } = this.#context.plans.of(model.uid);
    const others = requiredLinks.filter((plan) => !ownLinks.includes(plan));
    const [stored, isLinked] = await Promise.all([
      this.#context.tables.find(contentQuery, [rowIds]),
      linkedRows(this.#context, others, rowIds),
    ]);
    for (const [id, ...values] of stored) {
      const rowId = Number(id);
      const byName = new Map<string, unknown>();
      [...scalars.values()].forEach(({ attribute: { name, type } }, index) => {
        const value = values[index];
        byName.set(name, type === 'biginteger' && typeof value === 'number' ? BigInt(Math.trunc(value)) : value);
      });
      this.#rows.set(`${model.uid} ${rowId}`, {
        scalars: byName,
        isLinked: (attribute) => isLinked(rowId, attribute),
      });
    }
  }

  /** A row that was read, with its components; `content` is what is nested in it and others. */
  whole(model: Model, rowId: number, content: NestedContent): WrittenRow {
    const { scalars, isLinked } = this.#rows.get(`${model.uid} ${rowId}`)!;
    const relations = new Map<string, RelationEdit>();
    const media = new Map<string, readonly RelationEntry[]>();
    for (const { attribute } of this.#context.plans.of(model.uid).requiredLinks) {
      const { name, type } = attribute;
      const entries = (content.links.get(name)?.has(rowId) ?? isLinked(name)) ? [LINKED] : [];
      if (type === 'media') media.set(name, entries);
      else relations.set(name, { kind: 'set', entries });
    }
    return { model, scalars, relations, media, components: this.#components(model, rowId, content) };
  }

  #components(model: Model, rowId: number, { entries, inside }: NestedContent): Map<string, WrittenComponents> {
    const { plans } = this.#context;
    const components = new Map<string, WrittenComponents>();
    for (const attribute of plans.of(model.uid).ties?.attributes ?? []) {
      const ofField = (entries.get(rowId) ?? []).filter(({ field }) => field === attribute.name);
      const written = ofField.map(({ uid, id }): WrittenEntry => {
        return { kind: 'row', id, row: this.whole(plans.of(uid).model, id, inside.get(uid)!) };
      });
      components.set(attribute.name, { attribute, raw: written, entries: written });
    }
    return components;
  }
}

/** Stands for whatever is linked: only that something is, counts. */
const LINKED: RelationEntry = {
  documentId: '',
  id: undefined,
  locale: undefined,
  status: undefined,
  position: { kind: 'end' },
  type: undefined,
};
