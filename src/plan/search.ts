/**
 * Which rows an index of trigrams has to be asked for: candidates, among which are all rows that meet a condition. The
 * condition itself is tested as well, so an index only has to leave no row out.
 */
import type { Operator } from '../query/content-query.ts';
import type {
  Candidates,
  IndexSearch,
  PlanCondition,
  ReadPlan,
  SearchIndex,
  SearchIndexes,
  SlotKind,
} from './read-plan.ts';

/** Slots of what indexes are asked are those of the pieces of text themselves, this far behind. */
const BEHIND = 2 ** 20;

/** Slots of the words by which JSON is narrowed are those of the pieces of text, this far behind. */
const WORDS_BEHIND = 2 * BEHIND;

/** The slot of the longest word of a piece of text. */
export const wordSlot = (slot: number): number => slot + WORDS_BEHIND;

/** The slot whose value the value of a slot is made from. */
export const sourceOf = (slot: number): number => (slot >= BEHIND ? slot % BEHIND : slot);

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
 * The candidates of a condition on rows of a table; undefined where indexes cannot narrow it: tests of other kinds,
 * negations, related rows, and alternatives of which one is not served. Of a conjunction one served part suffices.
 *
 * @param kinds gets what the slots of the candidates take.
 */
export function planIndexSearch(
  condition: PlanCondition | undefined,
  table: string,
  indexes: SearchIndexes | undefined,
  kinds: Map<number, SlotKind>,
): IndexSearch | undefined {
  if (!condition || !indexes) return undefined;
  const { version } = indexes;
  const known = indexes.of(table);
  const candidates = known.length > 0 ? candidatesOf(condition, known) : undefined;
  if (!candidates) return undefined;
  for (const { slot, folded } of piecesOf(candidates)) {
    kinds.set(slot, { kind: 'search', folded, isWord: slot - BEHIND >= WORDS_BEHIND });
  }
  return { candidates, version };
}

function candidatesOf(condition: PlanCondition, indexes: readonly SearchIndex[]): Candidates | undefined {
  if (condition.kind === 'test') {
    const { column, type, operator, slots, outcome, inside } = condition;
    const folded = SERVED[operator];
    const index = indexes.find(({ columns }) => columns.includes(column));
    if (folded === undefined || inside || !index || outcome !== 'true') return undefined;
    return { kind: 'piece', index, column, type, slot: slots[0]! + BEHIND, folded };
  }
  if (condition.kind !== 'and' && condition.kind !== 'or') return undefined;
  const { kind } = condition;
  const items = condition.items.map((item) => candidatesOf(item, indexes));
  const served = items.filter((item) => item !== undefined);
  if (served.length === 0 || (kind === 'or' && served.length < items.length)) return undefined;
  return served.length === 1 ? served[0] : { kind, items: served };
}

/** A piece of text that an index would be asked for. */
export interface SearchedPiece {
  /** The slot of the piece itself. */
  readonly slot: number;
  readonly folded: boolean;
}

/**
 * The pieces of text that a list would be searched by if there were a search index of some columns of its table; undefined
 * where none could narrow it.
 */
export function searchedPieces(
  { where, table }: Pick<ReadPlan, 'where' | 'table'>,
  columns: readonly string[],
): readonly SearchedPiece[] | undefined {
  const imagined = { version: 0, of: () => [{ name: '', table, columns }] };
  const search = planIndexSearch(where, table, imagined, new Map());
  return search && piecesOf(search.candidates).map(({ slot, folded }) => ({ slot: sourceOf(slot), folded }));
}

/** All pieces of text that candidates are found by. */
export function piecesOf(candidates: Candidates): readonly Extract<Candidates, { kind: 'piece' }>[] {
  return candidates.kind === 'piece' ? [candidates] : candidates.items.flatMap(piecesOf);
}
