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

let known: ReadonlySet<string> | undefined;

/**
 * Letters of folded text that may stand for a letter which the index does not fold to the same. The index is asked for
 * each letter that has cases, once for a process; letters without are the same to everybody.
 */
export function foldedOtherwise(): ReadonlySet<string> {
  known ??= ask();
  return known;
}

/** A letter, and what it is folded to. */
type Fold = readonly [letter: string, folded: string];

function ask(): ReadonlySet<string> {
  const otherwise = new Set<string>();
  const pairs: Fold[] = [];
  for (const [letter, folded] of folds()) {
    if ([...folded].length === 1) pairs.push([letter, folded]);
    else for (const part of folded) otherwise.add(part);
  }
  const connection = new Sqlite(':memory:');
  try {
    connection.exec(`create virtual table letters using fts5(text, detail = none, tokenize = '${TOKENIZER}')`);
    const insert = connection.prepare('insert into letters (rowid, text) values (?, ?)');
    const find = connection.prepare<[string], number>('select rowid from letters where letters match ?').pluck();
    connection.transaction(() => {
      for (const [row, [letter]] of pairs.entries()) insert.run(row, letter.repeat(3));
    })();
    const found = new Map<string, ReadonlySet<number>>();
    for (const [row, [, folded]] of pairs.entries()) {
      let rows = found.get(folded);
      if (!rows) {
        rows = new Set(find.all(`"${folded.repeat(3)}"`));
        found.set(folded, rows);
      }
      if (!rows.has(row)) otherwise.add(folded);
    }
  } finally {
    connection.close();
  }
  return otherwise;
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
