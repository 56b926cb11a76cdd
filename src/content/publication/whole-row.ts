/** A stored row in the form of a written one, to hold a whole draft to the rules of publication. */
import type { WrittenComponents, WrittenEntry, WrittenRow } from '../../access/permitted.ts';
import type { RelationEdit, RelationEntry } from '../../query/relation-payload.ts';
import type { Model, ScalarType } from '../../schema/catalog.ts';
import { linkedRows } from '../relations/stored-links.ts';
import type { ReadContext, WriteContext } from '../rows/write-context.ts';
import { type Content, readContent } from './original.ts';

/** The part of a stored row that `Content` lacks. */
interface StoredRow {
  readonly scalars: ReadonlyMap<string, unknown>;
  /** Whether a required attribute links something although its links are not copied. */
  readonly isLinked: (attribute: string) => boolean;
}

/**
 * Rows with their components, assembled from the levels of nesting. Of relations and media they hold only those that
 * are required or that conditions read, since a publication checks no others.
 */
export class StoredRows {
  readonly #context: ReadContext;
  readonly #rows = new Map<string, StoredRow>();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** Reads rows of a model. */
  async read(model: Model, rowIds: readonly number[]): Promise<void> {
    const { contentQuery, scalars, checkedLinks, ownLinks } = this.#context.plans.of(model.uid);
    const others = checkedLinks.filter((plan) => !ownLinks.includes(plan));
    const [stored, isLinked] = await Promise.all([
      this.#context.tables.find(contentQuery, [rowIds]),
      linkedRows(this.#context, others, rowIds),
    ]);
    for (const [id, ...values] of stored) {
      const rowId = Number(id);
      const byName = new Map<string, unknown>();
      [...scalars.values()].forEach(({ attribute: { name, type } }, index) => {
        const value = values[index];
        byName.set(name, this.#valueOf(type, value));
      });
      this.#rows.set(`${model.uid} ${rowId}`, {
        scalars: byName,
        isLinked: (attribute) => isLinked(rowId, attribute),
      });
    }
  }

  /** Whether a row was there. */
  has(model: Model, rowId: number): boolean {
    return this.#rows.has(`${model.uid} ${rowId}`);
  }

  #valueOf(type: ScalarType, value: unknown): unknown {
    if (type === 'biginteger' && typeof value === 'number') return BigInt(Math.trunc(value));
    // nothing but conditions looks into documents
    const isDocument = (type === 'json' || type === 'blocks') && typeof value === 'string';
    return isDocument && this.#context.plans.index.anyConditions ? parsed(value) : value;
  }

  /** A row that was read, with its components. `content` holds its links and entries. */
  whole(model: Model, rowId: number, content: Content): WrittenRow {
    const { scalars, isLinked } = this.#rows.get(`${model.uid} ${rowId}`)!;
    const relations = new Map<string, RelationEdit>();
    const media = new Map<string, readonly RelationEntry[]>();
    for (const { attribute } of this.#context.plans.of(model.uid).checkedLinks) {
      const { name, type } = attribute;
      const entries = (content.get(model.uid)?.links.get(name)?.has(rowId) ?? isLinked(name)) ? [LINKED] : [];
      if (type === 'media') media.set(name, entries);
      else relations.set(name, { kind: 'set', entries });
    }
    return { model, scalars, relations, media, components: this.#components(model, rowId, content) };
  }

  #components(model: Model, rowId: number, content: Content): Map<string, WrittenComponents> {
    const { plans } = this.#context;
    const components = new Map<string, WrittenComponents>();
    for (const attribute of plans.of(model.uid).ties?.attributes ?? []) {
      const ofField = (content.get(model.uid)?.entries.get(rowId) ?? []).filter(
        ({ field }) => field === attribute.name,
      );
      const written = ofField.map(({ uid, id }): WrittenEntry => {
        return { kind: 'row', id, row: this.whole(plans.of(uid).model, id, content) };
      });
      components.set(attribute.name, { attribute, raw: written, entries: written });
    }
    return components;
  }
}

/** A stored JSON document; the text itself if another program has stored something else. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A stored row of a model with everything in it; undefined where there is none of that id. */
export async function readWhole(context: WriteContext, model: Model, rowId: number): Promise<WrittenRow | undefined> {
  const stored = new StoredRows(context);
  const pairs = [{ from: rowId, to: undefined }];
  const content = await readContent(context, model, pairs, undefined, (each, rows) => stored.read(each, rows));
  return stored.has(model, rowId) ? stored.whole(model, rowId, content) : undefined;
}

/** Stands for any linked document: checks only ask whether there is one. */
const LINKED: RelationEntry = {
  documentId: '',
  id: undefined,
  locale: undefined,
  status: undefined,
  position: { kind: 'end' },
  type: undefined,
};
