/** A stored row in the form of a written one, to hold a whole draft to the rules of publication. */

import { isScalar } from '../../access/fields.ts';
import type { WrittenComponents, WrittenEntry, WrittenRow } from '../../access/permitted-write.ts';
import type { RelationEdit, RelationEntry } from '../../query/relation-payload.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import { linksOf } from '../links/stored-links.ts';
import { readEntries } from './components.ts';
import { layoutOfModel, model as modelNamed, placeOf, type WriteContext } from './write-context.ts';

/**
 * Reads a row with its components. Of relations and media only those that are required are there: nothing else is
 * checked of them at publication.
 */
export async function readStored(context: WriteContext, model: Model, rowId: number): Promise<WrittenRow> {
  const layout = layoutOfModel(context, model);
  const attributes = [...model.attributes.values()];
  const scalarAttributes = attributes.filter(isScalar);
  const columns = scalarAttributes.map(({ name }) => layout.columns.get(name)!);
  const [row] = await context.tables.select(layout.table, ['id', ...columns], { id: rowId });
  const scalars = new Map<string, unknown>();
  scalarAttributes.forEach(({ name, type }, index) => {
    const value = row![index + 1];
    scalars.set(name, type === 'biginteger' && typeof value === 'number' ? BigInt(Math.trunc(value)) : value);
  });
  const relations = new Map<string, RelationEdit>();
  const media = new Map<string, readonly RelationEntry[]>();
  for (const attribute of attributes) {
    if (!attribute.required || (attribute.type !== 'relation' && attribute.type !== 'media')) continue;
    const entries = (await isLinked(context, model, rowId, attribute)) ? [LINKED] : [];
    if (attribute.type === 'media') media.set(attribute.name, entries);
    else relations.set(attribute.name, { kind: 'set', entries });
  }
  return { model, scalars, relations, media, components: await readComponents(context, model, rowId) };
}

/** Stands for whatever is linked: only that something is, counts. */
const LINKED: RelationEntry = {
  documentId: '',
  id: undefined,
  locale: undefined,
  status: undefined,
  position: { kind: 'end' },
  type: undefined,
};

/** Whether an attribute of a row links anything. */
export async function isLinked(
  context: WriteContext,
  model: Model,
  rowId: number,
  attribute: RelationAttribute | MediaAttribute,
): Promise<boolean> {
  const place = placeOf(context, model, attribute);
  if (place.kind === 'table') return (await linksOf(context, place, '', rowId)).length > 0;
  if (place.kind === 'theirs') return true;
  const { table } = layoutOfModel(context, model);
  const [column, leads] =
    place.kind === 'own'
      ? [place.column, context.plans.leadsTo((attribute as RelationAttribute).target!, place.column)]
      : [place.id, place.leads];
  return (await context.tables.select(table, [column], { id: rowId }, [], leads)).length > 0;
}

async function readComponents(
  context: WriteContext,
  model: Model,
  rowId: number,
): Promise<ReadonlyMap<string, WrittenComponents>> {
  const components = new Map<string, WrittenComponents>();
  const entries = (await readEntries(context, model, [rowId])).get(rowId) ?? [];
  for (const attribute of model.attributes.values()) {
    if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') continue;
    const rows: WrittenEntry[] = [];
    for (const { field, uid, id } of entries) {
      if (field !== attribute.name) continue;
      rows.push({ kind: 'row', id, row: await readStored(context, modelNamed(context, uid), id) });
    }
    components.set(attribute.name, { attribute, raw: rows, entries: rows });
  }
  return components;
}
