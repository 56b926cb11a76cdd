/** Makes the indexes that reads turn out to need, drops those that no read needs any more, and says so. */
import type { IndexMode, IndexModes } from '../../config/config.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { Database } from '../database.ts';
import type { SchemaEngine } from '../introspect.ts';
import type { Upkeep } from '../upkeep.ts';
import { isMade, makeIndex, type NamedIndex, removeIndex, searchedColumns } from './building.ts';
import { hasRoom, IndexLearner, type TableIndex, type Verdict, type WantedIndex } from './index-learner.ts';
import {
  forgetIndex,
  type IndexOrigin,
  type KeptIndex,
  keepIndex,
  keptIndexes,
  lookedAt,
  named,
  setLooked,
  setUsed,
} from './kept-indexes.ts';

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

export class LearnedIndexes {
  readonly #options: LearnedIndexesOptions;
  readonly #learner: IndexLearner;
  /** The learned ones by name, and when the database was told of their last use. */
  readonly #learned = new Map<string, NamedIndex & { toldAt: number }>();
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
      decide: (wanted, verdict) => void this.#decide(wanted, verdict),
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
    const kept = (await keptIndexes(database)).filter(({ table }) => tables.has(table));
    const made = kept.filter(({ origin }) => origin !== 'suggested');
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
    await setLooked(database, now);
    this.#learner.reconsider();
    if (looked === undefined) return;
    // time in which no process was there to use them does not count
    const away = now - looked > AWAY ? now - looked - LOOKING : 0;
    const used = new Map<string, number>();
    for (const { table, index, origin, usedAt } of await keptIndexes(database)) {
      const one = { table, index };
      if (origin !== 'learned' || this.#modeOf(index) === 'off') continue;
      if (away > 0) used.set(index.name, usedAt + away);
      const known = this.#learner.usedAt(one);
      // other processes on the database may have made one, or used it
      if (known === undefined) {
        this.#learner.add(one, now);
        this.#learned.set(index.name, { table, index, toldAt: usedAt });
      } else if (now - Math.max(usedAt + away, known) >= UNUSED_DAYS * DAY) {
        this.#forget(one);
        this.#options.upkeep.run(() => this.#drop(one, `no read has used it for ${UNUSED_DAYS} days`));
      }
    }
    if (used.size > 0) await setUsed(database, used);
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

  #forget(one: NamedIndex): void {
    this.#learner.remove(one);
    this.#learned.delete(one.index.name);
  }

  async #drop(one: NamedIndex, why: string): Promise<string | undefined> {
    const { database, log } = this.#options;
    const failure = await removeIndex(this.#options, one);
    if (failure !== undefined) return failure;
    await forgetIndex(database, one.index.name);
    log(`dropped index ${one.index.name}: ${why}`);
  }

  /** Of the learned indexes in the place of one that is wanted, the one that no read has used for longest, if for long. */
  #spareFor(table: string, made: readonly KeptIndex[], now: number): KeptIndex | undefined {
    const lastUse = (one: KeptIndex): number => Math.max(one.usedAt, this.#learner.usedAt(one) ?? 0);
    const inPlace = made.filter((one) => {
      const others = made.filter((other) => other !== one).map((other) => other.table);
      return one.origin === 'learned' && hasRoom(others, table) && now - lastUse(one) >= SPARE;
    });
    return inPlace.toSorted((a, b) => lastUse(a) - lastUse(b))[0];
  }

  async #decide(wanted: WantedIndex, verdict: Verdict): Promise<void> {
    const { database, engine, upkeep, log } = this.#options;
    const mode = this.#modeOf(wanted.index);
    const index = named(wanted, 'learned');
    const { table, reads, milliseconds } = wanted;
    const why = `${reads} reads without it took ${(milliseconds / 1000).toFixed(1)} s`;
    const what = print({ table, index }, engine);
    const consequence = index.search && engine.search.consequence ? `; ${engine.search.consequence}` : '';
    const now = Date.now();
    const keep = (origin: IndexOrigin) => {
      return keepIndex(database, { table, index, origin, reads, milliseconds, madeAt: now, usedAt: now });
    };
    // other processes learn as well
    const others = await keptIndexes(database).catch((): readonly KeptIndex[] => []);
    const made = others.filter(({ origin }) => origin !== 'suggested');
    const key = this.#learner.keyOf(wanted);
    const same = others.filter((one) => this.#learner.keyOf(one) === key);
    const isKnown = made.some((one) => same.includes(one));
    const isFull = !hasRoom(
      made.map((one) => one.table),
      table,
    );
    const spare = isFull && mode === 'auto' && verdict !== 'too large' ? this.#spareFor(table, made, now) : undefined;
    const found = spare ? 'make' : isFull && verdict === 'make' ? 'too many' : verdict;
    if (isKnown) {
      this.#learner.add(wanted, now);
      return;
    }
    if (mode === 'suggest' || found !== 'make') {
      // it is said once
      if (same.length > 0) return keep('suggested').catch(() => undefined);
      const isChosen = found === 'make' || mode === 'suggest';
      const reason = isChosen ? consequence : `; it is not made unasked, as ${REASONS[found]}`;
      log(`an index on ${what} would help: ${why}${reason} (galley index create ${index.name})`);
      await keep('suggested').catch(() => undefined);
      return;
    }
    this.#learner.add(wanted, now);
    if (spare) {
      this.#forget(spare);
      upkeep.run(() => this.#drop(spare, `one on ${what} takes its place`));
    }
    upkeep.run(async () => {
      const started = performance.now();
      // remembered first: one whose building outlasts the process is known to the next
      await keep('learned');
      const failure = await makeIndex(this.#options, { table, index });
      if (failure !== undefined) {
        this.#learner.giveUp(wanted);
        await forgetIndex(database, index.name);
        return failure;
      }
      this.#learned.set(index.name, { table, index, toldAt: Date.now() });
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      log(`made index ${index.name} on ${what} in ${seconds} s, as ${why}${consequence}`);
    });
  }
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
