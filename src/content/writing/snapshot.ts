/** A stored row in the form of a written one, to hold a whole draft to the rules of publication. */

import type { WrittenComponents, WrittenEntry, WrittenRow } from '../../access/permitted-write.ts';
import type { RelationEdit, RelationEntry } from '../../query/relation-payload.ts';
import type { Model } from '../../schema/catalog.ts';
import { linkedRows } from '../links/stored-links.ts';
import { readEntries } from './components.ts';
import { model as modelNamed, type ReadContext } from './write-context.ts';

/**
 * Reads a row with its components. Of relations and media only those that are required are there: nothing else is
 * checked of them at publication.
 */
export async function readStored(context: ReadContext, model: Model, rowId: number): Promise<WrittenRow> {
  return (await readRows(context, model, [rowId])).get(rowId)!;
}

/** The same of several rows; components are read one level of nesting at a time. */
async function readRows(
  context: ReadContext,
  model: Model,
  rowIds: readonly number[],
): Promise<Map<number, WrittenRow>> {
  const plan = context.plans.of(model.uid);
  const scalars = [...plan.scalars.values()];
  const [stored, links, components] = await Promise.all([
    context.tables.find(plan.contentQuery, [rowIds]),
    requiredLinks(context, model, rowIds),
    readComponents(context, model, rowIds),
  ]);
  const rows = new Map<number, WrittenRow>();
  for (const [id, ...values] of stored) {
    const rowId = Number(id);
    const byName = new Map<string, unknown>();
    scalars.forEach(({ attribute: { name, type } }, index) => {
      const value = values[index];
      byName.set(name, type === 'biginteger' && typeof value === 'number' ? BigInt(Math.trunc(value)) : value);
    });
    rows.set(rowId, { model, scalars: byName, ...links(rowId), components: components(rowId) });
  }
  return rows;
}

/** What of the required relations and media of rows is linked. */
async function requiredLinks(
  context: ReadContext,
  model: Model,
  rowIds: readonly number[],
): Promise<(rowId: number) => Pick<WrittenRow, 'relations' | 'media'>> {
  const { requiredLinks: required } = context.plans.of(model.uid);
  const isLinked = await linkedRows(context, required, rowIds);
  return (rowId) => {
    const relations = new Map<string, RelationEdit>();
    const media = new Map<string, readonly RelationEntry[]>();
    for (const { attribute } of required) {
      const entries = isLinked(rowId, attribute.name) ? [LINKED] : [];
      if (attribute.type === 'media') media.set(attribute.name, entries);
      else relations.set(attribute.name, { kind: 'set', entries });
    }
    return { relations, media };
  };
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

async function readComponents(
  context: ReadContext,
  model: Model,
  rowIds: readonly number[],
): Promise<(rowId: number) => ReadonlyMap<string, WrittenComponents>> {
  const entries = await readEntries(context, model, rowIds);
  const ofKinds = Map.groupBy([...entries.values()].flat(), (entry) => entry.uid);
  const rows = new Map(
    await Promise.all(
      [...ofKinds].map(async ([uid, ofKind]) => {
        const ids = [...new Set(ofKind.map(({ id }) => id))];
        return [uid, await readRows(context, modelNamed(context, uid), ids)] as const;
      }),
    ),
  );
  return (rowId) => {
    const components = new Map<string, WrittenComponents>();
    for (const attribute of context.plans.of(model.uid).ties?.attributes ?? []) {
      const ofField = (entries.get(rowId) ?? []).filter(({ field }) => field === attribute.name);
      const written = ofField.map(({ uid, id }): WrittenEntry => ({ kind: 'row', id, row: rows.get(uid)!.get(id)! }));
      components.set(attribute.name, { attribute, raw: written, entries: written });
    }
    return components;
  };
}
