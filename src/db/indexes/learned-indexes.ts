/** Creates the indexes that slow reads need, drops those that no read uses any more, and logs both. */
import type { IndexMode, IndexModes } from '../../config/config.ts';
import { programText } from '../../own-files.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { Database } from '../interface/database.ts';
import type { SchemaEngine } from '../migration/schema-engine.ts';
import type { Piece, Upkeep } from '../migration/upkeep.ts';
import { createIndex, dropIndexOf, indexExists, type NamedIndex, searchedColumns } from './building.ts';
import { hasRoom, IndexLearner, type TableIndex, type Verdict, type WantedIndex } from './index-learner.ts';
import {
  existingIndexes,
  forgetIndex,
  type IndexOrigin,
  lastCheck,
  named,
  recordCheck,
  recordUses,
  type StoredIndex,
  storedIndexes,
  suggestIndex,
  takePlace,
} from './stored-indexes.ts';

const DAY = 86_400_000;
/** Days without a use after which a learned index is dropped. */
const UNUSED_DAYS = 30;
/** Milliseconds without a use after which another index may replace a learned one. */
const SPARE = 7 * DAY;
/**
 * Milliseconds between two checks for unused indexes; after `AWAY` without a check, no server is assumed to have run.
 */
const CHECKING = DAY / 4;
const AWAY = 2 * CHECKING;
/** Milliseconds between two reports of uses to the database, each of which may be followed by a check. */
const REPORTING = 300_000;

export interface LearnedIndexesOptions {
  readonly database: Database;
  readonly engine: SchemaEngine;
  readonly upkeep: Upkeep;
  readonly modes: IndexModes;
  readonly log: (line: string) => void;
}

/** Why an index is only suggested. */
const REASONS: Readonly<Record<Exclude<Verdict, 'make'>, string>> = {
  'too many': 'there are many already',
  'too large': 'the table is too large for that',
};

interface IndexPlaces {
  /** All indexes that the database has recorded. */
  readonly kept: readonly StoredIndex[];
  /** The recorded indexes that exist and stay. */
  readonly made: readonly StoredIndex[];
  /** The indexes that occupy a place: the existing ones, and those that this process is building. */
  readonly taken: readonly NamedIndex[];
  readonly checkedAt: number | undefined;
}

