/**
 * The rows that a viewer is shown, for writes: a write checks rows in its transaction before it changes or links them.
 * A row is checked in its own status, as it would be read.
 */
import type { View, Viewer } from '../../access/view.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { bind } from '../../sql/statement.ts';
import { type CompiledPlans, operandValue } from './compiled-plans.ts';

/** Rows per statement. */
const PART = 2000;

/** A row of a type, of whichever status. */
interface CheckedRow {
  readonly id: number;
  readonly published: boolean;
}

type RowOfType = CheckedRow & { readonly type: ContentType };

export class ShownRows {
  readonly #plans: CompiledPlans;
  readonly #db: Queryable;
  readonly #viewer: Viewer;

  constructor(plans: CompiledPlans, db: Queryable, viewer: Viewer) {
    this.#plans = plans;
    this.#db = db;
    this.#viewer = viewer;
  }

  /** Whether the viewer is shown every row of a type. */
  showsAll(type: ContentType): boolean {
    return isWhole(this.#viewer.view, type);
  }

  /** Whether the viewer is shown every row of a type, and may write it. */
  areAll(type: ContentType): boolean {
    return this.showsAll(type) && isWhole(this.#viewer.view.written, type);
  }

  /** The ids of the rows that the viewer is not shown. */
  hidden(type: ContentType, rows: readonly CheckedRow[]): Promise<ReadonlySet<number>> {
    return this.#outside(this.#viewer.view, type, rows);
  }

  /** The rows that the viewer is shown and may write. */
  async writable<R extends CheckedRow>(type: ContentType, rows: readonly R[]): Promise<readonly R[]> {
    if (rows.length === 0 || this.areAll(type)) return rows;
    const hidden = await this.hidden(type, rows);
    const closed = await this.#outside(this.#viewer.view.written, type, rows);
    return rows.filter(({ id }) => !hidden.has(id) && !closed.has(id));
  }

  /** The ids of the rows that are outside of a View. */
  async #outside(view: View, type: ContentType, rows: readonly CheckedRow[]): Promise<ReadonlySet<number>> {
    if (isWhole(view, type)) return NONE;
    const hidden = new Set(rows.map(({ id }) => id));
    const { values } = this.#viewer;
    const { dialect } = this.#db;
    for (const [published, requested] of Map.groupBy(rows, (row) => row.published)) {
      const statement = this.#plans.shown(view, type, published ? 'published' : 'draft');
      for (let from = 0; from < requested.length; from += PART) {
        const ids = JSON.stringify(requested.slice(from, from + PART).map(({ id }) => [id]));
        const valueAt = (slot: number) => (slot < 0 ? operandValue(view, slot, values) : ids);
        const shown = await this.#db.rows(statement.text, bind(dialect, statement, valueAt));
        for (const [id] of shown) hidden.delete(Number(id));
      }
    }
    return hidden;
  }

  /**
   * Refuses to touch rows that the viewer is not shown, or may not write. Rows of other versions are checked once it is
   * known which of them the write changes (`requireWritable`).
   *
   * @param versions the rows of each requested version, or of the document as a whole.
   * @param written the rows of the versions that are written.
   * @throws ContentError 404 if none of a version's rows is shown, as if they did not exist; 403 if some of them are
   * not shown, or if the viewer may not write one that is written.
   */
  async require(
    type: ContentType,
    versions: readonly (readonly CheckedRow[])[],
    written: readonly CheckedRow[] = versions.flat(),
  ): Promise<void> {
    const { there, isWhole } = await this.#thereOf(type, versions);
    if (there.length < versions.length) throw notFound();
    if (!isWhole) throw forbidden();
    await this.requireWritten(type, written);
  }

  /**
   * The versions to be removed that exist for the viewer. Removing a missing version is no error, and hidden versions
   * are treated alike.
   *
   * @throws ContentError 403 if some of a version's rows are not shown, or may not be written.
   */
  async removable<R extends CheckedRow>(
    type: ContentType,
    versions: readonly (readonly R[])[],
  ): Promise<readonly (readonly R[])[]> {
    const { there, isWhole } = await this.#thereOf(type, versions);
    if (!isWhole) throw forbidden();
    await this.requireWritten(type, there.flat());
    return there;
  }

  /** The versions of which rows are shown, and whether all of their rows are. */
  async #thereOf<R extends CheckedRow>(type: ContentType, versions: readonly (readonly R[])[]) {
    const hidden = await this.hidden(type, versions.flat());
    const isShown = ({ id }: R) => !hidden.has(id);
    const existing = versions.filter((rows) => rows.length === 0 || rows.some(isShown));
    return { there: existing, isWhole: existing.every((rows) => rows.every(isShown)) };
  }

  /**
   * Refuses a write that has created or changed rows which the viewer may not write.
   *
   * @throws ContentError 403.
   */
  async requireWritten(type: ContentType, rows: readonly CheckedRow[]): Promise<void> {
    if ((await this.#outside(this.#viewer.view.written, type, rows)).size > 0) throw forbidden();
  }

  /**
   * Refuses a write that has changed rows of other versions which the viewer is not shown, or may not write.
   *
   * @throws ContentError 403.
   */
  async requireWritable(rows: readonly RowOfType[]): Promise<void> {
    for (const [type, ofType] of Map.groupBy(rows, (row) => row.type)) {
      if ((await this.writable(type, ofType)).length < ofType.length) throw forbidden();
    }
  }

  /**
   * Refuses a write that has taken links from rows which the viewer is not shown.
   *
   * @throws ContentError 403.
   */
  async requireShown(taken: readonly RowOfType[]): Promise<void> {
    for (const [type, rows] of Map.groupBy(taken, (row) => row.type)) {
      if ((await this.hidden(type, rows)).size > 0) throw forbidden();
    }
  }

  /** Whether the viewer may change links in every row of a type. */
  linksAll(type: ContentType): boolean {
    const { linked } = this.#viewer.view;
    return linked === undefined || isWhole(linked, type);
  }

  /**
   * Refuses a write that adds or removes links in rows which the viewer may not update.
   *
   * @param path the path of the written attribute, if there is one.
   * @throws ContentError 403.
   */
  async requireLinked(linked: readonly RowOfType[], path?: string): Promise<void> {
    const { view } = this.#viewer;
    for (const [type, rows] of Map.groupBy(linked, (row) => row.type)) {
      if (view.linked && (await this.#outside(view.linked, type, rows)).size > 0) throw forbidden(undefined, { path });
    }
  }
}

const NONE: ReadonlySet<number> = new Set();

const isWhole = (view: View, type: ContentType): boolean => !view.rows.byType.has(type.uid);
