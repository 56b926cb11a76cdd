/** Statements laid out for a person: a clause a line, subqueries indented. Nothing but white space is changed. */

/** Quoted texts and names, words, brackets, and whatever else. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_]\w*|[()]|\s+|[^\s()'"A-Za-z_]+/g;
const CLAUSES: ReadonlySet<string> = new Set(['from', 'where', 'order', 'group', 'limit', 'union']);
/** Words in front of `join`. */
const JOINS: ReadonlySet<string> = new Set(['left', 'cross', 'join']);

/** Characters after which a line ends at the next comma. */
const WIDTH = 110;

/** Lines of a statement. */
export function layOutSql(statement: string): string[] {
  const tokens = statement.match(TOKEN) ?? [];
  const lines: string[] = [];
  /** Whether each open bracket holds a query. */
  const open: boolean[] = [];
  let line = '';
  /** Whether the line goes on where the one before became too long. */
  let isContinued = false;
  /** Whether the next `and` is that of a `between`. */
  let isBetween = false;
  const end = (continues = false) => {
    if (line.trim() !== '') lines.push(line.trimEnd());
    line = '';
    isContinued = continues;
  };
  const add = (text: string) => {
    if (line === '') line = '  '.repeat(open.filter(Boolean).length + (isContinued ? 2 : 0));
    line += text;
  };
  /** Whether what stands here is of the query itself and not of a function or a condition in it. */
  const isOutside = () => open.length === 0 || open.at(-1) === true;
  for (const [index, token] of tokens.entries()) {
    const next = tokens.slice(index + 1, index + 3).find((one) => one.trim() !== '') ?? '';
    const before = tokens.slice(Math.max(0, index - 2), index).findLast((one) => one.trim() !== '') ?? '';
    if (/^\s+$/.test(token)) {
      if (line.trim() !== '') line += ' ';
    } else if (token === '(') {
      const isQuery = next === 'select' || next === 'with';
      add(token);
      open.push(isQuery);
      if (isQuery) end();
    } else if (token === ')') {
      const wasQuery = open.at(-1) === true;
      if (wasQuery) end();
      open.pop();
      add(token);
    } else {
      const begins = CLAUSES.has(token) || (JOINS.has(token) && !JOINS.has(before)) || (token === 'and' && !isBetween);
      if (token === 'between' || token === 'and') isBetween = token === 'between';
      if (begins && isOutside()) end();
      if (token === 'select' && line.trim() !== '' && isOutside() && before === ')') end();
      add(token);
      if (token.endsWith(',') && line.length > WIDTH) end(true);
    }
  }
  end();
  return lines;
}
