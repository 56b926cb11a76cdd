/**
 * Publishing, unpublishing and discarding drafts without writing content. The REST API of the reference has no such
 * requests. The rules of publication are those of a publishing update.
 */
import type { Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { notFound } from '../../errors.ts';
import type { LocaleChoice, Status } from '../../query/content-query.ts';
import type { RawObject } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { LocaleStore } from '../locales/locale-store.ts';
import { waitForRepublication } from '../publication/followers.ts';
import { checkPublication, discardDraft, draftFrom, publishStored } from '../publication/publication.ts';
import { copySharedAttributes } from '../publication/shared-attributes.ts';
import { readWhole } from '../publication/whole-row.ts';
import { type Answer, AnswerBudget, type OneText, Settling } from '../reading/answers.ts';
import type { Reader } from '../reading/reader.ts';
import type { ShownRows } from '../reading/shown-rows.ts';
import {
  type DocumentRow,
  type DocumentRows,
  inLocale,
  readReplacedRows,
  readRows,
  rowOf,
  singleDocumentId,
  writeTime,
} from '../rows/document-rows.ts';
import { documentLock, singleLock } from '../rows/locks.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { removeRowsAlone } from './removal.ts';
import { acting, type Precondition, type RemovalRequest, requireVersion } from './write-request.ts';
import type { StepWriter, Writer } from './writer.ts';

export const TRANSITIONS = ['publish', 'unpublish', 'discardDraft'] as const;
export type TransitionName = (typeof TRANSITIONS)[number];

export interface TransitionRequest {
  readonly name: TransitionName;
  /** A type with draft-and-publish. */
  readonly type: ContentType;
  readonly viewer: Viewer;
  /** Undefined: the document of a single type. */
  readonly documentId: string | undefined;
  /** Which versions; without effect on types that are not localized. */
  readonly locales: LocaleChoice;
  /** `fields` and `populate` of the answer. */
  readonly shape: RawObject;
  /** Bytes of the longest answer, all versions together; the reader's own limit when left out. */
  readonly longest?: number;
  readonly precondition?: Precondition | undefined;
  /** The time of publication in epoch milliseconds, for documents that are published together; now if left out. */
  readonly at?: number | undefined;
}

/** What writes documents in a transaction that others end. */
export interface TogetherServices {
  readonly move: (request: TransitionRequest) => Promise<void>;
  readonly remove: (removal: RemovalRequest) => Promise<void>;
  readonly steps: StepWriter;
}

/** Work in a transaction, with what writes in it. */
export type TogetherWork<T> = (tx: Transaction, services: TogetherServices) => Promise<T>;

export interface TransitionsContext {
  readonly database: Database;
  readonly reader: Reader;
  readonly locales: LocaleStore;
  readonly writer: Writer;
}

/** The row that the answer shows. */
const ANSWERED: Readonly<Record<TransitionName, Status>> = {
  publish: 'published',
  unpublish: 'draft',
  discardDraft: 'draft',
};

export class Transitions {
  readonly #context: TransitionsContext;

  constructor(context: TransitionsContext) {
    this.#context = context;
  }

  /**
   * Moves the requested versions of a document, all or none, and returns them in the order of the codes; for `*` in
   * alphabetical order.
   *
   * @throws ContentError 404 for a document or version that does not exist or is hidden from the viewer, and for a
   * draft to discard that has never been published; 400 for a draft that may not be published, and for an answer that
   * would be too long; 403 if a part of the versions is hidden from the viewer, or if a row would lose a link that the
   * viewer may not update; 412 for a version that does not meet the precondition.
   */
  async run(request: TransitionRequest): Promise<OneText[]> {
    const defaultLocale = await this.#context.locales.default();
    const settling = new Settling(new AnswerBudget(request.longest ?? this.#context.reader.longest));
    return settling.settleAll(await this.#context.database.transaction((tx) => this.runIn(tx, request, defaultLocale)));
  }

  /** The same inside a transaction that is already open. */
  async runIn(
    tx: Transaction,
    requested: TransitionRequest,
    defaultLocale: string,
    patterns: PatternTime = new PatternTime(),
  ): Promise<Answer[]> {
    const request = acting(requested, requested.name);
    const { name, type, viewer } = request;
    const work = (context: WriteContext, shown: ShownRows) =>
      this.#moveAll(context, shown, request, defaultLocale, patterns);
    const { documentId, codes } = await this.#context.writer.permitted(tx, viewer, work, name === 'discardDraft');
    const answers: Answer[] = [];
    const { reader } = this.#context;
    const { longest = reader.longest } = request;
    const budget = new AnswerBudget(longest);
    for (const code of codes) {
      const params = { ...request.shape, status: ANSWERED[name], ...(code === null ? {} : { locale: code }) };
      const answer = await reader.written(tx, type, request.viewer, params, {
        documentId,
        longest,
      });
      if ('data' in answer) budget.take(answer.data);
      answers.push(answer);
    }
    return answers;
  }

  /** Runs work in one transaction: what it writes is all committed or not at all. */
  async together<T>(work: TogetherWork<T>): Promise<T> {
    const defaultLocale = await this.#context.locales.default();
    return this.#context.database.transaction((tx) =>
      work(tx, {
        move: async (request) => void (await this.runIn(tx, request, defaultLocale)),
        remove: (removal) => this.#context.writer.deleteIn(tx, removal),
        steps: this.#context.writer.inside(tx),
      }),
    );
  }

  /**
   * Examines whether versions could be moved, without writing.
   *
   * @throws ContentError 404, 403 and 400 as `run`, except for effects on other documents.
   */
  async checkIn(
    tx: Transaction,
    requested: TransitionRequest,
    defaultLocale: string,
    patterns: PatternTime,
  ): Promise<void> {
    const { name, type } = requested;
    const { context, document, codes } = await this.requireIn(tx, requested, defaultLocale);
    if (name !== 'publish') return;
    const { documentId } = document;
    for (const code of codes) {
      const draft = rowOf(document, type, code, false);
      const whole = draft && (await readWhole(context, type, draft.id));
      if (!whole) continue;
      await checkPublication(context, { type, documentId, locale: draft.locale, patterns }, whole);
    }
  }

  /**
   * Examines whether a viewer may move versions, whatever their values. Returns these.
   *
   * @throws ContentError 404 and 403 as `checkIn`.
   */
  async requireIn(tx: Transaction, requested: TransitionRequest, defaultLocale: string) {
    const request = acting(requested, requested.name);
    const { type, viewer } = request;
    const context = this.#context.writer.context(tx);
    const documentId = request.documentId ?? (await singleDocumentId(context, type));
    if (documentId === undefined) throw notFound();
    const document = await readRows(context, type, documentId);
    const codes = codesOf(document, request, defaultLocale);
    await this.#context.reader.shown(tx, viewer).require(type, versionsOf(document, request, codes));
    return { context, document, codes };
  }

  /** Moves the versions one after the other. Returns the document and the locales of its versions. */
  async #moveAll(
    context: WriteContext,
    shown: ShownRows,
    request: TransitionRequest,
    defaultLocale: string,
    patterns: PatternTime,
  ): Promise<{ readonly documentId: string; readonly codes: readonly (string | null)[] }> {
    const document = await this.#lock(context, request, defaultLocale);
    const { documentId } = document;
    const { type } = request;
    const codes = codesOf(document, request, defaultLocale);
    await shown.require(type, versionsOf(document, request, codes));
    requireVersion(request.precondition, document, type, codes);
    const now = request.at ?? writeTime(document);
    let current = document;
    for (const [n, code] of codes.entries()) {
      // moving the version before may have changed rows of this one
      if (n > 0) current = await readReplacedRows(context, type, documentId, replacedBy(request, code));
      await this.#move(context, request, { document: current, shown }, code, codes, now, patterns);
    }
    if (!shown.areAll(type)) {
      const { rows } = await readRows(context, type, documentId);
      await shown.requireWritten(type, rows.filter(isOf(type, codes)));
    }
    return { documentId, codes };
  }

  /** The document, locked until the transaction ends. */
  async #lock(context: WriteContext, request: TransitionRequest, defaultLocale: string): Promise<DocumentRows> {
    const { type, locales, documentId: named } = request;
    if (named === undefined) await context.tx.lock(() => [singleLock(type)]);
    const documentId = named ?? (await singleDocumentId(context, type));
    if (documentId === undefined) throw notFound();
    await context.tx.lock(() => [documentLock(type.uid, documentId)], false);
    const some = locales.kind === 'some' ? locales.codes : [defaultLocale];
    const locale = locales.kind === 'all' || some.length > 1 ? undefined : some[0];
    return readReplacedRows(context, type, documentId, replacedBy(request, locale));
  }

  async #move(
    context: WriteContext,
    { name, type }: TransitionRequest,
    { document, shown }: { readonly document: DocumentRows; readonly shown: ShownRows },
    code: string | null,
    codes: readonly (string | null)[],
    now: number,
    patterns: PatternTime,
  ): Promise<void> {
    const { documentId } = document;
    const draft = await draftOf(context, type, document, code);
    const published = rowOf(document, type, code, true);
    const shared = context.plans.index.sharedAttributes(type.uid);
    const isShared = (row: DocumentRow) => !inLocale(row, type, code) && row.published === (name === 'publish');
    const spreads = name !== 'unpublish' && shared.size > 0;
    // versions of other locales stay unchanged if the viewer may not write them
    const others = spreads ? await shown.writable(type, document.rows.filter(isShared)) : [];
    if (name === 'publish') {
      const { locale } = draft;
      const version = { type, documentId, draft, published };
      const scope = { others, now, mentioned: new Set<string>() };
      await publishStored(context, { type, documentId, locale, patterns }, version, scope);
    } else if (published && name === 'unpublish') {
      await waitForRepublication(context, { type, documentId, draft, published });
      await removeRowsAlone(context, type, documentId, [published], 'unpublished');
    } else if (published) {
      await discardDraft(context, { type, documentId, draft, published });
      // drafts of other locales shared the discarded values; their `updatedAt` shows changes of their own
      const peers = others.filter((row) => !codes.includes(row.locale));
      await copySharedAttributes(context, { type, documentId }, draft, peers, shared, undefined);
    }
  }
}

