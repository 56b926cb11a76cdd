/** Where the links of a model's attributes are stored, and the queries for them that writes need. */
import type { Catalog, MediaAttribute, Model, RelationAttribute } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import type { SchemaIndex } from '../schema/schema-index.ts';
import { foreignKeyTo, tablesOf } from './foreign-key.ts';
import { type LinkPlace, linkPlace } from './link-place.ts';
import type { RowQuery } from './row-query.ts';

/** The links of an attribute: where they are stored and how they are queried. */
export interface LinkPlan<Attribute = RelationAttribute | MediaAttribute> {
  readonly attribute: Attribute;
  readonly place: LinkPlace;
  /** Selects the links by the rows that store them; undefined if the other side does. */
  readonly bySource: LinkQuery | undefined;
}

/** A query for links by rows, and the values of the columns that distinguish them from those of other attributes. */
export interface LinkQuery {
  readonly query: RowQuery;
  readonly fixed: readonly string[];
}

/** A relation whose links may point to rows of a model, from the side that stores them. */
export interface IncomingPlan extends LinkPlan<RelationAttribute> {
  readonly model: Model;
  readonly place: Exclude<LinkPlace, { kind: 'inverse' }>;
  /** Selects the links by the row that they point to. */
  readonly byTarget: LinkQuery;
}

/** The links of one model, by attribute. */
export type ModelLinks = ReadonlyMap<string, LinkPlan>;

/** The links of all models, by uid and attribute. */
export function planLinks(catalog: Catalog, layout: Layout): ReadonlyMap<string, ModelLinks> {
  const places = { layout, contentTables: tablesOf(catalog, layout, 'contentTypes') };
  const planOf = (model: Model, attribute: RelationAttribute | MediaAttribute): LinkPlan => {
    const place = linkPlace(places, model, attribute);
    return { attribute, place, bySource: queryBySource(layout, model, attribute, place) };
  };
  const models = [...catalog.contentTypes.values(), ...catalog.components.values()];
  return new Map(
    models.map((model) => {
      const links = [...model.attributes.values()].filter(isLink);
      return [model.uid, new Map(links.map((attribute) => [attribute.name, planOf(model, attribute)]))];
    }),
  );
}

/** The relations whose links may point to rows of a model. */
export function planIncoming(
  layout: Layout,
  index: SchemaIndex,
  links: ReadonlyMap<string, ModelLinks>,
  uid: string,
): IncomingPlan[] {
  return index.incoming(uid).flatMap(({ model, attribute }) => {
    const { place, bySource } = links.get(model.uid)!.get(attribute.name)!;
    if (place.kind === 'inverse' || !bySource) return [];
    return [{ model, attribute, place, bySource, byTarget: queryByTarget(layout, model, bySource, place, uid) }];
  });
}

export function isLink(attribute: { readonly type: string }): attribute is RelationAttribute | MediaAttribute {
  return attribute.type === 'relation' || attribute.type === 'media';
}

const ZERO = { constant: 0 } as const;
const EMPTY = { constant: '' } as const;

/**
 * The links of an attribute by the rows that store them: id, source, target, both orders, the target's type, other
 * fields. They are matched by the source and then by the place's fixed columns.
 */
function queryBySource(
  layout: Layout,
  model: Model,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkPlace,
): LinkQuery | undefined {
  if (place.kind === 'inverse') return undefined;
  const key = `${model.uid} links ${attribute.name}`;
  if (place.kind === 'table') {
    const { table, source, target, fixed, foreignKey } = place;
    const [extra = EMPTY] = Object.keys(place.added);
    const orders = [place.order ?? ZERO, place.inverseOrder ?? ZERO];
    const columns = ['id', source, target, ...orders, place.targetType ?? EMPTY, extra];
    const by = [source, ...Object.keys(fixed)];
    const order = place.order === null ? ['id'] : [place.order, 'id'];
    return { query: { key, table, columns, by, order, foreignKey }, fixed: Object.values(fixed) };
  }
  const [column, type, foreignKey] =
    place.kind === 'own'
      ? [place.column, EMPTY, foreignKeyTo(layout, (attribute as RelationAttribute).target!, place.column)]
      : [place.id, place.type, place.foreignKey];
  const columns = ['id', 'id', column, ZERO, ZERO, type, EMPTY];
  const { table } = layoutOf(layout, model.uid);
  return { query: { key, table, columns, by: ['id'], order: ['id'], foreignKey }, fixed: [] };
}

/** The links of another model's attribute that point to rows of this one. */
function queryByTarget(
  layout: Layout,
  from: Model,
  { query, fixed }: LinkQuery,
  place: IncomingPlan['place'],
  uid: string,
): LinkQuery {
  const key = `${query.key} to ${uid}`;
  if (place.kind !== 'table') {
    const by = place.kind === 'own' ? [place.column] : [place.id, place.type];
    return { query: { ...query, key, by, foreignKey: undefined }, fixed: place.kind === 'own' ? [] : [uid] };
  }
  const typed = place.targetType === null ? [] : [place.targetType];
  const by = [place.target, ...Object.keys(place.fixed), ...typed];
  const foreignKey = foreignKeyTo(layout, from.uid, place.source);
  return { query: { ...query, key, by, foreignKey }, fixed: [...fixed, ...typed.map(() => uid)] };
}
