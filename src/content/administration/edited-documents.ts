/**
 * Documents as administrators edit them: the draft and the published version with everything in them, saved as drafts,
 * and the actions on versions. Everything is read and written within the administrator's Views.
 */
import type { Operation } from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import { ContentError, forbidden, notFound, validation } from '../../errors.ts';
import type { WrittenData } from '../../query/body.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { PREVIEW_NAME } from '../../schema/check/previews.ts';
import { changedByProgram } from '../documents/administrator-saves.ts';
import type { TransitionName } from '../documents/transitions.ts';
import type { Precondition, WriteRequest } from '../documents/write-request.ts';
import type { DocumentWriter } from '../documents/writer.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import type { Single } from '../reading/reader.ts';
import { readRows, singleDocumentId } from '../rows/document-rows.ts';
import type { MainFieldOf, MainFields } from './arrangement.ts';
import {
  type EditingServices,
  fillStates,
  NOTHING_HERE,
  type PermittedHere,
  permittedHere,
  type SavedAt,
  statesOf,
  tagOf,
  versionsOf,
} from './document-states.ts';
import {
  type DocumentState,
  type FoundLinks,
  formPopulate,
  formValues,
  LINKED,
  linkCounts,
  type Person,
  personOf,
  type Values,
  withoutIds,
} from './form-values.ts';

export interface EditingContext extends EditingServices {
  readonly catalog: Catalog;
  readonly locales: LocaleStore;
  readonly mainFields: MainFields;
}

/** A document in one locale. */
export interface EditedDocument {
  /** Null for a single type without a document. */
  readonly documentId: string | null;
  readonly locale: string | null;
  /** The entity tag; null where there is no version in this locale. */
  readonly tag: string | null;
  readonly draft: Values | null;
  readonly published: Values | null;
  /** How many documents lists of relations have that are not read to their end, by dotted path. */
  readonly counts: Readonly<Record<string, number>>;
  /** How many of these links lead to drafts that are not published. */
  readonly draftCounts: Readonly<Record<string, number>>;
  /** The same counts for the published version. */
  readonly publishedCounts: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<string, DocumentState>>;
  readonly may: PermittedHere;
  readonly createdBy: Person | null;
  readonly updatedBy: Person | null;
  /** Whether a program has changed it last. */
  readonly isThroughApi: boolean;
}

/** An existing version, with the values that identify its current state. */
export interface ShownVersion {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  /** Of all versions that are shown, by locale. */
  readonly states: Readonly<Record<string, DocumentState>>;
  readonly savedAt: SavedAt;
}

/** The administrator, as a viewer for each operation. */
export type Editor = (operation: Operation) => Viewer;

/** Which document, in which locale. */
export interface Address {
  readonly type: ContentType;
  /** Undefined: the document of a single type. */
  readonly documentId: string | undefined;
  /** Undefined: the default locale. */
  readonly locale: string | undefined;
}

/** The part of a written document that the write returns: the rest is read afterwards. */
const SHORT = { fields: ['documentId'] };

export class EditedDocuments {
  readonly #context: EditingContext;

  constructor(context: EditingContext) {
    this.#context = context;
  }

