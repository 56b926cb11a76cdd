/**
 * The content of a recorded version as a caller may see it, and as the body of a write that restores it, with everything
 * that cannot come back.
 */
import { isDeepStrictEqual } from 'node:util';
import type { View } from '../access/view.ts';
import type { ShownRows } from '../content/reading/shown-rows.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { validation } from '../errors.ts';
import { at, Failures } from '../failures.ts';
import { isObject } from '../plain-values.ts';
import type { WrittenData } from '../query/body.ts';
import { ADMIN_USER_UID, type Attribute, type ContentType, isScalar, type Model, modelOf } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { compileExistingFiles, compileRowsOfDocuments } from '../sql/history.ts';
import { LINKS } from './content.ts';
import type { SharedValues } from './shared-values.ts';
import type { Content } from './version.ts';

/** Something of a version that cannot be restored. */
export interface Loss {
  /** Dotted path of the attribute. */
  readonly path: string;
  /**
   * The schema no longer has the attribute, or has one of another type; the caller may not write it, or is not shown a
   * linked document; the linked document or file was deleted; the list was too long to be recorded; the locale is created
   * again and all locales share the attribute, which has another value in the others.
   */
  readonly reason:
    | 'removedAttribute'
    | 'changedAttribute'
    | 'notPermitted'
    | 'deletedDocument'
    | 'deletedFile'
    | 'longList'
    | 'sharedByLocales';
  /** The linked document or file. */
  readonly target?: {
    readonly type?: string;
    readonly documentId?: string;
    readonly locale?: string;
    readonly id?: number;
    readonly name?: string;
  };
}

