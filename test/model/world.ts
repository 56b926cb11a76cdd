/**
 * A model of what the content API says of documents: rows, components and ordered links in memory, after the
 * rules of Strapi 5 and those of docs/differences.md. It shares no code with the server.
 *
 * A link names a row by document, locale and state, whether that row is there or not: a published row keeps its link to
 * a document that is not published yet, and readers do not see it until it is (docs/differences.md, "Publication and
 * relations").
 */
import type { Attribute, ComponentPart, Model, RelationPart, Schema } from './schema.ts';

export type State = 'draft' | 'published' | 'only';

/** A component's entry. */
export interface Part {
  readonly key: string;
  readonly uid: string;
  readonly scalars: Map<string, unknown>;
  readonly parts: Map<string, Part[]>;
  /** Its row id as last read from the server. */
  id?: number;
}

export interface Row extends Part {
  readonly doc: string;
  readonly locale: string;
  readonly state: State;
  /** A draft that was written since it was published. */
  ahead: boolean;
}

/** Names a row, there or not. */
export function rowKey(uid: string, doc: string, locale: string, state: State): string {
  return `${uid}|${doc}|${locale}|${state}`;
}

export function refOf(key: string): { uid: string; doc: string; locale: string; state: State } {
  const [uid = '', doc = '', locale = '', state = ''] = key.split('|');
  return { uid, doc, locale, state: state as State };
}

export class World {
  readonly schema: Schema;
  /** Rows in the order in which they were made. */
  readonly rows = new Map<string, Row>();
  /** `<row or component>#<attribute>` → keys of rows, in order. Both sides of a two-sided relation have a list. */
  readonly #lists = new Map<string, string[]>();
  /** Links between drafts that a draft write made or removed, by their names → the row whose draft it was. */
  readonly edits = new Map<string, string>();
  #parts = 0;

  constructor(schema: Schema) {
    this.schema = schema;
  }

  model(uid: string): Model {
    return this.schema.get(uid)!;
  }

  list(holder: string, attribute: string): readonly string[] {
    return this.#lists.get(`${holder}#${attribute}`) ?? [];
  }

  newPart(uid: string): Part {
    this.#parts += 1;
    return { key: `part${this.#parts}`, uid, scalars: new Map(), parts: new Map() };
  }

  /** The rows of a document of some state. */
  rowsOf(uid: string, doc: string): Row[] {
    return [...this.rows.values()].filter((row) => row.uid === uid && row.doc === doc);
  }

  /** The row that is written: the draft, or the only one. */
  written(uid: string, doc: string, locale: string): Row | undefined {
    return this.rows.get(rowKey(uid, doc, locale, this.model(uid).drafts ? 'draft' : 'only'));
  }

  makeRow(uid: string, doc: string, locale: string, state: State): Row {
    const key = rowKey(uid, doc, locale, state);
    const row = { key, uid, doc, locale, state, scalars: new Map(), parts: new Map(), ahead: false };
    this.rows.set(key, row);
    return row;
  }

  /** A name for a link of a two-sided relation, the same from both sides. */
  linkName(holder: string, attribute: RelationPart, target: string): string | undefined {
    const inverse = this.inverseOf(attribute);
    if (!inverse) return undefined;
    return attribute.owner ? `${holder} ${attribute.name} ${target}` : `${target} ${inverse.name} ${holder}`;
  }

