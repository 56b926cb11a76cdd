/** Makes the indexes that reads turn out to need, drops those that no read needs any more, and says so. */
import type { IndexMode, IndexModes } from '../../config/config.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { Database } from '../interface/database.ts';
import type { SchemaEngine } from '../migration/schema-engine.ts';
import type { Piece, Upkeep } from '../migration/upkeep.ts';
import { isMade, makeIndex, type NamedIndex, removeIndex, searchedColumns } from './building.ts';
import { hasRoom, IndexLearner, type TableIndex, type Verdict, type WantedIndex } from './index-learner.ts';
import {
  forgetIndex,
  type IndexOrigin,
  type KeptIndex,
  keptIndexes,
  lookedAt,
  madeIndexes,
  named,
  setLooked,
  setUsed,
  suggestIndex,
  takePlace,
} from './stored-indexes.ts';

const DAY = 86_400_000;
/** Days without a use after which a learned index is dropped. */
const UNUSED_DAYS = 30;
/** Milliseconds without a use after which one makes room for another. */
const SPARE = 7 * DAY;
/** Milliseconds between two looks at what is unused, and after which it is said that nobody has looked. */
const LOOKING = DAY / 4;
const AWAY = 2 * LOOKING;
/** Milliseconds between two moments in which the database is told of uses, and in which it may be time for a look. */
const TELLING = 300_000;

export interface LearnedIndexesOptions {
  readonly database: Database;
  readonly engine: SchemaEngine;
  readonly upkeep: Upkeep;
  readonly modes: IndexModes;
  /** Takes a line for the log. */
  readonly log: (line: string) => void;
}

/** Why an index is suggested and not made. */
const REASONS: Readonly<Record<Exclude<Verdict, 'make'>, string>> = {
  'too many': 'there are many already',
  'too large': 'the table is too large for that',
};

interface Places {
  /** All that the database remembers. */
  readonly kept: readonly KeptIndex[];
  /** Of these the ones that are there, and stay. */
  readonly made: readonly KeptIndex[];
  /** What has a place: these, and what is being made here. */
  readonly taken: readonly NamedIndex[];
  /** When unused ones were last looked for. */
  readonly looked: number | undefined;
}

