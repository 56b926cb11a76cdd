/** Starts, watches, stops and undoes imports. They run in the background of this process. */
import { randomBytes } from 'node:crypto';
import type { NamedLease } from '../db/interface/named-lease.ts';
import { forbidden, refusal, unavailable, validation } from '../errors.ts';
import { errorField, writeLogLine } from '../log-line.ts';
import { reason } from '../reasons.ts';
import { type ContentType, USER_UID } from '../schema/catalog.ts';
import type { Delimiter } from './exporting.ts';
import {
  type ImportContext,
  type Importer,
  type IsOver,
  type PreparedImport,
  RunningImport,
  requireRights,
} from './importing.ts';
import {
  addImport,
  beginUndo,
  endImport,
  findImport,
  type ImportState,
  leaseOf,
  Stopped,
  type StoredImport,
} from './imports.ts';
import {
  guessColumns,
  guessKey,
  type ImportOptions,
  type ImportViews,
  namedTargets,
  type PossibleTarget,
  targetsOf,
} from './mapping.ts';
import { type InspectedFile, inspectFile, type RowsFile } from './reading.ts';
import { requireUndoRights, undoRows } from './undoing.ts';

/** The most imports that run in a process at the same time; of each person one. */
const MOST_RUNNING = 4;

/** A file with the targets that its columns can have. */
export interface Preview extends InspectedFile {
  readonly targets: readonly PossibleTarget[];
  /** The guessed target of each column; null: none. */
  readonly columns: readonly (string | null)[];
  readonly key: string | null;
}

/** An import that has begun. `end` resolves when it has ended, in whatever way. */
export interface Begun {
  readonly id: number;
  readonly end: Promise<void>;
}

/** An import, or its undoing. */
interface Work {
  /** Stores that it begins, with the name of the lease by which other processes find out whether it still runs. */
  readonly store: (lease: string) => Promise<StoredImport>;
  readonly work: (stored: StoredImport, isOver: IsOver) => Promise<void>;
}

export class RowImports {
  readonly #context: ImportContext;
  readonly #running = new Set<{ readonly by: string; readonly end: Promise<void> }>();
  #isClosed = false;

  constructor(context: ImportContext) {
    this.#context = context;
  }

  /**
   * Describes a file.
   *
   * @throws ContentError 400 for a type or a file that cannot be imported; 403 without a right to import it.
   */
  async preview(type: ContentType, importer: Importer, file: RowsFile, delimiter?: Delimiter): Promise<Preview> {
    requireImportable(type);
    const mayWrite = (['create', 'update'] as const).some((name) => importer(name).view.may(`${type.uid}.${name}`));
    if (!mayWrite) throw forbidden();
    const inspected = await inspectFile(file, delimiter);
    const targets = targetsOf(viewsOf(importer), type);
    const guessed = guessColumns(targets, inspected.form.columns);
    const key = guessKey(targets, guessed);
    // the id of a document is only its key
    const columns = guessed.map((name) => (name === 'documentId' && key !== name ? null : name));
    return { ...inspected, targets, columns, key };
  }

