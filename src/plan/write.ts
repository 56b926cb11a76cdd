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
  type MediaAttribute,
  type Model,
  type RelationAttribute,
  type ScalarAttribute,
} from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { SchemaIndex } from '../schema/schema-index.ts';
import { type Leads, leadsTo, tablesOf } from './leads.ts';
import { type LinkPlace, linkPlace } from './link-place.ts';
import { planRemovals, type Removal } from './removals.ts';
import { linkRows, type StoredRows } from './stored-rows.ts';

export interface ScalarPlan {
  readonly attribute: ScalarAttribute;
  readonly column: string;
}

/** Links of an attribute, and where they are kept. */
export interface LinkPlan<Attribute = RelationAttribute | MediaAttribute> {
  readonly attribute: Attribute;
  readonly place: LinkPlace;
  /** The links by the rows that hold them; undefined where the other side does. */
  readonly linksFrom: StoredLinks | undefined;
}

/** Links by rows, and the values of the columns that tell them from those of other attributes. */
export interface StoredLinks {
  readonly rows: StoredRows;
  readonly fixed: readonly string[];
}

/** A relation that may lead to rows of a model, from the side that holds its links. */
export interface IncomingPlan extends LinkPlan<RelationAttribute> {
  readonly model: Model;
  readonly place: Exclude<LinkPlace, { kind: 'inverse' }>;
  /** The links by the row that they lead to. */
  readonly linksTo: StoredLinks;
}

/** The table that ties components to rows of a model. */
export interface TiePlan {
  readonly table: string;
  readonly attributes: readonly (ComponentAttribute | DynamicZoneAttribute)[];
  /** The ties of rows in their order, and those of one attribute. */
  readonly rows: StoredRows;
  readonly rowsOfField: StoredRows;
}

/** Columns of a table, copied together. */
export interface ColumnList {
  /** Tells it from all other lists of the project. */
  readonly key: string;
  readonly names: readonly string[];
}

export interface WritePlan {
  readonly model: Model;
  readonly table: string;
  readonly scalars: ReadonlyMap<string, ScalarPlan>;
  /** The other attributes, which are kept in tables of their own or as ids of other rows. */
  readonly nested: readonly (RelationAttribute | MediaAttribute | ComponentAttribute | DynamicZoneAttribute)[];
  /** The columns of all scalar attributes, and of those that the versions of a document share. */
  readonly content: ColumnList;
  readonly shared: ColumnList;
  /** What a published row takes from its draft, and the draft from it when it is discarded. */
  readonly followed: ColumnList;
  /** What a version's second row takes from its first when it is made. */
  readonly copied: ColumnList;
  /** What the rows of a clone take from those that they are made of. */
  readonly cloned: ColumnList;
  /** The id and the scalar attributes, by the id. */
  readonly stored: StoredRows;
  /** The rows of a document. */
  readonly versions: StoredRows;
  /** The rows of documents that are linked to. */
  readonly targets: StoredRows;
  /** Relations and media. */
  readonly links: ReadonlyMap<string, LinkPlan>;
  /** Those of them that are copied with a row: links at the other side have rules of their own. */
  readonly ownLinks: readonly LinkPlan[];
  /** Whether links of its rows may wait for a publication. */
  readonly mayWait: boolean;
  /** Those that must link something. */
  readonly requiredLinks: readonly LinkPlan[];
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

/** The plans of all models of a project. */
export class WritePlans {
  readonly index: SchemaIndex;
  readonly #plans: ReadonlyMap<string, WritePlan>;

