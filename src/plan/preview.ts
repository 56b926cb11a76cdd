/**
 * The state of the tables after a release has run, by which `?release=` answers (docs/reference/releases.md). Reads keep
 * their plans; the tables that they name are replaced by what would be stored in them:
 *
 * - **Rows.** The row that stands for a version is the draft if the release publishes it, under the id of the published
 *   row or, for a first publication, under an id behind all others; none, if the release unpublishes it; otherwise the
 *   published row, with the shared attributes of a locale that the release publishes.
 * - **Links.** A row that is taken from a draft has the links of the draft. Each leads to the row that stands for its
 *   target, and is missing if there is none. An edit that another document's draft has made of a two-sided relation
 *   waits for that document. Links that wait for a document exist once the release publishes it.
 * - **Components and files** of a row that is taken from a draft are those of the draft.
 *
 * `content/publication` writes by the same rules; `test/feature/releases` compares the two.
 */
import type { Catalog } from '../schema/catalog.ts';
import {
  type ContentType,
  FIRST_PUBLISHED,
  isScalar,
  type Model,
  modelOf,
  type RelationAttribute,
} from '../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf } from '../schema/layout/layout.ts';
import { isExclusive, isToOne } from './link-place.ts';

/** The slots of a preview: the id of the release, the present, and the code of the default locale. */
export interface ReleaseSlots {
  readonly release: number;
  readonly now: number;
  readonly locale: number;
}

/** A type with drafts. */
export interface PreviewType {
  readonly uid: string;
  readonly table: string;
  readonly localized: boolean;
  readonly single: boolean;
  /** Whether its locales share attributes. */
  readonly shares: boolean;
}

/** One end of a relation. */
export interface PreviewEnd {
  readonly uid: string;
  readonly isComponent: boolean;
  /** Undefined for components and for types without drafts. */
  readonly type: PreviewType | undefined;
}

/** The links of one attribute to one type. */
export interface PreviewRelation {
  readonly attribute: string;
  readonly from: PreviewEnd;
  readonly to: PreviewEnd;
  /** Whether documents of the target show the links too; for polymorphic links: the attributes that show them. */
  readonly isTwoSided: boolean;
  readonly shownAs: readonly string[] | undefined;
  /** Whether a source has one target at most, and a target one source. */
  readonly oneTarget: boolean;
  readonly oneSource: boolean;
}

/** A table of links, or columns of rows that link another row each. */
export interface PreviewLinks {
  readonly kind: 'links';
  readonly table: string;
  /** Whether the links are columns of the sources' own rows. */
  readonly isColumn: boolean;
  readonly source: string;
  readonly target: string;
  readonly order: string | null;
  readonly inverseOrder: string | null;
  /** The columns of the target's uid and of the attribute, where links lead to any type. */
  readonly any: { readonly type: string; readonly field: string | undefined } | undefined;
  readonly relations: readonly PreviewRelation[];
}

/** A replaced table. */
export type PreviewTable =
  | {
      readonly kind: 'rows';
      readonly table: string;
      /** Undefined: a table without drafts whose rows link documents that have them. */
      readonly type: PreviewType | undefined;
      readonly columns: readonly string[];
      /** The links that columns hold. */
      readonly links: readonly PreviewLinks[];
      /** The columns that all locales share. */
      readonly shared: readonly string[];
      readonly firstPublished: string | undefined;
    }
  /** Components of rows; `shared`: the attributes that all locales share. */
  | {
      readonly kind: 'components';
      readonly table: string;
      readonly type: PreviewType;
      readonly shared: readonly string[];
      /** The components that rows of the type may hold. */
      readonly components: readonly string[];
    }
  | {
      readonly kind: 'files';
      readonly table: string;
      readonly types: readonly { readonly type: PreviewType; readonly shared: readonly string[] }[];
    }
  | PreviewLinks;

