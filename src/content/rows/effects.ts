/**
 * What a write did to rows besides the version that it names. The steps of the write report each effect by its name,
 * and `Writer.permitted` checks all of them before the transaction commits.
 */
import type { ContentType } from '../../schema/catalog.ts';

/** A row of another document, or of another locale of the document that is written. */
export interface AffectedRow {
  readonly type: ContentType;
  readonly id: number;
  readonly published: boolean;
}

/** Checks rows against what the caller of a write may see and write. Each method throws a ContentError 403. */
export interface EffectGuard {
  /** The caller must be shown the rows. */
  requireShown(rows: readonly AffectedRow[]): Promise<void>;
  /** The caller must have the right to change the links of the rows. */
  requireLinked(rows: readonly AffectedRow[]): Promise<void>;
  /** The caller must be shown the rows and have the right to write them. */
  requireWritable(rows: readonly AffectedRow[]): Promise<void>;
}

export class Effects {
  readonly #unlinked: AffectedRow[] = [];
  readonly #relinked: AffectedRow[] = [];
  readonly #linked: AffectedRow[] = [];
  readonly #shared: AffectedRow[] = [];
  readonly #made = new Set<string>();

  /** Rows of other documents have lost a link, because this write links its target. */
  unlinked(rows: readonly AffectedRow[]): void {
    this.#unlinked.push(...rows);
  }

  /** Rows of other documents have back a link that a discarded draft had taken from them. */
  relinked(rows: readonly AffectedRow[]): void {
    this.#relinked.push(...rows);
  }

  /** Rows of other documents store links that this write changed. */
  linked(rows: readonly AffectedRow[]): void {
    this.#linked.push(...rows);
  }

  /** This write has made links of a two-sided relation within one type, which it may write from both sides. */
  made(links: readonly MadeLink[]): void {
    for (const link of links) this.#made.add(keyOf(link));
  }

  /** The rows of links that this write has made itself: whoever loses them has as many links as before. */
  rowsOfMade(links: readonly MadeLink[]): ReadonlySet<number> {
    if (this.#made.size === 0) return new Set();
    const { own = [], others = [] } = Object.groupBy(links, (link) => (this.#made.has(keyOf(link)) ? 'own' : 'others'));
    const lost = new Set(others.map(({ row }) => row));
    return new Set(own.map(({ row }) => row).filter((row) => !lost.has(row)));
  }

  /** A row of another locale took values that all locales share. */
  shared(row: AffectedRow): void {
    this.#shared.push(row);
  }

  /** Whether a row of another locale took shared values. */
  hasShared(id: number): boolean {
    return this.#shared.some((row) => row.id === id);
  }

  /**
   * Checks every effect.
   *
   * @param isRestoring whether the write restores a published state: links that it takes were taken from it before, so
   * no right is needed.
   * @throws ContentError 403 for an effect that the caller may not cause.
   */
  async permit(guard: EffectGuard, isRestoring = false): Promise<void> {
    const lost = [...this.#unlinked, ...this.#relinked];
    if (lost.length > 0) await guard.requireShown(lost);
    const changed = isRestoring ? [] : [...this.#unlinked, ...this.#linked];
    if (changed.length > 0) await guard.requireLinked(changed);
    if (this.#shared.length > 0) await guard.requireWritable(this.#shared);
  }
}

/** A link of a row to a target. Its places are the columns of the table that stores it. */
export interface MadeLink {
  readonly table: string;
  readonly source: string;
  readonly target: string;
  readonly row: number;
  readonly to: number;
}

/** The same from either side. */
const keyOf = ({ table, source, target, row, to }: MadeLink): string =>
  source < target ? `${table} ${row} ${to}` : `${table} ${to} ${row}`;
