/**
 * The documents and files that a body names, looked up once for all of it (docs/reference/writing.md, "Relations"). One
 * statement for each type and kind of identifier.
 */
import type { WrittenRow } from '../../access/permitted.ts';
import type { Row } from '../../db/interface/queryable.ts';
import type { BoundQuery } from '../../db/interface/table-reader.ts';
import type { Lock } from '../../db/interface/transaction.ts';
import { cut, validation } from '../../errors.ts';
import { because, below, Failures, type Place } from '../../failures.ts';
import type { LinkPlace } from '../../plan/link-place.ts';
import { type RelationEntry, relationError } from '../../query/relation-payload.ts';
import { reason } from '../../reasons.ts';
import { type ContentType, FILE_UID, type Model, type RelationAttribute } from '../../schema/catalog.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import type { ShownRows } from '../reading/shown-rows.ts';
import { MAX_ROW_ID } from '../rows/document-rows.ts';
import { documentLock, listLock } from '../rows/locks.ts';
import {
  hasDrafts,
  isLocalized,
  type LinkedRow,
  model,
  placeOf,
  type Scope,
  type Source,
  type WriteContext,
} from '../rows/write-context.ts';
import { holdersOf } from './stored-links.ts';

/** The rows that an entry links, all of one document. */
export interface Target {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly rows: readonly number[];
}

/** A media entry's row. */
export interface FileTarget {
  readonly id: number;
  readonly mime: string;
}

export class Targets {
  readonly #context: WriteContext;
  readonly #scope: Scope;
  readonly #mimes = new Map<number, string>();
  readonly #shown: ShownRows;
  /** Rows that the caller may not see, by uid and id. */
  readonly #hidden = new Set<string>();

  private constructor(context: WriteContext, scope: Scope, shown: ShownRows) {
    this.#context = context;
    this.#scope = scope;
    this.#shown = shown;
  }

  /** Looks up everything that a written row names. */
  static async of(context: WriteContext, row: WrittenRow, scope: Scope, shown: ShownRows): Promise<Targets> {
    const targets = new Targets(context, scope, shown);
    const wanted = new Map<string, { documents: Set<string>; rows: Set<number> }>();
    const setsOf = (uid: string) => {
      const sets = wanted.get(uid) ?? { documents: new Set<string>(), rows: new Set<number>() };
      wanted.set(uid, sets);
      return sets;
    };
    collect(row, (uid, entry) => {
      const sets = setsOf(uid);
      if (entry.documentId !== undefined) sets.documents.add(entry.documentId);
      else if (Math.abs(entry.id!) <= MAX_ROW_ID) sets.rows.add(entry.id!);
      if (entry.position.kind === 'before' || entry.position.kind === 'after') {
        const { type = uid, documentId, id } = entry.position;
        // if the relation has one target type, a type in the position is ignored
        const beside = setsOf(context.catalog.contentTypes.has(type) ? type : uid);
        if (documentId !== undefined) beside.documents.add(documentId);
        else if (Math.abs(id!) <= MAX_ROW_ID) beside.rows.add(id!);
      }
    });
    if (wanted.size === 0) return targets;
    // an entry that names a row means its document, so the other rows are needed as well
    for (const [uid, { documents, rows }] of wanted) {
      if (rows.size > 0) await targets.#lockDocuments(uid, [...rows], documents);
    }
    await targets.#load(wanted);
    return targets;
  }

