/** Formats SQL for a person: one clause per line, subqueries indented. Only white space changes. */

/** Quoted texts and names, words, brackets, white space, and other characters. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_]\w*|[()]|\s+|[^\s()'"A-Za-z_]+/g;
const CLAUSES: ReadonlySet<string> = new Set(['select', 'from', 'where', 'order', 'group', 'limit', 'union']);
/** Words that begin a join. */
const JOINS: ReadonlySet<string> = new Set(['left', 'cross', 'join']);

/** Characters after which a line ends at the next comma. */
const WIDTH = 110;

/** Lines of a statement. */
export function layOutSql(statement: string): string[] {
  const layout = new SqlLayout();
  const tokens = statement.match(TOKEN) ?? [];
  for (const [index, token] of tokens.entries()) layout.take(token, tokens.slice(index + 1).find(isWord));
  return layout.end();
}

const isWord = (token: string): boolean => token.trim() !== '';

/** An open query with its current clause, or other open brackets. */
interface Frame {
  readonly isQuery: boolean;
  clause: string;
}

class SqlLayout {
  readonly #lines: string[] = [];
  readonly #frames: Frame[] = [{ isQuery: true, clause: '' }];
  #line = '';
  #before = '';
  /** Whether the line continues one that was too long. */
  #isContinued = false;
  /** Whether the next `and` is that of a `between`. */
  #isBetween = false;

  /** Adds a token. @param next the next token that is not white space. */
  take(token: string, next: string | undefined): void {
    if (!isWord(token)) {
      if (this.#line !== '') this.#line += ' ';
      return;
    }
    if (token === '(') this.#open(next === 'select' || next === 'with');
    else if (token === ')') this.#close();
    else this.#add(token);
    this.#before = token;
  }

  end(): string[] {
    this.#endLine();
    return this.#lines;
  }

  #open(isQuery: boolean): void {
    this.#write('(');
    this.#frames.push({ isQuery, clause: '' });
    if (isQuery) this.#endLine();
  }

  #close(): void {
    if (this.#frames.at(-1)!.isQuery) this.#endLine();
    this.#frames.pop();
    this.#write(')');
  }

  #add(token: string): void {
    const frame = this.#frames.at(-1)!;
    if (frame.isQuery && this.#beginsLine(token, frame)) this.#endLine();
    if (CLAUSES.has(token)) frame.clause = token;
    if (token === 'between' || token === 'and') this.#isBetween = token === 'between';
    this.#write(token);
    if (token.endsWith(',') && this.#line.length > WIDTH) this.#endLine(true);
  }

  #beginsLine(token: string, { clause }: Frame): boolean {
    if (token === 'and') return clause === 'where' && !this.#isBetween;
    return CLAUSES.has(token) || (JOINS.has(token) && !JOINS.has(this.#before));
  }

  #write(token: string): void {
    const depth = this.#frames.filter(({ isQuery }) => isQuery).length - 1;
    if (this.#line === '') this.#line = '  '.repeat(depth + (this.#isContinued ? 2 : 0));
    this.#line += token;
  }

  #endLine(isContinued = false): void {
    if (isWord(this.#line)) this.#lines.push(this.#line.trimEnd());
    this.#line = '';
    this.#isContinued = isContinued;
  }
}
