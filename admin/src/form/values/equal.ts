/** Compares the values of attributes. */
import {
  areStored,
  beginAlike,
  draftsOf,
  filesOf,
  type Linked,
  type Links,
  linksOf,
  loadedLinks,
  unloadedOf,
} from './links.ts';
import {
  type Attribute,
  COMPONENT,
  componentOf,
  isValues,
  type Model,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';
import { same } from './same.ts';

/**
 * How exactly values are compared. `stored`: rows have the same ids, and an empty text differs from null. `shown`: a
 * reader sees no difference; a draft and its published version have rows with different ids. `published`: the first
 * value is a draft, and publishing it would not change the second one.
 */
export type Closeness = 'stored' | 'shown' | 'published';

/** Relations are equal if they have the same documents in the same order, and media if they have the same files. */
export function equalValues(schema: Schema, attribute: Attribute, a: unknown, b: unknown, by: Closeness): boolean {
  switch (attribute.type) {
    case 'relation': {
      const [left, right] = [linksOf(a), linksOf(b)];
      if (by === 'stored') return areStored(left, right);
      return by === 'published' ? arePublished(left, right) : areShown(left, right);
    }
    case 'media':
      return same(
        filesOf(a).map(({ id }) => id),
        filesOf(b).map(({ id }) => id),
      );
    case 'dynamiczone':
      return equalRows(schema, attribute, rowsOf(a), rowsOf(b), by);
    case 'component': {
      if (attribute.repeatable) return equalRows(schema, attribute, rowsOf(a), rowsOf(b), by);
      if (!isValues(a) || !isValues(b)) return !isValues(a) && !isValues(b);
      return equalRow(schema, componentOf(schema, attribute, a), a, b, by);
    }
    case 'biginteger':
      return same(a, b) || (isWritten(a) && isWritten(b) && String(a) === String(b));
    case 'datetime':
    case 'timestamp':
      return same(a ?? null, b ?? null) || (isWritten(a) && isWritten(b) && instant(a) === instant(b));
    case 'time':
      return same(a ?? null, b ?? null) || (isWritten(a) && isWritten(b) && timeOf(a) === timeOf(b));
    case 'password':
      return (a ?? '') === (b ?? '');
    default:
      return same(a ?? null, b ?? null) || (by !== 'stored' && isEmpty(a) && isEmpty(b));
  }
}

/** Whether two lists of links look the same, as far as they are loaded. */
function areShown(a: Links, b: Links): boolean {
  if (a.count !== b.count) return false;
  return isCut(a) || isCut(b) ? beginAlike(a.items, b.items) : beginAlike(loadedLinks(a), loadedLinks(b));
}

/** Whether publishing would leave links unchanged: links to unpublished documents are not published. */
function arePublished(draft: Links, published: Links): boolean {
  const drafts = draftsOf(draft);
  if (drafts !== undefined && draft.count - drafts !== published.count) return false;
  const kept = (links: readonly Linked[]) => links.filter(({ state }) => state !== 'draft');
  if (isCut(draft) || isCut(published)) return beginAlike(kept(draft.items), published.items);
  return beginAlike(kept(loadedLinks(draft)), loadedLinks(published));
}

const isCut = (links: Links): boolean => unloadedOf(links) > 0;

const isWritten = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
const instant = (value: string | number): number => new Date(value).getTime();
/** Some databases return fractions of a second that are 0. */
const timeOf = (value: string | number): string => String(value).replace(/\.0+$/, '');
const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

function equalRows(
  schema: Schema,
  attribute: Attribute,
  a: readonly Values[],
  b: readonly Values[],
  by: Closeness,
): boolean {
  return a.length === b.length && a.every((row, index) => equalRowsOf(schema, attribute, row, b[index]!, by));
}

/** Whether two rows belong to the same component and have equal content. */
export function equalRowsOf(schema: Schema, attribute: Attribute, a: Values, b: Values, by: Closeness): boolean {
  return a[COMPONENT] === b[COMPONENT] && equalRow(schema, componentOf(schema, attribute, a), a, b, by);
}

function equalRow(schema: Schema, component: Model | undefined, a: Values, b: Values, by: Closeness): boolean {
  if (by === 'stored' && a['id'] !== b['id']) return false;
  if (!component) return same(a, b);
  return component.attributes.every((attribute) => {
    const { name } = attribute;
    return equalValues(schema, attribute, a[name], b[name], by);
  });
}

/**
 * The values that differ from a document. Rows are compared by content, without their ids. Attributes that the model
 * does not have are left out.
 *
 * @param document null if there is none.
 */
export function differingValues(schema: Schema, model: Model, values: Values, document: Values | null): Values {
  const others = model.attributes.filter((attribute) => {
    const { name } = attribute;
    return name in values && !equalValues(schema, attribute, values[name], document?.[name], 'shown');
  });
  return Object.fromEntries(others.map(({ name }) => [name, values[name]]));
}