  constructor(catalog: Catalog, layout: Layout) {
    this.index = new SchemaIndex(catalog);
    const models = [...catalog.contentTypes.values(), ...catalog.components.values()];
    const places = { layout, contentTables: tablesOf(catalog, layout, 'contentTypes') };
    const links = new Map(
      models.map((model) => {
        const attributes = [...model.attributes.values()].filter(isLink);
        const plans = attributes.map((attribute): LinkPlan => {
          const place = linkPlace(places, model, attribute);
          return { attribute, place, linksFrom: linksFrom(layout, model, attribute, place) };
        });
        return [model.uid, new Map(plans.map((plan) => [plan.attribute.name, plan]))];
      }),
    );
    const components = tablesOf(catalog, layout, 'components');
    const removals = planRemovals(catalog, layout, this.index);
    const plan = (model: Model): WritePlan => {
      const { uid } = model;
      const { table, columns, componentsTable } = layoutOf(layout, uid);
      const attributes = [...model.attributes.values()];
      const scalars = attributes.filter(isScalar);
      const own = links.get(uid)!;
      const ownLinks = [...own.values()].filter(({ attribute }) => isCopied(model, attribute));
      const leads = { column: 'cmp_id', type: 'component_type', tables: components };
      const content = scalars.map(({ name }) => columns.get(name)!);
      const isShared = this.index.sharedAttributes(uid);
      const shared = scalars.flatMap(({ name }) => (isShared.has(name) ? [columns.get(name)!] : []));
      const list = (key: string, names: readonly string[]): ColumnList => ({ key: `${uid} ${key}`, names });
      const rows = (key: string, names: readonly string[], by: string, order: readonly string[]): StoredRows => ({
        key: `${uid} ${key}`,
        table,
        columns: names,
        by: [by],
        order,
        leads: undefined,
      });
      return {
        model,
        table,
        scalars: new Map(
          scalars.map((attribute) => [attribute.name, { attribute, column: columns.get(attribute.name)! }]),
        ),
        nested: attributes.filter((attribute) => isLink(attribute) || isParts(attribute)),
        content: list('content', content),
        shared: list('shared', shared),
        followed: list('followed', [...content, ...FOLLOWED]),
        copied: list('copied', ['document_id', ...content, 'created_at', 'created_by_id', 'locale', ...FOLLOWED]),
        cloned: list('cloned', [...content, 'locale', 'created_by_id', 'updated_by_id']),
        stored: rows('stored', ['id', ...content], 'id', []),
        versions: rows('versions', VERSION, 'document_id', ['id']),
        targets: rows('targets', [...TARGET, ...(uid === FILE_UID ? ['mime'] : [])], 'document_id', ['id']),
        links: own,
        ownLinks,
        mayWait: [...own.values()].some(({ attribute }) => attribute.type === 'relation'),
        requiredLinks: [...own.values()].filter(({ attribute }) => attribute.required),
        inverseLinks: this.index.inverseRelations(uid).map((attribute) => ({ ...own.get(attribute.name)!, attribute })),
        ties:
          componentsTable === undefined
            ? undefined
            : { attributes: attributes.filter(isParts), ...ties(uid, componentsTable, leads) },
        incoming: this.index.incoming(uid).flatMap(({ model: from, attribute }): IncomingPlan[] => {
          const plan = links.get(from.uid)!.get(attribute.name)!;
          const { place } = plan;
          if (place.kind === 'inverse') return [];
          return [
            { ...plan, model: from, attribute, place, linksTo: linksTo(layout, from, plan.linksFrom!, place, uid) },
          ];
        }),
        removals: removals.get(uid)!,
      };
    };
    this.#plans = new Map(models.map((model) => [model.uid, plan(model)]));
  }

  /** The plan of a model. Throws for a uid that the catalog does not have: a programming error, not bad input. */
  of(uid: string): WritePlan {
    const plan = this.#plans.get(uid);
    if (!plan) throw new Error(`there is no plan to write ${uid}`);
    return plan;
  }

  /** A column of ties or links with the ids of a model's rows, which must be there for the tie or link to count. */
  leadsTo(uid: string, column: string): Leads {
    return { column, table: this.of(uid).table };
  }
}

/** The links of an attribute by the rows that hold them. */
function linksFrom(
  layout: Layout,
  model: Model,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkPlace,
): StoredLinks | undefined {
  if (place.kind === 'inverse') return undefined;
  const key = `${model.uid} links ${attribute.name}`;
  const leads =
    place.kind === 'own' ? leadsTo(layout, (attribute as RelationAttribute).target!, place.column) : undefined;
  const rows = linkRows(key, place, layoutOf(layout, model.uid).table, leads);
  return { rows, fixed: place.kind === 'table' ? Object.values(place.fixed) : [] };
}

/** The links of another model's attribute by the rows of this one that they lead to. */
function linksTo(
  layout: Layout,
  from: Model,
  { rows, fixed }: StoredLinks,
  place: IncomingPlan['place'],
  uid: string,
): StoredLinks {
  const key = `${rows.key} to ${uid}`;
  if (place.kind !== 'table') {
    const by = place.kind === 'own' ? [place.column] : [place.id, place.type];
    return { rows: { ...rows, key, by, leads: undefined }, fixed: place.kind === 'own' ? [] : [uid] };
  }
  const typed = place.targetType === null ? [] : [place.targetType];
  const by = [place.target, ...Object.keys(place.fixed), ...typed];
  const leads = leadsTo(layout, from.uid, place.source);
  return { rows: { ...rows, key, by, leads }, fixed: [...fixed, ...typed.map(() => uid)] };
}

/** The ties of a model's rows. */
function ties(uid: string, table: string, leads: Leads): Pick<TiePlan, 'table' | 'rows' | 'rowsOfField'> {
  const rows: StoredRows = {
    key: `${uid} ties`,
    table,
    columns: ['id', 'entity_id', 'field', 'component_type', 'cmp_id', 'order'],
    by: ['entity_id'],
    order: ['order', 'id'],
    leads,
  };
  return { table, rows, rowsOfField: { ...rows, key: `${uid} ties of field`, by: ['entity_id', 'field'] } };
}

function isLink(attribute: { readonly type: string }): attribute is RelationAttribute | MediaAttribute {
  return attribute.type === 'relation' || attribute.type === 'media';
}

function isParts(attribute: { readonly type: string }): attribute is ComponentAttribute | DynamicZoneAttribute {
  return attribute.type === 'component' || attribute.type === 'dynamiczone';
}

/** The other side of a two-sided relation has rules of its own (content/links/inverse-links.ts). */
function isCopied(model: Model, attribute: RelationAttribute | MediaAttribute): boolean {
  return attribute.type === 'media' || attribute.owner || model.modelType === 'component';
}
