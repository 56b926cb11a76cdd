/**
 * A View is what one caller sees of the Catalog: for each type the actions, the fields that may be read, written,
 * filtered, sorted and searched, and a condition on rows. It is immutable, and made once for callers with equal rights
 * (`views.ts`); plans are kept by its key. What differs between callers of one View, such as `$user.id`, is no part of
 * it: a `Viewer` has that, and only what runs a plan takes one.
 */
import {
  ADMIN_USER_UID,
  type Attribute,
  type Catalog,
  type ContentType,
  FILE_UID,
  isCreator,
  type Model,
  modelOf,
  type RelationAttribute,
  type ScalarAttribute,
  tellsCreators,
} from '../schema/catalog.ts';
import type { Condition } from './condition.ts';
import type { Fields } from './field-tree.ts';
import { type CatalogFields, type ModelFields, restricted, type SearchedField } from './fields.ts';
import { type AccessAction, type Grants, isNeverFound, isSealed, may, mayFind } from './grants.ts';

/** A caller's own values, as far as it has them. */
export interface CallerValues {
  /** Row id of its account: `$user.id`. */
  readonly userId?: number | undefined;
  /** Row id of the administrator: `$administrator.id`. What it writes says that it was so. */
  readonly administratorId?: number | undefined;
}

/** What a condition of a View compares with: a constant, the moment at which it is asked, or a value of whoever asks. */
export type Operand =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'now' }
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
  /** Whether attributes may be written that the schema closes to callers (`writable: false`), as code may. */
  readonly writesReadOnly?: boolean;
  /** Whether its filters look for texts in JSON and blocks, as the database keeps them. */
  readonly searchesJson?: boolean;
  /** Whether its `_q` looks into the texts within JSON and blocks, too. */
  readonly searchesInside?: boolean;
  /** Types of administrators that are shown, which no grant shows. */
  readonly administration?: ReadonlySet<string>;
  /** Attributes of types by uid that may be read; a type without an entry is shown as a whole. */
  readonly readable?: ReadonlyMap<string, Fields>;
  /** Attributes of types by uid that may be written; a type without an entry has none then. Undefined: all. */
  readonly writable?: ReadonlyMap<string, Fields>;
  readonly rows?: RowConditions;
  /** The rows that may be written, where those are fewer than the rows that are shown. */
  readonly writes?: RowConditions | undefined;
  /** The rows that may be written by some actions; undefined: all that are shown. */
  readonly writesFor?: ((actions: readonly AccessAction[]) => RowConditions | undefined) | undefined;
  /** Whose `_q` it is, where that looks into less than is shown. */
  readonly searcher?: View | undefined;
}

/** What may be read and written of a model at one place. */
interface Scope {
  readonly readable: Fields;
  readonly writable: Fields;
}

const WHOLE: Scope = { readable: true, writable: true };
const NOTHING: Fields = new Map();

/** Never given twice in a process, so that what was kept by a key is of one View for good. */
let nextKey = 0;

export class View {
  /** Short, and of this View alone. */
  readonly key = String(nextKey++);
  readonly rows: RowConditions;
  readonly #parts: ViewParts;
  readonly #models = new Map<Model, ModelView>();
  /** By what they have more, an action or the uid of a type, or by the actions that they are for. */
  readonly #wider = new Map<string, View>();
  /** Components at places where only part of them is permitted, by the model that they are in and the attribute. */
  readonly #places = new Map<Model, Map<string, Model>>();
  readonly #scopes = new Map<Model, Scope>();
  /** An administrator who made a document. */
  #creator: Model | undefined;
  #written: View | undefined;
  #types: readonly ContentType[] | undefined;

  constructor(parts: ViewParts) {
    this.#parts = parts;
    this.rows = parts.rows ?? EVERY_ROW;
  }

  get catalog(): Catalog {
    return this.#parts.fields.catalog;
  }

  /** `ViewParts.searchesJson`. */
  get searchesJson(): boolean {
    return this.#parts.searchesJson ?? false;
  }