export class LearnedIndexes {
  readonly #options: LearnedIndexesOptions;
  readonly #learner: IndexLearner;
  /** Learned indexes by name, with the last use that was reported to the database. */
  readonly #learned = new Map<string, NamedIndex & { reportedAt: number }>();
  /** Indexes that this process is building, by name: each occupies a place before the database records it. */
  readonly #building = new Map<string, NamedIndex>();
  /**
   * Names of indexes that are being dropped; `#promised`: of those that will be dropped once their successor exists.
   */
  readonly #leaving = new Set<string>();
  readonly #promised = new Set<string>();
  /** Decisions run one after the other, so that each sees the places taken before. */
  #decisions: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LearnedIndexesOptions) {
    this.#options = options;
    const { database, engine } = options;
    this.#learner = new IndexLearner({
      rowsOf: (table) => database.rowsOf(table),
      mostRows: engine.unaskedRows,
      searched: (table) => searchedColumns(database, table),
      canSearch: (piece, folded) => database.dialect.search.ask(piece, folded) !== undefined,
      ddl: engine.ddl,
      isLearned: (index) => this.#modeOf(index) !== 'off',
      decide: (wanted, verdict) => {
        this.#decisions = this.#decisions.then(() => this.#decide(wanted, verdict));
      },
    });
  }

  #modeOf({ search }: TableIndex['index']): IndexMode {
    const { modes } = this.#options;
    return search ? modes.search : modes.learn;
  }

  get #isOff(): boolean {
    const { learn, search } = this.#options.modes;
    return learn === 'off' && search === 'off';
  }

  /**
   * Starts learning for a schema, to which the database was migrated. Recorded indexes that no longer exist are built
   * again.
   */
  async begin(layout: Layout): Promise<void> {
    const { database, engine, upkeep, log } = this.#options;
    if (this.#isOff) return;
    const tables = new Set(layout.tables.map(({ name }) => name));
    const stored = (await existingIndexes(database)).filter(({ table }) => tables.has(table));
    this.#learner.begin(layout, stored);
    this.#learned.clear();
    for (const { table, index, origin, usedAt } of stored) {
      if (origin === 'learned') this.#learned.set(index.name, { table, index, reportedAt: usedAt });
    }
    if (stored.length === 0) return;
    await database.search?.refresh();
    const existing = await engine.introspect(database);
    for (const one of stored) {
      if (this.#modeOf(one.index) === 'off' || indexExists(database, existing, one)) continue;
      upkeep.run(async () => {
        const failure = await createIndex(this.#options, one);
        if (failure === undefined) log(`created index ${one.index.name} on ${print(one, engine)} again`);
        return failure;
      });
    }
  }

  /** Starts to watch reads, and checks for unused indexes at intervals, however short the lives of processes are. */
  start(): void {
    const { database } = this.#options;
    if (this.#isOff) return;
    database.watch((read, milliseconds) => this.#learner.note(read, milliseconds));
    this.#timer ??= setInterval(() => void this.tidy().catch(() => undefined), REPORTING).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reports uses of indexes and, every few hours, drops those that were not used for long. */
  async tidy(now = Date.now()): Promise<void> {
    const { database } = this.#options;
    await this.#reportUses();
    const checkedAt = await lastCheck(database);
    if (checkedAt !== undefined && now - checkedAt < CHECKING) return;
    const stored = checkedAt === undefined ? [] : await storedIndexes(database);
    const learned = stored.filter(({ origin, index }) => origin === 'learned' && this.#modeOf(index) !== 'off');
    const away = timeAway(checkedAt, now);
    // stored together, so that a process that reads the time of the check also reads the adjusted uses
    const times = away > 0 ? learned.map(({ index, usedAt }) => [index.name, usedAt + away] as const) : [];
    await recordCheck(database, now, new Map(times));
    this.#learner.reconsider();
    if (checkedAt !== undefined) this.#forgetDropped(new Set(stored.map(({ index }) => index.name)));
    for (const { table, index, usedAt } of learned) {
      const one = { table, index };
      if (this.#isLeaving(index.name)) continue;
      const known = this.#learner.usedAt(one);
      // another process may have built or used it
      if (!this.#learned.has(index.name)) this.#learned.set(index.name, { table, index, reportedAt: usedAt });
      if (known === undefined) this.#learner.add(one, now);
      else if (now - Math.max(usedAt + away, known) >= UNUSED_DAYS * DAY) {
        this.#leave(one, `no read has used it for ${UNUSED_DAYS} days`);
      }
    }
  }

  /** Forgets indexes that were dropped by command: they occupy no places any more. */
  #forgetDropped(names: ReadonlySet<string>): void {
    for (const [name, one] of this.#learned) {
      if (names.has(name) || this.#building.has(name)) continue;
      this.#learner.remove(one);
      this.#learned.delete(name);
    }
  }

  /** Reports uses to the database, so that they outlast this process. */
  async #reportUses(): Promise<void> {
    const used = new Map<string, number>();
    for (const [name, one] of this.#learned) {
      const usedAt = this.#learner.usedAt(one) ?? one.reportedAt;
      if (usedAt - one.reportedAt < DAY) continue;
      used.set(name, usedAt);
      one.reportedAt = usedAt;
    }
    if (used.size > 0) await recordUses(this.#options.database, used);
  }

  #isLeaving(name: string): boolean {
    return this.#leaving.has(name) || this.#promised.has(name);
  }

  /** Forgets an index, and schedules its removal. */
  #leave(one: NamedIndex, why: string): void {
    const { name } = one.index;
    this.#learner.remove(one);
    this.#learned.delete(name);
    this.#leaving.add(name);
    this.#options.upkeep.run(
      () => this.#drop(one, why),
      () => this.#leaving.delete(name),
    );
  }

  async #drop(one: NamedIndex, why: string): Promise<string | undefined> {
    const { database, log } = this.#options;
    const failure = await dropIndexOf(this.#options, one);
    if (failure !== undefined) return failure;
    await forgetIndex(database, one.index.name);
    this.#leaving.delete(one.index.name);
    log(`dropped index ${one.index.name}: ${why}`);
  }

  /**
   * The learned index that a wanted one replaces: the one unused for longest, if it is unused for long.
   *
   * @param taken the indexes that occupy a place, `made` included.
   * @param checkedAt when unused indexes were last checked; without a check it is unknown since when servers have run.
   */
  #spareFor(
    table: string,
    { made, taken, checkedAt, now }: Pick<IndexPlaces, 'made' | 'taken' | 'checkedAt'> & { readonly now: number },
  ): StoredIndex | undefined {
    if (checkedAt === undefined) return undefined;
    const away = timeAway(checkedAt, now);
    const lastUse = (one: StoredIndex): number => Math.max(one.usedAt + away, this.#learner.usedAt(one) ?? 0);
    const inPlace = made.filter((one) => {
      // an index that has become unused meanwhile is being dropped anyway
      if (this.#isLeaving(one.index.name)) return false;
      const others = taken.filter(({ index }) => index.name !== one.index.name).map((other) => other.table);
      return one.origin === 'learned' && hasRoom(others, table) && now - lastUse(one) >= SPARE;
    });
    return inPlace.toSorted((a, b) => lastUse(a) - lastUse(b))[0];
  }

  /** The places that indexes occupy, of this process and as recorded in the database. */
  async #places(): Promise<IndexPlaces> {
    const { database } = this.#options;
    // an index whose removal ends meanwhile keeps its place, because the database's answer may be older
    const [beingMade, going] = [[...this.#building.values()], new Set([...this.#leaving, ...this.#promised])];
    // the time of the check is read first: another process may adjust the uses meanwhile
    const checkedAt = await lastCheck(database).catch(() => undefined);
    const stored = await storedIndexes(database).catch((): readonly StoredIndex[] => []);
    const existing = stored.filter(({ origin, index }) => origin !== 'suggested' && !going.has(index.name));
    const names = new Set(existing.map(({ index }) => index.name));
    return {
      kept: stored,
      made: existing,
      taken: [...existing, ...beingMade.filter(({ index }) => !names.has(index.name))],
      checkedAt,
    };
  }

  async #decide(wanted: WantedIndex, verdict: Verdict): Promise<void> {
    const mode = this.#modeOf(wanted.index);
    const index = named(wanted, 'learned');
    const { table } = wanted;
    const { kept: others, ...places } = await this.#places();
    const { made, taken } = places;
    const now = Date.now();
    const key = this.#learner.keyOf(wanted);
    const same = others.filter((one) => this.#learner.keyOf(one) === key);
    const known = made.find((one) => same.includes(one));
    if (known) {
      this.#adopt(known, now);
      return;
    }
    const isFull = !hasRoom(
      taken.map((one) => one.table),
      table,
    );
    const mayTake = isFull && mode === 'auto' && verdict !== 'too large';
    const spare = mayTake ? this.#spareFor(table, { ...places, now }) : undefined;
    const found = spare ? 'make' : isFull && verdict === 'make' ? 'too many' : verdict;
    const candidate = { wanted, index, now, isSuggested: same.length > 0 };
    if (mode === 'suggest' || found !== 'make') return this.#suggest(candidate, mode === 'suggest' ? 'make' : found);
    this.#learner.add(wanted, now);
    this.#building.set(index.name, { table, index });
    if (spare) this.#promised.add(spare.index.name);
    const isOver = (): void => {
      this.#building.delete(index.name);
      if (spare) this.#promised.delete(spare.index.name);
    };
    this.#options.upkeep.run(this.#construction(candidate, spare, isOver), () => {
      this.#learner.giveUp(wanted);
      isOver();
    });
  }

  /** Records an index that another process may have built. */
  #adopt({ table, index, origin, usedAt }: StoredIndex, now: number): void {
    this.#learner.add({ table, index }, now);
    if (origin === 'learned') this.#learned.set(index.name, { table, index, reportedAt: usedAt });
  }

  /** Logs, once, that an index would help, and why it is not created. */
  async #suggest({ wanted, index, now, isSuggested }: Candidate, verdict: Verdict): Promise<void> {
    const { database, log } = this.#options;
    if (!isSuggested) {
      const { what, why, consequence } = this.#logParts(wanted);
      const reason = verdict === 'make' ? consequence : `; not created automatically, because ${REASONS[verdict]}`;
      log(`an index on ${what} would help: ${why}${reason} (${programText()} index create ${index.name})`);
    }
    await suggestIndex(database, recordOf({ wanted, index, now }, 'suggested')).catch(() => undefined);
  }

  /**
   * Builds an index, in the place of another one if there is one to spare.
   *
   * @param isOver called once the outcome is known.
   */
  #construction(candidate: Candidate, spare: StoredIndex | undefined, isOver: () => void): Piece {
    const { database, log } = this.#options;
    const { wanted, index, now } = candidate;
    const { table } = wanted;
    const key = this.#learner.keyOf(wanted);
    const isSame = (one: TableIndex): boolean => this.#learner.keyOf(one) === key;
    let hasPlace = false;
    return async () => {
      const started = performance.now();
      if (!hasPlace) {
        const leaving = new Set([...this.#leaving, ...(spare ? [spare.index.name] : [])]);
        // recorded first, so that the next process knows of a build that outlasts this one
        const taking = await takePlace(database, recordOf(candidate, 'learned'), { isSame, leaving });
        if (taking !== 'taken') {
          isOver();
          if (taking === 'there') return undefined;
          this.#learner.postpone(wanted);
          await this.#suggest(candidate, 'too many');
          return undefined;
        }
        hasPlace = true;
      }
      const failure = await createIndex(this.#options, { table, index });
      if (failure !== undefined) {
        await forgetIndex(database, index.name);
        hasPlace = false;
        return failure;
      }
      isOver();
      this.#learned.set(index.name, { table, index, reportedAt: now });
      const { what, why, consequence } = this.#logParts(wanted);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      log(`created index ${index.name} on ${what} in ${seconds} s: ${why}${consequence}`);
      // not earlier: if the new index cannot be built, the old one stays
      if (spare) this.#leave(spare, `one on ${what} takes its place`);
      return undefined;
    };
  }

  /** The parts of the log line about a wanted index. */
  #logParts({ table, index, reads, milliseconds }: WantedIndex) {
    const { engine } = this.#options;
    return {
      what: print({ table, index }, engine),
      why: `${reads} reads without it took ${(milliseconds / 1000).toFixed(1)} s`,
      consequence: index.search && engine.search.consequence ? `; ${engine.search.consequence}` : '',
    };
  }
}

/** A wanted index by its name, and when it was requested. */
interface Candidate {
  readonly wanted: WantedIndex;
  readonly index: NamedIndex['index'];
  readonly now: number;
  readonly isSuggested: boolean;
}

function recordOf({ wanted, index, now }: Omit<Candidate, 'isSuggested'>, origin: IndexOrigin): StoredIndex {
  const { table, reads, milliseconds } = wanted;
  return { table, index, origin, reads, milliseconds, madeAt: now, usedAt: now };
}

/** The milliseconds since the last check in which no process ran, which do not count as unused. */
function timeAway(checkedAt: number | undefined, now: number): number {
  return checkedAt !== undefined && now - checkedAt > AWAY ? now - checkedAt - CHECKING : 0;
}

/** An index for the operator: `articles (locale, views desc, id, where published_at is not null)`. */
export function print({ table, index }: TableIndex, engine: SchemaEngine): string {
  return `${table} (${columnsOf(index, engine)})`;
}

/** The columns of an index for the operator. */
export function columnsOf(index: TableIndex['index'], { ddl }: SchemaEngine): string {
  const { columns, descending = [], ordered = [], whereNull, whereNotNull, search } = index;
  const key = (column: string): string => {
    const isApart = ordered.includes(column) && ddl.byCodePoint;
    return `${column}${isApart ? ' by code point' : ''}${descending.includes(column) ? ' desc' : ''}`;
  };
  const keys = columns.map(key).join(', ');
  if (search) return `texts of ${keys}`;
  if (whereNotNull !== undefined) return `${keys}, where ${whereNotNull} is not null`;
  return whereNull === undefined ? keys : `${keys}, where ${whereNull} is null`;
}
