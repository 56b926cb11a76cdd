/**
 * What goes with rows of a model: every link to and from them, media, and links of relations to any type that point at
 * them. As in Strapi, a document takes its component rows and every link to it along.
 */
import type { Catalog, Model } from '../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf, type RelationLayout } from '../schema/layout/layout.ts';
import { DRAFT_LINKS_TABLE, PENDING_TABLE } from '../schema/layout/table.ts';
import type { SchemaIndex } from '../schema/schema-index.ts';

/** One delete or clearing that removing rows of a model entails; `ids` go into the column of that name. */
export interface Removal {
  readonly table: string;
  readonly column: string;
  readonly fixed: Readonly<Record<string, string>>;
  /** Columns to set to null; undefined deletes the rows. */
  readonly cleared: readonly string[] | undefined;
}

/** The removals of all models, by uid. */
export function planRemovals(
  catalog: Catalog,
  layout: Layout,
  index: SchemaIndex,
): ReadonlyMap<string, readonly Removal[]> {
  const models = [...catalog.contentTypes.values(), ...catalog.components.values()];
  const removals = new Map(models.map((model) => [model.uid, alwaysRemoved(index, model)]));
  for (const owner of models) {
    const own = layoutOf(layout, owner.uid);
    for (const attribute of owner.attributes.values()) {
      const relation = attribute.type === 'relation' ? own.relations.get(attribute.name) : undefined;
      if (attribute.type !== 'relation' || !relation) continue;
      for (const [uid, removal] of removalsAt(relation, own.table, owner, attribute.target, removals.keys())) {
        // a relation may lead to a model that no schema file describes
        const known = removals.get(uid);
        const isThere = known?.some(({ table, column }) => table === removal.table && column === removal.column);
        if (!isThere) known?.push(removal);
      }
    }
  }
  return removals;
}

/** What goes with rows of a model whatever relations there are. */
function alwaysRemoved(index: SchemaIndex, model: Model): Removal[] {
  const removals: Removal[] = [
    { table: FILES_RELATED_TABLE, column: 'related_id', fixed: { related_type: model.uid }, cleared: undefined },
    { table: PENDING_TABLE, column: 'source_id', fixed: { source_type: model.uid }, cleared: undefined },
  ];
  if (model.modelType === 'contentType' && model.routed && index.isTwoSided(model.uid)) {
    for (const end of ['source', 'target', 'author']) {
      const fixed = { [`${end}_type`]: model.uid };
      removals.push({ table: DRAFT_LINKS_TABLE, column: `${end}_id`, fixed, cleared: undefined });
    }
  }
  return removals;
}

/** What one relation adds to the removals of models, by uid; `all` are the uids that a link to any type may lead to. */
function* removalsAt(
  relation: RelationLayout,
  ownTable: string,
  owner: Model,
  target: string | undefined,
  all: Iterable<string>,
): Iterable<readonly [uid: string, Removal]> {
  switch (relation.kind) {
    case 'link': {
      const { table, source, target: column } = relation;
      yield [owner.uid, { table, column: source, fixed: {}, cleared: undefined }];
      if (target !== undefined) yield [target, { table, column, fixed: {}, cleared: undefined }];
      return;
    }
    case 'column': {
      const { column } = relation;
      if (target !== undefined) yield [target, { table: ownTable, column, fixed: {}, cleared: [column] }];
      return;
    }
    case 'morphColumns': {
      const { id, type } = relation;
      for (const uid of all) yield [uid, { table: ownTable, column: id, fixed: { [type]: uid }, cleared: [id, type] }];
      return;
    }
    case 'morphTable': {
      const { table, source, id, type } = relation;
      yield [owner.uid, { table, column: source, fixed: {}, cleared: undefined }];
      for (const uid of all) yield [uid, { table, column: id, fixed: { [type]: uid }, cleared: undefined }];
    }
  }
}
