/**
 * Letters that the index folds otherwise than Galley. Text is folded by JavaScript's rules, which know more letters than
 * those of the index, and which make two letters of one here and there.
 */
import Sqlite from 'better-sqlite3';
import { fold } from '../fold.ts';
import { TOKENIZER } from './words.ts';

/** No letter beyond this plane has cases. */
const LAST = 0x1ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff };

/** What is not asked of an index, of folded text. */
export interface FoldedOtherwise {
  /** Letters that may stand for a letter which the index does not fold to the same. */
  readonly letters: ReadonlySet<string>;
  /** Two letters that may stand for one: `i` and a dot above, which `İ` becomes. */
  readonly pairs: readonly (readonly [string, string])[];
}

let known: FoldedOtherwise | undefined;

/**
 * What the index folds otherwise. It is asked for each letter that has cases, once for a process; letters without are
 * the same to everybody.
 */
export function foldedOtherwise(): FoldedOtherwise {
  known ??= ask();
  return known;
}

/** Whether a letter of a folded piece of text may stand for another one than the index takes it for. */
export function isFoldedOtherwise(piece: readonly string[], at: number): boolean {
  const { letters, pairs } = foldedOtherwise();
  const letter = piece[at]!;
  if (letters.has(letter)) return true;
  const [before, behind] = [piece[at - 1], piece[at + 1]];
  // beyond the ends of the piece there may be any letter
  return pairs.some(
    ([first, second]) =>
      (letter === first && (behind === undefined || behind === second)) ||
      (letter === second && (before === undefined || before === first)),
  );
}

/** A letter, and what it is folded to. */
type Fold = readonly [letter: string, folded: string];

function ask(): FoldedOtherwise {
  const letters = new Set<string>();
  const double: [string, string][] = [];
  const single: Fold[] = [];
  for (const [letter, folded] of folds()) {
    const [first, second, ...rest] = [...folded];
    if (second === undefined) single.push([letter, folded]);
    else if (rest.length === 0) double.push([first!, second]);
    else for (const part of folded) letters.add(part);
  }
  const connection = new Sqlite(':memory:');
  try {
    connection.exec(`create virtual table letters using fts5(text, detail = none, tokenize = '${TOKENIZER}')`);
    const insert = connection.prepare('insert into letters (rowid, text) values (?, ?)');
    const find = connection.prepare<[string], number>('select rowid from letters where letters match ?').pluck();
    connection.transaction(() => {
      for (const [row, [letter]] of single.entries()) insert.run(row, letter.repeat(3));
    })();
    const found = new Map<string, ReadonlySet<number>>();
    for (const [row, [, folded]] of single.entries()) {
      let rows = found.get(folded);
      if (!rows) {
        rows = new Set(find.all(`"${folded.repeat(3)}"`));
        found.set(folded, rows);
      }
      if (!rows.has(row)) letters.add(folded);
    }
  } finally {
    connection.close();
  }
  return { letters, pairs: double };
}

/** Every letter that folding changes. */
function* folds(): Generator<Fold> {
  for (let code = 1; code <= LAST; code++) {
    if (code === SURROGATES.first) code = SURROGATES.last + 1;
    const letter = String.fromCodePoint(code);
    const folded = fold(letter);
    if (folded !== letter) yield [letter, folded];
  }
}
