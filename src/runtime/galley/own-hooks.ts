/** Hooks of a project: before a write, within its transaction, and after its commit. */
import type { BeforeWrites, ComingWrite } from '../../content/documents/write-request.ts';
import type { Change } from '../../db/interface/change.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { BeforeFiles, UploadedFile } from '../../media/media-context.ts';
import type { WrittenData } from '../../query/body.ts';
import { plainData } from '../../query/plain.ts';
import { type ContentType, FILE_UID } from '../../schema/catalog.ts';
import type { AmbientDatabase } from '../documents/ambient.ts';
import { isPlain } from '../documents/plain-params.ts';
import { Late } from '../late.ts';
import type { BeforeWriteEvent, Hooks, ToldChange } from './extension-types.ts';
import type { OwnCode } from './own-code.ts';
import { OwnRetries } from './own-retries.ts';

/** The hooks for a type, those for all types first: these are of the project's own types. */
function hooksFor(own: OwnCode, uid: string): readonly (Hooks & { readonly of: string })[] {
  const names = uid.startsWith('api::') ? ['*', uid] : [uid];
  return names.flatMap((of) => {
    const hooks = own.definition.hooks.get(of);
    return hooks ? [{ ...hooks, of }] : [];
  });
}

const hasBeforeWrite = (own: OwnCode, uid: string): boolean =>
  hooksFor(own, uid).some(({ beforeWrite }) => beforeWrite !== undefined);

/** `beforeWrite` of documents. */
export class OwnBeforeWrites implements BeforeWrites {
  readonly #own: OwnCode;

  constructor(own: OwnCode) {
    this.#own = own;
  }

  concerns({ uid }: ContentType): boolean {
    // hooks of a file run before anything of it is stored
    return uid !== FILE_UID && hasBeforeWrite(this.#own, uid);
  }

  changed({ type: { uid }, ...write }: ComingWrite): Promise<WrittenData> {
    return changedByHooks(this.#own, uid, write);
  }
}

/** `beforeWrite` of files; undefined where there is none. */
export function ownBeforeFiles(own: OwnCode | undefined): BeforeFiles | undefined {
  if (!own || !hasBeforeWrite(own, FILE_UID)) return undefined;
  return {
    changed: (write) => changedByHooks(own, FILE_UID, { ...write, locale: undefined, status: 'published' }),
  };
}

/** The data of a write as the hooks for a type leave it. */
async function changedByHooks(
  own: OwnCode,
  uid: string,
  { data: original, by, ...write }: Omit<ComingWrite, 'type'> & { readonly file?: UploadedFile | undefined },
): Promise<WrittenData> {
  let data: unknown = structuredClone(original);
  for (const hook of hooksFor(own, uid)) {
    if (!hook.beforeWrite) continue;
    const { userId = null, administratorId = null } = by;
    const event = { ...own.tools, ...write, uid, data, userId, administratorId } as BeforeWriteEvent;
    data = await own.run(`beforeWrite of ${uid}`, async () => {
      const changed = (await hook.beforeWrite!(event as never)) ?? event.data;
      if (!isPlain(changed)) throw new TypeError('beforeWrite must leave an object as data');
      return changed;
    });
  }
  return plainData(data) as WrittenData;
}

/** The hooks that receive a database's changes: those of the project that was served last. */
const hooksByDatabase = new WeakMap<Database, OwnChangeHooks>();

/** `inTransaction` and `afterCommit`, as long as the project is served. */
export class OwnChangeHooks {
  readonly #own: OwnCode;
  readonly #database: AmbientDatabase;
  readonly #engine: Database;
  readonly #retries: OwnRetries;
  #unsubscribe: () => void = () => {};

  /** @param engine the database of the served project, which `database` wraps. */
  constructor(own: OwnCode, database: AmbientDatabase, engine: Database) {
    this.#own = own;
    this.#database = database;
    this.#engine = engine;
    this.#retries = new OwnRetries(own, engine);
  }

  start(): void {
    const all = [...this.#own.definition.hooks.values()];
    const isRetrying = [...this.#own.definition.hooks.keys()].some((name) => this.#retries.has(name));
    hooksByDatabase.set(this.#engine, this);
    if (isRetrying) this.#database.outside(() => this.#retries.start());
    const isCurrent = () => hooksByDatabase.get(this.#engine) === this;
    const beforeCommit = async (tx: Transaction, changes: readonly Change[]) => {
      if (isCurrent()) await this.#inTransaction(tx, changes);
    };
    this.#unsubscribe = this.#engine.subscribe({
      ...(all.some(({ inTransaction }) => inTransaction) || isRetrying ? { beforeCommit } : {}),
      afterCommit: (changes) => {
        if (isCurrent()) void this.#database.outside(() => this.#afterCommit(changes));
      },
    });
  }

  stop(): void {
    this.#unsubscribe();
    this.#retries.stop();
  }

  async #inTransaction(tx: Transaction, changes: readonly Change[]): Promise<void> {
    for (const [uid, ofType] of byType(changes)) {
      for (const { inTransaction, of } of hooksFor(this.#own, uid)) {
        if (this.#retries.has(of)) await this.#retries.note(tx, of, ofType);
        if (!inTransaction) continue;
        const event = { ...this.#own.tools, changes: ofType };
        const purpose = `inTransaction of ${uid}`;
        const run = () => this.#database.inside(tx, async () => inTransaction(event));
        await this.#own.run(purpose, run).catch(async (error: unknown) => {
          // only the client gets the timeout error, so it is logged here
          if (error instanceof Late) await this.#own.log(error, purpose, ['hooks', of, 'inTransaction']);
          throw error;
        });
      }
    }
  }

  async #afterCommit(changes: readonly Change[]): Promise<void> {
    for (const [uid, ofType] of byType(changes)) {
      for (const { afterCommit, of } of hooksFor(this.#own, uid)) {
        if (this.#retries.has(of)) this.#retries.make();
        if (typeof afterCommit !== 'function') continue;
        await this.#own.runAlone(`afterCommit of ${uid}`, () => afterCommit({ ...this.#own.tools, changes: ofType }));
      }
    }
  }
}

function byType(changes: readonly Change[]): Map<string, ToldChange[]> {
  const shown = changes.map(({ uid, documentId, locale, status, kind, at }) => {
    return { uid, documentId, locale, status, kind, at };
  });
  return Map.groupBy(shown, ({ uid }) => uid);
}
