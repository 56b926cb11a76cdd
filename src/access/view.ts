/**
 * A View is the part of the Catalog that a caller sees: for each type the actions, the fields that may be read,
 * written, filtered, sorted and searched, and a condition on rows. It is immutable and shared by callers with equal
 * rights (`views.ts`); plans are cached by its key. Values that differ between callers of one View, such as `$user.id`,
 * are in a `Viewer`, which only code that runs plans takes.
 */
import {
  ADMIN_USER_UID,
  type Attribute,
  type Catalog,
  type ContentType,
  FILE_UID,
  FIRST_PUBLISHED,
  isCreator,
  type Model,
  modelOf,
  type RelationAttribute,
  type ScalarAttribute,
  showsCreatorsOf,
} from '../schema/catalog.ts';
import type { Condition } from './condition.ts';
import type { Fields } from './field-tree.ts';
import { type CatalogFields, type ModelFields, restricted, type SearchedField } from './fields.ts';
import { type AccessAction, type Grants, isNeverFound, isSealed, may, mayFind } from './grants.ts';

/** The caller's own values, as far as they exist. */
export interface CallerValues {
  /** Row id of the account: `$user.id`. */
  readonly userId?: number | undefined;
  /** Row id of the administrator: `$administrator.id`. Writes store it as the creator. */
  readonly administratorId?: number | undefined;
}

/** An operand of a row condition: a constant, the current time, or a value of the caller. */
export type Operand =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'now' }
  | { readonly kind: 'caller'; readonly name: keyof CallerValues };

/** Conditions on rows by the uid of their type, and the operands of all conditions: a slot of -1 is the first. */
export interface RowConditions {
  readonly byType: ReadonlyMap<string, Condition>;
  readonly operands: readonly Operand[];
}

/** Attributes that publications set. */
const PUBLICATION_TIMES: ReadonlySet<string> = new Set(['publishedAt', FIRST_PUBLISHED]);

function testsPublication(condition: Condition): boolean {
  switch (condition.kind) {
    case 'test':
      return PUBLICATION_TIMES.has(condition.field);
    case 'not':
    case 'through':
      return testsPublication(condition.item);
    case 'and':
    case 'or':
      return condition.items.some(testsPublication);
  }
}

const EVERY_ROW: RowConditions = { byType: new Map(), operands: [] };

/** The part of one model that a View shows. */
export interface ModelView extends ModelFields {
  /** Whether its documents are visible through relations: can be populated, filtered and sorted through. */
  readonly isSeen: boolean;
  /** Whether nothing of it is visible, not even where no right is needed, as for media. */
  readonly isSealed: boolean;
  /** Writable attributes, private ones and passwords included. */
  readonly writable: ReadonlySet<string>;
  /** The rows that exist in the View; undefined for all. */
  readonly rows: Condition | undefined;
}

export interface ViewParts {
  readonly fields: CatalogFields;
  readonly grants: Grants;
  /** Whether private attributes are visible, as to no caller over HTTP. */
  readonly showsPrivate?: boolean;
  /** Whether attributes with `writable: false` may be written, as by code. */
  readonly writesReadOnly?: boolean;
  /** Whether filters search for texts in JSON and blocks as stored in the database. */
  readonly searchesJson?: boolean;
  /** Whether `_q` also searches the texts within JSON and blocks. */
  readonly searchesInside?: boolean;
  /** Types of administrators that are visible, which no grant shows. */
  readonly administration?: ReadonlySet<string>;
  /** Readable attributes by the uid of the type; a type without an entry is fully readable. */
  readonly readable?: ReadonlyMap<string, Fields>;
  /** Writable attributes by the uid of the type; a type without an entry then has none. Undefined: all. */
  readonly writable?: ReadonlyMap<string, Fields>;
  readonly rows?: RowConditions;
  /** The writable rows, where they are fewer than the visible ones. */
  readonly writes?: RowConditions | undefined;
  /** The rows that some actions may write; undefined for all visible rows. */
  readonly writesFor?: ((actions: readonly AccessAction[]) => RowConditions | undefined) | undefined;
  /** The View whose `_q` is used, where that searches less than is visible. */
  readonly searcher?: View | undefined;
}

/** The fields of a model that may be read and written at one place. */
interface Scope {
  readonly readable: Fields;
  readonly writable: Fields;
}

const WHOLE: Scope = { readable: true, writable: true };
const NOTHING: Fields = new Map();

/** Never used twice in a process: everything that is cached by a key belongs to one View. */
let nextKey = 0;

export class View {
  /** Short and unique. */
  readonly key = String(nextKey++);
  readonly rows: RowConditions;
  readonly #parts: ViewParts;
  readonly #models = new Map<Model, ModelView>();
  /** Derived Views by the action, the uid or the actions that they add. */
  readonly #wider = new Map<string, View>();
  /** Partly permitted components by the model and attribute that contain them. */
  readonly #places = new Map<Model, Map<string, Model>>();
  readonly #scopes = new Map<Model, Scope>();
  /** The model of a creator: an administrator of whom only the name is visible. */
  #creator: Model | undefined;
  #written: View | undefined;
  #types: readonly ContentType[] | undefined;
  #testsPublication: boolean | undefined;

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
   * The fields that `_q` searches.
   *
   * @param isNumber whether the term is a number.
   */
  searchedBy(model: Model, isNumber: boolean): readonly SearchedField[] {
    const { text, number, json } = this.of(model).searchable;
    const own = isNumber ? number : text;
    return this.#parts.searchesInside ? [...own, ...json] : own;
  }