  /**
   * Begins an import.
   *
   * @throws ContentError 400 for wrong options or a wrong file, and if too many are running; 403 without the right.
   */
  async begin(
    type: ContentType,
    importer: Importer,
    file: RowsFile,
    options: ImportOptions & { readonly delimiter: Delimiter | undefined },
    by: string,
  ): Promise<Begun> {
    requireImportable(type);
    requireRights({ type, importer, options, locale: undefined });
    const { locales, database } = this.#context;
    if (options.locale !== undefined && !(await locales.has(options.locale))) {
      throw validation(`Locale "${options.locale}" not found`, { path: 'locale' });
    }
    const { form, count } = await inspectFile(file, options.delimiter);
    const targets = namedTargets(targetsOf(viewsOf(importer), type), form.columns, options);
    const locale = type.localized ? (options.locale ?? (await locales.default())) : undefined;
    const { isTrial, isPublished, key } = options;
    const record = { isTrial, isPublished, key, columns: form.columns };
    const added = { uid: type.uid, fileName: file.name, options: record, total: count };
    const prepared: PreparedImport = { type, importer, file, form, options, targets, locale };
    return this.#start(by, 'running', {
      store: async (lease) => findImport(database, await addImport(database, { ...added, lease })),
      work: (stored, isOver) => new RunningImport(this.#context, prepared, stored, isOver).run(),
    });
  }

  /**
   * Begins to undo an import that has ended.
   *
   * @throws ContentError 400 for one that has not ended or was a trial, 403 without the rights.
   */
  async undo(type: ContentType, importer: Importer, stored: StoredImport, by: string): Promise<Begun> {
    const { database } = this.#context;
    if (stored.options.isTrial) throw refusal('A trial has written nothing');
    requireUndoRights(type, importer, stored);
    return this.#start(by, 'undoing', {
      store: async (lease) => {
        if (!(await beginUndo(database, stored.id, lease))) throw refusal('The import has not ended, or is undone');
        return stored;
      },
      work: (_, isOver) => undoRows(this.#context, { type, importer }, stored, isOver),
    });
  }

  /** Stops an import. Rows that are written stay. Returns whether it was running. */
  stop(id: number): Promise<boolean> {
    return endImport(this.#context.database, id, 'running', 'stopped');
  }

  /** Interrupts what is running after its current transaction. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map(({ end }) => end));
  }

  /**
   * Takes a place before anything is awaited, so that no other call takes it as well, and works in the background.
   *
   * @throws ContentError 400 if too many are running, and what `store` throws.
   */
  async #start(by: string, state: 'running' | 'undoing', { store, work }: Work): Promise<Begun> {
    this.#requireRoom(by);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const place = { by, end };
    this.#running.add(place);
    const leave = (): void => {
      this.#running.delete(place);
      resolve();
    };
    const name = randomBytes(12).toString('hex');
    const lease = leaseOf(this.#context.database, name);
    try {
      await lease.hold();
      const stored = await store(name);
      void this.#inBackground(stored, lease, state, work).finally(leave);
      return { id: stored.id, end };
    } catch (error) {
      // a lease that does not end now is not renewed
      await lease.end().catch(() => undefined);
      leave();
      throw error;
    }
  }

  #requireRoom(by: string): void {
    if (this.#isClosed) throw unavailable('The server ends');
    const running = [...this.#running];
    if (running.length >= MOST_RUNNING || running.some((one) => one.by === by)) {
      throw refusal('Another import is running: wait until it has ended', reason('importRunning'));
    }
  }

  async #inBackground(
    stored: StoredImport,
    lease: NamedLease,
    state: 'running' | 'undoing',
    work: Work['work'],
  ): Promise<void> {
    const isOver = async () => this.#isClosed || !(await lease.hold());
    try {
      const outcome = await this.#outcome(state, () => work(stored, isOver));
      if (outcome !== undefined) await this.#end(stored, state, outcome);
      await lease.end();
    } catch (error) {
      writeLogLine('error', `import ${stored.id}: its end was not stored`, errorField(error));
    }
  }

  /** The state in which work ends; undefined if it was stopped. */
  async #outcome(state: 'running' | 'undoing', work: () => Promise<void>): Promise<ImportState | undefined> {
    const isUndoing = state === 'undoing';
    try {
      await work();
      return isUndoing ? 'undone' : 'done';
    } catch (error) {
      if (error instanceof Stopped) return this.#isClosed ? (isUndoing ? 'partlyUndone' : 'interrupted') : undefined;
      writeLogLine('error', 'an import has failed', errorField(error));
      return isUndoing ? 'partlyUndone' : 'failed';
    }
  }

  async #end({ id, uid, fileName, options }: StoredImport, state: ImportState, outcome: ImportState): Promise<void> {
    const { database } = this.#context;
    const { created, updated, failed, undone, kept } = await findImport(database, id);
    const to = outcome === 'undone' && kept > 0 ? 'partlyUndone' : outcome;
    await endImport(database, id, state, to);
    if (options.isTrial) return;
    const counts = state === 'undoing' ? { undone, kept } : { created, updated, failed };
    const action = state === 'undoing' ? 'rows.undo' : 'rows.import';
    await database.transaction(async (tx) => {
      tx.recordAction({ action, type: uid, id: null, more: { file: fileName, ...counts } });
    });
  }
}

const viewsOf = (importer: Importer): ImportViews => ({
  read: importer('read').view,
  create: importer('create').view,
  update: importer('update').view,
});

/** @throws ContentError 400 for a type whose documents are not written as rows. */
function requireImportable({ uid, kind }: ContentType): void {
  if (kind === 'singleType') throw refusal(`${uid} has only one document`);
  if (uid === USER_UID) throw refusal('Accounts cannot be imported: they have rules of their own');
}
