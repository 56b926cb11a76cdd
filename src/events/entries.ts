/** Documents and files as events show them (all public fields, populated as in the reference), and the names of events. */
import type { Views } from '../access/views.ts';
import { type FileUrls, signText } from '../content/reading/file-urls.ts';
import type { Reader } from '../content/reading/reader.ts';
import type { Change } from '../db/interface/change.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError } from '../errors.ts';
import type { RawObject } from '../query/params.ts';
import { type Catalog, FILE_UID, type Model, modelOf } from '../schema/catalog.ts';
import type { WebhookEvent } from './webhooks/webhook.ts';

/** Identifies a version. */
export interface EntryAddress {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
  /** The row's id; files are read by it. */
  readonly row: number;
}

/** How much of an entry is shown: with relations and media, without relations, or its own fields alone. */
export type Shown = 'all' | 'without relations' | 'itself';

/** A version as JSON text. */
export interface ShownEntry {
  readonly json: string;
  /** Whether context are missing because it was too long. */
  readonly isShortened: boolean;
}

interface EntriesContext {
  readonly catalog: Catalog;
  readonly reader: Reader;
  readonly views: Views;
  readonly fileUrls?: FileUrls | undefined;
  /** Bytes of the longest entry that is shown completely. */
  readonly longest: number;
}

/** No limit in practice: a row is bounded by the bodies that have written it. */
const UNBOUNDED = 2 ** 30;
/** Nested components that are shown. */
const DEPTH = 10;

export class Entries {
  readonly #context: EntriesContext;
  readonly #populate = new Map<string, RawObject>();

  constructor(context: EntriesContext) {
    this.#context = context;
  }

  /** The name of a content type in events, such as `article`; undefined for a type without events. */
  modelOf(uid: string): string | undefined {
    const type = this.#context.catalog.contentTypes.get(uid);
    return type?.routed ? type.singularName : undefined;
  }

  /**
   * A version; undefined if it does not exist. When it is too long it is shown by its own fields, and when these are too
   * long by its ids.
   *
   * @param tx the transaction that has written it; a read that fails does not end it.
   * @throws ContentError 500 if it cannot be read.
   */
  async read(
    address: EntryAddress,
    shown: Exclude<Shown, 'itself'>,
    tx?: Transaction,
  ): Promise<ShownEntry | undefined> {
    for (const part of [shown, 'itself'] as const) {
      try {
        const longest = this.#longest;
        const json = tx
          ? await tx.attempt(() => this.#read(address, part, { db: tx, longest }))
          : await this.#read(address, part, { longest });
        return json === undefined ? undefined : { json, isShortened: part !== shown };
      } catch (error) {
        if (!(error instanceof ContentError) || error.status >= 500) throw error;
      }
    }
    return { json: idsOf(address), isShortened: true };
  }

  /**
   * A version that a transaction is about to remove, by its own fields, or by its ids if these are too long; undefined if
   * it does not exist. The read has no limit of length, since a failing read would end the transaction.
   */
  async removed(address: EntryAddress, db: Queryable): Promise<ShownEntry | undefined> {
    const json = await this.#read(address, 'itself', { db, longest: UNBOUNDED });
    if (json === undefined) return undefined;
    return Buffer.byteLength(json) > this.#longest
      ? { json: idsOf(address), isShortened: true }
      : { json, isShortened: false };
  }

  get #longest(): number {
    return Math.min(this.#context.longest, this.#context.reader.longest);
  }

  async #read(
    address: EntryAddress,
    shown: Shown,
    options: { readonly db?: Queryable; readonly longest: number },
  ): Promise<string | undefined> {
    const { catalog, reader, views, fileUrls } = this.#context;
    const { uid, documentId, locale, status, row } = address;
    const type = catalog.contentTypes.get(uid);
    if (!type) return undefined;
    const isFile = uid === FILE_UID;
    const params: RawObject = {
      ...(isFile ? {} : { status, ...(locale === null ? {} : { locale }) }),
      ...(shown === 'itself' || isFile ? {} : { populate: this.#populated(type, shown) }),
    };
    const single = isFile ? ({ kind: 'row', id: row } as const) : ({ kind: 'document', documentId } as const);
    const result = await reader.one(type, views.full, params, single, options);
    return result && signText(fileUrls, result.data);
  }

  #populated(type: Model, shown: Exclude<Shown, 'itself'>): RawObject {
    const key = `${shown} ${type.uid}`;
    let populate = this.#populate.get(key);
    if (!populate) {
      populate = this.#populateOf(type, shown, 0);
      this.#populate.set(key, populate);
    }
    return populate;
  }

  /** Relations and media one level deep, components all the way down. */
  #populateOf(model: Model, shown: Shown, depth: number): RawObject {
    const { catalog, views } = this.#context;
    const populate: RawObject = {};
    if (depth === DEPTH) return populate;
    const populatable = new Set(views.full.view.of(model).populatable);
    const below = (uid: string): RawObject | string => {
      const nested = this.#populateOf(modelOf(catalog, uid), shown, depth + 1);
      return Object.keys(nested).length > 0 ? { populate: nested } : 'true';
    };
    for (const attribute of model.attributes.values()) {
      if (!populatable.has(attribute.name)) continue;
      if (attribute.type === 'media') populate[attribute.name] = 'true';
      else if (attribute.type === 'relation' && shown === 'all') populate[attribute.name] = 'true';
      else if (attribute.type === 'component') populate[attribute.name] = below(attribute.component);
      else if (attribute.type === 'dynamiczone') {
        populate[attribute.name] = { on: Object.fromEntries(attribute.components.map((uid) => [uid, below(uid)])) };
      }
    }
    return populate;
  }
}

/** The ids of a version, for one that is removed or too long. */
export const idsOf = ({ row, documentId, locale }: EntryAddress): string =>
  JSON.stringify({ id: row, documentId, locale });

/** The reference's event names of changes of documents. */
export const ENTRY_EVENTS: Readonly<Record<Change['kind'], WebhookEvent>> = {
  created: 'entry.create',
  updated: 'entry.update',
  published: 'entry.publish',
  unpublished: 'entry.unpublish',
  discarded: 'entry.draft-discard',
  deleted: 'entry.delete',
};
/** The reference's event names of changes of files. */
export const MEDIA_EVENTS: Partial<Readonly<Record<Change['kind'], WebhookEvent>>> = {
  created: 'media.create',
  updated: 'media.update',
  deleted: 'media.delete',
};

/** The event of a change; undefined if there is none. @param entries undefined while no project is loaded. */
export function eventOf(
  entries: Entries | undefined,
  { uid, kind }: Pick<Change, 'uid' | 'kind'>,
): WebhookEvent | undefined {
  if (uid === FILE_UID) return MEDIA_EVENTS[kind];
  return entries?.modelOf(uid) === undefined ? undefined : ENTRY_EVENTS[kind];
}

/** The version that a change is about. */
export const addressOf = ({ uid, documentId, locale, status, before, after }: Change): EntryAddress => ({
  uid,
  documentId,
  locale,
  status,
  row: after ?? before ?? 0,
});
