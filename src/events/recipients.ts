/**
 * Listeners who may see the same: what they are told of a change is worked out once for all of them, whatever each has
 * asked for.
 */
import type { Viewer } from '../access/view.ts';
import { type FileUrls, signText } from '../content/reading/file-urls.ts';
import type { Reader } from '../content/reading/reader.ts';
import { ContentError } from '../errors.ts';
import { everything } from '../query/page.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { PositionedChange } from './log-reader.ts';

/** What a listener has asked for. */
export interface StreamRequest {
  /** Uids; undefined: all types that may be read. */
  readonly types: ReadonlySet<string> | undefined;
  readonly status: 'draft' | 'published';
  /** Undefined: every one. */
  readonly locale: string | undefined;
  readonly documentId: string | undefined;
  /** Whether the document is told with its change. */
  readonly withDocument: boolean;
}

/** Whether code of the project stands before a core action that reads a type: only a request asks that code. */
export type IsGuarded = (type: ContentType, action: 'find' | 'findOne') => boolean;

export interface RecipientsContext {
  readonly catalog: Catalog;
  readonly isGuarded: IsGuarded;
  readonly reader: Reader;
  readonly fileUrls?: FileUrls | undefined;
}

/** Bytes of the longest document that is told with its change, and of all that are told together. */
export const LONGEST_DOCUMENT = 256 * 1024;
const LONGEST_READ = 16 * LONGEST_DOCUMENT;
/** Bytes of events that are copied into one piece: longer ones are written one by one, and kept once for all. */
const JOINED = 64 * 1024;

/** The documents of some changes as an recipients sees them: JSON by version, null for one that is too long. */
type Documents = ReadonlyMap<string, string | null>;

type Audibility = Pick<RecipientsContext, 'catalog' | 'isGuarded'>;

/**
 * Whether a viewer is told of a type. One who may not list its documents is told of the one that it names, as it may
 * read it. Where code of the project might refuse a read, or change its answer, nobody is told.
 */
function mayHear(
  { isGuarded }: Audibility,
  { view }: Viewer,
  type: ContentType,
  documentId: string | undefined,
): boolean {
  if (view.of(type).isSealed) return false;
  const isOpen = (action: 'find' | 'findOne') => view.may(`${type.uid}.${action}`) && !isGuarded(type, action);
  return isOpen('find') || (documentId !== undefined && isOpen('findOne'));
}

/** The types that a viewer is told of. */
export function audibleTypes(hearing: Audibility, viewer: Viewer, documentId: string | undefined): ContentType[] {
  const types = [...hearing.catalog.contentTypes.values()];
  return types.filter((type) => type.routed && mayHear(hearing, viewer, type, documentId));
}

/** What tells audiences apart. */
export function recipientsKey({ view, values }: Viewer): string {
  const own = view.rows.operands.some(({ kind }) => kind === 'caller') ? values : {};
  return JSON.stringify([view.key, own]);
}

/** Equal for those who have asked for the same. */
export function requestKey(asked: StreamRequest): string {
  return JSON.stringify([...Object.values({ ...asked, types: undefined }), [...(asked.types ?? ['*'])].sort()]);
}

/** What is sent of a change to whoever has asked for this; undefined: nothing. */
type Frame = (asked: StreamRequest) => Buffer | undefined;

/** What an recipients is told of some changes: for each listener what it has asked for. Listeners share the bytes. */
export class Told {
  readonly #frames: readonly Frame[];
  readonly #known = new Map<string, readonly Buffer[]>();

  constructor(frames: readonly Frame[]) {
    this.#frames = frames;
  }

  /** Events in their order, from one of the changes on; empty where none concerns the listener. */
  of(key: string, asked: StreamRequest, from: number): readonly Buffer[] {
    const place = `${from} ${key}`;
    let frames = this.#known.get(place);
    if (!frames) {
      frames = this.#frames.slice(from).flatMap((frame) => frame(asked) ?? []);
      const length = frames.reduce((sum, frame) => sum + frame.length, 0);
      if (frames.length > 1 && length <= JOINED) frames = [Buffer.concat(frames)];
      this.#known.set(place, frames);
    }
    return frames;
  }
}

export class Recipients {
  readonly #parts: RecipientsContext;
  readonly #viewer: Viewer;

  constructor(parts: RecipientsContext, viewer: Viewer) {
    this.#parts = parts;
    this.#viewer = viewer;
  }