/** Keys of a content that are no attributes. */
const SYSTEM: ReadonlySet<string> = new Set([
  ...['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'createdBy', 'updatedBy'],
  ...['localizations', '__component', '__type'],
]);

/**
 * The part of a content that a View shows. Attributes that the schema no longer has are undefined in it, without their
 * values: no View says who may see them.
 */
export function shownContent(view: View, model: Model, content: Content): Content {
  const shown = view.of(model);
  return Object.fromEntries(
    Object.entries(content).flatMap(([name, value]): [string, unknown][] => {
      const attribute = model.attributes.get(name);
      if (!attribute && SYSTEM.has(name)) return [[name, value]];
      if (!attribute) return isEmpty(value) ? [] : [[name, undefined]];
      if (isScalar(attribute)) return shown.named(name).kind === 'field' ? [[name, value]] : [];
      if (!shown.populatable.includes(name)) return [];
      if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return [[name, value]];
      const inside = (part: unknown): unknown => {
        const component = componentOf(view, model, attribute, part);
        return component ? shownContent(view, component, part as Content) : null;
      };
      return [[name, Array.isArray(value) ? value.map(inside) : inside(value)]];
    }),
  );
}

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** The component of an entry; undefined for one that the schema does not have at its place. */
function componentOf(view: View, model: Model, attribute: Attribute, entry: unknown): Model | undefined {
  if (!isObject(entry)) return undefined;
  if (attribute.type === 'component') return view.into(model, attribute);
  const uid = String(entry['__component']);
  return attribute.type === 'dynamiczone' && attribute.components.includes(uid)
    ? modelOf(view.catalog, uid)
    : undefined;
}

/**
 * The attributes that the body of a restoration names; undefined for all.
 *
 * @throws ContentError 400 for a body of another form, and for names that are no attributes of the type.
 */
export function attributesIn(body: unknown, { uid, attributes: known }: ContentType): readonly string[] | undefined {
  if (body === undefined || body === null) return undefined;
  if (!isObject(body)) throw validation('The body must be an object, such as { "attributes": ["title"] }');
  const failures = new Failures();
  failures.addUnknown(body, ['attributes']);
  const { attributes } = body;
  if (attributes !== undefined && !Array.isArray(attributes)) {
    failures.add(at('attributes'), 'attributes must be a list of names, such as ["title"]');
  }
  for (const [index, name] of Array.isArray(attributes) ? attributes.entries() : []) {
    if (known.has(String(name))) continue;
    failures.add(at('attributes', index), (label) => `${label} must be the name of an attribute of ${uid}`, name);
  }
  failures.throwAny();
  return attributes as readonly string[] | undefined;
}

/** What a version links: documents by type, and ids of files. */
interface Targets {
  readonly documents: Map<string, Set<string>>;
  readonly files: Set<number>;
}

/** The targets that exist. */
interface FoundTargets {
  /** Versions of documents (`versionOf`) by type, each with whether it is shown. */
  readonly documents: ReadonlyMap<string, ReadonlyMap<string, boolean>>;
  readonly files: ReadonlySet<number>;
}

/** Where a version is restored. */
export interface RestoringContext {
  readonly db: Queryable;
  readonly layout: Layout;
  /** The rows that the person is shown who restores. */
  readonly shown: ShownRows;
  /** Whether a new document is written, which has no values that could stay as they are. */
  readonly isNew?: boolean;
}

export interface RestoredData {
  /** The body of a write that restores the version. */
  readonly data: WrittenData;
  /** What of the version cannot be restored. Documents that are hidden are not named. */
  readonly losses: readonly Loss[];
  /** The content without links to hidden documents. */
  readonly content: Content;
}

/** What of a version is restored. */
export interface RestoredPart {
  /** The attributes to be restored; undefined: all of them. */
  readonly only?: readonly string[] | undefined;
  /** Attributes that the version takes from the other locales of its document (`sharedValues`). */
  readonly shared?: SharedValues | undefined;
}

/**
 * Restores a content, as far as it may be.
 *
 * @param view of the writer.
 */
export async function restoredData(
  context: RestoringContext,
  view: View,
  model: Model,
  content: Content,
  { only, shared }: RestoredPart = {},
): Promise<RestoredData> {
  const wanted = only ? pick(content, (name) => only.includes(name)) : content;
  const own = shared ? pick(wanted, (name) => !shared.names.has(name)) : wanted;
  const targets: Targets = { documents: new Map(), files: new Set() };
  collect(view, model, wanted, targets);
  if (shared) collect(view, model, shared.present, targets);
  const found = await foundTargets(context, view, targets);
  const restoring = new Restoring(view, found, context.isNew ?? false);
  const data = restoring.row(model, own, []);
  const kept = shared ? differing(view, model, found, wanted, shared) : [];
  const losses = [...restoring.losses, ...kept];
  return { data, losses, content: withoutHidden(view, found, model, wanted) };
}

const pick = (content: Content, isPicked: (name: string) => boolean): Content =>
  Object.fromEntries(Object.entries(content).filter(([name]) => isPicked(name)));

/** The shared attributes of a version that have another value in the other locales. */
function differing(
  view: View,
  model: Model,
  found: FoundTargets,
  wanted: Content,
  { names, present }: SharedValues,
): Loss[] {
  const isShared = (name: string) => names.has(name) && name in wanted;
  const [then, now] = [wanted, present].map((content) =>
    new Restoring(view, found, false).row(model, pick(content, isShared), []),
  ) as [WrittenData, WrittenData];
  return Object.keys(then)
    .filter((name) => !isDeepStrictEqual(withoutLocales(then[name]), withoutLocales(now[name])))
    .map((name) => ({ path: name, reason: 'sharedByLocales' }));
}

/** A value without the locales of links: the links of a shared component lead to documents in the locale of each version. */
function withoutLocales(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLocales);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'locale' || !('documentId' in value));
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutLocales(one)]));
}

/** A content without links to hidden documents, at any depth of components. */
function withoutHidden(view: View, found: FoundTargets, model: Model, content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]): [string, unknown] => {
      const attribute = model.attributes.get(name);
      if (!attribute || isScalar(attribute) || attribute.type === 'media') return [name, value];
      const each = (entry: unknown): unknown[] => {
        if (attribute.type === 'relation') {
          return isObject(entry) && isShown(found, linkOf(attribute.target, entry)) === false ? [] : [entry];
        }
        const component = componentOf(view, model, attribute, entry);
        return [component ? withoutHidden(view, found, component, entry as Content) : entry];
      };
      return [name, Array.isArray(value) ? value.flatMap(each) : (each(value)[0] ?? null)];
    }),
  );
}

