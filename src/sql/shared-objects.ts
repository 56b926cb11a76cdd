/**
 * Objects that several rows of a page share, such as the common author of articles. If lists of the author are
 * populated as well, they would be built for each article. So such objects are built once per page, in a common table,
 * and looked up there.
 */
import type { Member, ReadPlan } from '../plan/read-plan.ts';
import { Budget } from '../query/budget.ts';
import { all, type Compiler, col, tableOf } from './compiler.ts';
import { join, raw, type Sql, sql } from './fragment.ts';
import { compileCondition, reach } from './rows.ts';

type Related = Extract<Member, { kind: 'related' }>;

/** The object of a row of a member's table. */
type MakeObject = (c: Compiler, row: Sql, member: Related) => Sql;

/** Whether rows of a page may share objects that take longer to build than to look up. */
export function shares({ members, list, preview }: Pick<ReadPlan, 'members' | 'list' | 'preview'>): boolean {
  // each row searches all of them
  return !preview && list?.size === 'small' && members.some(isShareable);
}

function isShareable(member: Member): member is Related {
  return (
    member.kind === 'related' &&
    member.cardinality === 'one' &&
    member.target.step.kind === 'link' &&
    member.members.some(hasList)
  );
}

/** Whether objects are made of their own row alone. */
export const isFlat = (members: readonly Member[]): boolean =>
  members.every(({ kind }) => kind !== 'related' && kind !== 'parts');

function hasList(member: Member): boolean {
  if (member.kind !== 'related' && member.kind !== 'parts') return false;
  if (member.cardinality === 'many') return true;
  return member.kind === 'related' && member.members.some(hasList);
}

/**
 * Adds the tables of a page's shared objects.
 *
 * @param rows a table of the ids of the page's rows.
 * @returns the compiler for the objects of those rows.
 */
export function compileSharing(c: Compiler, members: readonly Member[], rows: Sql, makeObject: MakeObject): Compiler {
  const shareable = members.filter(isShareable);
  return { ...c, shared: new Map(shareable.map((member) => [member, compileTable(c, rows, member, makeObject)])) };
}

/** A table of the ids of related rows (`id`) and of their objects (`v`). */
function compileTable(c: Compiler, rows: Sql, member: Related, makeObject: MakeObject): Sql {
  const { aliases, common, dialect } = c;
  const [parent, target, row] = [aliases.next(), aliases.next(), aliases.next()];
  // the lookup of the object charges for the step
  const related = compileToOne({ ...c, budget: new Budget() }, parent, member, (reached) => col(reached, 'id'));
  const targets = sql`select distinct ${related} as "id" from ${rows} ${parent}`;
  const found = sql`from ${tableOf(c, member.target.table)} ${row} where ${col(row, 'id')} = ${col(target, 'id')}`;
  const object = sql`(select ${makeObject(c, row, member)} ${found})`;
  const objects = sql`select ${col(target, 'id')} as "id", ${object} as "v" from (${targets}) ${target}`;
  return common.add(dialect.json.collected(objects, c.longest));
}

/** The object of a related row from the table of shared objects. */
export function fromShared({ aliases, dialect, longest }: Compiler, shared: Sql, rowId: Sql): Sql {
  const one = aliases.next();
  const object = dialect.json.reused(col(one, 'v'), longest);
  return sql`(select ${object} from ${shared} ${one} where ${col(one, 'id')} = ${rowId} limit 1)`;
}

/** A value made from the row of a to-one relation; null without a row. */
export function compileToOne(c: Compiler, parent: Sql, member: Related, make: (row: Sql) => Sql): Sql {
  const { row, from, where, order } = reach(c, parent, member.target, !member.where && isFlat(member.members));
  const tests = member.where ? [...where, compileCondition(c, row, member.where)] : where;
  const first = order.length === 0 ? raw('') : sql` order by ${join(order, ', ')}`;
  return sql`(select ${make(row)} from ${from} where ${all(tests)}${first} limit 1)`;
}
