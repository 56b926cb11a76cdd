/** Publishing and unpublishing documents at a time (docs/reference/scheduling.md). */
import type { Viewer } from '../access/view.ts';
import type { TransitionRequest, Transitions } from '../content/documents/transitions.ts';
import type { Writer } from '../content/documents/writer.ts';
import type { LocaleStore } from '../content/locales/locale-store.ts';
import type { Reader } from '../content/reading/reader.ts';
import { readRows, singleDocumentId } from '../content/rows/document-rows.ts';
import { currentActor } from '../db/interface/account.ts';
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { notFound, refusal } from '../errors.ts';
import type { LocaleChoice } from '../query/content-query.ts';
import { reason } from '../reasons.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import type { Clock } from './clock.ts';
import {
  addItems,
  cancelItem,
  countWaiting,
  listItems,
  moveItem,
  retryItem,
  type ScheduledItem,
  workIsOver,
} from './items.ts';
import type { Performers, ScheduledAction } from './performers.ts';
import type { BegunWork, DueWork, Gone } from './schedule.ts';

/** The kind of this work. */
export const DOCUMENT_WORK = 'document';

/** Work that may wait: altogether, of one actor, and about one document. */
export const MOST_WAITING = 10_000;
const MOST_OF_ACTOR = 2000;
export const MOST_OF_DOCUMENT = 20;

/** Work about one document that is listed. */
const MOST_LISTED = 50;

/** What is to be done with a document. */
export interface DocumentSubject {
  readonly action: ScheduledAction;
  /** `*`: all versions at that time; null on types without locales. */
  readonly locale: '*' | readonly string[] | null;
}

export interface ScheduleRequest {
  readonly type: ContentType;
  readonly viewer: Viewer;
  /** Undefined: the document of a single type. */
  readonly documentId: string | undefined;
  readonly action: ScheduledAction;
  readonly locales: LocaleChoice;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

export interface ScheduledDocumentsContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly transitions: Transitions;
  readonly locales: LocaleStore;
  readonly performers: Performers;
  readonly clock: Clock;
  /** Reports a failure, in the transaction that stores it and after its commit. */
  readonly failed: NonNullable<DueWork['failed']>;
}

/** Rolls back the transaction of a trial. */
class TrialEnd extends Error {}

/** The part of a document that a try returns. */
const SHORT = { fields: ['documentId'] };

export class ScheduledDocuments implements DueWork {
  readonly #context: ScheduledDocumentsContext;

  constructor(context: ScheduledDocumentsContext) {
    this.#context = context;
  }

  /**
   * Schedules an action on a document for the current actor. The action is tried at once and rolled back, without
   * project code, so that it is refused now if it would be refused now.
   *
   * @throws ContentError as the action, and 400 if too much work waits.
   */
  async schedule({ type, viewer, documentId: named, action, locales: choice, dueAt }: ScheduleRequest) {
    const { database, clock, locales } = this.#context;
    const documentId = named ?? (await this.singleOf(type));
    if (documentId === undefined) throw notFound();
    const main = await locales.default();
    await this.#try({ name: action, type, viewer, documentId, locales: choice, shape: SHORT });
    const codes = choice.kind === 'some' ? [...new Set(choice.codes)] : [main];
    const locale = type.localized ? (choice.kind === 'all' ? '*' : codes) : null;
    const item = { kind: DOCUMENT_WORK, contentType: type.uid, target: documentId, subject: { action, locale }, dueAt };
    return database.transaction(async (tx) => {
      await this.#requireRoom(tx, type, documentId);
      const [added] = await addItems(tx, [item], clock.now());
      return added!;
    });
  }

