/**
 * Learns which indexes the reads of a project need: it records the indexes that slow reads lack, and requests an index
 * after repeated ones. It only decides and remembers; `LearnedIndexes` builds and stores indexes.
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

/** The milliseconds from which a read is slow: a list that an index serves takes less than one. */
export const SLOW = 15;
/** The number of slow reads that lack an index, and their total milliseconds, after which it is worth creating. */
const READS = 5;
const MILLISECONDS = 300;
/** How much weight of recent reads may have decayed when they are counted. */
const TOLERANCE = 0.1;
/** The same numbers for a search index, which slows writes down more. */
const SEARCHES = 10;
const SEARCH_MILLISECONDS = 2000;
/** The rows of a table below which an index hardly helps. */
const FEWEST_ROWS = 5000;
/**
 * The most indexes of a table, and of all tables, that were learned or created by command: each slows writes down and
 * takes space.
 */
const OF_TABLE = 6;
const OF_ALL = 40;
/** The most wanted indexes that are remembered. */
const WANTED = 200;
/** Milliseconds in which a recorded read loses half of its weight. */
const HALF_LIFE = 3_600_000;

/** An index of ordered values, or a search index of texts (docs/reference/search.md). */
export interface LearnedDefinition extends IndexDefinition {
  readonly search?: boolean;
}

export interface TableIndex {
  readonly table: string;
  readonly index: Omit<LearnedDefinition, 'name'>;
}

export interface WantedIndex extends TableIndex {
  readonly reads: number;
  readonly milliseconds: number;
}

/** What to do about a wanted index. */
export type Verdict = 'make' | 'too many' | 'too large';

interface Tally {
  readonly wanted: TableIndex;
  reads: number;
  milliseconds: number;
  at: number;
}

/** The indexes that reads of a plan would use. */
interface RelevantIndexes {
  readonly indexes: readonly TableIndex[];
  /** The indexes of the values that are pieces of text: a search index must be able to search for all of them. */
  readonly pieces: readonly { readonly at: number; readonly folded: boolean }[];
}

interface Learned {
  readonly one: TableIndex;
  /** When a read last could have used it. */
  usedAt: number;
}

export interface LearnerOptions {
  /** The approximate number of rows of a table. */
  readonly rowsOf: (table: string) => number | undefined;
  /** The rows of a table beyond which building an index takes unexpectedly long. */
  readonly mostRows: number;
  readonly ddl: IndexKind;
  /** The columns of a table that search indexes cover. */
  readonly searched: (table: string) => ReadonlySet<string>;
  /** Whether indexes of this kind are learned. */
  readonly isLearned: (index: TableIndex['index']) => boolean;
  /** Whether a search index can search for a piece of text. */
  readonly canSearch: (piece: string, folded: boolean) => boolean;
  /** Called once for each index that slow reads lack, with a verdict on creating it automatically. */
  readonly decide: (wanted: WantedIndex, verdict: Verdict) => void;
}

export class IndexLearner {
  readonly #options: LearnerOptions;
  #layout: Layout | undefined;
  /** Keys of indexes that exist or are being built. */
  readonly #settled = new Set<string>();
  readonly #learned = new Map<string, Learned>();
  readonly #wanted = new Map<string, Tally>();
  /** Keys of decided indexes, which may be wanted again after `reconsider`. */
  readonly #decided = new Set<string>();
  #relevant = new WeakMap<ReadCost, RelevantIndexes>();

  constructor(options: LearnerOptions) {
    this.#options = options;
  }

  /** Starts learning for a schema with some learned indexes. */
  begin(layout: Layout, learned: readonly (TableIndex & { readonly usedAt: number })[]): void {
    this.#layout = layout;
    this.#relevant = new WeakMap();
    this.#settled.clear();
    this.#learned.clear();
    this.#wanted.clear();
    this.#decided.clear();
    for (const { name, indexes, ownIndexes = [] } of layout.tables) {
      for (const index of [...indexes, ...ownIndexes]) this.#settled.add(this.keyOf({ table: name, index }));
    }
    for (const { usedAt, ...one } of learned) this.add(one, usedAt);
  }

  /** Records an index that exists or is being built. */
  add(one: TableIndex, usedAt: number): void {
    const key = this.keyOf(one);
    this.#settled.add(key);
    this.#learned.set(key, { one, usedAt });
    this.#wanted.delete(key);
  }

  /** Gives up an index that could not be built: it occupies no place, and is not wanted again. */
  giveUp(one: TableIndex): void {
    const key = this.keyOf(one);
    this.#learned.delete(key);
    this.#decided.delete(key);
  }

