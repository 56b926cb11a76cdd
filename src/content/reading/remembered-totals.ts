/**
 * Cached totals of filtered lists. A total is the same for every page of a list, whatever it sorts by, shows and
 * populates, until the tables that it was counted from change. Without a change clock, a page that is read without
 * counting returns the snapshot that it used: if the total was counted with the same snapshot, it is the page's total;
 * otherwise the page is read again and counted.
 */
import type { CallerValues } from '../../access/view.ts';
import type { ChangeClock, Sources } from '../../db/interface/change-clock.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import type { Page } from '../../query/page.ts';
import type { RawObject } from '../../query/params.ts';
import type { JsonBody, ListText } from './answers.ts';
import { type Bound, endsByItself } from './compiled-plans.ts';

/** Cached totals. */
const TOTALS = 5000;

/** A list that is counted. */
export interface CountedList extends Bound {
  readonly page: Page;
  /** The name of its total, but for the caller's own values (`nameOfTotal`). */
  readonly total: string | undefined;
  /** Whether the statement returns the state of the database that it has seen. */
  readonly snapshot: boolean;
}

interface RememberedTotal {
  readonly total: number;
  /** The state of the database that the total was counted in. */
  readonly since: { readonly tables: Sources; readonly moment: number } | string;
}

export class RememberedTotals {
  readonly #clock: ChangeClock | undefined;
  readonly #kept = new LruCache<string, RememberedTotal>(
    TOTALS,
    textWeight((name, { since }) => name.length + (typeof since === 'string' ? since.length : 0)),
  );
  /** The state of the database that was seen last. */
  #seen: string | undefined;
  /** Whether a total was remembered in vain since then: others are writing. */
  #isStirred = false;

  /** @param clock undefined on engines whose statements return a snapshot. */
  constructor(clock: ChangeClock | undefined) {
    this.#clock = clock;
  }

  /** Reads a list with its total: without counting, if the total is cached and still valid after the page was read. */
  counted<Data extends JsonBody>(
    list: CountedList,
    own: CallerValues,
    reads: Reads<Data>,
  ): ListText<Data> | Promise<ListText<Data>> {
    // a total counted at one time may differ from the total at another
    const isLasting = list.total !== undefined && !endsByItself(list);
    return isLasting && (this.#clock !== undefined || list.snapshot)
      ? this.#counted(list, nameFor(list, own), reads)
      : reads.read();
  }

  async #counted<Data extends JsonBody>(
    list: CountedList,
    name: string,
    { read, readUncounted }: Reads<Data>,
  ): Promise<ListText<Data>> {
    const clock = this.#clock;
    const cached = this.#kept.get(name);
    const moment = clock?.now();
    // a page that is not full has seen all rows
    if (cached && list.page.offset + list.page.limit <= cached.total && this.#mayBeCurrent(cached)) {
      const page = await readUncounted();
      clock?.now();
      if (this.#isCurrent(cached, page)) return { ...page, page: list.page, total: cached.total };
    }
    const counted = await read();
    this.#see(counted);
    const since = clock ? { tables: clock.sourcesOf(list.text, list.values), moment: moment! } : counted.snapshot;
    if (counted.total !== undefined && since !== undefined) this.#kept.set(name, { total: counted.total, since });
    return counted;
  }

  /** Whether it is worth looking. */
  #mayBeCurrent({ since }: RememberedTotal): boolean {
    if (typeof since === 'string') return since === this.#seen && !this.#isStirred;
    return this.#clock!.unchangedSince(since.moment, since.tables);
  }

  /** Whether a cached total belongs to the page that has just been read. */
  #isCurrent({ since }: RememberedTotal, page: ListText<JsonBody>): boolean {
    if (typeof since !== 'string') return this.#clock!.unchangedSince(since.moment, since.tables);
    this.#see(page);
    this.#isStirred = since !== page.snapshot;
    return !this.#isStirred;
  }

  #see({ snapshot }: ListText<JsonBody>): void {
    // the same twice: no session is writing at the moment
    if (snapshot === this.#seen) this.#isStirred = false;
    this.#seen = snapshot;
  }
}

/** The two ways to read a list. */
interface Reads<Data extends JsonBody> {
  readonly read: () => ListText<Data> | Promise<ListText<Data>>;
  readonly readUncounted: () => ListText<Data> | Promise<ListText<Data>>;
}

/** The name of a list's total with the caller's own values. */
const nameFor = ({ late, total = '' }: CountedList, own: CallerValues): string =>
  late.reduce((text, { of }) => (of === 'address' || of === 'now' ? text : `${text} ${own[of]}`), total);

/**
 * The cache key of a list's total: the parameters that decide which documents it has. Undefined for a list without
 * conditions.
 *
 * @param rows what else decides: the type, the View and the default locale.
 */
export function nameOfTotal(params: RawObject, rows: string): string | undefined {
  if (params['filters'] === undefined && params['_q'] === undefined) return undefined;
  const { pagination, sort, fields, populate, ...deciding } = params;
  return `${rows} ${JSON.stringify(deciding)}`;
}
