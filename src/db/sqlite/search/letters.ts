/**
 * Letters that the index folds differently than Galley. Galley folds text by JavaScript's rules, which cover more
 * letters than those of the index.
 */
import Sqlite from 'better-sqlite3';
import { asTaken, TOKENIZER } from './words.ts';

/** No letter beyond this plane has cases. */
const LAST = 0x1ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff };

let known: ReadonlySet<string> | undefined;

/**
 * The letters of folded text that may stand for one which the index folds differently. The index is queried for each
 * letter with cases, once per process; all rules agree on letters without cases.
 */
export function foldedOtherwise(): ReadonlySet<string> {
  known ??= ask();
  return known;
}

/** Whether the index may miss a text because of this letter of a folded piece. */
export function isFoldedOtherwise(letter: string): boolean {
  return foldedOtherwise().has(letter);
}

type Fold = readonly [letter: string, folded: string];

function ask(): ReadonlySet<string> {
  const letters = new Set<string>();
  const single: Fold[] = [];
  for (const [letter, folded] of folds()) {
    if ([...folded].length === 1) single.push([asTaken(letter), folded]);
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
  return letters;
}

function* folds(): Generator<Fold> {
  for (let code = 1; code <= LAST; code++) {
    if (code === SURROGATES.first) code = SURROGATES.last + 1;
    const letter = String.fromCodePoint(code);
    const folded = fold(letter);
    if (folded !== letter) yield [letter, folded];
  }
}

export function fold(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');
}