  /** Whether documents have to be read for what listeners are told of some changes. */
  reads(changes: readonly PositionedChange[], asked: readonly StreamRequest[]): boolean {
    return changes.some((change) => this.#need(change, asked) !== undefined);
  }

  /**
   * What is told of changes.
   *
   * @param asked all that the listeners have asked for who are told.
   * @throws whatever reading throws, other than that documents are too long.
   */
  async told(changes: readonly PositionedChange[], asked: readonly StreamRequest[]): Promise<Told> {
    const groups = Map.groupBy(
      changes.filter((change) => this.#need(change, asked) !== undefined),
      ({ uid, locale, status }) => JSON.stringify([uid, locale, status]),
    );
    const documents = new Map<string, string | null>();
    let left = LONGEST_READ;
    for (const group of groups.values()) {
      const isWhole = group.some((change) => this.#need(change, asked) === 'whole');
      const ids = [...new Set(group.map(({ documentId }) => documentId))];
      for (const [id, text] of await this.#read(group[0]!, ids, isWhole)) {
        left -= text?.length ?? 0;
        documents.set(versionOf(group[0]!, id), left < 0 ? null : text);
      }
    }
    return new Told(changes.map((change) => this.#frameOf(change, documents)));
  }

  #concerns(change: PositionedChange, asked: StreamRequest): boolean {
    const { uid, kind, status, locale, documentId } = change;
    const type = this.#parts.catalog.contentTypes.get(uid);
    if (!type?.routed || kind === 'pause' || !mayHear(this.#parts, this.#viewer, type, asked.documentId)) return false;
    if (asked.types && !asked.types.has(uid)) return false;
    if (type.draftAndPublish && status !== asked.status) return false;
    if (asked.locale !== undefined && locale !== null && locale !== asked.locale) return false;
    return asked.documentId === undefined || asked.documentId === documentId;
  }

  /** What has to be read for a change: the document, or whether it is there; undefined: nothing. */
  #need(change: PositionedChange, asked: readonly StreamRequest[]): 'whole' | 'itself' | undefined {
    const concerned = asked.filter((one) => this.#concerns(change, one));
    if (concerned.some(({ withDocument }) => withDocument)) return 'whole';
    return concerned.length > 0 && this.#hidesRows(change) ? 'itself' : undefined;
  }

  /** Whether a condition on rows decides what is told of a type. */
  #hidesRows({ uid }: PositionedChange): boolean {
    return this.#viewer.view.of(this.#typeOf(uid)).rows !== undefined;
  }

  async #read(version: PositionedChange, ids: readonly string[], isWhole: boolean): Promise<[string, string | null][]> {
    try {
      return await this.#list(version, ids, isWhole ? 'whole' : 'itself');
    } catch (error) {
      if (!(error instanceof ContentError) || error.status >= 500) throw error;
      if (ids.length === 1) {
        // it is there, and too long
        const found = await this.#list(version, ids, 'itself');
        return found.map(([id]) => [id, null]);
      }
      const each: [string, string | null][] = [];
      for (const id of ids) each.push(...(await this.#read(version, [id], isWhole)));
      return each;
    }
  }

  async #list(
    { uid, locale, status }: PositionedChange,
    ids: readonly string[],
    shown: 'whole' | 'itself',
  ): Promise<[string, string | null][]> {
    const { reader, fileUrls } = this.#parts;
    const params = {
      filters: { documentId: { $in: [...ids] } },
      status,
      ...(locale === null ? {} : { locale }),
      ...(shown === 'whole' ? {} : { fields: ['documentId'] }),
    };
    const longest = ids.length === 1 ? LONGEST_DOCUMENT : LONGEST_READ;
    const { data } = await reader.list(this.#typeOf(uid), this.#viewer, params, { page: everything, longest });
    const documents = JSON.parse(signText(fileUrls, data)) as Record<string, unknown>[];
    return documents.map((document) => {
      const text = JSON.stringify(document);
      return [document['documentId'] as string, text.length > LONGEST_DOCUMENT ? null : text];
    });
  }

  #frameOf(change: PositionedChange, documents: Documents): Frame {
    const { id, uid, kind, documentId, locale, status, at, position } = change;
    // changes may be missing before it
    if (kind === 'pause') return () => Buffer.from(`event: reset\nid: ${position}\ndata: {}\n\n`);
    const type = this.#parts.catalog.contentTypes.get(uid);
    if (!type) return () => undefined;
    const document = documents.get(versionOf(change, documentId));
    // what a condition on rows does not show is not there, and of what is gone nobody can say whether it was
    if (document === undefined && this.#hidesRows(change)) return () => undefined;
    const time = new Date(at).toISOString();
    const told = JSON.stringify({ id, kind, model: type.singularName, uid, documentId, locale, status, at: time });
    const begun = told.slice(0, -1);
    const frame = (data: string) => Buffer.from(`event: change\nid: ${position}\ndata: ${data}\n\n`);
    let [plain, whole]: (Buffer | undefined)[] = [];
    return (asked) => {
      if (!this.#concerns(change, asked)) return undefined;
      if (!asked.withDocument || document === undefined) {
        plain ??= frame(told);
        return plain;
      }
      whole ??= frame(document === null ? `${begun},"documentTooLong":true}` : `${begun},"document":${document}}`);
      return whole;
    };
  }

  #typeOf(uid: string): ContentType {
    return this.#parts.catalog.contentTypes.get(uid)!;
  }
}

const versionOf = ({ uid, locale, status }: PositionedChange, documentId: string): string =>
  JSON.stringify([uid, documentId, locale, status]);
