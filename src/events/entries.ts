/** Documents and files as webhooks show them: everything that is not private, as the reference populates it. */

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

/** Which version is read. */
export interface EntryAddress {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
  /** The row's id: files are found by it. */
  readonly row: number;
}

/** How much of what it leads to is shown with an entry. */
export type Shown = 'all' | 'without relations' | 'itself';

/** A version as JSON text. */
export interface ShownEntry {
  readonly json: string;
  /** Whether it is shown without what it would have shown, had that not been too long. */
  readonly isShortened: boolean;
}

interface Parts {
  readonly catalog: Catalog;
  readonly reader: Reader;
  readonly views: Views;
  readonly fileUrls?: FileUrls | undefined;
  /** Bytes of the longest version that is shown as a whole. */
  readonly longest: number;
}

/** Bytes: what one row can have is bounded by the bodies that have written it. */
const UNBOUNDED = 2 ** 30;
/** Components within components that are shown. */
const DEPTH = 10;

export class Entries {
  readonly #parts: Parts;
  readonly #populate = new Map<string, RawObject>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The name of a content type as events have it: `article`; undefined for what is told to nobody. */
  modelOf(uid: string): string | undefined {
    const type = this.#parts.catalog.contentTypes.get(uid);
    return type?.routed ? type.singularName : undefined;
  }

  /**
   * A version; undefined when it is not there. What is too long or leads to too much is shown by its own fields, and if
   * these are too long by what names it.
   *
   * @param tx a transaction that has written it, and is not ended by a read that fails.
   * @throws ContentError 500 for what cannot be read.
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
    return { json: nameOf(address), isShortened: true };
  }

  /**
   * A version that a transaction is about to remove, by its own fields, and if these are too long by what names it;
   * undefined when it is not there. It is read whatever its length: a read that fails would take the transaction with it.
   */
  async removed(address: EntryAddress, db: Queryable): Promise<ShownEntry | undefined> {
    const json = await this.#read(address, 'itself', { db, longest: UNBOUNDED });
    if (json === undefined) return undefined;
    return Buffer.byteLength(json) > this.#longest
      ? { json: nameOf(address), isShortened: true }
      : { json, isShortened: false };
  }

  get #longest(): number {
    return Math.min(this.#parts.longest, this.#parts.reader.longest);
  }

  async #read(
    address: EntryAddress,
    shown: Shown,
    options: { readonly db?: Queryable; readonly longest: number },
  ): Promise<string | undefined> {
    const { catalog, reader, views, fileUrls } = this.#parts;
    const { uid, documentId, locale, status, row } = address;
    const type = catalog.contentTypes.get(uid);
    if (!type) return undefined;
    const isFile = uid === FILE_UID;
    const params: RawObject = {
      ...(isFile ? {} : { status, ...(locale === null ? {} : { locale }) }),
      ...(shown === 'itself' || isFile ? {} : { populate: this.#populated(type, shown) }),
    };
    const single = isFile ? ({ kind: 'row', id: row } as const) : ({ kind: 'document', documentId } as const);
    const found = await reader.one(type, views.full, params, single, options);
    return found && signText(fileUrls, found.data);
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
    const { catalog, views } = this.#parts;
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

/** What names a version: all that is told of one that is gone, or too long. */
export const nameOf = ({ row, documentId, locale }: EntryAddress): string =>
  JSON.stringify({ id: row, documentId, locale });

// MERGED entry-events.ts: Changes under the names that the reference has for them: those of webhooks, and of `strapi.eventHub`.

/** Events of documents by what happened to them. */
export const ENTRY_EVENTS: Readonly<Record<Change['kind'], WebhookEvent>> = {
  created: 'entry.create',
  updated: 'entry.update',
  published: 'entry.publish',
  unpublished: 'entry.unpublish',
  discarded: 'entry.draft-discard',
  deleted: 'entry.delete',
};
/** Those of files. */
export const MEDIA_EVENTS: Partial<Readonly<Record<Change['kind'], WebhookEvent>>> = {
  created: 'media.create',
  updated: 'media.update',
  deleted: 'media.delete',
};

/** The name of a change; undefined for what is told to nobody. @param entries undefined: no project is in place. */
export function eventOf(
  entries: Entries | undefined,
  { uid, kind }: Pick<Change, 'uid' | 'kind'>,
): WebhookEvent | undefined {
  if (uid === FILE_UID) return MEDIA_EVENTS[kind];
  return entries?.modelOf(uid) === undefined ? undefined : ENTRY_EVENTS[kind];
}

/** The version that a change is of. */
export const addressOf = ({ uid, documentId, locale, status, before, after }: Change): EntryAddress => ({
  uid,
  documentId,
  locale,
  status,
  row: after ?? before ?? 0,
});
