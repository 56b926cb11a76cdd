/**
 * Listeners who may see the same and have asked for the same: what they are told of a change is worked out once for all
 * of them.
 */
import type { Viewer } from '../access/view.ts';
import { type FileUrls, signText } from '../content/reading/file-urls.ts';
import type { Reader } from '../content/reading/reader.ts';
import { everything } from '../query/page.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { TailChange } from './tail.ts';

/** What a listener has asked for. */
export interface Asked {
  /** Uids; undefined: all types that may be read. */
  readonly types: ReadonlySet<string> | undefined;
  readonly status: 'draft' | 'published';
  /** Undefined: every one. */
  readonly locale: string | undefined;
  readonly documentId: string | undefined;
  /** Whether the document is told with its change. */
  readonly withDocument: boolean;
}

export interface AudienceParts {
  readonly catalog: Catalog;
  readonly reader: Reader;
  readonly fileUrls?: FileUrls | undefined;
}

/** Documents that are read with one statement. */
const READ_AT_ONCE = 50;

/** Whether a viewer may read documents of a type, one by one or in lists. */
export function mayRead({ view }: Viewer, type: ContentType): boolean {
  return !view.of(type).isSealed && (view.may(`${type.uid}.find`) || view.may(`${type.uid}.findOne`));
}

/** What tells audiences apart. */
export function audienceKey({ view, values }: Viewer, asked: Asked): string {
  const own = view.rows.operands.some(({ kind }) => kind === 'caller') ? values : {};
  return JSON.stringify([view.key, own, [...(asked.types ?? ['*'])].sort(), asked]);
}

export class Audience {
  readonly #parts: AudienceParts;
  readonly #viewer: Viewer;
  readonly #asked: Asked;

  constructor(parts: AudienceParts, viewer: Viewer, asked: Asked) {
    this.#parts = parts;
    this.#viewer = viewer;
    this.#asked = asked;
  }

  /** What is sent of changes: events in their order, as text; empty where none concerns the audience. */
  async frames(changes: readonly TailChange[]): Promise<string> {
    const told = changes.filter((change) => this.#concerns(change));
    if (told.length === 0) return '';
    const documents = await this.#read(told);
    return told.map((change) => this.#frame(change, documents)).join('');
  }

  #concerns({ uid, kind, status, locale, documentId }: TailChange): boolean {
    const asked = this.#asked;
    const type = this.#parts.catalog.contentTypes.get(uid);
    if (!type?.routed || kind === 'pause' || !mayRead(this.#viewer, type)) return false;
    if (asked.types && !asked.types.has(uid)) return false;
    if (type.draftAndPublish && status !== asked.status) return false;
    if (asked.locale !== undefined && locale !== null && locale !== asked.locale) return false;
    return asked.documentId === undefined || asked.documentId === documentId;
  }

  /** Whether what a change is told as depends on the document as it is now. */
  #needs(type: ContentType): boolean {
    return this.#asked.withDocument || this.#viewer.view.of(type).rows !== undefined;
  }

  /** The documents of changes as the audience sees them now, as JSON text by version; those that it does not see are left out. */
  async #read(changes: readonly TailChange[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const groups = Map.groupBy(
      changes.filter(({ uid }) => this.#needs(this.#typeOf(uid))),
      ({ uid, locale }) => JSON.stringify([uid, locale]),
    );
    for (const group of groups.values()) {
      const { uid, locale } = group[0]!;
      const ids = [...new Set(group.map(({ documentId }) => documentId))];
      for (let first = 0; first < ids.length; first += READ_AT_ONCE) {
        const some = ids.slice(first, first + READ_AT_ONCE);
        for (const document of await this.#list(this.#typeOf(uid), locale, some)) {
          found.set(versionOf(uid, document['documentId'] as string, locale), JSON.stringify(document));
        }
      }
    }
    return found;
  }

  async #list(type: ContentType, locale: string | null, ids: string[]): Promise<Record<string, unknown>[]> {
    const { reader, fileUrls } = this.#parts;
    const { status, withDocument } = this.#asked;
    const params = {
      filters: { documentId: { $in: ids } },
      status,
      ...(locale === null ? {} : { locale }),
      ...(withDocument ? {} : { fields: ['documentId'] }),
    };
    const { data } = await reader.list(type, this.#viewer, params, { page: everything });
    return JSON.parse(signText(fileUrls, data)) as Record<string, unknown>[];
  }

  #frame(change: TailChange, documents: ReadonlyMap<string, string>): string {
    const { id, uid, kind, documentId, locale, status, at, position } = change;
    const type = this.#typeOf(uid);
    const document = documents.get(versionOf(uid, documentId, locale));
    // what a condition on rows does not show is not there, and of what is gone nobody can say whether it was
    if (document === undefined && this.#viewer.view.of(type).rows !== undefined) return '';
    const time = new Date(at).toISOString();
    const told = JSON.stringify({ id, kind, model: type.singularName, uid, documentId, locale, status, at: time });
    const data = document && this.#asked.withDocument ? `${told.slice(0, -1)},"document":${document}}` : told;
    return `event: change\nid: ${position}\ndata: ${data}\n\n`;
  }

  #typeOf(uid: string): ContentType {
    return this.#parts.catalog.contentTypes.get(uid)!;
  }
}

const versionOf = (uid: string, documentId: string, locale: string | null): string =>
  JSON.stringify([uid, documentId, locale]);