/** A linked document as it was recorded. */
interface RecordedTarget {
  readonly type: string;
  readonly documentId: string;
  readonly locale?: string;
}

const linkOf = (target: string | undefined, entry: Content): RecordedTarget => ({
  type: target ?? String(entry['__type']),
  documentId: String(entry['documentId']),
  ...(typeof entry['locale'] === 'string' ? { locale: entry['locale'] } : {}),
});

/** Whether a linked document is shown; undefined if it does not exist. */
const isShown = ({ documents }: FoundTargets, { type, documentId, locale }: RecordedTarget): boolean | undefined =>
  documents.get(type)?.get(versionOf(documentId, locale));

/** Collects what a content links. */
function collect(view: View, model: Model, content: Content, targets: Targets): void {
  for (const [name, value] of Object.entries(content)) {
    const attribute = model.attributes.get(name);
    if (!attribute || isScalar(attribute)) continue;
    for (const entry of entriesOf(value)) {
      if (attribute.type === 'media') targets.files.add(Number(entry['id']));
      else if (attribute.type === 'relation') {
        const { type, documentId } = linkOf(attribute.target, entry);
        const ids = targets.documents.get(type) ?? new Set();
        targets.documents.set(type, ids.add(documentId));
      } else {
        const component = componentOf(view, model, attribute, entry);
        if (component) collect(view, component, entry, targets);
      }
    }
  }
}

/** The linked documents and files that exist. */
async function foundTargets(
  { db, layout, shown }: RestoringContext,
  view: View,
  targets: Targets,
): Promise<FoundTargets> {
  const documents = new Map<string, Map<string, boolean>>();
  for (const [uid, ids] of targets.documents) {
    const type = view.catalog.contentTypes.get(uid);
    if (!type) continue;
    const values = [JSON.stringify([...ids].map((id) => [id]))];
    const stored = await query(db, compileRowsOfDocuments(db.dialect, layoutOf(layout, uid).table), values);
    const rows = stored.map(([id, documentId, locale, publishedAt]) => ({
      ...{ id: Number(id), published: publishedAt !== null },
      version: versionOf(String(documentId), locale),
    }));
    // administrators may be linked, but not found
    const isSeen = view.of(type).isSeen || uid === ADMIN_USER_UID;
    const hidden = isSeen ? await shown.hidden(type, rows) : new Set(rows.map(({ id }) => id));
    const found = new Map<string, boolean>();
    for (const { id, version } of rows) found.set(version, found.get(version) || !hidden.has(id));
    documents.set(uid, found);
  }
  const files = JSON.stringify([...targets.files].map((id) => [id]));
  const rows = targets.files.size === 0 ? [] : await query(db, compileExistingFiles(db.dialect), [files]);
  return { documents, files: new Set(rows.map(([id]) => Number(id))) };
}

/** A version of a document in a locale, if its type has locales. */
const versionOf = (documentId: string, locale: unknown): string => `${documentId} ${locale ?? ''}`;

/** A relation, media, component or zone as a list, whether it has one entry or many. */
const entriesOf = (value: unknown): readonly Content[] => [value].flat().filter(isObject);

/** Builds the body, and collects the losses. */
class Restoring {
  readonly losses: Loss[] = [];
  readonly #view: View;
  readonly #found: FoundTargets;
  readonly #isNew: boolean;

  constructor(view: View, found: FoundTargets, isNew: boolean) {
    this.#view = view;
    this.#found = found;
    this.#isNew = isNew;
  }

