/**
 * Learns which indexes the reads of a project need: what a slow read lacks is noted, and what repeatedly slow reads lack
 * is made. It decides and remembers; building and storing is done by `LearnedIndexes`.
 */

import type { ReadCost } from '../../plan/cost.ts';
import { adviseIndexes, type IndexAdvice } from '../../plan/index-advice.ts';
import { searchedPieces } from '../../plan/search.ts';
import { isSearched } from '../../schema/layout/column-types.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import { ROWS_OF_STATUS } from '../../schema/layout/model-indexes.ts';
import type { IndexDefinition } from '../../schema/layout/table.ts';
import type { DdlDialect } from '../../sql/ddl.ts';
import type { Read, ReadOrigin } from '../interface/database.ts';

/** Milliseconds from which on a read is slow: a list that an index serves takes less than one. */
export const SLOW = 15;
/** Slow reads that lack an index, and the milliseconds that they took in all, after which it is worth making. */
const READS = 5;
const MILLISECONDS = 300;
/** What reads have lost of their weight when they come one behind the other. */
const TOLERANCE = 0.1;
/** The same for a search index, which costs writes more. */
const SEARCHES = 10;
const SEARCH_MILLISECONDS = 2000;
/** Rows of a table below which an index hardly helps. */
const FEWEST_ROWS = 5000;
/** Indexes of a table, and of all, that were learned or made by command: each slows writes down, and takes space. */
const OF_TABLE = 6;
const OF_ALL = 40;
/** Indexes that are wanted and not made yet, at a time. */
const WANTED = 200;
/** Milliseconds in which what was noted loses half of its weight. */
const HALF_LIFE = 3_600_000;

/** An index of values in an order, or a search index of texts (docs/reference/search.md). */
export interface LearnedDefinition extends IndexDefinition {
  readonly search?: boolean;
}

/** An index on a table. */
export interface TableIndex {
  readonly table: string;
  readonly index: Omit<LearnedDefinition, 'name'>;
}

/** An index that slow reads lack. */
export interface WantedIndex extends TableIndex {
  readonly reads: number;
  readonly milliseconds: number;
}

/** What has become of an index that is wanted. */
export type Verdict = 'make' | 'too many' | 'too large';

interface Tally {
  readonly wanted: TableIndex;
  reads: number;
  milliseconds: number;
  at: number;
}

/** What reads of a plan ask for. */
interface Asked {
  readonly indexes: readonly TableIndex[];
  /** The places of the pieces of text among their values, all of which a search index has to be asked for. */
  readonly pieces: readonly { readonly at: number; readonly folded: boolean }[];
}

/** A learned index. */
interface Learned {
  readonly one: TableIndex;
  /** When a read last had use for it. */
  usedAt: number;
}

export interface LearnerOptions {
  /** About how many rows a table has. */
  readonly rowsOf: (table: string) => number | undefined;
  /** Rows of a table beyond which building an index takes too long to be a surprise. */
  readonly mostRows: number;
  /** What indexes of the engine are like. */
  readonly ddl: IndexKind;
  /** The columns of a table whose texts search indexes contain. */
  readonly searched: (table: string) => ReadonlySet<string>;
  /** Whether indexes of a kind are looked for. */
  readonly isSoughtFor: (index: TableIndex['index']) => boolean;
  /** Whether a search index can be asked for a piece of text. */
  readonly canAsk: (piece: string, folded: boolean) => boolean;
  /** Called once for each index that slow reads lack, with what speaks against making it unasked. */
  readonly decide: (wanted: WantedIndex, verdict: Verdict) => void;
}

export class IndexLearner {
  readonly #options: LearnerOptions;
  #layout: Layout | undefined;
  /** Indexes that are there, or being made, by what they consist of. */
  readonly #there = new Set<string>();
  readonly #learned = new Map<string, Learned>();
  readonly #wanted = new Map<string, Tally>();
  /** Indexes that something was decided of, and that may be asked for again. */
  readonly #decided = new Set<string>();
  /** What plans ask for, by what stands for them. */
  #asked = new WeakMap<ReadCost, Asked>();

  constructor(options: LearnerOptions) {
    this.#options = options;
  }