  /**
   * What its `_q` looks into.
   *
   * @param isNumber whether what it looks for is a number.
   */
  searchedBy(model: Model, isNumber: boolean): readonly SearchedField[] {
    const { text, number, json } = this.of(model).searchable;
    const own = isNumber ? number : text;
    return this.#parts.searchesInside ? [...own, ...json] : own;
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

  /** Whether documents of a uid may be found: linked to. Administrators' accounts only are where that is said. */
  finds(uid: string): boolean {
    return mayFind(this.#parts.grants, uid) || (this.#parts.administration?.has(uid) ?? false);
  }

  /**
   * The one model that an attribute of a model leads to. A component of which only part is permitted at that place is
   * another object there: what may be read and written of a component depends on what it is part of. So is an
   * administrator who is shown as the one who made a document, and not otherwise.
   */
  into(model: Model, attribute: Exclude<Attribute, ScalarAttribute>): Model {
    const target = modelOf(this.catalog, targetUid(attribute));
    if (target.uid === ADMIN_USER_UID && this.#showsCreator(model, attribute.name)) {
      this.#creator ??= { ...target };
      return this.#creator;
    }
    if (attribute.type !== 'component') return target;
    const { readable, writable } = this.#scopeOf(model);
    const scope = { readable: below(readable, attribute.name), writable: below(writable, attribute.name) };
    if (scope.readable === true && scope.writable === true) return target;
    const places = this.#places.get(model) ?? new Map<string, Model>();
    this.#places.set(model, places);
    let placed = places.get(attribute.name);
    if (!placed) {
      placed = { ...target };
      this.#scopes.set(placed, scope);
      places.set(attribute.name, placed);
    }
    return placed;
  }

  /**
   * Whether `populate=*` covers a name that may be populated. Who made a document is told to code that asks for it by
   * name: whatever code reads with a star it may answer with.
   */
  covers(model: Model, name: string): boolean {
    if (!isCreator(model, name) || this.finds(ADMIN_USER_UID)) return true;
    return tellsCreators(model);
  }

  /** Whether a name is that of the administrator who made a document, who is shown for that alone. */
  #showsCreator(model: Model, name: string): boolean {
    const { showsPrivate = false } = this.#parts;
    if (model.modelType !== 'contentType' || this.finds(ADMIN_USER_UID)) return false;
    // to code, whatever relation leads to an administrator
    if (!isCreator(model, name)) return showsPrivate;
    const { readable } = this.#scopeOf(model);
    return (showsPrivate || tellsCreators(model)) && (readable === true || readable.has(name));
  }

  /** Whether no right leaves out anything of a model at its place, for those who read and for those who write. */
  wholeness(model: Model): { readonly read: boolean; readonly written: boolean } {
    const { readable, writable } = this.#scopeOf(model);
    return { read: readable === true, written: writable === true };
  }

  /** Whether there is anything of a model at its place, or within it, that may neither be read nor written. */
  hides(model: Model): boolean {
    const { readable, writable } = this.#scopeOf(model);
    if (readable === true || writable === true) return false;
    return [...model.attributes.values()].some(
      (attribute) =>
        (!readable.has(attribute.name) && !writable.has(attribute.name)) ||
        (attribute.type === 'component' && this.hides(this.into(model, attribute))),
    );
  }

  /** The View that a document has to be in to be written: this one, unless it shows rows that may not be written. */
  get written(): View {
    const { writes } = this.#parts;
    if (writes === undefined) return this;
    this.#written ??= new View({ ...this.#parts, rows: writes, writes: undefined });
    return this.#written;
  }

  /**
   * The View that rows have to be in which keep a link that is written from its other side: an update of theirs.
   * Undefined: they need only be shown.
   */
  get linked(): View | undefined {
    return this.#parts.writesFor && this.acting('update').written;
  }

  /** Whether there are rows or attributes that it does not show, or that may not be written. */
  get isNarrow(): boolean {
    const { readable, writable, writes, writesFor } = this.#parts;
    return this.rows.byType.size > 0 || Boolean(readable ?? writable ?? writes ?? writesFor);
  }

  /** Types that a relation to any type may show. */
  get types(): readonly ContentType[] {
    this.#types ??= [...this.catalog.contentTypes.values()].filter((type) => this.of(type).isSeen);
    return this.#types;
  }

  /** Whether relations to any type show the caller as much as they show code, which finds no administrators either. */
  get seesAllTypes(): boolean {
    return [...this.catalog.contentTypes.values()].every((type) => this.of(type).isSeen || isNeverFound(type.uid));
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

  /** The same View as far as it goes for actions that write: kept, as this one is. */
  acting(...actions: readonly AccessAction[]): View {
    const { writesFor, writes: known } = this.#parts;
    if (!writesFor) return this;
    const key = `acting ${actions.join()}`;
    let narrower = this.#wider.get(key);
    if (!narrower) {
      const writes = writesFor(actions);
      narrower = writes || known ? new View({ ...this.#parts, writes }) : this;
      this.#wider.set(key, narrower);
    }
    return narrower;
  }

  /**
   * What another View shows and may write, in the rows of this one: kept, as this one is. A search looks into what this
   * one shows, or it would find what is hidden.
   */
  narrowing(wide: View): View {
    const { readable, rows, writes, writesFor } = this.#parts;
    const showsEveryRow = this.rows.byType.size === 0 && !writes && !writesFor;
    if (wide === this || (showsEveryRow && !readable)) return wide;
    const key = `narrowing ${wide.key}`;
    let narrower = this.#wider.get(key);
    if (!narrower) {
      narrower = new View({ ...wide.#parts, ...(rows ? { rows } : {}), writes, writesFor, searcher: this });
      this.#wider.set(key, narrower);
    }
    return narrower;
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

  /**
   * The attributes of a type by which `related` of files may show that its rows have them: those rows keep the links.
   * Undefined: whichever, as of other relations to any type, which keep their links themselves.
   */
  linkedBy(model: Model, { name }: RelationAttribute, uid: string): readonly string[] | undefined {
    const type = modelOf(this.catalog, uid);
    const { readable } = this.#scopeOf(type);
    if (model.uid !== FILE_UID || readable === true || !this.#parts.writesFor) return undefined;
    const keeping = [...type.attributes.values()].filter((attribute) =>
      attribute.type === 'relation'
        ? attribute.morphBy === name && attribute.target === model.uid
        : attribute.type === 'media',
    );
    const shown = keeping.filter((attribute) => readable.has(attribute.name));
    return shown.length === keeping.length ? undefined : shown.map((attribute) => attribute.name);
  }

  /** Whether a project's rules let a relation be read or written on the other side, where that one keeps the links. */
  #isOpenOnOwner({ owner, inverse, morphBy, target }: RelationAttribute, part: keyof Scope): boolean {
    const keeping = inverse ?? morphBy;
    if (owner || keeping === undefined || target === undefined || !this.#parts.writesFor) return true;
    const fields = this.#scopeOf(modelOf(this.catalog, target))[part];
    return fields === true || fields.has(keeping);
  }

  #scopeOf(model: Model): Scope {
    const known = this.#scopes.get(model);
    const { readable, writable } = this.#parts;
    if (known || model.modelType === 'component') return known ?? WHOLE;
    return {
      readable: readable?.get(model.uid) ?? true,
      writable: writable === undefined ? true : (writable.get(model.uid) ?? NOTHING),
    };
  }

  /** Whether relations to a type may be written: code links rows to administrators, whom it does not find by others. */
  #mayLink(uid: string): boolean {
    return this.finds(uid) || (uid === ADMIN_USER_UID && this.#parts.writesReadOnly === true);
  }

  #viewOf(model: Model): ModelView {
    const { fields, grants, showsPrivate = false, writesReadOnly = false, searcher } = this.#parts;
    if (model === this.#creator) {
      const shown = fields.of(modelOf(this.catalog, ADMIN_USER_UID), false);
      return { ...shown, isSeen: true, isSealed: false, writable: new Set(), rows: undefined };
    }
    const sealed = isSealed(grants, model.uid);
    const { readable, writable } = this.#scopeOf(model);
    const written = [...model.attributes.values()].filter(
      // relations to any type are decided by what is linked
      (attribute) =>
        (writable === true || writable.has(attribute.name)) &&
        (writesReadOnly || !attribute.readOnly) &&
        (attribute.type !== 'relation' ||
          attribute.target === undefined ||
          (this.#mayLink(attribute.target) && this.#isOpenOnOwner(attribute, 'writable'))),
    );
    const whole = fields.of(model, showsPrivate);
    const read = [...model.attributes.values()].filter(
      (attribute) =>
        (readable === true || readable.has(attribute.name)) &&
        (attribute.type !== 'relation' || this.#isOpenOnOwner(attribute, 'readable')),
    );
    const names = new Set(read.map(({ name }) => name));
    return {
      ...(names.size === model.attributes.size ? whole : restricted(whole, model, names)),
      ...(searcher ? { searchable: searcher.of(model).searchable } : {}),
      isSeen: this.finds(model.uid) && !sealed,
      isSealed: sealed,
      writable: new Set(written.map(({ name }) => name)),
      rows: this.rows.byType.get(model.uid),
    };
  }
}

/** What belongs to a set below one of its names. */
const below = (fields: Fields, name: string): Fields => (fields === true ? true : (fields.get(name) ?? NOTHING));

/** Uid of the single model that an attribute leads to. */
export function targetUid(attribute: Exclude<Attribute, ScalarAttribute>): string {
  if (attribute.type === 'media') return FILE_UID;
  const target =
    attribute.type === 'component' ? attribute.component : attribute.type === 'relation' ? attribute.target : undefined;
  if (target === undefined) throw new Error('the attribute leads to more than one model');
  return target;
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
