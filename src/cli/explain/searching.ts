/** Why a read that looks for pieces of text goes without a search index, and whether one would help. */
import type { Read, ReadOrigin } from '../../db/interface/database.ts';
import type { Unserved } from '../../plan/index-advice.ts';
import { searchedPieces } from '../../plan/search.ts';
import { isSearched } from '../../schema/layout/column-types.ts';
import type { TableDefinition } from '../../schema/layout/table.ts';
import type { TextSearch } from '../../sql/dialect.ts';

export interface Searching {
  /** The columns of the listed table that contain texts, and those of them that search indexes contain. */
  readonly texts: ReadonlySet<string>;
  readonly searched: ReadonlySet<string>;
  /** Whether an index of all texts would narrow the list down, were it asked for long pieces. */
  readonly isNarrowed: boolean;
  /** The pieces of text that no index can be asked for. */
  readonly tooShort: readonly string[];
}

/** What there is to know of a read's search, on a table with search indexes of some columns. */
export function searchingOf(
  { columns }: Pick<TableDefinition, 'columns'>,
  searched: ReadonlySet<string>,
  { plan, parameters }: ReadOrigin,
  { values }: Pick<Read, 'values'>,
  { ask }: Pick<TextSearch, 'ask'>,
): Searching {
  const texts = columns.filter(({ type }) => isSearched(type)).map(({ name }) => name);
  const pieces = searchedPieces(plan, texts);
  const asked = (pieces ?? []).map(({ slot, folded }) => {
    const at = parameters.findIndex((parameter) => parameter.slot === slot);
    return { text: String(values[at] ?? ''), folded };
  });
  const tooShort = asked.filter(({ text, folded }) => ask(text, folded) === undefined).map(({ text }) => text);
  return { texts: new Set(texts), searched, isNarrowed: pieces !== undefined, tooShort: [...new Set(tooShort)] };
}

/** What would serve a part of a plan that looks for pieces of text, or why nothing would; to be put behind a sentence. */
export function remedyOf(
  { table, columns, names, isRelated }: Unserved,
  { texts, searched, isNarrowed, tooShort }: Searching,
): string {
  if (isRelated) return '; search indexes do not serve conditions on related rows';
  const others = names.filter((_, n) => !texts.has(columns[n]!));
  if (others.length > 0)
    return `; no search index serves it, as ${others.join(', ')} ${others.length > 1 ? 'are' : 'is'} not text`;
  if (!isNarrowed) return '; no search index serves it';
  if (tooShort.length > 0) {
    const pieces = tooShort.map((piece) => JSON.stringify(piece)).join(', ');
    return `; a search index cannot look up ${pieces}: that takes three letters or digits in a row`;
  }
  const lacking = columns.filter((column) => !searched.has(column));
  return lacking.length === 0 ? '' : ` (search index on ${table}: ${lacking.join(', ')})`;
}