  /** Learns for another schema from now on, some of whose indexes were learned before. */
  begin(layout: Layout, learned: readonly (TableIndex & { readonly usedAt: number })[]): void {
    this.#layout = layout;
    this.#asked = new WeakMap();
    this.#there.clear();
    this.#learned.clear();
    this.#wanted.clear();
    this.#decided.clear();
    for (const { name, indexes, ownIndexes = [] } of layout.tables) {
      for (const index of [...indexes, ...ownIndexes]) this.#there.add(this.keyOf({ table: name, index }));
    }
    for (const { usedAt, ...one } of learned) this.add(one, usedAt);
  }

  /** Takes note of an index that is there or being made. */
  add(one: TableIndex, usedAt: number): void {
    const key = this.keyOf(one);
    this.#there.add(key);
    this.#learned.set(key, { one, usedAt });
    this.#wanted.delete(key);
  }

  /** Gives up an index that could not be made: it takes no room, and is not asked for again. */
  giveUp(one: TableIndex): void {
    const key = this.keyOf(one);
    this.#learned.delete(key);
    this.#decided.delete(key);
  }

  /** Takes back that an index is being made, which found no room: it takes none, and is asked for again once there may be. */
  postpone(one: TableIndex): void {
    const key = this.keyOf(one);
    this.#learned.delete(key);
    this.#decided.add(key);
  }