  row(model: Model, content: Content, path: readonly string[]): WrittenData {
    const { writable } = this.#view.of(model);
    const data: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(content)) {
      if (SYSTEM.has(name) && !model.attributes.has(name)) continue;
      const attribute = model.attributes.get(name);
      const here = [...path, name];
      if (this.#isNew && isEmpty(value) && !writable.has(name)) continue;
      if (!attribute) this.#lose(here, 'removedAttribute');
      else if (!writable.has(name) || this.#hidesParts(model, attribute, value)) this.#lose(here, 'notPermitted');
      else if (!fits(attribute, value)) this.#lose(here, 'changedAttribute');
      else if (isScalar(attribute)) data[name] = value;
      else if (attribute.type === 'relation') this.#relation(attribute.target, value, here, data);
      else if (attribute.type === 'media') this.#media(attribute.multiple, value, here, data);
      else data[name] = this.#components(model, attribute, value, here);
    }
    return data;
  }

  /** Whether a component has parts that are hidden from the writer: it is restored as a whole or not at all. */
  #hidesParts(model: Model, attribute: Attribute, value: unknown): boolean {
    if (attribute.type !== 'component' || isEmpty(value)) return false;
    return this.#view.hides(this.#view.into(model, attribute));
  }

  #relation(target: string | undefined, value: unknown, path: readonly string[], data: Record<string, unknown>): void {
    const entries = entriesOf(value);
    if (entries.length > LINKS) {
      this.#lose(path, 'longList');
      return;
    }
    data[path.at(-1)!] = {
      set: entries.flatMap((entry) => {
        const { type, ...linked } = linkOf(target, entry);
        const isVisible = isShown(this.#found, { type, ...linked });
        if (isVisible) return [{ ...linked, ...(target === undefined ? { __type: type } : {}) }];
        if (isVisible === false) this.#lose(path, 'notPermitted');
        else this.#lose(path, 'deletedDocument', { type, ...linked });
        return [];
      }),
    };
  }

  #media(multiple: boolean, value: unknown, path: readonly string[], data: Record<string, unknown>): void {
    const entries = entriesOf(value);
    if (entries.length > LINKS) {
      this.#lose(path, 'longList');
      return;
    }
    const ids = entries.flatMap((entry) => {
      const [id, name] = [Number(entry['id']), entry['name']];
      if (this.#found.files.has(id)) return [id];
      this.#lose(path, 'deletedFile', { id, ...(typeof name === 'string' ? { name } : {}) });
      return [];
    });
    data[path.at(-1)!] = multiple ? ids : (ids[0] ?? null);
  }

  #components(model: Model, attribute: Attribute, value: unknown, path: readonly string[]): unknown {
    const restored = (entry: unknown, at: readonly string[]): unknown[] => {
      const component = componentOf(this.#view, model, attribute, entry);
      if (!component) {
        this.#lose(at, 'removedAttribute');
        return [];
      }
      const kind = attribute.type === 'dynamiczone' ? { __component: component.uid } : {};
      return [{ ...kind, ...this.row(component, entry as Content, at) }];
    };
    if (Array.isArray(value)) return value.flatMap((entry, n) => restored(entry, [...path, String(n)]));
    return value === null ? null : (restored(value, path)[0] ?? null);
  }

  #lose(path: readonly string[], reason: Loss['reason'], target?: Loss['target']): void {
    this.losses.push({ path: path.join('.'), reason, ...(target ? { target } : {}) });
  }
}

/** Whether a recorded value has the form of an attribute's present type. */
function fits(attribute: Attribute, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  const isMany = attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable);
  const entries = [value].flat();
  switch (attribute.type) {
    case 'media':
      return entries.every((entry) => isObject(entry) && 'id' in entry && 'name' in entry);
    case 'relation':
      return entries.every((entry) => isObject(entry) && 'documentId' in entry && !('name' in entry));
    case 'component':
    case 'dynamiczone':
      return Array.isArray(value) === isMany && entries.every(isObject);
    default:
      return attribute.type === 'json' || attribute.type === 'blocks' || typeof value !== 'object';
  }
}
