/**
 * Narrows a condition to the candidates that trigram indexes find. Candidates include all rows that meet the condition.
 * The statement tests the condition as well, so an index must only not miss a row.
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

/** The slot of an index query is the slot of its piece of text plus this number. */
const BEHIND = 2 ** 20;

/** The slot of the longest word of a piece of text, which narrows JSON, is the slot of the piece plus this number. */
const WORDS_BEHIND = 2 * BEHIND;

/** The slot of the longest word of a piece of text. */
export const wordSlot = (slot: number): number => slot + WORDS_BEHIND;

/** The slot from whose value the value of a slot is derived. */
export const sourceOf = (slot: number): number => (slot >= BEHIND ? slot % BEHIND : slot);

/** Operators that an index serves; the value says whether they compare folded text. */
const SERVED: Readonly<Partial<Record<Operator, boolean>>> = {
  $contains: false,
  $startsWith: false,
  $endsWith: false,
  $containsi: true,
  $startsWithi: true,
  $endsWithi: true,
};

/**
 * The candidates of a condition on rows of a table; undefined if indexes cannot narrow it: tests of other kinds,
 * negations, related rows, and alternatives of which one is not served. One served part of a conjunction suffices.
 *
 * @param kinds receives the kinds of the candidates' slots.
 */
export function planIndexSearch(
  condition: PlanCondition | undefined,
  table: string,
  indexes: SearchIndexes | undefined,
  kinds: Map<number, SlotKind>,
): IndexSearch | undefined {
  if (!condition || !indexes) return undefined;
  const { version } = indexes;
  const available = indexes.of(table);
  const candidates = available.length > 0 ? candidatesOf(condition, available) : undefined;
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

/** A piece of text that an index would be queried for. */
export interface SearchedPiece {
  readonly slot: number;
  readonly folded: boolean;
}

/**
 * The pieces of text by which a list would be searched if its table had a search index of some columns; undefined if
 * such an index could not narrow it.
 */
export function searchedPieces(
  { where, table }: Pick<ReadPlan, 'where' | 'table'>,
  columns: readonly string[],
): readonly SearchedPiece[] | undefined {
  const imagined = { version: 0, of: () => [{ name: '', table, columns }] };
  const search = planIndexSearch(where, table, imagined, new Map());
  return search && piecesOf(search.candidates).map(({ slot, folded }) => ({ slot: sourceOf(slot), folded }));
}

/** All pieces of text of candidates. */
function piecesOf(candidates: Candidates): readonly Extract<Candidates, { kind: 'piece' }>[] {
  return candidates.kind === 'piece' ? [candidates] : candidates.items.flatMap(piecesOf);
}
