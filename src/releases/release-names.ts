/** The names of releases that have not run, by which requests preview them; cached until the database changes. */
import type { Database } from '../db/interface/database.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { refusal } from '../errors.ts';
import { at, because, Failures } from '../failures.ts';
import { RELEASE_UID } from '../schema/catalog.ts';
import { compilePendingReleases } from '../sql/releases.ts';

export { RELEASE_UID };

/** Releases whose names are read; the reference may store more. */
const MOST_NAMES = 10_000;

/** The ids of releases that have not run, by name; of several with one name, the oldest. */
async function pendingNames(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows = await query(db, compilePendingReleases(), [MOST_NAMES]);
  return new Map(rows.toReversed().map(([id, name]) => [String(name ?? ''), Number(id)]));
}

/**
 * Refuses the name of another release that has not run.
 *
 * @param own the release that may have the name.
 * @param most the number of releases at which there may be no further one.
 * @throws ContentError 400 for a name that is taken, and for too many releases.
 */
export async function requireFreeName(
  tx: Transaction,
  name: string,
  own: number | undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  await tx.lock(() => [{ key: 'galley release names', shared: false }]);
  const names = await pendingNames(tx);
  const holder = names.get(name);
  if (holder !== undefined && holder !== own) {
    const failures = new Failures();
    failures.add(at('name'), because(`Release with name ${name} already exists`, 'unique'), name);
    failures.throwAny();
  }
  if (names.size >= most) throw refusal('You have reached the maximum number of pending releases');
}

export class ReleaseNames {
  readonly #database: Database;
  #generation = Number.NaN;
  #names: ReadonlyMap<string, number> = new Map();
  /** Grows with each change: the result of a read that began before may be old. */
  #epoch = 0;

  constructor(database: Database) {
    this.#database = database;
    database.subscribe({
      afterCommit: (changes) => {
        if (changes.some(({ uid }) => uid === RELEASE_UID)) this.#epoch += 1;
      },
    });
  }

  /** The id of the release with a name that has not run; undefined if there is none. */
  idOf(name: string): number | undefined | Promise<number | undefined> {
    const state = this.#database.generation() + this.#epoch;
    return state === this.#generation ? this.#names.get(name) : this.#refresh(state).then((names) => names.get(name));
  }

  async #refresh(state: number): Promise<ReadonlyMap<string, number>> {
    const names = await pendingNames(this.#database);
    this.#names = names;
    this.#generation = state;
    return names;
  }
}
