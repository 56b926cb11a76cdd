/** Lists whose order is not kept, as SQL. */
import { id, join, literal, raw, type Sql, sql } from '../fragment.ts';

/** A table that keeps lists. */
export interface Lists {
  readonly table: string;
  /** Columns whose values a list's rows share. */
  readonly keys: readonly string[];
  readonly order: string;
  /** Which rows of the table, `x`, are of such lists. */
  readonly which?: Sql;
  /** Two rows, `x` and `y`, that are never seen in one list although they share the keys. */
  readonly apart?: Sql;
}

/** Id, keys and order of the rows whose order is missing, or that of another row of their list. */
export function compileDisordered({ table, keys, order, which = raw('1 = 1'), apart }: Lists): Sql {
  const names = join(
    ['id', ...keys, order].map((column) => sql`x.${id(column)}`),
    ', ',
  );
  const known = join(
    keys.map((key) => sql`x.${id(key)} is not null`),
    ' and ',
  );
  const shared = join(
    keys.map((key) => sql`y.${id(key)} = x.${id(key)}`),
    ' and ',
  );
  const together = apart ? sql` and not ${apart}` : raw('');
  return sql`select ${names} from ${id(table)} x where ${which} and ${known} and (x.${id(order)} is null or exists (
      select 1 from ${id(table)} y where ${shared} and y.${id(order)} = x.${id(order)} and y."id" <> x."id"${together}))`;
}

/**
 * Of a two-sided relation: whether the sources of `x` and `y` are rows of different states, or of one document, whose
 * locales may stand in one place. At least one of both is asked.
 */
export function compileSeenApart(table: string, source: string, byState: boolean, byDocument: boolean): Sql {
  const tests: Sql[] = [];
  if (byState) tests.push(sql`(a."published_at" is null) <> (b."published_at" is null)`);
  if (byDocument) tests.push(sql`a."document_id" = b."document_id"`);
  return sql`exists (select 1 from ${id(table)} a, ${id(table)} b
      where a."id" = x.${id(source)} and b."id" = y.${id(source)} and (${join(tests, ' or ')}))`;
}

/** Whether a component link is of one of some attributes. */
export function compileComponentLists(fields: readonly string[]): Sql {
  return sql`x."field" in (${join(fields.map(literal), ', ')})`;
}

/** Whether a media link is of one of some attributes of a model. */
export function compileMediaLists(uid: string, fields: readonly string[]): Sql {
  return sql`x."related_type" = ${literal(uid)} and x."field" in (${join(fields.map(literal), ', ')})`;
}
