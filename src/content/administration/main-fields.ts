/** The fields that name documents, as the reference's panel has been told, kept while the database has not changed. */
import type { View } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Model } from '../../schema/catalog.ts';
import { arrangementOf, readArrangements, type StoredArrangements } from './arrangement.ts';

/** Gives the field that names documents of a model. */
export type MainFieldOf = (model: Model) => string;

export class MainFields {
  readonly #database: Database;
  #generation = Number.NaN;
  #stored: StoredArrangements = new Map();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Has what was chosen read again: this process has changed it. */
  forget(): void {
    this.#generation = Number.NaN;
  }

  /** The fields that a View shows of what was chosen; `documentId` where it shows no text. */
  async of(view: View): Promise<MainFieldOf> {
    const generation = this.#database.generation();
    if (generation !== this.#generation) {
      this.#stored = await readArrangements(this.#database);
      this.#generation = generation;
    }
    const known = new Map<Model, string>();
    return (model) => {
      let name = known.get(model);
      if (name === undefined) {
        name = arrangementOf(model, this.#stored.get(model.uid), (field) => isField(view, model, field)).layout
          .mainField;
        known.set(model, name);
      }
      return name;
    };
  }
}

const isField = (view: View, model: Model, name: string): boolean => view.of(model).named(name).kind === 'field';
