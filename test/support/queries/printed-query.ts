/** Query trees in a short form, for tables of tests. Operands stand in the place of their slots. */
import type { Filter, Populate, PopulateEntry, PopulateOptions, SortKey } from '../../../src/query/content-query.ts';

/**
 * `title $eq "a"` for `title[$eq]=a`, `title = $eq "a"` for `title=a`; `&` and `|` for what stands side by side or in a
 * list, `$and(…)` and `$or(…)` for what was written out, `!` for a negation.
 */
export function printFilter(filter: Filter | undefined, values: readonly unknown[]): string {
  switch (filter?.kind) {
    case undefined:
      return 'none';
    case 'and':
    case 'or': {
      const items = filter.items.map((item) => printFilter(item, values));
      if (filter.key) return `${filter.key}(${items.join(', ')})`;
      return `(${items.join(filter.kind === 'and' ? ' & ' : ' | ')})`;
    }
    case 'not':
      return `!${printFilter(filter.item, values)}`;
    case 'field':
      return `${filter.name} ${filter.bare ? '= ' : ''}${printFilter(filter.item, values)}`;
    case 'test': {
      const operands = filter.slots.map((slot) => JSON.stringify(values[slot]));
      const key = filter.key === filter.operator ? '' : ` as ${filter.key}`;
      return [filter.operator + key, operands.join(', ')].filter((part) => part !== '').join(' ');
    }
  }
}

/** `author.name desc "DESC"`: the order, and how it was written where it was. A name that holds a point is quoted. */
export function printSort(keys: readonly SortKey[]): string {
  const names = (path: readonly string[]) =>
    path.map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name))).join('.');
  const printed = keys.map(({ path, order, written }) =>
    [names(path), order, ...(written === undefined ? [] : [JSON.stringify(written)])].join(' '),
  );
  return printed.join(', ') || 'none';
}

/** `{author: yes, tags: {fields: name}, zone: "text"}`. */
export function printPopulate(populate: Populate, values: readonly unknown[]): string {
  switch (populate.kind) {
    case 'none':
      return 'none';
    case 'all':
      return '*';
    case 'names':
      return populate.names.map((name) => JSON.stringify(name)).join(' ');
    case 'entries':
      return printEntries(populate.entries, values);
  }
}

function printEntries(entries: readonly PopulateEntry[], values: readonly unknown[]): string {
  const printed = entries.map((entry) => {
    if (entry.kind === 'flag') return `${entry.name}: ${entry.value ? 'yes' : 'no'}`;
    return `${entry.name}: ${entry.kind === 'text' ? JSON.stringify(entry.text) : printOptions(entry.options, values)}`;
  });
  return `{${printed.join(', ')}}`;
}

function printOptions(options: PopulateOptions, values: readonly unknown[]): string {
  const { fields, filters, sort, populate, count, on, keys } = options;
  const parts: string[] = [];
  if (fields) parts.push(`fields ${fields.map((name) => JSON.stringify(name)).join(' ')}`);
  if (filters) parts.push(`filters ${printFilter(filters, values)}`);
  if (sort.length > 0) parts.push(`sort ${printSort(sort)}`);
  if (populate.kind !== 'none') parts.push(`populate ${printPopulate(populate, values)}`);
  if (count !== false) parts.push(`count ${count}`);
  if (on) parts.push(`on ${on === 'invalid' ? on : printEntries(on, values)}`);
  return `<${keys.join(' ')}>{${parts.join('; ')}}`;
}