/** Components within components: the uid of the holder, and the table. */
export interface PreviewNesting {
  readonly uid: string;
  readonly table: string;
  /** The components that it may hold. */
  readonly components: readonly string[];
}

export interface PreviewPlan {
  readonly slots: ReleaseSlots;
  /** All types with drafts whose rows or links are read. */
  readonly types: readonly PreviewType[];
  readonly nestings: readonly PreviewNesting[];
  readonly tables: readonly PreviewTable[];
}

/** The parts of a preview by the tables that they replace. */
interface Previews {
  readonly tables: ReadonlyMap<string, PreviewTable>;
  readonly nestings: readonly PreviewNesting[];
}

const PREVIEWS = new WeakMap<Layout, Previews>();

/** Plans the preview of what a read finds. @param plan of the read: every table that it names is under a key `table`. */
export function planPreview(catalog: Catalog, layout: Layout, plan: object, slots: ReleaseSlots): PreviewPlan {
  let previews = PREVIEWS.get(layout);
  if (!previews) {
    previews = previewsOf(catalog, layout);
    PREVIEWS.set(layout, previews);
  }
  const named = tablesOf(plan);
  const isNamed = ({ to }: PreviewRelation): boolean => named.has(layoutOf(layout, to.uid).table);
  const read = (links: PreviewLinks): PreviewLinks =>
    links.any ? { ...links, relations: links.relations.filter(isNamed) } : links;
  const tables = [...named].flatMap((name): PreviewTable | readonly PreviewTable[] => {
    const table = previews.tables.get(name);
    if (!table) return [];
    switch (table.kind) {
      case 'files':
        return { ...table, types: table.types.filter(({ type }) => named.has(type.table)) };
      case 'rows':
        return { ...table, links: table.links.map(read) };
      case 'links':
        return read(table);
      default:
        return table;
    }
  });
  const types = new Map(tables.flatMap(typesOf).map((type) => [type.uid, type]));
  const nestings = previews.nestings.filter(({ table }) => named.has(table));
  return { slots, types: [...types.values()], nestings, tables };
}

function typesOf(table: PreviewTable): readonly PreviewType[] {
  switch (table.kind) {
    case 'files':
      return table.types.map(({ type }) => type);
    case 'links':
      return table.relations.flatMap(({ from, to }) => [from.type ?? [], to.type ?? []].flat());
    case 'rows':
      return [...(table.type ? [table.type] : []), ...table.links.flatMap(typesOf)];
    case 'components':
      return [table.type];
  }
}

/** The names of all tables in a plan. */
function tablesOf(plan: object): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if ('table' in value && typeof value.table === 'string') names.add(value.table);
    for (const part of value instanceof Map ? [...value].flat() : Object.values(value)) visit(part);
  };
  visit(plan);
  return names;
}

function previewsOf(catalog: Catalog, layout: Layout): Previews {
  const tables = new Map<string, PreviewTable>();
  const nestings: PreviewNesting[] = [];
  const drafted = [...catalog.contentTypes.values()].filter((type) => type.draftAndPublish);
  const types = new Map(drafted.map((type) => [type.uid, previewType(layout, type)]));
  const files: { type: PreviewType; shared: readonly string[] }[] = [];
  for (const model of [...catalog.contentTypes.values(), ...catalog.components.values()]) {
    const columns: PreviewLinks[] = [];
    for (const attribute of model.attributes.values()) {
      if (attribute.type !== 'relation' || !attribute.owner) continue;
      const links = linksOf(catalog, layout, types, model, attribute);
      if (links?.isColumn) columns.push(links);
      else if (links) tables.set(links.table, links);
    }
    const { table, columns: own, componentsTable } = layoutOf(layout, model.uid);
    const type = types.get(model.uid);
    const all = [...model.attributes.values()];
    const shared = model.modelType === 'contentType' ? all.filter((attribute) => isShared(model, attribute)) : [];
    if (type || columns.length > 0) {
      tables.set(table, {
        ...{ kind: 'rows', table, type, links: columns },
        columns: layout.tables.find(({ name }) => name === table)!.columns.map(({ name }) => name),
        shared: shared.filter(isScalar).map(({ name }) => own.get(name)!),
        firstPublished: model.attributes.get(FIRST_PUBLISHED)?.managed ? own.get(FIRST_PUBLISHED) : undefined,
      });
    }
    const names = shared.map(({ name }) => name);
    if (type) files.push({ type, shared: names });
    if (componentsTable === undefined) continue;
    const components = componentsOf(model);
    if (type) {
      tables.set(componentsTable, { kind: 'components', table: componentsTable, type, shared: names, components });
    } else if (model.modelType === 'component') nestings.push({ uid: model.uid, table: componentsTable, components });
  }
  tables.set(FILES_RELATED_TABLE, { kind: 'files', table: FILES_RELATED_TABLE, types: files });
  return { tables, nestings };
}

