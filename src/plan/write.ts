/**
 * What writing rows of a model takes: which columns, links, components and copies. It follows from the schema alone and is
 * worked out once, when a project is made; how many statements a write is follows from it.
 */
import { isScalar } from '../access/fields.ts';
import type {
  Catalog,
  ComponentAttribute,
  DynamicZoneAttribute,
  MediaAttribute,
  Model,
  RelationAttribute,
  ScalarAttribute,
} from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { SchemaIndex } from '../schema/schema-index.ts';
import { type Leads, tablesOf } from './leads.ts';
import { type LinkPlace, linkPlace } from './link-place.ts';
import { planRemovals, type Removal } from './removals.ts';

export interface ScalarPlan {
  readonly attribute: ScalarAttribute;
  readonly column: string;
}

/** Links of an attribute, and where they are kept. */
export interface LinkPlan<Attribute = RelationAttribute | MediaAttribute> {
  readonly attribute: Attribute;
  readonly place: LinkPlace;
}

/** A relation that may lead to rows of a model, from the side that holds its links. */
export interface IncomingPlan extends LinkPlan<RelationAttribute> {
  readonly model: Model;
  readonly place: Exclude<LinkPlace, { kind: 'inverse' }>;
}

/** The table that ties components to rows of a model. */
export interface TiePlan {
  readonly table: string;
  readonly attributes: readonly (ComponentAttribute | DynamicZoneAttribute)[];
  /** What ties must lead to, to count. */
  readonly leads: Leads;
}

export interface WritePlan {
  readonly model: Model;
  readonly table: string;
  readonly scalars: ReadonlyMap<string, ScalarPlan>;
  /** Relations and media. */
  readonly links: ReadonlyMap<string, LinkPlan>;
  /** Those of them that are copied with a row: links at the other side have rules of their own. */
  readonly ownLinks: readonly LinkPlan[];
  /** Relations whose links the other side holds. */
  readonly inverseLinks: readonly LinkPlan<RelationAttribute>[];
  /** Undefined for models without components. */
  readonly ties: TiePlan | undefined;
  readonly incoming: readonly IncomingPlan[];
  /** What goes with a row that is removed. */
  readonly removals: readonly Removal[];
}

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
        const plans = attributes.map((attribute) => ({ attribute, place: linkPlace(places, model, attribute) }));
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
      const leads = { column: 'cmp_id', type: 'component_type', tables: components };
      return {
        model,
        table,
        scalars: new Map(
          scalars.map((attribute) => [attribute.name, { attribute, column: columns.get(attribute.name)! }]),
        ),
        links: own,
        ownLinks: [...own.values()].filter(({ attribute }) => isCopied(model, attribute)),
        inverseLinks: this.index
          .inverseRelations(uid)
          .map((attribute) => ({ attribute, place: own.get(attribute.name)!.place })),
        ties:
          componentsTable === undefined
            ? undefined
            : { table: componentsTable, attributes: attributes.filter(isParts), leads },
        incoming: this.index.incoming(uid).flatMap(({ model: from, attribute }) => {
          const { place } = links.get(from.uid)!.get(attribute.name)!;
          return place.kind === 'inverse' ? [] : [{ model: from, attribute, place }];
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

/** Columns of the scalar attributes; `only` restricts them to some attributes. */
export function contentColumns({ scalars }: WritePlan, only?: ReadonlySet<string>): string[] {
  return [...scalars.values()].flatMap(({ attribute, column }) => (!only || only.has(attribute.name) ? [column] : []));
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
