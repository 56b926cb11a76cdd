/** The differences between a draft and its published version, for the marks in the margin and the publish panel. */
import { type Closeness, equalRowsOf, equalValues } from './equal.ts';
import { isPartlyLoaded, linksOf, withLinks } from './links.ts';
import {
  type Attribute,
  COMPONENT,
  componentOf,
  isValues,
  type Model,
  type Path,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';
import { commonSequence } from './same.ts';

/** A difference. */
export interface Difference {
  readonly path: Path;
  /** The label of the attribute, after those of the components around it. */
  readonly label: string;
  readonly attribute: Attribute;
  /** The published value. */
  readonly before: unknown;
  /** The value of the draft. */
  readonly after: unknown;
}

/**
 * The differences in the order of the attributes. Single components are compared field by field; a repeatable component
 * and a dynamic zone are one difference each. Without a published version there are none.
 *
 * @param by how exactly values are compared, if the second version is not the published one.
 */
export function differences(
  schema: Schema,
  model: Model,
  values: Values,
  published: Values | null,
  by: Closeness = 'published',
): readonly Difference[] {
  return published ? differencesAt(schema, model, values, published, by, [], '') : [];
}

function differencesAt(
  schema: Schema,
  model: Model,
  values: Values,
  published: Values,
  by: Closeness,
  around: Path,
  prefix: string,
): readonly Difference[] {
  return model.attributes.flatMap((attribute): readonly Difference[] => {
    const { name } = attribute;
    const [after, before] = [values[name] ?? null, published[name] ?? null];
    if (!attribute.readable || isEqual(schema, attribute, after, before, by)) return [];
    const path = [...around, name];
    const label = `${prefix}${attribute.label}`;
    const component = componentOf(schema, attribute);
    if (component && !attribute.repeatable && isValues(after) && isValues(before)) {
      return differencesAt(schema, component, after, before, by, path, `${label} › `);
    }
    return [{ path, label, attribute, before, after }];
  });
}

/** Whether a field has no mark. */
export function isEqual(
  schema: Schema,
  attribute: Attribute,
  value: unknown,
  published: unknown,
  by: Closeness = 'published',
): boolean {
  // Passwords are not readable, so they cannot be compared.
  return attribute.type === 'password' || equalValues(schema, attribute, value, published, by);
}

/**
 * For each row of a list, the index of its counterpart in the published list; undefined for a new row. Rows with equal
 * content belong together, wherever they are; of the rows in between, the first one belongs to the first one of the
 * same component.
 */
export function pairRows(
  schema: Schema,
  attribute: Attribute,
  rows: readonly Values[],
  published: readonly Values[],
): readonly (number | undefined)[] {
  const pairs: (number | undefined)[] = rows.map(() => undefined);
  const free = new Set(published.keys());
  const pair = (index: number, place: number | undefined): void => {
    if (place === undefined) return;
    pairs[index] = place;
    free.delete(place);
  };
  const equal = (a: Values, b: Values) => equalRowsOf(schema, attribute, a, b, 'shown');
  const inOrder = commonSequence(published, rows, equal);
  for (const [place, index] of inOrder) pair(index, place);
  for (const [index, row] of rows.entries()) {
    if (pairs[index] === undefined)
      pair(
        index,
        [...free].find((place) => equal(published[place]!, row)),
      );
  }
  let [from, until] = [0, 0];
  for (const [before, after] of [...inOrder, [published.length, rows.length] as const]) {
    for (let index = until; index < after; index++) {
      if (pairs[index] !== undefined) continue;
      const fits = (place: number) =>
        place >= from && place < before && published[place]![COMPONENT] === rows[index]![COMPONENT];
      pair(index, [...free].find(fits));
    }
    [from, until] = [before + 1, after + 1];
  }
  return pairs;
}

/** The differences of a list: new, changed and removed rows, and whether the others have moved. */
export interface RowChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export function rowChanges(schema: Schema, attribute: Attribute, value: unknown, published: unknown): RowChanges {
  const [rows, before] = [rowsOf(value), rowsOf(published)];
  const pairs = pairRows(schema, attribute, rows, before);
  const paired = pairs.filter((place) => place !== undefined);
  const changed = pairs.filter(
    (place, index) => place !== undefined && !equalRowsOf(schema, attribute, rows[index]!, before[place]!, 'published'),
  );
  return {
    added: rows.length - paired.length,
    changed: changed.length,
    removed: before.length - paired.length,
  };
}

/**
 * Whether a published value can be restored. It cannot if some links of either version are not loaded, because these
 * would be lost.
 */
export function canBeRestored(schema: Schema, attribute: Attribute, value: unknown, published: unknown): boolean {
  return !isPartlyLoaded(schema, attribute, published) && !isPartlyLoaded(schema, attribute, value);
}

/**
 * The published value for restoring it in a draft. Rows keep the ids of the corresponding rows of the draft, so that
 * the server keeps these rows.
 */
export function restoredValue(schema: Schema, attribute: Attribute, value: unknown, published: unknown): unknown {
  if (attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable)) {
    const [rows, before] = [rowsOf(value), rowsOf(published)];
    const pairs = pairRows(schema, attribute, rows, before);
    return before.map((row, place) => withIdOf(row, rows[pairs.indexOf(place)]));
  }
  if (attribute.type === 'component' && isValues(published)) {
    return withIdOf(published, isValues(value) ? value : undefined);
  }
  if (attribute.type === 'relation') return withLinks(linksOf(value), linksOf(published).items);
  return published ?? null;
}

function withIdOf({ id: _published, ...row }: Values, draft: Values | undefined): Values {
  return draft?.['id'] === undefined ? row : { ...row, id: draft['id'] };
}
