/** Lists whose order is not kept: places that are missing or duplicated. */
import type { Row } from '../../db/queryable.ts';
import { type Model, modelOf } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, layoutOf } from '../../schema/layout/layout.ts';
import { id, join, literal, raw, type Sql, sql } from '../../sql/fragment.ts';
import type { WriteContext } from '../writing/write-context.ts';
import type { Check, Repair } from './check.ts';
import { modelsOf, type Subject } from './orphans.ts';

/** A table that keeps lists. */
interface Lists {
  readonly table: string;
  /** Columns whose values a list's rows share. */
  readonly keys: readonly string[];
  readonly order: string;
  /** Which rows of the table, `x`, are of such lists. */
  readonly which?: Sql;
  /** Two rows, `x` and `y`, that are never seen in one list although they share the keys. */
  readonly apart?: Sql;
}

/** Checks of the orders of to-many relations on both sides, of repeatable components, zones, and lists of media. */
export function orderChecks(subject: Subject): Check[] {
  const checks: Check[] = [];
  for (const model of modelsOf(subject)) {
    const { table, relations, componentsTable } = layoutOf(subject.layout, model.uid);
    for (const attribute of model.attributes.values()) {
      const relation = relations.get(attribute.name);
      if (attribute.type !== 'relation' || !attribute.owner || relation?.kind !== 'link') continue;
      // sets of permissions and the like have no order that anybody sees; the reference leaves them as they come
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

const isBuiltIn = (model: Model): boolean => model.modelType === 'contentType' && !model.routed;

/** The draft and the published row of one source stand in one place of the target's list; so may its locales'. */
function seenApart(model: Model, table: string, source: string): Pick<Lists, 'apart'> {
  if (model.modelType === 'component') return {};
  const { draftAndPublish, localized } = model;
  if (!draftAndPublish && !localized) return {};
  const tests: Sql[] = [];
  if (draftAndPublish) tests.push(sql`(a."published_at" is null) <> (b."published_at" is null)`);
  if (localized) tests.push(sql`a."document_id" = b."document_id"`);
  return {
    apart: sql`exists (select 1 from ${id(table)} a, ${id(table)} b
      where a."id" = x.${id(source)} and b."id" = y.${id(source)} and (${join(tests, ' or ')}))`,
  };
}

function componentChecks(model: Model, table: string): Check[] {
  const lists = [...model.attributes.values()].filter(
    (attribute) => attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable),
  );
  if (lists.length === 0) return [];
  const fields = join(
    lists.map(({ name }) => literal(name)),
    ', ',
  );
  return [orderCheck({ table, keys: ['entity_id', 'field'], order: 'order', which: sql`x."field" in (${fields})` })];
}

function mediaChecks(model: Model): Check[] {
  const lists = [...model.attributes.values()].filter((attribute) => attribute.type === 'media' && attribute.multiple);
  if (lists.length === 0) return [];
  const fields = join(
    lists.map(({ name }) => literal(name)),
    ', ',
  );
  const which = sql`x."related_type" = ${literal(model.uid)} and x."field" in (${fields})`;
  const keys = ['related_id', 'related_type', 'field'];
  return [orderCheck({ table: FILES_RELATED_TABLE, keys, order: 'order', which })];
}

function orderCheck({ table, keys, order, which = raw('1 = 1'), apart }: Lists): Check {
  const columns = ['id', ...keys, order];
  const names = join(
    columns.map((column) => sql`x.${id(column)}`),
    ', ',
  );
  const known = join(
    keys.map((key) => sql`x.${id(key)} is not null`),
    ' and ',
  );
  const shared = join(
    keys.map((key) => sql`y.${id(key)} = x.${id(key)}`),
    ' and ',
  );
  const together = apart ? sql` and not ${apart}` : raw('');
  return {
    problem: `${order} missing or duplicated`,
    table,
    columns,
    find: sql`select ${names} from ${id(table)} x where ${which} and ${known} and (x.${id(order)} is null or exists (
      select 1 from ${id(table)} y where ${shared} and y.${id(order)} = x.${id(order)} and y."id" <> x."id"${together}))`,
    repair: renumbering(table, keys, order),
  };
}

/** Numbers whole lists anew, in the order in which they are read. */
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
  return { does: 'number the list from 1 as it is read', apply };
}
