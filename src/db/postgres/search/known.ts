/** The search indexes of a PostgreSQL database, as far as they are known. */
import type { SearchIndex, SearchIndexes } from '../../../plan/search.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import type { Row } from '../../interface/queryable.ts';
import { indexesOf } from './indexes.ts';
import { LIST } from './words.ts';

/** Milliseconds for which what is known is considered current. A statement for an index that is gone is only slower. */
const FRESH = 10_000;

export class KnownSearchIndexes implements SearchIndexes {
  readonly #dialect: Dialect;
  readonly #ask: (text: string) => Promise<Row[]>;
  #askAgain = 0;
  #version = 0;
  #text = '[]';
  #indexes: readonly SearchIndex[] = [];

  /** `ask` runs a statement. */
  constructor(dialect: Dialect, ask: (text: string) => Promise<Row[]>) {
    this.#dialect = dialect;
    this.#ask = ask;
  }

  get version(): number {
    if (performance.now() >= this.#askAgain) void this.refresh();
    return this.#version;
  }

  of(table: string): readonly SearchIndex[] {
    return this.#indexes.filter((index) => index.table === table);
  }

  /** Asks the server. */
  async refresh(): Promise<void> {
    this.#askAgain = performance.now() + FRESH;
    try {
      const indexes = indexesOf(this.#dialect, await this.#ask(LIST)).filter(({ isComplete }) => isComplete);
      const text = JSON.stringify(indexes);
      if (text === this.#text) return;
      this.#text = text;
      this.#indexes = indexes;
      this.#version++;
    } catch {
      // the server cannot be reached: what asks for rows says so
    }
  }
}