  /** Lets indexes that were not made be asked for again: there may be room by now. */
  reconsider(): void {
    for (const key of this.#decided) if (!this.#learned.has(key)) this.#there.delete(key);
    this.#decided.clear();
  }

  /** Forgets an index that was dropped. */
  remove(one: TableIndex): void {
    const key = this.keyOf(one);
    this.#there.delete(key);
    this.#learned.delete(key);
  }

  /** When a read last had use for a learned index; undefined for others. */
  usedAt(one: TableIndex): number | undefined {
    return this.#learned.get(this.keyOf(one))?.usedAt;
  }

  /** Takes note of a read that has taken some milliseconds, without waiting for its turn. */
  note(read: Read, milliseconds: number, now = Date.now()): void {
    const isSlow = milliseconds >= SLOW;
    if (!isSlow && this.#learned.size === 0) return;
    const { indexes, pieces } = this.#askedBy(read);
    const isSearched = pieces.every(({ at, folded }) => this.#options.canAsk(String(read.values[at]), folded));
    const asked = isSearched ? indexes : indexes.filter(({ index }) => !index.search);
    for (const one of asked) this.#touch(one, now);
    if (!isSlow) return;
    const lacking = asked.map((one) => this.#lacking(one)).find((one) => one && this.#isWorthIt(one.table));
    if (lacking) this.#tally(lacking, milliseconds, now);
  }

  /** A search for texts uses every search index of some of them. */
  #touch({ table, index }: TableIndex, now: number): void {
    if (!index.search) {
      const learned = this.#learned.get(this.keyOf({ table, index }));
      if (learned) learned.usedAt = now;
      return;
    }
    for (const learned of this.#learned.values()) {
      const { one } = learned;
      const isUsed =
        one.index.search && one.table === table && one.index.columns.some((c) => index.columns.includes(c));
      if (isUsed) learned.usedAt = now;
    }
  }

  keyOf(one: TableIndex): string {
    return indexKey(one, this.#options.ddl);
  }

  #askedBy(read: Read): Asked {
    const known = this.#asked.get(read.cost);
    if (known) return known;
    const origin = this.#layout && read.origin?.();
    const asked = origin ? askedOf(this.#layout!, origin) : { indexes: [], pieces: [] };
    this.#asked.set(read.cost, asked);
    return asked;
  }

  /** What there is not yet of an index that is asked for. */
  #lacking(one: TableIndex): TableIndex | undefined {
    if (!this.#options.isSoughtFor(one.index) || this.#there.has(this.keyOf(one))) return undefined;
    if (!one.index.search) return one;
    const searched = this.#options.searched(one.table);
    const columns = one.index.columns.filter((column) => !searched.has(column));
    return columns.length === 0 ? undefined : { ...one, index: { ...one.index, columns } };
  }

  #isWorthIt(table: string): boolean {
    const rows = this.#options.rowsOf(table);
    return rows !== undefined && rows >= FEWEST_ROWS;
  }

  #tally(wanted: TableIndex, milliseconds: number, now: number): void {
    const key = this.keyOf(wanted);
    const tally = this.#wanted.get(key) ?? { wanted, reads: 0, milliseconds: 0, at: now };
    const left = 0.5 ** ((now - tally.at) / HALF_LIFE);
    tally.reads = tally.reads * left + 1;
    tally.milliseconds = tally.milliseconds * left + milliseconds;
    tally.at = now;
    // the one that was noted last is the last to be forgotten
    this.#wanted.delete(key);
    this.#wanted.set(key, tally);
    if (this.#wanted.size > WANTED) this.#wanted.delete(this.#wanted.keys().next().value!);
    const [reads, least] = wanted.index.search ? [SEARCHES, SEARCH_MILLISECONDS] : [READS, MILLISECONDS];
    if (tally.reads < reads - TOLERANCE || tally.milliseconds < least) return;
    this.#wanted.delete(key);
    const told = { ...wanted, reads: Math.round(tally.reads), milliseconds: Math.round(tally.milliseconds) };
    // it is decided once, until it is reconsidered
    this.#there.add(key);
    this.#decided.add(key);
    this.#options.decide(told, this.#verdictOn(wanted.table));
  }

  #verdictOn(table: string): Verdict {
    if ((this.#options.rowsOf(table) ?? 0) > this.#options.mostRows) return 'too large';
    return this.#hasRoom(table) ? 'make' : 'too many';
  }

  #hasRoom(table: string): boolean {
    const tables = [...this.#learned.values()].map(({ one }) => one.table);
    return hasRoom(tables, table);
  }
}

/** What indexes of an engine are like. */
type IndexKind = Pick<DdlDialect, 'byCodePoint' | 'endsInId'>;

/**
 * What an index consists of: the same for two that do the same for reads, one of which may be unique.
 *
 * @param ddl of the engine.
 */
export function indexKey({ table, index }: TableIndex, { byCodePoint, endsInId }: IndexKind): string {
  const { columns, descending = [], ordered = [], whereNull, whereNotNull, search = false } = index;
  const isId = columns.at(-1) === 'id' && !descending.includes('id');
  const keys = endsInId && isId && !search ? columns.slice(0, -1) : columns;
  return JSON.stringify([table, keys, descending, byCodePoint ? ordered : [], whereNull, whereNotNull, search]);
}

/** Whether a table may have one more learned index, where those that were learned or made by command are on these tables. */
export function hasRoom(tables: readonly string[], table: string): boolean {
  return tables.length < OF_ALL && tables.filter((other) => other === table).length < OF_TABLE;
}

/**
 * What a plan asks for: indexes of values, and one of the texts that it looks for pieces in, unless something else is an
 * alternative to these.
 */
function askedOf(layout: Layout, { plan, parameters }: ReadOrigin): Asked {
  const { indexes, unserved } = adviseIndexes(layout, plan);
  const known = layout.tables.find(({ name }) => name === plan.table)?.columns ?? [];
  const ofText = known.filter(({ type }) => isSearched(type)).map(({ name }) => name);
  const pieces = searchedPieces(plan, ofText);
  const texts = unserved.flatMap(({ kind, use, table, columns }) => {
    if (!pieces || kind !== 'search' || use !== 'filter' || table !== plan.table) return [];
    const searched = columns.filter((name) => ofText.includes(name)).sort();
    return searched.length === 0 ? [] : [{ table, index: { columns: searched, unique: false, search: true } }];
  });
  const placed = (pieces ?? []).map(({ slot, folded }) => {
    return { at: parameters.findIndex((parameter) => parameter.slot === slot), folded };
  });
  // where a read looks for text, that takes longer than its order
  return { indexes: [...texts, ...indexes.map(asIndex)], pieces: placed };
}

function asIndex({ table, columns, descending, ordered, where }: IndexAdvice): TableIndex {
  const rows = where && ROWS_OF_STATUS[where];
  return { table, index: { columns, descending, ordered, unique: false, ...rows } };
}