/** The draft of a version. A published row without one, as another program may leave it, gets its draft first. */
async function draftOf(
  context: WriteContext,
  type: ContentType,
  document: DocumentRows,
  code: string | null,
): Promise<DocumentRow> {
  const draft = rowOf(document, type, code, false);
  if (draft) return draft;
  const published = rowOf(document, type, code, true);
  if (!published) throw notFound();
  return draftFrom(context, type, document.documentId, published);
}

const isOf =
  (type: ContentType, codes: readonly (string | null)[]) =>
  (row: DocumentRow): boolean =>
    codes.some((code) => inLocale(row, type, code));

/** The rows that a transition replaces. @param locale undefined: those of any locale. */
const replacedBy = ({ name }: TransitionRequest, locale: string | null | undefined) => {
  return { locale, published: name !== 'discardDraft' };
};

/** The rows of each version that a transition names, or of all of them together. */
function versionsOf(
  { rows }: DocumentRows,
  { type, locales }: TransitionRequest,
  codes: readonly (string | null)[],
): readonly (readonly DocumentRow[])[] {
  if (locales.kind === 'all') return [rows.filter(isOf(type, codes))];
  return codes.map((code) => rows.filter((row) => inLocale(row, type, code)));
}

/** Locales of the versions to be moved; null on types without locales. */
function codesOf(
  { rows }: DocumentRows,
  { name, type, locales }: TransitionRequest,
  defaultLocale: string,
): (string | null)[] {
  const fits = (row: DocumentRow) => name !== 'discardDraft' || row.published;
  if (!type.localized) {
    if (!rows.some(fits)) throw notFound();
    return [null];
  }
  if (locales.kind === 'all') {
    const present = rows.filter(fits).flatMap(({ locale }) => (locale === null ? [] : [locale]));
    if (present.length === 0) throw notFound();
    return [...new Set(present)].sort();
  }
  const codes = locales.kind === 'some' ? [...new Set(locales.codes)] : [defaultLocale];
  for (const code of codes) {
    if (!rows.some((row) => row.locale === code && fits(row))) throw notFound();
  }
  return codes;
}
