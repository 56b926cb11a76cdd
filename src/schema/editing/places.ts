/** Where the database holds the content of attributes, and which content a changed schema finds again. */
import type { Attribute, Catalog, Model } from '../catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf } from '../layout/layout.ts';
import type { RelationLayout } from '../layout/relation-layout.ts';
import type { ColumnDefinition, ColumnType } from '../layout/table.ts';

/** A version of all schemas. */
export interface SchemaVersion {
  readonly catalog: Catalog;
  readonly layout: Layout;
}

/** What a change has renamed: former names by new ones. */
export interface FormerNames {
  /** Uids. */
  readonly types: ReadonlyMap<string, string>;
  /** Attributes by the new uid of their type. */
  readonly attributes: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export type Place =
  | { readonly kind: 'column'; readonly table: string; readonly column: string; readonly type: ColumnType }
  /** Rows of a table that links components, by the name of the attribute. */
  | { readonly kind: 'components'; readonly table: string; readonly field: string }
  | { readonly kind: 'files'; readonly table: string; readonly uid: string; readonly field: string }
  /** A table of links; `source` contains ids of the attribute's rows. */
  | {
      readonly kind: 'links';
      readonly table: string;
      readonly source: string;
      /** The columns, in a fixed order; null where there is none. */
      readonly columns: readonly (string | null)[];
      /** The uid of the type that it links; undefined for any. */
      readonly target: string | undefined;
    }
  | {
      readonly kind: 'link column';
      readonly table: string;
      readonly columns: readonly string[];
      readonly target: string | undefined;
    };

/** The former uid of a type. */
export const formerUid = (names: FormerNames, uid: string): string => names.types.get(uid) ?? uid;

/** The former name of an attribute of a type with a new uid. */
export const formerName = (names: FormerNames, uid: string, name: string): string =>
  names.attributes.get(uid)?.get(name) ?? name;

export const modelIn = ({ catalog }: SchemaVersion, uid: string): Model | undefined =>
  catalog.contentTypes.get(uid) ?? catalog.components.get(uid);

/** The place of an attribute; undefined for a relation whose links belong to another type. */
export function placeOf(version: SchemaVersion, model: Model, attribute: Attribute): Place | undefined {
  const layout = layoutOf(version.layout, model.uid);
  const { table } = layout;
  switch (attribute.type) {
    case 'component':
    case 'dynamiczone':
      return { kind: 'components', table: layout.componentsTable!, field: attribute.name };
    case 'media':
      return { kind: 'files', table: FILES_RELATED_TABLE, uid: model.uid, field: attribute.name };
    case 'relation': {
      const relation = layout.relations.get(attribute.name);
      return attribute.owner && relation ? linkPlace(relation, table, attribute.target) : undefined;
    }
    default: {
      const column = layout.columns.get(attribute.name)!;
      return { kind: 'column', table, column, type: columnIn(version.layout, table, column).type };
    }
  }
}

/** The definition of a column in a layout, in which several tables may have one name by mistake. */
export function columnIn({ tables }: Layout, table: string, column: string): ColumnDefinition {
  const columns = tables.flatMap(({ name, columns }) => (name === table ? columns : []));
  return columns.find(({ name }) => name === column)!;
}

function linkPlace(relation: RelationLayout, table: string, target: string | undefined): Place | undefined {
  switch (relation.kind) {
    case 'link': {
      const { source, order, inverseOrder } = relation;
      return {
        kind: 'links',
        table: relation.table,
        source,
        columns: [source, relation.target, order, inverseOrder],
        target,
      };
    }
    case 'morphTable': {
      const { source, id, type, order } = relation;
      return { kind: 'links', table: relation.table, source, columns: [source, id, type, order], target };
    }
    case 'column':
      return { kind: 'link column', table, columns: [relation.column], target };
    case 'morphColumns':
      return { kind: 'link column', table, columns: [relation.id, relation.type], target };
    default:
      return undefined;
  }
}

/** Rows that contain a component in published versions. */
export interface ComponentOwner {
  /** The table that links them with rows of the component. */
  readonly ties: string;
  /** The uid of the component. */
  readonly component: string;
  readonly table: string;
  /** The rows around those of a component; undefined for a type, whose published rows contain it. */
  readonly owners: readonly ComponentOwner[] | undefined;
}

/** The published rows that may contain a component. @param above components that contain it. */
export function publishedOwners(
  version: SchemaVersion,
  component: string,
  above: readonly string[] = [],
): ComponentOwner[] {
  const { contentTypes, components } = version.catalog;
  const inside = [...above, component];
  return [...contentTypes.values(), ...components.values()].flatMap((model): ComponentOwner[] => {
    const isOwner = [...model.attributes.values()].some((attribute) => componentsOf(attribute).includes(component));
    if (!isOwner || inside.includes(model.uid)) return [];
    const { table, componentsTable } = layoutOf(version.layout, model.uid);
    const owner = { ties: componentsTable!, component, table };
    if (model.modelType === 'contentType') return model.draftAndPublish ? [{ ...owner, owners: undefined }] : [];
    const owners = publishedOwners(version, model.uid, inside);
    return owners.length > 0 ? [{ ...owner, owners }] : [];
  });
}

/** The uids of the components that an attribute may contain. */
export function componentsOf(attribute: Attribute): readonly string[] {
  if (attribute.type === 'component') return [attribute.component];
  return attribute.type === 'dynamiczone' ? attribute.components : [];
}

/** An attribute before and after a change. */
export interface AttributePair {
  readonly model: Model;
  readonly former: Model;
  readonly attribute: Attribute;
  readonly formerAttribute: Attribute;
  readonly place: Place | undefined;
  readonly formerPlace: Place | undefined;
}

/** The attributes that both versions have, renamed ones included. */
export function keptAttributes(before: SchemaVersion, after: SchemaVersion, names: FormerNames): AttributePair[] {
  const models = [...after.catalog.contentTypes.values(), ...after.catalog.components.values()];
  return models.flatMap((model) => {
    const former = modelIn(before, formerUid(names, model.uid));
    if (!former) return [];
    return [...model.attributes.values()].flatMap((attribute) => {
      const formerAttribute = former.attributes.get(formerName(names, model.uid, attribute.name));
      if (!formerAttribute) return [];
      const place = placeOf(after, model, attribute);
      const formerPlace = placeOf(before, former, formerAttribute);
      return [{ model, former, attribute, formerAttribute, place, formerPlace }];
    });
  });
}

/** Whether the content at one place is content at another: at once, or after a conversion of its values. */
export function isCarried(before: Place, after: Place, names: FormerNames): boolean {
  switch (before.kind) {
    case 'column':
      return after.kind === 'column' && (before.type === after.type || isConverted(before.type, after.type));
    case 'links':
      // the order of a list may come and go
      return (
        after.kind === 'links' && isSameTarget(before, after, names) && before.columns.length === after.columns.length
      );
    case 'link column':
      return after.kind === 'link column' && isSameTarget(before, after, names);
    default:
      return before.kind === after.kind;
  }
}

function isSameTarget(
  before: { readonly target: string | undefined },
  after: { readonly target: string | undefined },
  names: FormerNames,
): boolean {
  return (after.target === undefined ? undefined : formerUid(names, after.target)) === before.target;
}

const WIDER: Partial<Readonly<Record<ColumnType, readonly ColumnType[]>>> = {
  string: ['text'],
  integer: ['biginteger', 'float', 'double', 'decimal', 'string', 'text'],
  biginteger: ['string', 'text'],
  float: ['double'],
  boolean: [],
};

/** Whether every value of a column type has an equal one of another type. */
const isConverted = (from: ColumnType, to: ColumnType): boolean => WIDER[from]?.includes(to) ?? false;
