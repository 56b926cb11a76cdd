/** Pieces of statements as Knex takes them: names, values, raw texts. Values become parameters, whatever they are. */
import { id, join, raw, type Sql, sql } from '../../sql/fragment.ts';

/** Makes a value a parameter. */
export type Bind = (value: unknown) => Sql;

/** Something that is a part of a statement by itself: `knex.raw(…)`, or a query within another. */
export interface Piece {
  readonly [PIECE]: (bind: Bind) => Sql;
}

export const PIECE = Symbol('a piece of a statement');

export const isPiece = (value: unknown): value is Piece =>
  (typeof value === 'object' || typeof value === 'function') && value !== null && PIECE in value;

/** `a.b as c`, `a.*`, `*`, `{ c: 'a.b' }`, or a piece. */
export function named(name: unknown, bind: Bind): Sql {
  if (isPiece(name)) return name[PIECE](bind);
  if (typeof name === 'object' && name !== null) {
    return join(
      Object.entries(name).map(([alias, one]) => sql`${named(one, bind)} as ${id(alias)}`),
      ', ',
    );
  }
  if (typeof name !== 'string' || name === '') throw new TypeError(`${String(name)} is no name of a table or a column`);
  const [, before = name, alias] = /^(.+?)\s+as\s+(.+)$/i.exec(name) ?? [];
  const parts = before.split('.').map((part) => (part.trim() === '*' ? raw('*') : id(part.trim())));
  return alias === undefined ? join(parts, '.') : sql`${join(parts, '.')} as ${id(alias.trim())}`;
}

/** A value, or a piece in its place. @throws Error for undefined, which is mostly a mistake. */
export function valued(value: unknown, bind: Bind): Sql {
  if (isPiece(value)) return value[PIECE](bind);
  if (value === undefined) throw new Error('a value is undefined');
  return bind(value);
}

/** A text with `?` and `:name` for values, `??` and `:name:` for names, `\\?` for a question mark. */
export function rawPiece(text: string, bindings: unknown): Piece {
  return { [PIECE]: (bind) => bound(text, bindings, bind) };
}

function bound(text: string, bindings: unknown, bind: Bind): Sql {
  const isNamed = typeof bindings === 'object' && bindings !== null && !Array.isArray(bindings) && !isPiece(bindings);
  if (isNamed && !(bindings instanceof Date)) return boundByName(text, bindings as Record<string, unknown>, bind);
  if (bindings === undefined) return raw(text);
  const values = Array.isArray(bindings) ? [...bindings] : [bindings];
  const given = values.length;
  const parts = pieces(text, /\\\?|\?\??/g, ([found]) => {
    if (found === '\\?') return raw('?');
    if (values.length === 0) throw new Error(`raw: ${given} bindings are not enough for ${text}`);
    return found === '??' ? named(values.shift(), bind) : valued(values.shift(), bind);
  });
  if (values.length > 0) throw new Error(`raw: ${given} bindings are too many for ${text}`);
  return parts;
}

function boundByName(text: string, bindings: Record<string, unknown>, bind: Bind): Sql {
  return pieces(text, /(?<![:\w]):(\w+)(:?)/g, ([found, name, isName]) => {
    if (!Object.hasOwn(bindings, name!)) return raw(found);
    return isName ? named(bindings[name!], bind) : valued(bindings[name!], bind);
  });
}

/** A text with something else in the place of what a pattern finds. */
function pieces(text: string, pattern: RegExp, make: (found: RegExpMatchArray & { 0: string }) => Sql): Sql {
  const parts: Sql[] = [];
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push(raw(text.slice(end, found.index)), make(found));
    end = found.index + found[0].length;
  }
  return join([...parts, raw(text.slice(end))], '');
}
