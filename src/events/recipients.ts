/**
 * Listeners with the same rights. The events of a change are computed once for all of them, whatever each has requested.
 */
import type { Viewer } from '../access/view.ts';
import { type FileUrls, signText } from '../content/reading/file-urls.ts';
import type { Reader } from '../content/reading/reader.ts';
import { ContentError } from '../errors.ts';
import { everything } from '../query/page.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { PositionedChange } from './log-reader.ts';

/** The parameters of an event stream. */
export interface StreamRequest {
  /** Uids; undefined for all readable types. */
  readonly types: ReadonlySet<string> | undefined;
  readonly status: 'draft' | 'published';
  /** Undefined for all locales. */
  readonly locale: string | undefined;
  readonly documentId: string | undefined;
  /** Whether an event contains the document. */
  readonly withDocument: boolean;
}

/** Whether code of the project guards a core action of a type. The code needs a request, so no event can be sent. */
export type IsGuarded = (type: ContentType, action: 'find' | 'findOne') => boolean;

export interface RecipientsContext {
  readonly catalog: Catalog;
  readonly isGuarded: IsGuarded;
  readonly reader: Reader;
  readonly fileUrls?: FileUrls | undefined;
}

/** Bytes of the longest document in an event, and of all documents of one read. */
const LONGEST_DOCUMENT = 256 * 1024;
const LONGEST_READ = 16 * LONGEST_DOCUMENT;
/** Bytes up to which events are copied into one buffer. Longer ones are written one by one and shared. */
const JOINED = 64 * 1024;

/** Documents as JSON by version; null for one that is too long. */
type Documents = ReadonlyMap<string, string | null>;

type TypesContext = Pick<RecipientsContext, 'catalog' | 'isGuarded'>;

/**
 * Whether a viewer may receive events of a type: if it may list the type, or read the one document that it names. No one
 * receives events of types whose reads are guarded by code of the project.
 */
function mayReceive(
  { isGuarded }: TypesContext,
  { view }: Viewer,
  type: ContentType,
  documentId: string | undefined,
): boolean {
  if (view.of(type).isSealed) return false;
  const isOpen = (action: 'find' | 'findOne') => view.may(`${type.uid}.${action}`) && !isGuarded(type, action);
  return isOpen('find') || (documentId !== undefined && isOpen('findOne'));
}

/** The types whose events a viewer may receive. */
export function receivableTypes(context: TypesContext, viewer: Viewer, documentId: string | undefined): ContentType[] {
  const types = [...context.catalog.contentTypes.values()];
  return types.filter((type) => type.routed && mayReceive(context, viewer, type, documentId));
}

/** Equal for viewers with the same rights. */
export function recipientsKey({ view, values }: Viewer): string {
  const own = view.rows.operands.some(({ kind }) => kind === 'caller') ? values : {};
  return JSON.stringify([view.key, own]);
}

/** Equal for equal requests. */
export function requestKey(request: StreamRequest): string {
  return JSON.stringify([...Object.values({ ...request, types: undefined }), [...(request.types ?? ['*'])].sort()]);
}

/** The event of a change for a request; undefined if the change does not concern it. */
type Frame = (request: StreamRequest) => Buffer | undefined;

/** The events of some changes for recipients. Listeners share the buffers. */
class ChangeEvents {
  readonly #frames: readonly Frame[];
  readonly #cached = new Map<string, readonly Buffer[]>();

  constructor(frames: readonly Frame[]) {
    this.#frames = frames;
  }

  /** The events for a request, from the change at index `from` on; empty if none concerns it. */
  framesFor(key: string, request: StreamRequest, from: number): readonly Buffer[] {
    const cacheKey = `${from} ${key}`;
    let frames = this.#cached.get(cacheKey);
    if (!frames) {
      frames = this.#frames.slice(from).flatMap((frame) => frame(request) ?? []);
      const length = frames.reduce((sum, frame) => sum + frame.length, 0);
      if (frames.length > 1 && length <= JOINED) frames = [Buffer.concat(frames)];
      this.#cached.set(cacheKey, frames);
    }
    return frames;
  }
}

export class Recipients {
  readonly #context: RecipientsContext;
  readonly #viewer: Viewer;

  constructor(context: RecipientsContext, viewer: Viewer) {
    this.#context = context;
    this.#viewer = viewer;
  }