  /**
   * Reads a document in a locale, in which it need not be.
   *
   * @param most how many links of each list are read.
   * @throws ContentError 404 for a document that is not there, or hidden; 400 for a locale that is not there.
   */
  async read(editor: Editor, address: Address, most: number = LINKED): Promise<EditedDocument> {
    const { type } = address;
    const viewer = editor('read');
    const locale = await this.#localeOf(address);
    const documentId = address.documentId ?? (await this.#single(type, viewer));
    const uncounted = {
      counts: {},
      draftCounts: {},
      publishedCounts: {},
      createdBy: null,
      updatedBy: null,
      isThroughApi: false,
      may: NOTHING_HERE,
    };
    const nothing = { documentId: null, locale, tag: null, draft: null, published: null, states: {}, ...uncounted };
    if (documentId === undefined) return nothing;
    const states = await statesOf(this.#context, viewer, type, documentId);
    if (Object.keys(states).length === 0) throw notFound();
    const mainFieldOf = await this.#context.mainFields.of(viewer.view);
    const read = (status: 'draft' | 'published') =>
      this.#version(viewer, type, { kind: 'document', documentId }, { locale, status }, mainFieldOf, most);
    const state = states[locale ?? ''];
    if (state === undefined) return { ...nothing, documentId, states };
    const draft = await read('draft');
    const published = type.draftAndPublish && state !== 'draft' ? await read('published') : undefined;
    const version = draft ?? published;
    if (!version) {
      // it was deleted after its states were read
      const { [locale ?? '']: _, ...others } = states;
      if (Object.keys(others).length === 0) throw notFound();
      return { ...nothing, documentId, states: others };
    }
    const { text, createdBy, counts, draftCounts } = version;
    const isByProgram = await changedByProgram(this.#context.database, type.uid, [documentId]);
    const updatedAt = String(version.values['updatedAt'] ?? '');
    const isThroughApi = isByProgram(documentId, locale, updatedAt);
    return {
      documentId,
      locale,
      tag: tagOf(version.version, text + (published?.text ?? ''), locale),
      draft: draft?.values ?? withoutIds(viewer.view, type, version.values),
      published: published?.values ?? null,
      counts,
      draftCounts,
      publishedCounts: published?.counts ?? {},
      states,
      may: await permittedHere(this.#context, editor, type, { documentId, states, locale }),
      createdBy,
      updatedBy: isThroughApi ? null : version.updatedBy,
      isThroughApi,
    };
  }

  /**
   * The version at an address as far as the viewer is shown it, with the states of all visible versions; undefined if
   * there is none, or only one in another locale.
   *
   * @throws ContentError as `read`.
   */
  async shownVersion(viewer: Viewer, address: Address): Promise<ShownVersion | undefined> {
    const { type } = address;
    const locale = await this.#localeOf(address);
    const documentId = address.documentId ?? (await this.#single(type, viewer));
    if (documentId === undefined) return undefined;
    const { states, savedAt } = await versionsOf(this.#context, viewer, type, documentId);
    if (Object.keys(states).length === 0) throw notFound();
    const own = savedAt[locale ?? ''];
    return own && { uid: type.uid, documentId, locale, states, savedAt: own };
  }

  /**
   * Creates a document with a draft. A repeated request with the same id, as a client sends it that got no answer,
   * returns the document that the first one created.
   *
   * @param address with the id of the new document, if the client has chosen one.
   * @throws ContentError 403 without the right, 400 where the content API would refuse, and for an id that another
   * administrator's document has.
   */
  async create(
    editor: Editor,
    address: Address,
    data: WrittenData,
  ): Promise<{ readonly document: EditedDocument; readonly isNew: boolean }> {
    const { type, documentId: chosen } = address;
    if (type.kind === 'singleType') throw validation(`${type.uid} has one document: write it at single`);
    const request = await this.#request(editor, 'create', address, data);
    const writer = this.#writerOf(type);
    if (chosen === undefined) {
      const { documentId } = JSON.parse((await writer.create(request)).data) as { documentId: string };
      return { document: await this.read(editor, { ...address, documentId }), isNew: true };
    }
    try {
      await writer.create({ ...request, documentId: chosen, precondition: 'none' });
    } catch (error) {
      if (!(error instanceof ContentError) || error.name !== 'PreconditionFailedError') throw error;
      const document = await this.read(editor, address).catch((failure: unknown) => {
        if (failure instanceof ContentError && failure.name === 'NotFoundError') return undefined;
        throw failure;
      });
      const { administratorId } = request.viewer.values;
      if (!document?.createdBy || document.createdBy.id !== administratorId) throw validation('documentId is taken');
      return { document, isNew: false };
    }
    return { document: await this.read(editor, address), isNew: true };
  }

  /**
   * Writes the draft of a version, or creates the version.
   *
   * @param precondition the version that is replaced; undefined: there must be none yet.
   * @param isRestoring whether the data is that of an older version.
   * @throws ContentError 403 without the right, 404 for a missing document, 412 with the current document if it has
   * changed.
   */
  async save(
    editor: Editor,
    address: Address,
    data: WrittenData,
    precondition: Precondition | undefined,
    isRestoring = false,
  ): Promise<EditedDocument> {
    const { writer } = this.#context;
    const isThere = (await this.#localesOf(address)).includes(await this.#localeOf(address));
    const request = {
      ...(await this.#request(editor, isThere ? 'update' : 'create', address, data)),
      // a version is only replaced by an editor who has seen it; the right to create one does not include replacing it
      precondition: precondition ?? (isThere ? [] : 'none'),
      isRestoring,
    } as const;
    return this.#orCurrent(editor, address, async () => {
      const { documentId } = address;
      const { type } = address;
      await (documentId === undefined
        ? writer.updateSingle(request)
        : this.#writerOf(type).update(request, documentId));
      return this.read(editor, address);
    });
  }

  /**
   * Deletes a document, or its version in a locale that is named.
   *
   * @param meant the locale that the precondition is of, for a whole document.
   * @throws ContentError as `save`, and 404 for a version that is not there.
   */
  async delete(
    editor: Editor,
    address: Address,
    precondition: Precondition | undefined,
    meant: string | undefined,
  ): Promise<void> {
    const { type, documentId, locale } = address;
    const viewer = this.#permitted(editor, 'delete', type);
    const named = await this.#localeOf(address);
    const locales = locale === undefined || named === null ? undefined : [named];
    const existing = await this.#localesOf(address, viewer);
    if (existing.length === 0 || (locales && !existing.includes(named))) throw notFound();
    const removal = { type, viewer, locales, precondition, meant };
    await this.#orCurrent(editor, { ...address, locale: locale ?? meant }, () =>
      documentId === undefined
        ? this.#context.writer.deleteSingle(removal)
        : this.#writerOf(type).delete({ ...removal, documentId }),
    );
  }

  /**
   * Publishes or unpublishes a version, or discards its draft.
   *
   * @throws ContentError as `save`, and 400 with the failures for a draft that may not be published.
   */
  async move(
    editor: Editor,
    name: TransitionName,
    address: Address,
    precondition: Precondition | undefined,
  ): Promise<EditedDocument> {
    const { type, documentId } = address;
    if (!type.draftAndPublish) throw validation(`${type.uid} has no drafts: there is nothing to ${name}`);
    const viewer = this.#permitted(editor, name === 'discardDraft' ? 'update' : 'publish', type, name);
    const locale = await this.#localeOf(address);
    const locales = locale === null ? ({ kind: 'default' } as const) : ({ kind: 'some', codes: [locale] } as const);
    return this.#orCurrent(editor, address, async () => {
      const request = { name, type, viewer, documentId, locales, shape: SHORT, precondition };
      await this.#context.transitions.run(request);
      return this.read(editor, address);
    });
  }

  /**
   * Makes a document with the drafts of another one, in all locales that the administrator is shown.
   *
   * @throws ContentError 403 without the right, 404 for a document that is not there, 400 for a unique value that two
   * documents would have.
   */
  async duplicate(editor: Editor, address: Address): Promise<EditedDocument> {
    const { type, documentId } = address;
    const viewer = this.#permitted(editor, 'create', type);
    if (type.kind === 'singleType' || documentId === undefined) throw validation(`${type.uid} has only one document`);
    // documents of types with rules of their own cannot have equal values
    if (this.#context.writers.has(type.uid)) throw validation(`${type.uid} cannot be duplicated`);
    const copy = await this.#context.duplicate(viewer, type, documentId);
    const { locale } = address;
    const document = await this.read(editor, { type, documentId: copy, locale });
    const [first] = Object.keys(document.states);
    return document.draft || !first ? document : this.read(editor, { type, documentId: copy, locale: first });
  }

  /** One version with everything in it, as text and for a form; undefined where it is not there. */
  async #version(
    viewer: Viewer,
    type: ContentType,
    single: Single,
    { locale, status }: { readonly locale: string | null; readonly status: 'draft' | 'published' },
    mainFieldOf: MainFieldOf,
    most: number,
  ) {
    const { view } = viewer;
    const { reader } = this.#context;
    const params = { status, ...(locale === null ? {} : { locale }) };
    const populate = formPopulate(view, type, mainFieldOf);
    const read = await reader.one(type, viewer, { ...params, populate }, single, { linked: most + 1 });
    if (!read) return undefined;
    const found: FoundLinks = { links: [], cut: [], most };
    const parsed = JSON.parse(read.data) as Values;
    const values = formValues(view, type, parsed, mainFieldOf, found);
    if (status === 'draft') await fillStates(this.#context, viewer, found);
    const counting = { ...params, fields: ['documentId'], populate: formPopulate(view, type, mainFieldOf, true) };
    const counts = await linkCounts(found, status, (options) => reader.one(type, viewer, counting, single, options));
    const [createdBy, updatedBy] = [personOf(parsed['createdBy']), personOf(parsed['updatedBy'])];
    return { values, text: read.data, version: read.version ?? 0, ...counts, createdBy, updatedBy };
  }

  /** The document of a single type, if the viewer is shown it. */
  async #single(type: ContentType, viewer: Viewer): Promise<string | undefined> {
    const documentId = await singleDocumentId(this.#context.writer.reading(this.#context.database), type);
    if (documentId === undefined) return undefined;
    const states = await statesOf(this.#context, viewer, type, documentId);
    return Object.keys(states).length === 0 ? undefined : documentId;
  }

  /**
   * The locales of a document's versions, of all or of those that a viewer is shown: null on types without locales. A
   * single type may have none. Throws ContentError 404 for a missing document.
   */
  async #localesOf({ type, documentId: named }: Address, viewer?: Viewer): Promise<readonly (string | null)[]> {
    const { writer, reader, database } = this.#context;
    const context = writer.reading(database);
    const documentId = named ?? (await singleDocumentId(context, type));
    if (documentId === undefined) return [];
    const { rows } = await readRows(context, type, documentId);
    const hidden = viewer && (await reader.shown(database, viewer).hidden(type, rows));
    const shown = rows.filter(({ id }) => !hidden?.has(id));
    if (shown.length === 0) throw notFound();
    return shown.map(({ locale }) => (type.localized ? locale : null));
  }

  async #request(
    editor: Editor,
    operation: 'create' | 'update',
    address: Address,
    data: WrittenData,
  ): Promise<WriteRequest> {
    const { type } = address;
    const viewer = this.#permitted(editor, operation, type);
    const locale = (await this.#localeOf(address)) ?? undefined;
    return {
      type,
      viewer,
      status: 'draft',
      locale,
      data,
      shape: SHORT,
      mayLocalize: viewer.view.may(`${type.uid}.createLocalization`),
    };
  }

  /**
   * The administrator as a viewer that may perform an operation on documents of a type.
   *
   * @param action the action of the content API, which may be closed separately.
   */
  #permitted(editor: Editor, operation: Operation, type: ContentType, action: string = operation): Viewer {
    const viewer = editor(operation);
    if (!viewer.view.may(`${type.uid}.${action}`)) throw forbidden();
    return viewer;
  }

  #writerOf(type: ContentType): DocumentWriter {
    return this.#context.writers.get(type.uid) ?? this.#context.writer;
  }

  /** The locale that is meant; null on types without locales. */
  async #localeOf({ type, locale }: Address): Promise<string | null> {
    if (!type.localized) return null;
    const { locales } = this.#context;
    if (locale === undefined) return locales.default();
    if (!(await locales.has(locale))) throw validation(`Locale "${locale}" not found`);
    return locale;
  }

  /** Adds the current document to an error for an unmet precondition. */
  async #orCurrent<T>(editor: Editor, address: Address, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof ContentError) || error.name !== 'PreconditionFailedError') throw error;
      throw new ContentError(error.name, error.message, { current: await this.read(editor, address) });
    }
  }
}

/**
 * The address of a draft: each name in the pattern is replaced by the draft's value, encoded.
 *
 * @returns null if the draft has no value for one of them.
 */
export function previewUrl(pattern: string, type: ContentType, document: EditedDocument): string | null {
  const values = new Map<string, string | undefined>();
  for (const [, name = ''] of pattern.matchAll(PREVIEW_NAME)) values.set(name, namedValue(name, type, document));
  if ([...values.values()].includes(undefined)) return null;
  return pattern.replace(PREVIEW_NAME, (_whole, name: string) => encodeURIComponent(values.get(name)!));
}

function namedValue(
  name: string,
  type: ContentType,
  { documentId, locale, draft }: EditedDocument,
): string | undefined {
  if (draft === null) return undefined;
  if (name === 'documentId') return documentId ?? undefined;
  if (name === 'status') return 'draft';
  // of a type without locales the place stays empty
  if (name === 'locale') return locale ?? '';
  const value = type.attributes.has(name) ? draft[name] : undefined;
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}