export class LearnedIndexes {
  readonly #options: LearnedIndexesOptions;
  readonly #learner: IndexLearner;
  /** The learned ones by name, and when the database was told of their last use. */
  readonly #learned = new Map<string, NamedIndex & { toldAt: number }>();
  /** What is being made, by its name: it has its place as long as the database does not know of it. */
  readonly #beingMade = new Map<string, NamedIndex>();
  /** Names of indexes that are being dropped, and of those that will be when what takes their place is there. */
  readonly #leaving = new Set<string>();
  readonly #promised = new Set<string>();
  /** One decision at a time: what one has taken is not there for the next. */
  #decisions: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LearnedIndexesOptions) {
    this.#options = options;
    const { database, engine } = options;
    this.#learner = new IndexLearner({
      rowsOf: (table) => database.rowsOf(table),
      mostRows: engine.unaskedRows,
      searched: (table) => searchedColumns(database, table),
      canAsk: (piece, folded) => database.dialect.search.ask(piece, folded) !== undefined,
      ddl: engine.ddl,
      isSoughtFor: (index) => this.#modeOf(index) !== 'off',
      decide: (wanted, verdict) => {
        this.#decisions = this.#decisions.then(() => this.#decide(wanted, verdict));
      },
    });
  }

  /** What is done about an index. */
  #modeOf({ search }: TableIndex['index']): IndexMode {
    const { modes } = this.#options;
    return search ? modes.search : modes.learn;
  }

  get #isOff(): boolean {
    const { learn, search } = this.#options.modes;
    return learn === 'off' && search === 'off';
  }

  /** Learns for a schema, which the database has. Indexes of before that somebody has dropped are made again. */
  async begin(layout: Layout): Promise<void> {
    const { database, engine, upkeep, log } = this.#options;
    if (this.#isOff) return;
    const tables = new Set(layout.tables.map(({ name }) => name));
    const made = (await madeIndexes(database)).filter(({ table }) => tables.has(table));
    this.#learner.begin(layout, made);
    this.#learned.clear();
    for (const { table, index, origin, usedAt } of made) {
      if (origin === 'learned') this.#learned.set(index.name, { table, index, toldAt: usedAt });
    }
    if (made.length === 0) return;
    await database.search?.refresh();
    const existing = await engine.introspect(database);
    for (const one of made) {
      if (this.#modeOf(one.index) === 'off' || isMade(database, existing, one)) continue;
      upkeep.run(async () => {
        const failure = await makeIndex(this.#options, one);
        if (failure === undefined) log(`made index ${one.index.name} on ${print(one, engine)} again`);
        return failure;
      });
    }
  }

  /** Watches reads from now on, and looks now and then for indexes that none has used, however short processes live. */
  start(): void {
    const { database } = this.#options;
    if (this.#isOff) return;
    database.watch((read, milliseconds) => this.#learner.note(read, milliseconds));
    this.#timer ??= setInterval(() => void this.tidy().catch(() => undefined), TELLING).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Remembers when indexes were used and, every few hours, drops those that have not been for long. */
  async tidy(now = Date.now()): Promise<void> {
    const { database } = this.#options;
    await this.#tell();
    const looked = await lookedAt(database);
    if (looked !== undefined && now - looked < LOOKING) return;
    const kept = looked === undefined ? [] : await keptIndexes(database);
    const learned = kept.filter(({ origin, index }) => origin === 'learned' && this.#modeOf(index) !== 'off');
    const away = timeAway(looked, now);
    // whoever finds that it was looked now finds the times that go with it
    const times = away > 0 ? learned.map(({ index, usedAt }) => [index.name, usedAt + away] as const) : [];
    await setLooked(database, now, new Map(times));
    this.#learner.reconsider();
    if (looked !== undefined) this.#forgetDropped(new Set(kept.map(({ index }) => index.name)));
    for (const { table, index, usedAt } of learned) {
      const one = { table, index };
      if (this.#isGoing(index.name)) continue;
      const known = this.#learner.usedAt(one);
      // other processes on the database may have made one, or used it
      if (!this.#learned.has(index.name)) this.#learned.set(index.name, { table, index, toldAt: usedAt });
      if (known === undefined) this.#learner.add(one, now);
      else if (now - Math.max(usedAt + away, known) >= UNUSED_DAYS * DAY) {
        this.#leave(one, `no read has used it for ${UNUSED_DAYS} days`);
      }
    }
  }

  /** Forgets indexes that somebody has dropped by command: they take no places any more. */
  #forgetDropped(kept: ReadonlySet<string>): void {
    for (const [name, one] of this.#learned) {
      if (kept.has(name) || this.#beingMade.has(name)) continue;
      this.#learner.remove(one);
      this.#learned.delete(name);
    }
  }

  /** Tells the database of uses, so that they are known when this process is gone. */
  async #tell(): Promise<void> {
    const used = new Map<string, number>();
    for (const [name, one] of this.#learned) {
      const usedAt = this.#learner.usedAt(one) ?? one.toldAt;
      if (usedAt - one.toldAt < DAY) continue;
      used.set(name, usedAt);
      one.toldAt = usedAt;
    }
    if (used.size > 0) await setUsed(this.#options.database, used);
  }

  #isGoing(name: string): boolean {
    return this.#leaving.has(name) || this.#promised.has(name);
  }

  /** Forgets an index, and drops it when its turn comes. */
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
    const failure = await removeIndex(this.#options, one);
    if (failure !== undefined) return failure;
    await forgetIndex(database, one.index.name);
    this.#leaving.delete(one.index.name);
    log(`dropped index ${one.index.name}: ${why}`);
  }

  /**
   * Of the learned indexes in the place of one that is wanted, the one that no read has used for longest, if for long.
   *
   * @param taken what has a place, `made` and what is being made.
   * @param looked when unused ones were last looked for; where nobody has, it is not known since when there are servers.
   */
  #spareFor(
    table: string,
    { made, taken, looked, now }: Pick<Places, 'made' | 'taken' | 'looked'> & { readonly now: number },
  ): KeptIndex | undefined {
    if (looked === undefined) return undefined;
    const away = timeAway(looked, now);
    const lastUse = (one: KeptIndex): number => Math.max(one.usedAt + away, this.#learner.usedAt(one) ?? 0);
    const inPlace = made.filter((one) => {
      // what has become unused meanwhile is being dropped for that
      if (this.#isGoing(one.index.name)) return false;
      const others = taken.filter(({ index }) => index.name !== one.index.name).map((other) => other.table);
      return one.origin === 'learned' && hasRoom(others, table) && now - lastUse(one) >= SPARE;
    });
    return inPlace.toSorted((a, b) => lastUse(a) - lastUse(b))[0];
  }

  /** Which places indexes have, here and as other processes have told the database. */
  async #places(): Promise<Places> {
    const { database } = this.#options;
    // what ends meanwhile has its place all the same: what the database says may be of before
    const [beingMade, going] = [[...this.#beingMade.values()], new Set([...this.#leaving, ...this.#promised])];
    // first when it was looked, then the times of which somebody may meanwhile have taken time away
    const looked = await lookedAt(database).catch(() => undefined);
    const kept = await keptIndexes(database).catch((): readonly KeptIndex[] => []);
    const made = kept.filter(({ origin, index }) => origin !== 'suggested' && !going.has(index.name));
    const names = new Set(made.map(({ index }) => index.name));
    return { kept, made, taken: [...made, ...beingMade.filter(({ index }) => !names.has(index.name))], looked };
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
      this.#know(known, now);
      return;
    }
    const isFull = !hasRoom(
      taken.map((one) => one.table),
      table,
    );
    const mayTake = isFull && mode === 'auto' && verdict !== 'too large';
    const spare = mayTake ? this.#spareFor(table, { ...places, now }) : undefined;
    const found = spare ? 'make' : isFull && verdict === 'make' ? 'too many' : verdict;
    const candidate = { wanted, index, now, isSaid: same.length > 0 };
    if (mode === 'suggest' || found !== 'make') return this.#suggest(candidate, mode === 'suggest' ? 'make' : found);
    this.#learner.add(wanted, now);
    this.#beingMade.set(index.name, { table, index });
    if (spare) this.#promised.add(spare.index.name);
    const isOver = (): void => {
      this.#beingMade.delete(index.name);
      if (spare) this.#promised.delete(spare.index.name);
    };
    this.#options.upkeep.run(this.#making(candidate, spare, isOver), () => {
      this.#learner.giveUp(wanted);
      isOver();
    });
  }

  /** Takes note of an index that another process may have made. */
  #know({ table, index, origin, usedAt }: KeptIndex, now: number): void {
    this.#learner.add({ table, index }, now);
    if (origin === 'learned') this.#learned.set(index.name, { table, index, toldAt: usedAt });
  }

  /** Says, once, that an index would help, and why it is not made. */
  async #suggest({ wanted, index, now, isSaid }: Candidate, verdict: Verdict): Promise<void> {
    const { database, log } = this.#options;
    if (!isSaid) {
      const { what, why, consequence } = this.#textsOf(wanted);
      const reason = verdict === 'make' ? consequence : `; it is not made unasked, as ${REASONS[verdict]}`;
      log(`an index on ${what} would help: ${why}${reason} (galley index create ${index.name})`);
    }
    await suggestIndex(database, keptAs({ wanted, index, now }, 'suggested')).catch(() => undefined);
  }

  /** Makes an index, in the place of another one where there is one to spare. @param isOver called when it is decided. */
  #making(candidate: Candidate, spare: KeptIndex | undefined, isOver: () => void): Piece {
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
        // remembered first: one whose building outlasts the process is known to the next
        const taking = await takePlace(database, keptAs(candidate, 'learned'), { isSame, leaving });
        if (taking !== 'taken') {
          isOver();
          if (taking === 'there') return undefined;
          this.#learner.postpone(wanted);
          await this.#suggest(candidate, 'too many');
          return undefined;
        }
        hasPlace = true;
      }
      const failure = await makeIndex(this.#options, { table, index });
      if (failure !== undefined) {
        await forgetIndex(database, index.name);
        hasPlace = false;
        return failure;
      }
      isOver();
      this.#learned.set(index.name, { table, index, toldAt: now });
      const { what, why, consequence } = this.#textsOf(wanted);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      log(`made index ${index.name} on ${what} in ${seconds} s, as ${why}${consequence}`);
      // not before: where the other one cannot be made, this one stays
      if (spare) this.#leave(spare, `one on ${what} takes its place`);
      return undefined;
    };
  }

  /** What is said of an index that slow reads want. */
  #textsOf({ table, index, reads, milliseconds }: WantedIndex) {
    const { engine } = this.#options;
    return {
      what: print({ table, index }, engine),
      why: `${reads} reads without it took ${(milliseconds / 1000).toFixed(1)} s`,
      consequence: index.search && engine.search.consequence ? `; ${engine.search.consequence}` : '',
    };
  }
}

/** An index that slow reads want, by its name, and when that was found. */
interface Candidate {
  readonly wanted: WantedIndex;
  readonly index: NamedIndex['index'];
  readonly now: number;
  /** Whether it was said before that it would help. */
  readonly isSaid: boolean;
}

function keptAs({ wanted, index, now }: Omit<Candidate, 'isSaid'>, origin: IndexOrigin): KeptIndex {
  const { table, reads, milliseconds } = wanted;
  return { table, index, origin, reads, milliseconds, madeAt: now, usedAt: now };
}

/** Milliseconds in which no process was there to use indexes, since they were looked for: they do not count. */
function timeAway(looked: number | undefined, now: number): number {
  return looked !== undefined && now - looked > AWAY ? now - looked - LOOKING : 0;
}

/** An index, for people: `articles (locale, views desc, id, where published_at is not null)`. */
export function print({ table, index }: TableIndex, engine: SchemaEngine): string {
  return `${table} (${columnsOf(index, engine)})`;
}

/** The columns of an index, for people. */
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
