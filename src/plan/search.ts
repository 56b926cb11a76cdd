/**
 * Which rows a list has to look at: candidates, among which are all rows that meet its conditions. They are those that an
 * index of trigrams finds, and those that triggers have noted. The conditions themselves are tested as well, so nothing
 * but a row that is left out would be wrong.
 */
import type { Operator } from '../query/content-query.ts';
import type { Candidates, SearchIndex, SearchIndexes, Sought } from './candidates.ts';
import type { PlanCondition, ReadPlan, RowTest, SlotKind } from './read-plan.ts';

/** Slots of what indexes are asked are those of the pieces of text themselves, this far behind. */
const BEHIND = 2 ** 20;

/** The slot whose value the value of a slot is made from. */
export const sourceOf = (slot: number): number => (slot >= BEHIND ? slot - BEHIND : slot);

/** Operators that an index serves, and whether they compare folded text. */
const SERVED: Readonly<Partial<Record<Operator, boolean>>> = {
  $contains: false,
  $startsWith: false,
  $endsWith: false,
  $containsi: true,
  $startsWithi: true,
  $endsWithi: true,
};

/**
 * The candidates of a condition on rows of a table, and of the cohort `modified`; undefined where nothing narrows them:
 * tests of other kinds, negations, related rows, and alternatives of which one is not served. Of a conjunction one served
 * part suffices.
 *
 * @param kinds gets what the slots of the candidates take.
 */
export function planSought(
  { table, tests, where }: Pick<ReadPlan, 'table' | 'tests' | 'where'>,
  indexes: SearchIndexes | undefined,
  kinds: Map<number, SlotKind>,
): Sought | undefined {
  if (!indexes) return undefined;
  const { version } = indexes;
  const known = indexes.of(table);
  const found = where && known.length > 0 ? candidatesOf(where, known) : undefined;
  const items = [modifiedAmong(tests, table, indexes), found].filter((item) => item !== undefined);
  if (items.length === 0) return undefined;
  const candidates: Candidates = items.length === 1 ? items[0]! : { kind: 'and', items };
  for (const { slot, folded } of piecesOf(candidates)) kinds.set(slot, { kind: 'sought', folded });
  return { candidates, version };
}

function modifiedAmong(tests: readonly RowTest[], table: string, indexes: SearchIndexes): Candidates | undefined {
  const test = tests.find((each) => each.kind === 'sibling' && each.exists && each.modified === true);
  if (test?.kind !== 'sibling') return undefined;
  const pairing = test.sameLocale ? 'locale' : 'document';
  return indexes.notesModified(table, pairing)
    ? { kind: 'modified', table, pairing, published: !test.published }
    : undefined;
}

function candidatesOf(condition: PlanCondition, indexes: readonly SearchIndex[]): Candidates | undefined {
  if (condition.kind === 'test') {
    const { column, operator, slots, outcome } = condition;
    const folded = SERVED[operator];
    const index = indexes.find(({ columns }) => columns.includes(column));
    if (folded === undefined || !index || outcome !== 'true') return undefined;
    return { kind: 'piece', index, column, slot: slots[0]! + BEHIND, folded };
  }
  if (condition.kind !== 'and' && condition.kind !== 'or') return undefined;
  const { kind } = condition;
  const items = condition.items.map((item) => candidatesOf(item, indexes));
  const served = items.filter((item) => item !== undefined);
  if (served.length === 0 || (kind === 'or' && served.length < items.length)) return undefined;
  return served.length === 1 ? served[0] : { kind, items: served };
}

/** Whether candidates are among the modified rows. */
export const hasModified = (candidates: Candidates): boolean =>
  candidates.kind === 'modified' || (candidates.kind === 'and' && candidates.items.some(hasModified));

/** All pieces of text that candidates are found by. */
export function piecesOf(candidates: Candidates): readonly Extract<Candidates, { kind: 'piece' }>[] {
  if (candidates.kind === 'modified') return [];
  return candidates.kind === 'piece' ? [candidates] : candidates.items.flatMap(piecesOf);
}
