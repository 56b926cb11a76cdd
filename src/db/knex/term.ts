/** The time of a migration's transaction, outside of which none of its statements runs. */

export class Term {
  #until: number | undefined;

  /** @param limit milliseconds. */
  begin(limit: number): void {
    this.#until = performance.now() + limit;
  }

  /** From here on the connection is not the migration's: what it has not waited for would not be in its transaction. */
  end(): void {
    this.#until = undefined;
  }

  /** @throws Error for a statement that comes too late, or would end the transaction. */
  admit(text: string): void {
    if (this.#until === undefined) throw new Error('the migration has ended, and did not wait for this statement');
    if (performance.now() > this.#until) throw late();
    if (endsTransaction(text)) {
      throw new Error('a migration is a transaction already: leave out begin, commit and rollback');
    }
  }
}

/** Time is over. */
export function late(): Error {
  return new Error('it has taken longer than a migration may take');
}

/** A statement that may rename tables and columns, or drop them. */
export const CHANGES_TABLES = /\b(?:alter|drop)\s+table\b/i;

const COMMENTS_AND_TEXTS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([a-z_]\w*)?\$[\s\S]*?\$\1\$/gi;
/** At the beginning of a statement; a savepoint may be rolled back to. */
const ENDS =
  /(?:^|;)\s*(?:begin|start\s+transaction|commit|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;
/** `end` is the same as `commit`, and ends the body of a trigger or a function. */
const END = /(?:^|;)\s*end\b/i;
const WITH_BODY = /\bcreate\b[^;]*\b(?:trigger|function|procedure)\b/i;

function endsTransaction(text: string): boolean {
  const words = text.replaceAll(COMMENTS_AND_TEXTS, ' ');
  return ENDS.test(words) || (END.test(words) && !WITH_BODY.test(words));
}
