/**
 * WritePlan: the columns, links, components and copies of a model, as far as writing its rows needs them. It follows
 * from the schema alone and is computed once per project, and it determines how many statements a write takes.
 */
import {
  type Catalog,
  type ComponentAttribute,
  type DynamicZoneAttribute,
  FILE_UID,
  FIRST_PUBLISHED,
  isScalar,
  type MediaAttribute,
  type Model,
  type RelationAttribute,
  type ScalarAttribute,
} from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { SchemaIndex } from '../schema/schema-index.ts';
import { type FilledPlan, planFilled } from './filled.ts';
import { type ForeignKey, tablesOf } from './foreign-key.ts';
import { type IncomingPlan, isLink, type LinkPlan, type ModelLinks, planIncoming, planLinks } from './link-plan.ts';
import { planRemovals, type Removal } from './removals.ts';
import type { ColumnList, RowQuery, Selected } from './row-query.ts';

export interface ScalarPlan {
  readonly attribute: ScalarAttribute;
  readonly column: string;
}

/** The table that links components to rows of a model. */
export interface TiePlan {
  readonly table: string;
  readonly attributes: readonly (ComponentAttribute | DynamicZoneAttribute)[];
  /** The columns of a new component link: the row, the component's row and uid, the attribute, the order. */
  readonly columns: ColumnList;
  /** The component links of rows, in order; `byField`: those of one attribute. */
  readonly byOwner: RowQuery;
  readonly byField: RowQuery;
}

export interface WritePlan {
  readonly model: Model;
  readonly table: string;
  readonly scalars: ReadonlyMap<string, ScalarPlan>;
  /** The column with the time of the first publication; undefined if the model has none. */
  readonly firstPublished: string | undefined;
  /** The other attributes, stored in tables of their own or as ids of other rows. */
  readonly nested: readonly (RelationAttribute | MediaAttribute | ComponentAttribute | DynamicZoneAttribute)[];
  /** Scalar attributes whose values must differ between published documents. */
  readonly unique: readonly ScalarPlan[];
  /**
   * The columns of a new document row: document id, scalar attributes, three times, the locale, and with `authored` its
   * creator and last editor.
   */
  readonly created: ColumnList;
  readonly authored: ColumnList;
  /** The columns of all scalar attributes; `shared`: of those that all locales of a document share. */
  readonly content: ColumnList;
  readonly shared: ColumnList;
  /** The columns that publishing copies from the draft to the published row, and discarding the other way. */
  readonly followed: ColumnList;
  /** The columns that are copied when the second row of a version is created. */
  readonly copied: ColumnList;
  /** The columns that a clone copies from its original. */
  readonly cloned: ColumnList;
  /** Selects ids and scalar attributes by id; values of `biginteger` as text. */
  readonly contentQuery: RowQuery;
  /** Selects the rows of a document. */
  readonly versionQuery: RowQuery;
  /** Selects the rows of link targets. */
  readonly targetQuery: RowQuery;
  /** Relations and media. */
  readonly links: ModelLinks;
  /** The links that are copied with a row: links of the inverse side have rules of their own. */
  readonly ownLinks: readonly LinkPlan[];
  /** Whether links of its rows may wait for the publication of their targets. */
  readonly mayWait: boolean;
  /** The links that validation of a row reads, because they are required or a condition uses them. */
  readonly checkedLinks: readonly LinkPlan[];
  /** Relations whose links are stored on the other side. */
  readonly inverseLinks: readonly LinkPlan<RelationAttribute>[];
  readonly filled: FilledPlan;
  /** Undefined for models without components. */
  readonly ties: TiePlan | undefined;
  readonly incoming: readonly IncomingPlan[];
  /** What is deleted along with a row. */
  readonly removals: readonly Removal[];
}

/** Columns besides the attributes that publishing copies from the draft. */
const FOLLOWED = ['updated_at', 'updated_by_id'];
/** The columns of `versionQuery`. */
export const VERSION_COLUMNS = ['id', 'locale', 'published_at', 'created_at', 'updated_at'];
const TARGET = ['id', 'document_id', 'locale', 'published_at'];
/** All types share one statement for link targets, so each selects a value in this place. */
const NO_MIME = { constant: '' } as const;

/** The plans of all models of a project. */
export class WritePlans {
  readonly index: SchemaIndex;
  readonly #catalog: Catalog;
  readonly #layout: Layout;
  /** Undefined before the first write, so that a start does not wait for it. */
  #plans: ReadonlyMap<string, WritePlan> | undefined;

  constructor(catalog: Catalog, layout: Layout) {
    this.index = new SchemaIndex(catalog);
    this.#catalog = catalog;
    this.#layout = layout;
  }

  /**
   * The plan of a model.
   *
   * @throws Error for a uid that the catalog does not have, which is a programming error.
   */
  of(uid: string): WritePlan {
    this.#plans ??= this.#planAll();
    const plan = this.#plans.get(uid);
    if (!plan) throw new Error(`there is no plan to write ${uid}`);
    return plan;
  }

