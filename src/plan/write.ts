/**
 * What writing rows of a model takes: which columns, links, components and copies. It follows from the schema alone and is
 * worked out once, when a project is made; how many statements a write is follows from it.
 */
import { isScalar } from '../access/fields.ts';
import {
  type Catalog,
  type ComponentAttribute,
  type DynamicZoneAttribute,
  FILE_UID,
  FIRST_PUBLISHED,
  type MediaAttribute,
  type Model,
  type RelationAttribute,
  type ScalarAttribute,
} from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { SchemaIndex } from '../schema/schema-index.ts';
import { type ForeignKey, tablesOf } from './foreign-key.ts';
import { type IncomingPlan, isLink, type LinkPlan, type ModelLinks, planIncoming, planLinks } from './link-plan.ts';
import { planRemovals, type Removal } from './removals.ts';
import type { ColumnList, RowQuery, Selected } from './row-query.ts';

export interface ScalarPlan {
  readonly attribute: ScalarAttribute;
  readonly column: string;
}

/** The table that ties components to rows of a model. */
export interface TiePlan {
  readonly table: string;
  readonly attributes: readonly (ComponentAttribute | DynamicZoneAttribute)[];
  /** Of a new tie: the row, the component's row and uid, the attribute, the place. */
  readonly columns: ColumnList;
  /** Find the ties of rows in their order, and those of one attribute. */
  readonly byOwner: RowQuery;
  readonly byField: RowQuery;
}

export interface WritePlan {
  readonly model: Model;
  readonly table: string;
  readonly scalars: ReadonlyMap<string, ScalarPlan>;
  /** The column with the time of the first publication; undefined where there is none. */
  readonly firstPublished: string | undefined;
  /** The other attributes, which are kept in tables of their own or as ids of other rows. */
  readonly nested: readonly (RelationAttribute | MediaAttribute | ComponentAttribute | DynamicZoneAttribute)[];
  /** Scalar attributes of which no two published documents may have the same value. */
  readonly unique: readonly ScalarPlan[];
  /**
   * The columns of a new row of a document: its id, all scalar attributes, three times, the locale, and with `authored`
   * the administrator who has made it and who has changed it.
   */
  readonly created: ColumnList;
  readonly authored: ColumnList;
  /** The columns of all scalar attributes, and of those that the versions of a document share. */
  readonly content: ColumnList;
  readonly shared: ColumnList;
  /** What a published row takes from its draft, and the draft from it when it is discarded. */
  readonly followed: ColumnList;
  /** What a version's second row takes from its first when it is made. */
  readonly copied: ColumnList;
  /** What the rows of a clone take from those that they are made of. */
  readonly cloned: ColumnList;
  /** Finds ids and scalar attributes by the id; those of `biginteger` as text. */
  readonly contentQuery: RowQuery;
  /** Finds the rows of a document. */
  readonly versionQuery: RowQuery;
  /** Finds the rows of documents that are linked to. */
  readonly targetQuery: RowQuery;
  /** Relations and media. */
  readonly links: ModelLinks;
  /** Those of them that are copied with a row: links at the other side have rules of their own. */
  readonly ownLinks: readonly LinkPlan[];
  /** Whether links of its rows may wait for a publication. */
  readonly mayWait: boolean;
  /** Those whose links count when a row is validated: they must link something, or a condition reads them. */
  readonly checkedLinks: readonly LinkPlan[];
  /** Relations whose links the other side holds. */
  readonly inverseLinks: readonly LinkPlan<RelationAttribute>[];
  /** Undefined for models without components. */
  readonly ties: TiePlan | undefined;
  readonly incoming: readonly IncomingPlan[];
  /** What goes with a row that is removed. */
  readonly removals: readonly Removal[];
}

/** Columns beside the attributes that the published row takes from the draft. */
const FOLLOWED = ['updated_at', 'updated_by_id'];
const VERSION = ['id', 'locale', 'published_at', 'created_at', 'updated_at'];
const TARGET = ['id', 'document_id', 'locale', 'published_at'];
/** Targets of all types are found by one statement. */
const NO_MIME = { constant: '' } as const;

/** The plans of all models of a project. */
export class WritePlans {
  readonly index: SchemaIndex;
  readonly #catalog: Catalog;
  readonly #layout: Layout;
  /** Undefined before the first write: a start need not wait for them. */
  #plans: ReadonlyMap<string, WritePlan> | undefined;

  constructor(catalog: Catalog, layout: Layout) {
    this.index = new SchemaIndex(catalog);
    this.#catalog = catalog;
    this.#layout = layout;
  }

  /** The plan of a model. Throws for a uid that the catalog does not have: a programming error, not bad input. */
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

  /** A column of ties or links with the ids of a model's rows, which must be there for the tie or link to count. */
  foreignKeyTo(uid: string, column: string): ForeignKey {
    return { column, table: this.of(uid).table };
  }
}

/** What the plans of all models are made of. */
interface PlanSources {
  readonly layout: Layout;
  readonly index: SchemaIndex;
  readonly links: ReadonlyMap<string, ModelLinks>;
  /** The tables of components by uid. */
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

/** Queries for the rows themselves. */
function rowQueries(uid: string, table: string, scalars: readonly ScalarPlan[]) {
  const query = (key: string, columns: readonly Selected[], by: string, order: readonly string[]): RowQuery => {
    return { key: `${uid} query ${key}`, table, columns, by: [by], order, foreignKey: undefined };
  };
  const target = [...TARGET, uid === FILE_UID ? 'mime' : NO_MIME];
  return {
    contentQuery: query('content', ['id', ...scalars.map(selectedOf)], 'id', []),
    versionQuery: query('versions', VERSION, 'document_id', ['id']),
    targetQuery: query('targets', target, 'document_id', []),
  };
}

const selectedOf = ({ attribute, column }: ScalarPlan): Selected =>
  attribute.type === 'biginteger' ? { wide: column } : column;

/** The ties of a model's rows. */
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
 * Whether the published row of a document of a model takes over the links of an attribute as they are: the other side of a
 * two-sided relation has rules of its own (content/publication/other-sides.ts).
 */
export function isCopied(model: Model, attribute: RelationAttribute | MediaAttribute): boolean {
  return attribute.type === 'media' || attribute.owner || model.modelType === 'component';
}
