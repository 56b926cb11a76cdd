/** The search indexes of an SQLite database, known on the thread that serves. */
import type Sqlite from 'better-sqlite3';
import type { SearchIndex, SearchIndexes } from '../../../plan/search.ts';
import type { Row } from '../../interface/queryable.ts';
import { surveyOf } from './indexes.ts';
import { SURVEY } from './words.ts';

export class KnownSearchIndexes implements SearchIndexes {
  readonly #schemaVersion: Sqlite.Statement<[], unknown>;
  readonly #survey: Sqlite.Statement<[], Row>;
  readonly #generation: () => number;
  #asked: number | undefined;
  #version = -1;
  #indexes: readonly SearchIndex[] = [];

  /** @param generation as of `Database`: while it is the same, no other process has changed the schema. */
  constructor(connection: Sqlite.Database, generation: () => number) {
    this.#schemaVersion = connection.prepare<[], unknown>('pragma schema_version').pluck();
    this.#survey = connection.prepare<[], Row>(SURVEY).raw();
    this.#generation = generation;
  }

  get version(): number {
    this.#refresh();
    return this.#version;
  }

  of(table: string): readonly SearchIndex[] {
    this.#refresh();
    return this.#indexes.filter((index) => index.table === table);
  }

  /** Those of other processes are noticed by themselves. */
  async refresh(): Promise<void> {
    this.#asked = undefined;
  }

  #refresh(): void {
    const generation = this.#generation();
    if (generation === this.#asked) return;
    this.#asked = generation;
    if (this.#schemaVersion.get() === this.#version) return;
    const { version, indexes } = surveyOf(this.#survey.all());
    this.#version = version;
    this.#indexes = indexes.filter(({ isComplete }) => isComplete);
  }
}
