/** Checks for lists with an incomplete order. */
import { id, join, list, literal, raw, type Sql, sql } from '../fragment.ts';

export interface Lists {
  readonly table: string;
  /** Columns whose values the rows of a list share. */
  readonly keys: readonly string[];
  readonly order: string;
  /** A condition on the rows `x` of such lists. */
  readonly which?: Sql;
  /** A condition for two rows `x` and `y` that share the keys but never appear in one list. */
  readonly apart?: Sql;
}

/** Id, keys and order of the rows whose order is missing, or that of another row of their list. */
export function compileDisordered({ table, keys, order, which = raw('1 = 1'), apart }: Lists): Sql {
  const names = list(['id', ...keys, order].map((column) => sql`x.${id(column)}`));
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
 * For a two-sided relation: whether the sources of `x` and `y` are rows of different states, or of one document, whose
 * locales may share a place. At least one of both is tested.
 */
export function compileSeenApart(table: string, source: string, byState: boolean, byDocument: boolean): Sql {
  const tests: Sql[] = [];
  if (byState) tests.push(sql`(a."published_at" is null) <> (b."published_at" is null)`);
  if (byDocument) tests.push(sql`a."document_id" = b."document_id"`);
  return sql`exists (select 1 from ${id(table)} a, ${id(table)} b
      where a."id" = x.${id(source)} and b."id" = y.${id(source)} and (${join(tests, ' or ')}))`;
}

/** Whether a component link belongs to one of several attributes. */
export function compileComponentLists(fields: readonly string[]): Sql {
  return sql`x."field" in (${list(fields.map(literal))})`;
}

/** Whether a media link belongs to one of several attributes of a model. */
export function compileMediaLists(uid: string, fields: readonly string[]): Sql {
  return sql`x."related_type" = ${literal(uid)} and x."field" in (${list(fields.map(literal))})`;
}
