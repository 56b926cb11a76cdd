/**
 * What goes with rows of a model: every link to and from them, media, and links of relations to any type that point at
 * them (behaviour-writes.md: "Deleting a document deletes its component rows and every link to it").
 */
import type { Catalog, Model } from '../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf, type RelationLayout } from '../schema/layout/layout.ts';
import { DRAFT_LINKS_TABLE, PENDING_TABLE } from '../schema/layout/own-tables.ts';
import type { SchemaIndex } from '../schema/schema-index.ts';

/** One delete or clearing that removing rows of a model entails; `ids` go into the column of that name. */
export interface Removal {
  readonly table: string;
  readonly column: string;
  readonly fixed: Readonly<Record<string, string>>;
  /** Columns to set to null; undefined deletes the rows. */
  readonly cleared: readonly string[] | undefined;
}

/** The removals of a model. */
export function planRemovals(catalog: Catalog, layout: Layout, index: SchemaIndex, model: Model): Removal[] {
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
  const add = (removal: Removal) => {
    if (!removals.some(({ table, column }) => table === removal.table && column === removal.column)) {
      removals.push(removal);
    }
  };
  for (const owner of [...catalog.contentTypes.values(), ...catalog.components.values()]) {
    const own = layoutOf(layout, owner.uid);
    for (const attribute of owner.attributes.values()) {
      if (attribute.type !== 'relation') continue;
      const relation = own.relations.get(attribute.name);
      if (relation) for (const removal of removalsAt(relation, own.table, owner, attribute.target, model)) add(removal);
    }
  }
  return removals;
}

function removalsAt(
  relation: RelationLayout,
  ownTable: string,
  owner: Model,
  target: string | undefined,
  model: Model,
): Removal[] {
  const removals: Removal[] = [];
  switch (relation.kind) {
    case 'link': {
      const { table, source, target: column } = relation;
      if (owner.uid === model.uid) removals.push({ table, column: source, fixed: {}, cleared: undefined });
      if (target === model.uid) removals.push({ table, column, fixed: {}, cleared: undefined });
      return removals;
    }
    case 'column':
      if (target === model.uid) {
        removals.push({ table: ownTable, column: relation.column, fixed: {}, cleared: [relation.column] });
      }
      return removals;
    case 'morphColumns': {
      const { id, type } = relation;
      return [{ table: ownTable, column: id, fixed: { [type]: model.uid }, cleared: [id, type] }];
    }
    case 'morphTable': {
      const { table, source, id, type } = relation;
      if (owner.uid === model.uid) removals.push({ table, column: source, fixed: {}, cleared: undefined });
      return [...removals, { table, column: id, fixed: { [type]: model.uid }, cleared: undefined }];
    }
    default:
      return removals;
  }
}
