/**
 * What is deleted along with rows of a model: every link from and to them, media, and polymorphic links to them. As in
 * Strapi, deleting a document deletes its component rows and every link to it.
 */
import type { Catalog, Model } from '../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf, type RelationLayout } from '../schema/layout/layout.ts';
import { DRAFT_LINKS_TABLE, PENDING_TABLE } from '../schema/layout/table.ts';
import type { SchemaIndex } from '../schema/schema-index.ts';

/**
 * A delete or an update to null that removing rows of a model entails. `column` is compared with the ids of the rows.
 */
export interface Removal {
  readonly table: string;
  readonly column: string;
  readonly fixed: Readonly<Record<string, string>>;
  /** Columns to set to null; undefined: the rows are deleted. */
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
        const existing = removals.get(uid);
        const isListed = existing?.some(({ table, column }) => table === removal.table && column === removal.column);
        if (!isListed) existing?.push(removal);
      }
    }
  }
  return removals;
}

/** The removals of a model that do not depend on its relations. */
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

/** The removals that one relation adds, by uid. `all` are the uids that a polymorphic link may reach. */
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
