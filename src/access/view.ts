/**
 * A View is what one caller sees of the Catalog: for each type the actions, the fields that may be read, written,
 * filtered, sorted and searched, and a condition on rows. It is immutable, and made once for callers with equal rights
 * (`views.ts`); plans are kept by its key. What differs between callers of one View, such as `$user.id`, is no part of
 * it: a `Viewer` has that, and only what runs a plan takes one.
 */
import type { Catalog, ContentType, Model } from '../schema/catalog.ts';
import type { Condition } from './condition.ts';
import type { CatalogFields, ModelFields } from './fields.ts';
import { type Grants, isSealed, may, mayFind } from './grants.ts';

/** A caller's own values, as far as it has them. */
export interface CallerValues {
  /** Row id of its account: `$user.id`. */
  readonly userId?: number | undefined;
}

/** What a condition of a View compares with: a constant, or a value of whoever asks. */
export type Operand =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'caller'; readonly name: keyof CallerValues };

/** Conditions on the rows of types by uid, and the operands of all of them: a slot of -1 is the first. */
export interface RowConditions {
  readonly byType: ReadonlyMap<string, Condition>;
  readonly operands: readonly Operand[];
}

export const EVERY_ROW: RowConditions = { byType: new Map(), operands: [] };

/** What a View shows of one model. */
export interface ModelView extends ModelFields {
  /** Whether its documents are shown through others: populated, filtered and sorted through. */
  readonly isSeen: boolean;
  /** Whether nothing of it is shown, not even where no right is needed, as for media. */
  readonly isSealed: boolean;
  /** Attributes that may be written, private ones and passwords among them. */
  readonly writable: ReadonlySet<string>;
  /** The rows that are there as far as the View goes; undefined: all. */
  readonly rows: Condition | undefined;
}

export interface ViewParts {
  readonly fields: CatalogFields;
  readonly grants: Grants;
  /** Whether private attributes are shown, which no caller over HTTP gets to see. */
  readonly showsPrivate?: boolean;
  readonly rows?: RowConditions;
}

/** Never given twice in a process, so that what was kept by a key is of one View for good. */
let nextKey = 0;

export class View {
  /** Short, and of this View alone. */
  readonly key = String(nextKey++);
  readonly rows: RowConditions;
  readonly #parts: ViewParts;
  readonly #models = new Map<Model, ModelView>();
  /** By what they have more: an action, or the uid of a type. */
  readonly #wider = new Map<string, View>();
  #types: readonly ContentType[] | undefined;

  constructor(parts: ViewParts) {
    this.#parts = parts;
    this.rows = parts.rows ?? EVERY_ROW;
  }

  get catalog(): Catalog {
    return this.#parts.fields.catalog;
  }

  /** Whether an action may be performed: `<uid>.<operation>`. */
  may(action: string): boolean {
    return may(this.#parts.grants, action);
  }

  /** What it shows of a model. */
  of(model: Model): ModelView {
    let view = this.#models.get(model);
    if (!view) {
      view = this.#viewOf(model);
      this.#models.set(model, view);
    }
    return view;
  }

  /** Whether documents of a uid may be found: linked to. Administrators' accounts never are. */
  finds(uid: string): boolean {
    return mayFind(this.#parts.grants, uid);
  }

  /** Types that a relation to any type may show. */
  get types(): readonly ContentType[] {
    this.#types ??= [...this.catalog.contentTypes.values()].filter((type) => this.of(type).isSeen);
    return this.#types;
  }

  /** Keys that the description of a linked file may have. */
  get fileKeys(): ReadonlySet<string> {
    return this.#parts.fields.fileKeys;
  }

  /** The same View with one more action: kept, as this one is. */
  granting(action: string): View {
    const { grants } = this.#parts;
    if (grants.all || grants.actions.has(action)) return this;
    let wider = this.#wider.get(action);
    if (!wider) {
      const actions = new Set([...grants.actions, action]);
      wider = new View({ ...this.#parts, grants: { ...grants, key: `${grants.key}\n${action}`, actions } });
      this.#wider.set(action, wider);
    }
    return wider;
  }

  /** The same View with every row of a type: kept, as this one is. */
  showingAll(uid: string): View {
    if (!this.rows.byType.has(uid)) return this;
    let wider = this.#wider.get(uid);
    if (!wider) {
      const byType = new Map([...this.rows.byType].filter(([type]) => type !== uid));
      wider = new View({ ...this.#parts, rows: { ...this.rows, byType } });
      this.#wider.set(uid, wider);
    }
    return wider;
  }

  #viewOf(model: Model): ModelView {
    const { fields, grants, showsPrivate = false } = this.#parts;
    const sealed = isSealed(grants, model.uid);
    const written = [...model.attributes.values()].filter(
      // relations to any type are decided by what is linked
      (attribute) => attribute.type !== 'relation' || attribute.target === undefined || this.finds(attribute.target),
    );
    return {
      ...fields.of(model, showsPrivate),
      isSeen: this.finds(model.uid) && !sealed,
      isSealed: sealed,
      writable: new Set(written.map(({ name }) => name)),
      rows: this.rows.byType.get(model.uid),
    };
  }
}

/** A caller as reads and writes know it: its View, and the values that conditions of the View name. */
export interface Viewer {
  readonly view: View;
  readonly values: CallerValues;
}

/** The operand that a negative slot stands for. */
export function operandOf(view: View, slot: number): Operand {
  const operand = view.rows.operands[-1 - slot];
  if (!operand) throw new Error(`the view has no operand ${slot}`);
  return operand;
}