  /** Adds the documents of rows to the wanted ones, and locks these. */
  async #lockDocuments(uid: string, rows: readonly number[], wanted: Set<string>): Promise<void> {
    const { tables, tx, plans } = this.#context;
    const byId = await tables.select(plans.of(uid).table, ['document_id'], { id: rows });
    for (const [documentId] of byId) wanted.add(String(documentId));
    await tx.lock(() => [...wanted].map((documentId) => documentLock(uid, documentId, true)), false);
  }

  async #load(wanted: ReadonlyMap<string, { readonly documents: ReadonlySet<string> }>): Promise<void> {
    const { tables, plans } = this.#context;
    const queries: BoundQuery[] = [];
    for (const [uid, { documents }] of wanted) {
      queries.push({ query: plans.of(uid).targetQuery, values: [[...documents]] });
    }
    const results = await tables.findAll(queries);
    let n = 0;
    for (const uid of wanted.keys()) await this.#take(uid, results[n++]!);
  }

  async #take(uid: string, linked: readonly Row[]): Promise<void> {
    const rows = linked.map(
      ([id, documentId, locale, publishedAt]): LinkedRow => ({
        id: Number(id),
        documentId: String(documentId),
        locale: locale === null ? null : String(locale),
        published: publishedAt !== null,
      }),
    );
    rows.sort((a, b) => a.id - b.id);
    this.#context.memory.noteRows(uid, rows);
    if (uid === FILE_UID) for (const [id, , , , mime] of linked) this.#mimes.set(Number(id), String(mime ?? ''));
    const type = model(this.#context, uid) as ContentType;
    if (this.#shown.showsAll(type)) return;
    for (const id of await this.#shown.hidden(type, rows)) this.#hidden.add(`${uid} ${id}`);
  }

  /**
   * The target of an entry; undefined for a row id that does not exist (`missing` receives the failure).
   *
   * @param path the path of the attribute, for messages.
   * @throws ContentError 400 for a document that does not exist in the locale of the link.
   */
  target(uid: string, entry: RelationEntry, missing: Failures, path?: string): Target | undefined {
    const targetModel = model(this.#context, uid);
    let documentId = entry.documentId;
    let own: string | undefined;
    if (documentId === undefined) {
      const row = this.#context.memory.row(uid, entry.id!);
      if (!row || this.#isHidden(uid, row.id)) {
        missing.add(
          undefined,
          because(`1 relation(s) of type ${uid} associated with this entity do not exist`, 'gone', { type: uid }),
        );
        return undefined;
      }
      documentId = row.documentId;
      own = row.locale ?? undefined;
    }
    return this.document(targetModel, documentId, entry, { own, path });
  }

  /**
   * Reports the row ids of a body that do not exist.
   *
   * @throws ContentError 400 for a document that does not exist, linked or named by a position.
   */
  reportMissing(row: WrittenRow, failures: Failures): void {
    collect(row, (uid, entry, path, connectedBy) => {
      this.target(uid, entry, failures, path);
      if (connectedBy) this.beside(connectedBy, entry, path);
    });
  }

  /**
   * The target of an entry's position; undefined for the start or the end of a list.
   *
   * @throws ContentError 400 for a document that does not exist.
   */
  beside({ target }: RelationAttribute, entry: RelationEntry, path: string): Target | undefined {
    const { position, locale, status } = entry;
    if (position.kind === 'start' || position.kind === 'end') return undefined;
    const uid = target ?? position.type ?? entry.type!;
    const { documentId, id } = position;
    if (documentId !== undefined)
      return this.document(model(this.#context, uid), documentId, { locale, status }, { path });
    const row = this.#context.memory.row(uid, id!);
    if (!row || this.#isHidden(uid, row.id))
      throw relationError(path, `${id} is not linked at ${path}, so nothing can be placed ${position.kind} it`);
    const own = row.locale ?? undefined;
    return this.document(model(this.#context, uid), row.documentId, { locale, status }, { own, path });
  }

  /**
   * The target of a document id.
   *
   * @param own the locale of the row that an entry named by id.
   * @param path of the attribute that names it, for messages.
   */
  document(
    targetModel: Model,
    documentId: string,
    entry: Pick<RelationEntry, 'locale' | 'status'>,
    { own, path }: { readonly own?: string | undefined; readonly path?: string | undefined } = {},
  ): Target {
    const locale = isLocalized(targetModel)
      ? (this.#scope.locale ?? entry.locale ?? own ?? this.#scope.defaultLocale)
      : null;
    const { uid } = targetModel;
    const drafts = hasDrafts(targetModel);
    const chosen: LinkedRow[] = [];
    // a row that the caller may not see counts as missing, and every row to be linked must be visible
    let isThere = false;
    let isHidden = false;
    for (const row of this.#context.memory.rowsOf(uid, documentId)) {
      if (locale !== null && row.locale !== locale) continue;
      const isShown = !this.#isHidden(uid, row.id);
      isThere ||= isShown;
      if (drafts && !this.#fits(row, entry.status)) continue;
      isHidden ||= !isShown;
      chosen.push(row);
    }
    // a requested status must exist where it matters
    const isAsked = drafts && this.#scope.state === 'both' && entry.status !== undefined;
    if (!isThere || isHidden || (isAsked && chosen.length === 0)) {
      const message = `Document with id "${cut(documentId, 100)}", locale "${locale}" not found`;
      const why = reason('gone', { type: uid });
      throw path === undefined ? validation(message, {}, why) : relationError(path, message, why);
    }
    // the published row comes last: it is used where only one row fits
    if (chosen.length > 1) chosen.sort((a, b) => Number(a.published) - Number(b.published));
    return { uid, documentId, locale, rows: chosen.map((row) => row.id) };
  }

  #isHidden(uid: string, row: number): boolean {
    return this.#hidden.size > 0 && this.#hidden.has(`${uid} ${row}`);
  }

  /** Between types with drafts the status is that of the row written; a type without drafts links both rows. */
  #fits(row: LinkedRow, status: 'draft' | 'published' | undefined): boolean {
    const { state } = this.#scope;
    if (state !== 'both') return row.published === (state === 'published');
    return status === undefined || row.published === (status === 'published');
  }

  /** Whether the caller may not update some of the rows that store the links of an attribute. */
  restrictsLinks({ owner, target }: RelationAttribute): boolean {
    if (owner || target === undefined) return false;
    return !this.#shown.linksAll(model(this.#context, target) as ContentType);
  }

  /**
   * Requires the right to change links that rows on the other side store: otherwise a caller who may write one side
   * could write the other through it.
   *
   * @param ids rows that are linked or unlinked.
   * @throws ContentError 403 with the path for a row that the caller may not update.
   */
  requireLinked({ target, name }: RelationAttribute, ids: readonly number[]): Promise<void> {
    return this.#requireUpdates(model(this.#context, target!) as ContentType, name, ids);
  }

  /**
   * Requires the right to take links from the rows that have them.
   *
   * @param attribute the attribute of the written row, which gets the links.
   * @param linked rows of its target.
   * @throws ContentError 403 with the path for a row that the caller may not update.
   */
  async requireTaking(
    source: Source,
    place: LinkPlace,
    attribute: RelationAttribute,
    linked: readonly number[],
  ): Promise<void> {
    const { model } = source;
    if (model.modelType === 'component' || attribute.target === undefined || this.#shown.linksAll(model)) return;
    const holders = await holdersOf(this.#context, source, place, attribute, linked);
    if (holders.length > 0) await this.#requireUpdates(model, attribute.name, holders);
  }

  async #requireUpdates(type: ContentType, path: string, ids: readonly number[]): Promise<void> {
    const { tables, plans, effects } = this.#context;
    const rows = await tables.select(plans.of(type.uid).table, ['id', 'published_at'], { id: [...new Set(ids)] });
    const linked = rows.map(([id, publishedAt]) => ({ type, id: Number(id), published: publishedAt !== null }));
    await this.#shown.requireLinked(linked, path);
    effects.linked(linked);
  }

  /**
   * The file that a media entry names; undefined for a row id that is not there.
   *
   * @throws ContentError 400 for a document id that is not there.
   */
  file(entry: RelationEntry, missing: Failures): FileTarget | undefined {
    const target = this.target(FILE_UID, entry, missing);
    const id = target?.rows[0];
    return id === undefined ? undefined : { id, mime: this.#mimes.get(id) ?? '' };
  }
}

/** @throws ContentError 400 for a locale that an entry of a relation names and that is not there. */
export async function requireLocales(row: WrittenRow, locales: LocaleStore): Promise<void> {
  const paths = new Map<string, string>();
  collect(row, (_uid, { locale }, path) => {
    if (locale !== undefined && !paths.has(locale)) paths.set(locale, path);
  });
  for (const [code, path] of paths) {
    if (!(await locales.has(code))) throw relationError(path, `Locale "${cut(code, 100)}" not found`);
  }
}

/**
 * Is shown a relation or media entry of a body.
 *
 * @param path dotted path of the attribute, without indices.
 * @param connectedBy the attribute that connects it, and in which it may have a position.
 */
type Visit = (uid: string, entry: RelationEntry, path: string, connectedBy?: RelationAttribute) => void;

/** Visits every relation and media entry of a row and of the components inside it. */
function collect(row: WrittenRow, visit: Visit, above = ''): void {
  for (const [name, edit] of row.relations) {
    const attribute = row.model.attributes.get(name);
    if (attribute?.type !== 'relation') continue;
    const path = above + name;
    if (edit.kind === 'edit') {
      for (const entry of edit.connect) visit(attribute.target ?? entry.type!, entry, path, attribute);
    }
    for (const entry of edit.kind === 'set' ? edit.entries : edit.disconnect) {
      visit(attribute.target ?? entry.type!, entry, path);
    }
  }
  for (const [name, entries] of row.media) {
    for (const entry of entries) visit(FILE_UID, entry, above + name);
  }
  for (const [name, { entries = [] }] of row.components) {
    for (const entry of entries) if (entry.kind === 'row') collect(entry.row, visit, `${above}${name}.`);
  }
}

/**
 * Locks the lists of everything that a new row and its components link to, at once and in one order. Taken attribute by
 * attribute, each lock would cost a round trip or force the transaction to start over.
 *
 * @param isPublished whether the published row is inserted as well.
 */
export async function lockNewLinks(
  context: WriteContext,
  row: WrittenRow,
  targets: Targets,
  isPublished: boolean,
): Promise<void> {
  await context.tx.lock(() => listsOf(context, row, targets, isPublished), false);
}

function listsOf(context: WriteContext, row: WrittenRow, targets: Targets, isPublished: boolean): Lock[] {
  const locks: Lock[] = [];
  for (const [name, edit] of row.relations) {
    const attribute = row.model.attributes.get(name);
    if (attribute?.type !== 'relation') continue;
    const place = placeOf(context, row.model, attribute);
    if (place.kind !== 'table' || place.inverseOrder === null) continue;
    for (const entry of edit.kind === 'set' ? edit.entries : edit.connect) {
      const { uid, rows = [] } = targets.target(attribute.target ?? entry.type!, entry, new Failures()) ?? {};
      for (const id of rows) {
        locks.push(listLock(place.table, place.target, id));
        const row = isPublished && uid ? context.memory.row(uid, id) : undefined;
        const published = row && context.memory.publishedOf(uid!, row);
        if (published) locks.push(listLock(place.table, place.target, published.id));
      }
    }
  }
  for (const { entries } of row.components.values()) {
    for (const entry of entries ?? []) {
      if (entry.kind === 'row') locks.push(...listsOf(context, entry.row, targets, isPublished));
    }
  }
  return locks;
}

/** The kind of a file by its media type; `files` for anything but images, videos and audio. */
function kindOf(mime: string): string {
  const kind = /^(image|video|audio)\//.exec(mime.toLowerCase())?.[1];
  return kind === undefined ? 'files' : `${kind}s`;
}

/**
 * Reports files that a row and its components link although `allowedTypes` excludes them (docs/differences.md,
 * "Writing").
 */
export function reportDisallowed(row: WrittenRow, targets: Targets, failures: Failures, place?: Place): void {
  if (row.media.size === 0 && row.components.size === 0) return;
  for (const attribute of row.model.attributes.values()) {
    const { name } = attribute;
    if (attribute.type === 'media') {
      const { allowedTypes } = attribute;
      if (allowedTypes.length === 0) continue;
      for (const entry of row.media.get(name) ?? []) {
        // a row id that does not exist is reported separately
        const file = targets.file(entry, new Failures());
        if (!file || allowedTypes.includes(kindOf(file.mime))) continue;
        const { id, mime } = file;
        const is = `file ${id} is ${mime || 'of an unknown type'}`;
        failures.add(
          below(place, name),
          because((label) => `${label} takes ${allowedTypes.join(', ')}: ${is}`, 'file'),
          id,
        );
      }
    } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const { entries } = row.components.get(name) ?? {};
      if (!entries) continue;
      const here = below(place, name);
      const many = attribute.type === 'dynamiczone' || attribute.repeatable;
      for (const [index, entry] of entries.entries()) {
        if (entry.kind === 'row') reportDisallowed(entry.row, targets, failures, many ? below(here, index) : here);
      }
    }
  }
}
