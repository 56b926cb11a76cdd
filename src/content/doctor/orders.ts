/** Lists with missing or duplicated orders. */
import type { Row } from '../../db/interface/queryable.ts';
import { type Model, modelOf } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, layoutOf } from '../../schema/layout/layout.ts';
import {
  compileComponentLists,
  compileDisordered,
  compileMediaLists,
  compileSeenApart,
  type Lists,
} from '../../sql/doctor/orders.ts';
import type { WriteContext } from '../rows/write-context.ts';
import type { Check, Repair } from './check.ts';
import { modelsOf, type Subject } from './orphans.ts';

/** Checks of the orders of to-many relations on both sides, of repeatable components, zones, and lists of media. */
export function orderChecks(subject: Subject): Check[] {
  const checks: Check[] = [];
  for (const model of modelsOf(subject)) {
    const { table, relations, componentsTable } = layoutOf(subject.layout, model.uid);
    for (const attribute of model.attributes.values()) {
      const relation = relations.get(attribute.name);
      if (attribute.type !== 'relation' || !attribute.owner || relation?.kind !== 'link') continue;
      // sets of permissions and the like are never shown in order, and the reference does not order them
      if (isBuiltIn(model) && isBuiltIn(modelOf(subject.catalog, attribute.target!))) continue;
      const { source, target, order, inverseOrder } = relation;
      if (order !== null) checks.push(orderCheck({ table: relation.table, keys: [source], order }));
      if (inverseOrder !== null) {
        const apart = seenApart(model, table, source);
        checks.push(orderCheck({ table: relation.table, keys: [target], order: inverseOrder, ...apart }));
      }
    }
    if (componentsTable !== undefined) checks.push(...componentChecks(model, componentsTable));
    checks.push(...mediaChecks(model));
  }
  return checks;
}

const isBuiltIn = (model: Model): boolean => model.modelType === 'contentType' && model.builtIn;

/** The draft and the published row of one source share a place in the target's list, and so may its locales. */
function seenApart(model: Model, table: string, source: string): Pick<Lists, 'apart'> {
  if (model.modelType === 'component') return {};
  const { draftAndPublish, localized } = model;
  if (!draftAndPublish && !localized) return {};
  return { apart: compileSeenApart(table, source, draftAndPublish, localized) };
}

function componentChecks(model: Model, table: string): Check[] {
  const lists = [...model.attributes.values()].filter(
    (attribute) => attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable),
  );
  if (lists.length === 0) return [];
  const which = compileComponentLists(lists.map(({ name }) => name));
  return [orderCheck({ table, keys: ['entity_id', 'field'], order: 'order', which })];
}

function mediaChecks(model: Model): Check[] {
  const lists = [...model.attributes.values()].filter((attribute) => attribute.type === 'media' && attribute.multiple);
  if (lists.length === 0) return [];
  const fields = lists.map(({ name }) => name);
  const which = compileMediaLists(model.uid, fields);
  const keys = ['related_id', 'related_type', 'field'];
  return [orderCheck({ table: FILES_RELATED_TABLE, keys, order: 'order', which })];
}

function orderCheck(lists: Lists): Check {
  const { table, keys, order } = lists;
  return {
    kind: 'order',
    problem: `${order} missing or duplicated`,
    table,
    columns: ['id', ...keys, order],
    find: compileDisordered(lists),
    repair: renumbering(table, keys, order),
  };
}

/** Renumbers whole lists in the order in which they are read. */
function renumbering(table: string, keys: readonly string[], order: string): Repair {
  const apply = async ({ tables }: WriteContext, rows: readonly Row[]): Promise<void> => {
    const lists = new Map(rows.map((row) => [JSON.stringify(row.slice(1, -1)), row.slice(1, -1)]));
    for (const list of lists.values()) {
      const match = Object.fromEntries(keys.map((key, index) => [key, list[index] as string | number]));
      const members = await tables.select(table, ['id', order], match, [order, 'id']);
      for (const [index, [member, place]] of members.entries()) {
        if (place === null || Number(place) !== index + 1) {
          await tables.update(table, new Map([[order, index + 1]]), { id: Number(member) });
        }
      }
    }
  };
  return { does: 'renumber the list in the order in which it is read', apply };
}