  /** Withdraws an index without a free place: it is wanted again once there may be one. */
  postpone(one: TableIndex): void {
    const key = this.keyOf(one);
    this.#learned.delete(key);
    this.#decided.add(key);
  }

  /** Lets undecided indexes be wanted again, because there may be a free place by now. */
  reconsider(): void {
    for (const key of this.#decided) if (!this.#learned.has(key)) this.#settled.delete(key);
    this.#decided.clear();
  }

  remove(one: TableIndex): void {
    const key = this.keyOf(one);
    this.#settled.delete(key);
    this.#learned.delete(key);
  }

  /** When a read last could have used a learned index; undefined for other indexes. */
  usedAt(one: TableIndex): number | undefined {
    return this.#learned.get(this.keyOf(one))?.usedAt;
  }

  /** Records the time of a read, without the wait for its turn. */
  note(read: Read, milliseconds: number, now = Date.now()): void {
    const isSlow = milliseconds >= SLOW;
    if (!isSlow && this.#learned.size === 0) return;
    const { indexes, pieces } = this.#relevantTo(read);
    const isSearched = pieces.every(({ at, folded }) => this.#options.canSearch(String(read.values[at]), folded));
    const relevant = isSearched ? indexes : indexes.filter(({ index }) => !index.search);
    for (const one of relevant) this.#touch(one, now);
    if (!isSlow) return;
    const lacking = relevant.map((one) => this.#lacking(one)).find((one) => one && this.#isWorthIt(one.table));
    if (lacking) this.#tally(lacking, milliseconds, now);
  }

  /** Records a use. A search for texts uses every search index of some of the columns. */
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

  #relevantTo(read: Read): RelevantIndexes {
    const known = this.#relevant.get(read.cost);
    if (known) return known;
    const origin = this.#layout && read.origin?.();
    const relevant = origin ? relevantIndexes(this.#layout!, origin) : { indexes: [], pieces: [] };
    this.#relevant.set(read.cost, relevant);
    return relevant;
  }

  /** The part of a wanted index that is missing. */
  #lacking(one: TableIndex): TableIndex | undefined {
    if (!this.#options.isLearned(one.index) || this.#settled.has(this.keyOf(one))) return undefined;
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
    const weight = 0.5 ** ((now - tally.at) / HALF_LIFE);
    tally.reads = tally.reads * weight + 1;
    tally.milliseconds = tally.milliseconds * weight + milliseconds;
    tally.at = now;
    // the latest entry is forgotten last
    this.#wanted.delete(key);
    this.#wanted.set(key, tally);
    if (this.#wanted.size > WANTED) this.#wanted.delete(this.#wanted.keys().next().value!);
    const [reads, least] = wanted.index.search ? [SEARCHES, SEARCH_MILLISECONDS] : [READS, MILLISECONDS];
    if (tally.reads < reads - TOLERANCE || tally.milliseconds < least) return;
    this.#wanted.delete(key);
    const request = { ...wanted, reads: Math.round(tally.reads), milliseconds: Math.round(tally.milliseconds) };
    // decided once, until it is reconsidered
    this.#settled.add(key);
    this.#decided.add(key);
    this.#options.decide(request, this.#verdictOn(wanted.table));
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

/** The properties of an engine's indexes. */
type IndexKind = Pick<DdlDialect, 'byCodePoint' | 'endsInId'>;

/**
 * A key that is equal for indexes that serve the same reads, whether or not they are unique.
 *
 * @param ddl of the engine.
 */
export function indexKey({ table, index }: TableIndex, { byCodePoint, endsInId }: IndexKind): string {
  const { columns, descending = [], ordered = [], whereNull, whereNotNull, search = false } = index;
  const isId = columns.at(-1) === 'id' && !descending.includes('id');
  const keys = endsInId && isId && !search ? columns.slice(0, -1) : columns;
  return JSON.stringify([table, keys, descending, byCodePoint ? ordered : [], whereNull, whereNotNull, search]);
}

/** Whether a table may have another learned index, given the tables of all learned and created ones. */
export function hasRoom(tables: readonly string[], table: string): boolean {
  return tables.length < OF_ALL && tables.filter((other) => other === table).length < OF_TABLE;
}

/**
 * The indexes that a plan would use: indexes of values, and one of the texts that it searches, unless an alternative
 * prevents that.
 */
function relevantIndexes(layout: Layout, { plan, parameters }: ReadOrigin): RelevantIndexes {
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
  // searching for text takes longer than sorting
  return { indexes: [...texts, ...indexes.map(asIndex)], pieces: placed };
}

function asIndex({ table, columns, descending, ordered, where }: IndexAdvice): TableIndex {
  const rows = where && ROWS_OF_STATUS[where];
  return { table, index: { columns, descending, ordered, unique: false, ...rows } };
}