const componentsOf = ({ attributes }: Model): readonly string[] =>
  [...attributes.values()].flatMap((attribute) => {
    if (attribute.type === 'component') return [attribute.component];
    return attribute.type === 'dynamiczone' ? attribute.components : [];
  });

function previewType(layout: Layout, type: ContentType): PreviewType {
  const { uid, localized, kind } = type;
  const shares = [...type.attributes.values()].some((attribute) => isShared(type, attribute));
  return { uid, table: layoutOf(layout, uid).table, localized, single: kind === 'singleType', shares };
}

const isShared = (type: ContentType, attribute: { readonly localized: boolean; readonly type: string }): boolean =>
  type.localized && !attribute.localized && attribute.type !== 'relation';

/** The links of a relation; undefined where no end has drafts. */
function linksOf(
  catalog: Catalog,
  layout: Layout,
  types: ReadonlyMap<string, PreviewType>,
  model: Model,
  attribute: RelationAttribute,
): PreviewLinks | undefined {
  const { name, target, inverse } = attribute;
  const { table, relations: layouts } = layoutOf(layout, model.uid);
  const relation = layouts.get(name);
  const endOf = (uid: string): PreviewEnd => {
    return { uid, isComponent: catalog.components.has(uid), type: types.get(uid) };
  };
  const from = endOf(model.uid);
  const targets = target === undefined ? [...catalog.contentTypes.keys()] : [target];
  if (!from.type && !targets.some((uid) => types.has(uid))) return undefined;
  const isTwoSided = inverse !== undefined && !from.isComponent;
  const relations = targets.map((uid): PreviewRelation => {
    const to = endOf(uid);
    if (target !== undefined) {
      const oneSource = isTwoSided && isExclusive(attribute);
      return { attribute: name, from, to, isTwoSided, shownAs: undefined, oneTarget: isToOne(attribute), oneSource };
    }
    const shownAs = [...modelOf(catalog, uid).attributes.values()].flatMap((other) => {
      const isOther = other.type === 'relation' && other.target === model.uid && other.morphBy === name;
      return isOther ? [other.name] : [];
    });
    const oneTarget = isToOne(attribute);
    return { attribute: name, from, to, isTwoSided: shownAs.length > 0, shownAs, oneTarget, oneSource: false };
  });
  const columns = { kind: 'links', order: null, inverseOrder: null, any: undefined, relations } as const;
  switch (relation?.kind) {
    case 'link':
      return { ...columns, ...relation, kind: 'links', isColumn: false };
    case 'morphTable': {
      const { table, source, id, type, field, order } = relation;
      return { ...columns, table, isColumn: false, source, target: id, order, any: { type, field } };
    }
    case 'column':
      return { ...columns, table, isColumn: true, source: 'id', target: relation.column };
    case 'morphColumns': {
      const { id, type } = relation;
      return { ...columns, table, isColumn: true, source: 'id', target: id, any: { type, field: undefined } };
    }
    default:
      return undefined;
  }
}
