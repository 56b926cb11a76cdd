/** The context that all steps of a write share: the schema, its tables, and statements in the request's transaction. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TableReader } from '../../db/interface/table-reader.ts';
import type { Tables } from '../../db/interface/tables.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { LinkPlace } from '../../plan/link-place.ts';
import type { LinkPlan } from '../../plan/link-plan.ts';
import type { WritePlans } from '../../plan/write.ts';
import {
  type Catalog,
  type ContentType,
  type MediaAttribute,
  type Model,
  modelOf,
  type RelationAttribute,
} from '../../schema/catalog.ts';
import { type Layout, layoutOf, type ModelLayout } from '../../schema/layout/layout.ts';
import { columnKind } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Effects } from './effects.ts';

/** The value of a scalar attribute before the driver encodes it. */
export type StoredValue = string | number | boolean | bigint | null;

/** The context for reading rows as they are stored. */
export interface ReadContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly plans: WritePlans;
  readonly tables: TableReader;
}

/** A rule of publication besides those of the schema, such as a stage of review. */
export interface PublicationRule {
  /**
   * Refuses the publication of a version. Undefined, without a statement, if there is no rule for its type.
   *
   * @param draft the row of the draft; undefined for a document that is created by the same request.
   * @throws ContentError 400 for a version that may not be published now.
   */
  check(tx: Transaction, type: ContentType, draft: number | undefined): Promise<void> | undefined;
}

export interface WriteContext extends ReadContext {
  readonly publicationRule: PublicationRule | undefined;
  readonly tx: Transaction;
  readonly tables: Tables;
  readonly pace: Pace;
  readonly effects: Effects;
  readonly memory: WriteMemory;
}

/**
 * Which rows of other documents a written row may be linked to: it is a draft, published, or of a type without drafts
 * (`both`), in a locale or (null) of a type without locales.
 */
export interface Scope {
  readonly state: 'draft' | 'published' | 'both';
  readonly locale: string | null;
  /** The locale of localized targets that are named without one by a row without locale. */
  readonly defaultLocale: string;
}

/** A row whose links are written. */
export interface Source {
  readonly model: Model;
  readonly rowId: number;
  readonly scope: Scope;
  /** Whether this write has inserted the row, so that it has no links yet. */
  readonly isNew?: boolean;
  /**
   * The published row that is inserted together with the draft, when a document is created published. It gets the same
   * links.
   */
  readonly twin?: number | undefined;
  /** Whether it is a draft that this request does not publish, so that the links which it changes are noted. */
  readonly isDraftEdit?: boolean;
}

export function layoutOfModel(context: ReadContext, model: Model): ModelLayout {
  return layoutOf(context.layout, model.uid);
}

/** Where the links of an attribute of a model are stored, and how they are read. */
export function linkPlanOf(context: ReadContext, model: Model, { name }: RelationAttribute | MediaAttribute): LinkPlan {
  return context.plans.of(model.uid).links.get(name)!;
}

/** Where the links of an attribute of a model are stored. */
export function placeOf(context: ReadContext, model: Model, attribute: RelationAttribute | MediaAttribute): LinkPlace {
  return linkPlanOf(context, model, attribute).place;
}

export function model(context: ReadContext, uid: string): Model {
  return modelOf(context.catalog, uid);
}

/** Whether a model's documents have draft and published rows. */
export function hasDrafts(model: Model): boolean {
  return model.modelType === 'contentType' && model.draftAndPublish;
}

/** Whether a model's documents have a version per locale. */
export function isLocalized(model: Model): boolean {
  return model.modelType === 'contentType' && model.localized;
}

/** A value in the driver's form. */
export function encode(context: ReadContext, type: string, value: StoredValue): SqlValue {
  return context.tables.dialect.encode(value, columnKind(type));
}

/** The documents that a write links to, with all their rows. They are read once, and locked. */

/** A row of a document that can be linked to. */
export interface LinkedRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly published: boolean;
}

export class WriteMemory {
  /** By uid and document id, and by uid and row id. */
  readonly #documents = new Map<string, Map<string, LinkedRow[]>>();
  readonly #rows = new Map<string, Map<number, LinkedRow>>();

  /** Adds the rows of documents, all rows of each. No other session changes them before the transaction ends. */
  noteRows(uid: string, rows: readonly LinkedRow[]): void {
    const documents = this.#documents.get(uid) ?? new Map<string, LinkedRow[]>();
    const byId = this.#rows.get(uid) ?? new Map<number, LinkedRow>();
    this.#documents.set(uid, documents);
    this.#rows.set(uid, byId);
    for (const row of rows) {
      const ofDocument = documents.get(row.documentId);
      if (ofDocument) ofDocument.push(row);
      else documents.set(row.documentId, [row]);
      byId.set(row.id, row);
    }
  }

  /** The rows of a document that was looked up. */
  rowsOf(uid: string, documentId: string): readonly LinkedRow[] {
    return this.#documents.get(uid)?.get(documentId) ?? [];
  }

  row(uid: string, id: number): LinkedRow | undefined {
    return this.#rows.get(uid)?.get(id);
  }

  /** The published row of the version that a row is of; undefined where there is none. */
  publishedOf(uid: string, { documentId, locale }: LinkedRow): LinkedRow | undefined {
    return this.rowsOf(uid, documentId).find((other) => other.published && other.locale === locale);
  }
}

/** Milliseconds of work between two returns to the event loop. */
const TURN = 8;

export class Pace {
  #since = performance.now();

  /** Waits for the next turn of the event loop if the write has used up its time in this one. */
  breathe(): Promise<void> | undefined {
    return performance.now() - this.#since < TURN ? undefined : this.#rest();
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