  /** True for an action, `<uid>.<operation>`, that may be performed. */
  may(action: string): boolean {
    return may(this.#parts.grants, action);
  }

  /** The part of a model that is visible. */
  of(model: Model): ModelView {
    let view = this.#models.get(model);
    if (!view) {
      view = this.#viewOf(model);
      this.#models.set(model, view);
    }
    return view;
  }

  /** True for types whose documents may be found and linked. Accounts of administrators need an explicit permission. */
  finds(uid: string): boolean {
    return mayFind(this.#parts.grants, uid) || (this.#parts.administration?.has(uid) ?? false);
  }

  /**
   * The one model that an attribute leads to. A partly permitted component is another object at each place, since its
   * permissions depend on the place. So is an administrator who is visible only as a creator.
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

  /** True for names that `populate=*` includes. */
  covers(model: Model, name: string): boolean {
    const { showsPrivate = false } = this.#parts;
    return !isCreator(model, name) || showsPrivate || this.finds(ADMIN_USER_UID) || showsCreatorsOf(model);
  }

  /** True for createdBy and updatedBy when only that reference is visible. */
  #showsCreator(model: Model, name: string): boolean {
    const { showsPrivate = false } = this.#parts;
    if (model.modelType !== 'contentType' || this.finds(ADMIN_USER_UID)) return false;
    // to code, whatever relation leads to an administrator
    if (!isCreator(model, name)) return showsPrivate;
    const { readable } = this.#scopeOf(model);
    return (showsPrivate || showsCreatorsOf(model)) && (readable === true || readable.has(name));
  }

  /** True where all of a model may be read and written at its place. */
  wholeness(model: Model): { readonly read: boolean; readonly written: boolean } {
    const { readable, writable } = this.#scopeOf(model);
    return { read: readable === true, written: writable === true };
  }

  /** True where a part of a model, at any depth, may be neither read nor written at its place. */
  hides(model: Model): boolean {
    const { readable, writable } = this.#scopeOf(model);
    if (readable === true || writable === true) return false;
    return [...model.attributes.values()].some(
      (attribute) =>
        (!readable.has(attribute.name) && !writable.has(attribute.name)) ||
        (attribute.type === 'component' && this.hides(this.into(model, attribute))),
    );
  }

  /** The View whose rows may be written: this one, unless it shows rows that may not be written. */
  get written(): View {
    const { writes } = this.#parts;
    if (writes === undefined) return this;
    this.#written ??= new View({ ...this.#parts, rows: writes, writes: undefined });
    return this.#written;
  }

  /**
   * The View of the rows that store a link, for links that are written from the other side: this updates those rows.
   * Undefined: the rows need only be visible.
   */
  get linked(): View | undefined {
    return this.#parts.writesFor && this.acting('update').written;
  }

  /** True where rows or attributes are hidden or not writable. */
  get isNarrow(): boolean {
    const { readable, writable, writes, writesFor } = this.#parts;
    return this.rows.byType.size > 0 || Boolean(readable ?? writable ?? writes ?? writesFor);
  }

  /** Whether a condition on rows tests a time that publications set, so that it may hide a draft and show what it becomes. */
  get testsPublication(): boolean {
    this.#testsPublication ??= [...this.rows.byType.values()].some(testsPublication);
    return this.#testsPublication;
  }

  /** Types that are visible through relations to any type. */
  get types(): readonly ContentType[] {
    this.#types ??= [...this.catalog.contentTypes.values()].filter((type) => this.of(type).isSeen);
    return this.#types;
  }

  /**
   * True where relations to any type show the caller as many types as code sees, which finds no administrators either.
   */
  get seesAllTypes(): boolean {
    return [...this.catalog.contentTypes.values()].every((type) => this.of(type).isSeen || isNeverFound(type.uid));
  }

  /** Keys that the description of a linked file may have. */
  get fileKeys(): ReadonlySet<string> {
    return this.#parts.fields.fileKeys;
  }

  /** The same View with one more action. Cached, as this one is. */
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

  /** The same View for actions that write, with their conditions. Cached, as this one is. */
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
   * The fields and rights of another View in the rows of this one. Cached, as this one is. `_q` searches the fields of
   * this View, or it would find hidden values.
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

  /** The same View with every row of a type. Cached, as this one is. */
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
   * The attributes of a type through which `related` of files may show its rows, which store those links. Undefined for
   * any: other relations to any type store their links themselves.
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

  /** True where the project's rules allow a relation on the other side, where that side stores the links. */
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
      // for relations to any type the linked rows decide
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

/** The part of a set below one of its names. */
const below = (fields: Fields, name: string): Fields => (fields === true ? true : (fields.get(name) ?? NOTHING));

/** Uid of the single model that an attribute leads to. */
function targetUid(attribute: Exclude<Attribute, ScalarAttribute>): string {
  if (attribute.type === 'media') return FILE_UID;
  const target =
    attribute.type === 'component' ? attribute.component : attribute.type === 'relation' ? attribute.target : undefined;
  if (target === undefined) throw new Error('the attribute leads to more than one model');
  return target;
}

/** A caller for reads and writes: its View, and the values that conditions of the View use. */
export interface Viewer {
  readonly view: View;
  readonly values: CallerValues;
}

/** The operand of a negative slot. */
export function operandOf(view: View, slot: number): Operand {
  const operand = view.rows.operands[-1 - slot];
  if (!operand) throw new Error(`the view has no operand ${slot}`);
  return operand;
}