  /** Whether documents have to be read for the events of some changes. */
  needsRead(changes: readonly PositionedChange[], requests: readonly StreamRequest[]): boolean {
    return changes.some((change) => this.#need(change, requests) !== undefined);
  }

  /**
   * The events of some changes.
   *
   * @param requests the different requests of the listeners.
   * @throws ContentError if reading fails for other reasons than the length of a document.
   */
  async eventsOf(changes: readonly PositionedChange[], requests: readonly StreamRequest[]): Promise<ChangeEvents> {
    const groups = Map.groupBy(
      changes.filter((change) => this.#need(change, requests) !== undefined),
      ({ uid, locale, status }) => JSON.stringify([uid, locale, status]),
    );
    const documents = new Map<string, string | null>();
    let room = LONGEST_READ;
    for (const group of groups.values()) {
      const isWhole = group.some((change) => this.#need(change, requests) === 'whole');
      const ids = [...new Set(group.map(({ documentId }) => documentId))];
      for (const [id, text] of await this.#read(group[0]!, ids, isWhole)) {
        room -= text?.length ?? 0;
        documents.set(versionOf(group[0]!, id), room < 0 ? null : text);
      }
    }
    return new ChangeEvents(changes.map((change) => this.#frameOf(change, documents)));
  }

  #concerns(change: PositionedChange, request: StreamRequest): boolean {
    const { uid, kind, status, locale, documentId } = change;
    const type = this.#context.catalog.contentTypes.get(uid);
    if (!type?.routed || kind === 'pause') return false;
    if (!mayReceive(this.#context, this.#viewer, type, request.documentId)) return false;
    if (request.types && !request.types.has(uid)) return false;
    if (type.draftAndPublish && status !== request.status) return false;
    if (request.locale !== undefined && locale !== null && locale !== request.locale) return false;
    return request.documentId === undefined || request.documentId === documentId;
  }

  /** What has to be read for a change: the document, its existence ('itself'), or nothing (undefined). */
  #need(change: PositionedChange, requests: readonly StreamRequest[]): 'whole' | 'itself' | undefined {
    const concerned = requests.filter((request) => this.#concerns(change, request));
    if (concerned.some(({ withDocument }) => withDocument)) return 'whole';
    return concerned.length > 0 && this.#hidesRows(change) ? 'itself' : undefined;
  }

  /** Whether the viewer sees only some rows of the type. */
  #hidesRows({ uid }: PositionedChange): boolean {
    return this.#viewer.view.of(this.#typeOf(uid)).rows !== undefined;
  }

  async #read(version: PositionedChange, ids: readonly string[], isWhole: boolean): Promise<[string, string | null][]> {
    try {
      return await this.#list(version, ids, isWhole ? 'whole' : 'itself');
    } catch (error) {
      if (!(error instanceof ContentError) || error.status >= 500) throw error;
      if (ids.length === 1) {
        // the document exists but is too long
        const rows = await this.#list(version, ids, 'itself');
        return rows.map(([id]) => [id, null]);
      }
      const each: [string, string | null][] = [];
      for (const id of ids) each.push(...(await this.#read(version, [id], isWhole)));
      return each;
    }
  }

  async #list(
    { uid, locale, status }: PositionedChange,
    ids: readonly string[],
    part: 'whole' | 'itself',
  ): Promise<[string, string | null][]> {
    const { reader, fileUrls } = this.#context;
    const params = {
      filters: { documentId: { $in: [...ids] } },
      status,
      ...(locale === null ? {} : { locale }),
      ...(part === 'whole' ? {} : { fields: ['documentId'] }),
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
    const type = this.#context.catalog.contentTypes.get(uid);
    if (!type) return () => undefined;
    const document = documents.get(versionOf(change, documentId));
    // a condition hides the row, or the row is removed, and whether it was visible is unknown
    if (document === undefined && this.#hidesRows(change)) return () => undefined;
    const time = new Date(at).toISOString();
    const summary = JSON.stringify({ id, kind, model: type.singularName, uid, documentId, locale, status, at: time });
    const open = summary.slice(0, -1);
    const frame = (data: string) => Buffer.from(`event: change\nid: ${position}\ndata: ${data}\n\n`);
    let [plain, whole]: (Buffer | undefined)[] = [];
    return (request) => {
      if (!this.#concerns(change, request)) return undefined;
      if (!request.withDocument || document === undefined) {
        plain ??= frame(summary);
        return plain;
      }
      whole ??= frame(document === null ? `${open},"documentTooLong":true}` : `${open},"document":${document}}`);
      return whole;
    };
  }

  #typeOf(uid: string): ContentType {
    return this.#context.catalog.contentTypes.get(uid)!;
  }
}

const versionOf = ({ uid, locale, status }: PositionedChange, documentId: string): string =>
  JSON.stringify([uid, documentId, locale, status]);
