/** Rows of the same document in another state or locale, as SQL. */
import type { Dialect } from '../dialect.ts';
import { id, raw, type Sql, slot, sql } from '../fragment.ts';
import { isOneOf } from '../write.ts';

/** The state of the other row; `same`: that of the row itself. */
export type CounterpartState = 'draft' | 'published' | 'same';

const STATE_TESTS: Readonly<Record<CounterpartState, string>> = {
  draft: ' and o."published_at" is null',
  published: ' and o."published_at" is not null',
  same: ' and (o."published_at" is null) = (t."published_at" is null)',
};

/**
 * `id`, `document_id` and `locale` of rows, and the id of the other row or null. Values: the locale of the other row, if
 * it `moves` to one, and the ids as the JSON of a list of lists of one.
 *
 * @param state undefined for types without drafts.
 */
export function compileCounterparts(
  dialect: Dialect,
  table: string,
  state: CounterpartState | undefined,
  moves: boolean,
): Sql {
  const same = moves ? sql`o."locale" = ${slot(0)}` : dialect.same(sql`o."locale"`, sql`t."locale"`);
  const status = raw(state === undefined ? '' : STATE_TESTS[state]);
  const among = isOneOf(dialect, sql`t."id"`, slot(moves ? 1 : 0), 'integer');
  return sql`select t."id", t."document_id", t."locale", o."id" from ${id(table)} t left join ${id(table)} o
      on o."document_id" = t."document_id" and ${same}${status} where ${among}`;
}
