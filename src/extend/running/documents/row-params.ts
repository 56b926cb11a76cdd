/** What `strapi.db.query` is asked to give of rows: in the words of documents, and taken out of what was read. */
import type { Params } from './lifecycles.ts';
import { isPlain, plainFilters } from './plain-params.ts';

/** `populate` of the query engine: as that of documents, with `where`, `select` and `orderBy` within. */
export function populateOf(populate: unknown): unknown {
  if (populate === true) return '*';
  if (Array.isArray(populate)) return populate.map(String);
  if (!isPlain(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate)
      .filter(([, value]) => value !== undefined && value !== false)
      .map(([name, value]) => [name, isPlain(value) ? optionsOf(value) : value]),
  );
}

function optionsOf({ where, select, orderBy, populate, on, ...rest }: Params): unknown {
  const options = {
    ...rest,
    ...(where === undefined ? {} : { filters: plainFilters(where) }),
    ...(select === undefined ? {} : { fields: [select].flat() }),
    ...(orderBy === undefined ? {} : { sort: orderBy }),
    ...(populate === undefined ? {} : { populate: populateOf(populate) }),
    ...(isPlain(on) ? { on: populateOf(on) } : {}),
  };
  return Object.keys(options).length === 0 ? true : options;
}

/** Rows with no more than what was selected and populated of them, at any depth. They have ids where anything is populated. */
export function selected(value: unknown, { select, populate, on }: Params): unknown {
  if (Array.isArray(value)) return value.map((one) => selected(one, { select, populate, on }));
  if (!isPlain(value)) return value;
  if (isPlain(on)) return selected(value, (on[String(value['__component'] ?? value['__type'])] ?? {}) as Params);
  const chosen = [select ?? []].flat();
  const isAll = populate === true || populate === '*';
  const below = isPlain(populate) ? Object.keys(populate) : [populate ?? []].flat().map(String);
  const isWhole = chosen.includes('*') || (chosen.length === 0 && (select == null || below.length === 0));
  const names = isWhole ? undefined : new Set<unknown>(below.length > 0 ? ['id', ...chosen] : chosen);
  const isKept = (name: string): boolean =>
    !names || isAll || names.has(name) || name.startsWith('__') || below.some((one) => one.split('.')[0] === name);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const asked = isPlain(populate) ? populate[name] : undefined;
      return isKept(name) ? [[name, isPlain(asked) && !asked['count'] ? selected(inner, asked) : inner]] : [];
    }),
  );
}