  /** Tries an action and rolls it back, without project code. @throws ContentError as the action. */
  async #try(move: TransitionRequest): Promise<void> {
    const { database, locales, transitions } = this.#context;
    const main = await locales.default();
    try {
      await database.transaction(async (tx) => {
        await transitions.runIn(tx, move, main);
        throw new TrialEnd();
      });
    } catch (error) {
      if (!(error instanceof TrialEnd)) throw error;
    }
  }

  async #requireRoom(tx: Transaction, { uid }: ContentType, documentId: string): Promise<void> {
    await tx.lock(() => [{ key: 'galley scheduled work', shared: false }]);
    const requireLess = (count: number, limit: number, by = ''): void => {
      if (count < limit) return;
      throw refusal(`At most ${limit} actions can be scheduled${by}`, reason('scheduleFull', { limit }));
    };
    const { all, own } = await countWaiting(tx, currentActor());
    requireLess(all, MOST_WAITING);
    requireLess(own, MOST_OF_ACTOR, ' by one caller');
    const most = MOST_OF_DOCUMENT;
    const ofDocument = { types: [uid], targets: [documentId], states: ['waiting'], most } as const;
    requireLess((await listItems(tx, ofDocument)).length, most, ' for a document');
  }

  /** The time by which work is due. */
  get now(): number {
    return this.#context.clock.now();
  }

  /** The document of a single type; undefined where there is none. */
  singleOf(type: ContentType): Promise<string | undefined> {
    const { database, writer } = this.#context;
    return singleDocumentId(writer.reading(database), type);
  }

  /** The work about a document, the latest first. */
  ofDocument({ uid }: ContentType, documentId: string): Promise<ScheduledItem[]> {
    const { database } = this.#context;
    return listItems(database, { types: [uid], targets: [documentId], latestFirst: true, most: MOST_LISTED });
  }

  /** An item about one of these types; undefined where there is none. */
  async one(id: number, types: readonly string[]): Promise<ScheduledItem | undefined> {
    const [item] = await listItems(this.#context.database, { ids: [id], types, most: 1 });
    return item;
  }

  /** Whether a viewer is shown any version of a document. */
  async isShown(type: ContentType, viewer: Viewer, documentId: string): Promise<boolean> {
    const { database, reader, writer } = this.#context;
    const { rows } = await readRows(writer.reading(database), type, documentId);
    return (await reader.shown(database, viewer).hidden(type, rows)).size < rows.length;
  }

  /**
   * Cancels work for a viewer who may perform its action.
   *
   * @throws ContentError 400 for work that does not wait and has not failed, 403 and 404 as the action.
   */
  async cancel(item: ScheduledItem, viewer: Viewer): Promise<void> {
    const { database, clock } = this.#context;
    const isCancelled = await database.transaction(async (tx) => {
      await this.#requirePerformer(tx, item, viewer);
      return cancelItem(tx, item, clock.now());
    });
    if (!isCancelled) throw workIsOver();
  }

  /**
   * Changes the time of work that waits, which is done with the rights of the current actor then: a viewer who may perform
   * its action. The action is tried again, as when it was scheduled.
   *
   * @throws ContentError 400 for work that does not wait, and as the action.
   */
  async move(item: ScheduledItem, viewer: Viewer, dueAt: number): Promise<ScheduledItem> {
    const { catalog, database } = this.#context;
    const type = catalog.contentTypes.get(item.contentType ?? '');
    if (item.state === 'waiting' && type?.draftAndPublish) {
      const locales = await this.#present(database, type, item);
      if (!locales) throw notFound();
      await this.#try({ name: subjectOf(item).action, type, viewer, documentId: item.target, locales, shape: SHORT });
    }
    const moved = await database.transaction(async (tx) => {
      await this.#requirePerformer(tx, item, viewer);
      return moveItem(tx, item, dueAt);
    });
    if (!moved) throw workIsOver();
    return moved;
  }

  /**
   * Has failed work done again, with the rights of the current actor: a viewer who may perform its action.
   *
   * @throws ContentError 400 for work that has not failed, 403 and 404 as the action.
   */
  async retry(item: ScheduledItem, viewer: Viewer): Promise<void> {
    const { database, clock } = this.#context;
    const isWaiting = await database.transaction(async (tx) => {
      await this.#requirePerformer(tx, item, viewer);
      return retryItem(tx, item, currentActor(), clock.now());
    });
    if (!isWaiting) throw refusal('This has not failed', reason('scheduleOver'));
  }

  /** @throws ContentError 403 and 404 for a viewer to whom the action would be refused, whatever the values. */
  async #requirePerformer(tx: Transaction, item: ScheduledItem, viewer: Viewer): Promise<void> {
    const { catalog, locales: stored, transitions } = this.#context;
    const type = catalog.contentTypes.get(item.contentType ?? '');
    const locales = type?.draftAndPublish ? await this.#present(tx, type, item) : undefined;
    if (!type || !locales) return;
    const request = { name: subjectOf(item).action, type, viewer, documentId: item.target, locales, shape: SHORT };
    await transitions.requireIn(tx, request, await stored.default());
  }

  async begin(item: ScheduledItem): Promise<BegunWork> {
    const { catalog, performers } = this.#context;
    const type = catalog.contentTypes.get(item.contentType ?? '');
    if (!type?.draftAndPublish) return { run: async () => ({ gone: { missing: 'type' } }) };
    const { action } = subjectOf(item);
    const performer = await performers.of(item.by, type, action);
    const run = async (tx: Transaction): Promise<Gone | undefined> => {
      const locales = await this.#present(tx, type, item);
      if (!locales) return { gone: { missing: 'document' } };
      const { viewer } = performer;
      const request = { name: action, type, viewer, documentId: item.target, locales, shape: SHORT };
      await performer.move(tx, request);
      return undefined;
    };
    return { run, once: performer.runsCode };
  }

  failed(tx: Transaction, item: ScheduledItem, failure: Parameters<NonNullable<DueWork['failed']>>[2]) {
    return this.#context.failed(tx, item, failure);
  }

  /** The scheduled versions that still exist; undefined: none of them. */
  async #present(db: Queryable, type: ContentType, item: ScheduledItem): Promise<LocaleChoice | undefined> {
    const { locale } = subjectOf(item);
    const { rows } = await readRows(this.#context.writer.reading(db), type, item.target);
    if (rows.length === 0) return undefined;
    if (!type.localized) return { kind: 'default' };
    if (locale === '*' || locale === null) return { kind: 'all' };
    const codes = locale.filter((code) => rows.some((row) => row.locale === code));
    return codes.length === 0 ? undefined : { kind: 'some', codes };
  }
}

/** An item as answers show it. */
export function shownItem(item: ScheduledItem) {
  const { id, contentType, target: documentId, dueAt, state, createdAt, endedAt, result } = item;
  const { action, locale } = subjectOf(item);
  const { name, message, errors = [] } = (state === 'failed' ? result : undefined) ?? {};
  return {
    ...{ id, contentType, documentId, action, locale, at: new Date(dueAt).toISOString(), state },
    createdAt: new Date(createdAt).toISOString(),
    endedAt: endedAt === null || state === 'waiting' ? null : new Date(endedAt).toISOString(),
    failure: state === 'failed' ? { name, message, errors } : null,
  };
}

/** What an item does with its document. */
export function subjectOf({ subject }: ScheduledItem): DocumentSubject {
  return subject as unknown as DocumentSubject;
}
