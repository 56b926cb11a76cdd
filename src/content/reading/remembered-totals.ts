/**
 * Totals of filtered lists. They are the same for every page of a list, whatever it sorts by, shows and populates: one is
 * counted for all pages that are asked for while nothing changes that it was counted from.
 */
import type { CallerValues } from '../../access/view.ts';
import type { Moments, Sources } from '../../db/moments.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import type { Page } from '../../query/page.ts';
import type { RawObject } from '../../query/params.ts';
import type { ListText } from './answers.ts';
import type { Bound } from './compiled-plans.ts';
import type { JsonBody } from './json-body.ts';

/** Totals kept. */
const TOTALS = 5000;

/** A list that is counted. */
export interface CountedList extends Bound {
  readonly page: Page;
  /** The name of its total, but for the caller's own values (`nameOfTotal`). */
  readonly total: string | undefined;
}

interface RememberedTotal {
  readonly total: number;
  readonly tables: Sources;
  readonly moment: number;
}

export class RememberedTotals {
  readonly #moments: Moments | undefined;
  readonly #kept = new LruCache<string, RememberedTotal>(
    TOTALS,
    textWeight((name) => name.length),
  );

  /** @param moments undefined where nothing tells that a total is current: none is kept. */
  constructor(moments: Moments | undefined) {
    this.#moments = moments;
  }

  /**
   * Reads a list with its total: without counting where the total is known, and was still the same when the page had been
   * read.
   */
  async counted(list: CountedList, own: CallerValues, { read, readUncounted }: Reads): Promise<ListText<JsonBody>> {
    const moments = this.#moments;
    if (moments === undefined || list.total === undefined) return read();
    const moment = moments.now();
    const name = list.late.reduce((text, { of }) => (of === 'address' ? text : `${text} ${own[of]}`), list.total);
    const kept = this.#kept.get(name);
    if (kept && moments.unchangedSince(kept.moment, kept.tables)) {
      const page = await readUncounted();
      moments.now();
      if (moments.unchangedSince(kept.moment, kept.tables)) return { ...page, page: list.page, total: kept.total };
    }
    const found = await read();
    const tables = moments.sourcesOf(list.text, list.values);
    if (found.total !== undefined) this.#kept.set(name, { total: found.total, tables, moment });
    return found;
  }
}

/** The two ways to read a list. */
interface Reads {
  readonly read: () => Promise<ListText<JsonBody>>;
  readonly readUncounted: () => Promise<ListText<JsonBody>>;
}

/**
 * The name of a list's total: what its parameters say, apart from those that do not decide which documents it has.
 * Undefined for a list that has no conditions.
 *
 * @param rows what else decides: the type, the View and the default locale.
 */
export function nameOfTotal(params: RawObject, rows: string): string | undefined {
  if (params['filters'] === undefined && params['_q'] === undefined) return undefined;
  const { pagination, sort, fields, populate, ...deciding } = params;
  return `${rows} ${JSON.stringify(deciding)}`;
}