  /**
   * Replaces the links of one side; the other side gets new links at `place`, its end when left out. Gives the names of
   * the links that were made and removed.
   */
  setLinks(
    holder: string,
    attribute: RelationPart,
    keys: readonly string[],
    place?: (list: readonly string[], target: string) => number,
  ): string[] {
    const changed: string[] = [];
    const before = this.list(holder, attribute.name);
    this.#lists.set(`${holder}#${attribute.name}`, [...keys]);
    const inverse = this.inverseOf(attribute);
    if (!inverse) return changed;
    for (const target of before) {
      if (keys.includes(target)) continue;
      this.#drop(target, inverse.name, holder);
      changed.push(this.linkName(holder, attribute, target)!);
    }
    for (const target of keys) {
      if (before.includes(target)) continue;
      changed.push(this.linkName(holder, attribute, target)!);
      const there = this.list(target, inverse.name);
      // a target that can have one source only is taken from the other, of the same status
      const others = inverse.many
        ? []
        : there.filter((other) => other !== holder && refOf(other).state === refOf(holder).state);
      for (const other of others) {
        this.#drop(other, attribute.name, target);
        changed.push(this.linkName(other, attribute, target)!);
      }
      const left = there.filter((other) => !others.includes(other) && other !== holder);
      left.splice(place?.(left, target) ?? left.length, 0, holder);
      this.#lists.set(`${target}#${inverse.name}`, left);
    }
    return changed;
  }

  /** Gives one side a list whose links the other side has already. */
  reorder(holder: string, attribute: string, keys: readonly string[]): void {
    this.#lists.set(`${holder}#${attribute}`, [...keys]);
  }

  inverseOf(attribute: RelationPart): RelationPart | undefined {
    if (!attribute.target || !attribute.inverse) return undefined;
    return this.model(attribute.target).attributes.get(attribute.inverse) as RelationPart | undefined;
  }

  #drop(holder: string, attribute: string, key: string): void {
    const left = this.list(holder, attribute).filter((other) => other !== key);
    this.#lists.set(`${holder}#${attribute}`, left);
  }

  /** A row goes, with its components and every link to it. */
  removeRow(key: string): void {
    const row = this.rows.get(key);
    if (row) for (const parts of row.parts.values()) for (const part of parts) this.removePart(part);
    this.rows.delete(key);
    this.forget(key);
  }

  /** No list names this row, and it has none. */
  forget(key: string): void {
    for (const [name, author] of this.edits) {
      if (author === key || name.split(' ').includes(key)) this.edits.delete(name);
    }
    for (const [name, keys] of this.#lists) {
      if (name.startsWith(`${key}#`)) this.#lists.delete(name);
      else if (keys.includes(key)) {
        this.#lists.set(
          name,
          keys.filter((other) => other !== key),
        );
      }
    }
  }

  removePart(part: Part): void {
    for (const parts of part.parts.values()) for (const inner of parts) this.removePart(inner);
    for (const name of this.#lists.keys()) if (name.startsWith(`${part.key}#`)) this.#lists.delete(name);
  }

  /** Makes the components of one field equal to another row's, links led elsewhere. */
  copyParts(from: Part, to: Part, { name }: ComponentPart, lead: (key: string) => string | undefined): void {
    for (const part of to.parts.get(name) ?? []) this.removePart(part);
    to.parts.set(
      name,
      (from.parts.get(name) ?? []).map((part) => this.#copyPart(part, lead)),
    );
  }

  #copyPart(from: Part, lead: (key: string) => string | undefined): Part {
    const copy = this.newPart(from.uid);
    for (const [name, value] of from.scalars) copy.scalars.set(name, value);
    for (const attribute of this.model(from.uid).attributes.values()) {
      if (attribute.kind === 'parts') this.copyParts(from, copy, attribute, lead);
      else if (attribute.kind === 'relation') {
        const keys = this.list(from.key, attribute.name).flatMap((key) => lead(key) ?? []);
        this.reorder(copy.key, attribute.name, keys);
      }
    }
    return copy;
  }

  /** Every row and component, components with the row that they belong to. */
  *holders(): Iterable<{ holder: Part; row: Row }> {
    for (const row of this.rows.values()) {
      const open: Part[] = [row];
      for (let holder = open.pop(); holder; holder = open.pop()) {
        yield { holder, row };
        for (const parts of holder.parts.values()) open.push(...parts);
      }
    }
  }

  attributesOf(uid: string): Attribute[] {
    return [...this.model(uid).attributes.values()];
  }
}