  #planAll(): ReadonlyMap<string, WritePlan> {
    const sources: PlanSources = {
      layout: this.#layout,
      index: this.index,
      links: planLinks(this.#catalog, this.#layout),
      components: tablesOf(this.#catalog, this.#layout, 'components'),
      removals: planRemovals(this.#catalog, this.#layout, this.index),
    };
    const models = [...this.#catalog.contentTypes.values(), ...this.#catalog.components.values()];
    return new Map(models.map((model) => [model.uid, planModel(model, sources)]));
  }

  /** A column of links with ids of a model's rows. A link counts only if its row exists. */
  foreignKeyTo(uid: string, column: string): ForeignKey {
    return { column, table: this.of(uid).table };
  }
}

/** What the plans of all models share. */
interface PlanSources {
  readonly layout: Layout;
  readonly index: SchemaIndex;
  readonly links: ReadonlyMap<string, ModelLinks>;
  readonly components: ReadonlyMap<string, string>;
  readonly removals: ReadonlyMap<string, readonly Removal[]>;
}

function planModel(model: Model, { layout, index, links, components, removals }: PlanSources): WritePlan {
  const { uid } = model;
  const { table, columns, componentsTable } = layoutOf(layout, uid);
  const attributes = [...model.attributes.values()];
  const scalars = attributes.filter(isScalar).map((attribute): ScalarPlan => {
    return { attribute, column: columns.get(attribute.name)! };
  });
  const own = links.get(uid)!;
  const parts = attributes.filter(isParts);
  const read = index.readByConditions(model);
  return {
    model,
    table,
    scalars: new Map(scalars.map((scalar) => [scalar.attribute.name, scalar])),
    firstPublished: model.attributes.get(FIRST_PUBLISHED)?.managed ? columns.get(FIRST_PUBLISHED) : undefined,
    unique: scalars.filter(({ attribute: { unique, type } }) => unique || type === 'uid'),
    nested: attributes.filter((attribute) => isLink(attribute) || isParts(attribute)),
    ...columnLists(uid, table, scalars, index.sharedAttributes(uid)),
    ...rowQueries(uid, table, scalars),
    links: own,
    ownLinks: [...own.values()].filter(({ attribute }) => isCopied(model, attribute)),
    mayWait: [...own.values()].some(({ attribute }) => attribute.type === 'relation'),
    checkedLinks: [...own.values()].filter(({ attribute }) => attribute.required || read.has(attribute.name)),
    inverseLinks: index.inverseRelations(uid).map((attribute) => ({ ...own.get(attribute.name)!, attribute })),
    filled: planFilled(own, componentsTable),
    ties: componentsTable === undefined ? undefined : { attributes: parts, ...ties(uid, componentsTable, components) },
    incoming: planIncoming(layout, index, links, uid),
    removals: removals.get(uid)!,
  };
}

function columnLists(uid: string, table: string, scalars: readonly ScalarPlan[], sharedNames: ReadonlySet<string>) {
  const content = scalars.map(({ column }) => column);
  // a copy has no history
  const own = scalars.flatMap(({ attribute: { managed }, column }) => (managed ? [] : [column]));
  const shared = scalars.flatMap(({ attribute, column }) => (sharedNames.has(attribute.name) ? [column] : []));
  const list = (key: string, names: readonly string[]): ColumnList => ({ key: `${uid} ${key}`, table, names });
  const created = ['document_id', ...content, 'created_at', 'updated_at', 'published_at', 'locale'];
  return {
    created: list('created', created),
    authored: list('authored', [...created, 'created_by_id', 'updated_by_id']),
    content: list('content', content),
    shared: list('shared', shared),
    followed: list('followed', [...content, ...FOLLOWED]),
    copied: list('copied', ['document_id', ...content, 'created_at', 'created_by_id', 'locale', ...FOLLOWED]),
    cloned: list('cloned', [...own, 'locale', 'created_by_id', 'updated_by_id']),
  };
}

function rowQueries(uid: string, table: string, scalars: readonly ScalarPlan[]) {
  const query = (key: string, columns: readonly Selected[], by: string, order: readonly string[]): RowQuery => {
    return { key: `${uid} query ${key}`, table, columns, by: [by], order, foreignKey: undefined };
  };
  const target = [...TARGET, uid === FILE_UID ? 'mime' : NO_MIME];
  return {
    contentQuery: query('content', ['id', ...scalars.map(selectedOf)], 'id', []),
    versionQuery: query('versions', VERSION_COLUMNS, 'document_id', ['id']),
    targetQuery: query('targets', target, 'document_id', []),
  };
}

const selectedOf = ({ attribute, column }: ScalarPlan): Selected =>
  attribute.type === 'biginteger' ? { wide: column } : column;

function ties(uid: string, table: string, components: ReadonlyMap<string, string>): Omit<TiePlan, 'attributes'> {
  const byOwner: RowQuery = {
    key: `${uid} ties`,
    table,
    columns: ['id', 'entity_id', 'field', 'component_type', 'cmp_id', 'order'],
    by: ['entity_id'],
    order: ['order', 'id'],
    foreignKey: { column: 'cmp_id', type: 'component_type', tables: components },
  };
  const byField = { ...byOwner, key: `${uid} ties of field`, by: ['entity_id', 'field'] };
  const columns = { key: `${uid} ties`, table, names: ['entity_id', 'cmp_id', 'component_type', 'field', 'order'] };
  return { table, columns, byOwner, byField };
}

function isParts(attribute: { readonly type: string }): attribute is ComponentAttribute | DynamicZoneAttribute {
  return attribute.type === 'component' || attribute.type === 'dynamiczone';
}

/**
 * Whether publishing copies the links of an attribute unchanged. The inverse side of a two-sided relation has rules of
 * its own (content/publication/other-sides.ts).
 */
export function isCopied(model: Model, attribute: RelationAttribute | MediaAttribute): boolean {
  return attribute.type === 'media' || attribute.owner || model.modelType === 'component';
}
